"""Data that makes an axiom say something: members of class expressions, and links that a restriction speaks about.

Random data over a random ontology seldom meets it; a *witness* does. Every function takes three individuals and gives
valid RDF only: where an inverse property would put a literal in front, it gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tests.oracle import vocabulary as v
from tests.oracle.graph import Triple

from .expressions import Expression, node

People: TypeAlias = tuple[str, str, str]

CHARACTERISTICS = {
    v.FUNCTIONAL: ("xy", "xz"),
    v.INVERSE_FUNCTIONAL: ("xz", "yz"),
    v.SYMMETRIC: ("xy",),
    v.ASYMMETRIC: ("xy", "yx"),
    v.TRANSITIVE: ("xy", "yz"),
    v.IRREFLEXIVE: ("xx",),
}
"""Each characteristic of a property with the links that it speaks about."""


def link(property_: Expression, x: str, y: str) -> Iterator[Triple]:
    """x and y related by the property expression."""
    if isinstance(property_, str):
        yield x, property_, y
    elif not y.startswith('"'):
        yield y, property_[1], x


def member(expression: Expression, salt: int, people: People) -> Iterator[Triple]:
    """What makes the first individual a member of the expression, by its parts where a rule sees that."""
    x, y, z = people
    match expression:
        case "someValuesFrom", property_, filler:
            yield from link(property_, x, y)
            yield from member(filler, salt, (y, z, x))
        case "hasValue", property_, value:
            yield from link(property_, x, value)
        case "intersectionOf", *parts:
            for part in parts:
                yield from member(part, salt, people)
        case "unionOf", *parts:
            yield from member(parts[-1], salt, people)
        case _:
            yield x, v.TYPE, node(expression, salt)


def exercise(expression: Expression, salt: int, people: People) -> Iterator[Triple]:
    """What the expression speaks about when the first individual is a member of it."""
    x, y, z = people
    match expression:
        case "allValuesFrom", property_, _:
            yield from link(property_, x, y)
        case "maxCardinality", property_, _:
            yield from link(property_, x, y)
            yield from link(property_, x, z)
        case "maxQualifiedCardinality", property_, _, filler:
            for value in (y, z):
                yield from link(property_, x, value)
                yield from member(filler, salt, (value, x, x))
        case "complementOf", other:
            yield from member(other, salt, people)
        case "intersectionOf", *parts:
            for part in parts:
                yield from exercise(part, salt, people)
