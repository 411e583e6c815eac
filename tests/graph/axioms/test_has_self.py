"""The group `has-self` of owl2rl reads owl:hasSelf in both directions, which no table of OWL 2 RL does.

The model is the rule set owl2rl with the two rules as rules of the user, from scratch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import SchemaMode
from tests.volume import many

PREFIXES = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . """
ONTOLOGY = """
:Lead owl:equivalentClass :LeadSelf . :LeadSelf owl:onProperty :role ; owl:hasSelf true .
:leads owl:propertyChainAxiom ( :leaderIn :role :over ) . """
DATA = ":ann :leaderIn :l1 . :l1 a :Lead ; :over :dept . "
RULES = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
[?x, ?p, ?x] :- [?x, a, ?c], [?c, owl:hasSelf, true], [?c, owl:onProperty, ?p] .
[?x, a, ?c] :- [?c, owl:hasSelf, true], [?c, owl:onProperty, ?p], [?x, ?p, ?x] ."""
MODES: list[SchemaMode] = ["axioms", "data"]
TRUE = {"axioms": '"1"^^xsd:boolean', "data": "true"}
"""True, in another spelling where the axiom is translated from its value."""
SELF = "<http://e/l1> <http://e/role> <http://e/l1> ."
LEADS = "<http://e/ann> <http://e/leads> <http://e/dept> ."


def lines(graph: KnowledgeGraph) -> set[str]:
    return set(b"".join(graph.dump()).decode().splitlines())


@pytest.mark.parametrize("schema", MODES)
def test_has_self_is_read_in_both_directions_and_live(schema: SchemaMode, tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["owl2rl+has-self"], schema=schema) as graph:
        graph.add(PREFIXES + ONTOLOGY + DATA)
        assert {SELF, LEADS} <= lines(graph)
        assert graph.explain(SELF).rule.name == "has-self1"  # type: ignore[union-attr]
        assert "has-self1" in graph.explain(LEADS).to_text()
        graph.remove(PREFIXES + ":LeadSelf owl:hasSelf true .")
        assert not {SELF, LEADS} & lines(graph)
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(PREFIXES + f":LeadSelf owl:hasSelf {TRUE[schema]} . :n :role :n .")
        found = lines(graph)
        assert {
            SELF,
            LEADS,
            "<http://e/n> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Lead> .",
        } <= found
        graph.remove(PREFIXES + ":l1 a :Lead .")
        assert not {SELF, LEADS} & lines(graph)


@pytest.mark.parametrize("schema", MODES)
@pytest.mark.parametrize(("rules", "said"), [("owl2rl", "true"), ("owl2rl+has-self", "false")])
def test_without_the_group_or_with_false_nothing_follows(rules: str, said: str, schema: SchemaMode) -> None:
    with KnowledgeGraph.open(rules=[rules], schema=schema) as graph:
        graph.add(PREFIXES + ONTOLOGY.replace("true", said) + DATA)
        assert not {SELF, LEADS} & lines(graph)


STATEMENTS = [
    ":C owl:hasSelf true .",
    ":C owl:onProperty :p .",
    ":D owl:onProperty :q ; owl:hasSelf true .",
    ":D owl:someValuesFrom :E .",
    ":E a owl:Class . :F owl:onProperty :q ; owl:someValuesFrom :E .",
    ":p rdfs:subPropertyOf :q .",
    ":D rdfs:subClassOf :C .",
    ":a :p :a .",
    ":a owl:sameAs :b .",
    ":a :q :b .",
    ":a a :C .",
    ":b a :F .",
    ":C owl:sameAs :G .",
]
OPTIONS: list[dict[str, Any]] = [{}, {"schema": "data"}, {"same_as": "rules"}]


@settings(max_examples=many(3))
@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from(STATEMENTS)), min_size=4, max_size=12), st.sampled_from(OPTIONS)
)
def test_a_history_is_equal_to_the_rules_as_written(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[bool, str]], options: dict[str, Any]
) -> None:
    file = tmp_path_factory.mktemp("rules") / "self.dl"
    file.write_text(RULES)
    with KnowledgeGraph.open(rules=["owl2rl+has-self"], **options) as graph:
        present: set[str] = set()
        for is_added, text in edits:
            (graph.add if is_added else graph.remove)(PREFIXES + text)
            (present.add if is_added else present.discard)(text)
        with KnowledgeGraph.open(rules=["owl2rl", str(file)], **options) as model:
            model.add(PREFIXES + " ".join(sorted(present)))
            assert lines(graph) == lines(model)


def test_the_case_of_leaders(shared_cases: Path) -> None:
    with KnowledgeGraph.open(rules=["owl2rl+has-self"]) as graph:
        graph.load(shared_cases / "29-has-self" / "a.ttl")
        assert {SELF, LEADS} <= lines(graph)
