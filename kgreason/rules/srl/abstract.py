"""Rules of SPARQL-RL in the abstract syntax of the specification: triples, filters, assignments, negations.

A term may be a blank node of a head or of data, or a triple term with variables in it. `translation` turns such terms
into `Term`s of our rules. In bodies, blank nodes have become variables already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kgreason.rules.model import Computed, Constant, Variable


class Blank(NamedTuple):
    """A blank node of a head or of data. If the text gives it no label, its `label` has a space in it."""

    label: str


class Nested(NamedTuple):
    """A triple term with a variable or a blank node in it."""

    subject: Node
    predicate: Node
    object: Node


Node: TypeAlias = Variable | Constant | Blank | Nested
Triple: TypeAlias = tuple[Node, Node, Node]


class Filter(NamedTuple):
    """A filter `FILTER(expression)`. All elements have `line` and `column`, the place in the text, for messages."""

    computed: Computed
    line: int
    column: int


class Assignment(NamedTuple):
    """An assignment `SET(?result := expression)`."""

    computed: Computed
    line: int
    column: int


class Pattern(NamedTuple):
    """A triple pattern of a body, or a triple of a head or of a DATA block."""

    triple: Triple
    line: int
    column: int


class Absent(NamedTuple):
    """A negation `NOT { elements }`, or with `is_data` `NOT DATA { elements }`. Elements are patterns and filters."""

    elements: tuple[Pattern | Filter, ...]
    is_data: bool
    line: int
    column: int


Element: TypeAlias = Pattern | Filter | Assignment | Absent


@dataclass(frozen=True, slots=True)
class AbstractRule:
    """A rule of SPARQL-RL. With `is_data`, its whole body matches asserted triples only."""

    name: str
    head: tuple[Pattern, ...]
    body: tuple[Element, ...]
    is_data: bool


def variables(node: Node) -> Iterator[Variable]:
    """Yield the term if it is a variable, or the variables inside it if it is a triple term, in their order."""
    if isinstance(node, Variable):
        yield node
    elif isinstance(node, Nested):
        for part in node:
            yield from variables(part)


def blanks(node: Node) -> Iterator[Blank]:
    """Yield the term if it is a blank node, or the blank nodes inside it if it is a triple term."""
    if isinstance(node, Blank):
        yield node
    elif isinstance(node, Nested):
        for part in node:
            yield from blanks(part)


def of_triple(triple: Triple) -> Iterator[Variable]:
    """Yield the variables of a triple pattern, also those inside triple terms."""
    for node in triple:
        yield from variables(node)


def defined(element: Element) -> Iterator[Variable]:
    """Yield the variables to which an element gives values: those of a triple pattern, or the result of SET."""
    if isinstance(element, Pattern):
        yield from of_triple(element.triple)
    elif isinstance(element, Assignment) and element.computed.result:
        yield element.computed.result


def mentioned(elements: Iterable[Element]) -> Iterator[Variable]:
    """Yield the variables that occur in elements, except those that occur only in the expression of a SET."""
    for element in elements:
        if isinstance(element, Pattern):
            yield from of_triple(element.triple)
        elif isinstance(element, Filter):
            yield from element.computed.inputs()
        elif isinstance(element, Assignment):
            yield from filter(None, [element.computed.result])
        else:
            yield from mentioned(element.elements)
