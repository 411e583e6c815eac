"""`Calls`: requests of a page to the paths of the server, as a client over HTTP would send them, but in the process.

    page -> Calls -> the application, with its guard -> path -> answer

So a page has the same limits, roles and errors as a client over HTTP. The requests have the same Host and cookie as the
browser's request for the page. If the answer is a problem document, Problem is raised.

Threads: everything here belongs to the event loop.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlencode

import orjson
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message

from kgreason.server.problems import Problem
from kgreason.server.request.proxy import root_of

_CARRIED = ("host", "cookie", "authorization")
_AHEAD = 8
_ADVICE = (
    (re.compile(r",? or pass prefixes=\{[^{}]*\}"), ""),
    (re.compile(r"use `update` for it"), "the page Edit takes it"),
)
_SHORT = 1 << 16
"""JSON with more bytes than this is read in a thread."""


class Answer:
    """An answer to a request: the status, the headers, and the pieces of the body."""

    def __init__(self, status: int, headers: Mapping[str, str], pieces: AsyncIterator[bytes]) -> None:
        self.status, self.headers, self.pieces = status, headers, pieces

    async def read(self) -> bytes:
        """Return the whole body."""
        return b"".join([piece async for piece in self.pieces])

    async def json(self) -> Any:
        """Parse the body as JSON. Returns the value."""
        text = await self.read()
        return orjson.loads(text) if len(text) < _SHORT else await asyncio.to_thread(orjson.loads, text)


class Calls:
    """Sends the requests of one page."""

    def __init__(self, app: ASGIApp, page: HTTPConnection) -> None:
        self._app, self._server, self._scheme = app, page.scope.get("server"), page.url.scheme.replace("ws", "http")
        self._root = root_of(page.scope)
        self._client = page.scope.get("client")
        self._headers = {name: page.headers[name] for name in _CARRIED if name in page.headers}

    async def json(self, path: str, **parameters: Any) -> Any:
        """Send a GET request for a path. Returns the value of the JSON answer. Raises Problem."""
        async with self.open("GET", path, parameters) as answer:
            return await answer.json()

    async def rows(self, query: str, **parameters: Any) -> list[list[str]]:
        """Send a SELECT query to /query. Returns the rows, with cells as TSV has them. Raises Problem."""
        given = {"query": query, **parameters}
        async with self.open("GET", "/query", given, headers={"accept": "text/tab-separated-values"}) as answer:
            lines = (await answer.read()).decode().removesuffix("\n").split("\n")  # texts may have other line breaks
            return [line.split("\t") for line in lines[1:]]

    async def send(self, method: str, path: str, text: str, kind: str, **options: Any) -> Answer:
        """Send a request with the body `text` of the media type `kind`. Returns the answer. Raises Problem.

        `method` is GET, POST and so on. The body of the answer must be JSON or empty. `options` may be `parameters` of
        the address and further `headers`.
        """
        headers = {"content-type": kind} | options.pop("headers", {})
        async with self.open(method, path, body=text.encode(), headers=headers, **options) as answer:
            found = await answer.read()
        return Answer(answer.status, answer.headers, _once(found))

    @asynccontextmanager
    async def open(
        self,
        method: str,
        path: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Answer]:
        """A context: send a request and give the answer. The end of the context cancels the request.

        The path then behaves as if its client had gone away. Raises Problem.
        """
        scope = self._scope(method, path, parameters or {}, {**self._headers, **(headers or {})}, body)
        messages: asyncio.Queue[Message | None] = asyncio.Queue(_AHEAD)
        task = asyncio.create_task(self._run(scope, body, messages))
        try:
            answer = await _answer(messages, task)
            if answer.status >= 400:
                raise _problem(answer.status, await answer.read(), answer.headers)
            yield answer
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task

    def _scope(
        self, method: str, path: str, parameters: Mapping[str, Any], headers: Mapping[str, str], body: bytes
    ) -> dict[str, Any]:
        given = {**headers, "content-length": str(len(body))} if body else headers
        query = urlencode({name: value for name, value in parameters.items() if value is not None}, doseq=True)
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": self._scheme,
            "path": f"{self._root}{path}",
            "raw_path": f"{self._root}{path}".encode(),
            "root_path": self._root,
            "query_string": query.encode(),
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in given.items()],
            "client": self._client,
            "server": self._server,
        }

    async def _run(self, scope: dict[str, Any], body: bytes, messages: asyncio.Queue[Message | None]) -> None:
        parts = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if parts:
                return parts.pop()
            await asyncio.Event().wait()  # until the task is cancelled
            raise AssertionError

        try:
            await self._app(scope, receive, messages.put)
        finally:
            with suppress(asyncio.QueueFull):
                messages.put_nowait(None)


async def _answer(messages: asyncio.Queue[Message | None], task: asyncio.Task[None]) -> Answer:
    start = await messages.get()
    if start is None:
        await task
        raise Problem(500, "the server has failed; its log says why")
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], headers, _pieces(messages))


async def _pieces(messages: asyncio.Queue[Message | None]) -> AsyncIterator[bytes]:
    """Yield the pieces of the body from the messages of an answer. Raises Problem if the answer is not complete."""
    while True:
        message = await messages.get()
        if message is None:
            raise Problem(502, "the answer is not complete: it took too long, or was too long")
        yield message.get("body", b"")
        if not message.get("more_body"):
            return


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


def page_message(message: str) -> str:
    """Turn a message of the library into one for a user of the pages, who passes no arguments of Python.

    >>> page_message("begin the query with PREFIX e: <http://e/>, or pass prefixes={'e': 'http://e/'}")
    'begin the query with PREFIX e: <http://e/>'
    """
    for pattern, advice in _ADVICE:
        message = pattern.sub(advice, message)
    return message


def _problem(status: int, text: bytes, headers: Mapping[str, str]) -> Problem:
    try:
        detail = page_message(str(json.loads(text)["detail"]))
    except (ValueError, KeyError, TypeError):
        detail = f"the server has answered with status {status}"
    return Problem(status, detail, headers)
