"""`/query`: the query operation of the SPARQL 1.1 Protocol (section 2.1).

    GET  ?query=...&default-graph-uri=...       POST a form, or the query itself as application/sparql-query

`as_of=N` asks the graph as it was after commit N, if it keeps its history. A GET without parameters gets the
description of the service. If parameters name a dataset, they overrule the FROM clauses of the query. Queries run in
processes of their own (`queries.pool`). SERVICE is refused, except for the services of `--allow-service`.

The answer to a GET has an ETag: a weak one, since the order of rows and the labels of blank nodes may differ from one
evaluation to the next. The ETag changes with each commit, and with everything in the request that the answer depends
on. A query that can have another answer without a commit (NOW, RAND, SERVICE ...) gets none.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kgreason.server import body
from kgreason.server.formats import SOLUTIONS, TRIPLES, best_format, content_type, media_type, unacceptable
from kgreason.server.http.conditions import check_read, etag
from kgreason.server.paths.description import description
from kgreason.server.paths.server_parts import (
    Parameters,
    address,
    ask_process,
    base_of,
    iri,
    number,
    parameters,
    prefixes_of,
    response,
    server_parts,
    single,
)
from kgreason.server.problems import Problem
from kgreason.server.queries.pool import Request as Query
from kgreason.server.queries.pool import UnacceptableError
from kgreason.sparql.tokens import TOKEN

_FORM, _DIRECT = "application/x-www-form-urlencoded", "application/sparql-query"
Result = TypeVar("Result")
_CHANGING = {"NOW", "RAND", "UUID", "STRUUID", "BNODE", "SERVICE"}
"""The answer to a query with one of these words may change without a commit."""
_SHORT = 2_000
"""A text with fewer characters is looked through in less time than a thread needs to begin."""


async def query(request: Request) -> Response:
    """Answer a SPARQL query."""
    if request.method != "POST" and not request.scope["query_string"]:
        return description(request)
    sparql, given = await _query_of(request)
    services = server_parts(request).settings.services
    await call_on_text(sparql, partial(check_service, sparql, services))
    accept, state = request.headers.get("accept"), server_parts(request)
    default, named = _dataset(given, address(request))
    wanted = Query(
        sparql,
        state.writer.commit,
        base_of(given, request),
        default,
        named,
        solutions=best_format(accept, SOLUTIONS),
        triples=best_format(accept, TRIPLES),
        prefixes=prefixes_of(given),
        seconds=_timeout(given),
        as_of=number(given, "as_of"),
    )
    headers = {"Vary": "Accept", "Kgreason-Commit": str(wanted.commit if wanted.as_of is None else wanted.as_of)}
    answer_tag = _etag(wanted) if request.method != "POST" else None
    is_any = request.headers.get("if-none-match", "").strip() == "*"  # is there an answer? only evaluating tells
    if answer_tag is not None and not is_any:
        same = check_read(request.headers, answer_tag, wanted.commit, wanted.commit)
        if same is not None:
            return Response(status_code=304, headers=headers | {"ETag": same})
    begun = time.perf_counter()
    try:
        answer = await ask_process(request, wanted)
    except UnacceptableError as error:
        raise unacceptable(SOLUTIONS if str(error) == "solutions" else TRIPLES) from error
    finally:
        state.recent.note_query(sparql, time.perf_counter() - begun)
    if answer_tag is not None and not state.writer.waiting and state.writer.commit == wanted.commit:
        headers["ETag"] = answer_tag  # otherwise the process may have seen a later commit
        if is_any:
            answer.close()
            return Response(status_code=304, headers=headers)
    types, name = (TRIPLES, wanted.triples) if answer.kind == "triples" else (SOLUTIONS, wanted.solutions)
    assert name
    if (told := state.writer.graph.number_warning(sparql)) is not None:
        headers["Kgreason-Warning"] = told.encode("ascii", "backslashreplace").decode()
    return response(answer, content_type(types[name][0]), headers)


async def call_on_text(text: str, call: Callable[[], Result]) -> Result:
    """Return the result of a call that looks through a text; in a thread if the text is long."""
    return call() if len(text) < _SHORT else await run_in_threadpool(call)


def _etag(wanted: Query) -> str | None:
    """Return the ETag of the answer to a query at the commit that it names; None if the answer may change without one.

    Commits change facts, rules and the history; options stay as they are while the server runs.
    """
    if any((token["name"] or "").upper() in _CHANGING for token in TOKEN.finditer(wanted.sparql or "")):
        return None
    asked = repr(wanted._replace(seconds=None))
    return f"W/{etag(wanted.commit, hashlib.blake2b(asked.encode(), digest_size=16).hexdigest())}"


def _timeout(given: Parameters) -> float | None:
    """Return the parameter `timeout` in seconds, or None if it is missing. Raises Problem."""
    text = single(given, "timeout")
    try:
        seconds = None if text is None else float(text)
    except ValueError:
        seconds = 0.0
    if seconds is not None and not seconds > 0:
        raise Problem(400, f"timeout={text}: write a number of seconds, more than 0")
    return seconds


async def _query_of(request: Request) -> tuple[str, Parameters]:
    """Return the text of the query in a request, and all parameters of the request. Raises Problem."""
    settings = server_parts(request).settings
    if request.method != "POST":
        given = parameters(request)
    else:
        media = media_type(request.headers.get("content-type"))
        if media not in (_FORM, _DIRECT):
            raise Problem(415, f"POST a query as {_DIRECT}, or as a form: {_FORM}")
        text = await body.body_text(request, settings)
        if media == _DIRECT:
            return text, parameters(request)
        given = parameters(request, text)
    sparql = single(given, "query")
    if sparql is None:
        raise Problem(400, "the parameter query is missing")
    return sparql, given


def _dataset(given: Parameters, base: str) -> tuple[list[str] | None, list[str] | None]:
    """Return the default graphs and the named graphs that the parameters give; (None, None) if they give no dataset.

    The parameters of the protocol are `default-graph-uri` and `named-graph-uri`. In their place, `default-graph` gives
    one default graph, and the query may use all named graphs. `base` is the base of relative IRIs. Raises Problem.
    """
    if (only := single(given, "default-graph")) is not None:
        return [iri(only, base)], None
    names = [[iri(each, base) for each in given.get(f"{kind}-graph-uri", [])] for kind in ("default", "named")]
    default, named = names
    return (default, named) if default or named else (None, None)


def check_service(sparql: str, allowed: tuple[str, ...] = ()) -> None:
    """Raise Problem for a SERVICE, which would ask the network, unless its IRI begins with an allowed prefix.

    A service must be written as a whole IRI: a variable, or a name with a prefix, is refused.

    >>> check_service('SELECT * { ?service <http://e/SERVICE> "SERVICE" } # SERVICE')
    >>> check_service("SELECT * { SERVICE SILENT <http://e/sparql> { ?x ?y ?z } }", ("http://e/",))
    """
    tokens = (token for token in TOKEN.finditer(sparql) if not token[0].startswith("#"))
    for token in tokens:
        if (token["name"] or "").upper() != "SERVICE":
            continue
        asked = next(tokens, None)
        if asked is not None and (asked["name"] or "").upper() == "SILENT":
            asked = next(tokens, None)
        if asked is None or not allowed or not asked[0].startswith(tuple(f"<{prefix}" for prefix in allowed)):
            raise Problem(403, "SERVICE is refused: this server asks no other server for you")
