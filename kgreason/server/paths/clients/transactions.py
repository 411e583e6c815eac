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

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kgreason.errors import InputError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.input.terms import term_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.shapes.pending import triples_of_lines
from kgreason.graph.transaction import Transaction
from kgreason.rules.parser import Syntax
from kgreason.server import body
from kgreason.server.formats import media_type
from kgreason.server.guard import check_role
from kgreason.server.paths.clients.exact import told
from kgreason.server.paths.commits import edited
from kgreason.server.paths.served import parameters, served
from kgreason.server.problems import Problem
from kgreason.server.queries.nesting import may_be_deep
from kgreason.store.journal.record import check_headers
from kgreason.store.oxigraph.update import Term

LINES = "application/x-ndjson"
"""The media type of a transaction."""
_LONGEST = 1 << 26
"""The largest line, in bytes."""
_DEEPEST = 100
"""The largest number of triple terms in one N-Quads line."""
_RULES = ("add_rules", "remove_rules", "unload_rules")
_FACTS = ("insert", "delete", "upsert")
_QUADS = ("add", "remove")
_SHAPES = ("add_shapes", "remove_shapes")


async def transactions(request: Request) -> Response:
    """Carry out several edits as one commit. The answer is the delta of the commit."""
    if media_type(request.headers.get("content-type")) != LINES:
        raise Problem(415, f"send a transaction as {LINES}, a line for each edit")
    given = dict(each.partition("=")[::2] for each in parameters(request).get("header", []))
    try:
        check_headers(given)
    except ValueError as error:
        raise Problem(400, str(error)) from error
    async with body.stored(request, served(request).settings) as path:
        await _check(request, path)

        def edit(graph: KnowledgeGraph) -> tuple[None, Delta]:
            with graph.transaction(given or None) as tx:
                carry_out(tx, path)
            return None, tx.delta

        return await edited(request, edit, lambda _, delta, commit: told(request, delta, commit))


Attempt = Callable[[KnowledgeGraph, int], Delta]
"""A function that gives the delta of a what-if, with the reasons of at most the given number of triples of each
kind."""


async def collected(request: Request, answer: Callable[[Attempt], Awaitable[Response]]) -> Response:
    """Read the edits of a what-if from the body of a request. Returns the result of `answer(attempt)`.

    `attempt` is a function that carries out the edits as a what-if and returns the delta; see `Attempt`.
    """
    async with body.stored(request, served(request).settings) as path:
        await _check(request, path, is_tried=True)

        def attempt(graph: KnowledgeGraph, reasons: int) -> Delta:
            with graph.what_if(reasons=reasons) as tx:
                carry_out(tx, path)
            return tx.delta

        return await answer(attempt)


async def _check(request: Request, path: Path, *, is_tried: bool = False) -> None:
    """Check the edits in the file at `path`. Rules need the role admin, unless the edits are only tried (`is_tried`).

    Raises Problem for a line that is not an edit and for a role that is too low, QueryError for rules that are nested
    too deeply.
    """
    rules, has_shapes = await run_in_threadpool(_checked, path)
    if (rules or has_shapes) and not is_tried:
        check_role(request.scope, "admin")
    for text, syntax in rules:
        await check_depth(request, text, syntax)


async def check_depth(request: Request, text: str, syntax: str = "datalog") -> None:
    """Raise QueryError if rules are nested too deeply."""
    if await run_in_threadpool(may_be_deep, text):
        await served(request).pool.check("rules", text, syntax, "")


def _checked(path: Path) -> tuple[list[tuple[str, str]], bool]:
    """Check that each line of a file is an edit. Raises Problem.

    Returns the texts of the rules in the file, each with its syntax, and whether it has lines of shapes.
    """
    rules, has_shapes = list[tuple[str, str]](), False
    for verb, line in _edits(path):
        text = str(line[verb] or "")
        if verb in _RULES:
            rules.append((text, str(line.get("syntax", "datalog"))))
        elif verb in _SHAPES:
            _shallow(text)
            has_shapes = True
    return rules, has_shapes


