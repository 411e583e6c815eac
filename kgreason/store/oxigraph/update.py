"""A delta as one SPARQL update, which Oxigraph runs as one transaction.

Rows without blank nodes become `DELETE DATA` and `INSERT DATA`. A blank node cannot stand in `DELETE DATA`, and
`INSERT DATA` gives it a new label. Behind a BASE, an IRI such as <http://e/a/../b> would become <http://e/b>. So for
rows with blank nodes or such IRIs the update calls functions that return the terms of a row by its number:

    INSERT { ?s ?p ?o } WHERE { VALUES ?i { 0 1 } BIND(<...s>(?i) AS ?s) BIND(<...p>(?i) AS ?p) ... }

Many rows become several operations. Between two operations the update calls a function that says whether to stop. If
so, the next operation fails, and Oxigraph rolls the transaction back:

    INSERT { GRAPH <stop> { ... } } WHERE { FILTER(<is-stopped>()) } ; CREATE GRAPH <stop> ; DROP GRAPH <stop>

Cost: linear; about 5 to 10 microseconds a row on disk, 15 to 20 for a row with a blank node, and another 15 for each
update.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple

Term: TypeAlias = NamedNode | BlankNode | Literal | Triple
GraphName: TypeAlias = NamedNode | BlankNode | DefaultGraph | Triple
Function: TypeAlias = Callable[[Literal], Term | None]

OURS = f"tag:kgreason,2025:{secrets.token_hex(16)}:"
"""The beginning of every IRI that kgreason puts into a text for Oxigraph, and that must not be in the data.

