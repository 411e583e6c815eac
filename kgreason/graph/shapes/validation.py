"""`validate`: the validation results of a graph as a report.

    inferred     the materialized graph: what the rules of the graph derive counts. The results are facts already.
    asserted     the quads as users wrote them. They are loaded into a graph in memory without rules but those of the
                 shapes, so terms count as they are written, and only rdfs:subClassOf is followed, as SHACL says.

Cost: inferred, reading the results; asserted, loading the asserted quads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from typing import Literal, Protocol, TypeAlias

from kgreason.graph.relation.relation import GraphRelation
from kgreason.graph.shapes.pending import PendingShapes
from kgreason.graph.shapes.shapes import Shapes
from kgreason.options import check_choice
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.report import Report
from kgreason.shapes.vocabulary import COLUMNS, RESULT

DataMode: TypeAlias = Literal["inferred", "asserted"]


class Copying(Protocol):
    """What a copy of a graph needs of a transaction."""

    @property
    def shapes(self) -> PendingShapes:
        """The shapes graph in the transaction."""

    def add_lines(self, lines: bytes) -> object:
        """Assert N-Quads lines."""


class Validated(Protocol):
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

    def transaction(self) -> AbstractContextManager[Copying]:
        """Begin a transaction."""

    def close(self) -> None:
        """Close the graph."""


def validate(graph: Validated, data: DataMode, empty: Callable[[], Validated]) -> Report:
    """Return the report about a graph. `empty` makes a graph in memory without rules. Raises InputError."""
    check_choice("data", data, DataMode)
    if data == "inferred":
        return _report(graph, data)
    with closing(empty()) as copy:
        with graph.turn(), copy.transaction() as transaction:
            for chunk in graph.dump(asserted=True):
                transaction.add_lines(chunk)
            transaction.shapes.take(graph.shapes.triples())
        return _report(copy, data)


def _report(graph: Validated, data: DataMode) -> Report:
    with graph.turn():
        return Report(ShapesGraph(graph.shapes.triples()), graph.relation(RESULT, len(COLUMNS)), data)
