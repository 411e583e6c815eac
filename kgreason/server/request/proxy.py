"""`BehindProxy`: requests that come through a proxy: below a path prefix, and with the client's address in headers.

    --root-path /kg          /kg/query -> the path /query, whose address in answers is /kg/query
    --trusted-proxy ADDRESS  X-Forwarded-For, X-Forwarded-Proto -> address of the client, http or https

A proxy may also take the prefix away, so /query is the same path. The headers of all other clients are ignored: anybody
can send them. In the scope of a request `path` has the prefix and `root_path` is the prefix, as ASGI says.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_network
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from kgreason.errors import InputError


class BehindProxy:
    """An ASGI application that corrects the scope of each request, and passes the request to `app`."""

    def __init__(self, app: ASGIApp, root: str, trusted: Sequence[str]) -> None:
        """`root` is the prefix, without a slash at its end; `trusted` are addresses and networks of proxies."""
        self._app, self._root = app, root
        rooted = cast(Any, self._set_root)
        self._whole: Any = ProxyHeadersMiddleware(rooted, list(trusted)) if trusted else rooted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a websocket."""
        await self._whole(scope, receive, send)

    async def _set_root(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._root and scope["type"] != "lifespan":
            scope["root_path"] = self._root
            is_whole = scope["path"].startswith(f"{self._root}/")
            if scope["path"] == self._root:
                scope["path"], scope["raw_path"] = f"{self._root}/", f"{self._root}/".encode()
            elif not is_whole:
                scope["path"] = f"{self._root}{scope['path']}"
                scope["raw_path"] = self._root.encode() + scope["raw_path"]
        await self._app(scope, receive, send)


def root_of(scope: Scope) -> str:
    """Return the prefix of the server that received a request. Routers below it make `root_path` longer."""
    return cast(str, scope.get("app_root_path", scope.get("root_path", "")))


def path_of(scope: Scope) -> str:
    """Return the path that a request asks for, without the prefix of the server."""
    return cast(str, scope["path"]).removeprefix(root_of(scope)) or "/"


def check_proxy(root: str, trusted: Sequence[str], paths: Sequence[str]) -> None:
    """Raise InputError for a prefix or an address of a proxy that cannot be used. `paths` are those of the server.

    The prefix must not begin with the name of a path: if /store were a prefix, /store/x could mean two things.
    """
    for address in trusted:
        try:
            ip_network(address)
        except ValueError as error:
            raise InputError(f"--trusted-proxy {address}: write an address or a network, as in 10.0.0.0/8") from error
    if not root:
        return
    names = root.split("/")
    is_plain = names[0] == "" and all(_is_plain(name) for name in names[1:])
    if not is_plain:
        raise InputError(f"--root-path {root}: write a path such as /kg, with a slash at its beginning only")
    if f"/{names[1]}" in {f"/{path.split('/')[1]}" for path in paths}:
        raise InputError(f"--root-path {root}: /{names[1]} is a path of the server itself; choose another name")


def _is_plain(name: str) -> bool:
    return (
        bool(name)
        and name.isascii()
        and name.strip(".") != ""
        and all(each.isalnum() or each in "-._~" for each in name)
    )
