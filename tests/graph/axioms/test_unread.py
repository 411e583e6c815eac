"""`graph.warnings` counts the axioms of OWL that the rules of owl2rl do not read, by kind, and follows each edit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.schema.unread_axioms import UnreadAxioms
from kgreason.ontology.read.unread_kinds import KINDS
from kgreason.terms.dictionary import Dictionary
from tests.ontology.reading import turtle
from tests.volume import many

PREFIXES = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . """
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
COUNTED = re.compile(r"(?:: |; )(\d+) ([^(]+) \(owl:(\w+)\), for example ")

UNREAD = {
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :D ] .": {"someValuesFrom": 1},
    ":p rdfs:domain [ owl:onProperty :q ; owl:someValuesFrom :D ] .": {"someValuesFrom": 1},
    ":C owl:equivalentClass [ owl:onProperty :p ; owl:someValuesFrom :D ] .": {"someValuesFrom": 1},
    ":C owl:onProperty :p ; owl:someValuesFrom :D .": {"someValuesFrom": 1},
    "[ owl:onProperty :p ; owl:allValuesFrom :D ] rdfs:subClassOf :C .": {"allValuesFrom": 1},
    ":p rdfs:range [ owl:unionOf (:C :D) ] .": {"unionOf": 1},
    ":C owl:unionOf (:D :E) .": {"unionOf": 1},
    ":C rdfs:subClassOf [ owl:intersectionOf (:D :F [ owl:unionOf (:D :E) ]) ] .": {"unionOf": 1},
    ":C rdfs:subClassOf [ owl:oneOf (:a :b) ] .": {"oneOf": 1},
    "[ owl:complementOf :C ] rdfs:subClassOf :D .": {"complementOf": 1},
    ":C rdfs:subClassOf [ owl:complementOf [ owl:onProperty :p ; owl:allValuesFrom :D ] ] .": {"allValuesFrom": 1},
    ":C owl:disjointWith [ owl:complementOf :D ] .": {"complementOf": 1},
    "[] a owl:AllDisjointClasses ; owl:members (:C [ owl:complementOf :D ]) .": {"complementOf": 1},
    ":C owl:equivalentClass [ owl:onProperty :p ; owl:hasSelf true ] .": {"hasSelf": 1},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:minCardinality 1 ] .": {"minCardinality": 1},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:minQualifiedCardinality 2 ; owl:onClass :D ] .": {
        "minQualifiedCardinality": 1
    },
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:cardinality 1 ] .": {"cardinality": 1},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:qualifiedCardinality 1 ; owl:onDataRange xsd:int ] .": {
        "qualifiedCardinality": 1
    },
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality 2 ] .": {"maxCardinality": 1},
    ":C owl:equivalentClass [ owl:onProperty :p ; owl:maxCardinality 1 ] .": {"maxCardinality": 1},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:maxQualifiedCardinality 3 ; owl:onClass :D ] .": {
        "maxQualifiedCardinality": 1
    },
    "[ owl:onProperty :p ; owl:maxQualifiedCardinality 1 ; owl:onClass :D ] rdfs:subClassOf :C .": {
        "maxQualifiedCardinality": 1
    },
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:maxQualifiedCardinality 1 ; owl:onDataRange xsd:int ] .": {
        "onDataRange": 1
    },
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:maxQualifiedCardinality 1 ; owl:onClass [ owl:oneOf (:a) ] ] .": {},
    ":C rdfs:subClassOf [ owl:onProperties (:p :q) ; owl:someValuesFrom :D ] .": {"someValuesFrom": 1},
    "[ owl:onProperties (:p :q) ; owl:someValuesFrom :D ] rdfs:subClassOf :C .": {"onProperties": 1},
    ":p rdfs:range [ owl:onDatatype xsd:int ; owl:withRestrictions ([ xsd:minInclusive 18 ]) ] .": {
        "withRestrictions": 1
    },
    ":p rdfs:range [ owl:datatypeComplementOf xsd:int ] .": {"datatypeComplementOf": 1},
    ":C owl:disjointUnionOf (:D :E) .": {"disjointUnionOf": 1},
    ":p a owl:ReflexiveProperty .": {"ReflexiveProperty": 1},
    # what the rules read, in full
    "[ owl:onProperty :p ; owl:someValuesFrom [ owl:unionOf (:C :D) ] ] rdfs:subClassOf :E .": {},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom [ owl:complementOf :D ] ] .": {},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality 1 ], [ owl:onProperty :p ; owl:hasValue :a ] .": {},
    "[ owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :D ] rdfs:subClassOf :C . :C owl:hasKey (:p) .": {},
    "[ owl:intersectionOf (:C [ owl:oneOf (:a :b) ]) ] rdfs:subClassOf :D . :C owl:disjointWith :D .": {},
    ":p a owl:TransitiveProperty ; rdfs:domain :C ; owl:propertyChainAxiom (:q :p) . :C a owl:Class .": {},
    "[] owl:onProperty :p ; owl:someValuesFrom :D .": {},
    # a long list and a circle
    f":C rdfs:subClassOf [ owl:intersectionOf ({'[ owl:onProperty :p ; owl:someValuesFrom :D ] ' * 300}) ] .": {
        "someValuesFrom": 300
    },
    f":C owl:complementOf :C . :D owl:unionOf :l . :l <{RDF}first> :C ; <{RDF}rest> :l .": {
        "complementOf": 1,
        "unionOf": 1,
    },
}

