"""The laws of `kgreason.interrupts`, by signals that are raised at known places."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from kgreason import interrupts
from kgreason.interrupts import as_one, at_once, let_out, result, shielded, undivided, watched

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no such signals")
INT, USR = signal.SIGINT, signal.SIGUSR1
Handler = Callable[[int, FrameType | None], Any]


@contextmanager
def handling(number: signal.Signals, handler: Handler) -> Iterator[None]:
    before = signal.signal(number, handler)
    try:
        yield
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)


def interrupted(work: Callable[[], object]) -> None:
    """Call a function, which Ctrl-C must end."""
    with pytest.raises(KeyboardInterrupt):
        work()


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    with handling(INT, signal.default_int_handler):
        yield
    assert not interrupts._now.is_on
    assert not interrupts._now.shields
    assert not interrupts._now.noted


def test_a_signal_acts_in_let_out() -> None:
    steps = []

    @interrupted
    def work() -> None:
        with undivided():
            signal.raise_signal(INT)
            steps.append("noted")
            let_out()
            steps.append("not reached")

    assert steps == ["noted"]


def test_a_signal_acts_at_the_end_of_the_outermost_block() -> None:
    steps = []

    @interrupted
    def work() -> None:
        with undivided():
            with undivided():
                signal.raise_signal(INT)
            steps.append("after the inner block")
        steps.append("not reached")

    assert steps == ["after the inner block"]
    with undivided():
        let_out()  # it acted once


def test_a_shield_lasts_until_its_end() -> None:
    steps = []

    @interrupted
    def work() -> None:
        with undivided():
            with shielded():
                signal.raise_signal(INT)
                let_out()
                with at_once():
                    let_out()
                steps.append("shielded")
            let_out()

    assert steps == ["shielded"]


def test_signals_act_at_once_in_the_code_of_users_and_are_noted_after_it() -> None:
    steps = []

    @interrupted
    def work() -> None:
        with undivided():
            try:
                with at_once():
                    signal.raise_signal(INT)
                    steps.append("not reached")
            except KeyboardInterrupt:
                steps.append("at once")
            signal.raise_signal(INT)
            steps.append("noted again")

    assert steps == ["at once", "noted again"]


def test_a_block_inside_the_code_of_users_is_undivided() -> None:
    steps = []

    @interrupted
    def work() -> None:
        with undivided(), at_once():
            with undivided():
                signal.raise_signal(INT)
                steps.append("noted")
            steps.append("not reached")

    assert steps == ["noted"]


def test_an_error_of_a_handler_ends_a_block_even_where_its_end_does_not_run() -> None:
    """A handler may raise an error between the last step of a block and the first step of its end."""
    steps = []

    @interrupted
    def work() -> None:
        with undivided():
            block = at_once()
            block.__enter__()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(INT)
            signal.raise_signal(INT)  # noted, although `__exit__` was not called
            steps.append("noted")

    assert steps == ["noted"]


@pytest.mark.parametrize("number", [INT, USR, signal.SIGTERM, signal.SIGALRM, signal.SIGHUP])
def test_the_handlers_of_programs_are_called_late_and_once(number: signal.Signals) -> None:
    calls: list[tuple[int, bool]] = []
    with handling(number, lambda number, frame: calls.append((number, frame is not None))):
        with undivided():
            signal.raise_signal(number)
            assert not calls
            let_out()
            assert calls == [(number, True)]
            let_out()
        assert calls == [(number, True)]
        signal.raise_signal(number)
        assert len(calls) == 2


def test_an_error_of_a_handler_leaves_the_other_signals_noted() -> None:
    calls = []
    with handling(USR, lambda *_: calls.append("usr")):

        @interrupted
        def work() -> None:
            with undivided():
                signal.raise_signal(INT)
                signal.raise_signal(USR)
                try:
                    let_out()
                finally:
                    assert not calls

    assert calls == ["usr"]


def test_a_handler_that_code_of_users_sets_is_held_and_stays() -> None:
    calls = []

    def own(*_: object) -> None:
        calls.append("own")

    before = signal.getsignal(USR)
    try:
        with undivided():
            with at_once():
                signal.signal(USR, own)
            signal.raise_signal(USR)
            assert not calls
        assert calls == ["own"]
        assert signal.getsignal(USR) is own
    finally:
        signal.signal(USR, before)


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(INT, signal.SIG_IGN)
    try:
        with undivided():
            signal.raise_signal(INT)
        assert signal.getsignal(INT) == signal.SIG_IGN
    finally:
        signal.signal(INT, before)


def test_blocks_of_other_threads_hold_nothing() -> None:
    entered, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        with undivided(), shielded(), at_once():
            let_out()
            entered.set()
            go_on.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(INT)
    finally:
        go_on.set()
        thread.join()


def test_another_thread_does_not_call_the_handler() -> None:
    @interrupted
    def work() -> None:
        with undivided():
            signal.raise_signal(INT)
            thread = threading.Thread(target=let_out)
            thread.start()
            thread.join()
            assert interrupts._now.noted


def test_waiting_for_a_future_ends_with_a_signal() -> None:
    @interrupted
    def work() -> None:
        with undivided():
            signal.raise_signal(INT)
            result(Future[int]())

    done = Future[int]()
    done.set_result(7)
    assert result(done) == 7


def test_a_decorated_function_is_undivided() -> None:
    steps = []

    @as_one
    def work() -> None:
        signal.raise_signal(INT)
        steps.append("whole")

    interrupted(work)

    assert steps == ["whole"]


@pytest.mark.parametrize("count", range(1, 40))
def test_a_signal_ahead_of_any_step_of_these_functions_acts_once(count: int) -> None:
    """Whatever the step, later blocks hold signals and let them out."""
    seen = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal seen
        if frame.f_code.co_filename != interrupts.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            seen += 1
            if seen == 5 * count:
                signal.raise_signal(INT)
        return trace

    acted, before = 0, sys.gettrace()
    sys.settrace(trace)
    try:
        with undivided():
            with at_once():
                pass
            with shielded():
                let_out()
            let_out()
    except KeyboardInterrupt:
        acted += 1
    finally:
        sys.settrace(before)
    assert acted == (seen >= 5 * count)
    interrupts._now.noted.clear()
    test_a_signal_acts_in_let_out()


IMPATIENT = """
import signal
from kgreason import interrupts
interrupts._PATIENCE = {patience}
try:
    with interrupts.undivided():
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)
        print("still there")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(("patience", "status", "told"), [(-1, -INT, ""), (1000, 0, "still there\ninterrupted\n")])
