"""Rules in ids: variables and constants become slots, relations become columns.

A triple pattern is a row of three of the triples' table; `r(a, b)` is a row of three of another table, with the id of
the relation `r/2` in front. A rule that derives `false` derives a fact of the relation `false` instead: the rule's
name, the values of its variables and its constants, so that each contradiction is a fact of its own, with support like
others.

Invariant: two rules that differ only in which constants they name (none of the vocabulary) get equal shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kgreason.engine.memory.layout import Int32
from kgreason.engine.program.planner import MAX_COLUMNS, EncodedRule, Planner
from kgreason.engine.program.shapes import Pattern, Shape
from kgreason.errors import LimitError
from kgreason.rules.model import FALSE, Atom, Rule, Term, Variable, contradiction

Intern = Callable[[Iterable[str]], Iterable[int]]


def relation_text(relation: str, arity: int) -> str:
    """The dictionary's text of a relation: no RDF term has it."""
    return f"{relation}/{arity}"


def columns_of(atom: Atom) -> tuple[Term, ...]:
    """The columns of an atom's row: its terms, behind its relation if it has one."""
    if atom.relation is None:
        return atom.terms
    return (relation_text(atom.relation, len(atom.terms)), *atom.terms)


def encode(rule: Rule, planner: Planner, intern: Intern) -> EncodedRule:
    """The rule as shape and constants. LimitError for an atom that is too wide."""
    (encoded,) = encode_all([rule], planner, intern)
    return encoded


def encode_all(rules: Sequence[Rule], planner: Planner, intern: Intern) -> list[EncodedRule]:
    """Rules as shapes and constants, which are interned all at once. LimitError for an atom that is too wide."""
    sketches = [_sketched(rule, planner) for rule in rules]
    texts = dict.fromkeys([text for sketch in sketches for text in sketch.constants])
    ids = dict(zip(texts, map(int, intern(texts)), strict=True))
    return [
        EncodedRule(sketch.shape, tuple([ids[text] for text in sketch.constants]), (rule.group, rule.name))
        for rule, sketch in zip(rules, sketches, strict=True)
    ]


class _Sketch(NamedTuple):
    """A rule with its constants in text, in the order of their slots."""

    shape: Shape
    constants: list[str]


def _sketched(rule: Rule, planner: Planner) -> _Sketch:
    atoms = [*rule.body, *[contradiction(rule) if head == FALSE else head for head in rule.heads]]
    rows = [columns_of(atom) for atom in atoms]
    if max(map(len, rows)) > MAX_COLUMNS:
        most = f"an atom may have at most {MAX_COLUMNS - 1} terms, the body of a rule for false {MAX_COLUMNS - 2}"
        raise LimitError(f"rule {rule.name}: {most}")
    numbers: dict[Term, int] = {}
    places = tuple([tuple([numbers.setdefault(term, len(numbers)) for term in row]) for row in rows])
    tables = tuple([planner.table(atom.relation is None, len(row)) for atom, row in zip(atoms, rows, strict=True)])
    is_variable = tuple([isinstance(term, Variable) for term in numbers])
    constants = [term for term in numbers if not isinstance(term, Variable)]
    return _Sketch(_shape(tables, places, is_variable, len(rule.body)), constants)


@lru_cache(maxsize=4_096)
def _shape(
    tables: tuple[int, ...], places: tuple[tuple[int, ...], ...], is_variable: tuple[bool, ...], body: int
) -> Shape:
    """The shape of rows of these tables, body first: `places` says which of its distinct terms is in each column."""
    order = sorted(range(len(is_variable)), key=lambda term: not is_variable[term])
    slots = {term: 1 + slot for slot, term in enumerate(order)}
    patterns = [Pattern(table, tuple(slots[term] for term in row)) for table, row in zip(tables, places, strict=True)]
    return Shape(tuple(patterns[body:]), tuple(patterns[:body]), sum(is_variable))


def encode_facts(facts: Iterable[Atom], planner: Planner, intern: Intern) -> dict[int, Int32]:
    """Ground atoms as rows int32[n, w], by table."""
    tables: dict[int, list[tuple[Term, ...]]] = {}
    for fact in facts:
        row = columns_of(fact)
        tables.setdefault(planner.table(fact.relation is None, len(row)), []).append(row)
    return {
        table: np.array([intern([str(term) for term in row]) for row in rows], dtype=np.int32)
        for table, rows in tables.items()
    }
