"""Random ontologies that write what they mean again and again: each expression is a new blank node wherever it is used.

An ontology declares some of its classes and properties: restrictions on undeclared ones are no twins. In some
ontologies the data also declare classes, by a property with the range owl:Class. Restrictions stand inside
restrictions, lists and each other's equivalences. Some restrictions have an IRI, or two fillers.
Individuals are typed and related.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.oracle import vocabulary as v
from tests.oracle.graph import Triple
from tests.oracle.notation import term

Meaning: TypeAlias = str | tuple[Any, ...]

CLASSES = tuple(map(term, "ABCDEF"))
PROPERTIES = tuple(map(term, "pqr"))
INDIVIDUALS = tuple(map(term, "ijk"))
DECLARES = term("declares")
OBJECT_PROPERTY, HAS_KEY = f"<{v.OWL}ObjectProperty>", f"<{v.OWL}hasKey>"
KINDS = (v.SOME_VALUES_FROM, v.SOME_VALUES_FROM, v.ALL_VALUES_FROM, v.HAS_VALUE)
LISTS = (v.INTERSECTION_OF, v.UNION_OF)
_AXIOMS = (*[v.SUB_CLASS_OF] * 5, *[v.EQUIVALENT_CLASS] * 2, v.DOMAIN, v.RANGE, v.SUB_PROPERTY_OF)


@st.composite
def _meanings(draw: DrawFn, classes: tuple[str, ...], depth: int = 2) -> Meaning:
    """What an expression means: equal ones are written more than once."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(classes))
    if draw(st.integers(0, 4)) == 0:
        inner = st.lists(_meanings(classes, depth - 1), min_size=1, max_size=2)
        return (draw(st.sampled_from(LISTS)), *draw(inner))
    kind, property_ = draw(st.sampled_from(KINDS)), draw(st.sampled_from(PROPERTIES))
    filler = st.sampled_from(INDIVIDUALS) if kind == v.HAS_VALUE else _meanings(classes, depth - 1)
    return kind, property_, draw(filler)


class _Writer:
    """Writes meanings as triples, each time with new nodes."""

    def __init__(self, draw: DrawFn, meanings: list[Meaning]) -> None:
        self.draw, self.meanings = draw, meanings
        self.triples: set[Triple] = set()
        self._numbers = count()

    def some(self) -> str:
        """The node of one of the meanings."""
        return self.node(self.draw(st.sampled_from(self.meanings)))

    def node(self, meaning: Meaning) -> str:
        if isinstance(meaning, str):
            return meaning
        number = next(self._numbers)
        node = term(f"N{number}") if self.draw(st.integers(0, 11)) == 0 else f"_:n{number}"
        self.triples |= set(self._list(node, meaning) if meaning[0] in LISTS else self._restriction(node, meaning))
        return node

    def _restriction(self, node: str, meaning: tuple[Any, ...]) -> Iterator[Triple]:
        kind, property_, filler = meaning
        yield node, v.ON_PROPERTY, property_
        yield node, kind, self.node(filler)
        if self.draw(st.integers(0, 49)) == 0:
            yield node, kind, self.draw(st.sampled_from((*CLASSES, "_:n0", "_:n1")))
        if self.draw(st.integers(0, 4)) == 0:
            yield node, v.TYPE, v.CLASS

    def _list(self, node: str, meaning: tuple[Any, ...]) -> Iterator[Triple]:
        kind, *members = meaning
        cells = [*(f"{node if node[0] == '_' else '_:n'}x{next(self._numbers)}" for _ in members), v.NIL]
        yield node, v.TYPE, v.CLASS
        yield node, kind, cells[0]
        for member, cell, rest in zip(members, cells, cells[1:], strict=False):
            yield cell, v.FIRST, self.node(member)
            yield cell, v.REST, rest


@st.composite
def twin_ontologies(draw: DrawFn, *, with_ends: bool = True) -> set[Triple]:
    """The triples of one; `with_ends`: owl:Thing and owl:Nothing are among its classes."""
    classes = (*CLASSES, *((v.THING, v.NOTHING) if with_ends and draw(st.booleans()) else ()))
    writer = _Writer(draw, draw(st.lists(_meanings(classes), min_size=2, max_size=4)))
    triples = writer.triples
    every = draw(st.booleans())
    for class_ in classes:
        if every or draw(st.booleans()):
            triples.add((class_, v.TYPE, v.CLASS))
    for property_ in PROPERTIES:
        if draw(st.booleans()):
            triples.add((property_, v.TYPE, draw(st.sampled_from((OBJECT_PROPERTY, v.DATATYPE_PROPERTY)))))
    for _ in range(draw(st.integers(3, 9))):
        triples.add(_axiom(draw, writer, classes))
    for _ in range(draw(st.integers(1, 4))):
        triples.add((draw(st.sampled_from(INDIVIDUALS)), v.TYPE, draw(st.sampled_from(CLASSES))))
        triples.add(tuple(draw(st.sampled_from(each)) for each in (INDIVIDUALS, PROPERTIES, INDIVIDUALS)))  # type: ignore[arg-type]
    if draw(st.integers(0, 3)) == 0:
        triples.add((DECLARES, v.RANGE, v.CLASS))
        triples |= {(INDIVIDUALS[0], DECLARES, each) for each in draw(st.sets(st.sampled_from(CLASSES), max_size=2))}
    if draw(st.integers(0, 9)) == 0:
        triples.add((draw(st.sampled_from(CLASSES)), v.SAME_AS, draw(st.sampled_from(CLASSES))))
    return triples


def _axiom(draw: DrawFn, writer: _Writer, classes: tuple[str, ...]) -> Triple:
    predicate = draw(st.sampled_from(_AXIOMS))
    if predicate == v.SUB_PROPERTY_OF:
        return draw(st.sampled_from(PROPERTIES)), predicate, draw(st.sampled_from(PROPERTIES))
    if predicate in (v.DOMAIN, v.RANGE):
        return draw(st.sampled_from(PROPERTIES)), predicate, writer.some()
    ends = [writer.some(), draw(st.sampled_from(classes))]
    left, right = draw(st.permutations(ends)) if draw(st.integers(0, 4)) else (writer.some(), writer.some())
    return left, predicate, right
