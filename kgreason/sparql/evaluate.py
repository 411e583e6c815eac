"""`carry_out`: operations -> edits of asserted quads. Each operation sees the result of the operations before it.

    operation                edits (- retracts, + asserts)
    DELETE, INSERT           - every asserted spelling of the rows of DELETE, + the rows of INSERT as they are written
    CLEAR, DROP              - the graph
    ADD, COPY, MOVE          - the target (not ADD), + the source in the target, - the source (MOVE)
    LOAD                     + the file

A row of INSERT with a literal of rdf:langString that has no language tag is left out, as it is no RDF (STRDT can make
such a literal).

Law: on a graph without rules the outcome is the same as that of Oxigraph's own update. A named graph exists only while
it has quads. So CREATE changes nothing; without SILENT it fails if the graph exists. CLEAR and DROP never fail (section
3 of the recommendation allows this for stores that do not record empty graphs).

Edits are collected. The collected edits are applied only when an operation must see their result. So a request of
INSERT DATA and DELETE DATA is one edit, unless a DELETE DATA has a quad with the subject and predicate of a quad that
the request has edited before. The caller is responsible for atomicity: after an error, edits that were already applied
remain.

Cost: that of the queries, and some microseconds a row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import islice

from kgreason.errors import InputError, QueryError
from kgreason.sparql.editable_graph import Editable
from kgreason.sparql.operations import Clear, Create, DeleteData, InsertData, Load, Modify, Operation, Transfer
from kgreason.sparql.template import lines, subject_and_predicate
from kgreason.store.oxigraph.failures import FAILURES, query_error
from kgreason.terms.untagged_literals import untagged_literal

_SOME = 10_000
"""Solutions that are turned into rows at a time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows that an update wanted to remove, and how many of them were not asserted.

    - `named`: all rows that the operations removed or wanted to remove. If such a row is not asserted after the commit,
      but is still in the default graph, it is entailed.
    - `unasserted`: how many rows of DELETE operations were not asserted in the graph that the DELETE named.
    """

    named: dict[bytes, None] = field(default_factory=dict)
    unasserted: int = 0


def carry_out(operations: Iterable[Operation], graph: Editable) -> Outcome:
    """Carry out the operations of a request on a graph.

    Raises QueryError for a query that cannot be evaluated, for CREATE of a graph that exists, and for ADD, COPY and
    MOVE of a named graph that does not exist (with SILENT it counts as empty). Raises InputError for a LOAD that
    fails, unless it is SILENT.
    """
    steps = _Steps(graph)
    for operation in operations:
        steps.carry_out(operation)
    steps.flush()
    return Outcome(steps.named, steps.unasserted)


class _Steps:
    """Carries out operations. It collects edits until an operation must see their result, and then applies them."""

    def __init__(self, graph: Editable) -> None:
        self._graph = graph
        self._removed: dict[bytes, None] = {}
        self._added: dict[bytes, None] = {}
        self._edited: set[bytes] = set()
        self.named: dict[bytes, None] = {}
        self.unasserted = 0

    def carry_out(self, operation: Operation) -> None:
        match operation:
            case InsertData():
                self._insert(lines(operation.rows))
            case DeleteData():
                self._delete(dict.fromkeys(lines(operation.rows)))
            case Modify():
                self._modify(operation)
            case Clear():
                self._clear(operation)
            case Create():
                self._create(operation)
            case Transfer():
                self._transfer(operation)
            case Load():
                self._load(operation)

    def flush(self) -> None:
        """Apply the collected edits, and forget them."""
        if self._removed or self._added:
            removed, added = b"".join(self._removed), b"".join(self._added)
            self._removed, self._added, self._edited = {}, {}, set()
            self._graph.apply(removed, added)

    def _insert(self, rows: Collection[bytes]) -> None:
        self._added.update(dict.fromkeys(rows))
        self._edited.update(map(subject_and_predicate, rows))

    def _retract(self, quads: Collection[bytes]) -> None:
        """Collect asserted quads for retraction. Each element of `quads` is an N-Quads line."""
        self._removed.update(dict.fromkeys(quads))
        self._edited.update(map(subject_and_predicate, quads))

    def _delete(self, rows: dict[bytes, None]) -> None:
        """Collect for retraction every asserted quad that Oxigraph shows as one of `rows`."""
        if not rows:
            return
        if not self._edited.isdisjoint(map(subject_and_predicate, rows)):
            self.flush()
        found = self._graph.asserted(b"".join(rows))
        self.named.update(rows)
        self.unasserted += len(lines(found.missing))
        self._retract(lines(found.quads))

    def _modify(self, operation: Modify) -> None:
        self.flush()
        removed: dict[bytes, None] = {}
        added: dict[bytes, None] = {}
        try:
            solutions = iter(self._graph.solutions(operation.select, operation.added.objects))
            while some := list(islice(solutions, _SOME)):
                removed.update(dict.fromkeys(operation.removed.rows(some)))
                added.update(dict.fromkeys(row for row in operation.added.rows(some) if untagged_literal(row) is None))
        except FAILURES as error:
            raise query_error(error) from error
        self._delete(removed)
        self._insert(added)

    def _clear(self, operation: Clear) -> None:
        self.flush()
        if operation.default:
            self._empty_graph(None)
        for name in self._graph.graphs() if operation.named is None else operation.named:
            self._empty_graph(name)

    def _empty_graph(self, graph: str | None) -> None:
        for chunk in self._graph.triples(graph):
            quads = lines(_quads_in(chunk, graph))
            self.named.update(dict.fromkeys(quads))
            self._retract(quads)

    def _create(self, operation: Create) -> None:
        self.flush()
        if not operation.silent and operation.graph in self._graph.graphs():
            raise QueryError(f"CREATE: the graph {operation.graph} already exists")

    def _transfer(self, operation: Transfer) -> None:
        source, target = operation.source, operation.target
        self.flush()
        if source and not operation.silent and source not in self._graph.graphs():
            raise QueryError(f"{operation.verb}: there is no graph {source}")
        if source == target:
            return
        if operation.verb != "ADD":
            self._empty_graph(target)
        for chunk in self._graph.triples(source):
            self._insert(lines(_quads_in(chunk, target)))
        if operation.verb == "MOVE":
            self._empty_graph(source)

    def _load(self, operation: Load) -> None:
        self.flush()
        try:
            rows = b"".join(self._graph.read(operation))
        except InputError:
            if not operation.silent:
                raise
            return
        self._graph.apply(b"", rows)


def _quads_in(triples: bytes, graph: str | None) -> bytes:
    """Turn lines of triples into lines of quads in `graph`. For the default graph (None) the lines stay as they are.

    The name of the graph is put before each full stop that has a line feed after it. Such a full stop is always the end
    of a line.
    """
    return triples if graph is None else triples.replace(b" .\n", f" {graph} .\n".encode())
