"""The fact table: one row store, one hash table, and for each row its state, stamp and support.

Invariants: a fact has at most one row. The hash table holds exactly the rows that are neither free nor dead. Free rows
are on the free list and are used again before the store grows; `compact` gives their room back. At most five of eight
entries of the hash table are taken.

Cost: a row of w columns takes 4 w + 12 bytes, and 6 to 13 bytes in the hash table; its spare derivations are counted
in its state. To add a row or to look it up takes one probe of the hash table; probes run in blocks.
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
from kgreason.engine.memory.buffers import power_of_two, zeros
from kgreason.engine.memory.hashing import hash_row, log2
from kgreason.engine.memory.layout import Block
from kgreason.errors import LimitError
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int8, Int32, Int32s, UInt32

_MOST_ROWS = 2**31 - 1
"""Row numbers are int32. The hash table then has 2**32 entries without tags, and a number + 1 still fits into one."""
_HUGE = 1 << 25
"""A hash table that is made for more rows begins with room for half of them: it may take gigabytes."""
_FAST = 1 << 21
"""A hash table of 2**21 to 2**23 entries that is full grows to four times its size, any other to twice its size: to
fill the new table takes longer than the look-ups from one size to the next."""
_SOME, _FEW = 1000, 64
"""So many rows are looked up in a hash table that was saved: in one that is read, and in one that is mapped."""
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


class FactTable:
    """Holds all facts of a circuit in the arrays `rows`, `entries`, `queue` and `free` of a memory block."""

    def __init__(self, memory: Memory, width: int, room: int, workers: Workers) -> None:
        self._memory, self._workers = memory, workers
        self._block, self._counters = memory.block, memory.counters
        self._is_hashed = True
        memory["rows"] = zeros((room, at.FIRST + width), np.int32)
        memory["entries"] = _entries(room if room <= _HUGE else room // 2)
        memory["queue"] = zeros(room, np.int32)
        memory["free"] = np.zeros(16, dtype=np.int32)

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

    @property
    def nbytes(self) -> int:
        """The number of bytes of all arrays of the fact table."""
        return sum(self._memory[name].nbytes for name in ("rows", "entries", "queue", "free"))

    def reserve(self, more: int) -> None:
        """Make room for `more` new rows. Raises LimitError for more than 2**31 - 1 rows."""
        counters = self._counters
        needed = counters[at.N_ROWS] + max(0, more - counters[at.N_FREE])
        if needed > _MOST_ROWS:
            raise LimitError(f"the fact table cannot hold more than {_MOST_ROWS:,} facts")
        self._memory.grow("rows", needed, _MOST_ROWS)
        self._memory.grow("queue", counters[at.N_QUEUE] + more)
        size = self._memory.room("entries")
        if 5 * size < 8 * needed:
            self._rehash(_entries(max(needed, 2 * size) if _FAST <= size <= 4 * _FAST else needed))

    def trim(self) -> None:
        """Give back memory that a large evaluation reserved and did not use; keep room for an eighth more rows."""
        n = self._counters[at.N_ROWS]
        for name, room in (("rows", n + n // 8 + 1024), ("queue", self._counters[at.N_QUEUE] + 1024)):
            self._memory.cut(name, room)

    def rehash(self) -> None:
        """Build the hash table again from the rows."""
        self._rehash(_entries(self._memory["rows"].shape[0]))

    def repair(self) -> None:
        """Build the hash table again if an earlier build was interrupted."""
        if not self._is_hashed:
            self.rehash()

    def _rehash(self, entries: UInt32) -> None:
        """Fill `entries`, an empty hash table, and use it from now on."""
        self._is_hashed = False
        self._memory["entries"] = entries
        self._workers.rehash(self._block)
        self._is_hashed = True

    def widened(self, width: int) -> Int32:
        """Return the rows with `width` columns. New columns hold the padding 0, so the hashes stay the same."""
        old = self._memory["rows"]
        rows: Int32 = zeros((old.shape[0], at.FIRST + width), np.int32)
        rows[:, : old.shape[1]] = old
        return rows

    def hashed(self, records: Int32) -> UInt32 | None:
        """Return the hash table, uint32[2**k], if its row numbers are positions in `records`; otherwise None.

        `records` is what `borrowed` has just returned. Row numbers are positions if every row holds a present fact.
        The result is valid until the table changes.
        """
        table: UInt32 = self._memory["entries"]
        return table if self._is_hashed and len(records) == self._counters[at.N_ROWS] else None

    def adopt(self, records: Int32, hashed: UInt32 | None) -> None:
        """Fill the empty table with saved rows, `records` int32[n, 3 + w], and the hash table that was saved with them.

        `hashed`: what `hashed` returned, or None. A hash table that does not fit is made anew. Whether it fits is
        looked up for some rows: the hash is not a part of the format, and a later version may have another one.
        """
        self.reserve(len(records))
        self._memory["rows"][: len(records), : records.shape[1]] = records
        self._memory["rows"][: len(records), at.STATE] |= at.MET
        self._counters[at.N_ROWS] = len(records)
        if hashed is None or not self._takes(hashed.copy(), _SOME):
            self._workers.rehash(self._block)

    def take_over(self, rows: Int32, count: int, hashed: UInt32) -> bool:
        """Use arrays that are mapped from files as the rows and the hash table of the empty table.

        `rows`: int32[room, 3 + w]. The first `count` rows hold present facts and have the flag MET; the other rows are
        room for new facts. `hashed`: the hash table that the method `hashed` returned for the first `count` rows. This
        method reads the hash table once and looks 64 rows up in it. Returns False, and leaves the table empty, if an
        array does not fit.
        """
        if rows.shape[1] != at.FIRST + self.width:
            return False
        made = self._memory["rows"]
        self._memory["rows"], self._counters[at.N_ROWS] = rows, count
        if self._takes(hashed, _FEW):
            return True
        self._memory["rows"], self._counters[at.N_ROWS] = made, 0
        return False

    def _takes(self, hashed: UInt32, most: int) -> bool:
        """Use a saved hash table for the rows that are there. Returns False, and changes nothing, if it does not fit.

        At most `most` rows are looked up in the hash table.
        """
        count, made = self._counters[at.N_ROWS], self._memory["entries"]
        if not _is_possible(hashed, count):
            return False
        self._memory["entries"] = hashed
        some = np.linspace(0, count - 1, min(count, most)).astype(np.int32)
        if np.array_equal(self.find(self._memory["rows"][some, at.FIRST :]), some):
            return True
        self._memory["entries"] = made
        return False

    def find(self, keys: Int32) -> Int32:
        """Return for each fact of `keys`, int32[n, w], the number of its row, or -1 for an absent fact: int32[n]."""
        found = np.empty(len(keys), dtype=np.int32)
        find_rows(self._block, np.ascontiguousarray(keys, dtype=np.int32), found)
        return found

    def padded(self, keys: Int32) -> Int32:
        """Return the facts `keys` with as many columns as the widest table: int32[n, w], contiguous.

        New columns are 0.
        """
        if keys.shape[1] == self.width:
            return np.ascontiguousarray(keys, dtype=np.int32)
        wide = np.zeros((len(keys), self.width), dtype=np.int32)
        wide[:, : keys.shape[1]] = keys
        return wide

    def reserve_free(self, more: int) -> None:
        """Grow the free list so that `more` rows and all DEAD rows can be added to the list."""
        self._memory.grow("free", self._counters[at.N_FREE] + self._counters[at.N_DEAD] + more)

    def present(self) -> Int32:
        """Return the numbers of the rows that hold a present fact, ascending: int32[n]."""
        return self._without(at.FREE, at.DEAD, at.GONE)

    def held(self) -> Int32:
        """Return the numbers of the rows that hold a present fact, or one that the open commit removed: int32[n].

        The numbers are ascending.
        """
        return self._without(at.FREE, at.DEAD)

    def _without(self, *ages: int) -> Int32:
        """Return the numbers of all rows whose age is not one of `ages`, ascending: int32[n]."""
        states, parts = self._memory["rows"][: self._counters[at.N_ROWS], at.STATE], [np.empty(0, dtype=np.int32)]
        is_kept = ~np.isin(np.arange(at.AGE + 1), ages)
        for low in range(0, len(states), _PART):
            kept = is_kept[states[low : low + _PART] & at.AGE]
            parts.append((np.flatnonzero(kept) + low).astype(np.int32))
        return np.concatenate(parts)

    def with_constants(self, constants: Mapping[int, int]) -> Int32:
        """Return the numbers of the rows that `held` returns and that have `constants`, column -> id: int32[n].

        Rows of several tables may have them.
        """
        columns, values = (np.array(list(each), dtype=np.int32) for each in (constants, constants.values()))
        room, parts = np.empty(_PART, dtype=np.int32), [np.empty(0, dtype=np.int32)]
        for low in range(0, self._counters[at.N_ROWS], _PART):
            high = min(low + _PART, self._counters[at.N_ROWS])
            n = look_for_rows(self._block, low, high, columns, values, room)
            parts.append(room[:n].copy())
        return np.concatenate(parts)

    def records(self, rows: Int32) -> Int32:
        """Return copies of whole rows, int32[n, 3 + w]: state, stamp, support, columns.

        The flags LOGGED and MET are removed from the state.
        """
        records: Int32 = self._records(rows).copy()
        records[:, at.STATE] &= ~(at.LOGGED | at.MET)
        return records

    def borrowed(self) -> Int32:
        """Return the whole rows of all present facts, including all flags: int32[n, 3 + w].

        If every row holds a present fact, nothing is copied. Then the result is valid until the table changes.
        """
        if self._is_whole:
            whole: Int32 = self._memory["rows"][: self._counters[at.N_ROWS]]
            return whole
        return self._records(self.present())

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

    def records_of(self, table: int) -> Int32:
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

    def is_asserted(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row number of `rows`, int32[n], whether the fact in this row is asserted: bool[n]."""
        flags: NDArray[np.bool_] = (self._memory["rows"][rows, at.STATE] & at.ASSERTED) != 0
        return flags

    def kinds(self, rows: Int32) -> Int8:
        """Return for each row number of `rows` the kind of its fact; ABSENT for the row number -1: int8[n]."""
        asserted = self._memory["rows"][rows, at.STATE] & at.ASSERTED != 0
        kinds: Int8 = asserted.astype(np.int8)
        kinds += INFERRED
        kinds[rows < 0] = ABSENT
        return kinds

    def is_asserted_fact(self, keys: Int32) -> NDArray[np.bool_]:
        """Return for each fact of `keys`, int32[n, w], whether the fact is asserted: bool[n]."""
        asserted: NDArray[np.bool_] = self.kinds(self.find(keys)) == IS_ASSERTED
        return asserted

    def free(self, rows: Int32) -> None:
        """Put DEAD rows, given by their numbers int32[n], on the free list."""
        n = self._counters[at.N_FREE]
        self._memory.grow("free", n + len(rows))
        self._memory["free"][n : n + len(rows)] = rows
        self._memory["rows"][rows, at.STATE] = at.FREE
        self._counters[at.N_FREE] = n + len(rows)
        self._counters[at.N_DEAD] -= len(rows)

    def compact(self) -> Int32:
        """Move the rows of present facts together and give the free memory back.

        Returns the old number of each row: int32[n]. All arrangements must be empty.
        """
        kept = self.present()
        rows = zeros((max(16, len(kept)), at.FIRST + self.width), np.int32)
        np.take(self._memory["rows"], kept, axis=0, out=rows[: len(kept)], mode="clip")
        entries = _entries(max(16, len(kept)))
        queue, free = np.zeros(16, dtype=np.int32), np.zeros(16, dtype=np.int32)
        self._memory["rows"], self._memory["queue"], self._memory["free"] = rows, queue, free
        self._block[[at.N_ROWS, at.N_FREE, at.N_DEAD, at.N_QUEUE]] = len(kept), 0, 0, 0
        self._rehash(entries)
        return kept


