"""`Graphs`: which graph of the store a context of rdflib is.

    None, a Dataset, a ConjunctiveGraph     all graphs together
    urn:x-rdflib:default                    the default graph, which is the closure
    a blank node                            the default graph as well: rdflib names so a graph that was given no name
    another IRI, a blank node of `told`     the named graph

rdflib's parsers give no sign of which blank nodes name graphs, so that such graphs of TriG and N-Quads become part of
the default graph; `KnowledgeGraph.load` keeps them apart.

A graph of the store is there while it has a quad. Those of which rdflib was told besides are kept for the session.
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
    """The names of a store's graphs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._told: dict[GraphName, None] = {}

    def name(self, context: Graph | None) -> GraphName | None:
        """The graph that a context is, or None for all of them. Raises InputError for a formula of N3."""
        if context is None or isinstance(context, ConjunctiveGraph):
            return None
        if isinstance(context, QuotedGraph):
            raise InputError(f"{context.identifier}: a formula is no graph of RDF")
        return self.named(context.identifier)

    def named(self, identifier: Node) -> GraphName:
        """The graph of a name."""
        if identifier == DATASET_DEFAULT_GRAPH_ID:
            return DefaultGraph()
        name = _graph_name(identifier)
        return name if name in self._told or not isinstance(identifier, BNode) else DefaultGraph()

    def target(self, context: Graph | None) -> GraphName:
        """The graph that triples of a context are added to."""
        name = self.name(context)
        return DefaultGraph() if name is None else name

    def contexts(self, names: Iterable[GraphName]) -> list[Graph]:
        """Graphs of the store as rdflib's, each once; it is told of them."""
        distinct = dict.fromkeys(names)
        self._told |= distinct
        return [Graph(self._store, _identifier(name)) for name in distinct]

    def tell(self, context: Graph) -> None:
        """Note a graph, be it empty or named by a blank node."""
        if context.identifier != DATASET_DEFAULT_GRAPH_ID:
            self._told[_graph_name(context.identifier)] = None

    def forget(self, context: Graph) -> None:
        """Take back `tell`."""
        self._told.pop(_graph_name(context.identifier), None)

    @property
    def told(self) -> list[GraphName]:
        """The graphs that rdflib was told of."""
        return list(self._told)


def _graph_name(identifier: Node) -> GraphName:
    name = to_oxigraph(identifier)
    if isinstance(name, Literal):
        raise InputError(f"{identifier!r}: a graph is named by an IRI or a blank node")
    return name


def _identifier(name: GraphName) -> IdentifiedNode:
    return DATASET_DEFAULT_GRAPH_ID if isinstance(name, DefaultGraph) else cast(IdentifiedNode, to_rdflib(name))
