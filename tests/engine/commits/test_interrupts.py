"""Ctrl-C between any two steps of Python: a commit stands or is undone, and the engine goes on."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from random import Random
from types import FrameType
from typing import Any

import numpy as np
import pytest

from kgreason.engine.facts import table
from kgreason.engine.memory import blocks
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.crews import crews
from tests.engine.parts.arrangements import check
from tests.engine.systems import System
from tests.oracle.datalog import materialize, violations

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
EDGES = [Atom("edge", (f"<{number}>", f"<{number + 1}>")) for number in range(8)]
STEP = Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),))
JOIN = Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("edge", (Y, Z))))
WIDER = Rule((Atom("wider", (X, Y, X, Y, X, Y)),), (Atom("path", (X, Y)),))
LOOP = Rule((Atom("wide", (X, Y, X)),), (Atom("path", (X, Y)), Atom("edge", ("<3>", Y))))


class Interrupt:
    """Counts the opcodes that the engine runs, and sends SIGINT ahead of the one with number `at`."""

    def __init__(self, at: int = -1) -> None:
        self.at, self.count = at, 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if "kgreason/engine" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.count += 1
            if self.count == self.at:
                signal.raise_signal(signal.SIGINT)
        return self

    def watch(self, run: Callable[[], object]) -> bool:
        """Run something; whether it was interrupted."""
        sys.settrace(self)
        try:
            run()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)
        return False


def started() -> System:
    system = System()
    system.update(EDGES[:5], [STEP])
    system.commit({EDGES[0]: -1}, {}, "update")
    return system


def edit(system: System, strategy: Any, interrupt: Interrupt) -> bool:
    """Facts and rules come and go, a new arity and several new keys among them; whether that was interrupted."""
    wishes = system.wishes(dict.fromkeys(EDGES[4:], 1) | {EDGES[2]: -1}, {JOIN: 1, LOOP: 1})
    return interrupt.watch(lambda: system.engine.commit(*wishes, strategy=strategy))


class Scarce:
    """Counts the arrays that the engine makes or grows, and refuses the one with number `at`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int = -1) -> None:
        self.at, self.count = at, 0
        for owner, name in ((np, "zeros"), (np, "full"), (blocks, "grow"), (table, "zeros")):
            monkeypatch.setattr(owner, name, self.watched(getattr(owner, name)))

    def watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def make(*args: Any, **kwargs: Any) -> Any:
            has_room = function.__name__ == "grow" and len(args[0]) >= args[1]
            self.count += not has_room
            if self.count == self.at and not has_room:
                raise MemoryError
            return function(*args, **kwargs)

        return make


AFTER = ([EDGES[1], *EDGES[3:]], [STEP, JOIN, LOOP])


@pytest.mark.parametrize("strategy", ["update", "bootstrap", "auto"])
@pytest.mark.skipif(sys.gettrace() is not None, reason="a debugger or a coverage tool traces already")
def test_an_interrupt_leaves_the_commit_done_or_undone(strategy: str) -> None:
    counted, twin = Interrupt(), started()
    before = twin.states()
    edit(twin, strategy, counted)
    steps, after, random = counted.count, twin.states(), Random(strategy)
    assert steps > 500
    met = 0
    for at in sorted(random.sample(range(1, steps), 60)):
        system = started()
        met += edit(system, strategy, Interrupt(at))
        assert system.states() in (before, after)
        check(system.engine._circuit)
        system.commit(dict.fromkeys(EDGES[4:], 1) | {EDGES[2]: -1}, {JOIN: 1, LOOP: 1}, "update")
        states = system.states()
        assert set(states) == set(materialize(*AFTER))
        assert violations(states, AFTER[1]) == []
        check(system.engine._circuit)
    assert met > 30


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
def test_want_of_memory_leaves_the_commit_undone(strategy: Any, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Widths and capacities change together, whichever array cannot be made."""
    wish = dict.fromkeys(EDGES[4:], 1) | {EDGES[2]: -1}, {JOIN: 1, LOOP: 1, WIDER: 1}

    def system_after(at: int) -> tuple[System, int]:
        with crews(threads):
            system = started()
        before = system.states()
        with crews(threads), monkeypatch.context() as patch:
            scarce = Scarce(patch, at)
            try:
                system.engine.commit(*system.wishes(*wish), strategy=strategy)
            except MemoryError:
                assert scarce.count >= at > 0
                assert system.states() == before
            check(system.engine._circuit)
        return system, scarce.count

    _, count = system_after(-1)
    assert count > 10
    for at in sorted(Random(strategy).sample(range(1, count + 1), 12)):
        system, _ = system_after(at)
        system.commit(*wish, "update")
        states = system.states()
        assert set(states) == set(materialize(AFTER[0], [*AFTER[1], WIDER]))
        assert violations(states, [*AFTER[1], WIDER]) == []
        check(system.engine._circuit)