def _is_possible(hashed: UInt32, rows: int) -> bool:
    """Whether an array can be a hash table with an entry for each of so many rows: no look-up in it can go astray."""
    size = hashed.size
    has_form = hashed.dtype == np.uint32 and hashed.ndim == 1 and size == power_of_two(size) and 5 * size >= 8 * rows
    return has_form and count_entries(hashed, rows) == rows


def _entries(rows: int) -> UInt32:
    """Return an empty hash table that has room for `rows` rows: uint32[2**k]."""
    return np.zeros(power_of_two(-(-8 * rows // 5)), dtype=np.uint32)


@kernel
def count_entries(hashed: UInt32, rows: Number) -> Number:
    """Return how many entries of a hash table are used, or -1 if one of them has no number from 1 to `rows`."""
    mask, n = np.uint32(hashed.size - 1), np.int64(0)
    for i in range(hashed.size):
        if hashed[i] != 0:
            number = np.int64(hashed[i] & mask)
            if number < 1 or number > rows:
                return np.int64(-1)
            n += 1
    return n


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
def find_rows(m: Block, keys: Int32s, found: Int32) -> None:
    """Write to `found[i]` the number of the present row that holds the fact `keys[i]`, or -1 if there is none.

    `keys`: int32[n, w]. `found`: int32[n].
    """
    rows, slots = matrix(m, at.ROWS), entries(m, at.ENTRIES)
    bits, width = log2(m, at.ENTRIES), keys.shape[1]
    for i in range(keys.shape[0]):
        r = find_row(rows, slots, bits, keys, i, hash_row(keys, i, 0, width))
        found[i] = r if r >= 0 and rows[r, at.STATE] & at.AGE != at.GONE else -1
