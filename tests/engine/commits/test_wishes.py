"""Wishes that ask for nothing, and rules that two axioms yield."""

from __future__ import annotations

import pytest

from kgreason.engine.changes import Strategy
from kgreason.engine.program.encoding import encode
from kgreason.engine.program.shapes import EncodedRule
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.systems import System

X = Variable("x")
P, Q = Atom("p", ("<a>",)), Atom("q", ("<a>",))
RULE = Rule((Atom("q", (X,)),), (Atom("p", (X,)),))
KNOWN = {("p", ("<a>",)), ("q", ("<a>",))}


def with_rule() -> tuple[System, EncodedRule]:
    """A fact, and a rule that one axiom yields."""
    system = System()
    system.update([P], [RULE])
    return system, encode(RULE, system.engine._planner, system.intern)


def test_a_rule_that_two_axioms_yield_leaves_with_the_second() -> None:
    system, rule = with_rule()
    before = system.states()
    assert len(system.engine.commit({}, added=[rule]).rows) == 0
    assert len(system.engine.commit({}, removed=[rule]).rows) == 0
    assert system.states() == before, "its derivations are counted once, whatever its weight"
    assert len(system.engine.commit({}, removed=[rule]).rows) == 1
    assert system.states().keys() == KNOWN - {("q", ("<a>",))}


def test_a_rule_that_leaves_and_comes_in_one_commit_stays() -> None:
    system, rule = with_rule()
    before = system.states()
    assert len(system.engine.commit({}, added=[rule], removed=[rule], strategy="update").rows) == 0
    assert system.states() == before


def test_a_rule_that_is_not_there_cannot_leave() -> None:
    system, rule = with_rule()
    system.engine.commit({}, removed=[rule, rule])
    assert len(system.engine.commit({}, added=[rule]).rows) == 1
    assert system.states().keys() == KNOWN


def test_wishes_that_are_fulfilled_change_nothing() -> None:
    system, _ = with_rule()
    before = system.states()
    assert system.commit({P: 1, Q: -1}, {RULE: 1}) == {}
    assert system.states() == before


@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
def test_retracting_what_is_not_asserted_does_nothing(strategy: Strategy) -> None:
    """Neither for a fact that is absent nor for one that is inferred."""
    system, _ = with_rule()
    before = system.states()
    assert system.commit({Atom("p", ("<b>",)): -1, Q: -1}, {}, strategy) == {}
    assert system.states() == before
