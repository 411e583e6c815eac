"""`DerivedFacts`: types and keys of declared relations also hold for the facts that rules derive.

    @relation price(item, amount: xsd:decimal) key(item) .
    price(?x, ?y) :- offer(?x, ?y) .

    offer(tea, 5)                     price(tea, 5)
    offer(tea, 5), offer(tea, 6)      an error: two facts with the key tea
    offer(tea, "x")                   an error: "x" is no xsd:decimal

Edits check what they assert (`graph.relation.pending_facts`). After a commit has evaluated the rules, its changes are
checked here, for those relations that a rule derives. If terms are equal, two facts about the same individuals are one.

Law: after a commit, no two facts of such a relation have the same key, and its derived facts fit the types.
Cost: nothing without such declarations; else reading each different new term of a typed column, and a look-up of each
changed key (`keys`). A new declaration is checked with all facts of its relation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kgreason.datatypes.column import misfit
from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import relation_text
from kgreason.errors import RuleError
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.operators.tables import unique_rows
from kgreason.materialize.relations.keys import KeyIndexes
from kgreason.rules.formatter import format_atom
from kgreason.rules.model import Atom, Relation, Rule, label
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, INFERRED, Int32
from kgreason.zset.order import distinct, group_rows

_NAMED = 3
"""A message names at most so many rules."""


class _DerivedRelation(NamedTuple):
    """A declared relation with types or a key, and the rules that derive it."""

    relation: Relation
    rules: tuple[Rule, ...]

    @property
    def message_start(self) -> str:
        """The beginning of a message: the rules that may have derived a fact."""
        names = " or ".join(map(label, self.rules[:_NAMED]))
        return f"{names} or another rule derives" if len(self.rules) > _NAMED else f"{names} derives"


class DerivedFacts:
    """Checks the facts that rules derive against the declarations. One thread at a time: as for `KeyIndexes`."""

    def __init__(
        self, engine: Engine, dictionary: Dictionary, individuals: Individuals, keys: KeyIndexes | None = None
    ) -> None:
        self._engine, self._dictionary, self._individuals = engine, dictionary, individuals
        self._keys = KeyIndexes(engine) if keys is None else keys
        self._own: tuple[Rule, ...] = ()
        self._derived: tuple[_DerivedRelation, ...] = ()

    def check(self, own: tuple[Rule, ...], before: tuple[Rule, ...], changes: Changes) -> None:
        """Raise RuleError if a fact of a relation that rules derive does not fit the declaration of the relation.

        `own` are the rules and declarations of the user, `before` those before the commit, and `changes` are all
        changes of the commit so far.
        """
        if own is not self._own:
            self._own, self._derived = own, tuple(_derived_relations(own))
        if not self._derived:
            return
        known = None if own is before else {rule.declares for rule in before if rule.declares}
        for each in self._derived:
            arity = len(each.relation.columns)
            number = int(self._dictionary.find([relation_text(each.relation.name, arity)])[0])
            if not number or not arity:
                continue
            if known is None or each.relation in known:
                rows = self._changed_facts(number, arity, changes)
            else:
                rows = self._keys.facts_in_commit(number, arity, (), np.empty((1, 0), dtype=np.int32), changes)
            self._check_types(each, rows)
            if each.relation.key:
                self._check_key(each, number, rows, changes)

    def _changed_facts(self, number: int, arity: int, changes: Changes) -> Int32:
        """Return the facts of a relation that the commit changed and that are there now: int32[n, 1 + arity]."""
        is_there = (changes.tables == self._engine.table(False, 1 + arity)) & (changes.after != ABSENT)
        is_there &= changes.rows[:, 0] == number
        return np.ascontiguousarray(changes.rows[is_there, : 1 + arity])

    def _check_types(self, derived: _DerivedRelation, rows: Int32) -> None:
        rows = rows[self._kinds(rows) == INFERRED]
        for place, column in enumerate(derived.relation.columns, 1):
            ids = distinct(rows[:, place]) if column.type else np.empty(0, dtype=np.int32)
            for number, text in zip(ids.tolist(), self._dictionary.decode(ids), strict=True):
                if problem := misfit(text, column.type):
                    fact = self._text(derived, rows[rows[:, place] == number][0])
                    raise RuleError(f"{derived.message_start} {fact}, column {column.name}: {problem}")

    def _check_key(self, derived: _DerivedRelation, number: int, rows: Int32, changes: Changes) -> None:
        key = derived.relation.key
        places = [1 + place for place in key]
        keys = unique_rows([np.ascontiguousarray(rows[:, places])])
        rows = self._keys.facts_in_commit(number, rows.shape[1] - 1, key, keys, changes)
        if self._individuals.has_equal_terms():
            rows = unique_rows([self._individuals.first_names(rows, changes)])
        groups = group_rows(np.ascontiguousarray(rows[:, places]))
        others = np.flatnonzero(groups.firsts()[groups.numbers()] != np.arange(len(rows)))
        if len(others):
            pair = np.flatnonzero(groups.numbers() == groups.numbers()[others[0]])[:2]
            one, other = rows[pair][np.argsort(self._kinds(rows[pair]), kind="stable")]  # a derived fact comes first
            raise RuleError(
                f"{derived.message_start} {self._text(derived, one)}, "
                f"which has the same key as {self._text(derived, other)}"
            )

    def _kinds(self, rows: Int32) -> Int32:
        return self._engine.facts.kinds(self._engine.facts.find(rows)).astype(np.int32)

    def _text(self, derived: _DerivedRelation, row: Int32) -> str:
        return format_atom(Atom(derived.relation.name, tuple(self._dictionary.decode(row[1:]))), {})


def _derived_relations(own: tuple[Rule, ...]) -> Iterator[_DerivedRelation]:
    for rule in own:
        if (relation := rule.declares) and (relation.key or any(column.type for column in relation.columns)):
            heads = [each for each in own if any(head.relation == relation.name for head in each.heads)]
            if heads:
                yield _DerivedRelation(relation, tuple(heads))
