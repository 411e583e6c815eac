"""`Served`: the parts of the server that a path uses; `parameters`: the parameters of a request."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, cast
from urllib.parse import parse_qs, urljoin

from pyoxigraph import NamedNode
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from kgreason.graph.input.terms import checked
from kgreason.server.paths.recent import Recent
from kgreason.server.problems import Problem
from kgreason.server.queries.pool import Answer, Pool
from kgreason.server.settings import Settings
from kgreason.server.streams.feed import Feed
from kgreason.server.writer import Writer

Parameters: TypeAlias = dict[str, list[str]]
_MOST, _DIGITS = 1000, 10


class Served(NamedTuple):
    """The parts of a server: options, query processes, writer, feed of commits, and the figures of `Recent`."""

    settings: Settings
    pool: Pool
    writer: Writer
    feed: Feed
    recent: Recent


def served(request: Request) -> Served:
    """The parts of the server that got a request."""
    return cast(Served, request.app.state.served)


def parameters(request: Request, form: str | None = None) -> Parameters:
    """The parameters of the address, and of a form. Raises Problem."""
    found: Parameters = {}
    for text in (request.scope["query_string"].decode("latin-1"), form or ""):
        try:
            given = parse_qs(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST)
        except ValueError as error:
            raise Problem(400, "the parameters are not UTF-8, or there are too many") from error
        for name, values in given.items():
            found.setdefault(name, []).extend(values)
    return found


def single(given: Parameters, name: str) -> str | None:
    """The value of a parameter that may be given once; None if it is missing. Raises Problem."""
    values = given.get(name, [])
    if len(values) > 1:
        raise Problem(400, f"the parameter {name} is given {len(values)} times; give it once")
    return values[0] if values else None


def flag(given: Parameters, name: str) -> bool:
    """A parameter that is true or false. Raises Problem."""
    value = single(given, name)
    if value not in (None, "", "true", "false"):
        raise Problem(400, f"{name}={value}: write true or false")
    return value in ("", "true")


def number(given: Parameters, name: str) -> int | None:
    """A parameter that is a natural number; None if it is missing. Raises Problem."""
    value = single(given, name)
    if value is not None and not (value.isascii() and value.isdigit() and len(value) < _DIGITS):
        raise Problem(400, f"{name}={value}: write a number")
    return None if value is None else int(value)


def declared(given: Parameters) -> dict[str, str]:
    """The prefixes of the parameters `prefix`, which are texts such as `ex=http://e/`. Raises InputError."""
    return dict(checked(dict(each.partition("=")[::2] for each in given.get("prefix", []))))


def base_of(given: Parameters, request: Request) -> str | None:
    """The base of relative IRIs in a text. Raises Problem.

    It is the parameter `base`, None if this parameter is empty, and the address of the request if it is missing.

    A client of kgreason sends an empty base, because relative IRIs are errors in the library.
    """
    base = single(given, "base")
    return address(request) if base is None else base or None


def address(request: Request) -> str:
    """The address of a request without its parameters: the base of relative IRIs."""
    return str(request.url.replace(query="", fragment=""))


def iri(text: str, base: str) -> str:
    """An IRI of a parameter, resolved against a base. Raises Problem."""
    found = urljoin(base, text) if text else base
    try:
        return NamedNode(found).value
    except ValueError as error:
        raise Problem(400, f"{text} is not an IRI") from error


def response(answer: Answer, media: str, headers: dict[str, str]) -> Response:
    """The response with an answer of a query process: sent as a whole if it is short, otherwise piece by piece."""
    if answer.document is not None:
        return Response(answer.document, headers=headers | {"Content-Type": media})
    return _Streamed(answer, media, headers)


class _Streamed(StreamingResponse):
    """The pieces of an answer as they come. Its process is given back or killed in the end."""

    def __init__(self, answer: Answer, media: str, headers: dict[str, str]) -> None:
        super().__init__(answer.pieces(), headers=headers | {"Content-Type": media})
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._answer.close()
