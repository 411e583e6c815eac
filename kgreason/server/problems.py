"""Errors as RFC 9457 documents (`application/problem+json`), with the message that the command line gives.

    {"type": "about:blank", "title": "Bad Request", "status": 400, "detail": "the query does not parse: ..."}

The member `request` is the id of the request, which the log has as well.

Law: no traceback and no path of the server leaves the process. An error that kgreason does not raise on purpose is a
500 without details; its traceback goes to the log.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from kgreason.errors import (
    ContradictionError,
    DiskFullError,
    GraphBusyError,
    HistoryError,
    InputError,
    KgreasonError,
    LimitError,
    QueryError,
    QueryTimeoutError,
    RuleError,
    StoreError,
    ViolationError,
)
from kgreason.files import fullness
from kgreason.server.request.ids import REQUEST_ID
from kgreason.wire import failures

_LOGGER = logging.getLogger("kgreason.server")
_STATUSES: tuple[tuple[type[KgreasonError], HTTPStatus], ...] = (
    (QueryTimeoutError, HTTPStatus.GATEWAY_TIMEOUT),
    (GraphBusyError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ContradictionError, HTTPStatus.CONFLICT),
    (ViolationError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (QueryError, HTTPStatus.BAD_REQUEST),
    (RuleError, HTTPStatus.BAD_REQUEST),
    (InputError, HTTPStatus.BAD_REQUEST),
    (LimitError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (HistoryError, HTTPStatus.NOT_FOUND),
    (StoreError, HTTPStatus.INTERNAL_SERVER_ERROR),
)
_HIDDEN = "the server has failed; its log says why"
_SOON = {"Retry-After": "1"}


class Problem(Exception):  # noqa: N818  # the word of RFC 9457
    """The error for a failed request. It has the status of the answer, a text that says what is wrong, and headers."""

    def __init__(
        self, status: int, detail: str, headers: Mapping[str, str] | None = None, more: Mapping[str, Any] | None = None
    ) -> None:
        """`more`: further members of the problem document. Only clients of kgreason read these members."""
        self.status, self.detail, self.headers, self.more = status, detail, headers, more or {}
        super().__init__(detail)

    def response(self) -> Response:
        """Return the answer with the problem document."""
        title = HTTPStatus(self.status).phrase
        text = {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail, **self.more}
        if request := REQUEST_ID.get():
            text["request"] = request
        kind = "application/problem+json"
        return Response(json.dumps(text), self.status, self.headers, kind)


def busy_problem(what: str) -> Problem:
    """Make the problem for a full queue. `what` says what the queue holds, such as "queries"."""
    return Problem(503, f"too many {what} wait already; try again later", _SOON)


def stopping_problem() -> Problem:
    """Make the problem for a request that a stopping server ends."""
    return Problem(503, "the server is stopping")


def problem_of(error: Exception) -> Problem:
    """Make the problem that the client gets for an error. Log the error if the client cannot correct it."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        return Problem(error.status_code, error.detail, error.headers)
    if isinstance(error, RecursionError):
        return Problem(400, "the text is nested too deeply")
    if full := _full_disk_text(error):
        _LOGGER.error("a request failed: %s", error)
        return Problem(HTTPStatus.INSUFFICIENT_STORAGE, full, more=failures.to_json(DiskFullError(full)))
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        _LOGGER.error("a request failed", exc_info=error)
        return Problem(status, _HIDDEN)
    headers = _SOON if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    assert isinstance(error, KgreasonError)
    return Problem(status, " ".join(str(error).split()), headers, failures.to_json(error))


def _full_disk_text(error: Exception) -> str:
    """Return what a client may know of an error that names a full disk: not the path. An empty text for others."""
    if isinstance(error, DiskFullError):
        return str(error).rpartition(": ")[2]
    return fullness(error) if isinstance(error, OSError) else ""


async def problem_response(_: Request, error: Exception) -> Response:
    """Answer a request whose path raised `error`. Starlette calls this function for every error."""
    return problem_of(error).response()
