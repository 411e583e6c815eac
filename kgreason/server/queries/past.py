"""`PastReads`: reads of earlier commits, in threads of their own, a few at a time.

    read -> waits for one of `_AT_ONCE` threads -> ended by its time, its memory, or a server that stops

A read of all commits may take minutes and much memory. Such a read needs neither the engine nor the lock. So a read
does not wait in the queue of the `Writer`. Without threads of their own, reads would use up the threads that receive
the bodies of edits.

Law: however many clients read the past, other requests wait for none of them. A read ends at the next commit that it
reads after its time or memory is used up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from kgreason.interrupts import watched
from kgreason.server.queries.limits import CallLimits

_AT_ONCE = 4
Result = TypeVar("Result")


class PastReads:
    """Reads of the past of one server, each with these limits. Make it in the event loop."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._limiter = CapacityLimiter(_AT_ONCE)

    async def read(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call in a thread. Its time begins when it has the thread.

        Raises the errors of the call, QueryTimeoutError, LimitError, and Problem if the server stops.
        """

        def run() -> Result:
            with watched(self._limits.begin("reading the past", "; ask for fewer commits")):
                return call()

        return await to_thread.run_sync(run, limiter=self._limiter)
