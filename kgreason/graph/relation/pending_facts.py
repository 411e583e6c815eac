"""`PendingFacts`: the facts of relations that a transaction inserts, deletes and upserts.

    insert   assert facts; a fact with the key of another fact is an error
    delete   retract facts
    upsert   assert facts, and retract the facts with the same keys

Law: the edits count in their order, as if each of them were a commit of its own. Keys are checked for asserted facts
only; facts that rules derive are checked at the end of the commit (`materialize.relations.derived_facts`). Cost: that
of the edits. An edit by key looks at the facts with this key, in the graph (`materialize.relations.keys`) and among the
edits before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from kgreason.engine.program.encoding import relation_text
from kgreason.errors import InputError
from kgreason.graph.relation.row_input import Terms
from kgreason.materialize.edit import NO_FACTS, Facts
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.operators.tables import are_among, unique_rows
from kgreason.materialize.relations.facts import texts_of, user_relations
from kgreason.rules.formatter import format_atom
from kgreason.rules.model import Atom, Relation
from kgreason.rules.relations.declarations import MADE_BY_RULES, misfit
from kgreason.zset.columns import IS_ASSERTED, Int32
from kgreason.zset.order import distinct, group_rows

_Row: TypeAlias = tuple[int, ...]
"""A fact: the id of its relation, then the ids of its terms."""


class _Edits:
    """What a transaction does to the facts of one relation: it asserts or retracts each edited fact."""

    def __init__(self) -> None:
        self._wishes: dict[_Row, bool] = {}
        self._by_key: dict[tuple[int, ...], dict[_Row, dict[_Row, None]]] = {}
        """The facts to assert, by the places of a key and then by the values at these places."""

    def note(self, rows: Int32, *, asserts: bool) -> None:
        """Note that the transaction asserts `rows`, or retracts them if `asserts` is False.

        A later edit of a row wins.
        """
        wanted = list(map(tuple, rows.tolist()))
        self._wishes.update(dict.fromkeys(wanted, asserts))
        for key, found in self._by_key.items():
            for row in wanted:
                self._edit_index(found, key, row, asserts=asserts)

    def _edit_index(self, found: dict[_Row, dict[_Row, None]], key: Sequence[int], row: _Row, *, asserts: bool) -> None:
        rows = found.setdefault(tuple([row[1 + place] for place in key]), {})
        if asserts:
            rows[row] = None
        else:
            rows.pop(row, None)

    def with_keys(self, key: tuple[int, ...], keys: Iterable[_Row]) -> Iterator[_Row]:
        """Yield the facts to assert that have at the places `key` the terms of one of `keys`."""
        found = self._by_key.get(key)
        if found is None:
            found = self._by_key[key] = {}
            for row, asserts in self._wishes.items():
                self._edit_index(found, key, row, asserts=asserts)
        for values in keys:
            yield from found.get(values, ())

    def rows_not_edited(self, rows: Int32) -> Int32:
        """Return only the rows that the transaction does not edit."""
        return rows[[tuple(row) not in self._wishes for row in rows.tolist()]] if self._wishes else rows

    def rows(self, *, asserts: bool) -> list[_Row]:
        """Return the facts to assert if `asserts` is True, otherwise the facts to retract."""
        return [row for row, wish in self._wishes.items() if wish == asserts]


class PendingFacts:
    """Collects the facts of relations that one transaction asserts and retracts.

    Threads: only the thread of the transaction.
    """

    def __init__(self, materializer: Materializer) -> None:
        self._materializer = materializer
        self._edits: dict[int, _Edits] = {}
        """The edits of each relation, by the id of the relation."""

    def __bool__(self) -> bool:
        return bool(self._edits)

    def facts(self) -> Facts:
        """Return the rows to assert and the rows to retract. Both are dicts by the number of columns."""
        if not self._edits:
            return NO_FACTS
        return Facts(self._rows_by_width(asserts=True), self._rows_by_width(asserts=False))

    def _rows_by_width(self, *, asserts: bool) -> dict[int, Int32]:
        found: dict[int, list[Int32]] = {}
        for edits in self._edits.values():
            if rows := edits.rows(asserts=asserts):
                found.setdefault(len(rows[0]), []).append(unique_rows([np.array(rows, dtype=np.int32)]))
        return {width: np.concatenate(parts) for width, parts in found.items()}

    def insert(self, name: str, terms: list[Terms], relation: Relation | None) -> None:
        """Assert facts. Raises InputError if one has the same key as another one, or as another asserted fact."""
        rows = self._rows(name, terms)
        if relation is not None and relation.key:
            self._check_keys_differ(rows, terms, relation)
            self._check_keys_are_free(rows, terms, relation)
        self._edits_of(rows).note(rows, asserts=True)

    def delete(self, name: str, terms: list[Terms]) -> None:
        """Retract facts."""
        rows = self._rows(name, terms)
        self._edits_of(rows).note(rows, asserts=False)

    def upsert(self, name: str, terms: list[Terms], relation: Relation) -> None:
        """Assert facts, and retract asserted facts with the same keys.

        Raises InputError if two different facts in `terms` have the same key.
        """
        rows = self._rows(name, terms)
        self._check_keys_differ(rows, terms, relation)
        edits, same = self._edits_of(rows), self._facts_with_keys(rows, relation)
        edits.note(same, asserts=False)
        edits.note(rows, asserts=True)

    def check(self, several: Sequence[Relation]) -> None:
        """Check that declarations fit the facts of their relations that are asserted after the edits.

        Raises InputError if one does not. Cost: a look at all facts.
        """
        columns, tables, kinds = self._materializer.engine.facts.contents()
        before = columns[(kinds == IS_ASSERTED) & (tables != self._materializer.triples)]
        numbers = distinct(np.concatenate([before[:, 0], np.fromiter(self._edits, np.int32)]))
        for name, arity, number in user_relations(numbers.astype(np.int32), self._materializer.dictionary):
            for declared in (each for each in several if each.name == name):
                rows = self._asserted_facts(before[before[:, 0] == number], number, 1 + arity)
                if len(rows) and declared.kind in MADE_BY_RULES:
                    raise InputError(f"{name} is declared as {declared.kind}, but some of its facts are asserted")
                terms = texts_of(np.ascontiguousarray(rows[:, 1:]), self._materializer.dictionary)
                for each in terms:
                    if problem := misfit(declared, each, is_derived=False):
                        raise InputError(f"{_fact_text(declared, each)} is asserted: {problem}")
                if declared.key:
                    self._check_keys_differ(rows, terms, declared)

    def _rows(self, name: str, terms: list[Terms]) -> Int32:
        """Turn facts, at least one, into rows of ids, int32[n, w], with the id of the relation in the first column."""
        dictionary, arity = self._materializer.dictionary, len(terms[0])
        number = int(dictionary.intern([relation_text(name, arity)])[0])
        ids = dictionary.intern([text for row in terms for text in row]) if arity else np.empty(0, dtype=np.int32)
        return np.insert(ids.astype(np.int32).reshape(len(terms), arity), 0, number, axis=1)

    def _edits_of(self, rows: Int32) -> _Edits:
        return self._edits.setdefault(int(rows[0, 0]), _Edits())

    def _facts_with_keys(self, rows: Int32, relation: Relation) -> Int32:
        """Return the facts that are asserted after the edits so far and have the same key as one of `rows`."""
        return self._asserted_facts_with_keys(int(rows[0, 0]), rows.shape[1] - 1, relation.key, _keys(rows, relation))

    def _asserted_facts_with_keys(self, number: int, arity: int, places: tuple[int, ...], keys: Int32) -> Int32:
        """Return the facts that are asserted after the edits so far and have the terms of a row of `keys` at `places`.

        `number` is the id of the relation. `keys` is int32[k, len(places)]. Returns int32[n, 1 + arity], with `number`
        in the first column.
        """
        edits = self._edits.get(number, _Edits())
        before = edits.rows_not_edited(self._materializer.keys.asserted_facts(number, arity, places, keys))
        wanted = edits.with_keys(places, dict.fromkeys(map(tuple, keys.tolist())))
        return _append_rows(before, list(wanted))

    def asserted(self, name: str, arity: int, key: Sequence[int], values: Sequence[str]) -> list[Terms]:
        """Return the facts that are asserted after the edits so far and have these values at the places `key`."""
        dictionary = self._materializer.dictionary
        number = int(dictionary.find([relation_text(name, arity)])[0])
        ids = dictionary.find(values)
        if not number or not ids.all():  # a term that has no id is in no fact
            return []
        if not arity:
            return self._propositions(number)
        rows = self._asserted_facts_with_keys(number, arity, tuple(key), ids[None])
        return texts_of(np.ascontiguousarray(rows[:, 1:]), dictionary)

    def _propositions(self, number: int) -> list[Terms]:
        row = np.array([[number]], dtype=np.int32)
        before = row[self._materializer.engine.facts.are_asserted(row)]
        return [()] * len(self._asserted_facts(before, number, 1))

    def _asserted_facts(self, before: Int32, number: int, width: int) -> Int32:
        """Return the facts of relation `number` that are asserted after the edits so far: int32[n, width].

        `before` are those that were asserted in the last commit: int32[m, w].
        """
        rows = np.zeros((len(before), width), dtype=np.int32)
        known = min(width, before.shape[1])
        rows[:, :known] = before[:, :known]
        edits = self._edits.get(number)
        return _append_rows(edits.rows_not_edited(rows), edits.rows(asserts=True)) if edits else rows

    def _check_keys_are_free(self, rows: Int32, terms: list[Terms], relation: Relation) -> None:
        """Raise InputError if one of `rows` has the same key as another fact that is asserted already."""
        there = self._facts_with_keys(rows, relation)
        others = there[~are_among(there, rows)]
        if len(others):
            place = int(np.flatnonzero(are_among(_keys(rows, relation), _keys(others[:1], relation)))[0])
            other = tuple(self._materializer.dictionary.decode(others[0, 1:]))
            raise InputError(
                f"row {place + 1}: {_fact_text(relation, terms[place])} has the same key as"
                f" {_fact_text(relation, other)}, which is asserted; to replace that fact, use upsert"
            )

    def _check_keys_differ(self, rows: Int32, terms: list[Terms], relation: Relation) -> None:
        """Raise InputError if two different rows of `rows` have the same key. `terms` are their texts, for messages."""
        groups = group_rows(_keys(rows, relation))
        firsts: dict[bytes, int] = {}
        if len(groups.firsts()) == len(rows):
            return
        for place, key in enumerate(_keys(rows, relation)):
            first = firsts.setdefault(key.tobytes(), place)
            if terms[first] != terms[place]:
                one, other = _fact_text(relation, terms[first]), _fact_text(relation, terms[place])
                raise InputError(f"rows {first + 1} and {place + 1} have the same key: {one} and {other}")


def _append_rows(rows: Int32, more: list[_Row]) -> Int32:
    return np.concatenate([rows, np.array(more, dtype=np.int32).reshape(-1, rows.shape[1])])


def _keys(rows: Int32, relation: Relation) -> Int32:
    return np.ascontiguousarray(rows[:, [1 + place for place in relation.key]])


def _fact_text(relation: Relation, terms: Sequence[str]) -> str:
    return format_atom(Atom(relation.name, tuple(terms)), {})
