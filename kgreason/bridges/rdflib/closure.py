"""`DeductiveClosure(OWLRL_Semantics).expand(graph)` adds inferred triples to a graph of rdflib, as in owlrl.

A program that uses owlrl only has to change its import:

    from kgreason.bridges.rdflib import DeductiveClosure, OWLRL_Semantics

The graph may use any store of rdflib. Its triples go to the engine directly, and no term is renamed: blank nodes stay
the same nodes. Contradictions are added as owlrl adds them, as `err:ErrorMessage`s.

    owlrl's option               rules
    RDFS_Semantics               all groups of rdfs except `axiomatic`
    OWLRL_Semantics              owl2rl with `thing`, `annotation` and `scm-reflexive`
    RDFS_OWLRL_Semantics         both, and three axioms: owl:Thing is rdfs:Resource, owl:Class is rdfs:Class,
                                 owl:DataRange is rdfs:Datatype
    OWLRL_Extension              RDFS_OWLRL_Semantics with `has-self`, and literals of datatypes with facets (`facets`)
    OWLRL_Extension_Trimming     the same: the triples that owlrl removes are not added, also with `axiomatic_triples`
    rdfs_closure                 adds the rules of RDFS_Semantics
    axiomatic_triples            adds the groups `axiomatic` and `eq-ref`: the axioms of the W3C, fewer than owlrl has
    datatype_axioms              an error: kgreason has no rules for them
    improved_datatypes=False     an error: kgreason reads literals as XSD says, never as rdflib does

owlrl also adds trivial triples. kgreason derives these triples too, because other triples depend on them, but adds them
only with `complete` or `axiomatic_triples`. A triple is trivial if it is reflexive, puts something in or below
owl:Thing, rdfs:Resource or rdf:Property, or follows from the empty graph. `complete` also switches on the groups
`eq-ref` and `dt-type1`. Then only triples about terms of RDF, OWL and XSD are missing. kgreason never adds a triple
with a literal as its subject. Under RDFS it does not repeat a triple with other literals of the same value.

Cost: the evaluation by the engine, and a few microseconds for each triple. The closure of the empty graph is computed
once for each semantics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import ClassVar, cast

import numpy as np
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Dataset, Graph
from rdflib.namespace import OWL, RDF, RDFS, Namespace
from rdflib.term import BNode, Literal, Node, URIRef

from kgreason.bridges.rdflib.facets import typed_literals
from kgreason.bridges.rdflib.terms import Triple, from_text, to_text
from kgreason.errors import InputError, RuleError
from kgreason.interrupts import undivided
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradictions import contradictions
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import INFERRED, Int32

_ERR = Namespace("http://www.daml.org/2002/03/agents/agent-ont#")
_RDFS, _RDFS_AXIOMATIC = "rdfs+property+resource+reflexive+container+datatype", "+axiomatic"
_OWL, _OWL_AXIOMATIC = "owl2rl+thing+annotation+scm-reflexive", "+eq-ref"
_OWL_COMPLETE, _EXTENSION = "+eq-ref+dt-type1", "+has-self"
_REFLEXIVE = {OWL.sameAs, OWL.equivalentClass, OWL.equivalentProperty, RDFS.subClassOf, RDFS.subPropertyOf}
_ABOVE = {RDF.type, RDFS.subClassOf, RDFS.domain, RDFS.range}
_EVERYTHING = {OWL.Thing, RDFS.Resource}


class Semantics:
    """A rule set, and a graph to which the rules are applied. Use a subclass. owlrl's classes have the same arguments.

    With `complete` no triple is left out because it is trivial. Raises RuleError for an option that kgreason has no
    rules for.
    """

    _rdfs: ClassVar[bool] = False
    _owl: ClassVar[bool] = False
    _extends: ClassVar[bool] = False
    _trims: ClassVar[bool] = False
    _axioms: ClassVar[tuple[Triple, ...]] = ()

    def __init__(
        self,
        graph: Graph,
        axioms: bool,
        daxioms: bool,
        rdfs: bool = False,
        destination: Graph | URIRef | str | None = None,
        *,
        complete: bool = False,
    ) -> None:
        if daxioms:
            raise RuleError("datatype_axioms is not supported: there are no rules for the hierarchy of XSD datatypes")
        groups = (_OWL_COMPLETE if complete else axioms * _OWL_AXIOMATIC) + self._extends * _EXTENSION
        names = ((self._rdfs or rdfs, _RDFS + axioms * _RDFS_AXIOMATIC), (self._owl, _OWL + groups))
        self._names = tuple(name for is_on, name in names if is_on)
        self._without_axioms = not (axioms or complete)
        self._without_trivial = self._without_axioms or (self._trims and not complete)
        self._graph, self._target = graph, _target(graph, destination)

    def closure(self) -> list[Contradiction]:
        """Add the inferred triples to the graph. Returns the contradictions. Raises InputError for an invalid term."""
        triples = [*_triples(self._graph)]
        typed = typed_literals(self._graph, triples) if self._extends else ()
        inferred, found = _closure(self._names, [*triples, *typed, *self._axioms])
        added = {*inferred, *self._axioms}
        if self._without_axioms:
            added -= _axiomatic_triples(self._names, self._axioms)
        if self._without_trivial:
            added = {triple for triple in added if not _is_trivial(triple)}
        if found:
            self._target.bind("err", _ERR)
        self._target.addN((*triple, self._target) for triple in (*added, *_messages(found)))
        return found


class RDFS_Semantics(Semantics):  # noqa: N801  # owlrl's name
    """RDFS: the patterns of RDF 1.1 Semantics, section 9."""

    _rdfs = True


class OWLRL_Semantics(Semantics):  # noqa: N801
    """OWL 2 RL: the rules of OWL 2 Profiles, section 4.3."""

    _owl = True


class RDFS_OWLRL_Semantics(Semantics):  # noqa: N801
    """RDFS and OWL 2 RL together. As in OWL 2 Full, rdfs:Resource equals owl:Thing, and rdfs:Class equals owl:Class."""

    _rdfs = _owl = True
    _axioms = (
        (OWL.Thing, OWL.equivalentClass, RDFS.Resource),
        (RDFS.Class, OWL.equivalentClass, OWL.Class),
        (OWL.DataRange, OWL.equivalentClass, RDFS.Datatype),
    )


class OWLRL_Extension(RDFS_OWLRL_Semantics):  # noqa: N801
    """OWL 2 RL, owl:hasSelf, and datatypes with facets: what owlrl adds to OWL 2 RL. `rdfs_closure` adds RDFS."""

    _rdfs = False
    _extends = True


class OWLRL_Extension_Trimming(OWLRL_Extension):  # noqa: N801
    """`OWLRL_Extension` without trivial triples, whatever the axioms are."""

    _trims = True


SEMANTICS = (RDFS_Semantics, OWLRL_Semantics, RDFS_OWLRL_Semantics, OWLRL_Extension, OWLRL_Extension_Trimming)
"""The classes that `DeductiveClosure` takes."""


class DeductiveClosure:
    """Adds inferred triples to graphs, by the rules of `closure_class`; with None, nothing is added.

    `complete` adds trivial triples as well, such as `x owl:sameAs x` and `x a owl:Thing`, as owlrl does. The other
    arguments are those of owlrl. Raises RuleError for a class that is not of this module, and for options that kgreason
    has no rules for.

    >>> from rdflib import OWL, RDF, Graph, URIRef
    >>> part, a, b, c = map(URIRef, ("http://e/part", "http://e/a", "http://e/b", "http://e/c"))
    >>> graph = Graph().add((part, RDF.type, OWL.TransitiveProperty)).add((a, part, b)).add((b, part, c))
    >>> DeductiveClosure(OWLRL_Semantics).expand(graph)
    []
    >>> (a, part, c) in graph
    True
    """

    def __init__(
        self,
        closure_class: type[Semantics] | None,
        improved_datatypes: bool = True,
        rdfs_closure: bool = False,
        axiomatic_triples: bool = False,
        datatype_axioms: bool = False,
        *,
        complete: bool = False,
    ) -> None:
        if closure_class not in (None, *SEMANTICS):
            raise RuleError(f"{closure_class!r}: pass {', '.join(each.__name__ for each in SEMANTICS)} of kgreason")
        if not improved_datatypes:
            raise RuleError(
                "improved_datatypes=False is not supported: kgreason always reads literals as XSD defines them"
            )
        self.closure_class = closure_class
        self.rdfs_closure = rdfs_closure
        self.axiomatic_triples = axiomatic_triples
        self.datatype_axioms = datatype_axioms
        self.complete = complete

    def expand(self, graph: Graph, destination: Graph | URIRef | str | None = None) -> list[Contradiction]:
        """Infer triples from a graph, and add them to the graph `destination`. Returns the contradictions.

        Without `destination` the triples are added to `graph` itself. For a Dataset, the triples of all its graphs are
        read together, and the inferred triples are added to its default graph, or to its graph named `destination`.
        """
        if self.closure_class is None:
            return []
        options = self.axiomatic_triples, self.datatype_axioms, self.rdfs_closure
        return self.closure_class(graph, *options, destination=destination, complete=self.complete).closure()


def _closure(names: Sequence[str], triples: Sequence[Triple]) -> tuple[Iterator[Triple], list[Contradiction]]:
    terms = _Terms()
    materializer = Materializer(select(names, "data"))  # for one closure, translating axioms takes too long
    with undivided():
        change = materializer.change(Edit(added=terms.rows(materializer.dictionary, triples)))
        materializer.accept()
    found = contradictions(materializer.save(), materializer.dictionary, materializer.false_rules)
    rows = change.rows[change.after == INFERRED]
    return terms.triples(materializer.dictionary, rows), [terms.contradiction(each) for each in found]


@cache
def _axiomatic_triples(names: tuple[str, ...], axioms: tuple[Triple, ...]) -> frozenset[Triple]:
    """Return the axioms, and all triples that the rules infer from the axioms alone."""
    return frozenset((*axioms, *_closure(names, axioms)[0]))


def _is_trivial(triple: Triple) -> bool:
    """Whether a triple is trivial: reflexive, or of a form that holds for every term, such as `x a owl:Thing`."""
    subject, predicate, object_ = triple
    if predicate in _REFLEXIVE and (subject == object_ or subject == OWL.Nothing):
        return True
    return (predicate in _ABOVE and object_ in _EVERYTHING) or (predicate == RDF.type and object_ == RDF.Property)


class _Terms:
    """Converts terms of rdflib to texts for the engine and back.

    Blank nodes get texts with a number, such as `_:b7`.
    """

    def __init__(self) -> None:
        self._texts: dict[Node, str] = {}
        self._nodes: dict[str, Node] = {}

    def rows(self, dictionary: Dictionary, triples: Iterable[Triple]) -> Int32:
        """Convert triples of rdflib to quads of the default graph, as ids of `dictionary`: int32[n, 4].

        Adds their terms to the dictionary if it does not have them.
        """
        try:
            ids = dictionary.intern(self._text(term) for triple in triples for term in triple)
        except UnicodeEncodeError as error:
            raise InputError(f"{error.object!r}: {error.reason}") from error
        return np.column_stack([ids.reshape(-1, 3), np.zeros(len(ids) // 3, dtype=np.int32)])

    def triples(self, dictionary: Dictionary, rows: Int32) -> Iterator[Triple]:
        """Convert rows int32[n, 3] of ids of `dictionary` to triples of rdflib."""
        nodes = map(self._node, dictionary.decode(rows.ravel()))
        return zip(nodes, nodes, nodes, strict=True)

    def contradiction(self, found: Contradiction) -> Contradiction:
        """Return the contradiction with the labels that its blank nodes have in the graph of rdflib."""
        return found.renamed(lambda text: text if text.startswith(("<", '"')) else f"_:{self._node(text)}")

    def _text(self, term: Node) -> str:
        text = self._texts.get(term)
        if text is None:
            text = self._texts[term] = self._name(term)
            self._nodes.setdefault(text, term)
        return text

    def _name(self, term: Node) -> str:
        if isinstance(term, URIRef):
            return f"<{term}>"  # the engine also takes relative IRIs
        return f"_:b{len(self._texts)}" if isinstance(term, BNode) else to_text(term)

    def _node(self, text: str) -> Node:
        node = self._nodes.get(text)
        if node is None:
            node = self._nodes[text] = from_text(text)
        return node


def _triples(graph: Graph) -> Iterable[Triple]:
    """Return the triples of a graph. For a Dataset these are the triples of all its graphs."""
    if isinstance(graph, ConjunctiveGraph):
        return (triple for triple, _ in graph.store.triples((None, None, None)))
    return graph


def _target(graph: Graph, destination: Graph | URIRef | str | None) -> Graph:
    """Return the graph that gets the inferred triples.

    This is `destination` if it is a graph, or the graph with the name `destination` in the Dataset `graph`. Without
    `destination` it is `graph`; for a Dataset it is the default graph.
    """
    if isinstance(destination, Graph):
        return destination
    if isinstance(graph, ConjunctiveGraph):
        if destination is None and not isinstance(graph, Dataset):
            return cast(Graph, graph.default_context)
        return graph.get_context(DATASET_DEFAULT_GRAPH_ID if destination is None else URIRef(destination))
    if destination is not None:
        raise InputError(f"{destination}: only a Dataset has named graphs; pass a Graph as destination")
    return graph


def _messages(found: Iterable[Contradiction]) -> Iterator[Triple]:
    for contradiction in found:
        node = BNode()
        yield node, RDF.type, _ERR.ErrorMessage
        yield node, _ERR.error, Literal(str(contradiction))
