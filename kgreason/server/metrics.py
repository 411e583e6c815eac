"""`Metrics`: figures for Prometheus: requests and their times by path, the graph, the queues."""

from __future__ import annotations

import time

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgreason.server.operation.figures import Figures
from kgreason.server.paths.server_parts import ServerParts
from kgreason.server.request.proxy import path_of
from kgreason.server.session import Sessions


class Metrics:
    """An ASGI application that counts requests, and passes them to `app`.

    Each path of `paths` has a count of its own. Requests for all other paths are counted together.
    """

    def __init__(self, app: ASGIApp, paths: frozenset[str]) -> None:
        self._app, self._paths = app, paths
        self.registry = CollectorRegistry()
        self._figures: Figures | None = None
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
        begun, status, path = time.perf_counter(), ["0"], path_of(scope)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = str(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            first = f"/{path.split('/')[1]}" if path.startswith("/") else ""
            path = first if first in self._paths else "other"
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._requests.labels(method, path, status[0]).inc()
            self._seconds.labels(path).observe(time.perf_counter() - begun)

    def watch(self, served: ServerParts, sessions: Sessions) -> None:
        """Add figures about the state of a server: its graph, queues, processes, streams and disk."""
        self._figures = Figures(served, sessions, self.registry)

    async def response(self) -> Response:
        """Return the response with all figures, in the text format that Prometheus reads."""
        if self._figures is not None:
            await self._figures.refresh()
        return Response(generate_latest(self.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")
