"""The fact table: one row store, one hash table, and for each row its state, stamp and support.

Invariants: a fact has at most one row. The hash table holds exactly the rows that are neither free nor dead. Free rows
are on the free list and are used again before the store grows; `compact` gives their room back. At most five of eight
entries of the hash table are taken.

Cost: a row of w columns takes 4 w + 12 bytes, and 6 to 13 bytes in the hash table; its spare derivations are counted
in its state. To add a row or to look it up takes one probe of the hash table; probes run in blocks.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Number, kernel
from kgreason.engine.facts.facts import Facts, Workers
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import Memory, power_of_two, zeros
from kgreason.errors import LimitError
from kgreason.zset.columns import Int32, UInt32

_MOST_ROWS = 2**31 - 1
"""Row numbers are int32. The hash table then has 2**32 entries without tags, and a number + 1 still fits into one."""
TABLE = "rows", "entries", "queue", "free"
"""The arrays of the fact table."""
_HUGE = 1 << 25
"""A hash table that is made for more rows begins with room for half of them: it may take gigabytes."""
_FAST = 1 << 21
"""A hash table of 2**21 to 2**23 entries that is full grows to four times its size, any other to twice its size: to
fill the new table takes longer than the look-ups from one size to the next."""
_SOME, _FEW = 1000, 64
"""So many rows are looked up in a hash table that was saved: in one that is read, and in one that is mapped."""


class FactTable(Facts):
    """Holds all facts of a circuit in the arrays `rows`, `entries`, `queue` and `free` of a memory block."""

    def __init__(self, memory: Memory, width: int, room: int, workers: Workers) -> None:
        super().__init__(memory, workers)
        self._is_hashed = True
        memory["rows"] = zeros((room, at.FIRST + width), np.int32)
        memory["entries"] = _empty_hash_table(room if room <= _HUGE else room // 2)
        memory["queue"] = zeros(room, np.int32)
        memory["free"] = np.zeros(16, dtype=np.int32)

    def reserve(self, more: int) -> None:
        """Make room for `more` new rows. Raises LimitError for more than 2**31 - 1 rows.

        If the commit may be undone, its undo log gets room for these rows, and so does the free list.
        """
        counters = self._counters
        needed = counters[at.N_ROWS] + max(0, more - counters[at.N_FREE])
        if needed > _MOST_ROWS:
            raise LimitError(f"the fact table cannot hold more than {_MOST_ROWS:,} facts")
        if counters[at.LOGGING]:  # `settle` and `unwind` must not want for memory
            touched = counters[at.N_TOUCHED] + more
            if counters[at.FREE_ROWS + 1] < counters[at.N_FREE] + counters[at.N_DEAD] + touched:
                self.reserve_free(touched)
            if counters[at.UNDO + 1] < touched:
                self._memory.grow("undo", touched)
        if counters[at.ROWS + 1] < needed:
            self._memory.grow("rows", needed, _MOST_ROWS)
        if counters[at.QUEUE + 1] < counters[at.N_QUEUE] + more:
            self._memory.grow("queue", counters[at.N_QUEUE] + more)
        size = counters[at.ENTRIES + 1]
        if 5 * size < 8 * needed:
            self._rehash(_empty_hash_table(max(needed, 2 * size) if _FAST <= size <= 4 * _FAST else needed))

    def trim(self) -> None:
        """Give back memory that a large evaluation reserved and did not use; keep room for an eighth more rows."""
        n = self._counters[at.N_ROWS]
        for name, room in (("rows", n + n // 8 + 1024), ("queue", self._counters[at.N_QUEUE] + 1024)):
            self._memory.cut(name, room)

    def rehash(self) -> None:
        """Build the hash table again from the rows."""
        self._rehash(_empty_hash_table(self._memory["rows"].shape[0]))

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

    def rows_of_width(self, width: int) -> Int32:
        """Return the rows with `width` columns. New columns hold the padding 0, so the hashes stay the same."""
        old = self._memory["rows"]
        rows: Int32 = zeros((old.shape[0], at.FIRST + width), np.int32)
        rows[:, : old.shape[1]] = old
        return rows

    def hash_table(self, records: Int32) -> UInt32 | None:
        """Return the hash table, uint32[2**k], if its row numbers are positions in `records`; otherwise None.

        `records` is what `whole_records` has just returned. Row numbers are positions if every row holds a present
        fact. The result is valid until the table changes.
        """
        table: UInt32 = self._memory["entries"]
        return table if self._is_hashed and len(records) == self._counters[at.N_ROWS] else None

    def adopt(self, records: Int32, hashed: UInt32 | None) -> None:
        """Fill the empty table with saved rows, `records` int32[n, 3 + w], and the hash table that was saved with them.

        `hashed`: what `hash_table` returned, or None. A hash table that does not fit is made anew. Whether it fits is
        looked up for some rows: the hash is not a part of the format, and a later version may have another one.
        """
        self.reserve(len(records))
        self._memory["rows"][: len(records), : records.shape[1]] = records
        self._memory["rows"][: len(records), at.STATE] |= at.MET
        self._counters[at.N_ROWS] = len(records)
        if hashed is None or not self._use_hash_table(hashed.copy(), _SOME):
            self._workers.rehash(self._block)

    def take_over(self, rows: Int32, count: int, hashed: UInt32) -> bool:
        """Use arrays that are mapped from files as the rows and the hash table of the empty table.

        `rows`: int32[room, 3 + w]. The first `count` rows hold present facts and have the flag MET; the other rows are
        room for new facts. `hashed`: the hash table that `hash_table` returned for the first `count` rows. This method
        reads the hash table once and looks 64 rows up in it. Returns False, and leaves the table empty, if an array
        does not fit.
        """
        if rows.shape[1] != at.FIRST + self.width:
            return False
        made = self._memory["rows"]
        self._memory["rows"], self._counters[at.N_ROWS] = rows, count
        if self._use_hash_table(hashed, _FEW):
            return True
        self._memory["rows"], self._counters[at.N_ROWS] = made, 0
        return False

    def _use_hash_table(self, hashed: UInt32, most: int) -> bool:
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

    def reserve_free(self, more: int) -> None:
        """Grow the free list so that `more` rows and all DEAD rows can be added to the list."""
        self._memory.grow("free", self._counters[at.N_FREE] + self._counters[at.N_DEAD] + more)

    def free_rows(self, rows: Int32) -> None:
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
        kept = self.present_rows()
        rows = zeros((max(16, len(kept)), at.FIRST + self.width), np.int32)
        np.take(self._memory["rows"], kept, axis=0, out=rows[: len(kept)], mode="clip")
        entries = _empty_hash_table(max(16, len(kept)))
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


def _empty_hash_table(rows: int) -> UInt32:
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
