"""`Metrics`: figures for Prometheus: requests and their times by path, the graph, the queues."""

from __future__ import annotations

import time

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgreason.server.paths.served import Served


class Metrics:
    """An ASGI application that counts requests, and passes them to `app`.

    Each path of `paths` has a count of its own. Requests for all other paths are counted together.
    """

    def __init__(self, app: ASGIApp, paths: frozenset[str]) -> None:
        self._app, self._paths = app, paths
        self.registry = CollectorRegistry()
        labels = ("method", "path", "status")
        self._requests = Counter("kgreason_requests", "Requests that were answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "kgreason_request_seconds",
            "Seconds from a request to the end of its answer.",
            ("path",),
            registry=self.registry,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and count the request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), ["0"]

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = str(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            first = scope["path"].split("/")[1] if scope["path"].startswith("/") else ""
            path = f"/{first}" if f"/{first}" in self._paths else "other"
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._requests.labels(method, path, status[0]).inc()
            self._seconds.labels(path).observe(time.perf_counter() - begun)

    def watch(self, served: Served) -> None:
        """Add figures about the state of a server: its last commit, its queues, its processes and its streams."""
        gauges = {
            "kgreason_commit": ("The number of the last commit.", lambda: served.writer.commit),
            "kgreason_edits_waiting": ("Edits that run or wait.", lambda: served.writer.waiting),
            "kgreason_queries_waiting": ("Queries that wait for a process.", lambda: served.pool.waiting),
            "kgreason_query_processes": ("Processes for queries.", lambda: served.pool.running),
            "kgreason_streams": ("Clients that follow the changes.", lambda: served.feed.streams),
        }
        for name, (text, read) in gauges.items():
            Gauge(name, text, registry=self.registry).set_function(read)

    def response(self) -> Response:
        """Return the response with all figures, in the text format that Prometheus reads."""
        return Response(generate_latest(self.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")
