"""Rules of SPARQL-RL in the abstract syntax of the specification: triples, filters, assignments, negations.

Besides variables and constants there are two more terms: a blank node of a head or of a DATA block, and a triple term
that contains variables or such blank nodes. `translation` turns them into terms of `rules.model`. Blank nodes of bodies
are variables here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kgreason.rules.model import Computed, Constant, Variable


class Blank(NamedTuple):
    """A blank node of a head or of a DATA block. If it has no label in the text, its `label` here contains a space."""

    label: str


class Nested(NamedTuple):
    """A triple term with a variable or a blank node in it."""

    subject: Node
    predicate: Node
    object: Node


Node: TypeAlias = Variable | Constant | Blank | Nested
Triple: TypeAlias = tuple[Node, Node, Node]


class Filter(NamedTuple):
    """A filter `FILTER(expression)`. `line` and `column` of each element are its place in the text, for messages."""

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
    """A rule of SPARQL-RL. With `is_data`, its whole body matches asserted triples only. `line` is where it begins."""

    name: str
    head: tuple[Pattern, ...]
    body: tuple[Element, ...]
    is_data: bool
    line: int = 0


def variables(node: Node) -> Iterator[Variable]:
    """Yield `node` if it is a variable. If it is a triple term, yield the variables inside it, in their order."""
    if isinstance(node, Variable):
        yield node
    elif isinstance(node, Nested):
        for part in node:
            yield from variables(part)


def blanks(node: Node) -> Iterator[Blank]:
    """Yield `node` if it is a blank node. If it is a triple term, yield the blank nodes inside it."""
    if isinstance(node, Blank):
        yield node
    elif isinstance(node, Nested):
        for part in node:
            yield from blanks(part)


def variables_of_triple(triple: Triple) -> Iterator[Variable]:
    """Yield the variables of a triple pattern, also those inside triple terms."""
    for node in triple:
        yield from variables(node)


def variables_defined(element: Element) -> Iterator[Variable]:
    """Yield the variables to which an element gives values: those of a triple pattern, or the result of SET."""
    if isinstance(element, Pattern):
        yield from variables_of_triple(element.triple)
    elif isinstance(element, Assignment) and element.computed.result:
        yield element.computed.result


def variables_mentioned(elements: Iterable[Element]) -> Iterator[Variable]:
    """Yield the variables that occur in elements, except those that occur only in the expression of a SET."""
    for element in elements:
        if isinstance(element, Pattern):
            yield from variables_of_triple(element.triple)
        elif isinstance(element, Filter):
            yield from element.computed.inputs()
        elif isinstance(element, Assignment):
            yield from filter(None, [element.computed.result])
        else:
            yield from variables_mentioned(element.elements)
