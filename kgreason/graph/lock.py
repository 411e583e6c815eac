"""`GraphLock`: one thread at a time edits a graph or asks its engine; the other threads queue.

The lock protects everything that touches the engine, the dictionary or the journal. SPARQL queries never take it:
Oxigraph gives each query the rows of one moment. A thread that takes the lock several times must release it the same
number of times.

Laws: the thread that just released the lock cannot overtake a waiting thread. If a thread ends without releasing the
lock, a waiting thread takes it over. Ctrl-C ends the waiting within a tenth of a second, and the lock stays as it was.
Cost: three microseconds.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Concatenate, ParamSpec, Protocol, TypeVar, cast

from kgreason.errors import GraphBusyError, InputError, InputTypeError
from kgreason.interrupts import call_surely, let_out, undivided

_SLICE = 0.1
"""A waiting thread looks for signals, and at the thread that has the lock, at least once in this many seconds."""


def check_wait(option: str, value: object) -> None:
    """Raise InputError unless the value is a number of seconds, 0 or more, or None (wait as long as it takes).

    `option` is the name of the option in the message.
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (is_number and cast(float, value) >= 0):
        problem = f"{option} {value!r}: it must be a number of seconds, or None to wait as long as it takes"
        raise InputError(problem) if is_number else InputTypeError(problem)


class GraphLock:
    """A reentrant lock with a queue. Safe to use from any thread."""

    def __init__(self) -> None:
        self._turn, self._lock = threading.Lock(), threading.Lock()
        self._owner: threading.Thread | None = None
        self._depth = 0

    @property
    def is_mine(self) -> bool:
        """Whether the calling thread has the lock."""
        return self._owner is threading.current_thread()

    def acquire(self, timeout: float | None = None) -> int:
        """Take the lock; wait for it at most `timeout` seconds. Returns the `depth` that this thread had before.

        The caller is `undivided`. The result is for `release`. Raises GraphBusyError after `timeout`, and InputError
        for a timeout that is not a number of seconds.
        """
        if timeout is not None:
            check_wait("timeout", timeout)
        me = threading.current_thread()
        if self._owner is me:
            self._depth += 1
            return self._depth - 1
        until = None if timeout is None else time.monotonic() + timeout
        taken: list[threading.Lock] = []
        try:
            for lock in (self._turn, self._lock):  # the waiting thread has the turn, so that nobody overtakes it
                if not lock.acquire(blocking=False):
                    self._wait_for(lock, until)
                taken.append(lock)
            self._owner, self._depth = me, 1
            taken.remove(self._turn)
            self._turn.release()
        except BaseException:
            if self._owner is me:
                self._owner = None
            for lock in taken:
                lock.release()
            raise
        return 0

    def _wait_for(self, lock: threading.Lock, until: float | None) -> None:
        while not (lock.acquire(timeout=self._next_wait(until)) or self._is_abandoned(lock)):
            let_out()
            self._check_time(until)

    def _next_wait(self, until: float | None) -> float:
        return _SLICE if until is None else max(0.0, min(_SLICE, until - time.monotonic()))

    def _is_abandoned(self, lock: threading.Lock) -> bool:
        """Whether the thread that has `lock` ended without releasing it. Then the caller may take the lock over."""
        owner = self._owner
        return lock is self._lock and owner is not None and not owner.is_alive()

    def _check_time(self, until: float | None) -> None:
        if until is not None and time.monotonic() >= until:
            owner = self._owner
            by = f"thread {owner.name!r}" if owner else "another thread"
            raise GraphBusyError(f"the graph is in use by {by}; wait longer, or end the open transaction there")

    def release(self, depth: int = 0) -> None:
        """Release the lock as often as needed to bring this thread back to `depth`, the result of `acquire`.

        The caller is `undivided`. A second call with the same `depth` changes nothing.
        """
        if self._owner is not threading.current_thread() or self._depth <= depth:
            return
        self._depth = depth
        if not depth:
            self._owner = None
            self._lock.release()

    def surely_release(self, depth: int) -> None:
        """Do the same as `release(depth)` where the caller is not `undivided`, even if Ctrl-C comes meanwhile."""

        def release() -> None:
            with undivided():
                self.release(depth)

        call_surely(release)

    @property
    def depth(self) -> int:
        """How many times the calling thread has taken the lock and not released it."""
        return self._depth if self.is_mine else 0

    @contextmanager
    def hold_undivided(self, timeout: float | None = None) -> Iterator[None]:
        """As `hold`, for a caller that is `undivided`."""
        depth = self.acquire(timeout)
        try:
            yield
        finally:
            self.release(depth)

    @contextmanager
    def hold(self, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock during a block, after waiting at most `timeout` seconds. Raises GraphBusyError."""
        depth: int | None = None
        try:
            with undivided():  # its end may raise KeyboardInterrupt
                depth = self.acquire(timeout)
            yield
        finally:
            if depth is not None:
                self.surely_release(depth)


class _HasLock(Protocol):
    _lock: GraphLock


_Self = TypeVar("_Self", bound=_HasLock)
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def with_lock(
    method: Callable[Concatenate[_Self, _Arguments], _Result],
) -> Callable[Concatenate[_Self, _Arguments], _Result]:
    """A decorator: the method holds the `_lock` of its object while it runs, and is `undivided`."""

    @functools.wraps(method)
    def holding(self: _Self, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with undivided(), self._lock.hold_undivided():
            return method(self, *args, **kwargs)

    return holding
