"""`ServerParts`: the parts of the server that a path uses; `parameters`: the parameters of a request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast
from urllib.parse import parse_qs, urljoin

from pyoxigraph import NamedNode
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from kgreason.errors import KgreasonError
from kgreason.graph.input.terms import checked_prefixes
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.standing.standing_queries import StandingQueries
from kgreason.server.paths.recent_work import Recent
from kgreason.server.problems import Problem, stopping_problem
from kgreason.server.queries.call_threads import CallThreads
from kgreason.server.queries.pool import Answer, Pool
from kgreason.server.queries.pool import Request as Query
from kgreason.server.settings import Settings
from kgreason.server.streams.feed import Feed
from kgreason.server.streams.renewals import Renewals
from kgreason.server.writer import Writer

_LOGGER = logging.getLogger("kgreason.server")

Parameters: TypeAlias = dict[str, list[str]]
Found = TypeVar("Found")
Result = TypeVar("Result")
_MOST, _DIGITS = 1000, 10


class ServerParts(NamedTuple):
    """The parts of a server: options, query processes, writer, feed, recent work, and standing queries.

    `standing` are the standing queries that the writer answers from deltas, `renewals` all others. `past` has threads
    for reads of earlier commits, `answers` has threads that parse shapes and write answers.
    """

    settings: Settings
    pool: Pool
    writer: Writer
    feed: Feed
    recent: Recent
    standing: StandingQueries
    renewals: Renewals
    past: CallThreads
    answers: CallThreads


def server_parts(request: Request) -> ServerParts:
    """Return the parts of the server that received a request."""
    return cast(ServerParts, request.app.state.served)


def parameters(request: Request, form: str | None = None) -> Parameters:
    """Return all parameters of a request: those in its address, and those in the text `form`. Raises Problem."""
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
    """Return the value of a parameter, or None if it is missing. Raises Problem if it is given several times."""
    values = given.get(name, [])
    if len(values) > 1:
        raise Problem(400, f"the parameter {name} is given {len(values)} times; give it once")
    return values[0] if values else None


def flag(given: Parameters, name: str) -> bool:
    """Whether a parameter is `true` or has no value; False if it is `false` or missing. Raises Problem."""
    value = single(given, name)
    if value not in (None, "", "true", "false"):
        raise Problem(400, f"{name}={value}: write true or false")
    return value in ("", "true")


def number(given: Parameters, name: str) -> int | None:
    """Return a parameter as a natural number, or None if it is missing. Raises Problem for other values."""
    value = single(given, name)
    if value is not None and not (value.isascii() and value.isdigit() and len(value) < _DIGITS):
        raise Problem(400, f"{name}={value}: write a number")
    return None if value is None else int(value)


def prefixes_of(given: Parameters) -> dict[str, str]:
    """Return the prefixes that the parameters `prefix` declare, in texts such as `ex=http://e/`. Raises InputError."""
    return dict(checked_prefixes(dict(each.partition("=")[::2] for each in given.get("prefix", []))))


def base_of(given: Parameters, request: Request) -> str | None:
    """Return the base of relative IRIs in the text of a request. Raises Problem.

    The base is the parameter `base`. If the parameter is missing, the base is the address of the request. If the
    parameter is empty, the result is None, and relative IRIs are errors. A client of kgreason sends an empty base,
    because relative IRIs are errors in the library, too.
    """
    base = single(given, "base")
    return address(request) if base is None else base or None


def address(request: Request) -> str:
    """Return the address of a request without its parameters. The address is the base of relative IRIs."""
    return str(request.url.replace(query="", fragment=""))


def iri(text: str, base: str) -> str:
    """Return the IRI in the text of a parameter, resolved against a base. Raises Problem."""
    found = urljoin(base, text) if text else base
    try:
        return NamedNode(found).value
    except ValueError as error:
        raise Problem(400, f"{text} is not an IRI") from error


async def ask_process(request: Request, query: Query) -> Answer:
    """Ask a query process, and return its answer as soon as the answer begins.

    If the client goes away before that, the query ends at once, and its process is killed. Raises the errors of
    `Pool.ask`.
    """
    return await _result_unless_gone(request, server_parts(request).pool.ask(query), _close_answer)


async def check_text(request: Request, kind: str, text: str, form: str = "", base: str | None = None) -> None:
    """Parse a text in a query process, which is killed if the client goes away.

    The arguments are those of `Pool.check`. Raises its errors, and Problem.
    """
    await _result_unless_gone(request, server_parts(request).pool.check(kind, text, form, base or ""))


async def ask_engine(request: Request, call: Callable[[KnowledgeGraph], Result]) -> Result:
    """Return the result of `call(graph)`, a question that needs the engine and changes nothing.

    If the client goes away, the question ends. Raises the errors of `Writer.ask`.
    """
    return await _result_unless_gone(request, server_parts(request).writer.ask(call))


async def engine_answer(
    request: Request, find: Callable[[KnowledgeGraph], Found], write: Callable[[Found], Result]
) -> Result:
    """Return `write(find(graph))`. `find` is a question to the engine, as for `ask_engine`.

    `write` runs in another thread, and no edit waits for it. So the graph may have changed meanwhile: the values that
    `find` returns must be whole. Raises the errors of `ask_engine` and of `CallThreads.result_of`.
    """
    state = server_parts(request)

    async def both() -> Result:
        found = await state.writer.ask(find)
        return await state.answers.result_of(lambda: write(found))

    return await _result_unless_gone(request, both())


async def read_past(request: Request, call: Callable[[], Result]) -> Result:
    """Return the result of `call()`, which reads earlier commits, in a thread for this.

    If the client goes away, the call ends. Raises the errors of `CallThreads.result_of`.
    """
    return await _result_unless_gone(request, server_parts(request).past.result_of(call))


async def parse_shapes(request: Request, call: Callable[[], Result]) -> Result:
    """Return the result of `call()`, which parses documents of shapes, in a thread for answers.

    If the client goes away, the call ends. Raises the errors of `CallThreads.result_of`.
    """
    return await _result_unless_gone(request, server_parts(request).answers.result_of(call))


async def _result_unless_gone(
    request: Request,
    answer: Coroutine[Any, Any, Result],
    drop: Callable[[asyncio.Future[Result]], object] = lambda _: None,
) -> Result:
    """Return the result of `answer`. If the client goes away before that, cancel it, and raise Problem.

    `drop` is then called with the future of the answer when it has ended. A request that is cancelled because the
    server stops gets a Problem as well.
    """
    answering = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(_wait_until_gone(request.receive))
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise Problem(400, "the client has gone away")
    except BaseException as error:
        answering.add_done_callback(drop)
        answering.cancel()
        if isinstance(error, asyncio.CancelledError) and server_parts(request).feed.is_closed:
            raise stopping_problem() from error
        raise
    finally:
        leaving.cancel()
    return answering.result()


async def _wait_until_gone(receive: Receive) -> None:
    """Wait until the client has gone away. The body of the request must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _close_answer(answering: asyncio.Future[Answer]) -> None:
    if not answering.cancelled() and answering.exception() is None:
        answering.result().close()


def response(answer: Answer, media: str, headers: dict[str, str]) -> Response:
    """Make the HTTP response for the answer of a query process, with the content type `media` and these headers.

    A long answer is sent in pieces.
    """
    if answer.document is not None:
        return Response(answer.document, headers=headers | {"Content-Type": media})
    return _PoolResponse(answer, media, headers)


class _PoolResponse(StreamingResponse):
    """Sends the pieces of an answer as they come. In the end gives the query process back to the pool, or kills it.

    If the query fails meanwhile, the answer ends without its last chunk, and the log says why.
    """

    def __init__(self, answer: Answer, media: str, headers: dict[str, str]) -> None:
        super().__init__(answer.pieces(), headers=headers | {"Content-Type": media})
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        except KgreasonError as error:
            _LOGGER.warning("an answer broke off: %s", error)
        finally:
            self._answer.close()
