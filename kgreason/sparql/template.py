"""`Template`: quads with variables and blank nodes. The solutions of a WHERE turn a template into rows.

In the template an IRI stands for each variable. Law: the rows of a solution are RDF quads. A quad is left out if one of
its variables is not bound, or has a value that may not stand there (section 3.1.3 of SPARQL 1.1 Update).

Cost: about 5 microseconds for each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple

from kgreason.sparql.where_clause import Solution
from kgreason.store.oxigraph.update import OURS

_Term: TypeAlias = NamedNode | BlankNode | Literal | Triple | DefaultGraph
_Shape: TypeAlias = "int | tuple[_Shape, ...]"
"""The index of a term in the list of values, or the shapes of the parts of a triple term."""


def placeholder(variable: str) -> NamedNode:
    """Return the IRI that stands for a variable in a template. No other IRI of the template is equal to it."""
    return NamedNode(f"{OURS}?{variable}")


@dataclass(frozen=True, slots=True)
class Template:
    """Quads in which an IRI stands for each of the `variables`. `blanks` are the blank nodes of the quads."""

    quads: tuple[Quad, ...] = ()
    variables: tuple[str, ...] = ()
    blanks: tuple[BlankNode, ...] = field(init=False)
    _shapes: tuple[tuple[_Shape, ...], ...] = field(init=False)
    _constants: tuple[_Term, ...] = field(init=False)

    def __post_init__(self) -> None:
        found = {term for quad in self.quads for term in _parts(quad) if isinstance(term, BlankNode)}
        object.__setattr__(self, "blanks", tuple(found))
        places: list[_Term] = [*map(placeholder, self.variables), *self.blanks]
        numbers = {term: number for number, term in enumerate(places)}
        shapes = tuple(tuple(_shape(term, numbers) for term in quad) for quad in self.quads)
        object.__setattr__(self, "_shapes", shapes)
        object.__setattr__(self, "_constants", tuple(numbers)[len(places) :])

    @property
    def objects(self) -> tuple[str, ...]:
        """The variables that stand at the place of an object, also inside of a triple term."""
        found = {_object(quad.object) for quad in self.quads}
        return tuple(name for name in self.variables if placeholder(name) in found)

    def within(self, graph: str | None) -> Template:
        """Apply WITH: return the template with all triples outside of GRAPH put into `graph`."""
        if graph is None:
            return self
        name = NamedNode(graph[1:-1])
        return Template(tuple(_place(quad, name) for quad in self.quads), self.variables)

    def rows(self, solutions: Iterable[Solution]) -> list[bytes]:
        """Fill the template once for each solution. Returns the rows, as lines, in order.

        Each solution gets blank nodes of its own.
        """
        found = chain.from_iterable(map(self._fill, solutions)) if self.quads else ()
        return lines(pyoxigraph.serialize(found, format=RdfFormat.N_QUADS) or b"")

    def _fill(self, solution: Solution) -> Iterator[Quad]:
        """Yield the quads of the template with the values of a solution."""
        bound = [solution[name] for name in self.variables]
        values = [*bound, *[BlankNode() for _ in self.blanks], *self._constants]
        for shape in self._shapes:
            try:
                yield Quad(*[_value(part, values) for part in shape])  # type: ignore[arg-type]
            except TypeError:  # the variable has no value, or a value that may not stand here
                continue


def lines(rows: bytes) -> list[bytes]:
    """Return the lines of `rows`, each with its line feed."""
    return rows.splitlines(keepends=True)


def subject_and_predicate(line: bytes) -> bytes:
    """Return the subject and predicate of an N-Quads line.

    Two rows that Oxigraph shows as one row have the same subject and predicate.
    """
    return line[: line.index(b" ", line.index(b" ") + 1)]


def _place(quad: Quad, graph: NamedNode) -> Quad:
    if quad.graph_name != DefaultGraph():
        return quad
    return Quad(quad.subject, quad.predicate, quad.object, graph)


def _parts(term: Quad | Triple) -> Iterator[_Term]:
    for part in term:
        if isinstance(part, Triple):
            yield from _parts(part)
        else:
            yield part


def _object(term: _Term) -> _Term:
    while isinstance(term, Triple):
        term = term.object
    return term


def _shape(term: _Term, numbers: dict[_Term, int]) -> _Shape:
    """Return the number of a term in `numbers`. A new term is added to `numbers` with the next number.

    For a triple term, return a tuple with the shapes of its three parts.
    """
    if isinstance(term, Triple):
        return tuple(_shape(part, numbers) for part in term)
    return numbers.setdefault(term, len(numbers))


def _value(shape: _Shape, values: Sequence[_Term | None]) -> _Term:
    if isinstance(shape, tuple):
        return Triple(*[_value(part, values) for part in shape])  # type: ignore[arg-type]
    value = values[shape]
    if value is None:
        raise TypeError("an unbound variable")
    return value
