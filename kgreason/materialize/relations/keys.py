"""`KeyIndexes`: finds facts of relations, all of one relation or by the terms in some of its columns (a key).

    asserted_facts(edge, (0, 1), [[a, b]])    the asserted facts edge(a, b, ...)
    all_facts(edge, 3)                        the facts of edge

An index is made when the facts of a relation are first looked up by a key, or first read. From then on, it follows the
commits (`FactsByGroup`). Invariant: after `note_changes` and `accept`, an index has every fact of its relation.

Cost: a look at all facts of the graph for the first question about a key or a relation; then a binary search for each
key and a look at the facts with this key, or a look at the facts of the relation. A commit costs a look at its changes
for each index. An index takes 8 + 4 w bytes for each fact of w places. One thread at a time: the graph's lock protects
the indexes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.materialize.operators.groups import FactsByGroup
from kgreason.materialize.operators.tables import FactIndex, Table, unique_rows
from kgreason.zset.columns import ABSENT, Int32


class KeyIndexes:
    """Finds facts of relations by indexes. Call all methods only when no commit is open, but for `facts_in_commit`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._indexes: dict[tuple[int, int, tuple[int, ...]], FactsByGroup] = {}
        self.are_any = False
        """Whether there are indexes, which must hear of the changes of each commit."""

    def asserted_facts(self, number: int, arity: int, key: Sequence[int], keys: Int32) -> Int32:
        """Return the asserted facts of a relation whose terms in the columns `key` are a row of `keys`.

        `keys`: int32[k, len(key)].
        `number` is the id of the relation, and `arity` its number of terms. A returned row is this id, then the terms
        of a fact: int32[n, 1 + arity].
        """
        rows = self._facts_with_keys(number, arity, tuple(key), unique_rows([keys]))
        asserted: Int32 = rows[self._engine.facts.are_asserted(rows)]
        return asserted

    def facts_in_commit(self, number: int, arity: int, key: tuple[int, ...], keys: Int32, changes: Changes) -> Int32:
        """Return all facts that have in the columns `key` the terms of a row of `keys`, as the open commit leaves them.

        `changes` are all changes of the commit so far. No row of `keys`, int32[k, len(key)], may occur twice. The other
        parameters and the result are those of `asserted_facts`.
        """
        if (number, arity, key) not in self._indexes:
            self._indexes[number, arity, key] = self._index(number, arity, key)
        self._indexes[number, arity, key].note_changes(FactIndex(changes.rows, changes.tables))
        self.are_any = True
        return self._facts_with_keys(number, arity, key, keys)

    def all_facts(self, number: int, arity: int) -> Int32:
        """Return all facts of a relation, asserted and inferred, in the order of the fact table: int32[n, 1 + arity].

        `number` is the id of the relation. Each returned row begins with this id.
        """
        if not arity:
            row = np.array([[number]], dtype=np.int32)
            return row[self.are_facts(row)]
        rows = self._facts_with_keys(number, arity, (), np.empty((1, 0), dtype=np.int32))
        ordered: Int32 = rows[np.argsort(self._engine.facts.find(rows))]
        return ordered

    def are_facts(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows`, int32[n, 1 + arity], whether the row is a fact: bool[n]."""
        facts = self._engine.facts
        found: NDArray[np.bool_] = facts.kinds(facts.find(rows)) != ABSENT
        return found

    def _facts_with_keys(self, number: int, arity: int, places: tuple[int, ...], keys: Int32) -> Int32:
        """Return the facts of a relation whose terms in the columns `places` are a row of `keys`: int32[n, 1 + arity].

        `number` is the id of the relation, and `arity` its number of terms.
        """
        index = self._indexes.get((number, arity, places))
        if index is None:
            index = self._indexes[number, arity, places] = self._index(number, arity, places)
            self.are_any = True
        _, found = index.facts_of(keys)
        return index.table.rows_with_keys(found)

    def _index(self, number: int, arity: int, key: tuple[int, ...]) -> FactsByGroup:
        order = [*key, *(place for place in range(arity) if place not in key)]
        places = [-1, *np.argsort(order).tolist()]
        return FactsByGroup(Table(self._engine.table(False, 1 + arity), {0: number}, places), len(key), self._engine)

    def note_changes(self, changes: Changes) -> None:
        """Note which facts the open commit has changed so far."""
        register = FactIndex(changes.rows, changes.tables)
        for index in self._indexes.values():
            index.note_changes(register)

    def accept(self) -> None:
        """Add the facts that were noted in the commit to the indexes."""
        for index in self._indexes.values():
            index.accept()

    def rollback(self) -> None:
        """Forget the changes that were noted in the commit."""
        for index in self._indexes.values():
            index.rollback()
