"""`Renewals`: the standing queries that are evaluated as a whole again. No edit waits for them.

    a commit -> the query's turn -> a query process, which can be killed -> its rows, compared with those before

One query at a time has its turn, and then nobody for as long as that took: all of them together take half of one query
process, so that other queries have the rest. The readers take turns (`turns`), so that many queries of one reader delay
its own queries alone. A query whose turn comes late has missed some commits, and tells what they changed together. So
of many commits in a second it tells the last one.

Laws: all rows that have appeared, minus all rows that have disappeared, are those after the commit that is told, or
after a later one that its process has seen already. After the last commit they are those after the last commit. A turn
takes at most `seconds`; a query that takes longer ends with the reason. Threads: the event loop alone; rows are
compared in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

import pyoxigraph
from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions
from starlette.concurrency import run_in_threadpool

from kgreason.errors import QueryError
from kgreason.graph.standing.standing_queries import StandingQueries
from kgreason.graph.standing.standing_query import RowChange, StandingQuery
from kgreason.server.problems import Problem
from kgreason.server.queries.pool import Answer, Pool, Request
from kgreason.server.streams.feed import Feed
from kgreason.server.streams.turns import Turns
from kgreason.server.writer import Writer

_AGAIN = 1.0
"""So many seconds a query waits if all processes are taken."""
_BUSY = 503


class Renewals:
    """The standing queries of a server that are evaluated as a whole. Their rows share the room of `together`."""

    def __init__(self, pool: Pool, writer: Writer, feed: Feed, together: StandingQueries, seconds: float) -> None:
        self._pool, self._writer, self._feed, self._together, self._seconds = pool, writer, feed, together, seconds
        self._turns = Turns()

    async def changes(self, query: Request, reader: str) -> AsyncGenerator[RowChange | None]:
        """Yield the present rows of a query of a reader as a change, and what later commits change in them.

        The query asks for JSON. Yields None if nothing comes for some seconds. Raises QueryError, QueryTimeoutError,
        Problem.
        """
        answer, told, seen = _Answer(), list[RowChange](), -1
        standing: StandingQuery | None = None
        try:
            while not self._feed.is_closed:
                if standing is not None and not await self._feed.wait_for_commit(seen):
                    yield None
                    continue
                seen, answer.document = await self._evaluate(query, reader)
                if standing is None:
                    standing = await run_in_threadpool(self._begin, query, answer, seen, told.append)
                else:
                    await run_in_threadpool(standing.renew, seen)
                answer.document = b""  # only the rows count among those of all standing queries
                for change in told:
                    yield change
                told.clear()
        finally:
            if standing is not None:
                standing.close()

    def _begin(
        self, query: Request, answer: _Answer, commit: int, tell: Callable[[RowChange], object]
    ) -> StandingQuery:
        assert query.sparql
        room, prefixes = self._together.characters_left, query.prefixes or {}
        try:
            standing = StandingQuery(answer, query.sparql, prefixes, query.base, commit, tell, room)
        except QueryError as error:  # its traceback holds solutions, which must be dropped in this thread
            raise error.with_traceback(None) from None
        self._together.count_rows(standing)
        return standing

    async def _evaluate(self, query: Request, reader: str) -> tuple[int, bytes]:
        """Wait for a turn of the reader, and return the last commit then, and the answer as a document."""
        time = asyncio.get_running_loop().time
        async with self._turns.turn(reader):
            begun, commit = time(), self._writer.commit
            document = await self._document(query._replace(commit=commit, seconds=self._seconds))
            await asyncio.sleep(time() - begun)
            return commit, document

    async def _document(self, query: Request) -> bytes:
        while True:
            try:
                answer = await self._pool.ask(query)
            except Problem as problem:
                if problem.status != _BUSY or self._feed.is_closed:
                    raise
                await asyncio.sleep(_AGAIN)
                continue
            try:
                return await self._document_of(answer)
            finally:
                answer.close()

    async def _document_of(self, answer: Answer) -> bytes:
        """Return the document of an answer. Raises QueryError if it is longer than all rows together may be."""
        if answer.document is not None:
            return answer.document
        pieces, size, most = list[bytes](), 0, self._together.most
        async for piece in answer.pieces():
            pieces.append(piece)
            size += len(piece)
            if most is not None and size > most:
                raise QueryError("the rows have more characters than those of all standing queries may have")
        return b"".join(pieces)


class _Answer:
    """The last answer of a query as a document in JSON. Calling it reads the document."""

    document = b""

    def __call__(self, _: str) -> QuerySolutions | QueryBoolean:
        return pyoxigraph.parse_query_results(self.document, QueryResultsFormat.JSON)
