"""Convert terms of rdflib to terms of pyoxigraph and back. `str` of a term of pyoxigraph is canonical N-Triples.

Lexical forms stay the same in both directions: no literal is normalised, whatever `rdflib.NORMALIZE_LITERALS` says.
Blank nodes keep their labels. A plain literal and a literal of type xsd:string are the same term, as RDF 1.1 says.
Language tags stay as they are written; rdflib compares them without case.

Cost: a microsecond for a term, and a tenth of that for a frequent term.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, NamedNode
from rdflib.term import BNode, Literal, Node, URIRef

from kgreason.errors import InputError
from kgreason.graph.input.terms import term_of_rdflib
from kgreason.terms.quoting import quote
from kgreason.terms.tags import parse_quads

Term: TypeAlias = NamedNode | BlankNode | pyoxigraph.Literal
Triple: TypeAlias = tuple[Node, Node, Node]
GraphName: TypeAlias = NamedNode | BlankNode | DefaultGraph
_FREQUENT = 1 << 14
_XSD_STRING = NamedNode("http://www.w3.org/2001/XMLSchema#string")


def to_oxigraph(term: Node) -> Term:
    """Convert a term of rdflib to a term of pyoxigraph. Raises InputError for an invalid term (a relative IRI)."""
    found = term_of_rdflib(term)
    if found is None:
        raise InputError(f"pass an IRI, a blank node or a literal of rdflib; got {term!r}")
    return found


def to_text(term: Node) -> str:
    """Convert a term of rdflib to N-Triples text. Raises InputError for an invalid term."""
    if type(term) is URIRef:
        return _iri_text(str(term))
    if type(term) is Literal and not term.language and term.datatype is None and term.isascii():
        return quote(str(term))
    return str(to_oxigraph(term))


@lru_cache(_FREQUENT)
def _iri_text(iri: str) -> str:  # strings are compared ten times faster than terms of rdflib
    return str(to_oxigraph(URIRef(iri)))


def from_text(text: str) -> URIRef | BNode | Literal:
    """Convert N-Triples text to a term of rdflib."""
    if text.startswith("<"):
        return URIRef(text[1:-1])
    return to_rdflib(next(parse_quads(f"<row:> <row:> {text} .".encode())).object)


def is_generalised(triple: tuple[Node, Node, Node]) -> bool:
    """Whether a triple is generalised: its subject is a literal, or its predicate is not an IRI."""
    subject, predicate, _ = triple
    return isinstance(subject, Literal) or not isinstance(predicate, URIRef)


def line(subject: Node, predicate: Node, object_: Node, graph: GraphName) -> str:
    """Convert a quad of rdflib to a line of N-Quads. Raises InputError for a generalised triple or an invalid term."""
    if is_generalised((subject, predicate, object_)):
        raise InputError(
            f"{subject!r} {predicate!r} {object_!r}: in RDF a subject must not be a literal, and a predicate must be an"
            " IRI"
        )
    return quad_line(to_text(subject), to_text(predicate), to_text(object_), graph)


def quad_line(subject: object, predicate: object, object_: object, graph: GraphName) -> str:
    """Write a quad as a line of N-Quads. The terms are given as N-Triples text or as terms of pyoxigraph."""
    if isinstance(graph, DefaultGraph):
        return f"{subject} {predicate} {object_} .\n"
    return f"{subject} {predicate} {object_} {graph} .\n"


@lru_cache(_FREQUENT)
def to_rdflib(term: Term | pyoxigraph.Triple) -> URIRef | BNode | Literal:
    """Convert a term of pyoxigraph to a term of rdflib. Raises InputError for the new kinds of terms of RDF 1.2."""
    if isinstance(term, NamedNode):
        return URIRef(term.value)
    if isinstance(term, BlankNode):
        return BNode(term.value)
    if isinstance(term, pyoxigraph.Triple) or term.direction:
        raise InputError(f"{term}: rdflib does not support this kind of term of RDF 1.2")
    if term.language:
        return Literal(term.value, lang=term.language)
    if term.datatype == _XSD_STRING:
        return Literal(term.value)
    return Literal(term.value, datatype=URIRef(term.datatype.value), normalize=False)
