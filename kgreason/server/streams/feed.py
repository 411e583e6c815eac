"""`Feed`: the past and the new commits, for clients of /changes.

    commit -> in the thread of the writer: a copy of its delta -> in the event loop: the log -> every stream
    older commits, which the log has dropped or never had: read from the history on disk -> the stream that needs them

Laws: a stream that begins after commit n gets every later commit, once and in order. If both the log and the history
lack one of them, the stream is refused (status 410). The log has at most `kept` bytes; the oldest commits go first.
Threads: `add` may be called from any thread, everything else belongs to the event loop.

Cost: streams with the same view share the text of a commit. Another thread makes this text.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, suppress
from typing import NamedTuple, cast

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from kgreason.errors import HistoryError
from kgreason.graph.changes.delta import Delta
from kgreason.server.problems import Problem, busy_problem
from kgreason.server.session import Sessions
from kgreason.server.streams.views import View

_LOGGER = logging.getLogger("kgreason.server")
_BEAT = 15
"""After this many seconds without news a stream gets a comment, so that a dead connection is found."""
_WRITTEN = 64
"""The texts of this many commits are kept for other streams."""


class _Commit(NamedTuple):
    number: int
    delta: Delta
    size: int


Past = Callable[[int], Iterator[Delta]]
"""A function that reads the commits after a commit from the history. It raises HistoryError if one is not there."""


class Feed:
    """Gives commits to streams: recent commits from a log in memory, and earlier commits from the history on disk."""

    def __init__(self, commit: int, kept: int, streams: int, past: Past) -> None:
        self._kept, self._most, self._past = kept, streams, past
        self._loop: asyncio.AbstractEventLoop | None = None
        self._log: deque[_Commit] = deque()
        self._first = self._last = commit
        self._size = 0
        self._readers = Counter[str]()
        self._news = asyncio.Event()
        self._is_closed = False
        self._texts: OrderedDict[tuple[int, View], asyncio.Task[bytes]] = OrderedDict()
        self.listeners: list[Callable[[Delta], object]] = []
        """Functions that are called in the event loop with each commit, before any stream has it."""

    def begin(self) -> None:
        """From now on let `add` put commits into the log. Call this in the event loop of the streams."""
        self._loop = asyncio.get_running_loop()

    def add(self, delta: Delta) -> None:
        """Add a commit to the log. Any thread may call this.

        An error is logged and not raised, so that the writer goes on.
        """
        try:
            own = delta.with_own_dictionary()
            size = own.dictionary.nbytes + own.rows.nbytes + own.added_quads.nbytes + own.removed_quads.nbytes
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._append, _Commit(own.commit, own, size))
        except Exception:
            _LOGGER.exception("commit %d is missing in the feed", delta.commit)

    def _append(self, commit: _Commit) -> None:
        self._log.append(commit)
        self._last = commit.number
        self._size += commit.size
        while self._size > self._kept and self._log:
            old = self._log.popleft()
            self._first = old.number
            self._size -= old.size
        for listener in self.listeners:
            listener(commit.delta)
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    @property
    def last(self) -> int:
        """The number of the last commit."""
        return self._last

    @property
    def is_closed(self) -> bool:
        """Whether the server is stopping."""
        return self._is_closed

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self._wake()

    @property
    def streams(self) -> int:
        """How many streams there are."""
        return self._readers.total()

    async def enter(self, after: int | None, reader: str) -> int:
        """Count a new stream that begins after the commit `after`, or after the last commit if `after` is None.

        `reader` names its client (`session.reader_of`); one reader may have half of the streams. Returns the number of
        this commit. Call `leave` at the end, as `Stream` does. Raises Problem if there are too many streams, or if a
        commit after `after` is not kept.
        """
        if self.streams >= self._most or 2 * self._readers[reader] >= self._most:
            raise busy_problem("streams")
        self._readers[reader] += 1
        try:
            return self._last if after is None else await self._check_start(after)
        except BaseException:
            self.leave(reader)
            raise

    def leave(self, reader: str) -> None:
        """Note that a stream of this reader has ended: count one stream less."""
        self._readers[reader] -= 1
        if not self._readers[reader]:
            del self._readers[reader]

    async def _check_start(self, after: int) -> int:
        if after > self._last:
            raise Problem(400, f"there is no commit {after}; the last commit is {self._last}")
        if after < self._first:
            try:
                await run_in_threadpool(self._past, after)
            except HistoryError as error:
                text = f"the feed has the commits after {self._first}; read the graph again, then follow it"
                raise Problem(410, text, {"Kgreason-After": str(self._first)}) from error
        return after

    async def wait_for_commit(self, commit: int) -> bool:
        """Wait some seconds for a commit after the commit `commit`. Returns whether there is one."""
        if self._last <= commit and not self._is_closed:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), _BEAT)
        return self._last > commit

    async def deltas(self, after: int) -> AsyncIterator[Delta | None]:
        """Yield the deltas of all commits after the commit `after`, and then of each new commit.

        Yields None if no commit comes for some seconds. Ends if the server stops, or if a commit is no longer kept.
        """
        while not self._is_closed:
            news = self._news
            try:
                async for delta in self._deltas_after(after):
                    if self.is_closed:  # it may have been closed meanwhile
                        return
                    yield delta
                    after = delta.commit
            except HistoryError:
                return
            if news is self._news:
                try:
                    await asyncio.wait_for(news.wait(), _BEAT)
                except TimeoutError:
                    yield None

    async def _deltas_after(self, after: int) -> AsyncIterator[Delta]:
        """Yield the deltas of all commits so far after the commit `after`, from the log or the history."""
        if after < self._first:
            async for delta in iterate_in_threadpool(await run_in_threadpool(self._past, after)):
                yield delta
            return
        for commit in [each for each in self._log if each.number > after]:
            yield commit.delta

    async def follow(self, after: int, view: View) -> AsyncGenerator[bytes]:
        """Yield the bytes of a stream that begins after the commit `after`: each commit as the view shows it."""
        yield view.first_bytes(after)
        async for delta in self.deltas(after):
            yield view.heartbeat() if delta is None else await self._text(delta, view)

    async def _text(self, delta: Delta, view: View) -> bytes:
        """Return a commit as the view shows it. The first stream that asks makes the text; other streams share it."""
        key = delta.commit, view
        if (task := self._texts.get(key)) is None:
            task = self._texts[key] = asyncio.ensure_future(run_in_threadpool(view.text, delta))
            while len(self._texts) > _WRITTEN:
                self._texts.popitem(last=False)
        return await asyncio.shield(task)


async def _pieces_while(is_wanted: Callable[[], bool], content: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """Yield the pieces of a stream as long as it is wanted; this is asked before each piece."""
    async with aclosing(content):
        async for piece in content:
            if not is_wanted():
                return
            yield piece


class Stream(StreamingResponse):
    """The answer to a client that follows the feed. When the answer ends, the feed counts one stream less."""

    def __init__(self, feed: Feed, reader: str, content: AsyncGenerator[bytes], headers: dict[str, str]) -> None:
        super().__init__(content, headers={**headers, "X-Accel-Buffering": "no"})  # nginx keeps nothing back
        self._feed, self._reader, self._content = feed, reader, content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream, until its end or until the client's token is no longer known."""
        sessions = cast(Sessions, scope["app"].state.sessions)
        self.body_iterator = _pieces_while(lambda: sessions.is_known(scope), self._content)
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._feed.leave(self._reader)
