"""`undivided`: Ctrl-C waits until the engine's arrays and records agree with each other.

A KeyboardInterrupt may come between any two steps of Python. One of them is the moment between moving an array and
noting its new address. The context holds the signal back. The function that the context returns delivers the signal;
the engine calls it only where it can roll back. The end of the context delivers the signal too. Python interrupts only
the main thread, so other threads need none of this. Cost: two microseconds.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

try:  # this one skips the conversions to and from enumerations, which cost as much as the rest of a small commit
    from _signal import signal as _set  # type: ignore[import-not-found]
except ImportError:  # not CPython
    _set = signal.signal


class undivided:  # noqa: N801 - it reads as what it does: `with undivided() as let_out`
    """Hold Ctrl-C back until the context ends, or until the function that it returns is called."""

    __slots__ = ("_before", "_held")

    def __init__(self) -> None:
        self._held: list[tuple[int, FrameType | None]] = []

    def __enter__(self) -> Callable[[], None]:
        self._before: Any = None
        if threading.get_ident() == threading.main_thread().ident:  # Python interrupts this thread alone
            self._before = _set(signal.SIGINT, lambda number, frame: self._held.append((number, frame)))
        return self._let_out

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            _set(signal.SIGINT, self._before)
            self._let_out()

    def _let_out(self) -> None:
        if self._held and callable(self._before):
            self._before(*self._held.pop())