UNREAD_BY_EL: dict[str, dict[str, int]] = {
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :D ] . :p a owl:ReflexiveProperty .": {},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:hasSelf true ] , [ owl:complementOf :D ] .": {},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom :D ] .": {"allValuesFrom": 1},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality 1 ] .": {"maxCardinality": 1},
    ":C rdfs:subClassOf [ owl:onProperty :p ; owl:maxQualifiedCardinality 1 ; owl:onClass :D ] .": {
        "maxQualifiedCardinality": 1
    },
    ":p owl:inverseOf :q . :C owl:hasKey (:p) . :p owl:propertyDisjointWith :r .": {
        "inverseOf": 1,
        "hasKey": 1,
        "propertyDisjointWith": 1,
    },
    ":p a owl:FunctionalProperty, owl:InverseFunctionalProperty .": {
        "FunctionalProperty": 1,
        "InverseFunctionalProperty": 1,
    },
    ":p a owl:SymmetricProperty, owl:AsymmetricProperty, owl:IrreflexiveProperty, owl:TransitiveProperty .": {
        "SymmetricProperty": 1,
        "AsymmetricProperty": 1,
        "IrreflexiveProperty": 1,
    },
}


def counts(graph: KnowledgeGraph) -> dict[str, int]:
    return counts_in(graph.warnings)


def counts_in(warnings: Sequence[str], rules: str = "owl2rl") -> dict[str, int]:
    """The counts of the warning by kind; its total is their sum, and it is the only warning."""
    if not warnings:
        return {}
    [warning] = warnings
    found = COUNTED.findall(warning)
    total = sum(int(number) for number, _, _ in found)
    verb = "axiom has" if total == 1 else "axioms have"
    assert warning.startswith(f"{total} {verb} no effect, or only a part of it, under the rules of {rules}: ")
    return {kind: int(number) for number, _, kind in found}


@pytest.mark.parametrize(
    ("text", "expected", "rules"),
    [*((*case, "owl2rl") for case in UNREAD.items()), *((*case, "owl2el") for case in UNREAD_BY_EL.items())],
)
def test_each_kind_is_counted(text: str, expected: dict[str, int], rules: str) -> None:
    dictionary = Dictionary()
    terms = [term for triple in turtle(PREFIXES + text) for term in triple]
    unread = UnreadAxioms(dictionary, [rules])
    unread.adopt(dictionary.intern(terms).astype(np.int32).reshape(-1, 3))
    assert counts_in(unread.warnings(()), rules) == expected


def test_every_kind_has_a_case() -> None:
    assert {kind for expected in (UNREAD | UNREAD_BY_EL).values() for kind in expected} == {
        kind.predicate.rpartition("#")[2].rstrip(">") for kind in KINDS
    }


