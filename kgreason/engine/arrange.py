"""Arrangements: groups of rows that agree on the bound columns of a body atom.

One hash table holds the groups of all arrangements. A group of one row holds that row itself; the rows of a larger one
stand in the posting arena, in room for a power of two.

Invariant: a live arrangement holds, once each, the rows met so far whose constants some body atom asks it for. A
row that two keys ask for is entered twice in a row, and the second time is seen from the last row of the group.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline, kernel
from kgreason.engine.hashing import entry_tag, finished, log2, mixed, place, salted
from kgreason.engine.layout import (
    ARRANGED,
    ARRANGED_COLUMNS,
    ARRANGED_COUNT,
    FIRST,
    GROUP_ENTRIES,
    GROUPS,
    N_ARRANGED,
    N_POSTINGS,
    POSTINGS,
    ROWS,
    Block,
    Flag,
    Int32,
    Number,
    UInt32,
)
from kgreason.engine.memory import entries, matrix, vector


@inline
def row_hash(arranged: Int32, a: Number, rows: Int32, r: Number) -> Number:
    """The hash of the bound columns of row r in arrangement a."""
    h = salted(a)
    for j in range(arranged[a, ARRANGED_COUNT]):
        c = arranged[a, ARRANGED_COLUMNS + j]
        h = mixed(h, c, rows[r, FIRST + c])
    return finished(h)


@inline
def find_group_of(
    rows: Int32, groups: Int32, slots: UInt32, bits: Number, arranged: Int32, a: Number, r: Number, h: Number
) -> Number:
    """The group of arrangement a that row r belongs to, or `~entry` with the free entry for it."""
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    mask = np.uint64(slots.size - 1)
    at = h >> np.uint64(64 - bits)
    while True:
        entry = slots[at]
        if entry == 0:
            return ~np.int64(at)
        if (entry & ~low) == tag:
            g = np.int64(entry & low) - 1
            if groups[g, 0] == a:
                first = groups[g, 3]
                same = True
                for j in range(arranged[a, ARRANGED_COUNT]):
                    c = FIRST + arranged[a, ARRANGED_COLUMNS + j]
                    if rows[first, c] != rows[r, c]:
                        same = False
                        break
                if same:
                    return g
        at = (at + np.uint64(1)) & mask


@inline
def arrange(m: Block, a: Number, r: Number) -> Flag:
    """Enter row r into arrangement a unless it is the last row there; False when there is no room."""
    arranged, groups, rows = matrix(m, ARRANGED), matrix(m, GROUPS), matrix(m, ROWS)
    slots, postings = entries(m, GROUP_ENTRIES), vector(m, POSTINGS)
    bits = log2(m, GROUP_ENTRIES)
    h = row_hash(arranged, a, rows, r)
    g = find_group_of(rows, groups, slots, bits, arranged, a, r, h)
    if g < 0:
        n = m[N_ARRANGED]
        if 2 * n + 2 > slots.size or n >= groups.shape[0]:
            return False
        groups[n, 0], groups[n, 1], groups[n, 2], groups[n, 3] = a, r, 1, r
        slots[~g] = entry_tag(h, bits) | np.uint32(n + 1)
        m[N_ARRANGED] = n + 1
        return True
    start, length = np.int64(groups[g, 1]), np.int64(groups[g, 2])
    last = start if length == 1 else np.int64(postings[start + length - 1])
    if last == r:
        return True
    if length & (length - 1) == 0:  # the room is used up: move to twice the room
        free = m[N_POSTINGS]
        if free + 2 * length > postings.size:
            return False
        postings[free] = start  # the row itself, when it is the only one
        if length > 1:
            for i in range(length):
                postings[free + i] = postings[start + i]
        m[N_POSTINGS] = free + 2 * length
        groups[g, 1] = start = free
    postings[start + length] = r
    groups[g, 2] = length + 1
    return True


@kernel
def rehash_groups(m: Block) -> None:
    """Enter all groups into the empty hash table, which has room for them."""
    arranged, groups, rows = matrix(m, ARRANGED), matrix(m, GROUPS), matrix(m, ROWS)
    slots = entries(m, GROUP_ENTRIES)
    bits = log2(m, GROUP_ENTRIES)
    for g in range(m[N_ARRANGED]):
        place(slots, bits, row_hash(arranged, groups[g, 0], rows, groups[g, 3]), g)
