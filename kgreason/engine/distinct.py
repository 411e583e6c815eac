"""distinct: head rows meet the fact table; rows that are new become the next level's delta.

Keeps the second invariant of DESIGN.md 3.3 for the derivations of a level: a head that is new gets stamp 1 + the
largest rank over all its derivations in the level and their number as support; a head that is present gains 1 for each
derivation of smaller rank. The rank of a derivation is the largest stamp in its body, -1 for an empty body. A row
that was asserted when it appeared keeps stamp 0.

Cost: a probe a head, in blocks (hashes, then entries, then rows), so that the cache misses of a block overlap.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline, kernel
from kgreason.engine.hashing import entry_number, entry_tag, hash_row, log2, place
from kgreason.engine.layout import (
    AGE,
    ASSERTED,
    ENTRIES,
    FIRST,
    FREE,
    FREE_ROWS,
    HASHES,
    HEADS,
    LOGGING,
    N_FREE,
    N_HEADS,
    N_QUEUE,
    N_ROWS,
    N_TOUCHED,
    NEXT,
    QUEUE,
    RANKS,
    ROWS,
    STAMP,
    STATE,
    SUPPORT,
    TABLE,
    TABLES,
    UNDO,
    Block,
    Int32,
    Number,
    UInt32,
)
from kgreason.engine.memory import entries, hashes, matrix, vector

BLOCK = 128


@inline
def find_row(rows: Int32, slots: UInt32, bits: Number, keys: Int32, i: Number, h: Number) -> Number:
    """The number of the row equal to keys[i], or `~entry` with the free entry where its search ended."""
    width = rows.shape[1] - FIRST
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    mask = np.uint64(slots.size - 1)
    at = h >> np.uint64(64 - bits)
    while True:
        entry = slots[at]
        if entry == 0:
            return ~np.int64(at)
        if (entry & ~low) == tag:
            r = np.uint64(entry & low) - np.uint64(1)
            same = True
            for c in range(width):
                if rows[r, FIRST + c] != keys[i, c]:
                    same = False
                    break
            if same:
                return np.int64(r)
        at = (at + np.uint64(1)) & mask


@inline
def log_row(m: Block, rows: Int32, r: Number) -> None:
    """Note a row in the undo log before it is written."""
    if m[LOGGING] != 0:
        undo = matrix(m, UNDO)
        n = m[N_TOUCHED]
        undo[n, 0] = r
        for word in range(FIRST):
            undo[n, 1 + word] = rows[r, word]
        m[N_TOUCHED] = n + 1


@inline
def new_row(
    m: Block, rows: Int32, slots: UInt32, bits: Number, keys: Int32, i: Number, entry: Number, h: Number
) -> Number:
    """Put keys[i] into a free row and that row into the queue; the row's number."""
    r = m[N_ROWS]
    if m[N_FREE] > 0:
        m[N_FREE] -= 1
        r = np.int64(vector(m, FREE_ROWS)[m[N_FREE]])
    else:
        m[N_ROWS] = r + 1
    for c in range(keys.shape[1]):
        rows[r, FIRST + c] = keys[i, c]
    rows[r, STATE] = FREE
    log_row(m, rows, r)
    slots[entry] = entry_tag(h, bits) | np.uint32(r + 1)
    vector(m, QUEUE)[m[N_QUEUE]] = r
    m[N_QUEUE] += 1
    return r


@inline
def touch(m: Block, rows: Int32, slots: UInt32, bits: Number, keys: Int32, low: Number, high: Number) -> None:
    """Hash a block of keys, and pull the entries and rows that they will meet into the cache."""
    width = rows.shape[1] - FIRST
    h = hashes(m, HASHES)
    shift = np.uint64(64 - bits)
    for i in range(high - low):
        h[i] = hash_row(keys, low + i, 0, width)
    met = np.int64(0)
    for i in range(high - low):
        entry = slots[h[i] >> shift]
        if entry != 0:
            met += rows[entry_number(entry, bits), SUPPORT]
    h[BLOCK] = np.uint64(met)  # keeps the loads alive


