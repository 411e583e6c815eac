"""`FactsByGroup`: the facts of a table by groups. The first columns of a fact are its group.

The index is made when a group is asked for the first time, from the facts of the last commit. If a commit is open, it
may have retracted some of these facts by then. They must be in the index all the same: if the commit derives them
again, they are not among its changes. Rows of the index are in runs, which are sorted by a hash of the group; each run
is at least twice as long as the next. The index may have rows that are no facts any more: they stay until runs are
merged, and a look-up leaves them out. So a rollback does not have to undo anything in the index.

Invariant: the index has every fact of the last commit. Law: `facts_of(groups)` gives each fact of these groups once.
Cost: for each group, a look-up is a binary search in each run, and one look at each row found. A row that is added
takes part in a logarithmic number of merges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Engine
from kgreason.materialize.operators.tables import FactIndex, Table
from kgreason.zset.columns import ABSENT, Int32
from kgreason.zset.order import group_rows

Holds: TypeAlias = Callable[[Int32], NDArray[np.bool_]]
"""A function that says for each row of keys int32[n, k] whether it is a present fact: bool[n]."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


class _Run(NamedTuple):
    """A part of an index: keys int32[n, k], sorted by the hashes of their groups, uint64[n]."""

    hashes: NDArray[np.uint64]
    keys: Int32


class FactsByGroup:
    """Finds the facts of a table by group. `width`: how many columns at the start of a key are its group.

    A key is the part of a row that is not constant. `note_changes` and `note_more_changes` must get every fact that
    appears. One thread at a time.
    """

    def __init__(self, table: Table, width: int, engine: Engine) -> None:
        self.table, self._width, self._engine = table, width, engine
        self._index: _Index | None = None
        self._none = np.empty((0, 1 + max(table.keys, default=-1)), dtype=np.int32)
        self._new = self._none

    def note_changes(self, register: FactIndex) -> None:
        """Note which facts the open commit has changed so far."""
        self._new = self.table.matching_keys(register)

    def note_more_changes(self, register: FactIndex) -> None:
        """Note also the facts that changed since the last call of `note_changes` or `note_more_changes`."""
        if len(keys := self.table.matching_keys(register)):
            self._new = np.concatenate([self._new, keys])

    def accept(self) -> None:
        """Add the facts that were noted in the commit to the index."""
        if self._index:
            self._index.add(self._new)
        self._new = self._none

    def rollback(self) -> None:
        """Forget the facts that were noted in the commit."""
        self._new = self._none

    def groups(self, register: FactIndex) -> Int32:
        """Return the groups, int32[n, width], of those rows of a register that belong to the table."""
        return self.groups_of_keys(self.table.matching_keys(register))

    def groups_of_keys(self, keys: Int32) -> Int32:
        """Return the group of each key: int32[n, k] -> int32[n, width]."""
        return keys[:, : self._width]

    def group_places(self, groups: Int32, keys: Int32) -> NDArray[np.int64]:
        """Return for each key of `keys`, int32[n, k], the place of its group in `groups`: int64[n].

        Every key must have its group in `groups`.
        """
        every = np.concatenate([groups, self.groups_of_keys(keys)])
        found = group_rows(every)
        return found.firsts()[found.numbers()[len(groups) :]]

    def facts_among(self, groups: Int32, every: FactIndex) -> tuple[NDArray[np.int64], Int32]:
        """Return what `facts_of` returns, for groups that are all those of the facts in `every`. It makes no index."""
        keys = self.table.matching_keys(every)
        return self.group_places(groups, keys), keys

    def facts_of(self, groups: Int32) -> tuple[NDArray[np.int64], Int32]:
        """Return the facts of the groups `groups`, int32[g, width]. No group may occur twice.

        A fact is returned as the place of its group in `groups`, int64[n], and its key, int32[n, k].
        """
        if self._index is None:
            self._index = _Index(self._width, self._are_held)
            self._index.add(self._held_keys())
        return self._index.facts_of(groups, self._new)

    def _held_keys(self) -> Int32:
        """Return the keys of the facts of the table as of the last commit, and maybe of others: int32[n, k]."""
        rows = self._engine.facts_with(self.table.number, self.table.constants)
        return self.table.matching_keys(FactIndex(rows, np.full(len(rows), self.table.number)))

    def _are_held(self, keys: Int32) -> NDArray[np.bool_]:
        facts = self._engine.facts
        found: NDArray[np.bool_] = facts.kinds(facts.find(self.table.rows_with_keys(keys))) != ABSENT
        return found


class _Index:
    """An index of keys by group. `group`: how many columns at the start of a key are its group.

    `holds`: says which keys are facts.
    """

    def __init__(self, group: int, holds: Holds) -> None:
        self._group, self._holds = group, holds
        self._runs: list[_Run] = []

    def add(self, keys: Int32) -> None:
        """Add keys: int32[n, k]."""
        if not len(keys):
            return
        hashes = _hashes(keys[:, : self._group])
        order = np.argsort(hashes, kind="stable")
        self._runs.append(_Run(hashes[order], keys[order]))
        while len(self._runs) > 1 and len(self._runs[-2].keys) < 2 * len(self._runs[-1].keys):
            self._merge()

    def _merge(self) -> None:
        """Merge the last two runs, and leave out the rows that are no facts."""
        parts = self._runs[-2:]
        del self._runs[-2:]
        keys = np.concatenate([run.keys for run in parts])
        kept = np.zeros(len(keys), dtype=np.bool_)
        kept[group_rows(keys).firsts()] = True
        kept &= self._holds(keys)
        hashes = np.concatenate([run.hashes for run in parts])[kept]
        order = np.argsort(hashes, kind="stable")
        self._runs.append(_Run(hashes[order], keys[kept][order]))

    def facts_of(self, groups: Int32, more: Int32) -> tuple[NDArray[np.int64], Int32]:
        """Return the facts of the groups `groups`, int32[g, w], each once. No group may occur twice.

        `more`: further keys int32[m, k], which are not in the index. A fact is returned as the place of its group in
        `groups`, int64[n], and its key, int32[n, k].
        """
        found = [self._rows_of(run, groups) for run in (*self._runs, _run(more, self._group))]
        numbers, keys = (np.concatenate(parts) for parts in zip(*found, strict=True))
        kept = np.zeros(len(keys), dtype=np.bool_)
        kept[group_rows(keys).firsts()] = True
        kept &= self._holds(keys)
        return numbers[kept], keys[kept]

    def _rows_of(self, run: _Run, groups: Int32) -> tuple[NDArray[np.int64], Int32]:
        hashes = _hashes(groups)
        low, high = (np.searchsorted(run.hashes, hashes, side) for side in ("left", "right"))
        counts = high - low
        numbers = np.repeat(np.arange(len(groups)), counts)
        ends = np.cumsum(counts)
        places = np.arange(len(numbers)) + np.repeat(low - (ends - counts), counts)
        is_same = (run.keys[places, : self._group] == groups[numbers]).all(axis=1)
        return numbers[is_same], run.keys[places[is_same]]


def _run(keys: Int32, group: int) -> _Run:
    hashes = _hashes(keys[:, :group])
    order = np.argsort(hashes, kind="stable")
    return _Run(hashes[order], keys[order])


def _hashes(groups: Int32) -> NDArray[np.uint64]:
    """Return a hash of each row: int32[n, w] -> uint64[n]."""
    hashes = np.zeros(len(groups), dtype=np.uint64)
    for column in groups.T:
        hashes = (hashes ^ column.astype(np.uint64)) * _MIX
        hashes ^= hashes >> _SHIFT
    return hashes
