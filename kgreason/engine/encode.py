"""Rules in ids: variables and constants become slots, relations become columns.

A triple pattern is a row of three of the triples' table; `r(a, b)` is a row of three of another table, with the id of
the relation `r/2` in front. A rule that derives `false` derives a fact of the relation `false` instead: the rule's
name, the values of its variables and its constants, so that each contradiction is a fact of its own, with support like
others.

Invariant: two rules that differ only in which constants they name (none of the vocabulary) get equal shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from kgreason.engine.layout import Int32
from kgreason.engine.planner import MAX_COLUMNS, EncodedRule, Planner
from kgreason.engine.shapes import Pattern, Shape
from kgreason.errors import LimitError
from kgreason.rules.model import FALSE, Atom, Rule, Term, Variable
from kgreason.terms.vocabulary import VOCABULARY

_VOCABULARY = frozenset(VOCABULARY)

Intern = Callable[[Iterable[str]], Iterable[int]]


def relation_text(relation: str, arity: int) -> str:
    """The dictionary's text of a relation: no RDF term has it."""
    return f"{relation}/{arity}"


def contradiction(rule: Rule) -> Atom:
    """What a rule with head `false` derives: `false(name, v1, ..., vn, c1, ..., cm)`.

    The constants, those of the vocabulary left out, tell rules of one name apart: those of a row for several axioms.
    """
    terms = dict.fromkeys(term for atom in rule.body for term in atom.terms)
    variables = (term for term in terms if isinstance(term, Variable))
    constants = (term for term in terms if not isinstance(term, Variable) and term not in _VOCABULARY)
    return Atom(FALSE.relation, (f'"{rule.name}"', *variables, *constants))


def columns_of(atom: Atom) -> tuple[Term, ...]:
    """The columns of an atom's row: its terms, behind its relation if it has one."""
    if atom.relation is None:
        return atom.terms
    return (relation_text(atom.relation, len(atom.terms)), *atom.terms)


def encode(rule: Rule, planner: Planner, intern: Intern) -> EncodedRule:
    """The rule as shape and constants. LimitError for an atom that is too wide."""
    heads = [contradiction(rule) if head == FALSE else head for head in rule.heads]
    atoms = [*rule.body, *heads]
    rows = [columns_of(atom) for atom in atoms]
    if any(len(row) > MAX_COLUMNS for row in rows):
        most = f"an atom may have at most {MAX_COLUMNS - 1} terms, the body of a rule for false {MAX_COLUMNS - 2}"
        raise LimitError(f"rule {rule.name}: {most}")
    terms = dict.fromkeys(term for row in rows for term in row)
    variables = [term for term in terms if isinstance(term, Variable)]
    constants = [term for term in terms if not isinstance(term, Variable)]
    slots = {term: 1 + n for n, term in enumerate([*variables, *constants])}

    def pattern(atom: Atom, row: tuple[Term, ...]) -> Pattern:
        return Pattern(planner.table(atom.relation is None, len(row)), tuple(slots[term] for term in row))

    patterns = [pattern(atom, row) for atom, row in zip(atoms, rows, strict=True)]
    body = len(rule.body)
    shape = Shape(tuple(patterns[body:]), tuple(patterns[:body]), len(variables))
    return EncodedRule(shape, tuple(int(number) for number in intern(constants)), (rule.group, rule.name))


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
