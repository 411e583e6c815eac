"""Arrangements: groups of rows with equal values in the bound columns of a body atom.

One hash table holds the groups of all arrangements. A group of one row holds the number of that row. The rows of a
larger group are in a run of the array `postings`; the length of a run is a power of two. A full group moves to a run of
twice the length; a group that uses only a quarter of its run moves to a shorter run. A freed run is never split: it is
used again for a group that needs this length.

Invariant: of the MET rows, an arrangement holds, once each, those that meet a key with a live ask for it. If a row
meets two such keys, it is entered twice in succession; the second time, it is the last row of its group, and is
skipped. In a long group, a row that is taken out stays as a DEAD row until an eighth of the group is dead. So taking a
row out costs one probe, however long the group is. The number of a row is used again only when no group contains it any
more. A group that loses its last row is freed.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, matrix, vector
from kgreason.engine.memory.hashing import (
    entry_number,
    entry_tag,
    finish_hash,
    hash_from_upper,
    mix,
    place_entry,
    salt_hash,
    set_sign,
    sign_of,
    table_bits,
    upper_half,
)
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, UInt32

NO_ROOM = -1
PUT_OFF = -(1 << 62)
SHORT = 64
"""In a group of at most 64 rows, a row is taken out at once, by looking through the group."""
DEAD_SHARE = 8
"""Of n rows in a group, n / DEAD_SHARE may be dead."""
MOST_DEAD = (1 << 31) // at.ONE_DEAD - 2
"""So many rows of a group may be dead: 32 times their number must fit into an int32."""


@inline
def row_hash(arranged: Int32, a: Number, rows: Int32, r: Number) -> Number:
    """Return the hash of row `r` in arrangement `a`, made from the columns by which the arrangement groups rows.

    Line `a` of `arranged` has these columns.
    """
    h = salt_hash(a)
    for j in range(arranged[a, at.ARRANGED_COUNT]):
        c = arranged[a, at.ARRANGED_COLUMNS + j]
        h = mix(h, c, rows[r, at.FIRST + c])
    return finish_hash(h)


@inline
def find_group_of(
    rows: Int32, groups: Int32, slots: UInt32, bits: Number, arranged: Int32, a: Number, r: Number, h: Number
) -> Number:
    """Return the number of the group to which row `r`, with hash `h`, belongs in arrangement `a`.

    If there is no such group, returns `~at`, where `at` is a free entry of the hash table for a new group.
    """
    return find_group_before(rows, groups, slots, bits, arranged, a, r, h, np.int64(-1))


@inline
def find_group_before(
    rows: Int32,
    groups: Int32,
    slots: UInt32,
    bits: Number,
    arranged: Int32,
    a: Number,
    r: Number,
    h: Number,
    end: Number,
) -> Number:
    """As `find_group_of`, but returns PUT_OFF if the search comes to the position `end` of the hash table."""
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    mask = np.uint64(slots.size - 1)
    here = h >> np.uint64(64 - bits)
    while True:
        entry = slots[here]
        if entry == 0:
            return ~np.int64(here)
        if (entry & ~low) == tag:
            g = np.int64(entry & low) - 1
            if groups[g, at.GROUP_ARRANGEMENT] == a:
                first = groups[g, at.GROUP_FIRST]
                same = True
                for j in range(arranged[a, at.ARRANGED_COUNT]):
                    c = at.FIRST + arranged[a, at.ARRANGED_COLUMNS + j]
                    if rows[first, c] != rows[r, c]:
                        same = False
                        break
                if same:
                    return g
        here = (here + np.uint64(1)) & mask
        if np.int64(here) == end:
            return np.int64(PUT_OFF)


@inline
def ceil_log2(n: Number) -> Number:
    """Return the base-2 logarithm of the smallest power of two that is at least n."""
    k = np.int64(0)
    while (np.int64(1) << k) < n:
        k += 1
    return k


@inline
def take_run(m: Block, k: Number) -> Number:
    """Take a run of 2**k postings: a freed run, or else postings that were never used.

    Returns the position where the run starts, or NO_ROOM.
    """
    postings, free = vector(m, at.POSTINGS), vector(m, at.FREE_RUNS)
    here = np.int64(free[k]) - 1
    if here >= 0:
        free[k] = postings[here]
        return here
    here = m[at.N_POSTINGS]
    if here + (np.int64(1) << k) > postings.size:
        return np.int64(NO_ROOM)
    m[at.N_POSTINGS] = here + (np.int64(1) << k)
    return here


@inline
def free_run(m: Block, here: Number, k: Number) -> None:
    """Free the run of 2**k postings that starts at `at`."""
    postings, free = vector(m, at.POSTINGS), vector(m, at.FREE_RUNS)
    if free[k] == 0:
        free[at.LENGTHS + k] = here + 1
    postings[here] = free[k]
    free[k] = here + 1


@inline
def move_run(m: Block, groups: Int32, g: Number, k: Number) -> Flag:
    """Move the rows of group `g` to a new run of 2**k postings. Returns False if an array is full."""
    postings, values, start = vector(m, at.POSTINGS), vector(m, at.VALUES), np.int64(groups[g, at.GROUP_START])
    run = take_run(m, k)
    if run == NO_ROOM:
        return False
    for i in range(groups[g, at.GROUP_LENGTH]):
        postings[run + i] = postings[start + i]
        values[run + i] = values[start + i]
    room = groups[g, at.GROUP_DEAD] % at.ONE_DEAD
    free_run(m, start, room)
    groups[g, at.GROUP_START], groups[g, at.GROUP_DEAD] = run, groups[g, at.GROUP_DEAD] - room + k
    return True


@inline
def new_group(m: Block, a: Number, r: Number, entry: Number, h: Number) -> Flag:
    """Make a group of the single row `r`, at a free entry of the hash table. Returns False if an array is full."""
    groups, slots = matrix(m, at.GROUPS), entries(m, at.GROUP_ENTRIES)
    n = m[at.N_ARRANGED]
    g = m[at.FREE_GROUP] - 1
    if g >= 0:
        m[at.FREE_GROUP] = np.int64(groups[g, at.GROUP_START])
    else:
        if 2 * n + 2 > slots.size or n >= groups.shape[0]:
            return False
        g = n
        m[at.N_ARRANGED] = n + 1
    groups[g, at.GROUP_ARRANGEMENT], groups[g, at.GROUP_START], groups[g, at.GROUP_LENGTH] = a, r, 1
    groups[g, at.GROUP_FIRST], groups[g, at.GROUP_DEAD], groups[g, at.GROUP_HASH] = r, 0, upper_half(h)
    slots[entry] = entry_tag(h, table_bits(m, at.GROUP_ENTRIES)) | np.uint32(g + 1)
    set_sign(entries(m, at.SIGNS), sign_of(h, table_bits(m, at.GROUP_ENTRIES)))
    m[at.N_SIGNED] += 1
    return True


@inline
def arrange(m: Block, a: Number, r: Number) -> Flag:
    """Enter row `r` into its group of arrangement `a`, unless `r` is already the last row of the group.

    Returns False if an array is full.
    """
    return enter_row(m, a, r, row_hash(matrix(m, at.ARRANGED), a, matrix(m, at.ROWS), r))


@inline
def enter_row(m: Block, a: Number, r: Number, h: Number) -> Flag:
    """As `arrange`, for a row that has the hash `h` in the arrangement."""
    return enter_before(m, a, r, h, np.int64(-1)) != 0


@inline
def enter_before(m: Block, a: Number, r: Number, h: Number, end: Number) -> Number:
    """As `enter_row`. Returns 1, 0 if an array is full, or PUT_OFF.

    `end`: the position of the hash table at which the search is put off.
    """
    rows, groups, slots = matrix(m, at.ROWS), matrix(m, at.GROUPS), entries(m, at.GROUP_ENTRIES)
    arranged = matrix(m, at.ARRANGED)
    g = find_group_before(rows, groups, slots, table_bits(m, at.GROUP_ENTRIES), arranged, a, r, h, end)
    if g == PUT_OFF:
        return np.int64(PUT_OFF)
    if g < 0:
        return np.int64(new_group(m, a, r, ~g, h))
    return np.int64(append_row(m, g, r, arranged[a, at.ARRANGED_VALUE]))


@inline
def append_row(m: Block, g: Number, r: Number, value: Number) -> Flag:
    """Add row `r` to group `g`, unless `r` is already the last row of the group. Returns False if an array is full.

    `value`: the word of a row that is kept beside the posting.
    """
    groups, rows, postings = matrix(m, at.GROUPS), matrix(m, at.ROWS), vector(m, at.POSTINGS)
    values = vector(m, at.VALUES)
    start, length = np.int64(groups[g, at.GROUP_START]), np.int64(groups[g, at.GROUP_LENGTH])
    last = start if length == 1 else np.int64(postings[start + length - 1])
    if last == r:
        return True
    if length == 1:
        run = take_run(m, 1)
        if run == NO_ROOM:
            return False
        postings[run], values[run] = start, rows[start, value]  # START was the number of the single row
        groups[g, at.GROUP_START], groups[g, at.GROUP_DEAD] = run, 1
        start = run
    elif length == 1 << (groups[g, at.GROUP_DEAD] % at.ONE_DEAD):
        if not move_run(m, groups, g, groups[g, at.GROUP_DEAD] % at.ONE_DEAD + 1):
            return False
        start = np.int64(groups[g, at.GROUP_START])
    postings[start + length], values[start + length] = r, rows[r, value]
    groups[g, at.GROUP_LENGTH] = length + 1
    return True


@inline
def free_row(m: Block, r: Number) -> None:
    """Put row `r` on the free list. The list must have room for the row, and no group may contain the row any more."""
    matrix(m, at.ROWS)[r, at.STATE] = at.FREE
    vector(m, at.FREE_ROWS)[m[at.N_FREE]] = r
    m[at.N_FREE] += 1


@inline
def release(m: Block, r: Number) -> None:
    """Note that a group no longer contains the dead row `r`. Free the row if no group contains it.

    The support of a DEAD row is the number of groups that contain the row.
    """
    rows = matrix(m, at.ROWS)
    rows[r, at.SUPPORT] -= 1
    if rows[r, at.SUPPORT] == 0 and rows[r, at.STATE] & at.AGE == at.DEAD:
        m[at.N_DEAD] -= 1
        free_row(m, r)


@inline
def home_of(groups: Int32, g: Number, bits: Number) -> Number:
    """Return where the search for group `g` begins in a hash table of 2**bits entries."""
    return np.int64(hash_from_upper(groups[g, at.GROUP_HASH]) >> np.uint64(64 - bits))


@inline
def drop_group(m: Block, g: Number) -> None:
    """Remove group `g` from the hash table, move later entries into the gap, and free the group.

    (Knuth 6.4, algorithm R.)
    """
    groups, slots = matrix(m, at.GROUPS), entries(m, at.GROUP_ENTRIES)
    bits, mask = table_bits(m, at.GROUP_ENTRIES), slots.size - 1
    here = home_of(groups, g, bits)
    while entry_number(slots[here], bits) != g:
        here = (here + 1) & mask
    hole = here
    while True:
        here = (here + 1) & mask
        entry = slots[here]
        if entry == 0:
            break
        home = home_of(groups, entry_number(entry, bits), bits)
        if ((here - home) & mask) >= ((here - hole) & mask):
            slots[hole] = entry
            hole = here
    slots[hole] = 0
    groups[g, at.GROUP_ARRANGEMENT], groups[g, at.GROUP_LENGTH] = -1, 0
    groups[g, at.GROUP_START] = m[at.FREE_GROUP]
    m[at.FREE_GROUP] = g + 1


@inline
def shrink_run(m: Block, groups: Int32, g: Number) -> None:
    """Shorten the run of group `g` if at most a quarter of the run is used.

    If at most one row is left, free the run.
    """
    room, length = groups[g, at.GROUP_DEAD] % at.ONE_DEAD, np.int64(groups[g, at.GROUP_LENGTH])
    if length <= 1:
        free_run(m, np.int64(groups[g, at.GROUP_START]), room)
        groups[g, at.GROUP_START], groups[g, at.GROUP_DEAD] = groups[g, at.GROUP_FIRST], 0
    elif 4 * length <= 1 << room:
        move_run(m, groups, g, ceil_log2(length))


@inline
def compact_group(m: Block, g: Number, r: Number) -> None:
    """Drop row `r` and all dead rows from group `g`. If no row is left, drop the group."""
    groups, rows, postings = matrix(m, at.GROUPS), matrix(m, at.ROWS), vector(m, at.POSTINGS)
    values = vector(m, at.VALUES)
    start, length = np.int64(groups[g, at.GROUP_START]), np.int64(groups[g, at.GROUP_LENGTH])
    kept = np.int64(0)
    for i in range(start, start + length):
        row = np.int64(postings[i])
        if rows[row, at.STATE] & at.MET != 0:
            postings[start + kept], values[start + kept] = row, values[i]
            kept += 1
        elif row != r:
            release(m, row)
    groups[g, at.GROUP_LENGTH], groups[g, at.GROUP_FIRST] = kept, postings[start]
    groups[g, at.GROUP_DEAD] %= at.ONE_DEAD
    shrink_run(m, groups, g)
    if kept == 0:
        drop_group(m, g)


@inline
def take_out(m: Block, groups: Int32, g: Number, r: Number) -> None:
    """Take row `r` out of the run of group `g`. The group must have at least two rows, none of them dead.

    Only the row's number is searched for in the run; the fact table is not read.
    """
    postings, values = vector(m, at.POSTINGS), vector(m, at.VALUES)
    start = np.int64(groups[g, at.GROUP_START])
    last = start + groups[g, at.GROUP_LENGTH] - 1
    here = start
    while postings[here] != r:
        here += 1
    postings[here], values[here] = postings[last], values[last]
    groups[g, at.GROUP_LENGTH] -= 1
    groups[g, at.GROUP_FIRST] = postings[start]
    shrink_run(m, groups, g)


@inline
def leave_arrangement(m: Block, a: Number, r: Number, h: Number) -> Number:
    """Take row `r` out of arrangement `a`. The row must not have the flag MET any more.

    `h`: the hash of the row in the arrangement. Returns 1 if the row stays in its group as a dead row, else 0.
    """
    arranged, groups = matrix(m, at.ARRANGED), matrix(m, at.GROUPS)
    rows, slots = matrix(m, at.ROWS), entries(m, at.GROUP_ENTRIES)
    g = find_group_of(rows, groups, slots, table_bits(m, at.GROUP_ENTRIES), arranged, a, r, h)
    if g < 0:
        return 0
    if groups[g, at.GROUP_LENGTH] == 1:
        drop_group(m, g)
        return 0
    if groups[g, at.GROUP_DEAD] < at.ONE_DEAD and groups[g, at.GROUP_LENGTH] <= SHORT:
        take_out(m, groups, g, r)
        return 0
    dead = groups[g, at.GROUP_DEAD] // at.ONE_DEAD + 1
    if dead * DEAD_SHARE <= groups[g, at.GROUP_LENGTH] and dead <= MOST_DEAD:
        groups[g, at.GROUP_DEAD] += at.ONE_DEAD
        return 1
    compact_group(m, g, r)
    return 0


@kernel
def rehash_groups(m: Block) -> None:
    """Enter all groups into the empty hash table. The table must have room for them."""
    groups = matrix(m, at.GROUPS)
    slots, signs = entries(m, at.GROUP_ENTRIES), entries(m, at.SIGNS)
    bits = table_bits(m, at.GROUP_ENTRIES)
    for g in range(m[at.N_ARRANGED]):
        if groups[g, at.GROUP_LENGTH] > 0:
            h = hash_from_upper(groups[g, at.GROUP_HASH])
            place_entry(slots, bits, h, g)
            set_sign(signs, sign_of(h, bits))