def test_the_words(tmp_path: Path) -> None:
    restriction = "[ owl:onProperty :p ; owl:someValuesFrom :D ]"
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(PREFIXES + f":B rdfs:subClassOf {restriction} . :A rdfs:subClassOf {restriction} .")
        graph.add(PREFIXES + ":q a owl:ReflexiveProperty .")
        expected = [
            "3 axioms have no effect, or only a part of it, under the rules of owl2rl: "
            "2 existential restrictions as a superclass (owl:someValuesFrom), for example "
            "(<http://e/p> some <http://e/D>) of <http://e/A>; "
            "1 reflexive property (owl:ReflexiveProperty), for example <http://e/q>"
        ]
        assert graph.warnings == expected
    for is_reader in (False, True):
        with KnowledgeGraph.open(tmp_path / "store", read_only=is_reader) as graph:
            assert graph.warnings == expected
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        with graph.what_if() as tx:
            tx.add(PREFIXES + ":r a owl:ReflexiveProperty .")
        assert graph.warnings == expected
        graph.remove(PREFIXES + ":q a owl:ReflexiveProperty .")
        assert counts(graph) == {"someValuesFrom": 2}


def test_a_commit_without_axioms_makes_no_warning_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(PREFIXES + ":q a owl:ReflexiveProperty .")
        before = graph.warnings
        monkeypatch.setattr(UnreadAxioms, "follow", None)
        monkeypatch.setattr(UnreadAxioms, "_warnings", None)
        graph.add(PREFIXES + ":a :q :b ; a :C .")
        assert graph.warnings == before != []


def test_only_the_rules_of_owl_nag(tmp_path: Path) -> None:
    text = PREFIXES + ":C owl:equivalentClass [ owl:onProperty :p ; owl:hasSelf true ] . :q a owl:ReflexiveProperty ."
    file = tmp_path / "self.dl"
    file.write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "[?x, a, ?c] :- [?c, owl:hasSelf, true], [?c, owl:onProperty, ?p], [?x, ?p, ?x] ."
    )
    for rules, expected in (
        (["rdfs", str(file)], {}),
        (["owl2rl"], {"hasSelf": 1, "ReflexiveProperty": 1}),
        (["owl2rl+has-self"], {"ReflexiveProperty": 1}),
        (["owl2rl", str(file)], {"ReflexiveProperty": 1}),
    ):
        with KnowledgeGraph.open(rules=rules) as graph:
            graph.add(text)
            assert counts(graph) == expected, rules


NAMED = [
    ":C rdfs:subClassOf :R .",
    ":R owl:onProperty :p .",
    ":R owl:someValuesFrom :S .",
    ":S owl:minCardinality 1 ; owl:onProperty :q .",
    ":S owl:complementOf :R .",
    ":l a owl:ReflexiveProperty .",
    ":C owl:disjointUnionOf :l .",
    ":a :p :b .",
]


@settings(max_examples=many(3))
@given(st.lists(st.tuples(st.sampled_from(["add", "remove", "what_if"]), st.sampled_from(NAMED)), max_size=7))
def test_a_history_has_the_warning_of_its_last_state(edits: list[tuple[str, str]]) -> None:
    with KnowledgeGraph.open() as graph, KnowledgeGraph.open() as scratch:
        present: set[str] = set()
        for kind, text in edits:
            if kind == "what_if":
                with graph.what_if() as tx:
                    tx.add(PREFIXES + text)
                continue
            getattr(graph, kind)(PREFIXES + text)
            (present.add if kind == "add" else present.discard)(text)
            if text.startswith(":S"):
                graph.warnings  # noqa: B018  # now the rows are merged
        scratch.add(PREFIXES + " ".join(sorted(present)))
        assert counts(graph) == counts(scratch)


def test_the_case_beyond_the_tables(shared_cases: Path) -> None:
    with KnowledgeGraph.open() as graph:
        graph.load(shared_cases / "30-beyond-the-tables" / "a.ttl")
        assert counts(graph) == {
            "someValuesFrom": 1,
            "minCardinality": 1,
            "cardinality": 1,
            "withRestrictions": 1,
            "disjointUnionOf": 1,
        }
