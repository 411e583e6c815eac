"""`/update`: the update operation of the SPARQL 1.1 Protocol (section 2.2).

    POST a form with `update`, or the update itself as application/sparql-update

`using-graph-uri` and `using-named-graph-uri` are the dataset of every WHERE. A request is one commit, or none. LOAD
reads only files that `--allow-load` names.

A WHERE may take as long as a query. Nothing can kill a WHERE in this process. So a query process, which can be killed,
evaluates each WHERE first, while edits go on. If a WHERE was fast there, and nothing has changed since, the thread of
the writer evaluates it. Otherwise another process evaluates it, over a copy of the store that has the results of the
operations before it (`graph.sparql_update.uncommitted_store`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.sparql_update.uncommitted_store import WhereLimits
from kgreason.graph.sparql_update.update import Updated
from kgreason.server import body
from kgreason.server.formats import media_type
from kgreason.server.paths.clients.wire_answers import writer_of_delta
from kgreason.server.paths.commits import commit_edit, empty_response
from kgreason.server.paths.description import description
from kgreason.server.paths.query import call_on_text, check_service
from kgreason.server.paths.server_parts import (
    Parameters,
    address,
    ask_process,
    base_of,
    check_text,
    iri,
    parameters,
    prefixes_of,
    server_parts,
    single,
)
from kgreason.server.problems import Problem
from kgreason.server.queries.nesting import may_be_deep
from kgreason.server.queries.pool import Request as Query
from kgreason.sparql.operations import Load, Modify, Operation
from kgreason.sparql.parser import parse
from kgreason.sparql.where_clause import Select
from kgreason.store.oxigraph.worker import is_short
from kgreason.terms.prefixes import declarations
from kgreason.wire import EXACT

_FORM, _DIRECT = "application/x-www-form-urlencoded", "application/sparql-update"
_FAST = 0.25
"""If a query process has evaluated all WHEREs of an update in less than this many seconds, they are fast."""
_UNSTEADY = re.compile(r"\b(?:RAND|NOW|UUID|STRUUID|BNODE)\b|\\[uU]", re.IGNORECASE)
"""A WHERE with such a function may be slow although it was fast before. An escape may hide the name."""


async def update(request: Request) -> Response:
    """Carry out a SPARQL update as one commit."""
    if request.method != "POST":
        if request.scope["query_string"]:
            raise Problem(405, "an update is sent by POST", {"Allow": "POST"})
        return description(request)
    asked = await update_of(request)

    def edit(graph: KnowledgeGraph) -> tuple[Updated, Delta]:
        updated = graph.carry_out(asked.operations, wheres=asked.wheres)
        return updated, updated.delta

    def answer(updated: Updated, delta: Delta, commit: int) -> Callable[[], Response]:
        if EXACT not in request.headers.get("accept", ""):
            return partial(empty_response, delta, commit)
        return writer_of_delta(request, delta, commit, unasserted=updated.unasserted, entailed=updated.entailed)

    return await run_in_threadpool(await commit_edit(request, edit, answer))


class UpdateRequest(NamedTuple):
    """The operations of an update, and how to evaluate its WHEREs."""

    operations: tuple[Operation, ...]
    wheres: WhereLimits


async def update_of(request: Request) -> UpdateRequest:
    """Parse the update in a request, and try its WHEREs. Returns its operations.

    Raises Problem, QueryError, QueryTimeoutError.
    """
    settings = server_parts(request).settings
    media = media_type(request.headers.get("content-type"))
    if media not in (_FORM, _DIRECT):
        raise Problem(415, f"POST an update as {_DIRECT}, or as a form: {_FORM}")
    text = await body.body_text(request, settings)
    given = parameters(request, text if media == _FORM else None)
    sparql = text if media == _DIRECT else single(given, "update")
    if sparql is None:
        raise Problem(400, "the parameter update is missing")
    await call_on_text(sparql, partial(check_service, sparql))
    base, prefixes = base_of(given, request), prefixes_of(given)
    source = single(given, "source") or "<update>"
    if await call_on_text(sparql, partial(may_be_deep, sparql)):
        await check_text(request, "update", f"{declarations(prefixes)}{sparql}", base=base)
    operations = await call_on_text(sparql, partial(parse, sparql, source, prefixes, base))
    _check_loads(operations, settings.loads)
    found = tuple(_with_dataset(operations, given, address(request)))
    commit, begun = server_parts(request).writer.commit, time.perf_counter()
    for operation in found:
        if isinstance(operation, Modify):
            await _try_where(request, operation.select)
    is_fast = time.perf_counter() - begun < _FAST and not _UNSTEADY.search(sparql)
    return UpdateRequest(found, WhereLimits(settings.query_seconds, commit if is_fast else None, settings.query_bytes))


async def _try_where(request: Request, select: Select) -> None:
    """Evaluate a WHERE in a query process, which is killed if it takes too long. Raises QueryError, QueryTimeoutError.

    A WHERE that is surely fast (`is_short`) is not evaluated. Cost: that of the WHERE, and about 20 milliseconds more
    for the first one after a commit.
    """
    if is_short(select.query):
        return
    default = [select.default_graph[1:-1]] if select.default_graph else None
    commit = server_parts(request).writer.commit
    (await ask_process(request, Query(select.counting_query, commit, default_graphs=default, solutions="tsv"))).close()


def _check_loads(operations: tuple[Operation, ...], allowed: tuple[str, ...]) -> None:
    for operation in operations:
        if isinstance(operation, Load) and not _is_allowed(operation.path, allowed):
            raise Problem(
                403, "this server does not read its own files for you: LOAD is refused; PUT or POST to /store"
            )


def _is_allowed(path: Path, allowed: tuple[str, ...]) -> bool:
    """Whether the IRI of a file is allowed, or lies below an allowed IRI that ends in a slash.

    Links and `..` in its path are resolved first.
    """
    file = path.resolve().as_uri() if allowed else ""
    return any(file.startswith(each) if each.endswith("/") else file == each for each in allowed)


def _with_dataset(operations: tuple[Operation, ...], given: Parameters, base: str) -> Iterator[Operation]:
    """Yield the operations with the dataset that the parameters name, if they name one.

    Raises Problem if the parameters and an operation both name a dataset.
    """
    clauses = (("FROM", "using-graph-uri"), ("FROM NAMED", "using-named-graph-uri"))
    dataset = tuple(f"{clause} <{iri(each, base)}>" for clause, name in clauses for each in given.get(name, []))
    for operation in operations:
        if not dataset or not isinstance(operation, Modify):
            yield operation
        elif operation.select.dataset or operation.select.default_graph:
            problem = "the parameters name a dataset, and USING or WITH in the update names one too; name it once"
            raise Problem(400, problem)
        else:
            yield replace(operation, select=replace(operation.select, dataset=dataset))
