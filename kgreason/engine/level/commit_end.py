"""The end of a commit: list its changes, and make it final or undo it, from the undo log.

Laws: `settle` leaves no GONE row and no LOGGED flag. `unwind` leaves every row as it was before the commit began:
stamp, support and arrangements included.

Cost: the rows that the commit wrote, independent of the size of the table.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline, kernel
from kgreason.engine.facts.hash_table import BLOCK, kind, remove_entry
from kgreason.engine.index.maintenance import touch_groups, uncount_and_note
from kgreason.engine.index.postings import free_row, leave
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
    LIVE,
    LOGGED,
    MET,
    N_DEAD,
    N_NOTED,
    N_TOUCHED,
    NOTED,
    NOTED_HASHES,
    ROWS,
    STATE,
    SUPPORT,
    TABLE,
    UNDO,
    Block,
    Flag,
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
    for low in range(start, m[N_TOUCHED], BLOCK):
        high = min(low + BLOCK, m[N_TOUCHED])
        met = np.int32(0)
        for i in range(low, high):
            met |= rows[undo[i, 0], STATE]
        hashes(m, HASHES)[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads
        for i in range(low, high):
            r = np.int64(undo[i, 0])
            before, after = kind(undo[i, 1]), kind(rows[r, STATE])
            if before != after:
                changed[n, 0], changed[n, 1], changed[n, 2] = before, after, rows[r, STATE] >> TABLE & LAST_TABLE
                for c in range(FIRST, rows.shape[1]):
                    changed[n, c] = rows[r, c]
                n += 1
    return n


@inline
def leaves(rows: Int32, undo: Int32, i: Number, undoes: Flag) -> Flag:
    """Whether row undo[i] leaves: a GONE row, or with `undoes` a row that the commit has made."""
    if undoes:
        return undo[i, 1] & AGE == FREE
    return rows[undo[i, 0], STATE] & AGE == GONE


@inline
def touch_facts(m: Block, rows: Int32, undo: Int32, low: Number, high: Number, undoes: Flag) -> None:
    """Write to HASHES the hash of each of undo[low:high] that leaves, and load what its removal needs first.

    That is the hash-table entry at its hash, and the row that the entry after this one names.
    """
    slots, h = entries(m, ENTRIES), hashes(m, HASHES)
    bits, width = log2(m, ENTRIES), rows.shape[1] - FIRST
    shift, mask = np.uint64(64 - bits), np.uint64(slots.size - 1)
    for i in range(low, high):
        h[i - low] = (
            hash_row(rows, np.int64(undo[i, 0]), FIRST, width) if leaves(rows, undo, i, undoes) else np.uint64(0)
        )
    met = np.uint32(0)
    for i in range(high - low):
        met |= slots[h[i] >> shift]
    for i in range(high - low):
        after = slots[((h[i] >> shift) + np.uint64(1)) & mask]
        met |= np.uint32(rows[max(entry_number(after, bits), 0), SUPPORT])
    h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads


@inline
def note_leaving_rows(m: Block, rows: Int32, undo: Int32, low: Number, high: Number, undoes: Flag) -> Number:
    """Uncount those rows of undo[low:high] that leave, and note the arrangements that hold them.

    Returns `high`, or an earlier end if there might be no room for the notes of the next row. The rows keep the flag
    MET until `remove`, because `compact_group` releases a row without it, also one whose own removal is still to come.
    """
    room, most = matrix(m, NOTED).shape[0], matrix(m, LIVE).shape[0]
    m[N_NOTED] = 0
    for i in range(low, high):
        r = np.int64(undo[i, 0])
        if leaves(rows, undo, i, undoes) and rows[r, STATE] & MET != 0:
            if i > low and m[N_NOTED] + most > room:
                return np.int64(i)
            uncount_and_note(m, r)
    return np.int64(high)


@inline
def remove(m: Block, rows: Int32, r: Number, h: Number, note: Number) -> Number:
    """Remove row `r`, whose hash is `h`, from the hash table and from arrangements.

    The notes from number `note` on name the arrangements. If the posting of an arrangement still has the row, the row
    becomes DEAD. Otherwise it becomes FREE. Returns the number of the first note of another row.
    """
    noted, noted_hashes, named = matrix(m, NOTED), hashes(m, NOTED_HASHES), np.int64(0)
    remove_entry(m, rows, r, h)
    rows[r, STATE] &= ~MET
    while note < m[N_NOTED] and noted[note, 1] == r:
        named += leave(m, np.int64(noted[note, 0]), r, noted_hashes[note])
        note += 1
    if named == 0:
        free_row(m, r)
    else:
        rows[r, STATE] = (rows[r, STATE] & ~(AGE | LOGGED)) | DEAD
        rows[r, SUPPORT] = named
        m[N_DEAD] += 1
    return note


@inline
def end(m: Block, undoes: Flag) -> None:
    """End the commit: remove the rows that leave, with `undoes` restore all others, and empty the undo log.

    For a block of rows: look up the keys that they meet, and note the arrangements that hold them. Then load the groups
    of all notes, so that their cache misses overlap. Then remove the rows one after the other. No removal changes what
    another row meets. HASHES keeps the hashes of the block until its rows are removed; in between only its last word is
    written.
    """
    rows, undo = matrix(m, ROWS), matrix(m, UNDO)
    low = np.int64(0)
    while low < m[N_TOUCHED]:
        high = min(low + BLOCK, m[N_TOUCHED])
        touch_facts(m, rows, undo, low, high, undoes)
        high = note_leaving_rows(m, rows, undo, low, high, undoes)
        touch_groups(m, hashes(m, NOTED_HASHES), 0, m[N_NOTED])
        note = np.int64(0)
        for i in range(low, high):
            r = np.int64(undo[i, 0])
            is_gone = leaves(rows, undo, i, undoes)
            if undoes and not is_gone:
                for word in range(FIRST):
                    rows[r, word] = undo[i, 1 + word]
            else:
                rows[r, STATE] &= ~LOGGED
            if is_gone:
                note = remove(m, rows, r, hashes(m, HASHES)[i - low], note)
        low = high
    m[N_TOUCHED] = m[N_NOTED] = 0


@kernel
def settle(m: Block) -> None:
    """Make the commit final: remove the GONE rows.

    The free list must have room for the rows of the undo log and for all DEAD rows, and `noted` for a note for each
    arrangement.
    """
    end(m, False)


@kernel
def unwind(m: Block) -> None:
    """Undo the commit, from the undo log.

    The free list must have room for the rows of the undo log and for all DEAD rows, and `noted` for a note for each
    arrangement.
    """
    end(m, True)
