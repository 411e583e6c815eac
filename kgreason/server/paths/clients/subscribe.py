"""`/subscribe?query=...`: a standing query as events: first its present rows, then what each commit changes.

    id: 7
    event: rows
    data: {"commit": 7, "columns": ["x"], "appeared": [["<http://e/tom>"]], "disappeared": [], "first": true}

A row is a list of N-Triples texts, null for a variable without a value. After a lost connection a client asks again,
and gets the present rows again. If the query fails or takes too long, the last event is `end`, with the problem.

    query -> evaluated once in a query process, which can be killed
        it has a plan    -> thread of the writer: answered from the delta of each commit
        it has none      -> `renewals`: evaluated in a query process again

Laws: a query that takes too long or too much memory is refused before the thread of the writer evaluates it. A client
that reads too slowly is dropped. Cost: see `graph.standing`. What the writer does after a commit delays the next edit.
So the queries with a plan may take at most `standing_seconds` together, and those that would take longer end with the
reason. A turn of any other query may take as long.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kgreason.errors import KgreasonError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.standing.reading import plan_of
from kgreason.graph.standing.standing_query import RowChange, StandingQuery
from kgreason.server.paths.query import check_service
from kgreason.server.paths.server_parts import (
    ServerParts,
    ask_process,
    base_of,
    check_text,
    parameters,
    prefixes_of,
    server_parts,
    single,
)
from kgreason.server.problems import Problem, problem_of
from kgreason.server.queries.nesting import may_be_deep
from kgreason.server.queries.pool import Request as Query
from kgreason.server.session import reader_of
from kgreason.server.streams.feed import Stream
from kgreason.terms.prefixes import declarations

_WAITING = 1_000
"""At most this many events wait for a client that reads slowly."""
_BEAT, _LOOK = 15, 1


async def subscribe(request: Request) -> Response:
    """Send the rows of a query, then for each commit the rows that it changes, as server-sent events."""
    state, given = server_parts(request), parameters(request)
    sparql, base, prefixes = single(given, "query"), base_of(given, request), prefixes_of(given)
    if sparql is None:
        raise Problem(400, "the parameter query is missing")
    reader = reader_of(request.scope)
    await state.feed.enter(None, reader)
    try:
        await run_in_threadpool(check_service, sparql)
        if await run_in_threadpool(may_be_deep, sparql):
            await check_text(request, "query", f"{declarations(prefixes)}{sparql}", base=base)
        query = Query(sparql, state.writer.commit, base, solutions="json", triples="nt", prefixes=prefixes)
        await _try_query(request, query)
        plan = await run_in_threadpool(plan_of, sparql, prefixes, base)
    except BaseException:
        state.feed.leave(reader)
        raise
    headers = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
    changes = state.renewals.changes(query, reader) if plan is None else _changes(state, sparql, prefixes, base)
    return Stream(state.feed, reader, _events(changes), headers)


async def _try_query(request: Request, query: Query) -> None:
    """Evaluate a query once in a query process, to find its errors. Raises QueryError, QueryTimeoutError, Problem."""
    answer = await ask_process(request, query)
    try:
        if answer.kind != "solutions":
            raise Problem(400, "a standing query is a SELECT or an ASK query")
        if answer.document is None:
            async for _ in answer.pieces():
                pass
    finally:
        answer.close()


async def _events(changes: AsyncGenerator[RowChange | None]) -> AsyncGenerator[bytes]:
    """Yield the events of a standing query, until the query ends, the client goes away or the server stops."""
    is_first = True
    try:
        async with aclosing(changes):
            async for change in changes:
                if change is None:
                    yield b": still here\n\n"
                elif change.error is not None:
                    yield _end_event(change.error)
                    return
                else:
                    yield _event(change, is_first=is_first)
                    is_first = False
    except (KgreasonError, Problem) as error:
        yield _end_event(error)


async def _changes(
    state: ServerParts, sparql: str, prefixes: dict[str, str], base: str | None
) -> AsyncGenerator[RowChange | None]:
    """Yield the changes of a standing query that the writer answers; None if nothing comes for some seconds."""
    events: asyncio.Queue[RowChange] = asyncio.Queue()
    loop, is_over = asyncio.get_running_loop(), False

    def tell(change: RowChange) -> None:
        loop.call_soon_threadsafe(events.put_nowait, change)

    begun: list[StandingQuery] = []

    def begin(graph: KnowledgeGraph) -> None:
        begun.append(graph.standing(sparql, tell, prefixes=prefixes, base=base, together=state.standing))
        if is_over:  # nobody closes the query later
            begun[0].close()

    try:
        await state.writer.ask(begin)
        idle = 0
        while not state.feed.is_closed and events.qsize() < _WAITING:
            try:
                yield await asyncio.wait_for(events.get(), _LOOK)
            except TimeoutError:
                idle += _LOOK
                if idle % _BEAT == 0:
                    yield None
    finally:
        is_over = True
        for each in begun:
            each.close()


def _end_event(error: Exception) -> bytes:
    problem = problem_of(error)
    text = json.dumps({"status": problem.status, "detail": problem.detail})
    return f"event: end\ndata: {text}\n\n".encode()


def _event(change: RowChange, *, is_first: bool) -> bytes:
    told = {
        "commit": change.commit,
        "columns": change.columns,
        "appeared": change.appeared,
        "disappeared": change.disappeared,
        "first": is_first,
    }
    return f"id: {change.commit}\nevent: rows\ndata: {json.dumps(told)}\n\n".encode()
