"""`undivided`: Ctrl-C waits until the engine's arrays and records agree with each other.

A KeyboardInterrupt may come between any two steps of Python, also between the two that move an array and note its new
address. Inside the context the signal is held back; it is let out where the context's value is called, which is where
the engine can be rolled back, and at the end. Other threads are never interrupted. Cost: two microseconds.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

try:  # without conversions to and from enumerations, which cost as much as the rest of a small commit
    from _signal import signal as _set  # type: ignore[import-not-found]
except ImportError:  # not CPython
    _set = signal.signal


class undivided:  # noqa: N801 - it reads as what it does: `with undivided() as let_out`
    """Hold Ctrl-C back until what this context gives is called, or to its end."""

    __slots__ = ("_before", "_held")

    def __init__(self) -> None:
        self._held: list[tuple[int, FrameType | None]] = []

    def __enter__(self) -> Callable[[], None]:
        self._before: Any = None
        if threading.get_ident() == threading.main_thread().ident:  # no other thread is ever interrupted
            self._before = _set(signal.SIGINT, lambda number, frame: self._held.append((number, frame)))
        return self._let_out

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            _set(signal.SIGINT, self._before)
            self._let_out()

    def _let_out(self) -> None:
        if self._held and callable(self._before):
            self._before(*self._held.pop())
