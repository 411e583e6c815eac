"""`validate`: the validation results of a graph as a report.

    inferred     the materialized graph: what the rules of the graph derive counts. The results are facts already.
    asserted     the quads as users wrote them. They are loaded into a graph in memory without rules but those of the
                 shapes, so terms count as they are written, and only rdfs:subClassOf is followed, as SHACL says.
    inferred-targets   the targets of `inferred`, validated over the quads of `asserted`

Cost: inferred, reading the results, or evaluating other shapes in a what-if; asserted, loading the asserted quads;
inferred-targets, both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from typing import Literal, Protocol, TypeAlias

from kgreason.errors import StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.input.terms import terms_of_texts
from kgreason.graph.relation.relation import GraphRelation
from kgreason.graph.shapes.shapes import Shapes
from kgreason.graph.shapes.shapes_editor import PendingShapes, Source
from kgreason.options import check_choice
from kgreason.rules.model import Triple
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.report import Report
from kgreason.shapes.shape import TARGETS, twins
from kgreason.shapes.vocabulary import COLUMNS, RESULT, sh

DataMode: TypeAlias = Literal["inferred", "asserted", "inferred-targets"]


class CopyEdits(Protocol):
    """What a copy of a graph needs of a transaction."""

    @property
    def shapes(self) -> PendingShapes:
        """The shapes graph in the transaction."""

    @property
    def delta(self) -> Delta:
        """What the transaction has changed, or would have changed."""

    def add_lines(self, lines: bytes) -> object:
        """Assert N-Quads lines."""


class ValidatedGraph(Protocol):
    """What `validate` needs of a graph."""

    @property
    def shapes(self) -> Shapes:
        """The shapes graph."""

    def relation(self, name: str, arity: int | None = None) -> GraphRelation:
        """A relation of the graph."""

    def turn(self) -> AbstractContextManager[None]:
        """Reserve the graph for this thread."""

    def dump(self, *, asserted: bool | None = None) -> Iterator[bytes]:
        """The triples as N-Triples lines."""

    def transaction(self) -> AbstractContextManager[CopyEdits]:
        """Begin a transaction."""

    def what_if(self) -> AbstractContextManager[CopyEdits]:
        """Begin a transaction that changes nothing."""

    def close(self) -> None:
        """Close the graph."""


_OPEN = (
    "other shapes are evaluated in a what-if, and this thread has a transaction open: call validate(shapes=...) before"
    " the transaction, or after its block; meanwhile validate() and data='asserted' read the last commit"
)


def validate(
    graph: ValidatedGraph,
    data: DataMode,
    shapes: Sequence[Source] | None,
    empty: Callable[[], ValidatedGraph],
    is_open: Callable[[], bool],
) -> Report:
    """Return the report about a graph, against its own shapes graph, or against `shapes` if they are given.

    `empty` makes a graph in memory without rules, with the budget of `graph`. `is_open` says whether a transaction of
    the graph is open. Raises InputError, StoreError in an open transaction, and the errors of `PendingShapes.load`.
    """
    check_choice("data", data, DataMode)
    if data == "inferred":
        with graph.turn():
            if shapes is not None and is_open():
                raise StoreError(_OPEN)
            return (
                _report_on(graph)
                if shapes is None
                else _validate_in_what_if(graph, lambda pending: pending.clear().load(*shapes))
            )
    with closing(empty()) as copy:
        with graph.turn(), copy.transaction() as transaction:
            for chunk in graph.dump(asserted=True):
                transaction.add_lines(chunk)
            if shapes is None:
                transaction.shapes.add_triples(graph.shapes.triples())
            else:
                transaction.shapes.load(*shapes)
            if data == "inferred-targets":
                triples = transaction.shapes.triples()
                transaction.shapes.replace(*_inferred_targets(graph, triples))
        return _report_on(copy, data)


def _report_on(graph: ValidatedGraph, data: DataMode = "inferred") -> Report:
    return Report(ShapesGraph(graph.shapes.triples()), graph.relation(RESULT, len(COLUMNS)), data)


def _inferred_targets(graph: ValidatedGraph, shapes: Sequence[Triple]) -> tuple[list[Triple], list[Triple]]:
    """Return the triples for targets in a shapes graph, and others that name the targets of the materialized graph."""
    names, added = twins(ShapesGraph(shapes))
    results = _validate_in_what_if(graph, lambda pending: pending.clear().add_triples([*shapes, *added])).results
    found = [(names.get(str(each.source_shape)), str(each.focus)) for each in results]
    targets = [(shape, sh("targetNode"), focus) for shape, focus in found if shape is not None]
    return [triple for triple in shapes if triple[1] in TARGETS], targets


def _validate_in_what_if(graph: ValidatedGraph, edit: Callable[[PendingShapes], object]) -> Report:
    with graph.what_if() as transaction:
        edit(transaction.shapes)
        triples = transaction.shapes.triples()
    changed = transaction.delta.relation(RESULT, len(COLUMNS))
    gone = set(changed.disappeared())
    kept = [fact for fact in graph.relation(RESULT, len(COLUMNS)) if tuple(map(str, fact)) not in gone]
    come = map(terms_of_texts, changed.appeared())
    return Report(ShapesGraph(triples), [*kept, *come])
