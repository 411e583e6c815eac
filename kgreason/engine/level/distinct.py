"""distinct: enters head rows into the fact table. The rows that are new become the next level.

Invariant: the support of a fact is the number of its derivations of smaller rank than its stamp. Its state has the
number of the others, its spare derivations, or says that this number is unknown. The rank of a
derivation is the largest stamp in its body, -1 for an empty body. For the derivations of one level this means:

    a head that is absent (new, or left in         its stamp becomes the smallest one on the level above all these
    this commit)                                   ranks; its support becomes the number of these derivations. When
                                                   the next level opens, its frailty is added (`gatekeep`)
    a head that is present                         support + 1 for each derivation of smaller rank than its stamp,
                                                   and one spare derivation more for each other one
    a fact that was asserted when it appeared      keeps stamp 0

While facts leave, `discount` takes derivations back. A head that is not asserted leaves in the next level when
its support falls to 0.

Cost: a probe for each head, in blocks (hashes, then entries, then rows), so that the cache misses of a block overlap.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.facts.hash_table import BLOCK, copy_fact, find_row, hash_facts, log_row
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, hashes, matrix, vector
from kgreason.engine.memory.hashing import entry_tag, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, Int32s, UInt32


@inline
def enqueue(m: Block, r: Number) -> None:
    """Put a row into the queue. The queue must have room for it."""
    vector(m, at.QUEUE)[m[at.N_QUEUE]] = r
    m[at.N_QUEUE] += 1


@inline
def new_row(
    m: Block, rows: Int32, slots: UInt32, bits: Number, keys: Int32, i: Number, entry: Number, h: Number
) -> Number:
    """Write the fact `keys[i]` to a free row, and put the row into the queue. Returns the number of the row.

    `slots`: the hash table, of 2**bits entries. `entry`: the position of a free entry. `h`: the hash of the fact.
    """
    r = m[at.N_ROWS]
    if m[at.N_FREE] > 0:
        m[at.N_FREE] -= 1
        r = np.int64(vector(m, at.FREE_ROWS)[m[at.N_FREE]])
    else:
        m[at.N_ROWS] = r + 1
    copy_fact(rows, r, keys, i)
    rows[r, at.STATE] = at.FREE
    log_row(m, rows, r)
    slots[entry] = entry_tag(h, bits) | np.uint32(r + 1)
    enqueue(m, r)
    return r


@inline
def touch_free(m: Block, rows: Int32, most: Number) -> None:
    """Load into the CPU cache the free rows, at most `most`, that new facts get next."""
    free, n, met = vector(m, at.FREE_ROWS), m[at.N_FREE], np.int32(0)
    for i in range(max(n - most, 0), n):
        met |= rows[free[i], at.SUPPORT]
    hashes(m, at.HASHES)[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads


@inline
def stamp_above(rank: Number) -> Number:
    """Return the smallest stamp of the level above a rank. Level 1 is above the rank of an empty body."""
    return min(max((rank >> at.LEVEL_BITS) + 1, 1), at.LAST_LEVEL) << at.LEVEL_BITS


@inline
def set_age(rows: Int32, r: Number, age: Number) -> None:
    """Set the age of a row and keep its flags."""
    rows[r, at.STATE] = (rows[r, at.STATE] & ~at.AGE) | age


@inline
def distinct(m: Block) -> None:
    """Enter the heads of the head buffer into the fact table, and empty the buffer.

    The fact table must have room for the heads.
    """
    rows, slots, heads = matrix(m, at.ROWS), entries(m, at.ENTRIES), matrix(m, at.HEADS)
    ranks, tables, h = vector(m, at.RANKS), vector(m, at.TABLES), hashes(m, at.HASHES)
    bits = table_bits(m, at.ENTRIES)
    n = m[at.N_HEADS]
    for low in range(0, n, BLOCK):
        high = min(low + BLOCK, n)
        hash_facts(m, rows, slots, bits, heads, low, high)
        touch_free(m, rows, high - low)
        for i in range(low, high):
            r = find_row(rows, slots, bits, heads, i, h[i - low])
            rank = ranks[i]
            if r < 0:
                r = new_row(m, rows, slots, bits, heads, i, ~r, h[i - low])
                rows[r, at.STATE] |= at.NEXT | tables[i] << at.TABLE
                rows[r, at.STAMP] = stamp_above(rank)
                rows[r, at.SUPPORT] = 1
            elif rows[r, at.STATE] & (at.AGE | at.ASSERTED) == at.NEXT:
                rows[r, at.SUPPORT] += 1
                rows[r, at.STAMP] = max(rows[r, at.STAMP], stamp_above(rank))
            elif rows[r, at.STATE] & at.AGE == at.GONE:
                set_age(rows, r, at.NEXT)
                enqueue(m, r)
                rows[r, at.STATE] &= ~at.SPARE
                rows[r, at.STAMP] = stamp_above(rank)
                rows[r, at.SUPPORT] = 1
            elif rows[r, at.STATE] & at.UNKNOWN == 0:
                log_row(m, rows, r)
                count_derivation(rows, r, rank)
            elif rank < rows[r, at.STAMP]:
                log_row(m, rows, r)
                rows[r, at.SUPPORT] += 1
    m[at.N_HEADS] = 0


@inline
def count_derivation(rows: Int32, r: Number, rank: Number) -> None:
    """Count a derivation of a present fact, as support or as a spare one. The number of spare ones must be known.

    No branch: which of the two it is cannot be predicted.
    """
    supports = rank < rows[r, at.STAMP]
    rows[r, at.SUPPORT] += supports
    rows[r, at.STATE] += at.ONE_SPARE * (1 - supports)


@inline
def enqueue_unsupported(m: Block, rows: Int32, r: Number) -> None:
    """Put row `r` into the queue if it has no support and is not asserted: it leaves in the next level.

    The fact of the row is present.
    """
    if rows[r, at.SUPPORT] == 0 and rows[r, at.STATE] & at.ASSERTED == 0:
        set_age(rows, r, at.NEXT)
        enqueue(m, r)


@inline
def discount(m: Block) -> None:
    """Take back the derivations whose heads are in the head buffer, and empty the buffer.

    If a derivation was counted, the support of its head falls by 1. If it was not, the head has a spare derivation
    less: also a head that leaves or has left, because what is then left of its spare derivations can bring it back.
    """
    rows, slots, heads = matrix(m, at.ROWS), entries(m, at.ENTRIES), matrix(m, at.HEADS)
    ranks, h = vector(m, at.RANKS), hashes(m, at.HASHES)
    bits = table_bits(m, at.ENTRIES)
    n = m[at.N_HEADS]
    for low in range(0, n, BLOCK):
        high = min(low + BLOCK, n)
        hash_facts(m, rows, slots, bits, heads, low, high)
        for i in range(low, high):
            r = find_row(rows, slots, bits, heads, i, h[i - low])
            if ranks[i] < rows[r, at.STAMP]:
                log_row(m, rows, r)
                rows[r, at.SUPPORT] -= 1
                enqueue_unsupported(m, rows, r)
            elif rows[r, at.STATE] & at.UNKNOWN == 0:
                log_row(m, rows, r)
                rows[r, at.STATE] -= at.ONE_SPARE
    m[at.N_HEADS] = 0


@kernel
def take_heads(m: Block) -> None:
    """Call `distinct` for heads that Python has put into the buffer. The fact table must have room for these heads."""
    distinct(m)


@kernel
def take_back_heads(m: Block) -> None:
    """Call `discount` for heads that Python has put into the buffer.

    Queue and undo log must have room for these heads.
    """
    discount(m)


@kernel
def assert_rows(m: Block, keys: Int32s, table: Number, low: Number, high: Number, only_present: Flag) -> None:
    """Flag the facts keys[low:high] as asserted. Absent facts are added to the queue, with stamp 0 and support 0.

    In a Bootstrap the absent facts are the first level, so their rows are WAITING. In an Update the rows belong to the
    next level.
    `keys`: int32[n, w], facts of the table with the number `table`. With `only_present`, absent facts are skipped. The
    fact table, the queue and the undo log must have room for high - low rows.
    """
    rows, slots, h = matrix(m, at.ROWS), entries(m, at.ENTRIES), hashes(m, at.HASHES)
    bits, age = table_bits(m, at.ENTRIES), at.NEXT if m[at.IS_UPDATE] != 0 else at.WAITING
    for start in range(low, high, BLOCK):
        stop = min(start + BLOCK, high)
        hash_facts(m, rows, slots, bits, keys, start, stop)
        touch_free(m, rows, stop - start)
        for i in range(start, stop):
            r = find_row(rows, slots, bits, keys, i, h[i - start])
            if r >= 0 and rows[r, at.STATE] & at.AGE != at.GONE:
                if rows[r, at.STATE] & at.ASSERTED == 0:
                    log_row(m, rows, r)
                    rows[r, at.STATE] |= at.ASSERTED
            elif not only_present:
                if r < 0:
                    r = new_row(m, rows, slots, bits, keys, i, ~r, h[i - start])
                else:
                    enqueue(m, r)
                rows[r, at.STATE] = (rows[r, at.STATE] & ~(at.AGE | at.SPARE)) | age | at.ASSERTED | table << at.TABLE
                rows[r, at.STAMP] = 0
                rows[r, at.SUPPORT] = 0


@kernel
def retract_rows(m: Block, keys: Int32s, low: Number, high: Number) -> Number:
    """Remove the flag `asserted` from the facts keys[low:high]. A fact without support leaves in the next level.

    Returns how many of the facts were not asserted. `keys`: int32[n, w]. The queue and the undo log must have room for
    high - low rows.
    """
    rows, slots, h = matrix(m, at.ROWS), entries(m, at.ENTRIES), hashes(m, at.HASHES)
    bits = table_bits(m, at.ENTRIES)
    missed = np.int64(0)
    for start in range(low, high, BLOCK):
        stop = min(start + BLOCK, high)
        hash_facts(m, rows, slots, bits, keys, start, stop)
        for i in range(start, stop):
            r = find_row(rows, slots, bits, keys, i, h[i - start])
            if r >= 0 and rows[r, at.STATE] & at.ASSERTED != 0:
                log_row(m, rows, r)
                rows[r, at.STATE] &= ~at.ASSERTED
                enqueue_unsupported(m, rows, r)
            else:
                missed += 1
    return missed
