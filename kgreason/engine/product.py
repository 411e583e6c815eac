"""product and ground: rewrites meet the integrated facts through the arrangements and become head rows.

A delta join (DESIGN.md 3.2): the plan that starts at body atom k runs down the rows that meet k's trigger; atoms before k see
the ages in BEFORE, atoms after k those in AFTER, so that every derivation is met exactly once. Join order is chosen
for each rewrite: of the atoms that may come next, the one with the shortest posting; an empty one ends the rewrite.

The search is depth first over one stack of frames, so no intermediate result is ever stored; the first probe of each
rewrite is made in blocks, to overlap cache misses. The stack, the slots and the position live in the memory block:
when the head buffer is full, product stops and later goes on where it was.

Cost: one step for each rewrite extended (counted in REWRITES, the unit of budgets and of elastic switching).
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline
from kgreason.engine.distinct import find_row
from kgreason.engine.hashing import entry_tag, finished, hash_row, log2, mixed, salted
from kgreason.engine.layout import (
    AGE,
    AT_DEPTH,
    AT_GROUP,
    AT_PLAN,
    AT_ROW,
    AT_RULE,
    BEFORE,
    BLOCK_HIGH,
    BLOCK_LOW,
    CONSTANTS,
    DERIVATIONS,
    END,
    ENTRIES,
    FIRST,
    FIRST_PROBES,
    FRAMES,
    FUEL,
    GROUP_ENTRIES,
    GROUP_KEY,
    GROUP_LOW,
    GROUPED,
    GROUPS,
    HASHES,
    HEADS,
    KEY_INFO,
    LEVEL,
    N_GROUPS,
    N_HEADS,
    NODES,
    PLANS,
    POSITION,
    POSTINGS,
    QUIET,
    RANK,
    RANKED,
    RANKS,
    REWRITES,
    ROWS,
    RULE_CONSTANTS,
    RULE_COUNT,
    RULE_SLOT,
    RULES,
    SINGLE,
    SLOTS,
    STAMP,
    STATE,
    STEP,
    STEP_ARRANGEMENT,
    STEP_BOUND,
    STEP_FREE,
    STEP_LATER,
    STEP_NEXT,
    STEP_PAIRS,
    STEPS,
    TABLES,
    TEMPLATES,
    Block,
    Int32,
)
from kgreason.engine.memory import entries, hashes, matrix, vector
from kgreason.engine.ready import has_arrangements, has_facts

BLOCK = 128
FINISHED, INTERRUPTED, MISSING = range(3)


@inline
def bind(rows: Int32, row: int, steps: Int32, step: int, slots: Int32) -> bool:
    """Bind the free columns of a step's atom to a row; False when a repeated variable differs."""
    for j in range(steps[step, STEP_FREE]):
        c = steps[step, STEP_PAIRS + 2 * j]
        slot = steps[step, STEP_PAIRS + 2 * j + 1]
        if c >= 0:
            slots[slot] = rows[row, FIRST + c]
        elif slots[slot] != rows[row, FIRST + ~c]:
            return False
    return True


@inline
def key_hash(steps: Int32, step: int, a: int, slots: Int32) -> int:
    """The hash of the bound columns of a step under the current slots."""
    pairs = STEP_PAIRS + 2 * steps[step, STEP_FREE]
    h = salted(a)
    for j in range(steps[step, STEP_BOUND]):
        h = mixed(h, steps[step, pairs + 2 * j], slots[steps[step, pairs + 2 * j + 1]])
    return finished(h)


@inline
def find_group(m: Block, steps: Int32, step: int, a: int, slots: Int32, h: int) -> int:
    """The group of arrangement a that a step looks for under the current slots, or -1."""
    rows, groups, table = matrix(m, ROWS), matrix(m, GROUPS), entries(m, GROUP_ENTRIES)
    pairs = STEP_PAIRS + 2 * steps[step, STEP_FREE]
    bits = log2(table.size)
    tag = entry_tag(h, bits)
    low = np.uint32((1 << bits) - 1)
    at = h >> np.uint64(64 - bits)
    while True:
        entry = table[at]
        if entry == 0:
            return -1
        if (entry & ~low) == tag:
            g = np.int64(entry & low) - 1
            if groups[g, 0] == a:
                first = groups[g, 3]
                same = True
                for j in range(steps[step, STEP_BOUND]):
                    c = FIRST + steps[step, pairs + 2 * j]
                    if rows[first, c] != slots[steps[step, pairs + 2 * j + 1]]:
                        same = False
                        break
                if same:
                    return g
        at = (at + np.uint64(1)) & np.uint64(table.size - 1)


