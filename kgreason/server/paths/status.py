"""`/status` and `/slow-queries`: memory, queues, last commits and slowest queries of the server.

The text of a query may say what others look for, so only an administrator sees the slow queries.
"""

from __future__ import annotations

import time

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.memory import resident_bytes
from kgreason.server.paths.server_parts import ask_engine, server_parts


async def status(request: Request) -> Response:
    """Return counts of the graph, the memory used, how many calls wait, and how long the last commits took."""
    state = server_parts(request)
    stats, warnings = await ask_engine(request, lambda graph: (graph.stats(), graph.warnings))
    return JSONResponse(
        {
            "commit": state.writer.commit,
            "stats": stats,
            "warnings": warnings,
            "resident_bytes": resident_bytes(),
            "seconds": time.time() - state.recent.begun,
            "waiting": {"edits": state.writer.waiting, "queries": state.pool.waiting},
            "query_processes": state.pool.process_count,
            "streams": state.feed.streams,
            "commits": list(state.recent.commits),
        }
    )


async def slow_queries(request: Request) -> Response:
    """List the slowest queries since the server began, each with the seconds from the query to its first rows."""
    return JSONResponse(
        [
            {"seconds": -query.negative, "begun": query.begun, "text": query.text}
            for query in server_parts(request).recent.queries
        ]
    )
