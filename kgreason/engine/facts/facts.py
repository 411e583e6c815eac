"""`Facts`: what others may read of the facts of a circuit. `FactTable` is the same with what changes the facts.

A fact is a row of ids, as wide as the widest table; unused columns hold 0. Facts have row numbers; a number stays valid
until the next commit. Law: a reader sees the facts as of the last kernel call, in the order of their rows.

Cost: one probe of the hash table for each fact that is looked up. `contents` passes over all rows.
Threads: nobody may commit meanwhile; the caller holds the graph's lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kgreason.compiled import Number, kernel
from kgreason.engine.facts.hash_table import find_row
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import Memory, entries, matrix
from kgreason.engine.memory.hashing import hash_row, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int8, Int32, Int32s, Int64

_PART = 1 << 16
"""So many rows are looked at together, so that a look at all rows takes little memory."""


class Workers(Protocol):
    """The workers that pass over all rows of a fact table, each over some of them (`Crew`)."""

    def rehash(self, block: Block) -> None:
        """Fill the empty hash table with all rows."""

    def list_facts(self, columns: Int32s, tables: Int32, kinds: Int8, is_whole: bool) -> int:
        """Write the present facts to three arrays, and return their number.

        `is_whole`: whether every row holds a present fact.
        """
        ...


class Facts:
    """Reads the facts of a circuit: the arrays `rows` and `entries` of its memory block."""

    def __init__(self, memory: Memory, workers: Workers) -> None:
        self._memory, self._workers = memory, workers
        self._block, self._counters = memory.block, memory.counters

    def __len__(self) -> int:
        """Return the number of rows with a fact, including facts that the open commit has removed."""
        return self._counters[at.N_ROWS] - self._counters[at.N_FREE] - self._counters[at.N_DEAD]

    @property
    def _is_whole(self) -> bool:
        """Whether every row holds a present fact: no row is FREE, DEAD or GONE."""
        return not any(self._counters[word] for word in (at.N_FREE, at.N_DEAD, at.N_TOUCHED))

    @property
    def width(self) -> int:
        """The number of columns of the widest table."""
        return int(self._memory["rows"].shape[1]) - at.FIRST

    def find(self, keys: Int32) -> Int32:
        """Return for each fact of `keys`, int32[n, w], the number of its row, or -1 for an absent fact: int32[n]."""
        found = np.empty(len(keys), dtype=np.int32)
        find_rows(self._block, np.ascontiguousarray(keys, dtype=np.int32), found)
        return found

    def pad(self, keys: Int32) -> Int32:
        """Return the facts `keys` with as many columns as the widest table: int32[n, w], contiguous.

        New columns are 0.
        """
        if keys.shape[1] == self.width:
            return np.ascontiguousarray(keys, dtype=np.int32)
        wide = np.zeros((len(keys), self.width), dtype=np.int32)
        wide[:, : keys.shape[1]] = keys
        return wide

    def present_rows(self) -> Int32:
        """Return the numbers of the rows that hold a present fact, ascending: int32[n]."""
        return self._rows_except(at.FREE, at.DEAD, at.GONE)

    def present_and_gone_rows(self) -> Int32:
        """Return the numbers of the rows that hold a present fact, or one that the open commit removed: int32[n].

        The numbers are ascending.
        """
        return self._rows_except(at.FREE, at.DEAD)

    def _rows_except(self, *ages: int) -> Int32:
        """Return the numbers of all rows whose age is not one of `ages`, ascending: int32[n]."""
        states, parts = self._memory["rows"][: self._counters[at.N_ROWS], at.STATE], [np.empty(0, dtype=np.int32)]
        is_kept = ~np.isin(np.arange(at.AGE + 1), ages)
        for low in range(0, len(states), _PART):
            kept = is_kept[states[low : low + _PART] & at.AGE]
            parts.append((np.flatnonzero(kept) + low).astype(np.int32))
        return np.concatenate(parts)

    def rows_with_constants(self, constants: Mapping[int, int]) -> Int32:
        """Return the rows of `present_and_gone_rows` that have `constants`, column -> id: their numbers, int32[n].

        Rows of several tables may have them.
        """
        columns, values = (np.array(list(each), dtype=np.int32) for each in (constants, constants.values()))
        room, parts = np.empty(_PART, dtype=np.int32), [np.empty(0, dtype=np.int32)]
        for low in range(0, self._counters[at.N_ROWS], _PART):
            high = min(low + _PART, self._counters[at.N_ROWS])
            n = look_for_rows(self._block, low, high, columns, values, room)
            parts.append(room[:n].copy())
        return np.concatenate(parts)

    def keys(self, rows: Int32, are_triples: Int8) -> Int64:
        """Return two columns of each fact in rows int32[n] as one number, int64[n]: see `write_keys`."""
        keys = np.empty(len(rows), dtype=np.int64)
        write_keys(self._block, rows, are_triples, keys)
        return keys

    def records(self, rows: Int32) -> Int32:
        """Return copies of whole rows, int32[n, 3 + w]: state, stamp, support, columns.

        The flags LOGGED and MET are removed from the state.
        """
        records: Int32 = self._records(rows).copy()
        records[:, at.STATE] &= ~(at.LOGGED | at.MET)
        return records

    def whole_records(self) -> Int32:
        """Return the whole rows of all present facts, including all flags: int32[n, 3 + w].

        If every row holds a present fact, nothing is copied. Then the result is valid until the table changes.
        """
        if self._is_whole:
            whole: Int32 = self._memory["rows"][: self._counters[at.N_ROWS]]
            return whole
        return self._records(self.present_rows())

    def _records(self, rows: Int32) -> Int32:
        """Return whole rows, including all flags: int32[n, 3 + w].

        The result is a view if `rows` are all rows in order. Read the result before the table grows.
        """
        stored: Int32 = self._memory["rows"]
        is_all = len(rows) == self._counters[at.N_ROWS] and bool((rows[1:] > rows[:-1]).all())
        return stored[: len(rows)] if is_all else stored[rows]

    def columns(self, rows: Int32) -> tuple[Int32, Int32]:
        """Return, for the facts in rows int32[n], their columns int32[n, w] and their tables int32[n]."""
        records = self._records(rows)
        return records[:, at.FIRST :].copy(), records[:, at.STATE] >> at.TABLE & at.LAST_TABLE

    def contents(self) -> tuple[Int32, Int32, Int8]:
        """Return all present facts, in the order of their rows.

        Returns columns int32[n, w], tables int32[n], and kinds int8[n], each INFERRED or IS_ASSERTED.
        """
        room = len(self)
        columns, tables = np.empty((room, self.width), dtype=np.int32), np.empty(room, dtype=np.int32)
        kinds = np.empty(room, dtype=np.int8)
        n = self._workers.list_facts(columns, tables, kinds, self._is_whole)
        return columns[:n], tables[:n], kinds[:n]

    def inferred(self) -> tuple[Int32, Int32]:
        """Return the present facts that are not asserted: columns int32[n, w], tables int32[n]."""
        records = self.whole_records()
        found = records[records[:, at.STATE] & at.ASSERTED == 0]
        return found[:, at.FIRST :].copy(), found[:, at.STATE] >> at.TABLE & at.LAST_TABLE

    def records_of_table(self, table: int) -> Int32:
        """Return copies of the rows, int32[n, 3 + w], that hold the present facts of a table."""
        stored = self._memory["rows"][: self._counters[at.N_ROWS]]
        ages = stored[:, at.STATE] & at.AGE
        kept = (
            (stored[:, at.STATE] >> at.TABLE & at.LAST_TABLE == table)
            & (ages != at.FREE)
            & (ages != at.GONE)
            & (ages != at.DEAD)
        )
        found: Int32 = stored[kept]
        return found

    def kinds(self, rows: Int32) -> Int8:
        """Return for each row number of `rows` the kind of its fact; ABSENT for the row number -1: int8[n]."""
        asserted = self._memory["rows"][rows, at.STATE] & at.ASSERTED != 0
        kinds: Int8 = asserted.astype(np.int8)
        kinds += INFERRED
        kinds[rows < 0] = ABSENT
        return kinds

    def are_asserted(self, keys: Int32) -> NDArray[np.bool_]:
        """Return for each fact of `keys`, int32[n, w], whether the fact is asserted: bool[n]."""
        asserted: NDArray[np.bool_] = self.kinds(self.find(keys)) == IS_ASSERTED
        return asserted


@kernel
def look_for_rows(m: Block, low: Number, high: Number, columns: Int32, values: Int32, found: Int32) -> Number:
    """Write to `found` the numbers of the rows from `low` to `high - 1` that have given values; return how many.

    `columns`, `values`: int32[k], the columns of a fact and the ids there. FREE and DEAD rows are left out.
    """
    rows, n = matrix(m, at.ROWS), np.int64(0)
    for r in range(low, high):
        has_all = True
        for j in range(columns.size):
            if rows[r, at.FIRST + columns[j]] != values[j]:
                has_all = False
                break
        if has_all:
            age = rows[r, at.STATE] & at.AGE
            if age != at.FREE and age != at.DEAD:
                found[n] = r
                n += 1
    return n


@kernel
def write_keys(m: Block, rows: Int32, are_triples: Int8, keys: Int64) -> None:
    """Write to `keys[i]` two columns of row `rows[i]` as one number: predicate and object of a triple, else the first.

    `are_triples`: int8[t], 1 for each table of triples, 0 for the others. `keys`: int64[n].
    """
    stored = matrix(m, at.ROWS)
    for i in range(rows.size):
        r = np.int64(rows[i])
        first = at.FIRST + np.int64(are_triples[stored[r, at.STATE] >> at.TABLE & at.LAST_TABLE])
        keys[i] = np.int64(stored[r, first]) << 32 | np.int64(stored[r, first + 1])


@kernel
def find_rows(m: Block, keys: Int32s, found: Int32) -> None:
    """Write to `found[i]` the number of the present row that holds the fact `keys[i]`, or -1 if there is none.

    `keys`: int32[n, w]. `found`: int32[n].
    """
    rows, slots = matrix(m, at.ROWS), entries(m, at.ENTRIES)
    bits, width = table_bits(m, at.ENTRIES), keys.shape[1]
    for i in range(keys.shape[0]):
        r = find_row(rows, slots, bits, keys, i, hash_row(keys, i, 0, width))
        found[i] = r if r >= 0 and rows[r, at.STATE] & at.AGE != at.GONE else -1
