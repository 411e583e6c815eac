"""Keeps two things up to date: how many rows meet each trigger key, and which rows are in the arrangements.

A row meets a key if it has the constants of the key. Invariant: if a row has the flag MET, it is counted once for each
key that it meets, and it is in each arrangement for which one of these keys has a live ask. A row without this flag is
not counted, and no arrangement has it, except as a DEAD row. Rows that leave stay MET until the commit is settled. So
there is nothing to do here for a row that returns, or that an undone commit had removed. The kernels `settle` and
`unwind` break the invariant for a moment: they first lower the counts of a row, and clear its flag MET later. So does
`gatekeep` while PARTIAL is set: some rows of its segment are MET before they are counted and entered, and no
arrangement may be filled. For a new key or a new ask, the present rows that may meet the key are looked through.

Cost for each row: a probe for each shape of keys that the row may meet, and a probe for each arrangement that it is in.
`count_present` looks at every row, `arrange_present` and `arrange_few` at every row that they are given.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.facts.hash_table import BLOCK
from kgreason.engine.index.postings import arrange, enter_row, row_hash
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, hashes, matrix, vector
from kgreason.engine.memory.hashing import entry_number, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.engine.program.trigger_keys import find_key, is_shape_met, meets_key, shapes_met
from kgreason.zset.columns import Int32, UInt64


@inline
def note_row(m: Block, a: Number, r: Number) -> Flag:
    """Note the pair of arrangement `a` and row `r`, with the hash of the row. Returns False if `noted` is full."""
    noted, n = matrix(m, at.NOTED), m[at.N_NOTED]
    if n >= noted.shape[0]:
        return False
    noted[n, 0], noted[n, 1] = a, r
    hashes(m, at.NOTED_HASHES)[n] = row_hash(matrix(m, at.ARRANGED), a, matrix(m, at.ROWS), r)
    m[at.N_NOTED] = n + 1
    return True


@inline
def note_for_key(m: Block, k: Number, r: Number) -> Flag:
    """Note row `r` for each arrangement for which key `k` has a live ask. Returns False if `noted` is full."""
    asks, live_asks = matrix(m, at.ASKS), vector(m, at.LIVE_ASKS)
    ask = matrix(m, at.KEY_INFO)[k, 2]
    while ask >= 0:
        if live_asks[ask] == 1 and not note_row(m, asks[ask, 0], r):
            return False
        ask = asks[ask, 1]
    return True


@inline
def note_leaving_for_key(m: Block, k: Number, r: Number) -> None:
    """Note row `r` for each arrangement for which key `k` has a live ask, if the row is not noted for it yet."""
    asks, live, live_asks = matrix(m, at.ASKS), matrix(m, at.LIVE), vector(m, at.LIVE_ASKS)
    ask = matrix(m, at.KEY_INFO)[k, 2]
    while ask >= 0:
        a = asks[ask, 0]
        if live_asks[ask] == 1 and live[a, 1] != m[at.N_UNCOUNTED]:
            live[a, 1] = m[at.N_UNCOUNTED]
            note_row(m, a, r)
        ask = asks[ask, 1]


@inline
def uncount_and_note(m: Block, r: Number) -> None:
    """Count row `r`, which is MET, no longer for the keys that it meets, and note the arrangements that hold it.

    `noted` must have room for a note for each arrangement.
    """
    rows, shapes, count = matrix(m, at.ROWS), matrix(m, at.SHAPES), vector(m, at.KEY_COUNT)
    m[at.N_UNCOUNTED] = m[at.N_UNCOUNTED] % 2_000_000_000 + 1
    bits = shapes_met(matrix(m, at.FILTERS), entries(m, at.ASKED), rows, r, at.EVERY_SHAPE)
    for shape in range(m[at.N_SHAPES]):
        if is_shape_met(bits, shape) or shapes[shape, 1] == 0:
            k = find_key(m, shape, rows, r)
            if k >= 0:
                count[k] -= 1
                note_leaving_for_key(m, k, r)


@inline
def touch_groups(m: Block, h: UInt64, low: Number, high: Number) -> None:
    """Load into the CPU cache what is read first for a row that enters or leaves a group, for the hashes h[low:high].

    This is the hash-table entry at the hash, the group that the entry names, the group's first row, and its first and
    last postings. After a collision it is another group.
    """
    slots, groups, rows = entries(m, at.GROUP_ENTRIES), matrix(m, at.GROUPS), matrix(m, at.ROWS)
    postings, values = vector(m, at.POSTINGS), vector(m, at.VALUES)
    bits, met = table_bits(m, at.GROUP_ENTRIES), np.int64(0)
    shift = np.uint64(64 - bits)
    for j in range(low, high):
        met += np.int64(slots[h[j] >> shift])
    for j in range(low, high):
        entry = slots[h[j] >> shift]
        if entry != 0:
            met += groups[entry_number(entry, bits), at.GROUP_LENGTH]
    for j in range(low, high):
        entry = slots[h[j] >> shift]
        if entry != 0:
            g = entry_number(entry, bits)
            met += rows[groups[g, at.GROUP_FIRST], at.SUPPORT]
            start, length = np.int64(groups[g, at.GROUP_START]), np.int64(groups[g, at.GROUP_LENGTH])
            if length > 1:
                met += postings[start] + postings[start + length - 1] + values[start + length - 1]
    hashes(m, at.HASHES)[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads


@inline
def enter_noted(m: Block) -> Flag:
    """Enter the noted rows from note AT_WORK on, in blocks, so that cache misses overlap, and empty the notes.

    Returns False if an array is full; then make room and call again.
    """
    noted, h = matrix(m, at.NOTED), hashes(m, at.NOTED_HASHES)
    while m[at.AT_WORK] < m[at.N_NOTED]:
        low = m[at.AT_WORK]
        high = min(low + BLOCK, m[at.N_NOTED])
        touch_groups(m, h, low, high)
        for i in range(low, high):
            if not enter_row(m, np.int64(noted[i, 0]), np.int64(noted[i, 1]), h[i]):
                m[at.AT_WORK] = i
                return False
        m[at.AT_WORK] = high
    m[at.AT_WORK] = m[at.N_NOTED] = 0
    return True


@kernel
def count_present(m: Block, low: Number, high: Number, first_key: Number) -> None:
    """Count, for each trigger key from `first_key` on, the MET rows from `low` to `high - 1` that meet the key."""
    rows, shapes, count = matrix(m, at.ROWS), matrix(m, at.SHAPES), vector(m, at.KEY_COUNT)
    for r in range(low, high):
        if rows[r, at.STATE] & at.MET != 0:
            bits = shapes_met(matrix(m, at.FILTERS), entries(m, at.ASKED), rows, r, at.EVERY_SHAPE)
            for shape in range(m[at.N_SHAPES]):
                if is_shape_met(bits, shape) or shapes[shape, 1] == 0:
                    k = find_key(m, shape, rows, r)
                    if k >= first_key:
                        count[k] += 1


@kernel
def count_key(m: Block, k: Number, candidates: Int32) -> None:
    """Count, for trigger key `k`, the MET rows among `candidates`, int32[n], that meet the key."""
    rows, count = matrix(m, at.ROWS), vector(m, at.KEY_COUNT)
    for i in range(candidates.size):
        if rows[candidates[i], at.STATE] & at.MET != 0 and meets_key(m, k, rows, candidates[i]):
            count[k] += 1


@inline
def is_asked(m: Block, a: Number, arranged: Int32, rows: Int32, r: Number) -> Flag:
    """Whether arrangement `a` must hold row `r`: some key that the row meets has a live ask for `a`.

    `arranged`: the array that has a line for each arrangement.
    """
    if arranged[a, at.ARRANGED_BITS] == at.EVERY_ROW:
        if rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE != arranged[a, at.ARRANGED_TABLE]:
            return False
        bits = np.uint32(0xFFFFFFFF)
    else:
        bits = shapes_met(matrix(m, at.FILTERS), entries(m, at.ASKED), rows, r, arranged[a, at.ARRANGED_BITS])
    if bits == 0:
        return False
    asks, live_asks, key_info = matrix(m, at.ASKS), vector(m, at.LIVE_ASKS), matrix(m, at.KEY_INFO)
    for shape in range(m[at.N_SHAPES]):
        if is_shape_met(bits, shape):
            k = find_key(m, shape, rows, r)
            if k >= 0:
                ask = key_info[k, 2]
                while ask >= 0:
                    if asks[ask, 0] == a and live_asks[ask] == 1:
                        return True
                    ask = asks[ask, 1]
    return False


@kernel
def arrange_present(m: Block, a: Number, low: Number, high: Number) -> Number:
    """Enter into arrangement `a` the MET rows from `low` to `high - 1` that meet the key of a live ask for `a`.

    Returns `high`, or the number of the first row that could not be entered because an array is full. Rows that are not
    MET yet are left to `gatekeep`.
    """
    rows, arranged = matrix(m, at.ROWS), matrix(m, at.ARRANGED)
    for r in range(low, high):
        if rows[r, at.STATE] & at.MET != 0 and is_asked(m, a, arranged, rows, r) and not arrange(m, a, r):
            return r
    return high


@kernel
def arrange_few(m: Block, a: Number, keys: Int32, left: Int32, low: Number, high: Number) -> Number:
    """As `arrange_present`, for an arrangement that must hold few rows: those that meet one of the trigger keys `keys`.

    `keys`: int32[k]. `left`: int32[1], the number of such rows, or more, but never less: the search ends when so many
    are entered.
    """
    rows = matrix(m, at.ROWS)
    for r in range(low, high):
        if left[0] == 0:
            return high
        if rows[r, at.STATE] & at.MET != 0:
            for i in range(keys.size):
                if meets_key(m, np.int64(keys[i]), rows, r):
                    if not arrange(m, a, r):
                        return r
                    left[0] -= 1
                    break
    return high


@kernel
def arrange_asked(m: Block, ask: Number, k: Number, candidates: Int32, low: Number, is_first: Flag) -> Number:
    """Enter the rows of an ask that is not live yet: the MET rows in `candidates[low:]` that meet key `k` of the ask.

    A row that another ask, which is live, has already entered is left out. `is_first`: whether there are no such rows.
    `candidates`: int32[n]. Returns n, or the position of the first candidate that could not be entered because an array
    is full.
    """
    rows, arranged, a = matrix(m, at.ROWS), matrix(m, at.ARRANGED), matrix(m, at.ASKS)[ask, 0]
    for i in range(low, candidates.size):
        r = np.int64(candidates[i])
        if rows[r, at.STATE] & at.MET == 0 or not meets_key(m, k, rows, r):
            continue
        if not is_first and is_asked(m, a, arranged, rows, r):
            continue
        if not arrange(m, a, r):
            return i
    return np.int64(candidates.size)
