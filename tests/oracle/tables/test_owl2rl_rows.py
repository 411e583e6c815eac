"""Every row of the W3C tables on a case worked out by hand, that of the rule: all that the row says of it."""

from __future__ import annotations

from tests.oracle import owl2rl
from tests.oracle.graph import Contradiction, Graph
from tests.oracle.notation import triples
from tests.rules.rule_cases import FALSE, OWL2RL
from tests.tables import table

ZERO = '"0"^^xsd:nonNegativeInteger'

ROWS = {
    **{name: case for name, case in OWL2RL.items() if case[1] != FALSE},
    "dt-type2": (
        'p rdfs:range xsd:integer . i p "1.0"^^xsd:decimal . i p "1.5"^^xsd:decimal . i p "1"',
        '"1.0"^^xsd:decimal rdf:type xsd:integer',
    ),
    "dt-eq": (
        'i p "1"^^xsd:integer . j p "1.0"^^xsd:decimal . k p "2"^^xsd:integer . i p "1" . i p "1"^^xsd:boolean',
        """"1"^^xsd:integer owl:sameAs "1"^^xsd:integer . "1"^^xsd:integer owl:sameAs "1.0"^^xsd:decimal .
        "1.0"^^xsd:decimal owl:sameAs "1"^^xsd:integer . "1.0"^^xsd:decimal owl:sameAs "1.0"^^xsd:decimal""",
    ),
    "dt-diff": (
        """"1"^^xsd:integer owl:sameAs "2"^^xsd:integer . "1"^^xsd:integer owl:sameAs "01"^^xsd:integer .
        "1" owl:sameAs i . "3"^^xsd:integer owl:sameAs "a"^^xsd:integer""",
        '"1"^^xsd:integer owl:differentFrom "2"^^xsd:integer',
    ),
}

CHECKS = {
    "eq-diff1": ("", "i owl:sameAs j . i owl:differentFrom j", "i owl:differentFrom k . j owl:sameAs k"),
    "eq-diff2": (
        "x rdf:type owl:AllDifferent . x owl:members _:l",
        "j owl:sameAs k",
        "LIST _:l i j k . k owl:sameAs j . i owl:sameAs m",
    ),
    "eq-diff3": (
        "x rdf:type owl:AllDifferent . x owl:distinctMembers _:l",
        "i owl:sameAs k",
        "LIST _:l i j k . k owl:sameAs i . y owl:distinctMembers _:m . LIST _:m i k",
    ),
    "prp-irp": ("p rdf:type owl:IrreflexiveProperty", "i p i", "i p j . i q i"),
    "prp-asyp": ("p rdf:type owl:AsymmetricProperty", "i p j . j p i", "i p k . k q i"),
    "prp-pdw": ("p owl:propertyDisjointWith q", "i p j . i q j", "j p i . i r j"),
    "prp-adp": (
        "x rdf:type owl:AllDisjointProperties . x owl:members _:l",
        "i p j . i r j",
        "LIST _:l p q r . i q k . j r i",
    ),
    "prp-npa1": (
        "x owl:sourceIndividual i . x owl:assertionProperty p . x owl:targetIndividual j",
        "i p j",
        "j p i . i q j",
    ),
    "prp-npa2": (
        'x owl:sourceIndividual i . x owl:assertionProperty p . x owl:targetValue "1"',
        'i p "1"',
        'i p "2" . j p "1"',
    ),
    "cls-nothing2": ("", "i rdf:type owl:Nothing", "j rdf:type owl:Thing"),
    "cls-com": ("A owl:complementOf B", "i rdf:type A . i rdf:type B", "j rdf:type A . k rdf:type B"),
    "cls-maxc1": (
        f"A owl:maxCardinality {ZERO} . A owl:onProperty p",
        "i rdf:type A . i p j",
        "i q j . j p i . k rdf:type A",
    ),
    "cls-maxqc1": (
        f"A owl:maxQualifiedCardinality {ZERO} . A owl:onProperty p . A owl:onClass B",
        "i rdf:type A . i p j . j rdf:type B",
        "i p k . i q m . m rdf:type B",
    ),
    "cls-maxqc2": (
        f"A owl:maxQualifiedCardinality {ZERO} . A owl:onProperty p . A owl:onClass owl:Thing",
        "i rdf:type A . i p j",
        "i q j . j p i . k rdf:type A",
    ),
    "dt-not-type": (
        "",
        '"300"^^xsd:integer rdf:type xsd:byte',
        '"3"^^xsd:integer rdf:type xsd:byte . i rdf:type xsd:byte',
    ),
    "cax-dw": ("A owl:disjointWith B", "i rdf:type A . i rdf:type B", "j rdf:type A . k rdf:type B"),
    "cax-adc": (
        "x rdf:type owl:AllDisjointClasses . x owl:members _:l",
        "i rdf:type A . i rdf:type C",
        "LIST _:l A B C . j rdf:type B . i rdf:type D",
    ),
}


def test_every_row_has_its_case() -> None:
    assert ROWS.keys() == owl2rl.ROWS.keys()
    assert CHECKS.keys() == owl2rl.CHECKS.keys()


@table("row", ROWS)
def test_a_row_says_exactly_this(row: str) -> None:
    given, expected = ROWS[row]
    graph = Graph(triples(given))
    owl2rl.saturate(graph, [owl2rl.ROWS[row]])
    assert graph.triples == triples(given) | triples(expected)


@table("row", CHECKS)
def test_a_check_finds_exactly_this(row: str) -> None:
    axioms, facts, beside = CHECKS[row]
    graph = Graph(triples(axioms) | triples(facts) | triples(beside))
    expected = Contradiction(row, frozenset(triples(axioms)), frozenset(triples(facts)))
    assert {found for found in owl2rl.CHECKS[row](graph) if found.facts == expected.facts} == {expected}
    for fact in expected.facts:
        assert not list(owl2rl.CHECKS[row](Graph(graph.triples - {fact})))
