"""`PastReads`: reads of earlier commits, in threads of their own, a few at a time.

    read -> waits for one of `_AT_ONCE` threads -> ended by its time, its memory, or a server that stops

A read of all commits may take minutes and much memory. Such a read needs neither the engine nor the lock. So a read
does not wait in the queue of the `Writer`. Without threads of their own, reads would use up the threads that receive
the bodies of edits.

Law: however many clients read the past, other requests wait for none of them. A read ends at the next commit that it
reads after its time or memory is used up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from kgreason.errors import LimitError, QueryTimeoutError
from kgreason.interrupts import watched
from kgreason.memory import resident
from kgreason.server.problems import stopping

_AT_ONCE = 4
_PAUSE = 0.02
"""The seconds between two looks at the memory of the process."""
Result = TypeVar("Result")


class PastReads:
    """Reads of the past of one server. Make it in the event loop.

    A read may take `seconds`. Meanwhile the memory of the process may grow by `most_bytes`. If `most_bytes` is None,
    the memory has no limit.
    """

    def __init__(self, seconds: float, most_bytes: int | None, is_stopping: Callable[[], bool]) -> None:
        self._seconds, self._most, self._is_stopping = seconds, most_bytes, is_stopping
        self._limiter = CapacityLimiter(_AT_ONCE)

    async def read(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call in a thread. Its time begins when it has the thread.

        Raises the errors of the call, QueryTimeoutError, LimitError, and Problem if the server stops.
        """

        def run() -> Result:
            with watched(self._end()):
                return call()

        return await to_thread.run_sync(run, limiter=self._limiter)

    def _end(self) -> Callable[[], None]:
        begun, before, looked = time.monotonic(), resident() or 0, 0.0

        def end() -> None:
            nonlocal looked
            now = time.monotonic()
            if self._is_stopping():
                raise stopping()
            if now - begun > self._seconds:
                raise QueryTimeoutError(f"reading the past took longer than {self._seconds:g} s; ask for fewer commits")
            if self._most is not None and now - looked > _PAUSE:
                looked = now
                if (resident() or 0) - before > self._most:
                    raise LimitError(f"reading the past needs more than {self._most:,} bytes; ask for fewer commits")

        return end
