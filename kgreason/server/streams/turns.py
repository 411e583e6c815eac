"""`Turns`: one call at a time, and the readers of a server take turns.

    A asks for 3 turns, then B for 1        ->        A  B  A  A

Law: whoever waits gets a turn after at most one turn of each other reader for each turn that its own reader asked for
before. Threads: the event loop alone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Gives turns to readers. A reader is a name (`session.reader_of`)."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """Who waits, by reader; the reader whose turn comes next is first."""
        self._is_taken = False

    @asynccontextmanager
    async def turn(self, reader: str) -> AsyncIterator[None]:
        """A context: wait for a turn of this reader, and have it."""
        await self._wait_for_turn(reader)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait_for_turn(self, reader: str) -> None:
        if not self._is_taken:
            self._is_taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(reader, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the turn had come already
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next one who still waits, and move its reader to the end."""
        while self._waiting:
            reader, queue = next(iter(self._waiting.items()))
            turn = queue.popleft()
            has_left = turn.done()
            if queue and has_left:
                continue  # who has left takes no turn from its reader
            del self._waiting[reader]
            if queue:
                self._waiting[reader] = queue
            if not has_left:
                turn.set_result(None)
                return
        self._is_taken = False
