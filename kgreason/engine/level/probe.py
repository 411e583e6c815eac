"""Probes the arrangements: finds the rows that may extend a rewrite, and the atom with the fewest such rows.

The join order is chosen here, for each rewrite: the next atom is the one with the shortest posting. An empty posting
ends the rewrite at once. An atom without a free column is looked up in the fact table itself. The first probes of a
block of rewrites are made together, so that their cache misses overlap. Cost: one hash probe for each atom that may
come next. See docs/architecture.md, The circuit.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline
from kgreason.engine.facts.hash_table import find_row
from kgreason.engine.level.ground import bind
from kgreason.engine.memory.blocks import entries, hashes, matrix, unsigned, vector
from kgreason.engine.memory.hashing import entry_tag, finished, hash_row, log2, mixed, salted
from kgreason.engine.memory.layout import (
    AGE,
    BEFORE,
    END,
    ENTRIES,
    FIRST,
    FIRST_PROBES,
    GROUP_ARRANGEMENT,
    GROUP_ENTRIES,
    GROUP_FIRST,
    GROUP_LENGTH,
    GROUP_START,
    GROUPED,
    GROUPS,
    HASHES,
    HEADS,
    NODES,
    POSITION,
    ROWS,
    SINGLE,
    SLOTS,
    STATE,
    STEP,
    STEP_ARRANGEMENT,
    STEP_BOUND,
    STEP_COMPARED,
    STEP_FREE,
    STEP_LATER,
    STEP_PAIRS,
    STEPS,
    Block,
    Flag,
    Int32,
    Number,
    UInt32,
    UInt64,
)

BLOCK = 128


@inline
def bound_pairs(steps: UInt32, step: Number) -> Number:
    """Return the first word of step `step` that belongs to its bound columns, which are pairs (column, slot)."""
    return STEP_PAIRS + 2 * (np.uint64(steps[step, STEP_FREE]) + np.uint64(steps[step, STEP_COMPARED]))


@inline
def key_hash(steps: UInt32, step: Number, a: Number, slots: Int32) -> Number:
    """Return the hash of the key that step `step` looks up in arrangement `a`: the values of its bound columns."""
    pairs = bound_pairs(steps, step)
    h = salted(a)
    for j in range(steps[step, STEP_BOUND]):
        at = pairs + 2 * np.uint64(j)
        h = mixed(h, steps[step, at], slots[steps[step, at + 1]])
    return finished(h)


@inline
def find_group(
    rows: Int32, groups: Int32, table: UInt32, bits: Number, steps: UInt32, step: Number, slots: Int32, h: Number
) -> Number:
    """Return the number of the group that step `step` looks up in its arrangement, or -1. `h`: the hash of the key."""
    a = np.int32(steps[step, STEP_ARRANGEMENT])
    pairs, count = bound_pairs(steps, step), np.uint64(steps[step, STEP_BOUND])
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    at = h >> np.uint64(64 - bits)
    while True:
        entry = table[at]
        if entry == 0:
            return np.int64(-1)
        if (entry & ~low) == tag:
            g = np.uint64(entry & low) - np.uint64(1)
            if groups[g, GROUP_ARRANGEMENT] == a:
                first = np.uint64(groups[g, GROUP_FIRST])
                same = True
                for j in range(count):
                    at_pair = pairs + np.uint64(2) * j
                    if rows[first, FIRST + steps[step, at_pair]] != slots[steps[step, at_pair + np.uint64(1)]]:
                        same = False
                        break
                if same:
                    return np.int64(g)
        at = (at + np.uint64(1)) & np.uint64(table.size - 1)


@inline
def fill_key(steps: UInt32, step: Number, slots: Int32, keys: Int32, at: Number) -> None:
    """Write to `keys[at]` the fact that step `step` looks up.

    The step must have no free column, so that the slots of the rewrite give all values.
    """
    for c in range(keys.shape[1]):
        keys[at, c] = 0
    for j in range(steps[step, STEP_BOUND]):
        pair = STEP_PAIRS + 2 * np.uint64(j)
        keys[at, steps[step, pair]] = slots[steps[step, pair + 1]]


@inline
def step_hash(m: Block, steps: UInt32, step: Number, slots: Int32) -> Number:
    """Return the hash that step `step` looks up: of a key in its arrangement, or of a fact in the fact table."""
    a = np.int32(steps[step, STEP_ARRANGEMENT])
    if a >= 0:
        return key_hash(steps, step, a, slots)
    heads = matrix(m, HEADS)
    fill_key(steps, step, slots, heads, heads.shape[0] - 1)
    return hash_row(heads, heads.shape[0] - 1, 0, heads.shape[1])


@inline
def posting(m: Block, steps: UInt32, step: Number, slots: Int32, h: Number) -> tuple[Number, Number, Number]:
    """Find the rows that may extend a rewrite by step `step`; `h` is the hash that the step looks up.

    Returns (start, end, single). Several rows: they are postings[start:end], and single is -1. One row: (0, 1, row). No
    row: start equals end. A fact that the atom does not see counts as no row, so that the number of rewrites does not
    depend on when the heads of a level enter the fact table.
    """
    a = np.int32(steps[step, STEP_ARRANGEMENT])
    if a < 0:
        rows, heads, table = matrix(m, ROWS), matrix(m, HEADS), entries(m, ENTRIES)
        last = heads.shape[0] - 1
        fill_key(steps, step, slots, heads, last)
        r = find_row(rows, table, log2(m, ENTRIES), heads, last, h)
        ages = m[BEFORE + steps[step, STEP_LATER]]
        is_seen = r >= 0 and (ages >> np.int64(rows[r, STATE] & AGE)) & 1 != 0
        return np.int64(0), np.int64(is_seen), np.int64(r)
    groups, table = matrix(m, GROUPS), entries(m, GROUP_ENTRIES)
    g = find_group(matrix(m, ROWS), groups, table, log2(m, GROUP_ENTRIES), steps, step, slots, h)
    if g < 0:
        return np.int64(0), np.int64(0), np.int64(-1)
    start, length = np.int64(groups[g, GROUP_START]), np.int64(groups[g, GROUP_LENGTH])
    if length == 1:
        return np.int64(0), np.int64(1), start
    return start, start + length, np.int64(-1)


@inline
def choose(m: Block, node: Number, target: Number) -> Flag:
    """Look up all steps of a node. Write the step with the fewest rows, and its posting, to `first_probes[target]`.

    Returns False if a step finds no row.
    """
    steps, slots, nodes, found = unsigned(m, STEPS), vector(m, SLOTS), matrix(m, NODES), matrix(m, FIRST_PROBES)
    best = np.int64(1) << 62
    for step in range(nodes[node, 0], nodes[node, 1]):
        start, end, single = posting(m, steps, step, slots, step_hash(m, steps, step, slots))
        if end == start:
            return False
        if end - start < best:
            best = end - start
            found[target, STEP], found[target, POSITION] = step, start
            found[target, END], found[target, SINGLE] = end, single
    return True


@inline
def probe_block(m: Block, start: Number, node: Number, low: Number, high: Number) -> None:
    """Make the first probe (`choose`) for the rewrites that start at the rows grouped[low:high] and are at node `node`.

    The results are written to `first_probes[0]`, `first_probes[1]`, ... If a rewrite cannot be extended, the columns
    POSITION and END of its result are 0.
    """
    rows, steps, slots, grouped = matrix(m, ROWS), unsigned(m, STEPS), vector(m, SLOTS), vector(m, GROUPED)
    found, nodes = matrix(m, FIRST_PROBES), matrix(m, NODES)
    for step in range(nodes[node, 0], nodes[node, 1]):
        touch_block(m, start, step, low, high)
    for i in range(high - low):
        row = np.int64(grouped[low + i])
        if not bind(rows, row, steps, start, slots) or not choose(m, node, i):
            found[i, POSITION] = found[i, END] = 0


@inline
def touch_block(m: Block, start: Number, step: Number, low: Number, high: Number) -> None:
    """Hash the key of a step for each rewrite of a block, and load the hash-table entries into the CPU cache.

    The rewrites start at the rows grouped[low:high]. The groups, or rows, that the entries name are loaded as well.
    """
    rows, steps, slots, grouped = matrix(m, ROWS), unsigned(m, STEPS), vector(m, SLOTS), vector(m, GROUPED)
    h = hashes(m, HASHES)
    for i in range(high - low):
        bind(rows, np.int64(grouped[low + i]), steps, start, slots)
        h[i] = step_hash(m, steps, step, slots)
    if np.int32(steps[step, STEP_ARRANGEMENT]) >= 0:
        h[BLOCK] = np.uint64(
            touch_entries(entries(m, GROUP_ENTRIES), log2(m, GROUP_ENTRIES), h, high - low, matrix(m, GROUPS))
        )
    else:
        h[BLOCK] = np.uint64(touch_entries(entries(m, ENTRIES), log2(m, ENTRIES), h, high - low, rows))


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
