"""Class expressions, property expressions and lists as nested tuples, and the triples that write them in RDF.

    "<http://...A>"                                 a name stands for itself
    ("inverseOf", p)                                a property expression
    ("intersectionOf" | "unionOf" | "oneOf", x1, ..., xn), ("complementOf", c)
    ("someValuesFrom" | "allValuesFrom", p, c), ("hasValue", p, value)
    ("maxCardinality", p, n), ("maxQualifiedCardinality", p, n, c)

The blank node of an expression is named after its content and a salt: equal expressions of one salt share their
triples, those of different salts are different nodes with the same meaning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from tests.oracle.graph import Triple
from tests.oracle.vocabulary import CLASS, FIRST, NIL, ON_CLASS, ON_PROPERTY, OWL, REST, RESTRICTION, TYPE, XSD

Expression: TypeAlias = str | tuple[Any, ...]

NARY = ("intersectionOf", "unionOf", "oneOf")


def node(expression: Expression, salt: int = 0) -> str:
    """The term that stands for the expression."""
    if isinstance(expression, str):
        return expression
    return "_:x" + hashlib.sha256(repr((expression, salt)).encode()).hexdigest()[:10]


def written(expression: Expression, salt: int = 0) -> Iterator[Triple]:
    """The triples of the expression and of those inside it."""
    if isinstance(expression, str):
        return
    construct, *parts = expression
    subject = node(expression, salt)
    if construct in NARY:
        yield subject, TYPE, CLASS
        yield from listed(subject, f"<{OWL}{construct}>", parts, salt)
    elif construct in ("complementOf", "inverseOf"):
        yield subject, f"<{OWL}{construct}>", node(parts[0], salt)
        yield from written(parts[0], salt)
    else:
        yield from _restriction(subject, construct, parts, salt)


def listed(subject: str, predicate: str, items: Sequence[Expression], salt: int = 0) -> Iterator[Triple]:
    """The triple `subject predicate list`, the list, and the expressions in it."""
    nodes = [node(("list", *items[start:]), salt) for start in range(len(items))] + [NIL]
    yield subject, predicate, nodes[0]
    for item, here, rest in zip(items, nodes, nodes[1:], strict=False):
        yield here, FIRST, node(item, salt)
        yield here, REST, rest
        yield from written(item, salt)


def _restriction(subject: str, construct: str, parts: list[Any], salt: int) -> Iterator[Triple]:
    property_, value, *filler = parts
    yield subject, TYPE, RESTRICTION
    yield subject, ON_PROPERTY, node(property_, salt)
    yield from written(property_, salt)
    if isinstance(value, int):
        yield subject, f"<{OWL}{construct}>", f'"{value}"^^<{XSD}nonNegativeInteger>'
    else:
        yield subject, f"<{OWL}{construct}>", node(value, salt)
        yield from written(value, salt)
    for class_ in filler:
        yield subject, ON_CLASS, node(class_, salt)
        yield from written(class_, salt)
