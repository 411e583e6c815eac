"""`Link`: requests to one server, over connections that are used again.

Law: an edit is sent once, over a new connection, and never sent again. A request that only reads is sent again if the
connection is lost before the answer begins. Threads: any number of threads may use a link.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from typing import IO, Any, NamedTuple
from urllib.parse import urlencode

import httpx

from kgreason.client.spool import spool_file
from kgreason.errors import InputError, ServerError
from kgreason.wire import failures

LOST = (OSError, httpx.TransportError)
"""The errors of a connection."""
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
        try:
            address = httpx.URL(self.url)
        except httpx.InvalidURL as error:
            raise InputError(f"{url}: is not the address of a server: {error}") from error
        if address.scheme not in ("http", "https") or not address.host:
            raise InputError(f"{url}: is not the address of a server, such as http://127.0.0.1:7878")
        if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token):
            raise InputError("a token has ASCII characters without spaces around them")
        self._timeout = timeout
        headers = {"Accept-Encoding": "identity"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
        verify = ssl.create_default_context() if address.scheme == "https" else False

        def client(most_idle: int | None) -> httpx.Client:
            limits = httpx.Limits(max_keepalive_connections=most_idle)
            return httpx.Client(
                base_url=self.url, headers=headers, timeout=timeout, verify=verify, limits=limits, trust_env=False
            )

        self._reading, self._editing, self._streaming = client(None), client(0), client(0)

    def get(self, path: str, given: Parameters = (), accept: str = "application/json") -> Reply:
        """Send a GET request with the parameters `given`, and return the answer in the media type `accept`.

        Raises the errors of the server, and ServerError.
        """
        return self._answer("GET", with_parameters(path, given), b"", {"Accept": accept}, is_edit=False)

    def post_form(self, path: str, given: Parameters, accept: str, *, is_edit: bool) -> Reply:
        """Send the parameters `given` as a form in a POST request, and return the answer in the media type `accept`.

        `is_edit` says that the request edits the graph, so it must not be sent twice. Raises the errors of `get`.
        """
        headers = {"Accept": accept, "Content-Type": "application/x-www-form-urlencoded"}
        return self._answer("POST", path, _encode(given), headers, is_edit=is_edit)

    def send(self, path: str, body: IO[bytes] | bytes, media: str, accept: str, *, is_edit: bool) -> Reply:
        """Send a POST request with a body of the media type `media`. Returns the answer in the media type `accept`.

        `is_edit` says that the request edits the graph, so it must not be sent twice. Raises the errors of `get`.
        """
        headers = {"Accept": accept, "Content-Type": media}
        return self._answer("POST", path, body, headers, is_edit=is_edit)

    def _answer(
        self, method: str, path: str, body: IO[bytes] | bytes, headers: dict[str, str], *, is_edit: bool
    ) -> Reply:
        def sent() -> httpx.Response:
            content: bytes | Iterator[bytes] = body if isinstance(body, bytes) else _pieces(body, headers)
            client = self._editing if is_edit else self._reading
            return client.send(client.build_request(method, path, content=content, headers=headers), stream=True)

        if self._reading.is_closed:
            raise ServerError("the graph is closed")
        try:
            try:
                response = sent()
            except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
                if is_edit:
                    raise
                response = sent()
            file = spool_file()
            with closing(response):
                for piece in response.iter_raw():
                    file.write(piece)
        except LOST as error:
            raise self.error_of(error, is_edit=is_edit) from error
        file.seek(0)
        reply = Reply(response.headers, file)
        if response.is_error:
            raise _refusal(response.status_code, reply.bytes())
        return reply

    def stream(self, path: str, given: Parameters, headers: Mapping[str, str], silence: float) -> httpx.Response:
        """Send a GET request for a stream, which is an answer without an end. Returns the answer, to be closed.

        A read of the answer raises ReadTimeout if nothing comes for `silence` seconds. The call itself raises LOST, and
        the errors of the server.
        """
        client, address = self._streaming, with_parameters(path, given)
        response = client.send(client.build_request("GET", address, headers=headers, timeout=silence), stream=True)
        if response.is_error:
            with closing(response):
                error = _refusal(response.status_code, response.read())
            raise ServerError(f"{self.url}: {error}", error.status) if isinstance(error, ServerError) else error
        return response

    def error_of(self, error: BaseException, *, is_edit: bool = False) -> ServerError:
        """Make the error for a request that got no answer because of `error`.

        With `is_edit` the message says that the edit may have been made.
        """
        first = error
        while not isinstance(first, OSError) and (before := first.__cause__ or first.__context__) is not None:
            first = before
        if isinstance(first, ConnectionRefusedError):
            return ServerError(f"{self.url}: no server answers there; start one with `kgreason serve -l STORE`")
        problem = getattr(first, "strerror", None) or str(error) or type(error).__name__
        if isinstance(error, httpx.RemoteProtocolError):
            problem = "the answer broke off: the server has ended, or a limit of the server was reached"
        if isinstance(error, httpx.TimeoutException):
            problem = f"no answer within {self._timeout:g} s" if self._timeout else "no answer in time"
        unknown = "; the edit may have been made" if is_edit else ""
        return ServerError(f"{self.url}: {problem}{unknown}")

    def close(self) -> None:
        """Close all connections. Streams go on until they are closed."""
        self._reading.close()
        self._editing.close()


def _pieces(file: IO[bytes], headers: dict[str, str]) -> Iterator[bytes]:
    """Return the pieces of a file, and put its length into `headers`."""
    headers["Content-Length"] = str(file.seek(0, 2))
    file.seek(0)
    return iter(partial(file.read, _PIECE), b"")


def with_parameters(path: str, given: Parameters) -> str:
    """Return the address `path` with the parameters `given` after it: `path?name=value`."""
    text = _encode(given).decode()
    return f"{path}?{text}" if text else path


def _encode(given: Parameters) -> bytes:
    return urlencode(list(given), errors="surrogatepass").encode()


def _refusal(status: int, text: bytes) -> Exception:
    """Return the exception for an answer with the error status `status`. `text` is the body of the answer."""
    try:
        found = json.loads(text)
    except ValueError:
        found = {}
    if not isinstance(found, dict) or "detail" not in found:
        return ServerError(f"the server answers with status {status}")
    return failures.from_json(found) if "error" in found else ServerError(str(found["detail"]), status)