A part of it is drawn anew for each process. So no text of a user can have such an IRI, nor call such a function.
"""
_NO_GRAPH = DefaultGraph()
COLLECT, UNBOUND = NamedNode(f"{OURS}collect"), NamedNode(f"{OURS}unbound")
"""The function that collects the solutions of a WHERE, and the term for a variable without a value."""
NOWHERE = NamedNode(f"{OURS}nowhere")
"""A graph that never exists: an operation on it fails, and so rolls the transaction back."""
_STOP, _IS_STOPPED = NamedNode(f"{OURS}stop"), NamedNode(f"{OURS}is-stopped")
_ASK = (
    f"INSERT {{ GRAPH {_STOP} {{ {_STOP} {_STOP} {_STOP} }} }} WHERE {{ FILTER({_IS_STOPPED}()) }}",
    f"CREATE GRAPH {_STOP}",
    f"DROP GRAPH {_STOP}",
)
_PIECE = 1 << 20
"""Bytes of lines in one operation: some 7,000 rows, a tenth of a second."""


class StoppedError(Exception):
    """Raised if an update was stopped: `reason` is the error of its `check`. The update has changed nothing."""

    def __init__(self, reason: BaseException) -> None:
        self.reason = reason


Check = Callable[[], object]


def parse_quads(lines: bytes, check: Check | None = None) -> list[Quad]:
    """Parse N-Quads lines. Returns quads of pyoxigraph; blank nodes keep their labels.

    Raises SyntaxError, and StoppedError if `check` raises an error.
    """
    found: list[Quad] = []
    for piece in pieces(lines):
        if reason := _refusal(check):
            raise StoppedError(reason)
        found += pyoxigraph.parse(piece, RdfFormat.N_QUADS, lenient=True)
    return found


def pieces(lines: bytes) -> Iterator[bytes]:
    """Yield the lines in pieces of about a megabyte. A piece has only whole lines."""
    low = 0
    while low < len(lines):
        high = lines.find(b"\n", low + _PIECE) + 1 or len(lines)
        yield lines[low:high]
        low = high


def _refusal(check: Check | None) -> BaseException | None:
    """Call `check`, if there is one. Returns the error that it raises, otherwise None."""
    if check is None:
        return None
    try:
        check()
    except BaseException as error:
        return error
    return None


class Update:
    """A SPARQL update that removes rows and then adds rows: its `text`, and the `functions` that it calls.

    Both kinds of rows are given as N-Quads lines. `filled` has the graphs that get rows. `thinned` maps each graph that
    loses rows to the triples that it loses, but the default graph to an empty set.

    The constructor calls `check` from time to time, and so does the running update. If `check` raises an error in the
    constructor, the constructor raises StoppedError. If `check` raises an error in the running update, the update fails
    and `reason` is the error. Ctrl-C may interrupt `check`, but none of the other functions: Oxigraph would leave a row
    out and go on.
    """

    def __init__(self, removed: bytes, added: bytes, check: Check | None = None) -> None:
        self._operations: list[str] = []
        self._rows: list[Quad] = []
        self._check = check
        self.reason: BaseException | None = None
        self.functions: dict[NamedNode, Any] = {}
        self.thinned: dict[GraphName, set[Triple]] = {}
        self.filled: set[GraphName] = set()
        for verb, lines in (("DELETE", removed), ("INSERT", added)):
            for piece in pieces(lines):
                rows = parse_quads(piece, check)
                self._note_graphs(rows, is_removed=verb == "DELETE")
                self._append_check()
                self._append(verb, piece, rows)
        self.text = ";\n".join(self._operations)
        if self._rows:
            self.functions |= self._functions()

    def _note_graphs(self, rows: list[Quad], *, is_removed: bool) -> None:
        """Note in `thinned` or `filled` which graphs lose rows (`is_removed`) or get rows."""
        if not is_removed:
            self.filled.update(quad.graph_name for quad in rows)
            return
        for quad in rows:
            triples = self.thinned.setdefault(quad.graph_name, set())
            if quad.graph_name != _NO_GRAPH:
                triples.add(quad.triple)

    def _append_check(self) -> None:
        """Append the operation that asks `check` whether to stop."""
        if self._check and self._operations:
            self._operations += _ASK
            self.functions[_IS_STOPPED] = self._is_stopped

    def _is_stopped(self) -> Literal:
        self.reason = _refusal(self._check)
        return Literal(self.reason is not None)

    def _append(self, verb: str, lines: bytes, rows: list[Quad]) -> None:
        """Append operations with the verb DELETE or INSERT for `rows`. `lines` is the text of the same rows."""
        ground, default, named = [], [], []
        for line, quad in zip(lines.split(b"\n"), rows, strict=False):
            if b"_:" not in line and b"/." not in line and b":." not in line:
                ground.append(_pattern(line, quad))
            elif quad.graph_name == _NO_GRAPH:
                default.append(quad)
            else:
                named.append(quad)
        if ground:
            self._operations.append("\n".join([f"{verb} DATA {{", *ground, "}"]))
        self._append_by_number(f"{verb} {{ ?s ?p ?o }}", "spo", default)
        self._append_by_number(f"{verb} {{ GRAPH ?g {{ ?s ?p ?o }} }}", "spog", named)

    def _append_by_number(self, action: str, columns: str, rows: list[Quad]) -> None:
        if rows:
            first = len(self._rows)
            self._rows += rows
            numbers = " ".join(map(str, range(first, len(self._rows))))
            terms = " ".join(f"BIND(<{OURS}{column}>(?i) AS ?{column})" for column in columns)
            self._operations.append(f"{action} WHERE {{ VALUES ?i {{ {numbers} }} {terms} }}")

    def _functions(self) -> dict[NamedNode, Function]:
        """Return the functions that the update calls to get the terms of a row by the row's number.

        The functions run no Python code, because Ctrl-C could stop such code, and Oxigraph would then leave the row out
        and go on.
        """
        numbers = [Literal(number) for number in range(len(self._rows))]
        columns: dict[str, list[Term | None]] = {
            "s": [row.subject for row in self._rows],
            "p": [row.predicate for row in self._rows],
            "o": [row.object for row in self._rows],
            "g": [None if isinstance(row.graph_name, DefaultGraph) else row.graph_name for row in self._rows],
        }
        return {
            NamedNode(OURS + column): dict(zip(numbers, terms, strict=True)).__getitem__
            for column, terms in columns.items()
        }


def _pattern(line: bytes, quad: Quad) -> str:
    return line.decode() if quad.graph_name == _NO_GRAPH else f"GRAPH {quad.graph_name} {{ {quad.triple} }}"
