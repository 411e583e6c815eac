"""`Feed`: the past commits as clients of /changes read them, and the news.

    commit -> in the thread of the writer: JSON -> in the event loop: the log -> every stream

Laws: a stream that begins after commit n gets every later commit, once and in order. If the log lacks one of them, the
stream is refused (status 410). The log has at most `kept` bytes; the oldest commits go first. Threads: `add` may be
called from any thread, everything else belongs to the event loop.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from kgreason.graph.changes.delta import Delta
from kgreason.server.problems import Problem, busy

_LOGGER = logging.getLogger("kgreason.server")
_BEAT = 15
"""After this many seconds without news a stream gets a comment, so that a dead connection is found."""


class Feed:
    """The log of a server that begins after a commit."""

    def __init__(self, commit: int, kept: int, streams: int) -> None:
        self._kept, self._most = kept, streams
        self._loop: asyncio.AbstractEventLoop | None = None
        self._log: deque[tuple[int, bytes]] = deque()
        self._first = self._last = commit
        self._size = self.streams = 0
        self._news = asyncio.Event()
        self._is_closed = False

    def begin(self) -> None:
        """Take commits from now on, in the running event loop."""
        self._loop = asyncio.get_running_loop()

    def add(self, delta: Delta) -> None:
        """Add a commit. An error is logged and does not reach the writer."""
        try:
            event = f"id: {delta.commit}\nevent: commit\ndata: {json.dumps(described(delta))}\n\n".encode()
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._append, delta.commit, event)
        except Exception:
            _LOGGER.exception("commit %d is missing in the feed", delta.commit)

    def _append(self, commit: int, event: bytes) -> None:
        self._log.append((commit, event))
        self._last = commit
        self._size += len(event)
        while self._size > self._kept and self._log:
            self._first, old = self._log.popleft()
            self._size -= len(old)
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self._wake()

    def check(self, after: int | None) -> int:
        """The commit after which a stream begins; None means now. Raises Problem if the log lacks a later commit."""
        if self.streams >= self._most:
            raise busy("streams")
        if after is None:
            return self._last
        if after < self._first:
            raise Problem(410, f"the feed has the commits after {self._first}; read the graph again, then follow it")
        if after > self._last:
            raise Problem(400, f"there is no commit {after}; the last commit is {self._last}")
        return after

    async def follow(self, after: int) -> AsyncIterator[bytes]:
        """The commits after a commit, as events, until the server stops or the log has lost a commit."""
        self.streams += 1
        try:
            yield b": following\n\n"
            while not self._is_closed and after >= self._first:
                news = self._news
                for commit, event in [each for each in self._log if each[0] > after]:
                    yield event
                    after = commit
                if news is self._news:
                    try:
                        await asyncio.wait_for(news.wait(), _BEAT)
                    except TimeoutError:
                        yield b": still here\n\n"
        finally:
            self.streams -= 1


def described(delta: Delta) -> dict[str, Any]:
    """A delta for `json.dumps`; terms are N-Triples text."""
    return {
        "commit": delta.commit,
        "appeared": {"asserted": delta.appeared(asserted=True), "inferred": delta.appeared(asserted=False)},
        "disappeared": {"asserted": delta.disappeared(asserted=True), "inferred": delta.disappeared(asserted=False)},
        "asserted": delta.quads(added=True),
        "retracted": delta.quads(added=False),
    }
