"""A graph that is killed among its commits has those that it told of, and perhaps the next; all of it agrees.

The children make a series of commits of every kind (`series`) and tell the number of each. After every kill a copy of
the store is looked at, and the next child goes on in the store itself.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from bisect import bisect_right
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kgreason.engine.engine import Engine
from kgreason.graph import commits
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.program import LiveProgram
from kgreason.store.journal.journal import Journal
from tests.graph import series
from tests.store import interrupted
from tests.volume import many

from .series import ENDS, SERIES
from .views import View, agrees, lasting, view

STEPS = (
    *interrupted.STEPS,
    (Journal, "append"),
    (Journal, "reset"),
    (Materializer, "change"),
    (Materializer, "accept"),
    (LiveProgram, "accept"),
    (Engine, "accept"),
    (os, "write"),
)
"""What a commit does, by owner and name."""


@pytest.fixture(scope="module")
def states() -> list[View]:
    """What the graph shows after each commit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commits, "SMALL", series.SMALL)
        return series.states()


def go_on(store: Path, kill_at: int | None, most: int, messages: Connection) -> None:
    """Make the next commits of the series, at most so many calls, in a child that may kill itself ahead of a step.

    It tells that it begins, then the number of the last commit whenever that has changed, then the steps it took.
    """
    series.often()
    names: list[str] = []

    def reached(name: str) -> None:
        if len(names) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        names.append(name)

    messages.send(0)
    with KnowledgeGraph.open(store) as graph:
        first = bisect_right(ENDS, graph._home.last)
        with interrupted.steps(reached, STEPS):
            for step in SERIES[first : first + most]:
                step.whole(graph)
                messages.send(graph._home.last)
    messages.send(names)


class Run(NamedTuple):
    """What became of a child: the last commit it told of, whether it was killed; its steps, if not; seconds."""

    told: int
    was_killed: bool
    steps: list[str]
    seconds: float


def run(store: Path, *, kill_at: int | None = None, kill_after: float | None = None, most: int = len(SERIES)) -> Run:
    with interrupted.started(go_on, store, kill_at, most) as (child, messages):
        messages.recv()
        begun = time.perf_counter()
        if kill_after is not None:
            time.sleep(kill_after)
            child.kill()
        child.join()
        seconds, received = time.perf_counter() - begun, list[Any]()
        with suppress(EOFError):
            while True:
                received.append(messages.recv())
        assert child.exitcode in (0, -signal.SIGKILL)
        steps = received.pop() if received and isinstance(received[-1], list) else []  # also of a child killed after it
        return Run(received[-1] if received else 0, child.exitcode != 0, steps, seconds)


def inspect(store: Path, told: int, states: list[View]) -> int:
    """The number of the last commit of a store that was killed: everything is as after that one, and goes on.

    It is that which was told of last, or one of the call which was being made.
    """
    with KnowledgeGraph.open(store) as graph:
        last = graph._home.last
        assert told <= last <= ENDS[min(bisect_right(ENDS, told), len(ENDS) - 1)]
        assert lasting(view(graph)) == states[last]
        assert agrees(graph)
        with graph.transaction() as tx:
            tx.add("<http://e/new> <http://e/p> <http://e/x0> . <http://e/g> { <http://e/new> a <http://e/A0> }")
        assert (tx.delta.commit, len(tx.delta.quads(added=True))) == (last + 1, 2)
        after = view(graph)
        assert agrees(graph)
    with KnowledgeGraph.open(store, read_only=True) as graph:
        assert lasting(view(graph)) == lasting(after)
    return last


def kill_at_random(folder: Path, times: int, states: list[View]) -> None:
    """Kills at moments spread over the time that a dozen commits take, opening included; then the series goes on."""
    store, draw, killed, reached = folder / "store", random.Random(times), 0, 0
    most = run(folder / "measure").seconds / 4
    while killed < times:
        done = run(store, kill_after=draw.uniform(0, most))
        killed += done.was_killed
        shutil.copytree(store, folder / "copy") if store.exists() else (folder / "copy").mkdir()
        reached = inspect(folder / "copy", max(done.told, reached), states)
        shutil.rmtree(folder / "copy")
        if reached not in ENDS[:-1]:  # the series is at its end, or in the middle of an update
            shutil.rmtree(store)
            reached = 0


def test_kills_at_random_moments(tmp_path: Path, states: list[View]) -> None:
    kill_at_random(tmp_path, many(25), states)


def kill_ahead_of_steps(folder: Path, name: str, states: list[View]) -> None:
    """Kill one call of the series ahead of its steps, the first of several alike: it is there from some step on."""
    number = [step.name for step in SERIES].index(name) + len(SERIES) // series.ROUNDS  # in the second round
    before = ENDS[number - 1]
    run(folder / "base", most=number)
    shutil.copytree(folder / "base", folder / "count")
    steps = run(folder / "count", most=1).steps
    found = []
    for kill_at in [at for at, name in enumerate(steps) if name not in steps[at - 1 : at]]:
        store = folder / str(kill_at)
        shutil.copytree(folder / "base", store)
        assert run(store, kill_at=kill_at, most=1).was_killed
        found.append(inspect(store, before, states))
        shutil.rmtree(store)
    assert found == sorted(found)
    assert (found[0], found[-1]) == (before, ENDS[number])


@pytest.mark.parametrize(
    "name", ["a fact", "rules", "a SPARQL update", "many facts", "named graphs", "everything at once"]
)
def test_kills_ahead_of_every_step(tmp_path: Path, states: list[View], name: str) -> None:
    kill_ahead_of_steps(tmp_path, name, states)
