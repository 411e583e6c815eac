"""`Graphs`: finds the graph of the store that belongs to a context (a graph) of rdflib.

    None, a Dataset, a ConjunctiveGraph     all graphs together
    urn:x-rdflib:default                    the default graph, which is the closure
    another IRI                             the named graph
    a blank node that names a known graph   the named graph; `remember` and `contexts` make a graph known
    another blank node                      the default graph too: rdflib names a graph without a name in this way

rdflib's parsers do not tell which blank nodes name graphs. So a graph of TriG or N-Quads with a blank node as its name
becomes part of the default graph; `KnowledgeGraph.load` keeps such graphs apart.

In the store a named graph exists only while it has a quad. But the known graphs (`told`) are remembered until the store
is closed, or until `forget`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from pyoxigraph import DefaultGraph, Literal
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph, QuotedGraph
from rdflib.store import Store
from rdflib.term import BNode, IdentifiedNode, Node

from kgreason.bridges.rdflib.terms import GraphName, to_oxigraph, to_rdflib
from kgreason.errors import InputError


class Graphs:
    """Finds the names of graphs in a store, and remembers the known graphs: those of `remember` and `contexts`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._told: dict[GraphName, None] = {}

    def name(self, context: Graph | None) -> GraphName | None:
        """Return the name of a context's graph; None if the context means all graphs.

        Raises InputError for N3 formulas.
        """
        if context is None or isinstance(context, ConjunctiveGraph):
            return None
        if isinstance(context, QuotedGraph):
            raise InputError(f"{context.identifier}: a formula of N3 cannot be used as a graph")
        return self.name_of(context.identifier)

    def name_of(self, identifier: Node) -> GraphName:
        """Turn the name of a graph in rdflib into its name in the store. Several names stand for the default graph."""
        if identifier == DATASET_DEFAULT_GRAPH_ID:
            return DefaultGraph()
        name = _graph_name(identifier)
        return name if name in self._told or not isinstance(identifier, BNode) else DefaultGraph()

    def target(self, context: Graph | None) -> GraphName:
        """Return the name of the graph to which triples of a context are added."""
        name = self.name(context)
        return DefaultGraph() if name is None else name

    def contexts(self, names: Iterable[GraphName]) -> list[Graph]:
        """Make one graph of rdflib for each distinct name in `names`. From now on these graphs are known."""
        distinct = dict.fromkeys(names)
        self._told |= distinct
        return [Graph(self._store, _identifier(name)) for name in distinct]

    def remember(self, context: Graph) -> None:
        """Make a graph of rdflib known, even if the graph is empty or has a blank node as name."""
        if context.identifier != DATASET_DEFAULT_GRAPH_ID:
            self._told[_graph_name(context.identifier)] = None

    def forget(self, context: Graph) -> None:
        """Forget a known graph."""
        self._told.pop(_graph_name(context.identifier), None)

    @property
    def names(self) -> list[GraphName]:
        """The names of the known graphs."""
        return list(self._told)


def _graph_name(identifier: Node) -> GraphName:
    name = to_oxigraph(identifier)
    if isinstance(name, Literal):
        raise InputError(f"{identifier!r}: the name of a graph must be an IRI or a blank node")
    return name


def _identifier(name: GraphName) -> IdentifiedNode:
    return DATASET_DEFAULT_GRAPH_ID if isinstance(name, DefaultGraph) else cast(IdentifiedNode, to_rdflib(name))
