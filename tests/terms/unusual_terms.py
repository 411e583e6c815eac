"""Hypothesis strategies for odd RDF terms and quads, made of pyoxigraph's values."""

from __future__ import annotations

from collections.abc import Iterable

import pyoxigraph
from hypothesis import strategies as st
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from kgreason.terms.tags import literal_with_tag

_values = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["", "a b", '"', "\\", "\n", "\t .\n", "\\u0041", "<x> ", "_:b .", " . ", "\x00\x7f\x85\u2028", "<<( ", " )>>"]
)
iris = st.text("abé🐘_-.~:/?@!$&'()*+,;=", max_size=9).map(lambda name: NamedNode(f"http://e/{name}"))
blanks = st.from_regex(r"\A[a-zA-Z0-9_]([a-zA-Z0-9_.-]{0,30}[a-z0-9])?\Z").map(BlankNode)
literals = st.one_of(
    _values.map(Literal),
    st.builds(literal_with_tag, _values, st.sampled_from(["en", "de-at", "en-GB", "DE"])),
    st.builds(lambda value, name: Literal(value, datatype=name), _values, iris),
)
_ground = st.one_of(iris, blanks, literals)
_triple_terms = st.builds(Triple, iris | blanks, iris, _ground)
objects = _ground | _triple_terms | st.builds(Triple, iris | blanks, iris, _triple_terms)
quads = st.builds(Quad, iris | blanks, iris, objects, iris | blanks | st.just(DefaultGraph()))


def lines_of(rows: Iterable[Quad]) -> bytes:
    """Rows as canonical N-Quads."""
    return pyoxigraph.serialize(rows, format=pyoxigraph.RdfFormat.N_QUADS) or b""
