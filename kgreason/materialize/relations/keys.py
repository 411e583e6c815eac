"""`Keys`: finds asserted facts of relations by the terms in some of their columns (a key).

    of(edge, (0, 1), [[a, b]])    the asserted facts edge(a, b, ...)

An index is made when the facts of a relation are first looked up by a key. From then on, it follows the commits
(`Grouped`). Invariant: after `take` and `accept`, an index has every fact of its relation.

Cost: a look at all facts for the first question about a key; then a binary search for each key, and a look at the facts
with this key. A commit costs a look at its changes for each index. An index takes 8 + 4 w bytes for each fact of w
places. One thread at a time: the graph's lock protects the indexes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.engine.engine import Changes, Engine
from kgreason.engine.memory.layout import Int32
from kgreason.materialize.operators.groups import Grouped
from kgreason.materialize.operators.tables import Table, unique


class Keys:
    """Finds asserted facts of one graph by keys, with an index for each key. Call `of` only when no commit is open."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._indexes: dict[tuple[int, int, tuple[int, ...]], Grouped] = {}
        self.are_any = False
        """Whether there are indexes, which must `take` the changes of each commit."""

    def of(self, number: int, arity: int, key: Sequence[int], keys: Int32) -> Int32:
        """Return the asserted facts of a relation that have a row of `keys`, int32[k, len(key)], in the columns `key`.

        `number` is the id of the relation, and `arity` its number of terms. A returned row is this id, then the terms
        of a fact: int32[n, 1 + arity].
        """
        places = tuple(key)
        index = self._indexes.get((number, arity, places))
        if index is None:
            index = self._indexes[number, arity, places] = self._index(number, arity, places)
            self.are_any = True
        _, found = index.of(unique([keys]))
        rows = index.table.rows(found)
        asserted: Int32 = rows[self._engine.circuit.facts.is_asserted_fact(rows)]
        return asserted

    def _index(self, number: int, arity: int, key: tuple[int, ...]) -> Grouped:
        order = [*key, *(place for place in range(arity) if place not in key)]
        places = [-1, *np.argsort(order).tolist()]
        return Grouped(Table(self._engine.table(False, 1 + arity), {0: number}, places), len(key), self._engine)

    def take(self, changes: Changes) -> None:
        """Note which facts the open commit has changed so far."""
        for index in self._indexes.values():
            index.take(changes.rows, changes.tables)

    def accept(self) -> None:
        """Keep the changes that were noted in the commit."""
        for index in self._indexes.values():
            index.accept()

    def rollback(self) -> None:
        """Forget the changes that were noted in the commit."""
        for index in self._indexes.values():
            index.rollback()
