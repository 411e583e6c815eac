"""Random ontologies with data, as triples and as quads in several graphs.

Data has blank nodes, literals (not canonical ones and language tags too), also as values of object properties. Half of
the axioms come with their witness, so that most graphs make several rules fire one after another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.oracle.graph import Triple
from tests.oracle.notation import term
from tests.oracle.vocabulary import TYPE

from .axioms import KINDS, VALUE, Axiom, axioms, classes, individuals, literals, properties

Quad: TypeAlias = tuple[str, str, str, str | None]

GRAPHS = (None, term("g1"), term("g2"))


@st.composite
def ontologies(draw: DrawFn, kinds: Collection[str] = KINDS, max_size: int = 8) -> list[Axiom]:
    """Ontologies of axioms of these kinds; every second one is large."""
    least = draw(st.sampled_from((0, max_size // 2)))
    return draw(st.lists(axioms(kinds), min_size=least, max_size=max_size))


def assertions() -> SearchStrategy[Triple]:
    """One triple of data."""
    return st.one_of(
        st.tuples(individuals, st.just(TYPE), classes),
        st.tuples(individuals, properties, individuals),
        st.tuples(individuals, properties, individuals),
        st.tuples(individuals, properties, literals),
        st.tuples(individuals, st.just(VALUE), literals),
    )


def data(max_size: int = 6) -> SearchStrategy[set[Triple]]:
    """Small sets of data triples."""
    return st.sets(assertions(), max_size=max_size)


@st.composite
def graphs(draw: DrawFn, kinds: Collection[str] = KINDS, max_axioms: int = 8, max_data: int = 6) -> set[Triple]:
    """The triples of an ontology with its data."""
    triples = set(draw(data(max_data)))
    for axiom in draw(ontologies(kinds, max_axioms)):
        triples |= axiom.triples
        if draw(st.booleans()):
            triples |= axiom.witness
    return triples


@st.composite
def datasets(draw: DrawFn, kinds: Collection[str] = KINDS, max_axioms: int = 8, max_data: int = 6) -> list[Quad]:
    """An ontology with its data, spread over graphs: any order, some triples in several graphs."""
    homes = st.lists(st.sampled_from(GRAPHS), min_size=1, max_size=2, unique=True)
    triples = sorted(draw(graphs(kinds, max_axioms, max_data)))
    return draw(st.permutations([(*triple, graph) for triple in triples for graph in draw(homes)]))


def union(quads: Iterable[Quad]) -> set[Triple]:
    """The triples of all graphs."""
    return {(s, p, o) for s, p, o, _ in quads}


def nquads(quads: Iterable[Quad]) -> str:
    """The quads as N-Quads."""
    return "".join(f"{' '.join(term for term in quad if term)} .\n" for quad in quads)
