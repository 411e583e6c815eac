"""Turtle as an rdflib graph that keeps lexical forms. rdflib's own parser would make "01"^^xsd:integer "1"."""

from __future__ import annotations

import logging
import warnings

import pyoxigraph
from pyoxigraph import RdfFormat
from rdflib.graph import Graph
from rdflib.term import BNode, Literal, Node, URIRef

logging.getLogger("rdflib.term").setLevel(logging.ERROR)  # and logs them


def graph(text: str | bytes, base: str = "http://example.org/") -> Graph:
    """Return the graph of a Turtle document."""
    found = Graph()
    for quad in pyoxigraph.parse(text, RdfFormat.TURTLE, base_iri=base):
        found.add((term(quad.subject), term(quad.predicate), term(quad.object)))
    return found


def term(found: object) -> Node:
    """Return a term of pyoxigraph as a term of rdflib."""
    if isinstance(found, pyoxigraph.NamedNode):
        return URIRef(found.value)
    if isinstance(found, pyoxigraph.BlankNode):
        return BNode(found.value)
    assert isinstance(found, pyoxigraph.Literal)
    return literal(found.value, found.datatype.value, found.language)


def literal(text: str, datatype: str, language: str | None = None) -> Literal:
    """Return a literal with this lexical form. A plain one and one of type xsd:string are the same term."""
    if language:
        return Literal(text, lang=language)
    plain = datatype == "http://www.w3.org/2001/XMLSchema#string"
    with warnings.catch_warnings(action="ignore"):  # rdflib warns of ill-typed literals
        return Literal(text, datatype=None if plain else URIRef(datatype), normalize=False)
