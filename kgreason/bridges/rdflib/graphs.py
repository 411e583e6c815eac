"""`Graphs`: maps a context of rdflib to a graph of the store.

    None, a Dataset, a ConjunctiveGraph     all graphs together
    urn:x-rdflib:default                    the default graph, which is the closure
    a blank node                            the default graph too: rdflib so names a graph that was given no name
    another IRI, a blank node of `told`     the named graph

rdflib's parsers do not tell which blank nodes name graphs. So a graph of TriG or N-Quads with a blank node as its name
becomes part of the default graph; `KnowledgeGraph.load` keeps such graphs apart.

A named graph exists in the store while it has a quad. Graphs that rdflib mentioned (`told`) are kept for the session.
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
    """The names of the graphs of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._told: dict[GraphName, None] = {}

    def name(self, context: Graph | None) -> GraphName | None:
        """The graph of a context, or None for all graphs. Raises InputError for a formula of N3."""
        if context is None or isinstance(context, ConjunctiveGraph):
            return None
        if isinstance(context, QuotedGraph):
            raise InputError(f"{context.identifier}: a formula of N3 cannot be used as a graph")
        return self.named(context.identifier)

    def named(self, identifier: Node) -> GraphName:
        """The graph with a name."""
        if identifier == DATASET_DEFAULT_GRAPH_ID:
            return DefaultGraph()
        name = _graph_name(identifier)
        return name if name in self._told or not isinstance(identifier, BNode) else DefaultGraph()

    def target(self, context: Graph | None) -> GraphName:
        """The graph that triples of a context are added to."""
        name = self.name(context)
        return DefaultGraph() if name is None else name

    def contexts(self, names: Iterable[GraphName]) -> list[Graph]:
        """Graphs of the store as graphs of rdflib, each once; they count as `told` from now on."""
        distinct = dict.fromkeys(names)
        self._told |= distinct
        return [Graph(self._store, _identifier(name)) for name in distinct]

    def tell(self, context: Graph) -> None:
        """Remember a graph that rdflib mentioned, even if it is empty or has a blank node as name."""
        if context.identifier != DATASET_DEFAULT_GRAPH_ID:
            self._told[_graph_name(context.identifier)] = None

    def forget(self, context: Graph) -> None:
        """Forget a graph that `tell` remembered."""
        self._told.pop(_graph_name(context.identifier), None)

    @property
    def told(self) -> list[GraphName]:
        """The graphs that rdflib mentioned."""
        return list(self._told)


def _graph_name(identifier: Node) -> GraphName:
    name = to_oxigraph(identifier)
    if isinstance(name, Literal):
        raise InputError(f"{identifier!r}: the name of a graph must be an IRI or a blank node")
    return name


def _identifier(name: GraphName) -> IdentifiedNode:
    return DATASET_DEFAULT_GRAPH_ID if isinstance(name, DefaultGraph) else cast(IdentifiedNode, to_rdflib(name))
