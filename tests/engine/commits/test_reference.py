"""The engine and the specification circuit: one delta after every commit, and one level after the other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from kgreason.circuit.reference import ReferenceCircuit
from kgreason.engine.changes import Strategy
from kgreason.rules.canonical_form import canonical
from tests.engine.systems import System
from tests.histories.history import History
from tests.oracle.change import ABSENT
from tests.oracle.datalog import level_of, plain
from tests.strategies.counterexamples import COUNTEREXAMPLES
from tests.strategies.programs import histories
from tests.tables import table
from tests.volume import many

STRATEGIES: tuple[Strategy, ...] = ("update", "bootstrap")


def check_history(history: History, strategy: Strategy) -> None:
    """The circuit takes rules as they are written, so they are written in one way."""
    system, circuit = System(), ReferenceCircuit()
    for commit in history:
        rules = {canonical(rule): sign for rule, sign in commit.rules.items()}
        appeared = circuit.commit(commit.facts, rules)
        changes = system.commit(commit.facts, rules, strategy)
        presence = {fact: (before == ABSENT, after == ABSENT) for fact, (before, after) in changes.items()}
        assert {fact: was - now for fact, (was, now) in presence.items() if was != now} == {
            plain(fact): weight for fact, weight in appeared.items()
        }
        assert system.states().keys() == set(map(plain, circuit.facts()))
        if strategy == "bootstrap":
            levels = {plain(fact): number for number, level in enumerate(circuit.levels()) for fact in level}
            assert {fact: level_of(state.stamp) for fact, state in system.states().items()} == levels


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=many(125))
@given(history=histories())
def test_the_engine_is_the_circuit(strategy: Strategy, history: History) -> None:
    check_history(history, strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
@table("name", COUNTEREXAMPLES)
def test_where_a_misreading_fails(name: str, strategy: Strategy) -> None:
    check_history(COUNTEREXAMPLES[name], strategy)
