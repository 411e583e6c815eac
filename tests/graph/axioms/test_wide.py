"""Kinds of axioms with so many triples that one generic rule reads them (`materialize/schema/wide_kinds.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from kgreason.options import SchemaMode
from tests.volume import many

PREFIXES = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""
AXIOMS = (
    ":A rdfs:subClassOf :B",
    ":B rdfs:subClassOf :C",
    ":C rdfs:subClassOf :A",
    ":C rdfs:subClassOf owl:Thing",
    ":Path rdfs:subClassOf owl:TransitiveProperty",
    "xsd:integer rdfs:subClassOf :Number",
    ":p rdfs:subPropertyOf :q",
    ":q rdfs:subPropertyOf owl:sameAs",
    ":q rdfs:domain :A",
    ":p rdfs:range :C",
    ":other rdfs:range xsd:decimal",
    ":p owl:inverseOf :r",
    ":B owl:equivalentClass :D",
    ":A owl:disjointWith :E",
    "_:some rdfs:subClassOf :E",
    "_:some owl:onProperty :p ; owl:someValuesFrom :A",
    "_:same owl:onProperty :p ; owl:someValuesFrom :A",
    "_:same owl:disjointWith :D",
    ":p a owl:ObjectProperty",
    ":p owl:equivalentProperty :other",
    ":F owl:intersectionOf :l",
    "_:same owl:intersectionOf :m",
    ":A owl:unionOf :m",
    ":l rdf:first :A ; rdf:rest :m",
    ":m rdf:first _:same ; rdf:rest rdf:nil",
    ":D owl:equivalentClass xsd:integer",
)
FACTS = (
    ":x a :A",
    ":y a :D",
    ":x :p :y",
    ":y :q :z",
    ":x :age 7",
    ":p a :Path",
    ":e a :E",
    ":x a :E",
    ":B owl:sameAs :E",
    ":i owl:sameAs 7",
)
POOL = (*AXIOMS, *FACTS)
ADDED_OR_REMOVED = st.lists(st.tuples(st.booleans(), st.sets(st.sampled_from(POOL), min_size=1)), max_size=5)


@contextmanager
def opened(limit: int, schema: SchemaMode = "axioms") -> Iterator[KnowledgeGraph]:
    """A graph in which a kind of axioms with more than `limit` triples is wide."""
    with patch("kgreason.materialize.materialized_graph.LIMIT", limit), KnowledgeGraph.open(schema=schema) as graph:
        yield graph


def statements(texts: set[str]) -> str:
    return PREFIXES + " ".join(f"{text.replace('_:', ':blank-')} ." for text in sorted(texts))


def state_of(graph: KnowledgeGraph) -> tuple[list[str], list[str], list[str]]:
    return sorted(map(str, graph)), sorted(map(str, graph.contradictions())), graph.warnings


def rules(graph: KnowledgeGraph) -> set[tuple[str, str]]:
    return {(rule["name"], rule["rule"]) for rule in graph.rules()}


@settings(max_examples=many(10))
@given(ADDED_OR_REMOVED, st.sets(st.sampled_from(POOL)), st.sampled_from([0, 1, 2, 4]))
def test_deltas_and_closure_do_not_depend_on_which_kinds_are_wide(
    history: list[tuple[bool, set[str]]], first: set[str], limit: int
) -> None:
    with opened(1 << 20) as graph, opened(limit) as other:
        for is_added, texts in [(True, {*first, ":stays :as :fact"}), *history]:
            changes = []
            for each in (graph, other):
                with each.what_if() as tx:
                    (tx.add if is_added else tx.remove)(statements(texts))
                change = (each.add if is_added else each.remove)(statements(texts))
                assert sorted(map(str, tx.delta.appeared())) == sorted(map(str, change.appeared()))
                changes.append([sorted(map(str, rows)) for rows in (change.appeared(), change.disappeared())])
            assert changes[0] == changes[1]
            assert state_of(graph) == state_of(other)
        with opened(limit) as scratch:
            scratch.add(
                PREFIXES + "".join(f"{' '.join(map(str, quad.triple))} . " for quad in graph.match(asserted=True))
            )
            assert rules(scratch) == rules(other)


def test_blank_restrictions_that_say_the_same_are_disjoint_with_a_class() -> None:
    """Only one of them has instances, so their disjointness is translated although its kind is wide."""
    twins = "_:a owl:onProperty :p ; owl:someValuesFrom :A . _:b owl:onProperty :p ; owl:someValuesFrom :A ."
    text = f"{PREFIXES} :p a owl:ObjectProperty . {twins} _:a owl:disjointWith :D . _:b owl:disjointWith :E ."
    with opened(0) as graph:
        graph.add(f"{text} :x :p :y ; a :D , :E . :y a :A .")
        assert len(graph.contradictions()) == 2


def types_of_seven(graph: KnowledgeGraph) -> list[str]:
    return sorted(str(quad.object) for quad in graph.match("<http://e/i>", "rdf:type"))


def test_wide_kinds_ask_for_no_datatype() -> None:
    """What equals a literal has a datatype as a type only if a rule asks, whatever the number of axioms."""
    text = f"{PREFIXES} :i owl:sameAs 7 . :p rdfs:range xsd:decimal . :A rdfs:subClassOf :B ."
    with opened(2) as graph:
        graph.add(text)
        for count in (3, 1, 3):
            more = f"{PREFIXES} :C rdfs:subClassOf :D . :D rdfs:subClassOf :E ."
            graph.add(more) if count == 3 else graph.remove(more)
            assert types_of_seven(graph) == []
        graph.add(f"{PREFIXES} xsd:integer rdfs:subClassOf :Number .")
        assert types_of_seven(graph) == ["<http://e/Number>", "<http://www.w3.org/2001/XMLSchema#integer>"]


def test_a_derived_axiom_asks_for_datatypes_beside_wide_kinds() -> None:
    """A rule of the user derives an axiom. So the generic rules may read any datatype, until the axiom goes."""
    text = f"{PREFIXES} :i owl:sameAs 7 . :p rdfs:range xsd:decimal . :A rdfs:subClassOf :B ."
    rule = "[?x, rdfs:subClassOf, ?y] :- [?x, <http://e/below>, ?y] ."
    for limit in (0, 1 << 20):
        with opened(limit) as graph:
            with graph.transaction() as tx:
                tx.add(text).add_rules(f"@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . {rule}")
            assert types_of_seven(graph) == []
            graph.add(f"{PREFIXES} :C :below :D .")
            assert types_of_seven(graph) == ["<http://www.w3.org/2001/XMLSchema#decimal>"]
            with graph.what_if() as tx:
                tx.remove(f"{PREFIXES} :C :below :D .")
            assert types_of_seven(graph) == ["<http://www.w3.org/2001/XMLSchema#decimal>"]
            graph.remove(f"{PREFIXES} :C :below :D .")
            assert types_of_seven(graph) == []


@pytest.mark.parametrize(("count", "names"), [(4, ["cax-sco"] * 2), (2, ["cax-sco"])])
def test_a_wide_kind_has_one_rule_and_its_proofs_name_the_axiom(count: int, names: list[str]) -> None:
    with opened(count) as graph:
        graph.add(PREFIXES + ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :x a :A .")
        assert [rule["name"] for rule in graph.rules() if rule["name"] == "cax-sco"] == names
        proof = graph.explain(("<http://e/x>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/B>"))
        assert "subClassOf> <http://e/B>" in proof.to_text()
        assert "by cax-sco" in proof.to_text()
