"""The whole suite of histories with 1, 2 and 3 threads: it passes, and every commit gives the same rows.

The histories are those of the other test modules: random facts and rules, and rules with NOT, aggregates, functions,
relations and keys. Compared are all rows with stamps and supports, in their order, and the costs of the rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine import circuit, update
from kgreason.engine.changes import Strategy
from kgreason.engine.engine import Engine
from kgreason.engine.memory import layout as at
from tests.aggregates import test_recursion as recursion
from tests.engine.commits.test_histories import CHECKS, MIXTURES, Mixture, check_history
from tests.engine.crews import crews
from tests.engine.small_rooms import small_quantum
from tests.histories import individuals
from tests.histories.following import run
from tests.histories.history import History
from tests.histories.individuals import MODES
from tests.histories.test_model import KINDS
from tests.relations import test_keyed_histories as keyed
from tests.strategies.counterexamples import COUNTEREXAMPLES
from tests.strategies.programs import histories
from tests.volume import many

THREADS = (1, 2, 3)
STRATEGIES: tuple[Strategy, ...] = ("update", "bootstrap", "auto")


def _keyed(seed: int, _: Strategy) -> None:
    with TemporaryDirectory() as folder:
        keyed.follow(seed, MODES[seed % 3], Path(folder, "store"))


SUITES: dict[str, Callable[[int, Strategy], None]] = {
    **{kind: lambda seed, strategy, kind=kind: run(seed, strategy, *KINDS[kind]) for kind in KINDS},  # type: ignore[misc]
    "individuals": lambda seed, _: individuals.run(seed, MODES[seed % 3], "data", "aggregates"),
    "recursion": recursion.follow,
    "keys": _keyed,
}


def commits(work: Callable[[], object], threads: int, heads: int, costs: bool = True) -> list[str]:
    """A digest of the engine after each commit that `work` makes with so many threads. `costs`: with those of rules."""
    found: list[str] = []
    accept = Engine.accept

    def noted(engine: Engine) -> None:
        accept(engine)
        circuit = engine._circuit
        rows = circuit.memory["rows"][: circuit.block[at.N_ROWS]]
        told = f"{engine._strategy} {engine._switched} {engine._spent} {circuit.spent} {vars(engine._forecasts)}"
        kept = circuit.costs.tobytes() if costs else b""
        found.append(hashlib.sha256(rows.tobytes() + kept + told.encode()).hexdigest())

    with crews(threads, heads, rows=2, chunks=5), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "accept", noted)
        work()
    return found


def check(work: Callable[[], object], heads: int = 16, costs: bool = True) -> None:
    """Do some work with 1, 2 and 3 threads, and compare the commits."""
    alone, *others = (commits(work, threads, heads, costs) for threads in THREADS)
    assert alone
    assert all(other == alone for other in others)


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite(suite: str) -> None:
    def work() -> None:
        for seed in range(12):
            SUITES[suite](10_000 + seed, STRATEGIES[seed % 3])

    check(work)


@pytest.mark.parametrize("place", range(len(CHECKS)))
@settings(max_examples=many(15))
@given(history=histories(), heads=st.sampled_from((16, 1 << 10)))
def test_random_histories(place: int, history: History, heads: int) -> None:
    check(lambda: CHECKS[place](history), heads)


def test_histories_that_misreadings_fail_on() -> None:
    def work() -> None:
        for history in COUNTEREXAMPLES.values():
            for each in CHECKS:
                each(history)

    check(work)


def check_near_limits(history: History, mixture: Mixture, fraction: float, quantum: int) -> None:
    """Updates go past their limits at many places; the choice does not depend on threads nor on the calls of kernels.

    The costs of rules are not compared: those of a dropped Update tell where it was when it was dropped.
    """

    def work() -> None:
        check_history(history, [("bootstrap", False), *[("auto", joins) for _, joins in mixture]])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(update, "FRACTION", fraction)
        patch.setattr(circuit, "_LEAST_FUEL", 1)
        alone = commits(work_in(10**6, work), 1, 16, costs=False)
        for threads in THREADS:
            assert commits(work_in(quantum, work), threads, 16, costs=False) == alone


def work_in(quantum: int, work: Callable[[], object]) -> Callable[[], None]:
    """The same work, with kernel calls of so many rewrites."""

    def done() -> None:
        with small_quantum(quantum):
            work()

    return done


@settings(max_examples=many(75))
@given(histories(), MIXTURES, st.sampled_from((0.2, 1.0, 5.0)), st.sampled_from((3, 10)))
def test_updates_near_their_limit(history: History, mixture: Mixture, fraction: float, quantum: int) -> None:
    check_near_limits(history, mixture, fraction, quantum)