@inline
def find_fact(m: Block, steps: Int32, step: int, slots: Int32) -> int:
    """The row of the fact that a step with no free column looks for, or a negative number."""
    rows, heads, table = matrix(m, ROWS), matrix(m, HEADS), entries(m, ENTRIES)
    last, width = heads.shape[0] - 1, heads.shape[1]
    bound = steps[step, STEP_BOUND]
    for j in range(width):
        heads[last, j] = slots[steps[step, STEP_PAIRS + 2 * j + 1]] if j < bound else 0
    return find_row(rows, table, log2(table.size), heads, last, hash_row(heads, last, 0, width))


@inline
def probe(m: Block, step: int, target: int, limit: int) -> int:
    """The length of a step's posting; when it is below `limit`, first_probes[target] becomes that posting."""
    steps, slots, found = matrix(m, STEPS), vector(m, SLOTS), matrix(m, FIRST_PROBES)
    a = steps[step, STEP_ARRANGEMENT]
    if a < 0:
        r = find_fact(m, steps, step, slots)
        if r < 0:
            return 0
        found[target, STEP], found[target, POSITION], found[target, END], found[target, SINGLE] = step, 0, 1, r
        return 1
    g = find_group(m, steps, step, a, slots, key_hash(steps, step, a, slots))
    if g < 0:
        return 0
    groups = matrix(m, GROUPS)
    start, length = groups[g, 1], groups[g, 2]
    if length < limit:
        found[target, STEP] = step
        found[target, POSITION] = start if length > 1 else 0
        found[target, END] = start + length if length > 1 else 1
        found[target, SINGLE] = start if length == 1 else -1
    return np.int64(length)


@inline
def choose(m: Block, node: int, target: int) -> bool:
    """Put the shortest posting among the steps of a node into first_probes[target]; False when one is empty."""
    nodes = matrix(m, NODES)
    best = np.int64(1) << 62
    for step in range(nodes[node, 0], nodes[node, 1]):
        length = probe(m, step, target, best)
        if length == 0:
            return False
        best = min(best, length)
    return True


@inline
def emit(heads: Int32, n: int, first: int, quiet: int) -> int:
    """Keep head n of a rewrite whose heads start at `first`: the new end of the buffer.

    A rewrite derives each head once, even where two of its heads are equal; a reflexive triple of the quiet property is
    dropped (eq-ref is off).
    """
    if quiet != 0 and heads[n, 1] == quiet and heads[n, 0] == heads[n, 2]:
        return n
    for other in range(first, n):
        same = True
        for c in range(heads.shape[1]):
            if heads[other, c] != heads[n, c]:
                same = False
        if same:
            return n
    return n + 1


