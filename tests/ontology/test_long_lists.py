"""Axioms with long lists: their rules, atoms and sources grow with the length, and no faster."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

from kgreason.ontology.reduce import shortcuts
from kgreason.ontology.reduce.shortcuts import StepGraph
from kgreason.ontology.translate.lists import LONG
from kgreason.ontology.translate.translate import LiveTranslation, place, translate
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Rule, Triple
from tests.tables import table

from .reading import turtle

AXIOMS = {
    "intersectionOf": ":C owl:intersectionOf _:l0 .",
    "unionOf": ":C owl:unionOf _:l0 .",
    "oneOf": ":C owl:oneOf _:l0 .",
    "hasKey": ":C owl:hasKey _:l0 .",
    "propertyChainAxiom": ":C owl:propertyChainAxiom _:l0 .",
    "disjointUnionOf": ":C owl:unionOf _:l0 . _:a a owl:AllDisjointClasses ; owl:members _:l0 .",
    "AllDisjointClasses": "_:a a owl:AllDisjointClasses ; owl:members _:l0 .",
    "AllDisjointProperties": "_:a a owl:AllDisjointProperties ; owl:members _:l0 .",
    "AllDifferent members": "_:a a owl:AllDifferent ; owl:members _:l0 .",
    "AllDifferent distinctMembers": "_:a a owl:AllDifferent ; owl:distinctMembers _:l0 .",
}


def schema(kind: str, count: int) -> set[Triple]:
    """An axiom with a list of `count` members."""
    rests = [f"_:l{number}" for number in range(1, count)] + ["rdf:nil"]
    cells = (f"_:l{number} rdf:first :m{number} ; rdf:rest {rest} ." for number, rest in enumerate(rests))
    return turtle(AXIOMS[kind] + " ".join(cells))


def size(rules: Iterable[Rule]) -> int:
    """How many heads, atoms and source triples rules have together."""
    return sum(len(rule.heads) + len(rule.body) + len(rule.sources) for rule in rules)


@table("kind", AXIOMS)
def test_the_rules_of_a_list_grow_with_its_length(kind: str) -> None:
    short, long = (size(translate(schema(kind, count), "owl2rl").rules) for count in (4 * LONG, 8 * LONG))
    assert long <= 2 * short


@pytest.mark.parametrize("kind", AXIOMS)
def test_one_member_more_changes_the_rules_of_its_own_cell_and_of_the_cells_beside_it(kind: str) -> None:
    live = LiveTranslation("owl2rl", UndoLog())
    before, after = schema(kind, 5 * LONG), schema(kind, 5 * LONG + 1)
    live.change((), before)
    change = live.change(before - after, after - before)
    assert len(change.removed) + len(change.added) + len(change.restated) < LONG
    scratch = translate(after, "owl2rl")
    assert live.rules == scratch.rules
    assert [rule.sources for rule in live.rules] == [rule.sources for rule in scratch.rules]
    assert live.kinds_walked == scratch.kinds_walked
    live.change(after - before, before - after)
    assert live.rules == translate(before, "owl2rl").rules


@table("kind", AXIOMS)
def test_a_rule_of_a_long_list_names_its_axiom_and_its_own_cells(kind: str) -> None:
    triples = schema(kind, 3 * LONG)
    cells = {triple for triple in triples if triple[0].startswith("_:l")}
    for rule in translate(triples, "owl2rl").rules:
        assert set(rule.sources) <= triples
        assert set(rule.sources) & (triples - cells)
        assert len(rule.sources) <= LONG


def test_the_place_of_a_list_axiom_does_not_depend_on_its_members() -> None:
    """So rules are sorted, and found again, without a look at each cell."""
    [one], [other] = (translate(schema("oneOf", count), "owl2rl").axioms for count in (3, 2 * LONG))
    assert place(one) == place(other)


def test_a_search_for_detours_does_not_look_at_all_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """At an intersection of n classes n steps start; each was compared with all others."""
    looks = itertools.count()
    is_alone = StepGraph._is_alone

    def counted(self: StepGraph[Rule], step: Rule, end: shortcuts.Key, start: shortcuts.Key) -> bool:
        next(looks)
        assert is_alone(self, step, end, start), "the walk would begin"
        return True

    monkeypatch.setattr(StepGraph, "_is_alone", counted)
    triples = schema("intersectionOf", 4 * LONG) | turtle(
        ":Sub rdfs:subClassOf :m1 , :m2 . :Low rdfs:subClassOf :Sub ."
    )
    assert len(translate(triples, "owl2rl").rules) > 4 * LONG
    assert next(looks) >= 4 * LONG
