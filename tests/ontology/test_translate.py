"""Passes, sources, determinism, and the ontologies of the shared data."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kgreason.ontology.read.schema import is_schema
from kgreason.ontology.reduce.statements import statement
from kgreason.ontology.translate.translate import normalise, translate, translate_axiom
from kgreason.rules.canonical_form import canonical
from tests.oracle import datalog

from .pipeline import GENERIC, facts, triples
from .reading import document, ontologies, rules, translated, turtle

BOTH_WAYS = ":C owl:disjointWith :D . :D owl:disjointWith :C . :C owl:equivalentClass :D ; rdfs:subClassOf :D , :C ."


def test_tautologies_go_and_the_first_of_equals_stays() -> None:
    translation = translate(turtle(BOTH_WAYS), "owl2rl")
    every = [rule for axiom in translation.axioms for rule in translate_axiom(axiom, "owl2rl")]
    assert [len(every), len(normalise(every))] == [6, 5]
    expected = """@rule cax-eqc1 [?x, a, :D] :- [?x, a, :C] . @rule cax-eqc2 [?x, a, :C] :- [?x, a, :D] .
        @rule cax-dw false :- [?x, a, :C], [?x, a, :D] ."""
    assert translated(BOTH_WAYS) == rules(expected)


def test_rules_are_canonical() -> None:
    found = translate(turtle(BOTH_WAYS), "owl2rl").rules
    assert [canonical(rule) for rule in found] == list(found)


def test_rules_of_one_shape_are_one_whatever_their_variables() -> None:
    """prp-dom and cls-svf2 write the same rule with other variables."""
    schema = ":p rdfs:domain _:r . _:r owl:onProperty :p ; owl:someValuesFrom owl:Thing ."
    assert translated(schema) == rules("@rule prp-dom [?x, a, _:r] :- [?x, :p, ?y] .")


def test_a_rule_carries_the_triples_of_its_axiom() -> None:
    schema = turtle(
        """:p owl:propertyChainAxiom _:l . _:l rdf:first :q ; rdf:rest _:m . _:m rdf:first :r ; rdf:rest rdf:nil .
        [] a owl:AllDifferent ; owl:members _:m ."""
    )
    chain, *_ = translate(schema, "owl2rl").rules
    expected = {triple for triple in schema if triple[0] in ("<http://e/p>", "_:l", "_:m")}
    assert chain.name == "prp-spo2"
    assert set(chain.sources) == expected


def test_a_restriction_has_both_its_triples_as_sources() -> None:
    schema = turtle("_:r a owl:Restriction ; owl:onProperty :p ; owl:onClass :C ; owl:maxQualifiedCardinality 1 .")
    rules = translate(schema, "owl2rl").rules
    assert {rule.name for rule in rules} == {"cls-maxqc3", "cls-maxqc3-literals"}
    for rule in rules:
        assert set(rule.sources) == set(filter(is_schema, schema))
        assert len(rule.sources) == 3


def test_order_of_triples_does_not_matter() -> None:
    schema = sorted(
        turtle(BOTH_WAYS + ":p rdfs:domain :C , :D ; a owl:TransitiveProperty . :C owl:unionOf ( :A :B ) .")
    )
    shuffled = random.Random(1).sample(schema, len(schema))
    one, other = translate(schema, "owl2rl"), translate(shuffled, "owl2rl")
    assert (one.rules, one.axioms, one.warnings) == (other.rules, other.axioms, other.warnings)
    assert [rule.sources for rule in one.rules] == [rule.sources for rule in other.rules]


def test_lubm_is_about_a_hundred_rules(shared_data: Path) -> None:
    asserted = filter(is_schema, document(shared_data / "lubm" / "univ-bench.owl"))
    closed = triples(datalog.close(facts(asserted), GENERIC["owl2rl"].closing))
    translation = translate(closed, "owl2rl")
    every = [rule for axiom in translation.axioms for rule in translate_axiom(axiom, "owl2rl")]
    assert [len(every), len({statement(rule) for rule in normalise(every)}), len(translation.rules)] == [122, 110, 107]
    assert not translation.warnings


def test_the_shared_ontologies_translate(shared_data: Path) -> None:
    for path in ontologies(shared_data):
        graph = document(path)
        for profile in ("rhodf", "rdfs", "owl2rl"):
            translation = translate(graph, profile)
            assert translation.rules, path.name
            assert not translation.warnings, path.name
            assert all(set(rule.sources) <= graph for rule in translation.rules)


@pytest.mark.parametrize(
    ("ontology", "names"),
    [
        ("foaf.nq.gz", {"prp-ifp", "prp-fp", "cax-dw", "prp-inv1", "cax-eqc1"}),
        ("skos.nq.gz", {"prp-symp", "prp-trp", "cls-uni", "prp-rng"}),
        ("prov.nq.gz", {"prp-spo2", "cls-maxc1", "cls-uni"}),
        ("org.nq.gz", {"prp-key", "cls-int1", "cls-avf", "prp-spo2"}),
        ("pizza.owl.gz", {"cls-svf1", "cls-hv1", "cls-oo", "cls-com", "eq-diff3", "cls-avf"}),
    ],
)
def test_what_ontologies_use(shared_data: Path, ontology: str, names: set[str]) -> None:
    found = translate(document(shared_data / "ontologies" / ontology), "owl2rl").rules
    assert names <= {rule.name for rule in found}
