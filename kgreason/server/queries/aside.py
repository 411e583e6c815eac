"""`Aside`: calls that need neither the engine nor its thread, in threads of their own, a few at a time.

    run -> waits for one of `_AT_ONCE` threads -> ended by its time, its memory, or a server that stops

Such calls read earlier commits, parse documents of shapes, and write answers such as proofs and reports. They may take
long and much memory. So they do not wait in the queue of the `Writer`, and no edit waits for them. Without threads of
their own, they would use up the threads that receive the bodies of edits.

Law: however many clients ask, other requests wait for none of these calls. A call ends at its next `let_out` after its
time or memory is used up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from kgreason.interrupts import watched
from kgreason.server.queries.limits import CallLimits

_AT_ONCE = 4
Result = TypeVar("Result")


class Aside:
    """Threads of one server for calls with these limits. Make it in the event loop.

    A message about a limit begins with `name`, which says what the calls do, and ends with `advice`.
    """

    def __init__(self, limits: CallLimits, name: str, advice: str = "") -> None:
        self._limits, self._name, self._advice = limits, name, advice
        self._limiter = CapacityLimiter(_AT_ONCE)

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call in a thread. Its time begins when it has the thread.

        Raises the errors of the call, QueryTimeoutError, LimitError, and Problem if the server stops.
        """

        def limited() -> Result:
            with watched(self._limits.begin(self._name, self._advice)):
                return call()

        return await to_thread.run_sync(limited, limiter=self._limiter)
