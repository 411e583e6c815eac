"""The id of a request: it is in the header X-Request-ID of the answer, in problem documents and in the log.

    X-Request-ID: 7f3a...          an id that the client or a proxy has chosen
    traceparent: 00-4bf9...-...    W3C Trace Context: the id of the trace

If a request brings no sane id, the server makes one. Law: an id has only characters that cannot break a line of a log
or a header. Threads: the id belongs to the context of a task, and to the threads that this task waits for.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from contextvars import ContextVar

from starlette.datastructures import Headers
from starlette.types import Scope

HEADER = "X-Request-ID"
REQUEST_ID: ContextVar[str] = ContextVar("kgreason.request", default="")
"""The id of the request that the present task answers; empty outside of requests."""
LONGEST = 1000
"""The most characters of a text of a client in a line of a log."""
_SANE = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")
_TRACE = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")


def id_of(headers: Headers) -> str:
    """Return the id that a request brings, or a new one.

    >>> id_of(Headers({"X-Request-ID": "a-1"})), len(id_of(Headers({"X-Request-ID": "a b"})))
    ('a-1', 32)
    """
    given = headers.get(HEADER, "")
    if _SANE.fullmatch(given):
        return given
    trace = _TRACE.fullmatch(headers.get("traceparent", ""))
    return trace[1] if trace and trace[1].strip("0") else secrets.token_hex(16)


def client_of(scope: Scope) -> str:
    """Return the address of the client that sent a request; a trusted proxy may have told it."""
    client = scope.get("client")
    return one_line(client[0]) if client else "-"


def one_line(text: str) -> str:
    r"""Return a text as a part of a line: at most 1,000 characters, without characters that end the line or color it.

    >>> one_line('a\r\nb "\x1b[31m')
    'a\\r\\nb \\"\\u001b[31m'
    """
    return json.dumps(text[:LONGEST])[1:-1]


class _IdFilter(logging.Filter):
    """Adds the id of the request to the messages that are logged while the server answers this request."""

    def filter(self, record: logging.LogRecord) -> bool:
        if request := REQUEST_ID.get():
            record.msg = f"{record.msg} (request {request})"
        return True


logging.getLogger("kgreason.server").addFilter(_IdFilter("kgreason.server"))
