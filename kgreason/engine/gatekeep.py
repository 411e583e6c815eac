"""gatekeep: the facts of a segment of the delta meet the triggers, and enter the arrangements that ask for them.

Keeps: a present fact is counted once for each trigger key it meets, and stands once in each live arrangement that
one of its keys asks for. A fact that no key mentions costs one look at the flag of its constants (DESIGN.md 3.2).

Output: the segment's (key, row) hits, grouped by key with a counting sort over the keys that were met, so that the
cost does not depend on how many rules there are.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline, kernel
from kgreason.engine.arrange import arrange
from kgreason.engine.hashing import entry_tag, finished, log2, mixed, place, salted
from kgreason.engine.layout import (
    AGE,
    ARRANGED,
    ARRANGED_BITS,
    ARRANGED_LIVE,
    ARRANGED_TABLE,
    ASKED,
    ASKS,
    CURRENT,
    EVERY_ROW,
    FILTERS,
    FIRST,
    FUEL,
    GROUP_KEY,
    GROUP_LOW,
    GROUPED,
    HIT_KEYS,
    HIT_ROWS,
    KEY_COUNT,
    KEY_ENTRIES,
    KEY_FILL,
    KEY_INFO,
    KEYS,
    LEVEL_END,
    N_GROUPS,
    N_HITS,
    N_SHAPES,
    OLD,
    QUEUE,
    ROWS,
    SCAN_AT,
    SCAN_END,
    SEGMENT_HIGH,
    SEGMENT_LOW,
    SHAPES,
    SHARED_BIT,
    STATE,
    TABLE,
    WAITING,
    Block,
    Flag,
    Int32,
    Number,
    UInt32,
)
from kgreason.engine.memory import entries, matrix, vector
from kgreason.engine.ready import has_work


@inline
def shapes_met(filters: Int32, asked: UInt32, rows: Int32, r: Number) -> Number:
    """Bits of the shapes of which row r may meet a key: its constants are all mentioned there."""
    table = np.uint32(rows[r, STATE] >> TABLE)
    bits = np.uint32(filters[table, 0])
    for c in range(np.uint64(rows.shape[1] - FIRST)):
        value = np.uint64(rows[r, np.uint64(FIRST) + c])
        mentioned = np.uint32(0)
        if value < np.uint64(asked.size):
            mentioned = asked[value]
        bits &= mentioned | np.uint32(filters[table, np.uint64(1) + c])
        if bits == 0:
            return np.uint32(0)
    return bits


@inline
def is_met(bits: Number, shape: Number) -> Flag:
    """Whether the bit of a shape is set."""
    return (bits >> np.uint32(min(shape, SHARED_BIT))) & np.uint32(1) != 0


@inline
def find_key(m: Block, shape: Number, rows: Int32, r: Number) -> Number:
    """The trigger key of this shape that row r of its table meets, or -1."""
    shapes, slots, keys, key_info = matrix(m, SHAPES), entries(m, KEY_ENTRIES), matrix(m, KEYS), matrix(m, KEY_INFO)
    if shapes[shape, 0] != rows[r, STATE] >> TABLE:
        return -1
    columns = shapes[shape, 1]
    h = salted(shape)
    for j in range(columns):
        c = shapes[shape, 2 + j]
        h = mixed(h, c, rows[r, FIRST + c])
    h = finished(h)
    bits = log2(m, KEY_ENTRIES)
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    at = h >> np.uint64(64 - bits)
    while True:
        entry = slots[at]
        if entry == 0:
            return -1
        k = np.int64(entry & low) - 1
        same = (entry & ~low) == tag and key_info[k, 0] == shape
        if same:
            for j in range(columns):
                c = shapes[shape, 2 + j]
                if keys[k, c] != rows[r, FIRST + c]:
                    same = False
        if same:
            return k
        at = (at + np.uint64(1)) & np.uint64(slots.size - 1)


@inline
def arrange_for_key(m: Block, k: Number, r: Number) -> Flag:
    """Enter row r into the live arrangements that key k asks for; False when there is no room."""
    asks, arranged = matrix(m, ASKS), matrix(m, ARRANGED)
    ask = matrix(m, KEY_INFO)[k, 2]
    while ask >= 0:
        a = asks[ask, 0]
        if arranged[a, ARRANGED_LIVE] == 1 and not arrange(m, a, r):
            return False
        ask = asks[ask, 1]
    return True


@inline
def gatekeep_row(m: Block, rows: Int32, r: Number, bits: Number) -> Flag:
    """Add the hits of row r under the shapes in `bits`; False, with none added, when an arrangement has no room."""
    hit_keys, hit_rows, key_info = vector(m, HIT_KEYS), vector(m, HIT_ROWS), matrix(m, KEY_INFO)
    n = m[N_HITS]
    for shape in range(m[N_SHAPES]):
        if is_met(bits, shape):
            k = find_key(m, shape, rows, r)
            if k >= 0:
                if key_info[k, 2] >= 0 and not arrange_for_key(m, k, r):
                    return False
                hit_keys[n] = k
                hit_rows[n] = r
                n += 1
    m[N_HITS] = n
    return True


@inline
def arrange_everywhere(m: Block, rows: Int32, r: Number) -> Flag:
    """Enter row r into the live arrangements that keys without a constant ask for; False when there is no room."""
    shapes = matrix(m, SHAPES)
    for shape in range(m[N_SHAPES]):
        if shapes[shape, 1] == 0:
            k = find_key(m, shape, rows, r)
            if k >= 0 and not arrange_for_key(m, k, r):
                return False
    return True


@inline
def count_hits(m: Block, low: Number, high: Number) -> None:
    """Count the hits, and add those of keys without a constant, which all rows queue[low:high] of their table meet.

    There is one such key at most, a triple pattern of three variables: an n-ary atom has its relation. Its hits are
    counted in any case, and kept only where a plan of the key has work: until the first owl:sameAs, the rules that
    replace equals by equals cost nothing more.
    """
    rows, queue, shapes, count = matrix(m, ROWS), vector(m, QUEUE), matrix(m, SHAPES), vector(m, KEY_COUNT)
    hit_keys, hit_rows = vector(m, HIT_KEYS), vector(m, HIT_ROWS)
    for i in range(m[N_HITS]):
        count[hit_keys[i]] += 1
    for shape in range(m[N_SHAPES]):
        if shapes[shape, 1] == 0:
            n = start = m[N_HITS]
            for i in range(low, high):
                if rows[queue[i], STATE] >> TABLE == shapes[shape, 0]:
                    hit_rows[n] = queue[i]
                    n += 1
            if n > start:
                k = find_key(m, shape, rows, hit_rows[start])
                count[k] += n - start
                if has_work(m, k):
                    for i in range(start, n):
                        hit_keys[i] = k
                    m[N_HITS] = n


@inline
def group_hits(m: Block) -> None:
    """Group the segment's hits by key: a counting sort over the keys that were met."""
    hit_keys, hit_rows, grouped = vector(m, HIT_KEYS), vector(m, HIT_ROWS), vector(m, GROUPED)
    group_key, group_low, fill = vector(m, GROUP_KEY), vector(m, GROUP_LOW), vector(m, KEY_FILL)
    n = m[N_HITS]
    groups = 0
    for i in range(n):
        k = hit_keys[i]
        if fill[k] == 0:
            group_key[groups] = k
            groups += 1
        fill[k] += 1
    total = 0
    for g in range(groups):
        k = group_key[g]
        group_low[g] = total
        total += fill[k]
        fill[k] = group_low[g]
    group_low[groups] = total
    for i in range(n):
        k = hit_keys[i]
        grouped[fill[k]] = hit_rows[i]
        fill[k] += 1
    for g in range(groups):
        fill[group_key[g]] = 0
    m[N_GROUPS] = groups


