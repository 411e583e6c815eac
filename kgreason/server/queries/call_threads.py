"""`CallThreads`: calls that need neither the engine nor its thread, in threads of their own, a few at a time.

    result_of -> waits for one of `_AT_ONCE` threads -> ended by its time, its memory, a client that leaves, or a
                                                         server that stops

Such calls read earlier commits, parse documents of shapes, and write answers such as proofs and reports. They may take
long and much memory. So they do not wait in the queue of the `Writer`, and no edit waits for them. Without threads of
their own, they would use up the threads that receive the bodies of edits.

Law: however many clients ask, at most `_AT_ONCE` of these calls run, and no other request waits for them. A call ends
at its next `let_out` after its time or memory is used up, or `result_of` is cancelled; until then it has its thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from kgreason.interrupts import watched
from kgreason.server.problems import Problem
from kgreason.server.queries.limits import CallLimits

_AT_ONCE = 4
Result = TypeVar("Result")


class CallThreads:
    """Threads of one server for calls with these limits. Its methods belong to the event loop.

    A message about a limit begins with `name`, which says what the calls do, and ends with `advice`.
    """

    def __init__(self, limits: CallLimits, name: str, advice: str = "") -> None:
        self._limits, self._name, self._advice = limits, name, advice
        self._threads = ThreadPoolExecutor(_AT_ONCE, "kgreason aside")

    async def result_of(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call in a thread. Its time begins when it has the thread.

        If this is cancelled, the call ends soon. Raises the errors of the call, QueryTimeoutError, LimitError, and
        Problem if the server stops.
        """
        is_unwanted = False

        def limited_call() -> Result:
            look = self._limits.begin(self._name, self._advice)

            def end() -> None:
                if is_unwanted:
                    raise Problem(400, "the client has gone away")
                look()

            with watched(end):
                return call()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, limited_call)
        except asyncio.CancelledError:
            is_unwanted = True
            raise