@inline
def run_down(m: Block, depth: int, node: int) -> None:
    """ground: extend the rewrite by the rows of the last atom's posting, straight into heads, while there is room."""
    rows, postings, slots, frames = matrix(m, ROWS), vector(m, POSTINGS), vector(m, SLOTS), matrix(m, FRAMES)
    steps, templates, nodes = matrix(m, STEPS), matrix(m, TEMPLATES), matrix(m, NODES)
    heads, tables, ranks = matrix(m, HEADS), vector(m, TABLES), vector(m, RANKS)
    first, last = nodes[node, 2], nodes[node, 3]
    step, single = frames[depth, STEP], frames[depth, SINGLE]
    ages, ranked, level = m[BEFORE + steps[step, STEP_LATER]], m[RANKED], frames[depth, RANK]
    start = np.int64(frames[depth, POSITION])
    n = before = m[N_HEADS]
    quiet = m[QUIET]
    stop = min(np.int64(frames[depth, END]), start + (heads.shape[0] - 1 - n) // (last - first))
    width = heads.shape[1]
    for position in range(start, stop):
        row = np.uint64(single) if single >= 0 else np.uint64(postings[position])
        if (ages >> np.int64(rows[row, STATE] & AGE)) & 1 and bind(rows, row, steps, step, slots):
            rank = level
            if ranked:
                rank = max(level, rows[row, STAMP])
            start_of = n
            for h in range(first, last):
                for c in range(width):
                    heads[n, c] = slots[templates[h, 1 + c]]
                tables[n] = templates[h, 0]
                ranks[n] = rank
                n = emit(heads, n, start_of, quiet)
    m[N_HEADS] = n
    m[DERIVATIONS] += n - before
    m[REWRITES] += stop - start
    m[FUEL] -= stop - start
    frames[depth, POSITION] = stop


@inline
def push(m: Block, depth: int, source: int, rank: int) -> None:
    """Push the posting in first_probes[source] onto the stack."""
    frames, found = matrix(m, FRAMES), matrix(m, FIRST_PROBES)
    for word in range(RANK):
        frames[depth, word] = found[source, word]
    frames[depth, RANK] = rank


@inline
def step_down(m: Block, depth: int, step: int, node: int) -> bool:
    """Take the next row of the posting at `depth` and push what comes next; False when the rewrite ends there."""
    rows, postings, slots, frames = matrix(m, ROWS), vector(m, POSTINGS), vector(m, SLOTS), matrix(m, FRAMES)
    steps = matrix(m, STEPS)
    position, single = frames[depth, POSITION], frames[depth, SINGLE]
    frames[depth, POSITION] = position + 1
    row = np.int64(single) if single >= 0 else np.int64(postings[position])
    m[REWRITES] += 1
    m[FUEL] -= 1
    ages = m[BEFORE + steps[step, STEP_LATER]]
    if (ages >> np.int64(rows[row, STATE] & AGE)) & 1 == 0 or not bind(rows, row, steps, step, slots):
        return False
    if not choose(m, node, BLOCK):
        return False
    rank = frames[depth, RANK]
    push(m, depth + 1, BLOCK, max(rank, rows[row, STAMP]) if m[RANKED] != 0 else rank)
    return True


@inline
def extend(m: Block, depth: int) -> int:
    """Run the stack from `depth` until it is empty (-1), or heads or fuel run out (the depth to go on at)."""
    frames, steps, nodes = matrix(m, FRAMES), matrix(m, STEPS), matrix(m, NODES)
    while depth >= 0:
        if m[FUEL] < 0:
            return depth
        if frames[depth, POSITION] >= frames[depth, END]:
            depth -= 1
            continue
        step = np.int64(frames[depth, STEP])
        node = np.int64(steps[step, STEP_NEXT])
        if nodes[node, 0] != nodes[node, 1]:
            if step_down(m, depth, step, node):
                depth += 1
            continue
        run_down(m, depth, node)
        if frames[depth, POSITION] < frames[depth, END]:
            return depth
        depth -= 1
    return -1


@inline
def probe_block(m: Block, start: int, node: int, low: int, high: int) -> None:
    """Make the first probe of the rewrites that start at rows grouped[low:high]; END 0 where there is none."""
    rows, steps, slots, grouped = matrix(m, ROWS), matrix(m, STEPS), vector(m, SLOTS), vector(m, GROUPED)
    found, nodes = matrix(m, FIRST_PROBES), matrix(m, NODES)
    first = np.int64(nodes[node, 0])
    if steps[first, STEP_ARRANGEMENT] >= 0:
        touch_groups(m, start, first, low, high)
    for i in range(high - low):
        row = np.int64(grouped[low + i])
        if not bind(rows, row, steps, start, slots) or not choose(m, node, i):
            found[i, POSITION] = found[i, END] = 0


@inline
def touch_groups(m: Block, start: int, step: int, low: int, high: int) -> None:
    """Pull the entries and groups that a block of rewrites will meet into the cache."""
    rows, steps, slots, grouped = matrix(m, ROWS), matrix(m, STEPS), vector(m, SLOTS), vector(m, GROUPED)
    groups, table, h = matrix(m, GROUPS), entries(m, GROUP_ENTRIES), hashes(m, HASHES)
    bits = log2(table.size)
    mask = np.uint32((1 << bits) - 1)
    a = np.int64(steps[step, STEP_ARRANGEMENT])
    for i in range(high - low):
        bind(rows, np.int64(grouped[low + i]), steps, start, slots)
        h[i] = key_hash(steps, step, a, slots)
    met = np.int64(0)
    for i in range(high - low):
        entry = table[h[i] >> np.uint64(64 - bits)]
        if entry != 0:
            met += groups[np.int64(entry & mask) - 1, 1]
    h[BLOCK] = np.uint64(met)  # keeps the loads alive


@inline
def load_constants(m: Block, rule: int) -> None:
    """Put the constants of a rule into their slots."""
    rules, constants, slots = matrix(m, RULES), vector(m, CONSTANTS), vector(m, SLOTS)
    start, slot = rules[rule, RULE_CONSTANTS], rules[rule, RULE_SLOT]
    for j in range(rules[rule, RULE_COUNT]):
        slots[slot + j] = constants[start + j]


@inline
def run_single(m: Block, step: int, node: int, high: int) -> int:
    """A body of one atom: its rows become heads straight away."""
    rows, steps, slots, grouped = matrix(m, ROWS), matrix(m, STEPS), vector(m, SLOTS), vector(m, GROUPED)
    templates, nodes = matrix(m, TEMPLATES), matrix(m, NODES)
    heads, tables, ranks = matrix(m, HEADS), vector(m, TABLES), vector(m, RANKS)
    first, last = nodes[node, 2], nodes[node, 3]
    n = before = m[N_HEADS]
    quiet, start = m[QUIET], m[AT_ROW]
    stop = min(high, start + (heads.shape[0] - 1 - n) // (last - first))
    ranked, level, width = m[RANKED], np.int32(m[LEVEL]), heads.shape[1]
    for i in range(start, stop):
        row = np.uint64(grouped[i])
        if bind(rows, row, steps, step, slots):
            rank = rows[row, STAMP] if ranked else level
            start_of = n
            for h in range(first, last):
                for c in range(width):
                    heads[n, c] = slots[templates[h, 1 + c]]
                tables[n] = templates[h, 0]
                ranks[n] = rank
                n = emit(heads, n, start_of, quiet)
    m[N_HEADS] = n
    m[DERIVATIONS] += n - before
    m[REWRITES] += stop - start
    m[FUEL] -= stop - start
    m[AT_ROW] = stop
    return FINISHED if stop == high else INTERRUPTED


@inline
def run_joins(m: Block, start: int, node: int, high: int) -> int:
    """A body of several atoms: each row of the group starts a search, its first probe made in a block."""
    rows, steps, slots, grouped = matrix(m, ROWS), matrix(m, STEPS), vector(m, SLOTS), vector(m, GROUPED)
    found = matrix(m, FIRST_PROBES)
    if m[AT_DEPTH] < 0 and m[AT_ROW] == high:
        return FINISHED
    depth = m[AT_DEPTH]
    while True:
        if depth >= 0:
            depth = extend(m, depth)
            m[AT_DEPTH] = depth
            if depth >= 0:
                return INTERRUPTED
        if m[AT_ROW] == high:
            return FINISHED
        if m[AT_ROW] >= m[BLOCK_HIGH]:
            if m[FUEL] < 0:
                return INTERRUPTED
            m[BLOCK_LOW] = m[AT_ROW]
            m[BLOCK_HIGH] = min(high, m[AT_ROW] + BLOCK)
            probe_block(m, start, node, m[BLOCK_LOW], m[BLOCK_HIGH])
            m[REWRITES] += m[BLOCK_HIGH] - m[BLOCK_LOW]
            m[FUEL] -= m[BLOCK_HIGH] - m[BLOCK_LOW]
        i = m[AT_ROW] - m[BLOCK_LOW]
        row = np.int64(grouped[m[AT_ROW]])
        m[AT_ROW] += 1
        if found[i, END] > found[i, POSITION]:
            bind(rows, row, steps, start, slots)
            push(m, 0, i, rows[row, STAMP] if m[RANKED] != 0 else np.int32(m[LEVEL]))
            depth = np.int64(0)


@inline
def run_plan(m: Block, plan: int, high: int) -> int:
    """Run one plan down the rows of a group, from AT_ROW and AT_DEPTH on."""
    plans, steps, nodes = matrix(m, PLANS), matrix(m, STEPS), matrix(m, NODES)
    m[AT_RULE] = plans[plan, 0]
    load_constants(m, m[AT_RULE])
    start = np.int64(plans[plan, 1])
    node = np.int64(steps[start, STEP_NEXT])
    if nodes[node, 0] == nodes[node, 1]:
        return run_single(m, start, node, high)
    return run_joins(m, start, node, high)


@inline
def product(m: Block) -> int:
    """Run the plans of every group of hits: FINISHED, INTERRUPTED (heads wait, or fuel is out) or MISSING."""
    key_info, plans, group_key, group_low = matrix(m, KEY_INFO), matrix(m, PLANS), vector(m, GROUP_KEY), vector(m, GROUP_LOW)
    while m[AT_GROUP] < m[N_GROUPS]:
        group = m[AT_GROUP]
        low, high = np.int64(group_low[group]), np.int64(group_low[group + 1])
        plan = m[AT_PLAN]
        if plan == -1:
            plan = np.int64(key_info[group_key[group], 1])
            m[AT_ROW], m[AT_DEPTH], m[BLOCK_HIGH] = low, -1, 0
        while plan >= 0:
            m[AT_PLAN] = plan
            if has_facts(m, plan):
                if not has_arrangements(m, plan):
                    return MISSING
                if run_plan(m, plan, high) != FINISHED:
                    return INTERRUPTED
            plan = np.int64(plans[plan, 2])
            m[AT_ROW], m[AT_DEPTH], m[BLOCK_HIGH] = low, -1, 0
        m[AT_PLAN] = -1
        m[AT_GROUP] = group + 1
    return FINISHED
