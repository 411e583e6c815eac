"""`undivided`: a context that holds Ctrl-C back while the engine's arrays may be inconsistent.

Without the context, Python may raise KeyboardInterrupt between any two steps, for example after an array has moved and
before its new address is written. In the context, Ctrl-C is only noted. `with undivided() as let_out` gives a function:
a call of `let_out()` raises a noted Ctrl-C. The engine calls it only where it can roll back. The end of the context
raises a noted Ctrl-C, too. Python interrupts only the main thread, so the context does nothing in other threads. Cost:
two microseconds.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

try:  # `_signal.signal` skips conversions to and from enumerations, which take as long as the rest of a small commit
    from _signal import signal as _set  # type: ignore[import-not-found]
except ImportError:  # not CPython
    _set = signal.signal


class undivided:  # noqa: N801 - it reads as what it does: `with undivided() as let_out`
    """A context that holds Ctrl-C back until the block ends.

    `with undivided() as let_out` gives a function. If Ctrl-C was pressed in the block, `let_out()` raises it at once.
    """

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
