"""`/transactions`: several edits as one commit. The body has a line of JSON for each edit, in their order.

    {"add": "N-Quads lines"}                           assert; a label means the blank node of the graph with this label
    {"add": "", "prefixes": {"ex": "http://e/"}}       with prefixes for the graph to remember
    {"remove": "N-Quads lines"}                        retract
    {"add_rules": "text", "syntax": "datalog", "source": "name for messages", "file": "family.dl"}
    {"remove_rules": "text or a name", ...}            null and a "file": all rules of this file
    {"unload_rules": "text of a file", ...}
    {"add_shapes": "N-Triples lines"}                  triples of the shapes graph; or "remove_shapes", null for all
    {"insert": [[term, ...], ...], "relation": "edge", "arity": 2}        or "delete", "upsert"

A line needs its first value; a line with facts also needs "relation". The same lines may be sent to `/what-if`. In a
transaction, lines with rules or shapes need the role admin. A long document is sent as many lines, so that neither
side holds it in memory twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server import body
from kgreason.server.formats import media_type
from kgreason.server.guard import check_role
from kgreason.server.paths.clients.wire_answers import writer_of_delta
from kgreason.server.paths.commits import commit_edit
from kgreason.server.paths.server_parts import check_text, parameters, server_parts
from kgreason.server.problems import Problem
from kgreason.server.queries.nesting import may_be_deep
from kgreason.server.queries.steps import RULES, SHAPES, carry_out, check_lines, steps
from kgreason.store.journal.record import check_headers

LINES = "application/x-ndjson"
"""The media type of a transaction."""
_SHORT = 1 << 18
"""A body of at most so many bytes becomes steps in this process. This takes at most a tenth of a second."""


async def transactions(request: Request) -> Response:
    """Carry out several edits as one commit. The answer is the delta of the commit."""
    if media_type(request.headers.get("content-type")) != LINES:
        raise Problem(415, f"send a transaction as {LINES}, a line for each edit")
    given = dict(each.partition("=")[::2] for each in parameters(request).get("header", []))
    try:
        check_headers(given)
    except ValueError as error:
        raise Problem(400, str(error)) from error
    async with _steps_of(request) as path:

        def edit(graph: KnowledgeGraph) -> tuple[None, Delta]:
            with graph.transaction(given or None) as tx:
                carry_out(tx, path)
            return None, tx.delta

        write = await commit_edit(request, edit, lambda _, delta, commit: writer_of_delta(request, delta, commit))
    return await run_in_threadpool(write)


Attempt = Callable[[KnowledgeGraph, int], Delta]
"""A function that gives the delta of a what-if, with the reasons of at most the given number of triples of each
kind."""


async def answer_what_if(request: Request, answer: Callable[[Attempt], Awaitable[Response]]) -> Response:
    """Read the edits of a what-if from the body of a request. Returns the result of `answer(attempt)`.

    `attempt` is a function that carries out the edits as a what-if and returns the delta; see `Attempt`.
    """
    async with _steps_of(request, is_tried=True) as path:

        def attempt(graph: KnowledgeGraph, reasons: int) -> Delta:
            with graph.what_if(reasons=reasons) as tx:
                carry_out(tx, path)
            return tx.delta

        return await answer(attempt)


@asynccontextmanager
async def _steps_of(request: Request, *, is_tried: bool = False) -> AsyncIterator[Path]:
    """A context: write the edits in the body of a request to a temporary file, as steps, and give the file's path.

    A query process makes the steps of a long body, because its lines may hold Python up. Rules need the role admin,
    unless the edits are only tried (`is_tried`). Raises InputError for a line that is not an edit, Problem for a role
    that is too low, QueryError for rules that are nested too deeply.
    """
    state = server_parts(request)
    with body.new_file(state.settings.store) as file:
        path = Path(file.name)
        async with body.body_file(request, state.settings) as lines:
            if lines.stat().st_size > _SHORT:
                await check_text(request, "lines", str(lines), file.name)
            else:
                await run_in_threadpool(check_lines, lines, path)
        rules, has_shapes = await run_in_threadpool(_rules_of, path)
        if (rules or has_shapes) and not is_tried:
            check_role(request.scope, "admin")
        for text, syntax in rules:
            await check_depth(request, text, syntax)
        yield path


async def check_depth(request: Request, text: str, syntax: str = "datalog") -> None:
    """Raise QueryError if rules are nested too deeply."""
    if await run_in_threadpool(may_be_deep, text):
        await check_text(request, "rules", text, syntax)


def _rules_of(path: Path) -> tuple[list[tuple[str, str]], bool]:
    """Return the texts of the rules in a file of steps, each with its syntax, and whether it has edits of shapes."""
    rules, has_shapes = list[tuple[str, str]](), False
    for verb, options, pieces in steps(path):
        if verb in RULES:
            rules.append((next(pieces, None) or "", options.get("syntax", "datalog")))
        has_shapes |= verb in SHAPES
    return rules, has_shapes
