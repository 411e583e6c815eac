"""`undivided`: Ctrl-C waits until the engine's arrays and records agree with each other.

A KeyboardInterrupt may come between any two steps of Python, also between the two that move an array and note its new
address. Inside the context the signal is held back; it is let out where the context's value is called, which is where
the engine can be rolled back, and at the end. Other threads are never interrupted. Cost: two microseconds.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


def _nothing() -> None:
    """No signal reaches this thread."""


@contextmanager
def undivided() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back until what this yields is called, or to the end."""
    if threading.current_thread() is not threading.main_thread():
        yield _nothing
        return
    held: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))

    def let_out() -> None:
        if held and callable(before):
            before(*held.pop())

    try:
        yield let_out
    finally:
        signal.signal(signal.SIGINT, before)
        let_out()
