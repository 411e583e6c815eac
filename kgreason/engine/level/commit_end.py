"""The end of a commit: list its changes, and make it final or undo it, from the undo log.

Laws: `settle` leaves no GONE row and no LOGGED flag. `unwind` leaves every row as it was before the commit began:
stamp, support and arrangements included.

Cost: the rows that the commit wrote, independent of the size of the table.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline, kernel
from kgreason.engine.facts.hash_table import BLOCK, kind, remove_entry
from kgreason.engine.index.maintenance import unmeet
from kgreason.engine.index.postings import free_row
from kgreason.engine.memory.blocks import entries, hashes, matrix
from kgreason.engine.memory.hashing import entry_number, hash_row, log2
from kgreason.engine.memory.layout import (
    AGE,
    CHANGED,
    DEAD,
    ENTRIES,
    FIRST,
    FREE,
    GONE,
    HASHES,
    LAST_TABLE,
    LOGGED,
    MET,
    N_DEAD,
    N_TOUCHED,
    ROWS,
    STATE,
    SUPPORT,
    TABLE,
    UNDO,
    Block,
    Int32,
    Number,
)


@kernel
def note_changes(m: Block, start: Number) -> Number:
    """Write the facts whose kind the commit has changed, with their kinds before and after, to the array `changed`.

    Rows at positions below `start` of the undo log are left out. Returns the number of facts written.
    """
    rows, undo, changed = matrix(m, ROWS), matrix(m, UNDO), matrix(m, CHANGED)
    n = np.int64(0)
    for i in range(start, m[N_TOUCHED]):
        r = np.int64(undo[i, 0])
        before, after = kind(undo[i, 1]), kind(rows[r, STATE])
        if before != after:
            changed[n, 0], changed[n, 1], changed[n, 2] = before, after, rows[r, STATE] >> TABLE & LAST_TABLE
            for c in range(FIRST, rows.shape[1]):
                changed[n, c] = rows[r, c]
            n += 1
    return n


@inline
def remove(m: Block, rows: Int32, r: Number) -> None:
    """Remove row `r` from the hash table and the arrangements.

    If the posting of an arrangement still has the row, the row becomes DEAD. Otherwise it becomes FREE.
    """
    remove_entry(m, rows, r)
    named = np.int64(0)
    if rows[r, STATE] & MET != 0:
        named = unmeet(m, r)
    if named == 0:
        free_row(m, r)
    else:
        rows[r, STATE] = (rows[r, STATE] & ~(AGE | LOGGED)) | DEAD
        rows[r, SUPPORT] = named
        m[N_DEAD] += 1


@inline
def touch_gone(m: Block, rows: Int32, undo: Int32, low: Number, high: Number) -> None:
    """Load into the CPU cache what the removal of the GONE rows among undo[low:high] reads first.

    For each row: the hash-table entry at its hash, and the row that the entry after this one names.
    """
    slots, h = entries(m, ENTRIES), hashes(m, HASHES)
    bits, width = log2(m, ENTRIES), rows.shape[1] - FIRST
    met = np.int64(0)
    for i in range(low, high):
        r = np.int64(undo[i, 0])
        if rows[r, STATE] & AGE == GONE:
            at = hash_row(rows, r, FIRST, width) >> np.uint64(64 - bits)
            met += np.int64(slots[at])
            after = slots[(at + np.uint64(1)) & np.uint64(slots.size - 1)]
            if after != 0:
                met += rows[entry_number(after, bits), SUPPORT]
    h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads


@kernel
def settle(m: Block) -> None:
    """Make the commit final: remove the GONE rows.

    The free list must have room for the rows of the undo log and for all DEAD rows.
    """
    rows, undo = matrix(m, ROWS), matrix(m, UNDO)
    for low in range(0, m[N_TOUCHED], BLOCK):
        high = min(low + BLOCK, m[N_TOUCHED])
        touch_gone(m, rows, undo, low, high)
        for i in range(low, high):
            r = np.int64(undo[i, 0])
            rows[r, STATE] &= ~LOGGED
            if rows[r, STATE] & AGE == GONE:
                remove(m, rows, r)
    m[N_TOUCHED] = 0


@kernel
def unwind(m: Block) -> None:
    """Undo the commit, from the undo log.

    The free list must have room for the rows of the undo log and for all DEAD rows.
    """
    rows, undo = matrix(m, ROWS), matrix(m, UNDO)
    for i in range(m[N_TOUCHED]):
        r = np.int64(undo[i, 0])
        if undo[i, 1] & AGE == FREE:
            remove(m, rows, r)
        else:
            for word in range(FIRST):
                rows[r, word] = undo[i, 1 + word]
    m[N_TOUCHED] = 0
