"""`KGReasonStore`: a Store plugin for rdflib; a `Graph` on this store is a materialized graph.

    Graph(store="kgreason")          the closure: the asserted and inferred triples of all graphs
    Graph(store, identifier=IRI)     the asserted triples of a named graph
    Dataset(store="kgreason")        the closure as default graph, and the named graphs

A graph without a name, or with the name of a Dataset's default graph, is the closure. A graph with a blank node as name
is also the closure, since rdflib gives a blank node to a graph without a name. A graph with a blank node as name is a
named graph only if `Dataset.graph` or `graphs` has mentioned it before.

Edits wait and then become one commit: when the store is read, with `commit()` and with `close()`. So `parse`, `addN`
and a loop of `add` are one commit each, and a read sees all edits and everything that follows from them. `rollback()`
drops the edits that wait. With `autocommit` every call of `add`, `addN` and `remove` is a commit of its own. Then
`parse` is slow: up to a millisecond a triple in memory, several milliseconds on disk. A reader that uses the graph
without rdflib sees the last commit.

Threads: any number of threads may use a store. They share the edits that wait: the next thread that reads commits all
of them.

Generalised triples (a literal as the subject, or a predicate that is not an IRI), which owlrl and pySHACL make, are
dropped, with a DroppedWarning for the first dropped triple. `triple in graph` is still true for a dropped triple, so
that a reasoner that adds triples until nothing is new comes to an end. No pattern finds a dropped triple.

A store holds an open graph, so a store, or an rdflib Graph on it, cannot be deep-copied or pickled.

A removed triple that still follows from other triples stays as an inferred triple. Removing with a wildcard first
commits the edits that wait, and then looks up the triples. Cost of an edit: about ten microseconds, and its share of
the commit.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, QuerySolutions
from rdflib.graph import Graph
from rdflib.plugins.stores.memory import SimpleMemory
from rdflib.store import NO_STORE, VALID_STORE, Store
from rdflib.term import Identifier, URIRef

from kgreason.bridges.rdflib.graphs import Graphs
from kgreason.bridges.rdflib.opening import Place
from kgreason.bridges.rdflib.pending_edits import Pending
from kgreason.bridges.rdflib.sparql import declarations, result_of, text_of, used_prefixes
from kgreason.bridges.rdflib.terms import GraphName, Term, is_generalised, line, quad_line, to_oxigraph, to_rdflib
from kgreason.errors import DroppedWarning, InputError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.match import Pattern
from kgreason.terms.tags import with_small_tags

if TYPE_CHECKING:
    from rdflib.graph import _ContextType, _QuadType, _TriplePatternType, _TripleType
    from rdflib.plugins.sparql.sparql import Query, Update
    from rdflib.query import Result

_UNION = "__UNION__"
_Pattern: TypeAlias = tuple[NamedNode | BlankNode | None, NamedNode | None, Term | None]
_NAMES = "SELECT ?g { GRAPH ?g {} FILTER EXISTS { GRAPH ?g { ?s ?p ?o } } }"


class KGReasonStore(Store):
    """A store of rdflib on a graph: an open `KnowledgeGraph`, or the graph of a configuration string (see `opening`).

    Without an argument, the store is on a new graph in memory, with the rules of OWL 2 RL. `autocommit` may be changed
    at any time.
    """

    context_aware = True
    formula_aware = False
    transaction_aware = True
    graph_aware = True

    def __init__(
        self,
        configuration: KnowledgeGraph | str | None = None,
        identifier: Identifier | None = None,
        *,
        autocommit: bool = False,
    ) -> None:
        self.identifier = identifier
        self.autocommit = autocommit
        self._is_borrowed = isinstance(configuration, KnowledgeGraph)
        self._graph = configuration if isinstance(configuration, KnowledgeGraph) else None
        self._why_closed = ""
        self._pending = Pending(lambda: self.graph)
        self._opening = threading.Lock()
        self._graphs = Graphs(self)
        self._dropped: set[_TripleType] = set()
        self._prefixes = SimpleMemory()
        super().__init__(configuration if isinstance(configuration, str) else None)

    @property
    def graph(self) -> KnowledgeGraph:
        """The graph behind the store. Raises StoreError if `open` did not find a store, or after `close`."""
        self._check_open()
        with self._opening:
            if self._graph is None:
                self._graph = KnowledgeGraph.open()
            return self._graph

    def _check_open(self) -> None:
        if self._why_closed:
            raise StoreError(self._why_closed)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "a graph over kgreason cannot be deep-copied or pickled, because its store is open: to copy it write"
            " `rdflib.Graph() + graph`; in another process open the store again"
        )

    def open(self, configuration: str | tuple[str, str], create: bool = False) -> int | None:
        """Open the graph of a configuration string. Returns VALID_STORE.

        If the graph does not exist and `create` is false, opens nothing and returns NO_STORE. Raises StoreError if this
        store is already open, and what `KnowledgeGraph.open` raises.
        """
        if self._graph is not None:
            raise StoreError(
                "the store is already open, as any method opens it: call close() first, or open() before the others"
            )
        place = Place.of(configuration)
        if not create and not place.is_there:
            self._why_closed = f"{place.path}: there is no store; open(..., create=True) makes one"
            return NO_STORE
        self._graph, self._why_closed = place.open(), ""
        return VALID_STORE

    def close(self, commit_pending_transaction: bool = False) -> None:  # noqa: ARG002
        """Commit the edits that wait. Then close the graph, unless the caller passed an open graph to the store.

        `commit_pending_transaction` is ignored, because rdflib itself sets it. To drop edits, call `rollback`.
        """
        try:
            self.commit()
        finally:
            graph, self._graph, self._why_closed = self._graph, None, "the store is closed"
            self._dropped.clear()
            if graph is not None and not self._is_borrowed:
                graph.close()

    def destroy(self, configuration: str) -> None:
        """Remove the store of a configuration string with all its data. Raises StoreError."""
        Place.of(configuration).destroy()

    def commit(self) -> None:
        """Make one commit of the edits that wait. If the commit raises an error, the edits are dropped."""
        self._pending.commit()

    def rollback(self) -> None:
        """Drop the edits that wait."""
        self._dropped.clear()
        self._pending.drop()

    def _committed_graph(self) -> KnowledgeGraph:
        """Commit the edits that wait, and return the graph."""
        self.commit()
        return self.graph

    def _note(self, lines: Sequence[str], *, added: bool) -> None:
        if lines:
            self.graph.check_writable()
            self._pending.note(lines, added=added)
        if self.autocommit:
            self.commit()

    def add(self, triple: _TripleType, context: _ContextType, quoted: bool = False) -> None:
        """Assert a triple in a graph. A generalised triple is dropped, with a warning for the first.

        Raises InputError for a statement of an N3 formula or an invalid term, and StoreError.
        """
        if quoted:
            raise InputError("a statement of an N3 formula cannot be added: RDF has no formulas")
        if is_generalised(triple):
            self._warn_of_generalised(triple)
            return
        self._note([line(*triple, self._graphs.target(context))], added=True)
        super().add(triple, context, quoted)

    def _warn_of_generalised(self, triple: _TripleType) -> None:
        """Remember a generalised triple, which is not added to the graph. Gives a warning for the first such triple."""
        if not self._dropped:
            warnings.warn(
                f"{' '.join(term.n3() for term in triple)}: in RDF a subject must not be a literal, and a predicate"
                " must be an IRI; the store drops this triple, and all later triples of this kind without a warning",
                DroppedWarning,
                stacklevel=5,
            )
        self._dropped.add(triple)

    def addN(self, quads: Iterable[_QuadType]) -> None:  # noqa: N802  # rdflib's name
        """Assert quads: all or, after an error, none. Generalised triples are dropped. Raises what `add` raises."""
        rows = []
        for row in quads:
            if is_generalised(row[:3]):
                self._warn_of_generalised(row[:3])
            else:
                rows.append(row)
        self._note([line(*row[:3], self._graphs.target(row[3])) for row in rows], added=True)
        for row in rows:
            super().add(row[:3], row[3])

    def remove(self, triple: _TriplePatternType, context: _ContextType | None = None) -> None:
        """Retract the asserted triples that match a pattern, in one graph or in all graphs.

        A triple that still follows from other triples stays as an inferred one. A language tag is compared without case
        if the pattern has a wildcard. Otherwise it matches itself, and itself in small letters.
        """
        graph = self._graphs.name(context)
        pattern = _pattern(triple)
        for each in tuple(self._dropped):  # a copy, since other threads may add triples meanwhile
            if all(wanted in (None, term) for term, wanted in zip(each, triple, strict=True)):
                self._dropped.discard(each)
        if pattern is None:
            return
        if graph is not None and pattern[2] is not None and None not in pattern:
            objects = dict.fromkeys([pattern[2], with_small_tags(pattern[2])])
            found = [quad_line(*pattern[:2], each, graph) for each in objects]
        else:
            quads = self._matching_quads(pattern, graph, asserted=True)
            found = [f"{quad} .\n" for quad in quads]
        self._note(found, added=False)
        super().remove(triple, context)

    def triples(
        self, triple_pattern: _TriplePatternType, context: _ContextType | None = None
    ) -> Iterator[tuple[_TripleType, Iterator[_ContextType | None]]]:
        """Yield each triple that matches a pattern in a graph, with the graphs that contain the triple.

        `context` says in which graph to look. If it is None or a Dataset, the graph is the closure, and the graphs that
        contain a triple are looked up. Otherwise each triple comes with `context` alone.
        """
        graph, pattern = self._graphs.target(context), _pattern(triple_pattern)
        if pattern is None and triple_pattern in self._dropped:
            return iter([(triple_pattern, iter((context,)))])
        found = self._matching_quads(pattern, graph) if pattern else ()
        holders = self._contexts_of if self._graphs.name(context) is None else lambda _: iter((context,))
        return ((_triple(quad, triple_pattern), holders(quad)) for quad in found)

    def _matching_quads(self, pattern: _Pattern, graph: GraphName | None, *, asserted: bool = False) -> Iterable[Quad]:
        """Return the quads that match a pattern, as rdflib compares terms: language tags without case."""
        return self._committed_graph().matches(Pattern(*pattern, graph), asserted=asserted, any_case=True)

    def _contexts_of(self, quad: Quad) -> Iterator[_ContextType]:
        yield from self._graphs.contexts(each.graph_name for each in self.graph.match(*quad.triple))

    def __len__(self, context: _ContextType | None = None) -> int:
        """The number of triples in the graph of a context; without a context, the number of triples in the closure."""
        graph, name = self._committed_graph(), self._graphs.target(context)
        return int(graph.stats()["facts"]) if name == DefaultGraph() else sum(1 for _ in graph.match(graph=name))

    def contexts(self, triple: _TripleType | None = None) -> Generator[_ContextType, None, None]:
        """Yield the graphs that contain a triple. Without a triple, yield all graphs."""
        graph = self._committed_graph()
        if triple is None or not any(triple):
            named = (cast(NamedNode | BlankNode, row[0]) for row in cast(QuerySolutions, graph.query(_NAMES)))
            yield from self._graphs.contexts([DefaultGraph(), *named, *self._graphs.names])
        elif pattern := _pattern(triple):
            yield from self._graphs.contexts(quad.graph_name for quad in self._matching_quads(pattern, None))

    def add_graph(self, graph: Graph) -> None:
        """Remember a graph, even if the graph is empty."""
        self._graphs.remember(graph)

    def remove_graph(self, graph: Graph) -> None:
        """Retract all triples of a named graph, and forget the graph.

        The default graph stays as it is, because rdflib calls this method for the default graph whenever it reads
        N-Quads. To retract the asserted triples of the default graph, call `remove((None, None, None))`.
        """
        if self._graphs.name(graph) not in (None, DefaultGraph()):
            self.remove((None, None, None), graph)
            self._graphs.forget(graph)

    def query(  # rdflib's names
        self,
        query: Query | str,
        initNs: Mapping[str, Any],  # noqa: N803
        initBindings: Mapping[str, Identifier],  # noqa: N803
        queryGraph: str,  # noqa: N803
        **kwargs: Any,
    ) -> Result:
        """Answer a query with Oxigraph. Raises QueryError.

        Raises NotImplementedError if rdflib should evaluate the query itself.
        """
        base = kwargs.pop("base", None)
        if initBindings or kwargs:
            raise NotImplementedError
        text, prefixes, prepared = text_of(query)
        name = self._graph_name(queryGraph)
        answer = self._committed_graph().query(
            text,
            prefixes=used_prefixes({**initNs, **prefixes}, text),
            base=prepared or base,
            default_graph=None if isinstance(name, DefaultGraph) else name,
        )
        return result_of(answer)

    def update(  # rdflib's names
        self,
        update: Update | str,
        initNs: Mapping[str, Any],  # noqa: N803
        initBindings: Mapping[str, Identifier],  # noqa: N803
        queryGraph: str,  # noqa: N803
        **kwargs: Any,
    ) -> None:
        """Carry out a SPARQL Update. Raises what `KnowledgeGraph.update` raises.

        Raises NotImplementedError if rdflib should evaluate the update itself.
        """
        if initBindings or kwargs or self._graph_name(queryGraph) != DefaultGraph():
            raise NotImplementedError
        text, prefixes, base = text_of(update)
        self._committed_graph().update(declarations(used_prefixes({**initNs, **prefixes}, text), base, text))

    def _graph_name(self, graph: Any) -> GraphName:
        return DefaultGraph() if graph == _UNION else self._graphs.name_of(graph)

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to a namespace. Prefixes are not saved."""
        self._prefixes.bind(prefix, namespace, override)

    def prefix(self, namespace: URIRef) -> str | None:
        """Return the prefix of a namespace."""
        return self._prefixes.prefix(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """Return the namespace of a prefix."""
        return self._prefixes.namespace(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Return all prefixes with their namespaces."""
        return self._prefixes.namespaces()


def _pattern(triple: _TriplePatternType) -> _Pattern | None:
    """Convert a pattern of rdflib to terms of pyoxigraph. Returns None if no RDF triple can match the pattern."""
    try:
        subject, predicate, object_ = (None if term is None else to_oxigraph(term) for term in triple)
    except InputError:
        return None
    if isinstance(subject, Literal) or isinstance(predicate, (BlankNode, Literal)):
        return None
    return subject, predicate, object_


def _triple(quad: Quad, pattern: _TriplePatternType) -> _TripleType:
    """Convert a quad to a triple of rdflib. Where the pattern has a term, the triple gets the term of the pattern."""
    subject, predicate, object_ = pattern
    return (
        to_rdflib(quad.subject) if subject is None else subject,
        to_rdflib(quad.predicate) if predicate is None else predicate,
        to_rdflib(quad.object) if object_ is None else object_,
    )
