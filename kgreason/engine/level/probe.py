"""Probes the arrangements: finds the rows that may extend a rewrite, and the atom with the fewest such rows.

The join order is chosen here, for each rewrite: the next atom is the one with the shortest posting. An empty posting
ends the rewrite at once. An atom without a free column is looked up in the fact table itself. The first probes of a
block of rewrites are made together, so that their cache misses overlap. Cost: one hash probe for each atom that may
come next. See docs/architecture/commit.md, The circuit.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline
from kgreason.engine.facts.hash_table import find_row
from kgreason.engine.level.ground import bind
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, hashes, matrix, unsigned, vector
from kgreason.engine.memory.hashing import entry_tag, finish_hash, hash_row, mix, salt_hash, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, UInt32, UInt64

BLOCK = 128


@inline
def first_bound_pair(steps: UInt32, step: Number) -> Number:
    """Return the first word of step `step` that belongs to its bound columns, which are pairs (column, slot)."""
    return at.STEP_PAIRS + 2 * (np.uint64(steps[step, at.STEP_FREE]) + np.uint64(steps[step, at.STEP_COMPARED]))


@inline
def key_hash(steps: UInt32, step: Number, a: Number, slots: Int32) -> Number:
    """Return the hash of the key that step `step` looks up in arrangement `a`: the values of its bound columns."""
    pairs = first_bound_pair(steps, step)
    h = salt_hash(a)
    for j in range(steps[step, at.STEP_BOUND]):
        here = pairs + 2 * np.uint64(j)
        h = mix(h, steps[step, here], slots[steps[step, here + 1]])
    return finish_hash(h)


@inline
def find_group(
    rows: Int32, groups: Int32, table: UInt32, bits: Number, steps: UInt32, step: Number, slots: Int32, h: Number
) -> Number:
    """Return the number of the group that step `step` looks up in its arrangement, or -1. `h`: the hash of the key."""
    a = np.int32(steps[step, at.STEP_ARRANGEMENT])
    pairs, count = first_bound_pair(steps, step), np.uint64(steps[step, at.STEP_BOUND])
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    here = h >> np.uint64(64 - bits)
    while True:
        entry = table[here]
        if entry == 0:
            return np.int64(-1)
        if (entry & ~low) == tag:
            g = np.uint64(entry & low) - np.uint64(1)
            if groups[g, at.GROUP_ARRANGEMENT] == a:
                first = np.uint64(groups[g, at.GROUP_FIRST])
                same = True
                for j in range(count):
                    at_pair = pairs + np.uint64(2) * j
                    if rows[first, at.FIRST + steps[step, at_pair]] != slots[steps[step, at_pair + np.uint64(1)]]:
                        same = False
                        break
                if same:
                    return np.int64(g)
        here = (here + np.uint64(1)) & np.uint64(table.size - 1)


@inline
def fill_key(steps: UInt32, step: Number, slots: Int32, keys: Int32, here: Number) -> None:
    """Write to `keys[at]` the fact that step `step` looks up.

    The step must have no free column, so that the slots of the rewrite give all values.
    """
    for c in range(keys.shape[1]):
        keys[here, c] = 0
    for j in range(steps[step, at.STEP_BOUND]):
        pair = at.STEP_PAIRS + 2 * np.uint64(j)
        keys[here, steps[step, pair]] = slots[steps[step, pair + 1]]


@inline
def step_hash(m: Block, steps: UInt32, step: Number, slots: Int32) -> Number:
    """Return the hash that step `step` looks up: of a key in its arrangement, or of a fact in the fact table."""
    a = np.int32(steps[step, at.STEP_ARRANGEMENT])
    if a >= 0:
        return key_hash(steps, step, a, slots)
    heads = matrix(m, at.HEADS)
    fill_key(steps, step, slots, heads, heads.shape[0] - 1)
    return hash_row(heads, heads.shape[0] - 1, 0, heads.shape[1])


@inline
def posting(m: Block, steps: UInt32, step: Number, slots: Int32, h: Number) -> tuple[Number, Number, Number]:
    """Find the rows that may extend a rewrite by step `step`; `h` is the hash that the step looks up.

    Returns (start, end, single). Several rows: they are postings[start:end], and single is -1. One row: (0, 1, row). No
    row: start equals end. A fact that the atom does not see counts as no row, so that the number of rewrites does not
    depend on when the heads of a level enter the fact table.
    """
    a = np.int32(steps[step, at.STEP_ARRANGEMENT])
    if a < 0:
        rows, heads, table = matrix(m, at.ROWS), matrix(m, at.HEADS), entries(m, at.ENTRIES)
        last = heads.shape[0] - 1
        fill_key(steps, step, slots, heads, last)
        r = find_row(rows, table, table_bits(m, at.ENTRIES), heads, last, h)
        ages = m[at.BEFORE + steps[step, at.STEP_LATER]]
        is_seen = r >= 0 and (ages >> np.int64(rows[r, at.STATE] & at.AGE)) & 1 != 0
        return np.int64(0), np.int64(is_seen), np.int64(r)
    groups, table = matrix(m, at.GROUPS), entries(m, at.GROUP_ENTRIES)
    g = find_group(matrix(m, at.ROWS), groups, table, table_bits(m, at.GROUP_ENTRIES), steps, step, slots, h)
    if g < 0:
        return np.int64(0), np.int64(0), np.int64(-1)
    start, length = np.int64(groups[g, at.GROUP_START]), np.int64(groups[g, at.GROUP_LENGTH])
    if length == 1:
        return np.int64(0), np.int64(1), start
    return start, start + length, np.int64(-1)


@inline
def choose_step(m: Block, node: Number, target: Number) -> Flag:
    """Look up all steps of a node. Write the step with the fewest rows, and its posting, to `first_probes[target]`.

    Returns False if a step finds no row.
    """
    steps, slots, nodes = unsigned(m, at.STEPS), vector(m, at.SLOTS), matrix(m, at.NODES)
    found = matrix(m, at.FIRST_PROBES)
    best = np.int64(1) << 62
    for step in range(nodes[node, 0], nodes[node, 1]):
        start, end, single = posting(m, steps, step, slots, step_hash(m, steps, step, slots))
        if end == start:
            return False
        if end - start < best:
            best = end - start
            found[target, at.STEP], found[target, at.POSITION] = step, start
            found[target, at.END], found[target, at.SINGLE] = end, single
    return True


@inline
def probe_block(m: Block, start: Number, node: Number, low: Number, high: Number) -> None:
    """Make the first probe (`choose_step`) for rewrites: they start at the rows grouped[low:high], at node `node`.

    The results are written to `first_probes[0]`, `first_probes[1]`, ... If a rewrite cannot be extended, the columns
    POSITION and END of its result are 0.
    """
    rows, steps, slots, grouped = matrix(m, at.ROWS), unsigned(m, at.STEPS), vector(m, at.SLOTS), vector(m, at.GROUPED)
    found, nodes = matrix(m, at.FIRST_PROBES), matrix(m, at.NODES)
    for step in range(nodes[node, 0], nodes[node, 1]):
        touch_block(m, start, step, low, high)
    for i in range(high - low):
        row = np.int64(grouped[low + i])
        if not bind(rows, row, steps, start, slots) or not choose_step(m, node, i):
            found[i, at.POSITION] = found[i, at.END] = 0


@inline
def touch_block(m: Block, start: Number, step: Number, low: Number, high: Number) -> None:
    """Hash the key of a step for each rewrite of a block, and load the hash-table entries into the CPU cache.

    The rewrites start at the rows grouped[low:high]. The groups, or rows, that the entries name are loaded as well.
    """
    rows, steps, slots, grouped = matrix(m, at.ROWS), unsigned(m, at.STEPS), vector(m, at.SLOTS), vector(m, at.GROUPED)
    h = hashes(m, at.HASHES)
    for i in range(high - low):
        bind(rows, np.int64(grouped[low + i]), steps, start, slots)
        h[i] = step_hash(m, steps, step, slots)
    if np.int32(steps[step, at.STEP_ARRANGEMENT]) >= 0:
        h[BLOCK] = np.uint64(
            touch_entries(
                entries(m, at.GROUP_ENTRIES), table_bits(m, at.GROUP_ENTRIES), h, high - low, matrix(m, at.GROUPS)
            )
        )
    else:
        h[BLOCK] = np.uint64(touch_entries(entries(m, at.ENTRIES), table_bits(m, at.ENTRIES), h, high - low, rows))


@inline
def touch_entries(table: UInt32, bits: Number, h: UInt64, n: Number, records: Int32) -> Number:
    """Load the entries of n hashes, and the records that the entries name, into the CPU cache.

    The returned sum has no meaning: it only keeps the compiler from removing the loads.
    """
    shift, mask = np.uint64(64 - bits), np.uint32((1 << bits) - 1)
    total = np.int64(0)
    for i in range(n):
        total += np.int64(table[h[i] >> shift])
    for i in range(n):
        number = np.uint64(table[h[i] >> shift] & mask)
        if number != 0:
            total += records[number - np.uint64(1), 1]
    return total
