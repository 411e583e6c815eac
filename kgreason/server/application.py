"""`application`: the paths of the server, their errors, and the guard that checks each request before its path runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from kgreason.errors import KgreasonError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.standing.standing_queries import StandingQueries
from kgreason.server import problems
from kgreason.server.guard import Guard
from kgreason.server.http.compression import Compression
from kgreason.server.metrics import Metrics
from kgreason.server.openapi import openapi
from kgreason.server.operation.access import AccessLog
from kgreason.server.operation.backup import backup, remove_leftovers
from kgreason.server.operation.tickets import tickets
from kgreason.server.paths import history, inference
from kgreason.server.paths.clients import reads
from kgreason.server.paths.clients.subscribe import subscribe
from kgreason.server.paths.clients.transactions import transactions
from kgreason.server.paths.query import query
from kgreason.server.paths.recent_work import Recent
from kgreason.server.paths.server_parts import ServerParts
from kgreason.server.paths.status import slow_queries, status
from kgreason.server.paths.store import store
from kgreason.server.paths.triples import triples
from kgreason.server.paths.update import update
from kgreason.server.paths.validation.shapes import shapes
from kgreason.server.paths.validation.validate import validate
from kgreason.server.problems import Problem
from kgreason.server.queries.call_threads import CallThreads
from kgreason.server.queries.limits import CallLimits
from kgreason.server.queries.pool import Pool
from kgreason.server.request.proxy import BehindProxy, check_proxy
from kgreason.server.session import Sessions
from kgreason.server.settings import Settings
from kgreason.server.streams.feed import Feed
from kgreason.server.streams.renewals import Renewals
from kgreason.server.writer import QuestionLimits, Writer

if TYPE_CHECKING:
    from kgreason.server.console.shell import Console

_READ = ["GET", "HEAD"]
_EDITS = ["GET", "HEAD", "POST", "PUT", "DELETE"]
_ROUTES = [
    Route("/query", query, methods=["GET", "POST"]),
    Route("/update", update, methods=["GET", "POST"]),
    Route("/store", store, methods=_EDITS),
    Route("/store/{graph:path}", store, methods=_EDITS),
    Route("/transactions", transactions, methods=["POST"]),
    Route("/match", reads.match, methods=_READ),
    Route("/dump", reads.dump, methods=_READ),
    Route("/relations", reads.relations, methods=_READ),
    Route("/relations/{name}", reads.relation, methods=_READ),
    Route("/what-if", inference.what_if, methods=["POST"]),
    Route("/explain", inference.explain, methods=_READ),
    Route("/why-not", inference.why_not, methods=_READ),
    Route("/revert", history.revert, methods=["POST"]),
    Route("/rules", inference.rules, methods=["GET", "HEAD", "POST", "DELETE"]),
    Route("/shapes", shapes, methods=_EDITS),
    Route("/validate", validate, methods=["GET", "HEAD", "POST"]),
    Route("/contradictions", inference.contradictions, methods=_READ),
    Route("/triples", triples, methods=_READ),
    Route("/stats", inference.stats, methods=_READ),
    Route("/status", status, methods=_READ),
    Route("/slow-queries", slow_queries, methods=_READ),
    Route("/commits", history.commits, methods=_READ),
    Route("/commits/{number}", history.commit, methods=_READ),
    Route("/changes", inference.changes, methods=["GET"]),
    Route("/subscribe", subscribe, methods=["GET"]),
    Route("/backup", backup, methods=["GET"]),
    Route("/tickets", tickets, methods=["POST"]),
    Route("/health", inference.health, methods=_READ),
]


def application(graph: KnowledgeGraph, settings: Settings, feed: Feed) -> tuple[ASGIApp, Sessions]:
    """Return the ASGI application that serves a graph, and its sessions. At its end the application closes the graph.

    `feed` gives the commits to the streams of /changes. Raises InputError.
    """

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        remove_leftovers(settings.store)
        means = QuestionLimits(settings.question_seconds, settings.question_bytes, settings.hold_seconds)
        writer = Writer(graph, settings.writers_waiting, means, lambda: feed.is_closed)
        pool = Pool(settings, writer.flush)
        standing = StandingQueries(settings.standing_seconds, settings.question_bytes, settings.query_bytes)
        renewals = Renewals(pool, writer, feed, standing, settings.standing_seconds)
        limits = CallLimits(settings.question_seconds, settings.question_bytes, lambda: feed.is_closed)
        past = CallThreads(limits, "reading the past", "; ask for fewer commits")
        answers = CallThreads(limits, "writing the answer")
        app.state.served = ServerParts(settings, pool, writer, feed, Recent(), standing, renewals, past, answers)
        app.state.sessions = sessions
        metrics.watch(app.state.served, sessions)
        feed.begin()
        graph.subscribe(feed.add)
        try:
            await pool.warm_up()
            # the engine starts now, so that the first edit does not wait for it
            warming = asyncio.create_task(writer.run(lambda graph: graph.what_if().end(False)))
            warming.add_done_callback(_log_task_error)
            async with console.lifespan() if console else nullcontext():
                yield
        finally:
            await pool.close()
            writer.close()

    async def figures(_: Request) -> Response:
        """Return figures for Prometheus: counts and times of requests, the graph and the queues."""
        return await metrics.response()

    async def api_description(_: Request) -> Response:
        """Return the OpenAPI description of all paths."""
        return JSONResponse(openapi(routes) | {"servers": [{"url": settings.root_path or "/"}]})

    routes = [
        *_ROUTES,
        Route("/metrics", figures, methods=_READ),
        Route("/openapi.json", api_description, methods=_READ),
    ]

    handled: tuple[type[Exception], ...] = (Problem, KgreasonError, HTTPException, OSError, Exception)
    check_proxy(
        settings.root_path, settings.trusted_proxies, [*(route.path for route in routes), "/console", "/_nicegui"]
    )
    sessions = Sessions(settings.tokens, settings.token_names)
    app = Starlette(
        routes=[*routes, *_console_routes()] if settings.console else routes,
        exception_handlers=dict.fromkeys(handled, problems.problem_response),
        lifespan=running,
    )
    console = _console(app, lambda: logged, graph, settings.body_bytes) if settings.console else None
    guarded = Guard(console or app, settings, sessions)
    metrics = Metrics(Compression(guarded), frozenset(route.path for route in routes))
    logged = AccessLog(metrics, settings)
    return BehindProxy(logged, settings.root_path, settings.trusted_proxies), sessions


def _console(paths: ASGIApp, whole: Callable[[], ASGIApp], graph: KnowledgeGraph, body_bytes: int) -> Console:
    """Wrap the application `paths` in the console. Only a server with a console imports NiceGUI.

    `whole` returns the application with the guard, to which the pages send their requests.
    """
    from kgreason.server.console.pages import register
    from kgreason.server.console.shell import Console

    return Console(paths, whole, register, lambda: graph.prefixes, body_bytes)


def _console_routes() -> list[Route]:
    from kgreason.server.console.rows import rows_file
    from kgreason.server.console.sign_in import sign_in, sign_out

    return [
        Route("/console/sign-in", sign_in, methods=["GET", "POST"]),
        Route("/console/sign-out", sign_out, methods=["POST"]),
        Route("/console/rows.{form}", rows_file, methods=["GET"]),
    ]


def _log_task_error(task: asyncio.Task[None]) -> None:
    """Log the error of a task that has ended. No other code waits for the task, so nobody else would see the error."""
    if not task.cancelled() and (error := task.exception()):
        problems.problem_of(error if isinstance(error, Exception) else RuntimeError(str(error)))
