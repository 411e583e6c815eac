"""Lists that break: one warning each, no rule, and the repair brings the rules."""

from __future__ import annotations

import pytest

from kgreason.ontology.read.lists import Fault, RdfList, read_list
from kgreason.ontology.read.schema import Schema
from kgreason.ontology.translate.translate import translate
from tests.tables import table

from .reading import turtle

CELL = "_:l rdf:first :A ; rdf:rest _:m ."
FAULTS = {
    "no cell": ("", "_:l", "rdf:first is missing"),
    "no rest": ("_:l rdf:first :A .", "_:l", "rdf:rest is missing"),
    "no first": (CELL + "_:m rdf:rest rdf:nil .", "_:m", "rdf:first is missing"),
    "two firsts": (CELL + "_:m rdf:first :B , :C ; rdf:rest rdf:nil .", "_:m", "2 values of rdf:first"),
    "two rests": (CELL + "_:m rdf:first :B ; rdf:rest rdf:nil , _:n .", "_:m", "2 values of rdf:rest"),
    "a cycle": (CELL + "_:m rdf:first :B ; rdf:rest _:l .", "_:l", "the list runs in a circle"),
    "a loop": (CELL + "_:m rdf:first :B ; rdf:rest _:m .", "_:m", "the list runs in a circle"),
    "a literal": ('_:l rdf:first :A ; rdf:rest "end" .', '"end"', "rdf:first is missing"),
}
KINDS = {
    "intersectionOf": ":N owl:intersectionOf _:l .",
    "unionOf": ":N owl:unionOf _:l .",
    "oneOf": ":N owl:oneOf _:l .",
    "hasKey": ":N owl:hasKey _:l .",
    "propertyChainAxiom": ":N owl:propertyChainAxiom _:l .",
    "AllDisjointClasses": ":N a owl:AllDisjointClasses ; owl:members _:l .",
    "distinctMembers": ":N a owl:AllDifferent ; owl:distinctMembers _:l .",
}


@pytest.mark.parametrize("kind", KINDS)
@table(("cells", "where", "problem"), FAULTS.values())
def test_fault(kind: str, cells: str, where: str, problem: str) -> None:
    translation = translate(turtle(KINDS[kind] + cells), "owl2rl")
    assert not translation.rules
    (warning,) = translation.warnings
    axiom = f"the <http://www.w3.org/2002/07/owl#{kind}> of <http://e/N>"
    if problem.startswith("2 values"):  # generic rules read it
        assert warning == f"forked list at {where}: {problem}; {axiom} is read with each of these values"
    else:
        assert warning == f"broken list at {where}: {problem}; {axiom} yields no rule"


def test_a_broken_list_breaks_its_own_axiom_only() -> None:
    schema = ":N owl:unionOf _:l ; rdfs:subClassOf :M . :K owl:unionOf ( :A :B ) . _:l rdf:first :A ."
    translation = translate(turtle(schema), "owl2rl")
    assert len(translation.warnings) == 1
    assert [rule.name for rule in translation.rules] == ["cls-uni", "cls-uni", "cax-sco"]


def test_two_broken_axioms_are_two_warnings() -> None:
    translation = translate(turtle(":N owl:unionOf _:l . :M owl:oneOf _:l , _:m ."), "owl2rl")
    assert len(translation.warnings) == 3


def test_repair_restores_the_rules() -> None:
    broken = turtle(":N owl:unionOf _:l ." + CELL + "_:m rdf:first :B .")
    repaired = broken | turtle("_:m rdf:rest rdf:nil .")
    assert translate(broken, "owl2rl").warnings
    translation = translate(repaired, "owl2rl")
    assert not translation.warnings
    assert len(translation.rules) == 2


def test_repeated_members_stay() -> None:
    found = read_list(Schema(turtle(CELL + "_:m rdf:first :A ; rdf:rest rdf:nil .")), "_:l")
    assert isinstance(found, RdfList)
    assert found.members == ("<http://e/A>", "<http://e/A>")
    assert len(found.triples) == 4


def test_a_fault_knows_the_cells_it_visited() -> None:
    found = read_list(Schema(turtle(CELL)), "_:l")
    assert isinstance(found, Fault)
    assert found.cells == ("_:l", "_:m")
