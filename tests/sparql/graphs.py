"""Two toy graphs to edit: one without rules, and one that closes a relation and knows how literals were written."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pyoxigraph
from pyoxigraph import DefaultGraph, NamedNode, Quad, QuerySolution, QuerySolutions, RdfFormat, Store

from kgreason.errors import InputError
from kgreason.sparql.editable_graph import Asserted
from kgreason.sparql.evaluate import Outcome, carry_out
from kgreason.sparql.operations import Load
from kgreason.sparql.parser import parse
from kgreason.sparql.where_clause import Select

SYMMETRIC = NamedNode("http://e/knows")


def quads_of(rows: bytes) -> list[Quad]:
    return list(pyoxigraph.parse(rows, RdfFormat.N_QUADS))


def lines_of(quads: Iterable[Quad]) -> bytes:
    return pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b""


class PlainGraph:
    """Asserted quads, shown as they are."""

    def __init__(self, rows: bytes = b"") -> None:
        self.quads = set(quads_of(rows))
        self.steps: list[tuple[bytes, bytes]] = []

    def visible(self) -> Iterable[Quad]:
        return self.quads

    def update(self, text: str) -> Outcome:
        return carry_out(parse(text), self)

    def solutions(self, select: Select, objects: Collection[str] = ()) -> Iterable[QuerySolution]:
        store = Store()
        store.extend(self.visible())
        graph = NamedNode(select.default_graph[1:-1]) if select.default_graph else None
        results = store.query(select.query, default_graph=graph)
        assert isinstance(results, QuerySolutions)
        return results

    def asserted(self, rows: bytes) -> Asserted:
        found: set[Quad] = set()
        missing = []
        for row in quads_of(rows):
            forms = {quad for quad in self.quads if image(quad) == image(row)}
            found |= forms
            missing += [] if forms else [row]
        return Asserted(lines_of(found), lines_of(missing))

    def graphs(self) -> Iterable[str]:
        return {str(quad.graph_name) for quad in self.quads if quad.graph_name != DefaultGraph()}

    def triples(self, graph: str | None) -> Iterable[bytes]:
        wanted = graph or str(DefaultGraph())
        yield lines_of(Quad(*quad.triple) for quad in self.quads if str(quad.graph_name) == wanted)

    def read(self, load: Load) -> Iterable[bytes]:
        if not load.path.exists():
            raise InputError(f"{load.path}: there is no file")
        for quad in pyoxigraph.parse(path=load.path):
            name = NamedNode(load.graph[1:-1]) if load.graph else quad.graph_name
            yield lines_of([Quad(quad.subject, quad.predicate, quad.object, name)])

    def apply(self, removed: bytes, added: bytes) -> None:
        self.steps.append((removed, added))
        assert set(quads_of(removed)) <= self.quads
        self.quads = (self.quads - set(quads_of(removed))) | set(quads_of(added))


class ClosedGraph(PlainGraph):
    """Its default graph shows the triples of all graphs, and `SYMMETRIC` both ways."""

    def visible(self) -> Iterable[Quad]:
        union = {Quad(*quad.triple) for quad in self.quads}
        back = {Quad(quad.object, SYMMETRIC, quad.subject) for quad in union if quad.predicate == SYMMETRIC}  # type: ignore[arg-type]
        return self.quads | union | back

    def entailed(self, outcome: Outcome) -> int:
        """How many of the rows that an update named stay in the default graph, asserted by nobody there."""
        shown = {image(quad) for quad in self.visible()}
        missing = quads_of(self.asserted(b"".join(outcome.named)).missing)
        return sum(row.graph_name == DefaultGraph() and image(row) in shown for row in missing)


def image(quad: Quad) -> Quad:
    """The quad as Oxigraph shows it."""
    store = Store()
    store.add(quad)
    shown: list[Quad] = list(store)
    return shown[0]
