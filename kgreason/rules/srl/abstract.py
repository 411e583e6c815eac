"""Rules of SPARQL-RL as the specification's abstract syntax has them: triples, filters, assignments, negations.

A term may be a blank node of a head or of data, or a triple term with variables in it. `translation` knows how such
terms become `Term`s of our rules. In bodies, blank nodes are variables already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kgreason.rules.model import Computed, Constant, Variable


class Blank(NamedTuple):
    """A blank node of a head or of data, given by its label.

    A node that has no name in the text gets a label with a space in it.
    """

    label: str


class Nested(NamedTuple):
    """A triple term with a variable or a blank node in it."""

    subject: Node
    predicate: Node
    object: Node


Node: TypeAlias = Variable | Constant | Blank | Nested
Triple: TypeAlias = tuple[Node, Node, Node]


class Filter(NamedTuple):
    """`FILTER`. As in all elements, `line` and `column` say where the element begins, for messages."""

    computed: Computed
    line: int
    column: int


class Assignment(NamedTuple):
    """`SET(?result := expression)`."""

    computed: Computed
    line: int
    column: int


class Pattern(NamedTuple):
    """A triple pattern."""

    triple: Triple
    line: int
    column: int


class Absent(NamedTuple):
    """`NOT { elements }`; the elements are patterns and filters."""

    elements: tuple[Pattern | Filter, ...]
    is_data: bool
    line: int
    column: int


Element: TypeAlias = Pattern | Filter | Assignment | Absent


@dataclass(frozen=True, slots=True)
class AbstractRule:
    """A rule with its name. If `is_data`, the whole body matches only asserted triples."""

    name: str
    head: tuple[Pattern, ...]
    body: tuple[Element, ...]
    is_data: bool


def variables(node: Node) -> Iterator[Variable]:
    """Yield the variables of a term, in the order in which they occur.

    If the term is a triple term, these are the variables in the triple.
    """
    if isinstance(node, Variable):
        yield node
    elif isinstance(node, Nested):
        for part in node:
            yield from variables(part)


def blanks(node: Node) -> Iterator[Blank]:
    """Yield the blank nodes of a term. If the term is a triple term, these are the blank nodes in the triple."""
    if isinstance(node, Blank):
        yield node
    elif isinstance(node, Nested):
        for part in node:
            yield from blanks(part)


def of_triple(triple: Triple) -> Iterator[Variable]:
    """Yield the variables of a triple pattern."""
    for node in triple:
        yield from variables(node)


def defined(element: Element) -> Iterator[Variable]:
    """Yield the variables that an element gives values to."""
    if isinstance(element, Pattern):
        yield from of_triple(element.triple)
    elif isinstance(element, Assignment) and element.computed.result:
        yield element.computed.result


def mentioned(elements: Iterable[Element]) -> Iterator[Variable]:
    """Yield the variables that occur in elements. The variables that a SET reads are left out."""
    for element in elements:
        if isinstance(element, Pattern):
            yield from of_triple(element.triple)
        elif isinstance(element, Filter):
            yield from element.computed.inputs()
        elif isinstance(element, Assignment):
            yield from filter(None, [element.computed.result])
        else:
            yield from mentioned(element.elements)
