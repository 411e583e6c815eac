"""`threads`: how many threads kgreason uses for work that can be divided. `in_order` divides work.

A graph or a command says the number (`threads=`, `--threads`). If it says none, the environment variable
KGREASON_THREADS has the number, and without the variable it is the number of CPUs that this process may use (`cpus`).
Results never depend on the number.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

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
    return min(MOST, _of_environment() if number is None else number)


def _of_environment() -> int:
    text = os.environ.get(_VARIABLE, "")
    if not text:
        return cpus()
    if not (text.isascii() and text.isdecimal() and text.strip("0")):
        raise InputError(f"{_VARIABLE} {text!r}: it must be a whole number, at least 1")
    return int(text) if len(text) < len(str(MOST)) + 1 else MOST


def in_order(
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
