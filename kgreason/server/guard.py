"""`Guard`: decides for every request whether its client may ask, and adds headers that protect browsers.

    Host      must name this server, so that no other name leads a browser here (DNS rebinding)
    Origin    must be this server or an origin of --cors, so that no other page edits the graph (CSRF)
    Sec-Fetch-Site    must not name another origin, unless the user follows a link. So no other page keeps the server
              busy by images or frames, for which browsers send no Origin
    token     must have the role that path and method need, if the server has tokens; it comes as a bearer token, or as
              the password of Basic. A browser that has signed in sends the cookie of its session in place of the
              token, and an EventSource may send a ticket

No cache that several users share may keep an answer that needs a token (`private`), whether the token came as a header
or by a cookie. So no answer varies with Authorization. The cache of a browser asks again each time, with the token of
the user who has signed in then (`no-cache`).

All these rules hold for HTTP requests and for websockets. Tokens are compared in constant time. No message and no log
has a token.
"""

from __future__ import annotations

import base64
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgreason.server.http.lists import join_lists
from kgreason.server.problems import Problem
from kgreason.server.request.ids import HEADER
from kgreason.server.request.proxy import path_of, root_of
from kgreason.server.session import HOLDER, Holder, Sessions, cookie_of
from kgreason.server.settings import ROLES, Settings, is_loopback

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SAFE = ("GET", "HEAD", "OPTIONS")
SIGN_IN = "/console/sign-in"
ROLE = "kgreason.role"
"""The key of a scope under which paths find the role of the client."""
_EXPOSED = (
    "ETag, Location, Kgreason-Commit, Kgreason-Asserted, Kgreason-Retracted, Kgreason-Appeared, Kgreason-Committed"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


_NO_TOKEN = "give a token of this server: Authorization: Bearer TOKEN"
_UNKNOWN_TOKEN = "this server does not know the token that you gave"


class Guard:
    """An ASGI application that checks each request, and hands the allowed ones on to another ASGI application."""

    def __init__(self, app: ASGIApp, settings: Settings, sessions: Sessions) -> None:
        self._app, self._settings, self._sessions = app, settings, sessions
        own = _LOOPBACK if is_loopback(settings.host) else ()
        self._names = {*own, *settings.names, *([settings.host] if own or settings.names else [])}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        origin = Headers(scope=scope).get("origin")

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message), origin)
            await send(message)

        try:
            scope["headers"] = join_lists(scope["headers"])
            headers = Headers(scope=scope)
            self._check_host(headers)
            self._check_origin(headers)
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, sending)
                return
            self._check_token(scope, headers, required_role(scope["method"], path_of(scope)))
        except Problem as problem:
            await _refusal(scope, problem)(scope, receive, sending)
            return
        await self._app(scope, receive, sending)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a websocket, or refuse it. The client needs the role read."""
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            self._check_origin(headers)
            self._check_token(scope, headers, ROLES[0])
        except Problem:
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._app(scope, receive, send)

    def _add_headers(self, headers: MutableHeaders, origin: str | None) -> None:
        for name, value in _HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("Cache-Control", "private, no-cache" if self._settings.tokens else "no-cache")
        if self._settings.origins:
            headers.add_vary_header("Origin")
        if origin and self._is_allowed(origin):
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = f"{_EXPOSED}, Kgreason-Disappeared, {HEADER}"

    def _is_allowed(self, origin: str | None) -> bool:
        return "*" in self._settings.origins or origin in self._settings.origins

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if self._names and name.removeprefix("[").removesuffix("]").lower() not in self._names:
            raise Problem(421, f"this server is not called {name}; allow the name with --name")

    def _check_origin(self, headers: Headers) -> None:
        origin, host = headers.get("origin"), headers.get("host", "")
        own = (f"http://{host}", f"https://{host}")  # a proxy may speak TLS to the browser
        is_own = not _is_subresource(headers) if origin is None else origin in own
        if not is_own and not self._is_allowed(origin):
            raise Problem(403, "pages of other origins may not use this server; allow an origin with --cors")

    def _check_token(self, scope: Scope, headers: Headers, needed: str | None) -> None:
        """Find the role of the client, and store it in the scope of the request under the key `ROLE`.

        Raises Problem if the client has no role or a role below `needed`. If `needed` is None or the server has no
        tokens, every client gets the highest role.
        """
        scope[HOLDER] = None
        if not self._settings.tokens or needed is None:
            scope[ROLE] = ROLES[-1]
            return
        holder = scope[HOLDER] = self._holder(scope, headers)
        if holder is None:
            is_unknown = headers.get("authorization", "").partition(" ")[0].lower() in ("bearer", "basic")
            detail = _UNKNOWN_TOKEN if is_unknown else _NO_TOKEN
            raise Problem(401, detail, _challenge(scope, headers))
        scope[ROLE] = holder.role
        check_role(scope, needed)

    def _holder(self, scope: Scope, headers: Headers) -> Holder | None:
        """Return who sent a request; None if the request has nothing that this server knows."""
        word, _, given = headers.get("authorization", "").partition(" ")
        ticket = _ticket(scope)
        if word:
            means = word.lower()
            token = {"bearer": given.strip(), "basic": _password(given)}.get(means)
            found = None if token is None else self._sessions.holder_of_token(token)
            if found is None:
                self._sessions.refused.note(scope, means if means in ("bearer", "basic") else "unknown scheme")
            return found
        if ticket is not None:
            return self._sessions.holder_of_ticket(ticket)
        cookie = HTTPConnection(scope).cookies.get(cookie_of(headers.get("host", ""), root_of(scope)))
        return None if cookie is None else self._sessions.holder_of_cookie(cookie)


def _ticket(scope: Scope) -> str | None:
    """Return the ticket in the address of a stream; None if there is none, or if the path takes no tickets."""
    if scope.get("method") != "GET" or path_of(scope) not in _STREAMS:
        return None
    found = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=None).get("ticket")
    return found[-1] if found else None


def _password(given: str) -> str:
    """Return the password in the credentials of Basic; the user may have any name. Broken credentials give none."""
    try:
        return base64.b64decode(given.strip(), validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _challenge(scope: Scope, headers: Headers) -> dict[str, str]:
    """Return the header that says how to send a token.

    Scripts and pages of the console get no offer of Basic, for which a browser would show a window of its own.
    """
    is_of_console = path_of(scope) == "/" or path_of(scope).startswith(("/console", "/_nicegui"))
    is_of_script = headers.get("sec-fetch-mode", "navigate") != "navigate"
    return {"WWW-Authenticate": "Bearer" if is_of_console or is_of_script else f"Bearer, {_BASIC}"}


def _is_subresource(headers: Headers) -> bool:
    """Whether the headers say that a page of another origin loads something from here, such as an image or a frame.

    This is for requests without the header Origin. A page that the user opens by a link is not meant.
    """
    site, purpose = headers.get("sec-fetch-site"), headers.get("sec-fetch-dest")
    return site in ("cross-site", "same-site") and purpose != "document"


def check_role(scope: Scope, needed: str) -> None:
    """Raise Problem if the client that sent a request has a role below `needed`."""
    role = scope[ROLE]
    if ROLES.index(role) < ROLES.index(needed):
        raise Problem(403, f"the token has the role {role}, and this request needs the role {needed}")


def _refusal(scope: Scope, problem: Problem) -> Response:
    """Make the answer to a refused request.

    If a browser without a token asks for a page of the console, the answer leads it to the page where users sign in.
    """
    path, root = path_of(scope), root_of(scope)
    is_page = scope["method"] == "GET" and (path == "/" or path.startswith("/console"))
    if problem.status != 401 or not is_page:
        return problem.response()
    asked = quote(f"{path}?{scope['query_string'].decode('latin-1')}")
    return RedirectResponse(f"{root}{SIGN_IN}?next={asked}", 303, {"Cache-Control": "no-store"})


_BASIC = 'Basic realm="kgreason", charset="UTF-8"'
_STREAMS = ("/changes", "/subscribe")
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID,"
    " X-Request-ID",
    "Access-Control-Max-Age": "600",
}


def required_role(method: str, path: str) -> str | None:
    """Return the role that a request needs; None if everybody may send the request.

    >>> requests = ("POST", "/query"), ("PUT", "/store"), ("PUT", "/shapes"), ("GET", "/health")
    >>> tuple(required_role(*each) for each in requests)
    ('read', 'write', 'admin', None)
    """
    first = path.split("/")[1] if path.startswith("/") else path
    if first == "health" or path == SIGN_IN:
        return None
    if first in ("slow-queries", "backup") or (first in ("rules", "shapes") and method not in _SAFE):
        return "admin"
    if first in ("update", "store", "transactions", "revert") and method not in _SAFE:
        return "write"
    return "read"