def test_the_third_ctrl_c_ends_a_process_that_does_not_answer(patience: int, status: int, told: str) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + IMPATIENT
    ran = subprocess.run(
        [sys.executable, "-c", code.format(patience=patience)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (status, told)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_child_acts_on_its_own_signals() -> None:
    code = """
import os, signal
from kgreason.interrupts import undivided
signal.signal(signal.SIGINT, signal.default_int_handler)
with undivided():
    signal.raise_signal(signal.SIGINT)
    child = os.fork()
    if not child:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            os._exit(7)
        os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status, flush=True)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == "7\n"
    assert "KeyboardInterrupt" in ran.stderr


def test_presses_of_a_signal_that_waits_are_one() -> None:
    @interrupted
    def work() -> None:
        with undivided():
            for _ in range(3):
                signal.raise_signal(INT)
            let_out()

    with undivided():
        let_out()


def test_no_signal_is_lost_behind_one_whose_handler_raises() -> None:
    called = []
    with handling(USR, lambda *_: called.append(USR)):

        @interrupted
        def work() -> None:
            with undivided():
                signal.raise_signal(INT)
                signal.raise_signal(USR)

    assert called == [USR]


def test_a_press_that_acted_at_once_does_not_count_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_PATIENCE", -1)

    def press() -> None:
        with at_once():
            signal.raise_signal(INT)

    with undivided():
        signal.raise_signal(INT)
        interrupted(press)

    @interrupted
    def work() -> None:
        with undivided():
            signal.raise_signal(INT)
            signal.raise_signal(INT)


def test_a_watched_thread_ends_where_a_signal_would_act() -> None:
    steps: list[str] = []

    def end() -> None:
        steps.append("looked")
        if len(steps) > 2:
            raise TimeoutError

    def work() -> None:
        let_out()
        try:
            with watched(end):
                let_out()
                with shielded():
                    let_out()
                let_out()
                let_out()
        except TimeoutError:
            steps.append("ended")
        let_out()

    thread = threading.Thread(target=work)
    with watched(end):  # another thread is not ended
        thread.start()
        thread.join()
    assert steps == ["looked", "looked", "looked", "ended"]


def test_a_watched_block_ends_once() -> None:
    calls: list[None] = []

    def end() -> None:
        calls.append(None)
        raise TimeoutError

    with watched(end):
        with pytest.raises(TimeoutError):
            let_out()
        let_out()  # the code that rolls back
    assert len(calls) == 1