@inline
def set_ages(m: Block, low: Number, high: Number, age: Number) -> None:
    """Give the rows queue[low:high] this age; their flags stay."""
    rows, queue = matrix(m, ROWS), vector(m, QUEUE)
    for i in range(low, high):
        rows[queue[i], STATE] = (rows[queue[i], STATE] & ~AGE) | age


@inline
def gatekeep(m: Block) -> Flag:
    """Take the next segment of the level; False when an arrangement needs room first (call again then)."""
    rows, queue = matrix(m, ROWS), vector(m, QUEUE)
    low, at = m[SEGMENT_LOW], m[SEGMENT_HIGH]
    room = vector(m, HIT_ROWS).size - m[N_SHAPES]
    constant_free, shapes, filters, asked = 0, matrix(m, SHAPES), matrix(m, FILTERS), entries(m, ASKED)
    everywhere = False
    for shape in range(m[N_SHAPES]):
        constant_free += shapes[shape, 1] == 0
    arranged = matrix(m, ARRANGED)
    for a in range(arranged.shape[0]):
        everywhere |= arranged[a, ARRANGED_LIVE] == 1 and arranged[a, ARRANGED_BITS] == EVERY_ROW
    complete = True
    while at < m[LEVEL_END] and m[N_HITS] + (at - low) * constant_free <= room:
        r = np.int64(queue[at])
        bits = shapes_met(filters, asked, rows, r)
        if everywhere and not arrange_everywhere(m, rows, r):
            complete = False
            break
        if bits != 0 and not gatekeep_row(m, rows, r, bits):
            complete = False
            break
        rows[r, STATE] = (rows[r, STATE] & ~AGE) | CURRENT
        at += 1
    m[FUEL] -= at - m[SEGMENT_HIGH]
    m[SEGMENT_HIGH] = at
    if complete:
        count_hits(m, low, at)
        group_hits(m)
    return complete


