"""Encode rules and facts as ids. In a rule, variables and constants become slots; a relation becomes a column.

A triple pattern is a row of three columns in the table of triples. `r(a, b)` is a row of three columns in another
table; the first column holds the id of the relation `r/2`. A rule with the head `false` derives a fact of the relation
`false` instead. The terms of this fact are the name of the rule, the values of its variables, and its constants. So
each contradiction is a fact with support, like other facts.

Invariant: two rules have equal shapes if a one-to-one renaming of their constants makes them equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from kgreason.engine.program.planner import MAX_COLUMNS, Planner
from kgreason.engine.program.shapes import EncodedRule, Pattern, Shape
from kgreason.errors import LimitError
from kgreason.interrupts import SOME, let_out
from kgreason.rules.model import FALSE, Atom, Rule, Term, Variable, contradiction, place_of

Intern = Callable[[Iterable[str]], Iterable[int]]


def relation_text(relation: str, arity: int) -> str:
    """Return the text of a relation in the dictionary, for example `reach/2`; no RDF term has such a text."""
    return f"{relation}/{arity}"


def terms_of_row(atom: Atom) -> tuple[Term, ...]:
    """Return the terms of the row for an atom: the atom's terms, after the text of its relation if it has one."""
    if atom.relation is None:
        return atom.terms
    return (relation_text(atom.relation, len(atom.terms)), *atom.terms)


def encode(rule: Rule, planner: Planner, intern: Intern) -> EncodedRule:
    """Turn a rule into a shape and constants. `intern` gives the ids of the constants.

    `planner` gives the tables of the atoms. Raises LimitError if an atom has too many terms.
    """
    (encoded,) = encode_all([rule], planner, intern)
    return encoded


def encode_all(rules: Sequence[Rule], planner: Planner, intern: Intern) -> list[EncodedRule]:
    """Turn rules into shapes and constants. One call of `intern` gives the ids of all constants.

    `planner` gives the tables of the atoms. Raises LimitError if an atom has too many terms.
    """
    sketches = []
    for n, rule in enumerate(rules, 1):
        if n % SOME == 0:
            let_out()
        sketches.append(_sketch_of(rule))
    for table in dict.fromkeys([table for sketch in sketches for table in sketch.tables]):
        if table not in planner.numbers:
            planner.table(*table)  # before `intern`: a new table may be one too many
    shapes = [sketch.shape(planner.numbers) for sketch in sketches]
    texts = dict.fromkeys([text for sketch in sketches for text in sketch.constants])
    ids = dict(zip(texts, map(int, intern(texts)), strict=True))
    return [
        EncodedRule(shape, tuple([ids[text] for text in sketch.constants]), (rule.group, rule.name))
        for rule, sketch, shape in zip(rules, sketches, shapes, strict=True)
    ]


class _Sketch(NamedTuple):
    """A rule whose tables have no numbers yet, and whose constants are texts, in the order of their slots.

    `tables` has for each atom, body first, whether it is a triple pattern, and its width. The others: see `_shape`.
    """

    tables: tuple[tuple[bool, int], ...]
    places: tuple[tuple[int, ...], ...]
    is_variable: tuple[bool, ...]
    body: int
    constants: tuple[str, ...]

    def shape(self, numbers: Mapping[tuple[bool, int], int]) -> Shape:
        """Return the shape of the rule, with the planner's `numbers` of its tables."""
        tables = tuple([numbers[each] for each in self.tables])
        return _shape(tables, self.places, self.is_variable, self.body)


@lru_cache(maxsize=4_096)
def _sketch_of(rule: Rule) -> _Sketch:
    """Return the sketch of a rule. Sketches are cached, because most graphs run the same rules."""
    atoms = [*rule.body, *[contradiction(rule) if head == FALSE else head for head in rule.heads]]
    rows = [atom.terms if atom.relation is None else terms_of_row(atom) for atom in atoms]
    if max(map(len, rows)) > MAX_COLUMNS:
        most = f"an atom may have at most {MAX_COLUMNS - 1} terms"
        also = f"a rule with the head false at most {MAX_COLUMNS - 2} variables and constants"
        raise LimitError(f"{place_of(rule)}: {most}, {also}")
    numbers: dict[Term, int] = {}
    places = tuple([tuple([numbers.setdefault(term, len(numbers)) for term in row]) for row in rows])
    tables = tuple([(atom.relation is None, len(row)) for atom, row in zip(atoms, rows, strict=True)])
    is_variable = tuple([isinstance(term, Variable) for term in numbers])
    constants = tuple([term for term in numbers if not isinstance(term, Variable)])
    return _Sketch(tables, places, is_variable, len(rule.body), constants)


@lru_cache(maxsize=4_096)
def _shape(
    tables: tuple[int, ...], places: tuple[tuple[int, ...], ...], is_variable: tuple[bool, ...], body: int
) -> Shape:
    """Return the shape of a rule whose terms are numbered from 0, in the order in which they first occur.

    `tables` has the table of each atom, body first; `places` has, for each atom, the numbers of its terms.
    `is_variable` says for each number whether the term is a variable. `body` is the number of body atoms.
    """
    order = sorted(range(len(is_variable)), key=lambda term: not is_variable[term])
    slots = {term: 1 + slot for slot, term in enumerate(order)}
    patterns = [Pattern(table, tuple(slots[term] for term in row)) for table, row in zip(tables, places, strict=True)]
    return Shape(tuple(patterns[body:]), tuple(patterns[:body]), sum(is_variable))
