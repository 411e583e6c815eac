"""`threads`: how many threads kgreason uses for work that can be divided. `start_call` and `map_in_order` divide work.

A graph or a command says the number (`threads=`, `--threads`). If it says none, the environment variable
KGREASON_THREADS has the number, and without the variable it is the number of CPUs that this process may use (`cpus`).
Results never depend on the number.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from kgreason.cpus import cpus
from kgreason.errors import InputError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_VARIABLE = "KGREASON_THREADS"
MOST = 256
"""A larger number counts as 256: each thread of a circuit takes memory, and no level has so much work."""


def threads(number: int | None = None) -> int:
    """Return the number of threads for work that can be divided: 1 to 256.

    `number`: what the caller wishes; None lets the environment or the machine decide. Raises InputError if
    KGREASON_THREADS is no whole number of at least 1.

    >>> threads(3), threads(1000)
    (3, 256)
    """
    return min(MOST, _number_in_environment() if number is None else number)


def _number_in_environment() -> int:
    text = os.environ.get(_VARIABLE, "")
    if not text:
        return cpus()
    if not (text.isascii() and text.isdecimal() and text.strip("0")):
        raise InputError(f"{_VARIABLE} {text!r}: it must be a whole number, at least 1")
    return int(text) if len(text) < len(str(MOST)) + 1 else MOST


class Call(Generic[_Result]):
    """A call of a function, made once: by the first thread that is free, or by the thread that wants the result.

    So work goes on where no thread can be started, because Python ends or the system allows no more threads. Any thread
    may call any method.
    """

    def __init__(self, function: Callable[[], _Result]) -> None:
        self._function = function
        self._turn, self._ended = threading.RLock(), threading.Event()
        self._found: list[_Result] = []
        self._error: BaseException | None = None

    def submit(self, pool: ThreadPoolExecutor) -> None:
        """Have a thread of the pool call the function. If no thread can be started, `result` calls it."""
        with suppress(RuntimeError):
            pool.submit(self.call_once)

    def call_once(self) -> None:
        """Call the function, unless another thread has begun to, or the call has ended.

        The handler of a signal may raise an error between the first two lines. Then this thread has its turn again when
        it calls the method again.
        """
        if self._turn.acquire(blocking=False) and not self._ended.is_set():
            try:
                self._found.append(self._function())
            except BaseException as error:
                self._error = error
            finally:
                self._ended.set()

    def result(self) -> _Result:
        """Return what the function returns, or raise its error. Waits, or calls the function, if need be."""
        self.call_once()
        self._ended.wait()
        if self._error is not None:
            raise self._error
        return self._found[0]

    def cancel(self) -> None:
        """Prevent the call if no thread has begun it. If one has, wait for its end."""
        if not self._turn.acquire(blocking=False):
            self._ended.wait()
        self._ended.set()

    @property
    def is_ended(self) -> bool:
        """Whether the call has ended, with a result or an error."""
        return self._ended.is_set()


def start_call(pool: ThreadPoolExecutor, function: Callable[..., _Result], *arguments: object) -> Call[_Result]:
    """Have a thread of the pool call a function, and return the call."""
    call = Call(partial(function, *arguments))
    call.submit(pool)
    return call


def wait_for(calls: Iterable[Call[Any]]) -> None:
    """Return when all calls have ended, also if the handler of a signal raises an error meanwhile.

    Raises the last error of a call or a handler.
    """
    failure: BaseException | None = None
    for call in calls:
        is_ended = False
        while not is_ended:
            try:
                call.result()
            except BaseException as error:
                failure = error
            is_ended = call.is_ended
    if failure is not None:
        raise failure


def map_in_order(
    function: Callable[[_Item], _Result], items: Iterable[_Item], number: int | None = None
) -> Generator[_Result, None, None]:
    """Yield `function(item)` for each item, in the order of the items. `threads(number)` threads call the function.

    The caller's thread iterates over `items`, a few items ahead of the results. An error of `items` is raised after the
    results of the items before it. So results and errors are those of `map`. If the caller stops early, or Ctrl-C
    comes, the calls that have begun are waited for.
    """
    workers = threads(number)
    if workers == 1:
        yield from map(function, items)
        return
    running: deque[Call[_Result]] = deque()
    failures: list[Exception] = []
    with ThreadPoolExecutor(workers) as pool:
        try:
            for item in _until_failure(items, failures):
                if running:
                    running[-1].submit(pool)
                running.append(Call(partial(function, item)))
                if len(running) > 2 * workers:
                    yield running.popleft().result()
            if len(running) > 1:  # for a single item no thread is started
                running[-1].submit(pool)
            while running:
                yield running.popleft().result()
        finally:
            for call in reversed(running):  # those that have not begun are behind those that have
                call.cancel()
    for error in failures:
        raise error


def _until_failure(items: Iterable[_Item], failures: list[Exception]) -> Iterator[_Item]:
    """Yield items up to the first error, and append this error to `failures`."""
    try:
        yield from items
    except Exception as error:
        failures.append(error)
