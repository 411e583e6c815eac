"""Facts that left return by their spare derivations: what is known is not searched, and what is unknown is.

`test_histories` counts the spare derivations again after every commit. `tests.oracle.commits.spares` says what late
stamps are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.circuit import Circuit
from kgreason.engine.level import returning
from kgreason.engine.memory import layout as at
from kgreason.engine.program.planner import Planner
from kgreason.errors import LimitError
from kgreason.rules.model import Atom
from kgreason.rules.parser import parse
from kgreason.zset.columns import Int32
from tests.engine.commits.test_histories import (
    AUTO,
    MIXTURES,
    ONE_COMMIT,
    UPDATES,
    Mixture,
    check_history,
    check_push_and_retract,
    check_rollback,
)
from tests.engine.crews import crews
from tests.engine.small_rooms import small_quantum, small_rooms
from tests.engine.systems import System, spare
from tests.histories.history import History
from tests.oracle.commits.spares import HISTORIES, Late
from tests.oracle.datalog import spares
from tests.oracle.scratch import Scratch, kinds
from tests.strategies.counterexamples import COUNTEREXAMPLES
from tests.strategies.programs import histories
from tests.volume import many


@contextmanager
def late() -> Iterator[None]:
    """Every fact that returns gets a late stamp."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(returning, "MANY", 0)
        patch.setattr(returning, "SHARE", 0)
        yield


@settings(max_examples=many(500))
@given(histories(), MIXTURES)
def test_late_stamps(history: History, mixture: Mixture) -> None:
    with late():
        check_history(history, mixture, Late)


@settings(max_examples=many(10))
@given(histories(), MIXTURES, st.integers(1, 40))
def test_late_stamps_are_undone(history: History, mixture: Mixture, cancel_at: int) -> None:
    with late(), small_quantum(), small_rooms():
        check_push_and_retract(history, Late)
        check_rollback(history, mixture, cancel_at, Late)


@settings(max_examples=many(10))
@given(histories(), MIXTURES, st.integers(2, 3))
def test_late_stamps_with_threads(history: History, mixture: Mixture, threads: int) -> None:
    with late(), crews(threads, 16):
        check_history(history, mixture, Late)


def check_late(history: History) -> None:
    check_history(history)
    with late():
        for mixture in (UPDATES, AUTO, ONE_COMMIT):
            check_history(history, mixture, Late)
        check_push_and_retract(history, Late)


@pytest.mark.parametrize("name", HISTORIES)
def test_histories_that_a_miscount_fails_on(name: str) -> None:
    check_late(HISTORIES[name])


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_histories_that_a_misreading_fails_on(name: str) -> None:
    check_late(COUNTEREXAMPLES[name])