@inline
def scan(m: Block) -> None:
    """Take the next segment of the old rows instead of the delta; nothing is counted or arranged."""
    rows, hit_keys, hit_rows = matrix(m, ROWS), vector(m, HIT_KEYS), vector(m, HIT_ROWS)
    key_info, shapes = matrix(m, KEY_INFO), matrix(m, SHAPES)
    n = 0
    at = m[SCAN_AT]
    while at < m[SCAN_END] and n + m[N_SHAPES] <= hit_rows.size:
        if rows[at, STATE] & AGE == OLD:
            bits = shapes_met(matrix(m, FILTERS), entries(m, ASKED), rows, at)
            for shape in range(m[N_SHAPES]):
                if is_met(bits, shape) or shapes[shape, 1] == 0:
                    k = find_key(m, shape, rows, at)
                    if k >= 0 and key_info[k, 1] >= 0:
                        hit_keys[n] = k
                        hit_rows[n] = at
                        n += 1
        at += 1
    m[FUEL] -= at - m[SCAN_AT]
    m[SCAN_AT] = at
    m[N_HITS] = n
    group_hits(m)


@inline
def close_segment(m: Block) -> None:
    """The rows of the segment that is done are old from now on, and its hits are forgotten."""
    set_ages(m, m[SEGMENT_LOW], m[SEGMENT_HIGH], OLD)
    m[SEGMENT_LOW] = m[SEGMENT_HIGH]
    m[N_HITS] = m[N_GROUPS] = 0


@inline
def open_level(m: Block, end: Number) -> None:
    """The rows queued until now, and not yet met, are the delta of the next level."""
    set_ages(m, m[LEVEL_END], end, WAITING)
    m[LEVEL_END] = end


@kernel
def count_present(m: Block, low: Number, high: Number, first_key: Number) -> None:
    """Count the old rows low..high-1 that meet the trigger keys from `first_key` on."""
    rows, shapes, count = matrix(m, ROWS), matrix(m, SHAPES), vector(m, KEY_COUNT)
    for r in range(low, high):
        if rows[r, STATE] & AGE == OLD:
            bits = shapes_met(matrix(m, FILTERS), entries(m, ASKED), rows, r)
            for shape in range(m[N_SHAPES]):
                if is_met(bits, shape) or shapes[shape, 1] == 0:
                    k = find_key(m, shape, rows, r)
                    if k >= first_key:
                        count[k] += 1


@kernel
def arrange_present(m: Block, a: Number, low: Number, high: Number) -> Number:
    """Enter the rows low..high-1 that keys of arrangement a ask for; the first row not done: `high`, or less for room.

    Rows that wait for their segment, or for the next level, enter when they are gatekept.
    """
    rows, arranged = matrix(m, ROWS), matrix(m, ARRANGED)
    every = arranged[a, ARRANGED_BITS] == EVERY_ROW
    for r in range(low, high):
        age = rows[r, STATE] & AGE
        if age != OLD and age != CURRENT:
            continue
        asked = every and rows[r, STATE] >> TABLE == arranged[a, ARRANGED_TABLE]
        if (asked or is_asked(m, a, arranged, rows, r)) and not arrange(m, a, r):
            return r
    return high


@inline
def is_asked(m: Block, a: Number, arranged: Int32, rows: Int32, r: Number) -> Flag:
    """Whether a key with constants that row r meets asks for arrangement a."""
    bits = shapes_met(matrix(m, FILTERS), entries(m, ASKED), rows, r) & np.uint32(arranged[a, ARRANGED_BITS])
    if bits == 0:
        return False
    asks, key_info = matrix(m, ASKS), matrix(m, KEY_INFO)
    for shape in range(m[N_SHAPES]):
        if is_met(bits, shape):
            k = find_key(m, shape, rows, r)
            if k >= 0:
                ask = key_info[k, 2]
                while ask >= 0:
                    if asks[ask, 0] == a:
                        return True
                    ask = asks[ask, 1]
    return False


@kernel
def enter_keys(m: Block, low: Number, high: Number) -> None:
    """Enter the trigger keys low..high-1 into their hash table, which has room for them."""
    shapes, keys, key_info, slots = matrix(m, SHAPES), matrix(m, KEYS), matrix(m, KEY_INFO), entries(m, KEY_ENTRIES)
    bits = log2(m, KEY_ENTRIES)
    for k in range(low, high):
        shape = key_info[k, 0]
        h = salted(shape)
        for j in range(shapes[shape, 1]):
            c = shapes[shape, 2 + j]
            h = mixed(h, c, keys[k, c])
        place(slots, bits, finished(h), k)
