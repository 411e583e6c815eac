"""How work that takes a while reports its progress.

`with progress(stage, total) as report` opens a stage. The work calls `report(n)` after each `n` steps; `report(0)` only
shows that the work goes on. `SILENT` shows nothing. If `report` raises an error, the work stops and changes nothing.

    bars    LiveBars: draws bars on a terminal or in a notebook
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from kgreason.errors import InputTypeError


class Progress(Protocol):
    """Opens one part of some work: reading, importing, reasoning, storing or writing."""

    def __call__(self, stage: str, total: int | None = None, /) -> AbstractContextManager[Callable[[int], object]]:
        """Return a context that gives a function.

        The work calls this function with the number of steps since the last call.

        `stage`: what the work does in this part. `total`: the number of all steps, if known.
        """
        ...


def _ignore(_done: int) -> None:
    """Report nothing."""


_SILENCE = nullcontext(_ignore)


def _open_nothing(_stage: str, _total: int | None = None) -> AbstractContextManager[Callable[[int], object]]:
    return _SILENCE


SILENT: Progress = _open_nothing
"""A progress that shows nothing."""


def progress_of(value: Progress | bool) -> Progress:
    """Return the progress that a user means: True draws bars, False shows nothing. Raises InputTypeError."""
    if value is False:
        return SILENT
    if value is True:
        from kgreason.progress.bars import LiveBars

        return LiveBars()
    if not callable(value):
        raise InputTypeError(f"progress {value!r}: pass True for bars, or a function as `kgreason.progress` says")
    return value


class CancelledError(Exception):
    """Raised in a thread to stop the thread, because nobody needs its result any more."""


@contextmanager
def cancellable() -> Iterator[Callable[[int], None]]:
    """Yield a function `report` for work in another thread, to stop this work if the `with` block raises an error.

    The work calls `report` now and then. After the block has raised an error, the next call raises CancelledError.
    """
    cancelled = threading.Event()

    def report(_done: int) -> None:
        if cancelled.is_set():
            raise CancelledError

    try:
        yield report
    except BaseException:
        cancelled.set()
        raise
