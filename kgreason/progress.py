"""How long work reports its progress.

`with progress(stage, total) as report` opens a stage. The work calls `report(n)` after each `n` steps; `report(0)` only
shows that the work goes on. The command line draws a bar, and `SILENT` shows nothing. If `report` raises an error, the
work stops and changes nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol


class Progress(Protocol):
    """A function that opens a stage of some work: reading, importing, reasoning, storing, writing."""

    def __call__(self, stage: str, total: int | None = None, /) -> AbstractContextManager[Callable[[int], object]]:
        """A context with a function as its value; the work calls it with the number of steps since the last call."""
        ...


def _ignore(_done: int) -> None:
    """Report nothing."""


_SILENCE = nullcontext(_ignore)


def _silent(_stage: str, _total: int | None = None) -> AbstractContextManager[Callable[[int], object]]:
    return _SILENCE


SILENT: Progress = _silent
"""A progress that shows nothing."""


class CancelledError(Exception):
    """Raised in a thread to stop it, because nobody needs its result any more."""


@contextmanager
def cancellable() -> Iterator[Callable[[int], None]]:
    """A `report` for work in another thread. After the block of this thread has failed, it raises CancelledError."""
    cancelled = threading.Event()

    def report(_done: int) -> None:
        if cancelled.is_set():
            raise CancelledError

    try:
        yield report
    except BaseException:
        cancelled.set()
        raise
