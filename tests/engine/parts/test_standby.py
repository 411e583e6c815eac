"""A thread that stands by makes the calls that come soon. A thread of the pool makes the other calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident
from weakref import ref

import numpy as np
import pytest

from kgreason.engine.crew import standby
from kgreason.engine.crew.standby import Standby


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


def result_of(thread: Standby, function: Callable[[], object]) -> object:
    """Have a thread call a function, as a crew does. Returns the result of the function."""
    thread.start(function)
    thread.wait()
    assert thread.call
    try:
        return thread.call.result()
    finally:
        thread.forget()


LONG = 1 << 34
"""More looks than a test takes."""


def let_sleep(thread: Standby) -> None:
    """Send the thread to sleep: it makes one more call and then does not look for another one."""
    thread._looks = 0
    result_of(thread, lambda: None)


def test_calls_that_follow_each_other_are_made_by_one_thread(pool: CountingPool) -> None:
    thread = Standby(pool, LONG)
    made_by = [result_of(thread, get_ident) for _ in range(100)]
    let_sleep(thread)
    assert len(set(made_by)) == 1
    assert get_ident() not in made_by
    assert pool.submitted == 1


def test_a_thread_that_sleeps_is_woken(pool: CountingPool) -> None:
    thread = Standby(pool, 0)
    for number in range(3):
        assert result_of(thread, lambda n=number: n) == number  # type: ignore[misc]
        until = time.monotonic() + 10
        while thread._is_awake:
            assert time.monotonic() < until
    assert pool.submitted == 3


def test_the_caller_does_not_wait_for_long(pool: CountingPool) -> None:
    thread, may_end = Standby(pool), Event()
    thread.start(may_end.wait)
    thread.wait()
    assert thread.call
    assert not thread.call.is_ended
    may_end.set()
    assert thread.call.result() is True


def test_an_error_is_raised_by_the_call(pool: CountingPool) -> None:
    thread = Standby(pool, LONG)
    with pytest.raises(ZeroDivisionError):
        result_of(thread, lambda: 1 // 0)
    assert result_of(thread, lambda: 7) == 7
    let_sleep(thread)


def test_the_arguments_of_a_call_are_free_when_the_thread_sleeps(pool: CountingPool) -> None:
    class Argument:
        """The argument of a call. A weak reference shows whether something still holds it."""

    thread, argument = Standby(pool), Argument()
    seen = ref(argument)
    thread.start(lambda given: given is None, argument)
    thread.wait()
    thread.forget()
    del argument
    until = time.monotonic() + 10
    while seen() is not None:
        assert time.monotonic() < until


def test_ctrl_c_before_a_thread_is_asked_leaves_the_next_call_to_a_thread(
    pool: CountingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = Standby(pool, LONG)

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pool, "submit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            thread.start(lambda: None)
    assert result_of(thread, get_ident) != get_ident()
    let_sleep(thread)


def test_a_pool_that_can_start_no_thread_leaves_the_call_to_the_caller(
    pool: CountingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = Standby(pool, LONG)

    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(pool, "submit", refuse)
        assert result_of(thread, get_ident) == get_ident()
    assert result_of(thread, get_ident) != get_ident()
    let_sleep(thread)


def test_two_threads_that_see_a_call_make_it_once(pool: CountingPool) -> None:
    thread, counted = Standby(pool, LONG), []
    result_of(thread, lambda: None)
    thread._is_awake = False  # as after Ctrl-C, while the thread is awake
    for number in range(50):
        result_of(thread, lambda n=number: counted.append(n))  # type: ignore[misc]
    assert counted == list(range(50))
    assert pool.submitted == 2
    for _ in range(2):
        let_sleep(thread)


def test_a_look_ends() -> None:
    words = np.zeros(24, dtype=np.int64)
    assert standby.wait_for_word(words, 0, 1, 100, 0) == 100
    assert standby.wait_for_word(words, 0, 0, 100, 5) == 0
