"""Answers: facts in order, as lines of rule text without a full stop, or as values for JSON.

    path(1, 3)       a fact               {"relation": "path", "terms": [term, term]}
    +path(1, 3)      a fact that has appeared
    -path(2, 3)      a fact that has disappeared
    [:a, :p, :b]     a triple             {"triple": [term, term, term]}

Terms in JSON are N-Triples text. Numbers come before other terms, in the order of their values; other terms are in the
order of their texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyoxigraph import DefaultGraph

from kgreason.graph.input.terms import term_of, text_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rules.formatter import format_atom
from kgreason.rules.model import Atom, Variable
from kgreason.tables.fields import field_of_constant, is_number, number_of_field
from kgreason.terms.tags import parse_quads

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta

Names = Mapping[str, str]
Row = Sequence[str]


def as_json(fact: Atom) -> dict[str, Any]:
    """Return a fact for `json.dumps`."""
    terms = [str(term) for term in fact.terms]
    return {"triple": terms} if fact.relation is None else {"relation": fact.relation, "terms": terms}


def lines(facts: Iterable[Atom], prefixes: Names, sign: str = "") -> Iterator[str]:
    """Write facts as lines, each beginning with `sign`; `prefixes` shorten IRIs."""
    return (sign + format_atom(fact, prefixes) for fact in facts)


def _sorted_facts(name: str | None, rows: Iterable[Row]) -> list[Atom]:
    """Return rows in order, as facts of the relation `name`, or as triples if `name` is None."""
    return [Atom(name, tuple(row)) for row in sorted(rows, key=lambda row: [_sort_key(term) for term in row])]


def _sort_key(term: str) -> tuple[int, int | Decimal | float, str]:
    text = field_of_constant(term)
    return (0, number_of_field(text), text) if is_number(text) else (1, 0, text)


def relation_facts(graph: KnowledgeGraph, name: str, arity: int) -> list[Atom]:
    """Return the facts of a relation."""
    return _sorted_facts(name, ([text_of(term) for term in row] for row in graph.relation(name, arity)))


def inferred_triples(graph: KnowledgeGraph) -> list[Atom]:
    """Return the inferred triples."""
    triples = parse_quads(b"".join(graph.dump(asserted=False)))
    return _sorted_facts(None, [[text_of(term) for term in quad.triple] for quad in triples])


def matching_facts(graph: KnowledgeGraph, atom: Atom) -> list[Atom]:
    """Return the facts that match an atom. All places of one variable must have the same value."""
    terms = [None if isinstance(term, Variable) else term_of(term) for term in atom.terms]
    if atom.relation is None:
        subject, predicate, object_ = terms
        found: Iterable[Iterable[object]] = (
            quad.triple for quad in graph.match(subject, predicate, object_, DefaultGraph())
        )
    else:
        found = graph.relation(atom.relation, len(terms)).match(*terms)
    rows = ([text_of(term) for term in row] for row in found)
    return _sorted_facts(atom.relation, (row for row in rows if _fits_variables(atom, row)))


def _fits_variables(atom: Atom, row: Row) -> bool:
    values: dict[Variable, str] = {}
    return all(
        values.setdefault(term, value) == value
        for term, value in zip(atom.terms, row, strict=True)
        if isinstance(term, Variable)
    )


def changes(delta: Delta, derived: Collection[str]) -> Iterator[tuple[list[Atom], list[Atom]]]:
    """Yield what a commit changed, by relation: the facts that disappeared, and those that appeared.

    `derived` has the names of relations; facts of other relations are left out. Inferred triples come last.
    """
    for name in delta.relations:
        if name in derived:
            changed = delta.relation(name)
            yield _sorted_facts(name, changed.disappeared()), _sorted_facts(name, changed.appeared())
    yield _sorted_facts(None, delta.disappeared(asserted=False)), _sorted_facts(None, delta.appeared(asserted=False))
