"""The text of answers: facts as rule text without a full stop, a line for each, in order.

    path(1, 3)       a fact
    +path(1, 3)      a fact that has appeared
    -path(2, 3)      a fact that has disappeared

Numbers come before other terms, in the order of their values; other terms are in the order of their texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from pyoxigraph import DefaultGraph

from kgreason.graph.input.terms import term_of, text_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rules.formatter import format_atom
from kgreason.rules.model import Atom, Variable
from kgreason.tables.fields import field, is_number, value
from kgreason.terms.tags import quads

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta

Names = Mapping[str, str]
Row = Sequence[str]


def facts(name: str | None, rows: Iterable[Row], prefixes: Names, sign: str = "") -> Iterator[str]:
    """Write rows as lines, in order: as facts of the relation `name`, or as triples if `name` is None.

    `prefixes` shorten IRIs. Each line begins with `sign`.
    """
    for row in sorted(rows, key=lambda row: [_order(term) for term in row]):
        yield sign + format_atom(Atom(name, tuple(row)), prefixes)


def _order(term: str) -> tuple[int, int | Decimal | float, str]:
    text = field(term)
    return (0, value(text), text) if is_number(text) else (1, 0, text)


def of_relation(graph: KnowledgeGraph, name: str, arity: int, prefixes: Names) -> Iterator[str]:
    """Write the facts of a relation as lines."""
    rows = ([text_of(term) for term in row] for row in graph.relation(name, arity))
    return facts(name, rows, prefixes)


def inferred(graph: KnowledgeGraph, prefixes: Names) -> Iterator[str]:
    """Write the inferred triples as lines."""
    triples = quads(b"".join(graph.dump(asserted=False)))
    return facts(None, [[text_of(term) for term in quad.triple] for quad in triples], prefixes)


def matching(graph: KnowledgeGraph, atom: Atom, prefixes: Names) -> Iterator[str]:
    """Write as lines the facts that match an atom. All places of one variable must have the same value."""
    terms = [None if isinstance(term, Variable) else term_of(term) for term in atom.terms]
    if atom.relation is None:
        subject, predicate, object_ = terms
        found: Iterable[Iterable[object]] = (
            quad.triple for quad in graph.match(subject, predicate, object_, DefaultGraph())
        )
    else:
        found = graph.relation(atom.relation, len(terms)).match(*terms)
    rows = ([text_of(term) for term in row] for row in found)
    return facts(atom.relation, (row for row in rows if _agrees(atom, row)), prefixes)


def _agrees(atom: Atom, row: Row) -> bool:
    values: dict[Variable, str] = {}
    return all(
        values.setdefault(term, value) == value
        for term, value in zip(atom.terms, row, strict=True)
        if isinstance(term, Variable)
    )


def changes(delta: Delta, derived: Collection[str], prefixes: Names) -> Iterator[str]:
    """Write as lines what a commit changed: facts of the relations `derived`, and inferred triples.

    `derived` has the names of relations; facts of other relations are left out. A line begins with + if the fact
    appeared, and with - if it disappeared.
    """
    for name in delta.relations:
        if name in derived:
            changed = delta.relation(name)
            yield from facts(name, changed.disappeared(), prefixes, "-")
            yield from facts(name, changed.appeared(), prefixes, "+")
    yield from facts(None, delta.disappeared(asserted=False), prefixes, "-")
    yield from facts(None, delta.appeared(asserted=False), prefixes, "+")
