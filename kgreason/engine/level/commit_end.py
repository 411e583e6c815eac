"""The end of a commit: list its changes, and make it final or undo it, from the undo log.

Laws: `settle` leaves no GONE row and no LOGGED flag. `unwind` leaves every row as it was before the commit began:
stamp, support and arrangements included.

Cost: the rows that the commit wrote, independent of the size of the table.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.facts.hash_table import BLOCK, kind, remove_entry
from kgreason.engine.index.maintenance import touch_groups, uncount_and_note
from kgreason.engine.index.postings import free_row, leave_arrangement
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, hashes, matrix
from kgreason.engine.memory.hashing import entry_number, hash_row, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int8, Int32, Int32s


@kernel
def note_changes(m: Block, start: Number, columns: Int32s, tables: Int32, befores: Int8, afters: Int8) -> Number:
    """Write the facts whose kind the commit has changed, with their kinds before and after, to four arrays.

    `columns`: int32[n, w]. `tables`: int32[n]. `befores`, `afters`: int8[n]. Rows at positions below `start` of the
    undo log are left out. Returns the number of facts written.
    """
    rows, undo = matrix(m, at.ROWS), matrix(m, at.UNDO)
    n = np.int64(0)
    for low in range(start, m[at.N_TOUCHED], BLOCK):
        high = min(low + BLOCK, m[at.N_TOUCHED])
        met = np.int32(0)
        for i in range(low, high):
            met |= rows[undo[i, 0], at.STATE]
        hashes(m, at.HASHES)[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads
        for i in range(low, high):
            r = np.int64(undo[i, 0])
            before, after = kind(undo[i, 1]), kind(rows[r, at.STATE])
            if before != after:
                befores[n], afters[n] = before, after
                tables[n] = rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE
                for c in range(columns.shape[1]):
                    columns[n, c] = rows[r, at.FIRST + c]
                n += 1
    return n


@inline
def is_leaving(rows: Int32, undo: Int32, i: Number, undoes: Flag) -> Flag:
    """Whether row undo[i] leaves: a GONE row, or with `undoes` a row that the commit has made."""
    if undoes:
        return undo[i, 1] & at.AGE == at.FREE
    return rows[undo[i, 0], at.STATE] & at.AGE == at.GONE


@inline
def touch_facts(m: Block, rows: Int32, undo: Int32, low: Number, high: Number, undoes: Flag) -> None:
    """Write to HASHES the hash of each of undo[low:high] that leaves, and load what its removal needs first.

    That is the hash-table entry at its hash, and the row that the entry after this one names.
    """
    slots, h = entries(m, at.ENTRIES), hashes(m, at.HASHES)
    bits, width = table_bits(m, at.ENTRIES), rows.shape[1] - at.FIRST
    shift, mask = np.uint64(64 - bits), np.uint64(slots.size - 1)
    for i in range(low, high):
        h[i - low] = (
            hash_row(rows, np.int64(undo[i, 0]), at.FIRST, width) if is_leaving(rows, undo, i, undoes) else np.uint64(0)
        )
    met = np.uint32(0)
    for i in range(high - low):
        met |= slots[h[i] >> shift]
    for i in range(high - low):
        after = slots[((h[i] >> shift) + np.uint64(1)) & mask]
        met |= np.uint32(rows[max(entry_number(after, bits), 0), at.SUPPORT])
    h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads


@inline
def note_leaving_rows(m: Block, rows: Int32, undo: Int32, low: Number, high: Number, undoes: Flag) -> Number:
    """Uncount those rows of undo[low:high] that leave, and note the arrangements that hold them.

    Returns `high`, or an earlier end if there might be no room for the notes of the next row. The rows keep the flag
    MET until `remove_row`, because `compact_group` releases a row without it, also one whose own removal is still to
    come.
    """
    room, most = matrix(m, at.NOTED).shape[0], matrix(m, at.LIVE).shape[0]
    m[at.N_NOTED] = 0
    for i in range(low, high):
        r = np.int64(undo[i, 0])
        if is_leaving(rows, undo, i, undoes) and rows[r, at.STATE] & at.MET != 0:
            if i > low and m[at.N_NOTED] + most > room:
                return np.int64(i)
            uncount_and_note(m, r)
    return np.int64(high)


@inline
def remove_row(m: Block, rows: Int32, r: Number, h: Number, note: Number) -> Number:
    """Remove row `r`, whose hash is `h`, from the hash table and from arrangements.

    The notes from number `note` on name the arrangements. If the posting of an arrangement still has the row, the row
    becomes DEAD. Otherwise it becomes FREE. Returns the number of the first note of another row.
    """
    noted, noted_hashes, named = matrix(m, at.NOTED), hashes(m, at.NOTED_HASHES), np.int64(0)
    remove_entry(m, rows, r, h)
    rows[r, at.STATE] &= ~at.MET
    while note < m[at.N_NOTED] and noted[note, 1] == r:
        named += leave_arrangement(m, np.int64(noted[note, 0]), r, noted_hashes[note])
        note += 1
    if named == 0:
        free_row(m, r)
    else:
        rows[r, at.STATE] = (rows[r, at.STATE] & ~(at.AGE | at.LOGGED)) | at.DEAD
        rows[r, at.SUPPORT] = named
        m[at.N_DEAD] += 1
    return note


@inline
def end_commit(m: Block, undoes: Flag) -> None:
    """End the commit: remove the rows that leave, with `undoes` restore all others, and empty the undo log.

    For a block of rows: look up the keys that they meet, and note the arrangements that hold them. Then load the groups
    of all notes, so that their cache misses overlap. Then remove the rows one after the other. No removal changes what
    another row meets. HASHES keeps the hashes of the block until its rows are removed; in between only its last word is
    written.
    """
    rows, undo = matrix(m, at.ROWS), matrix(m, at.UNDO)
    low = np.int64(0)
    while low < m[at.N_TOUCHED]:
        high = min(low + BLOCK, m[at.N_TOUCHED])
        touch_facts(m, rows, undo, low, high, undoes)
        high = note_leaving_rows(m, rows, undo, low, high, undoes)
        touch_groups(m, hashes(m, at.NOTED_HASHES), 0, m[at.N_NOTED])
        note = np.int64(0)
        for i in range(low, high):
            r = np.int64(undo[i, 0])
            is_gone = is_leaving(rows, undo, i, undoes)
            if undoes and not is_gone:
                for word in range(at.FIRST):
                    rows[r, word] = undo[i, 1 + word]
            else:
                rows[r, at.STATE] &= ~at.LOGGED
            if is_gone:
                note = remove_row(m, rows, r, hashes(m, at.HASHES)[i - low], note)
        low = high
    m[at.N_TOUCHED] = m[at.N_NOTED] = 0


@kernel
def settle(m: Block) -> None:
    """Make the commit final: remove the GONE rows.

    The free list must have room for the rows of the undo log and for all DEAD rows, and `noted` for a note for each
    arrangement.
    """
    end_commit(m, False)


@kernel
def unwind(m: Block) -> None:
    """Undo the commit, from the undo log.

    The free list must have room for the rows of the undo log and for all DEAD rows, and `noted` for a note for each
    arrangement.
    """
    end_commit(m, True)