def test_facts_return_by_a_search_where_a_late_stamp_would_be_too_large() -> None:
    with late(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(returning, "LAST", 0)
        check_history(HISTORIES["ReturnsOnce"])


def test_late_stamps_have_a_limit() -> None:
    """Two facts derive each other, and lose their reasons in turn: each late stamp could grow by the chain behind."""
    rules = parse("""
        p(?x) :- a(?x) . q(?x) :- b(?x) . p(?x) :- q(?x) . q(?x) :- p(?x) .
        r(?x) :- p(?x) . r(?y) :- r(?x), next(?x, ?y) .
    """).rules
    nodes = [f"<http://e/{i}>" for i in range(51)]
    a, b = (Atom(name, (nodes[0],)) for name in "ab")
    system = System()
    system.bootstrap([a, b, *(Atom("next", pair) for pair in pairwise(nodes))], rules)
    with late(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(returning, "LAST", 100 * at.ONE_LEVEL)
        for each in (a, b) * 10:
            system.commit({each: -1}, {}, "update")
            system.commit({each: 1}, {}, "update")
        assert 100 < max(state.stamp // at.ONE_LEVEL for state in system.states().values()) < 200


def forget(system: System, is_forgotten: Callable[[int], bool]) -> None:
    """Make the spare derivations of some facts unknown, as if the facts were evaluated elsewhere."""
    circuit = system.engine._circuit
    for row in circuit.facts.present_rows().tolist():
        if is_forgotten(row):
            state = circuit.memory["rows"][row, at.STATE]
            circuit.memory["rows"][row, at.STATE] = state & ~at.SPARE | at.UNKNOWN


def check_forgotten(history: History, every: int) -> None:
    """Facts and flags are right whatever is known, and what is known is right."""
    system, scratch = System(), Scratch()
    for commit in history:
        system.commit(*commit, "update")
        scratch.commit(*commit)
        states = system.states()
        assert kinds(states) == kinds(scratch.states)
        known = spares({fact: state.stamp for fact, state in states.items()}, scratch.rules)
        assert all(found in (None, known[fact]) for fact, found in system.spares().items())
        forget(system, lambda row: row % every == 0)


@settings(max_examples=many(20))
@given(histories(), st.integers(1, 3), st.booleans())
def test_facts_of_unknown_count_are_searched(history: History, every: int, are_late: bool) -> None:
    if are_late:
        with late():
            check_forgotten(history, every)
    else:
        check_forgotten(history, every)


@settings(max_examples=many(20))
@given(histories())
def test_a_search_finds_exactly_the_spare_derivations(history: History) -> None:
    """Each fact that is searched returns, and its spare derivations become its support."""
    run = Circuit.run_backward

    def check_search(circuit: Circuit, heads: Int32, check: Callable[[], object]) -> None:
        expected = list(map(spare, circuit.memory["rows"][heads, at.STATE].tolist()))
        run(circuit, heads, check)
        rows = circuit.memory["rows"][heads]
        assert all(expected)
        assert not (rows[:, at.STATE] & at.AGE == at.GONE).any()
        assert rows[:, at.SUPPORT].tolist() == expected

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Circuit, "run_backward", check_search)
        check_history(history)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("strategy", ["bootstrap", "update"])
def test_a_large_count_is_unknown(threads: int, strategy: str) -> None:
    rule, head = parse("p() :- q(?x) .").rules[0], Atom("p", ())
    facts = [Atom("q", (f"<http://e/{i}>",)) for i in range(at.MOST_SPARE + 40)]
    for n, expected in ((at.MOST_SPARE, at.MOST_SPARE), (at.MOST_SPARE + 1, None), (at.MOST_SPARE + 40, None)):
        with crews(threads, 64):
            system = System()
            if strategy == "bootstrap":
                system.bootstrap([head, *facts[:n]], [rule])
            else:
                system.update([head, facts[0]], [rule])
                system.update(facts[1:n])
        states, found = system.engine._circuit.memory["rows"][:, at.STATE], system.spares()
        assert found["p", ()] == expected
        if expected is None:
            assert (states & at.SPARE == at.UNKNOWN).sum() == 1, "a count that is unknown has one form"
        system.commit({head: -1}, {}, "update")
        assert system.states()["p", ()].support == n
        assert system.spares()["p", ()] == 0
        system.commit(dict.fromkeys(facts[:n], -1), {}, "update")
        assert system.states() == {}


def test_many_tables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at, "LAST_TABLE", 2)
    known = Planner()
    tables = [known.table(False, width) for width in (1, 2, 3)]
    with pytest.raises(LimitError, match="more than 3 different"):
        known.table(False, 4)
    assert [known.table(False, width) for width in (1, 2, 3)] == tables


def test_the_late_stamp_is_above_those_of_facts_that_remain() -> None:
    system = System()
    system.update([Atom("q", ("<http://e/a>",))], parse("p(?x) :- q(?x) . r(?x) :- p(?x) .").rules)
    assert returning.late_stamp(system.engine._circuit.block) == 3 * at.ONE_LEVEL
    system.commit({Atom("q", ("<http://e/a>",)): -1}, {}, "update")
    assert returning.late_stamp(system.engine._circuit.block) == at.ONE_LEVEL
    assert np.count_nonzero(system.engine._circuit.memory["rows"][:, at.STATE] & at.AGE) == 0
