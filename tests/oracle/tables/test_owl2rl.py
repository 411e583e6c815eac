"""The OWL 2 RL oracle: laws of its closures, ontologies worked out by hand, and owlrl."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import owl2rl
from tests.oracle.graph import Triple
from tests.oracle.notation import triples
from tests.oracle.vocabulary import DATATYPE, DIFFERENT_FROM, SAME_AS, TYPE
from tests.strategies.ontologies import graphs
from tests.tables import table


def additions(text: str) -> set[Triple]:
    """What the closure adds to the triples."""
    return owl2rl.close(triples(text))[0] - triples(text)


def false_rows(text: str) -> set[str]:
    """The names of the rows that derive false."""
    return {contradiction.rule for contradiction in owl2rl.close(triples(text))[1]}


@given(graphs(), st.sampled_from(sorted(owl2rl.NOISE)))
def test_a_closure_is_closed_and_a_switch_only_adds(graph: set[Triple], noisy: str) -> None:
    closure, contradictions = owl2rl.close(graph)
    assert graph <= closure
    assert owl2rl.close(closure) == (closure, contradictions)
    more, more_contradictions = owl2rl.close(graph, noise=[noisy])
    assert closure <= more
    assert contradictions <= more_contradictions


@given(graphs())
def test_the_facts_of_a_contradiction_are_in_the_closure(graph: set[Triple]) -> None:
    closure, contradictions = owl2rl.close(graph)
    for contradiction in contradictions:
        parts = contradiction.axioms | contradiction.facts
        assert {(s, p, o) for s, p, o in parts if (p, s) != (SAME_AS, o)} <= closure


def test_scm_svf1_makes_members_that_no_data_rule_makes() -> None:
    text = """A rdfs:subClassOf r . r owl:someValuesFrom Team . r owl:onProperty p . Team rdfs:subClassOf Group .
              s owl:someValuesFrom Group . s owl:onProperty p . s rdfs:subClassOf Member . i rdf:type A"""
    assert triples("r rdfs:subClassOf s . i rdf:type Member") <= additions(text)
    without, _ = owl2rl.close(triples(text), without=["scm-svf1"])
    assert not triples("i rdf:type Member") & without


def test_a_literal_becomes_a_subject_and_is_used() -> None:
    text = "p owl:inverseOf q . q rdfs:domain A . A rdfs:subClassOf B"
    assert additions(f'{text} . i p "01"^^xsd:integer') >= triples(
        '"01"^^xsd:integer q i . "01"^^xsd:integer rdf:type A . "01"^^xsd:integer rdf:type B'
    )


def test_a_blank_predicate_carries_a_chain() -> None:
    text = "_:q owl:inverseOf p . r owl:propertyChainAxiom _:l . LIST _:l _:q q . j p i . j q k"
    assert additions(text) == triples("i _:q j . i r k")


def test_equal_keys_make_equal_individuals_whose_triples_are_shared() -> None:
    text = 'A owl:hasKey _:l . LIST _:l p . i rdf:type A . j rdf:type A . i p "1" . j p "1" . i q k'
    assert additions(text) == triples("i owl:sameAs j . j owl:sameAs i . j q k")


def test_an_equal_class_stands_in_a_list_too() -> None:
    text = "A owl:intersectionOf _:l . LIST _:l B C . B owl:sameAs D . i rdf:type D . i rdf:type C"
    assert triples("i rdf:type A . A rdfs:subClassOf D") <= additions(text)


def test_a_property_that_data_makes_transitive() -> None:
    text = "Kind rdfs:subClassOf owl:TransitiveProperty . p rdf:type Kind . i p j . j p k"
    assert additions(text) == triples("p rdf:type owl:TransitiveProperty . i p k")


def test_reflexive_equality_is_noise_unless_it_is_asserted() -> None:
    text = "p rdf:type owl:FunctionalProperty . i p j . k owl:sameAs k"
    assert additions(text) == set()
    assert triples("i owl:sameAs i . j owl:sameAs j . p owl:sameAs p") <= owl2rl.close(triples(text), noise=True)[0]


def test_nothing_differs_from_itself() -> None:
    assert false_rows("i owl:differentFrom i") == {"eq-diff1"}
    assert false_rows("x rdf:type owl:AllDifferent . x owl:members _:l . LIST _:l i j i") == {"eq-diff2"}
    assert false_rows("i owl:differentFrom j") == set()


LISTED = {
    "eq-diff2": ("AllDifferent", "members", "{} owl:sameAs {}"),
    "eq-diff3": ("AllDifferent", "distinctMembers", "{} owl:sameAs {}"),
    "prp-adp": ("AllDisjointProperties", "members", "x {} y . x {} y"),
    "cax-adc": ("AllDisjointClasses", "members", "x rdf:type {} . x rdf:type {}"),
}


@table("row", LISTED)
def test_each_two_members_of_a_list_exclude_each_other(row: str) -> None:
    kind, predicate, facts = LISTED[row]
    text = f"z rdf:type owl:{kind} . z owl:{predicate} _:l . LIST _:l i j k"
    for pair in permutations("ijk", 2):
        assert row in false_rows(f"{text} . {facts.format(*pair)}")


def test_a_broken_list_says_nothing() -> None:
    assert additions("A owl:unionOf _:l . _:l rdf:first B . i rdf:type B") == set()


FAMILY = """
Parent owl:equivalentClass r . r owl:someValuesFrom Person . r owl:onProperty child . child owl:inverseOf parent .
child rdfs:domain Person . child rdfs:range Person . ancestor rdf:type owl:TransitiveProperty .
parent rdfs:subPropertyOf ancestor . mother rdfs:subPropertyOf parent . mother rdf:type owl:FunctionalProperty .
grand owl:propertyChainAxiom _:l . LIST _:l parent parent . spouse rdf:type owl:SymmetricProperty .
Child owl:unionOf _:m . LIST _:m Son Daughter . Twin owl:intersectionOf _:n . LIST _:n Child Person .
ann child bob . cid mother bea . cid mother liz . cid parent ann . bob rdf:type Son . bob spouse eve . liz parent old .
Lonely owl:hasValue eve . Lonely owl:onProperty spouse . Son rdfs:subClassOf s . s owl:allValuesFrom Man .
s owl:onProperty brother . bob brother cid . One owl:oneOf _:o . LIST _:o ann . Person rdfs:subClassOf Being
"""


def test_a_family_as_owlrl_sees_it() -> None:
    owlrl = pytest.importorskip("owlrl", reason="owlrl is not installed")
    rdflib = pytest.importorskip("rdflib", reason="rdflib is not installed")
    graph = rdflib.Graph()
    graph.parse(data="".join(f"{s} {p} {o} .\n" for s, p, o in triples(FAMILY)), format="nt")
    blank = {node for node in graph.all_nodes() if isinstance(node, rdflib.BNode)}
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics, axiomatic_triples=False, datatype_axioms=False).expand(graph)
    theirs = {(s.n3(), p.n3(), o.n3()) for s, p, o in graph if not {s, p, o} & blank}
    ours, _ = owl2rl.close(triples(FAMILY), noise=True, without=owl2rl.TABLE_8)
    ours = {triple for triple in ours if not any(term.startswith("_:") for term in triple)}
    datatypes = {s for s, p, o in theirs if (p, o) == (TYPE, DATATYPE)} | {DATATYPE}
    assert all(s in datatypes for s, _, _ in theirs - ours), "owlrl adds triples about datatypes"
    assert all(s == o for s, _, o in ours - theirs), "and leaves out some reflexive ones"


def test_differences_are_reported_with_both_facts() -> None:
    (found_one,) = owl2rl.close(triples("i owl:sameAs j . i owl:differentFrom j"), without=owl2rl.ROWS)[1]
    assert {p for _, p, _ in found_one.facts} == {SAME_AS, DIFFERENT_FROM}
