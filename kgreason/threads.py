"""`threads`: how many threads kgreason uses for work that can be divided. `in_order` divides work.

The environment variable KGREASON_THREADS has the number. Without it the number is that of the CPUs that this process
may use. Results never depend on the number.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from kgreason.errors import InputError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_VARIABLE = "KGREASON_THREADS"


def threads() -> int:
    """Return the number of threads for work that can be divided. Raises InputError if KGREASON_THREADS is no number."""
    text = os.environ.get(_VARIABLE, "")
    if not text:
        return _cpus()
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise InputError(f"{_VARIABLE} is {text!r}; it must be a whole number, 1 or more")
    return int(text)


def _cpus() -> int:
    """Return the number of CPUs that this process may use."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Generator[_Result, None, None]:
    """Yield `function(item)` for each item, in the order of the items. `threads()` threads call the function.

    The caller's thread iterates over `items`, a few items ahead of the results. An error of `items` is raised after the
    results of the items before it. So results and errors are those of `map`. If the caller stops early, or Ctrl-C
    comes, the calls that have begun are waited for.
    """
    workers = threads()
    if workers == 1:
        yield from map(function, items)
        return
    running: deque[Future[_Result]] = deque()
    failures: list[Exception] = []
    with ThreadPoolExecutor(workers) as pool:
        try:
            for item in _until_failure(items, failures):
                running.append(pool.submit(function, item))
                if len(running) > 2 * workers:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    for error in failures:
        raise error


def _until_failure(items: Iterable[_Item], failures: list[Exception]) -> Iterator[_Item]:
    """Yield items up to the first error, and append this error to `failures`."""
    try:
        yield from items
    except Exception as error:
        failures.append(error)
