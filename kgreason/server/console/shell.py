"""`Console`: NiceGUI beside the paths of the server.

    /  /console/...  /_nicegui...    -> NiceGUI          everything else    -> the paths of the server

NiceGUI has one application for each process, so a process can serve one console at a time. Requests to NiceGUI and to
the paths pass the guard of the server first. A page finds its `Console` under the key `CONSOLE` in the scope of its
request.

The Content-Security-Policy of the pages lets a browser load from this server alone. It allows inline scripts and
`eval`, because NiceGUI needs them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache

from nicegui import Client, ui
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgreason.server.console.calls import Calls
from kgreason.server.console.vocabulary import Vocabulary
from kgreason.server.guard import SIGN_IN
from kgreason.server.problems import busy_problem
from kgreason.server.request.proxy import path_of

CONSOLE = "kgreason.console"
_PATHS = ("/console/", "/_nicegui")
_OWN = (SIGN_IN, "/console/sign-out", "/console/rows")
"""Paths of the console that are not pages of NiceGUI."""
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
_PAGES = 300
"""How many pages may be open at once; a page that no browser connects to is open for a minute."""
_PATIENCE = 10
"""The seconds that a page waits for a browser that has lost its connection."""


class Console:
    """An ASGI application.

    It sends requests for pages to NiceGUI, and all other requests to the paths of the server.
    """

    def __init__(
        self,
        paths: ASGIApp,
        whole: Callable[[], ASGIApp],
        register: Callable[[], object],
        prefixes: Callable[[], Mapping[str, str]],
        body_bytes: int,
    ) -> None:
        """`paths` is the application of the paths. `whole` returns the application with the guard.

        The pages send their requests to the application with the guard. `register` makes all pages known to NiceGUI.
        `prefixes` returns the prefixes that the graph remembers. `body_bytes` is the largest body that the paths take.
        """
        self._paths, self._whole, self.body_bytes = paths, whole, body_bytes
        self._shell = _shell(register)
        self.vocabulary = Vocabulary(prefixes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a websocket."""
        path = path_of(scope) if "path" in scope else ""
        is_page = path == "/" or path.startswith(_PATHS)
        if scope["type"] == "lifespan" or not is_page or path.startswith(_OWN):
            await self._paths(scope, receive, send)
            return

        if not path.startswith("/_nicegui") and len(Client.instances) >= _PAGES:
            await busy_problem("pages").response()(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = _POLICY
                headers["Referrer-Policy"] = "same-origin"  # without it browsers send forms with Origin: null
            await send(message)

        await self._shell({**scope, CONSOLE: self}, receive, sending)

    def calls(self, request: Request) -> Calls:
        """Return the `Calls` of a page. `request` is the browser's request for this page."""
        return Calls(self._whole(), request)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """A context: NiceGUI serves the pages until the context ends."""
        async with self._shell.router.lifespan_context(self._shell):
            yield


@cache
def _shell(register: Callable[[], object]) -> Starlette:
    register()
    shell = Starlette()
    ui.run_with(
        shell,  # type: ignore[arg-type]  # it calls methods of Starlette alone
        title="kgreason",
        dark=None,
        language="en-US",
        tailwind=False,
        reconnect_timeout=_PATIENCE,
        show_welcome_message=False,
    )
    return shell
