"""How long work says how far it is.

`progress(stage)` opens a stage; what it gives is called with the number of steps done since the last call (0 only shows
that the work is alive). The command line draws a bar; `SILENT` says nothing. Whatever the callback raises stops the
work, and leaves everything as it was before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Progress(Protocol):
    """Opens a stage of some work: reading, importing, reasoning, storing, writing."""

    def __call__(self, stage: str, total: int | None = None, /) -> AbstractContextManager[Callable[[int], object]]:
        """A context whose value is called with the number of steps done since the last call."""
        ...


@contextmanager
def _silent(_stage: str, _total: int | None = None) -> Iterator[Callable[[int], object]]:
    yield lambda _done: None


SILENT: Progress = _silent
"""Says nothing."""


class CancelledError(Exception):
    """Raised in a thread whose work is not wanted any more."""


@contextmanager
def cancellable() -> Iterator[Callable[[int], None]]:
    """A report for work in another thread, which raises `CancelledError` there once the block here has failed."""
    cancelled = threading.Event()

    def report(_done: int) -> None:
        if cancelled.is_set():
            raise CancelledError

    try:
        yield report
    except BaseException:
        cancelled.set()
        raise
