"""`AccessLog`: gives each request its id, and writes a line for each answer.

    plain   2026-11-28T09:30:00.000Z 192.0.2.7 write ann "POST /update" 204 0 0.012 7f3a...
    json    {"time": "...", "client": "192.0.2.7", "role": "write", "name": "ann", "method": "POST", ...}

A line has the role and the name of the token, and never a token: the parameters of an address are left out, because
they may have a ticket. The line is written when the answer has ended; for a stream this is when the client leaves.

Law: a line is one line of printable ASCII, whatever the client sends (`one_line`). Threads: everything here belongs to
the event loop.
"""

from __future__ import annotations

import json
import logging
import math
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from logging.handlers import WatchedFileHandler
from typing import Any, cast

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgreason.errors import InputError
from kgreason.server.request.ids import HEADER, LONGEST, REQUEST_ID, client_of, id_of, one_line
from kgreason.server.session import HOLDER, Holder
from kgreason.server.settings import Settings
from kgreason.store.journal.record import now

_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_EMPTY, _SECONDS = "-", 60
_LOGGER = logging.getLogger("kgreason.server")


class AccessLog:
    """An ASGI application that passes requests to `app`, and writes the access log that `settings` ask for."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Open the file of the log. Raises InputError if that is impossible."""
        self._app, self._form = app, settings.access_log or ("plain" if settings.access_file else None)
        self._log = logging.Logger("kgreason.access")  # not known to `getLogger`, so every server has its own
        if self._form is not None:
            handler = _handler(settings)
            handler.handleError = self._report_loss  # type: ignore[method-assign]  # its own writes a traceback each time
            self._log.addHandler(handler)
        self._told = -math.inf

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a websocket, and log it."""
        if scope["type"] == "lifespan":
            try:
                await self._app(scope, receive, send)
            finally:
                for handler in self._log.handlers:
                    with suppress(OSError):  # a full disk: `_report_loss` has said so
                        handler.close()
            return
        request, begun, status, size = id_of(Headers(scope=scope)), time.perf_counter(), 0, 0

        async def sending(message: Message) -> None:
            nonlocal status, size
            match message["type"]:
                case "http.response.start":
                    status = message["status"]
                    MutableHeaders(scope=message)[HEADER] = request
                case "http.response.body":
                    size += len(message.get("body", b""))
                case "websocket.accept":
                    status = 101
                case "websocket.close":
                    status = status or 403
            await send(message)

        before = REQUEST_ID.set(request)
        try:
            await self._app(scope, receive, sending)
        finally:
            with suppress(ValueError):  # a generator may be closed in another context
                REQUEST_ID.reset(before)
            if self._form is not None:
                self._write(_fields(scope, request, status, size, time.perf_counter() - begun))

    def _report_loss(self, record: logging.LogRecord | None = None) -> None:  # noqa: ARG002
        """Say once a minute that lines are lost, as on a full disk. Answers go on."""
        if time.monotonic() - self._told > _SECONDS:
            self._told = time.monotonic()
            _LOGGER.error("the access log cannot be written: %s", sys.exc_info()[1])

    def _write(self, fields: Mapping[str, Any]) -> None:
        try:
            self._log.info("%s", json.dumps(fields) if self._form == "json" else _plain_line(fields))
        except OSError:  # a file that was moved away cannot be opened again
            self._report_loss()


def _handler(settings: Settings) -> logging.Handler:
    if settings.access_file is None:
        return logging.StreamHandler()
    try:
        return WatchedFileHandler(settings.access_file, encoding="ascii")  # opens the file again after its rotation
    except OSError as error:
        raise InputError(f"--access-log-file {settings.access_file}: {error.strerror or error}") from error


def _fields(scope: Scope, request: str, status: int, size: int, seconds: float) -> dict[str, Any]:
    holder = cast("Holder | None", scope.get(HOLDER))
    return {
        "time": now(),
        "client": client_of(scope),
        "role": holder.role if holder else None,
        "name": holder.name or None if holder else None,
        "method": scope.get("method", "WEBSOCKET"),
        "path": scope.get("raw_path", scope["path"].encode()).partition(b"?")[0].decode("latin-1")[:LONGEST],
        "status": status or None,
        "bytes": size,
        "seconds": round(seconds, 6),
        "request": request,
    }


def _plain_line(fields: Mapping[str, Any]) -> str:
    told = {name: _EMPTY if value is None else one_line(str(value)) for name, value in fields.items()}
    return '{time} {client} {role} {name} "{method} {path}" {status} {bytes} {seconds} {request}'.format_map(told)


class LineFormatter(logging.Formatter):
    """Formats log messages so that no text of a client looks like a message of its own.

    Control characters are written as escapes, and the second and later lines of a message, such as those of a
    traceback, are indented.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a message."""
        return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], super().format(record)).replace("\n", "\n    ")