def carry_out(tx: Transaction, path: Path) -> None:
    """Add the edits of a file to a transaction. Raises the errors of the edits."""
    for verb, line in _edits(path):
        if verb in _QUADS:
            _quads(tx, verb, line[verb])
            tx.remember(line.get("prefixes", {}))
        elif verb in _RULES:
            _rules(tx, verb, line)
        elif verb in _SHAPES:
            _shapes(tx, verb, line[verb])
        else:
            relation = tx.relation(line["relation"], line.get("arity"))
            getattr(relation, verb)([terms_of(row) for row in line[verb]])


def _edits(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the edits in a file as (verb, line): the verb is a word such as "add", the line is the JSON object.

    Raises Problem for a line that is not an edit.
    """
    with path.open("rb") as file:
        number = 0
        while text := file.readline(_LONGEST):
            number += 1
            try:
                line = json.loads(text)
            except ValueError as error:
                raise Problem(400, f"line {number} of the transaction is not JSON") from error
            verb = next(
                (key for key in (*_QUADS, *_RULES, *_SHAPES, *_FACTS) if isinstance(line, dict) and key in line), None
            )
            if verb is None or not _fits(verb, line):
                raise Problem(400, f"line {number} of the transaction is not an edit")
            yield verb, line


def _fits(verb: str, line: dict[str, Any]) -> bool:
    """Whether the values in a line have the types that an edit with this verb needs."""
    arity, value = line.get("arity"), line[verb]
    texts = (line.get(key, "") for key in ("syntax", "source", "file", "relation"))
    if not all(isinstance(text, str) for text in texts) or not (arity is None or type(arity) is int):
        return False
    prefixes = line.get("prefixes", {})
    if not isinstance(prefixes, dict) or not all(isinstance(namespace, str) for namespace in prefixes.values()):
        return False
    if verb == "remove_shapes" and value is None:
        return True
    if verb not in _FACTS:
        return isinstance(value, str) or (verb == "remove_rules" and value is None and bool(line.get("file")))
    is_table = isinstance(value, list) and all(isinstance(row, list) for row in value)
    return is_table and "relation" in line and all(isinstance(term, str) for row in value for term in row)


def terms_of(texts: Iterable[str]) -> tuple[Term, ...]:
    """Turn N-Triples texts into terms. Raises InputError for a text that is not a term."""
    return tuple(term_of(_shallow(text)) for text in texts)


def _shallow(text: str) -> str:
    """Return the text unchanged. Raises InputError if its triple terms are nested too deeply for the parser's stack."""
    if text.count("<<") > _DEEPEST and any(line.count("<<") > _DEEPEST for line in text.splitlines()):
        raise InputError("the triple terms are nested too deeply")
    return text


def _quads(tx: Transaction, verb: str, lines: str) -> None:
    (tx.add_lines if verb == "add" else tx.remove_lines)(_shallow(lines).encode())


def _shapes(tx: Transaction, verb: str, lines: str | None) -> None:
    if lines is None:
        tx.shapes.clear()
        return
    triples = triples_of_lines(_shallow(lines).encode())
    removed, added = ((), triples) if verb == "add_shapes" else (triples, ())
    tx.shapes.replace(removed, added)


def _rules(tx: Transaction, verb: str, line: dict[str, Any]) -> None:
    text, source, file = line[verb], line.get("source", "the body"), line.get("file")
    syntax = cast(Syntax, line.get("syntax", "datalog"))
    if verb == "remove_rules":
        tx.remove_rules(text, source, file=file, syntax=syntax)
    elif verb == "unload_rules":
        tx.take_rules_away(tx.parsed(text, source, syntax))
    elif file:
        tx.take_rules(replace(rule, file=file) for rule in tx.parsed(text, source, syntax))
    else:
        tx.add_rules(text, source, syntax=syntax)
