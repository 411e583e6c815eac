"""Random histories: the engine, the model of change and evaluation from scratch agree after every commit.

    any strategy    facts, flags and delta are those of evaluation from scratch; stamp and support keep the invariants
    update          stamps and supports are those of the model, from whatever state the commit started
    bootstrap       stamps and supports are those of evaluation from scratch

What such histories catch is in `tests.oracle.misreadings`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine import update
from kgreason.engine.changes import Strategy
from tests.engine.commits.test_undo import Cancel, Cancelled
from tests.engine.small_rooms import small_quantum, small_rooms
from tests.engine.systems import System
from tests.histories.history import Commit, History
from tests.oracle.change import Model, difference
from tests.oracle.datalog import spares, violations
from tests.oracle.scratch import Scratch, additions, kinds, taken_back
from tests.strategies.counterexamples import COUNTEREXAMPLES
from tests.strategies.programs import histories
from tests.volume import many

Part: TypeAlias = tuple[Commit, Strategy]
Mixture: TypeAlias = Sequence[tuple[Strategy, bool]]

STRATEGIES: tuple[Strategy, ...] = ("update", "bootstrap", "auto")
UPDATES: Mixture = [("update", False)] * 6
AUTO: Mixture = [("auto", False)] * 6
ONE_COMMIT: Mixture = [("update", True)] * 6
AFTER_BOOTSTRAP: Mixture = [("bootstrap", False), *UPDATES]
MIXTURES = st.lists(st.tuples(st.sampled_from(STRATEGIES), st.booleans()), min_size=6, max_size=6)
"""For each commit its strategy, and whether it is one with the commit before."""


class Beside:
    """A system beside evaluation from scratch. Updates are also compared with `model`."""

    def __init__(self, model: type[Model] = Model) -> None:
        self.system, self.scratch, self._model = System(), Scratch(), model

    def commit(self, parts: Sequence[Part]) -> None:
        """One commit, part by part, and all that holds after it."""
        model = self._model(self.system.states(), self.scratch.rules)
        before = self.scratch.states
        self.system.engine.begin()
        for commit, strategy in parts:
            self.system.apply(*commit, strategy)
            self.scratch.commit(*commit)
            model.commit(*commit)
        assert self.system.changes() == difference(before, self.scratch.states)
        self.system.engine.accept()
        strategies = [strategy for _, strategy in parts]
        self.check()
        if set(strategies) == {"update"}:
            assert self.system.states() == model.states
        if strategies[-1] == "bootstrap":
            assert self.system.states() == self.scratch.states

    def check(self) -> None:
        """Facts, flags and invariants; the spare derivations are counted again."""
        states = self.system.states()
        assert kinds(states) == kinds(self.scratch.states)
        assert violations(states, self.scratch.rules) == []
        stamps = {fact: state.stamp for fact, state in states.items()}
        assert self.system.spares() == spares(stamps, self.scratch.rules)

    def roll_back(self, commit: Commit, strategy: Strategy, cancel_at: int) -> None:
        """A commit that is cancelled at some point, or runs to its end, and is rolled back."""
        states, rules, spare = self.system.states(), set(self.system.engine.rules), self.system.spares()
        self.system.engine.begin()
        with suppress(Cancelled):
            self.system.apply(*commit, strategy, Cancel(cancel_at))
        self.system.engine.rollback()
        assert (self.system.states(), set(self.system.engine.rules), self.system.spares()) == (states, rules, spare)


def check_history(history: History, mixture: Mixture = UPDATES, model: type[Model] = Model) -> None:
    beside = Beside(model)
    commits: list[list[Part]] = []
    for commit, (strategy, joins) in zip(history, mixture, strict=False):
        if joins and commits:
            commits[-1].append((commit, strategy))
        else:
            commits.append([(commit, strategy)])
    for parts in commits:
        beside.commit(parts)


def check_push_and_retract(history: History, model: type[Model] = Model) -> None:
    """What a commit would add, pushed and then retracted, leaves row, stamp and support as they were."""
    beside = Beside(model)
    for commit in history:
        before, push = (beside.system.states(), beside.system.spares()), additions(beside.scratch, commit)
        pushed = beside.system.commit(*push, "update")
        retracted = beside.system.commit(*taken_back(push), "update")
        assert (beside.system.states(), beside.system.spares()) == before
        assert retracted == {fact: (after, was) for fact, (was, after) in pushed.items()}
        beside.commit([(commit, "update")])


def check_rollback(
    history: History, mixture: Mixture = UPDATES, cancel_at: int = -1, model: type[Model] = Model
) -> None:
    """Commits are tried, and rolled back, before and after they are made."""
    beside = Beside(model)
    for commit, (strategy, is_last) in zip(history, mixture, strict=False):
        beside.roll_back(commit, strategy, cancel_at)
        beside.commit([(commit, "update")])
        beside.roll_back(history[-1 if is_last else 0], strategy, cancel_at)


def check_one_by_one(history: History) -> None:
    """One batch is one by one, for facts and flags."""
    batch, singly = System(), System()
    for commit in history:
        batch.commit(*commit, "update")
        for fact, sign in commit.facts.items():
            singly.commit({fact: sign}, {}, "update")
        for rule, sign in commit.rules.items():
            singly.commit({}, {rule: sign}, "update")
        assert kinds(singly.states()) == kinds(batch.states())


@settings(max_examples=many(500))
@given(histories())
def test_updates(history: History) -> None:
    check_history(history)


@settings(max_examples=many(500))
@given(histories(), MIXTURES, st.booleans())
def test_mixed_strategies(history: History, mixture: Mixture, is_small: bool) -> None:
    with small_rooms() if is_small else nullcontext():
        check_history(history, mixture)


@pytest.mark.parametrize("strategy", ["bootstrap", "auto"])
@settings(max_examples=many(10))
@given(history=histories())
def test_one_strategy(strategy: Strategy, history: History) -> None:
    check_history(history, [(strategy, False)] * 6)


@settings(max_examples=many(20))
@given(histories(), MIXTURES, st.sampled_from((0.2, 1.0, 5.0)))
def test_an_update_turns_into_a_bootstrap_at_any_point(history: History, mixture: Mixture, fraction: float) -> None:
    with pytest.MonkeyPatch.context() as patch, small_quantum():
        patch.setattr(update, "FRACTION", fraction)
        check_history(history, [("bootstrap", False), *[("auto", joins) for _, joins in mixture]])


@settings(max_examples=many(250))
@given(histories())
def test_push_and_retract(history: History) -> None:
    check_push_and_retract(history)


@settings(max_examples=many(250))
@given(histories(), MIXTURES, st.integers(1, 40))
def test_rollback(history: History, mixture: Mixture, cancel_at: int) -> None:
    with small_quantum():
        check_rollback(history, mixture, cancel_at)


@settings(max_examples=many(10))
@given(histories())
def test_one_batch_is_one_by_one(history: History) -> None:
    check_one_by_one(history)


def check_small_rooms(history: History) -> None:
    with small_rooms():
        check_history(history)


CHECKS: tuple[Callable[[History], None], ...] = (
    check_history,
    lambda history: check_history(history, AUTO),
    lambda history: check_history(history, ONE_COMMIT),
    lambda history: check_history(history, AFTER_BOOTSTRAP),
    check_small_rooms,
    check_push_and_retract,
    check_rollback,
    check_one_by_one,
)


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_histories_that_a_misreading_fails_on(name: str) -> None:
    for check in CHECKS:
        check(COUNTEREXAMPLES[name])
