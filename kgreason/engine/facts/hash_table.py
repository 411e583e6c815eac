"""The kernels of the fact table's hash table: look rows up, copy them to the undo log, remove them.

Invariant: the hash table holds exactly the rows that are neither FREE nor DEAD. The undo log holds, once, each row that
the commit wrote, with the content of the row before the commit. A row that is in the undo log has the flag LOGGED.

Cost: a probe for each row. Look-ups run in blocks (hashes, then entries, then rows), so that cache misses overlap.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Number, inline, kernel
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, hashes, matrix
from kgreason.engine.memory.hashing import entry_number, entry_tag, hash_row, place_entry, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int8, Int32, Int32s, Int64, UInt32

BLOCK = 128


@inline
def find_row(rows: Int32, slots: UInt32, bits: Number, keys: Int32, i: Number, h: Number) -> Number:
    """Look up the fact `keys[i]`, whose hash is `h`, in the hash table `slots` of 2**bits entries.

    Returns the number of the row that holds the fact. If there is none, returns `~at`, where `at` is the free entry at
    which the search ended. `keys` may have fewer columns than the rows; only these columns are compared. This is
    enough, because each row of another table differs in one of them, and padding does not change a hash.
    """
    width = keys.shape[1]
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    mask = np.uint64(slots.size - 1)
    here = h >> np.uint64(64 - bits)
    while True:
        entry = slots[here]
        if entry == 0:
            return ~np.int64(here)
        if (entry & ~low) == tag:
            r = np.uint64(entry & low) - np.uint64(1)
            same = True
            for c in range(width):
                if rows[r, at.FIRST + c] != keys[i, c]:
                    same = False
                    break
            if same:
                return np.int64(r)
        here = (here + np.uint64(1)) & mask


@inline
def copy_fact(rows: Int32, r: Number, keys: Int32, i: Number) -> None:
    """Copy the fact `keys[i]` to the columns of row `r`. Columns that `keys` lacks get the padding 0."""
    for c in range(keys.shape[1]):
        rows[r, at.FIRST + c] = keys[i, c]
    for c in range(at.FIRST + keys.shape[1], rows.shape[1]):
        rows[r, c] = 0


@inline
def log_row(m: Block, rows: Int32, r: Number) -> None:
    """Copy the number, state, stamp and support of row `r` to the undo log, unless the row is in the log already.

    Call this before the commit changes the row. Does nothing if no undo log is kept.
    """
    if m[at.LOGGING] != 0 and rows[r, at.STATE] & at.LOGGED == 0:
        undo = matrix(m, at.UNDO)
        n = m[at.N_TOUCHED]
        undo[n, 0] = r
        for word in range(at.FIRST):
            undo[n, 1 + word] = rows[r, word]
        m[at.N_TOUCHED] = n + 1
        rows[r, at.STATE] |= at.LOGGED


@inline
def hash_facts(m: Block, rows: Int32, slots: UInt32, bits: Number, keys: Int32, low: Number, high: Number) -> None:
    """Write the hashes of the facts keys[low:high] to the array HASHES.

    This also loads the hash-table entries of these hashes, and the rows that the entries name, into the CPU cache.
    """
    width = keys.shape[1]
    h = hashes(m, at.HASHES)
    shift = np.uint64(64 - bits)
    for i in range(high - low):
        h[i] = hash_row(keys, low + i, 0, width)
    met = np.uint32(0)
    for i in range(high - low):
        met |= slots[h[i] >> shift]
    for i in range(high - low):
        met |= np.uint32(rows[max(entry_number(slots[h[i] >> shift], bits), 0), at.SUPPORT])
    h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads


@inline
def kind(state: Number) -> Number:
    """Return the kind of a fact (ABSENT, INFERRED or IS_ASSERTED). `state` is the state of its row."""
    age = state & at.AGE
    if age in (at.FREE, at.GONE, at.DEAD):
        return ABSENT
    return IS_ASSERTED if state & at.ASSERTED != 0 else INFERRED


@kernel
def rehash(m: Block) -> None:
    """Fill the empty hash table with the rows that are neither FREE nor DEAD, in blocks as in `touch`."""
    rows, slots, h = matrix(m, at.ROWS), entries(m, at.ENTRIES), hashes(m, at.HASHES)
    bits, width = table_bits(m, at.ENTRIES), rows.shape[1] - at.FIRST
    for low in range(0, m[at.N_ROWS], BLOCK):
        high = min(low + BLOCK, m[at.N_ROWS])
        met = np.uint32(0)
        for r in range(low, high):
            h[r - low] = hash_row(rows, r, at.FIRST, width)
            met |= slots[h[r - low] >> np.uint64(64 - bits)]
        h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads
        for r in range(low, high):
            age = rows[r, at.STATE] & at.AGE
            if age != at.FREE and age != at.DEAD:
                place_entry(slots, bits, h[r - low], r)


@inline
def remove_entry(m: Block, rows: Int32, r: Number, h: Number) -> None:
    """Remove row `r`, whose hash is `h`, from the hash table, and move later entries back into the gap.

    (Knuth 6.4, algorithm R.)
    """
    slots = entries(m, at.ENTRIES)
    bits, width = table_bits(m, at.ENTRIES), rows.shape[1] - at.FIRST
    mask = slots.size - 1
    here = np.int64(h >> np.uint64(64 - bits))
    while entry_number(slots[here], bits) != r:
        here = (here + 1) & mask
    hole = here
    while True:
        here = (here + 1) & mask
        entry = slots[here]
        if entry == 0:
            break
        home = np.int64(hash_row(rows, entry_number(entry, bits), at.FIRST, width) >> np.uint64(64 - bits))
        if ((here - home) & mask) >= ((here - hole) & mask):
            slots[hole] = entry
            hole = here
    slots[hole] = 0


@kernel
def count_facts(m: Block, low: Number, high: Number, counts: Int64) -> None:
    """Write the number of present facts in the rows `low` to `high - 1` to counts[0]."""
    rows, n = matrix(m, at.ROWS), np.int64(0)
    for r in range(np.uint64(low), np.uint64(high)):
        n += kind(rows[r, at.STATE]) != ABSENT
    counts[0] = n


@kernel
def list_facts(
    m: Block, low: Number, high: Number, columns: Int32s, tables: Int32, kinds: Int8, here: Number
) -> Number:
    """Write the present facts in the rows `low` to `high - 1` to three arrays, in the order of rows, from `at` on.

    `columns`: int32[n, w]. `tables`: int32[n]. `kinds`: int8[n]. Returns the position after the last fact.
    """
    rows, n = matrix(m, at.ROWS), np.uint64(here)
    for r in range(np.uint64(low), np.uint64(high)):
        found = kind(rows[r, at.STATE])
        if found != ABSENT:
            for c in range(np.uint64(columns.shape[1])):
                columns[n, c] = rows[r, np.uint64(at.FIRST) + c]
            tables[n], kinds[n] = rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE, found
            n += np.uint64(1)
    return np.int64(n)