@inline
def distinct(m: Block) -> None:
    """Take the head buffer into the fact table, which has room for it."""
    rows, slots, heads = matrix(m, ROWS), entries(m, ENTRIES), matrix(m, HEADS)
    ranks, tables, h = vector(m, RANKS), vector(m, TABLES), hashes(m, HASHES)
    bits = log2(m, ENTRIES)
    n = m[N_HEADS]
    for low in range(0, n, BLOCK):
        high = min(low + BLOCK, n)
        touch(m, rows, slots, bits, heads, low, high)
        for i in range(low, high):
            r = find_row(rows, slots, bits, heads, i, h[i - low])
            rank = ranks[i]
            if r < 0:
                r = new_row(m, rows, slots, bits, heads, i, ~r, h[i - low])
                rows[r, STATE] = NEXT | tables[i] << TABLE
                rows[r, STAMP] = max(rank + 1, 1)
                rows[r, SUPPORT] = 1
            elif rows[r, STATE] & (AGE | ASSERTED) == NEXT:
                rows[r, SUPPORT] += 1
                rows[r, STAMP] = max(rows[r, STAMP], rank + 1)
            elif rank < rows[r, STAMP]:
                log_row(m, rows, r)
                rows[r, SUPPORT] += 1
    m[N_HEADS] = 0


@kernel
def take_heads(m: Block) -> None:
    """Take heads that were put into the buffer from outside into the fact table, which has room for them."""
    distinct(m)


@kernel
def assert_rows(m: Block, keys: Int32, table: Number, low: Number, high: Number) -> None:
    """Flag rows keys[low:high] as asserted; those that are new are queued with stamp 0 and no support.

    keys: int32[n, w]. The caller has made room for high - low rows, and as many lines of the undo log.
    """
    rows, slots, h = matrix(m, ROWS), entries(m, ENTRIES), hashes(m, HASHES)
    bits = log2(m, ENTRIES)
    for start in range(low, high, BLOCK):
        stop = min(start + BLOCK, high)
        touch(m, rows, slots, bits, keys, start, stop)
        for i in range(start, stop):
            r = find_row(rows, slots, bits, keys, i, h[i - start])
            if r < 0:
                r = new_row(m, rows, slots, bits, keys, i, ~r, h[i - start])
                rows[r, STATE] = NEXT | ASSERTED | table << TABLE
                rows[r, STAMP] = 0
                rows[r, SUPPORT] = 0
            elif rows[r, STATE] & ASSERTED == 0:
                log_row(m, rows, r)
                rows[r, STATE] |= ASSERTED


@kernel
def find_rows(m: Block, keys: Int32, found: Int32) -> None:
    """found[i] = the present row equal to keys[i], or -1. keys: int32[n, w], found: int32[n]."""
    rows, slots = matrix(m, ROWS), entries(m, ENTRIES)
    bits, width = log2(m, ENTRIES), rows.shape[1] - FIRST
    for i in range(keys.shape[0]):
        r = find_row(rows, slots, bits, keys, i, hash_row(keys, i, 0, width))
        found[i] = r if r >= 0 and rows[r, STATE] & AGE != FREE else -1


@kernel
def rehash(m: Block) -> None:
    """Enter the rows that are not free into the empty hash table, in blocks as `touch` does."""
    rows, slots, h = matrix(m, ROWS), entries(m, ENTRIES), hashes(m, HASHES)
    bits, width = log2(m, ENTRIES), rows.shape[1] - FIRST
    for low in range(0, m[N_ROWS], BLOCK):
        high = min(low + BLOCK, m[N_ROWS])
        met = np.uint32(0)
        for r in range(low, high):
            h[r - low] = hash_row(rows, r, FIRST, width)
            met |= slots[h[r - low] >> np.uint64(64 - bits)]
        h[BLOCK] = np.uint64(met)  # keeps the loads alive
        for r in range(low, high):
            if rows[r, STATE] & AGE != FREE:
                place(slots, bits, h[r - low], r)


@kernel
def remove_rows(m: Block, gone: Int32) -> None:
    """Take rows out of the hash table and put them on the free list.

    gone: int32[n], distinct rows of the table; the free list has room for them. Entries behind a removed one shift back
    (Knuth 6.4, algorithm R), so no tombstone is left in the hash table. Cost: the length of a probe run for each row.
    """
    rows, slots, free = matrix(m, ROWS), entries(m, ENTRIES), vector(m, FREE_ROWS)
    bits, width = log2(m, ENTRIES), rows.shape[1] - FIRST
    mask = slots.size - 1
    for k in range(gone.size):
        r = np.int64(gone[k])
        at = np.int64(hash_row(rows, r, FIRST, width) >> np.uint64(64 - bits))
        while entry_number(slots[at], bits) != r:
            at = (at + 1) & mask
        hole = at
        while True:
            at = (at + 1) & mask
            entry = slots[at]
            if entry == 0:
                break
            home = np.int64(hash_row(rows, entry_number(entry, bits), FIRST, width) >> np.uint64(64 - bits))
            if ((at - home) & mask) >= ((at - hole) & mask):
                slots[hole] = entry
                hole = at
        slots[hole] = 0
        rows[r, STATE] = FREE
        free[m[N_FREE]] = r
        m[N_FREE] += 1
