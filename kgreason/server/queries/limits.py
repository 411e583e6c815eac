"""`CallLimits`: what ends a long call in a thread of the server: its time, its memory, or a server that stops.

    begun = limits.begin("the question")          the clock runs, and the memory is noted
    with watched(begun): ...                      each `let_out` of the call looks at the limits

Law: a call ends at the first `let_out` after a limit is reached; the memory may be noticed `_PAUSE` seconds later.
Cost: a microsecond for each look, and ten if it looks at the memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from kgreason.errors import LimitError, QueryTimeoutError
from kgreason.memory import resident_bytes
from kgreason.server.problems import stopping_problem

_PAUSE = 0.005
"""The memory of the process is looked at again after this many seconds."""


class CallLimits(NamedTuple):
    """The limits of a call: its `seconds`, by how many `bytes` the memory may grow (None: no limit), and `is_stopping`.

    `is_stopping` says whether the server stops.
    """

    seconds: float
    bytes: int | None
    is_stopping: Callable[[], bool]

    def begin(self, call: str, advice: str = "") -> Callable[[], None]:
        """Return a function that raises an error if the call that begins now must end.

        The error is a Problem if the server stops, else a QueryTimeoutError or LimitError. Its message begins with
        `call` and ends with `advice`.
        """
        begun, before, looked = time.monotonic(), resident_bytes() or 0, 0.0

        def end() -> None:
            nonlocal looked
            now = time.monotonic()
            if self.is_stopping():
                raise stopping_problem()
            if now - begun > self.seconds:
                raise QueryTimeoutError(f"{call} took longer than {self.seconds:g} s{advice}")
            if self.bytes is not None and now - looked > _PAUSE:
                looked = now
                if (resident_bytes() or 0) - before > self.bytes:
                    raise LimitError(f"{call} needs more than {self.bytes:,} bytes of memory{advice}")

        return end
