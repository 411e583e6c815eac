"""A thread that stands by makes the calls that come soon; others come to a thread of the pool as ever."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident

import pytest

from kgreason.engine import standby
from kgreason.engine.standby import Standby
from kgreason.threads import Call, wait_for


class CountingPool(ThreadPoolExecutor):
    """A pool of two threads that counts what is submitted to it."""

    submitted = 0

    def submit(self, *arguments, **named):  # type: ignore[no-untyped-def]
        self.submitted += 1
        return super().submit(*arguments, **named)


@pytest.fixture
def pool() -> Iterator[CountingPool]:
    with CountingPool(2) as made:
        yield made


def made(thread: Standby, function: Callable[[], object]) -> object:
    call = thread.start(function)
    thread.wait(call)
    return call.result()


LONG = 1 << 30
"""More looks than a test takes."""


def test_calls_that_follow_each_other_are_made_by_one_thread(pool: CountingPool) -> None:
    thread, results = Standby(pool, LONG), []
    for number in range(100):
        call = thread.start(lambda n=number: results.append((n, get_ident())))
        thread.wait(call)
        assert call.is_ended
    thread._looks = 0  # so that the thread, when it looks next, goes to sleep
    made(thread, lambda: None)
    assert [n for n, _ in results] == list(range(100))
    assert len({by for _, by in results} - {get_ident()}) == 1
    assert pool.submitted == 1


def test_a_thread_that_sleeps_is_woken(pool: CountingPool) -> None:
    thread = Standby(pool, 0)
    for number in range(3):
        assert made(thread, lambda n=number: n) == number  # type: ignore[misc]
        until = time.monotonic() + 10
        while thread._is_awake:
            assert time.monotonic() < until
    assert pool.submitted == 3


def test_the_caller_does_not_wait_for_long(pool: CountingPool) -> None:
    thread, may_end = Standby(pool), Event()
    call = thread.start(may_end.wait)
    thread.wait(call)
    assert not call.is_ended
    may_end.set()
    assert call.result() is True


def test_an_error_is_raised_by_the_call(pool: CountingPool) -> None:
    thread = Standby(pool, LONG)
    call = thread.start(lambda: 1 // 0)
    thread.wait(call)
    with pytest.raises(ZeroDivisionError):
        wait_for([call])
    assert made(thread, lambda: 7) == 7
    thread._looks = 0
    made(thread, lambda: None)


def test_ctrl_c_before_a_thread_is_asked_leaves_the_next_call_to_a_thread(
    pool: CountingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = Standby(pool, 0)

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pool, "submit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            thread.start(lambda: None)
    by = thread.start(get_ident)
    until = time.monotonic() + 10
    while not by.is_ended:
        assert time.monotonic() < until
    assert by.result() != get_ident()


def test_two_threads_that_see_a_call_make_it_once(pool: CountingPool) -> None:
    thread, counted = Standby(pool, 1 << 20), []
    made(thread, lambda: None)
    thread._is_awake = False  # as after Ctrl-C, while the thread is awake
    calls: list[Call[object]] = []
    for number in range(50):
        calls.append(thread.start(lambda n=number: counted.append(n)))
        wait_for(calls[-1:])
    assert counted == list(range(50))


def test_a_look_ends() -> None:
    words = Standby(ThreadPoolExecutor(1))._words
    assert standby.look(words, 0, 0, 100, 0) == 100
    assert standby.look(words, 0, 1, 100, 5) == 0
