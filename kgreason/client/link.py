"""`Link`: requests to one server, over connections that are used again.

Law: an edit is sent once, and never sent again after a lost connection. A request that only reads is sent again, over a
new connection, if it fails over a connection that was used before. Threads: any number of threads may use a link; each
request has a connection for itself until it is answered.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import IO, Any, NamedTuple, cast
from urllib.parse import urlencode, urlsplit

from kgreason.client.spool import spooled
from kgreason.errors import InputError, ServerError
from kgreason.wire import failures

_PIECE = 1 << 18
Parameters = Iterable[tuple[str, str]]


class Reply(NamedTuple):
    """The answer to a request: its headers, by names in lower case, and its body as an open file."""

    headers: Mapping[str, str]
    file: IO[bytes]

    def json(self) -> Any:
        """Return the body, parsed as JSON, and close the file."""
        with closing(self.file):
            return json.loads(self.file.read())

    def bytes(self) -> bytes:
        """Return the body as bytes, and close the file."""
        with closing(self.file):
            return self.file.read()


class Link:
    """Sends requests to a server at an address such as http://127.0.0.1:7878.

    If the server has tokens, `token` must be one of them.
    """

    def __init__(self, url: str, token: str | None = None, timeout: float | None = None) -> None:
        """`timeout` is how many seconds to wait for the server, without a limit if it is None. Raises InputError."""
        self.url = url.rstrip("/")
        self._parts = urlsplit(self.url)
        try:
            self._port = self._parts.port
        except ValueError as error:
            raise InputError(f"{url}: is not the address of a server: {error}") from error
        if self._parts.scheme not in ("http", "https") or not self._parts.hostname:
            raise InputError(f"{url}: is not the address of a server, such as http://127.0.0.1:7878")
        if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token):
            raise InputError("a token has ASCII characters without spaces around them")
        self._token, self._timeout = token, timeout
        self._idle: list[HTTPConnection] = []
        self._is_closed = False

    def ask(self, path: str, given: Parameters = (), accept: str = "application/json") -> Reply:
        """Send a GET request with the parameters `given`, and return the answer in the media type `accept`.

        Raises the errors of the server, and ServerError.
        """
        return self._answer("GET", with_parameters(path, given), None, {"Accept": accept}, is_edit=False)

    def form(self, path: str, given: Parameters, accept: str, *, is_edit: bool) -> Reply:
        """Send the parameters `given` as a form in a POST request, and return the answer in the media type `accept`.

        `is_edit` says that the request edits the graph, so it must not be sent twice. Raises the errors of `ask`.
        """
        headers = {"Accept": accept, "Content-Type": "application/x-www-form-urlencoded"}
        return self._answer("POST", path, _encoded(given), headers, is_edit=is_edit)

    def send(self, path: str, body: IO[bytes] | bytes, media: str, accept: str, *, is_edit: bool) -> Reply:
        """Send a POST request with a body of the media type `media`. Returns the answer in the media type `accept`.

        `is_edit` says that the request edits the graph, so it must not be sent twice. Raises the errors of `ask`.
        """
        headers = {"Accept": accept, "Content-Type": media}
        return self._answer("POST", path, body, headers, is_edit=is_edit)

    def _answer(
        self, method: str, path: str, body: IO[bytes] | bytes | None, headers: dict[str, str], *, is_edit: bool
    ) -> Reply:
        connection, is_used = self._connection(is_fresh=is_edit)
        try:
            try:
                response = self._asked(connection, method, path, body, headers)
            except (ConnectionError, HTTPException):
                if not is_used or is_edit:
                    raise
                connection.close()
                connection = self._made()
                response = self._asked(connection, method, path, body, headers)
            file = spooled()
            while piece := response.read(_PIECE):
                file.write(piece)
        except (OSError, HTTPException) as error:
            connection.close()
            raise self.lost(error, is_edit=is_edit) from error
        except BaseException:
            connection.close()
            raise
        self._keep(connection, response)
        file.seek(0)
        reply = Reply({name.lower(): value for name, value in response.headers.items()}, file)
        if response.status >= 400:
            raise _refusal(response.status, reply.bytes())
        return reply

    def stream(
        self, path: str, given: Parameters, headers: Mapping[str, str], silence: float
    ) -> tuple[HTTPConnection, HTTPResponse]:
        """Send a GET request for a stream, which is an answer without an end. Returns the connection and the answer.

        A read of the answer raises TimeoutError if nothing comes for `silence` seconds. The call itself raises OSError,
        HTTPException, and the errors of the server.
        """
        connection = self._made(silence)
        try:
            response = self._asked(connection, "GET", with_parameters(path, given), None, dict(headers))
            if response.status >= 400:
                error = _refusal(response.status, response.read())
                raise ServerError(f"{self.url}: {error}", response.status) if isinstance(error, ServerError) else error
        except BaseException:
            connection.close()
            raise
        return connection, response

    def _asked(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        body: IO[bytes] | bytes | None,
        headers: dict[str, str],
    ) -> HTTPResponse:
        if self._token is not None:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        if body is not None and not isinstance(body, bytes):
            body.seek(0, 2)
            headers = {**headers, "Content-Length": str(body.tell())}
            body.seek(0)
        try:
            connection.request(method, f"{self._parts.path}{path}", body, headers)
        except (BrokenPipeError, ConnectionResetError):
            with suppress(OSError, HTTPException):  # the server may have refused the body before its end
                return connection.getresponse()
            raise
        return connection.getresponse()

    def _connection(self, *, is_fresh: bool) -> tuple[HTTPConnection, bool]:
        """Return a connection, and whether it was used before. With `is_fresh` the connection is always a new one."""
        if self._is_closed:
            raise ServerError("the graph is closed")
        if not is_fresh:
            with suppress(IndexError):
                return self._idle.pop(), True
        return self._made(), False

    def _made(self, silence: float | None = None) -> HTTPConnection:
        host, timeout = cast(str, self._parts.hostname), silence or self._timeout
        if self._parts.scheme == "https":
            return HTTPSConnection(host, self._port, timeout=timeout, context=ssl.create_default_context())
        return HTTPConnection(host, self._port, timeout=timeout)

    def _keep(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        if response.will_close or self._is_closed:
            connection.close()
        else:
            self._idle.append(connection)

    def lost(self, error: Exception, *, is_edit: bool = False) -> ServerError:
        """Make the error for a request that got no answer because of `error`.

        With `is_edit` the message says that the edit may have been made.
        """
        if isinstance(error, ConnectionRefusedError):
            return ServerError(f"{self.url}: no server answers there; start one with `kgreason serve -l STORE`")
        problem = getattr(error, "strerror", None) or str(error) or type(error).__name__
        if isinstance(error, IncompleteRead):
            problem = "the answer broke off: the server has ended, or a limit of the server was reached"
        if isinstance(error, TimeoutError):
            problem = f"no answer within {self._timeout:g} s" if self._timeout else "no answer in time"
        unknown = "; the edit may have been made" if is_edit else ""
        return ServerError(f"{self.url}: {problem}{unknown}")

    def close(self) -> None:
        """Close all connections."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()


def with_parameters(path: str, given: Parameters) -> str:
    """Return the address `path` with the parameters `given` after it: `path?name=value`."""
    text = _encoded(given).decode()
    return f"{path}?{text}" if text else path


def _encoded(given: Parameters) -> bytes:
    return urlencode(list(given), errors="surrogatepass").encode()


def _refusal(status: int, text: bytes) -> Exception:
    """Return the exception for an answer with the error status `status`. `text` is the body of the answer."""
    try:
        found = json.loads(text)
    except ValueError:
        found = {}
    if not isinstance(found, dict) or "detail" not in found:
        return ServerError(f"the server answers with status {status}")
    return failures.raised(found) if "error" in found else ServerError(str(found["detail"]), status)
