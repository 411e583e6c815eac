"""The number of threads is no part of the result: rows, queue, stamps, supports and counts are those of one thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgreason.engine.changes import Strategy
from kgreason.engine.circuit import Circuit
from kgreason.engine.crew import crew
from kgreason.engine.memory import layout as at
from kgreason.engine.program.planner import Planner
from kgreason.errors import LimitError
from kgreason.rules.model import Atom
from kgreason.zset.columns import Int32
from tests.engine.commits.test_budget import EXPLODING, NODES
from tests.engine.commits.test_histories import MIXTURES, Mixture, check_history, check_rollback
from tests.engine.crews import crews
from tests.engine.parts.arrangements import check
from tests.engine.parts.test_growth import commits
from tests.engine.paths import JOIN, STEP, chain
from tests.engine.small_rooms import filled_by_comparing, small_quantum, small_rooms
from tests.engine.systems import System
from tests.histories.history import History
from tests.strategies.programs import histories
from tests.volume import many


def stored(system: System) -> tuple[Int32, Int32, int, list[list[int]]]:
    """All rows in their order, the queue, the rewrites, and the costs of the rules."""
    circuit = system.engine._circuit
    rows = circuit.memory["rows"][: circuit.block[at.N_ROWS]].copy()
    return rows, circuit.queued_rows(0), circuit.rewrites, circuit.costs.tolist()


def assert_same(system: System, other: System) -> None:
    check(system.engine._circuit)
    (rows, queue, *counts), (other_rows, other_queue, *other_counts) = stored(system), stored(other)
    assert counts == other_counts
    kept = min(len(queue), len(other_queue))  # a large commit may cut the array at its end
    assert np.array_equal(queue[:kept], other_queue[:kept])
    assert np.array_equal(rows, other_rows)


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize(("threads", "heads", "rows", "chunks"), [(2, 1 << 15, 64, 1 << 12), (3, 16, 5, 7)])
def test_a_closure_does_not_depend_on_threads(
    bootstrap: bool, threads: int, heads: int, rows: int, chunks: int
) -> None:
    alone = commits(bootstrap)
    with crews(threads, heads, rows, chunks):
        assert_same(commits(bootstrap), alone)


def check_same(history: History, threads: int, heads: int, mixture: Mixture) -> None:
    alone = System()
    with crews(threads, heads, rows=2, chunks=5):
        divided = System()
    for commit, (strategy, _) in zip(history, mixture, strict=False):
        alone.engine.commit(*alone.wishes(*commit), strategy=strategy)
        with crews(threads, heads, rows=2, chunks=5):
            divided.engine.commit(*divided.wishes(*commit), strategy=strategy)
        assert_same(divided, alone)


@settings(max_examples=many(250))
@given(histories(), st.integers(2, 3), st.sampled_from((16, 1 << 10)), MIXTURES)
def test_histories(history: History, threads: int, heads: int, mixture: Mixture) -> None:
    check_same(history, threads, heads, mixture)


PAIRS = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4)), max_size=30)


def asserted(parts: list[list[tuple[int, int]]], threads: int) -> Circuit:
    """A circuit in which the parts have been asserted one after the other, in the tables 0 and 1 in turns."""
    circuit = Circuit(Planner(), threads=threads)
    circuit.begin(is_update=False)
    for number, part in enumerate(parts):
        rows = np.array(part, dtype=np.int32).reshape(-1, 2)
        circuit.assert_rows(number % 2, np.insert(rows, 2, 10 + number % 2, axis=1), lambda: None)
    return circuit


@given(st.lists(PAIRS, max_size=4), st.integers(2, 3))
@example([[(1, 1), (1, 2), (2, 1), (1, 3)], [(1, 1)], [(3, 1), (1, 2), (3, 2)]], 2)  # a fact of an earlier call
@example([[(1, 1)] * 20 + [(1, 2), (1, 3)] * 3], 3)  # all workers have the same fact
def test_facts_that_are_asserted_twice(parts: list[list[tuple[int, int]]], threads: int) -> None:
    alone = asserted(parts, 1)
    with crews(threads, 16):
        divided = asserted(parts, threads)
    assert (
        len(divided.facts) == len(alone.facts) == len({(n % 2, *pair) for n, part in enumerate(parts) for pair in part})
    )
    for circuit in (divided, alone):
        assert np.array_equal(circuit.queued_rows(0), np.arange(len(circuit.facts)))
    rows, other_rows = (circuit.memory["rows"][: len(circuit.facts)] for circuit in (divided, alone))
    assert np.array_equal(rows, other_rows)
    keys = divided.memory["rows"][: len(divided.facts), at.FIRST :]
    assert np.array_equal(divided.facts.find(keys), np.arange(len(keys)))


@settings(max_examples=many(6))
@given(histories(), MIXTURES, st.integers(1, 40))
def test_a_rollback_at_any_point(history: History, mixture: Mixture, cancel_at: int) -> None:
    with crews(2, 16), small_quantum():
        check_rollback(history, mixture, cancel_at)


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
def test_a_rule_that_explodes_is_named(strategy: Strategy) -> None:
    with crews(2, rows=16):
        system = System()
        system.bootstrap([*NODES, *chain(20)], [STEP, JOIN])
        before = system.states()
        asserted, _, added, _ = system.wishes({Atom("node", ("<x>",)): 1}, {EXPLODING: 1})
        with pytest.raises(LimitError, match=r"budget of 50,000 rewrites, .* ran out, most of it in rule mine/pairs"):
            system.engine.commit(asserted, added=added, strategy=strategy, budget=50_000)
        assert system.states() == before


@pytest.mark.parametrize("is_queued", [True, False])
def test_where_no_thread_can_be_started_the_caller_does_all(monkeypatch: pytest.MonkeyPatch, is_queued: bool) -> None:
    def submit(work: Callable[[], object]) -> None:
        if is_queued:  # a pool queues the work before it finds that the system allows no more threads
            Thread(target=work).start()
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(crew, "_pool", lambda: SimpleNamespace(submit=submit))
    alone = commits(bootstrap=True)
    with crews(2, 100):
        assert_same(commits(bootstrap=True), alone)


@settings(max_examples=many(10))
@given(histories(), MIXTURES, st.booleans(), st.booleans())
def test_histories_in_small_rooms(history: History, mixture: Mixture, is_small: bool, is_compared: bool) -> None:
    filled = filled_by_comparing() if is_compared else nullcontext()
    with crews(2, 16), small_quantum(), small_rooms(16) if is_small else nullcontext(), filled:
        check_history(history, mixture)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_has_threads_of_its_own() -> None:
    with crews(2, 100):
        alone = commits(bootstrap=True)
        used = asserted([[(1, 1)]], 2)
        before = used.crew._other_workers()
        if not (child := os.fork()):
            assert_same(commits(bootstrap=True), alone)
            used.assert_rows(1, np.array([[7, 7, 7]], dtype=np.int32), lambda: None)
            assert len(used.facts) == 2
            os._exit(used.crew._other_workers()[0] is before[0])
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0


def test_engines_work_at_the_same_time() -> None:
    alone = commits(bootstrap=True)
    with crews(3, 100), ThreadPoolExecutor(2) as pool:
        for other in pool.map(lambda _: commits(bootstrap=True), range(4)):
            assert_same(other, alone)
