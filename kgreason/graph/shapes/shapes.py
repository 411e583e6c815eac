"""`Shapes`: the shapes graph of a graph; `graph.shapes`. Each edit is a commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kgreason.graph.changes.delta import Delta
from kgreason.graph.input.quads import Item, Table
from kgreason.graph.shapes.shapes_editor import ShapesEditor, Source
from kgreason.rules.model import Triple
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.shape import shapes_of
from kgreason.shapes.vocabulary import COLUMNS, FOCUS, RESULT, SHAPE

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kgreason.graph.relation.relation import GraphRelation


class ShapeCount(NamedTuple):
    """How many focus nodes and results a shape has.

    Shape and severity are N-Triples texts. `path` is the path of a property shape in the syntax of SPARQL, and `parent`
    a shape that refers to this one.
    """

    shape: str
    path: str | None
    parent: str | None
    focus: int
    results: int
    severity: str
    is_deactivated: bool


class ShapesEdits(Protocol):
    """What the shapes graph needs of a transaction."""

    @property
    def shapes(self) -> ShapesEditor:
        """The shapes graph in the transaction."""

    @property
    def delta(self) -> Delta:
        """The delta of the commit."""


class ShapesHolder(Protocol):
    """What a shapes graph needs of a graph."""

    def relation(self, name: str, arity: int | None = None) -> GraphRelation:
        """A relation of the graph."""

    def transaction(self, *, timeout: float | None = None) -> AbstractContextManager[ShapesEdits]:
        """Begin a transaction."""


class Shapes:
    """The shapes graph, apart from the triples of the graph: queries and the user's rules do not see the shapes."""

    def __init__(self, graph: ShapesHolder) -> None:
        self._graph = graph

    def load(self, *sources: Source, format: str | None = None) -> Delta:  # noqa: A002
        """Add shapes from files, Turtle text or graphs of rdflib, as one commit; see `ShapesEditor.load`."""
        return self._edit(lambda shapes: shapes.load(*sources, format=format))

    def add(self, *items: Item | Table, prefixes: Mapping[str, str] | None = None) -> Delta:
        """Add triples to the shapes graph as one commit; see `ShapesEditor.add`."""
        return self._edit(lambda shapes: shapes.add(*items, prefixes=prefixes))

    def remove(self, *items: Item | Table, prefixes: Mapping[str, str] | None = None) -> Delta:
        """Remove triples of the shapes graph as one commit; see `ShapesEditor.remove`."""
        return self._edit(lambda shapes: shapes.remove(*items, prefixes=prefixes))

    def unload(self, *sources: Source, format: str | None = None) -> Delta:  # noqa: A002
        """Remove the shapes of files as one commit; see `ShapesEditor.unload`."""
        return self._edit(lambda shapes: shapes.unload(*sources, format=format))

    def clear(self) -> Delta:
        """Remove all shapes as one commit."""
        return self._edit(lambda shapes: shapes.clear())

    def triples(self) -> list[Triple]:
        """Return the triples of the shapes graph as N-Triples texts, as of the last commit."""
        return [(str(row[0]), str(row[1]), str(row[2])) for row in self._graph.relation(SHAPE, 3)]

    def counts(self) -> list[ShapeCount]:
        """Return how many focus nodes and results each shape has, as of the last commit.

        Shapes without an effect are left out: those with no target to which no shape refers. Deactivated ones are not.
        """
        shapes = shapes_of(ShapesGraph(self.triples()))
        focus, results = self._graph.relation(FOCUS, 2).counts(0), self._graph.relation(RESULT, len(COLUMNS)).counts(0)
        return [
            ShapeCount(
                shape.node,
                None if shape.path is None else str(shape.path),
                shape.uses[0][1].node if shape.uses else None,
                focus.get((shape.same_nodes or shape).node, 0),
                results.get(shape.node, 0),
                shape.severity,
                shape.is_deactivated,
            )
            for shape in shapes.values()
        ]

    def __len__(self) -> int:
        """The number of triples of the shapes graph."""
        return len(self._graph.relation(SHAPE, 3))

    def __bool__(self) -> bool:
        """True, also for an empty shapes graph."""
        return True

    def __repr__(self) -> str:
        return f"<shapes graph of {len(self)} triples>"

    def _edit(self, edit: Callable[[ShapesEditor], object]) -> Delta:
        with self._graph.transaction() as transaction:
            edit(transaction.shapes)
        return transaction.delta
