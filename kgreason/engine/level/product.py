"""product: extends rewrites by facts from the arrangements, atom by atom, until their heads are derived.

This is a delta join. The plan that starts at body atom k runs over the new rows that meet the trigger of k. Atoms
before k see rows of the ages in BEFORE, atoms after k see rows of the ages in AFTER. So every derivation is met exactly
once. The join order is chosen for each rewrite: the next atom is the one with the shortest posting (list of rows). An
empty posting ends the rewrite.

The search is depth first, with one stack of frames, so no intermediate result is stored. The first probes of rewrites
are made in blocks, so that cache misses overlap. Most rewrites end at their next atom. So if only one atom may come
next, a filter is asked first whether a posting with the next key may exist. A value of each row is stored beside the
posting and completes the hash of that key, so most rows are not read. The stack, the slots and the position are in the
memory block: when the head buffer is full, product stops, and continues later from this state.

Cost: one step for each rewrite extended (counted in REWRITES, the unit of budgets and of elastic switching).
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline
from kgreason.engine.level.ground import EVERY_AGE, bind, ground, last_that_fits
from kgreason.engine.level.probe import (
    BLOCK,
    choose_step,
    find_group,
    first_bound_pair,
    key_hash,
    posting,
    probe_block,
    touch_block,
)
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, hashes, matrix, unsigned, vector, wide
from kgreason.engine.memory.hashing import finish_hash, is_signed, mix, salt_hash, sign_of, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.engine.program.derivability import has_arrangements, has_facts
from kgreason.zset.columns import Int32, UInt32

FINISHED, INTERRUPTED, MISSING = range(3)


@inline
def run_frame(m: Block, depth: Number) -> None:
    """Derive heads from the rows of the frame at `depth`, until no row is left or the head buffer is full.

    The frame has the last step of a plan.
    """
    frames, postings = matrix(m, at.FRAMES), vector(m, at.POSTINGS)
    step, start = np.int64(frames[depth, at.STEP]), np.int64(frames[depth, at.POSITION])
    stop = last_that_fits(m, step, start, np.int64(frames[depth, at.END]))
    ages = m[at.BEFORE + unsigned(m, at.STEPS)[step, at.STEP_LATER]]
    ground(m, step, postings, np.int64(frames[depth, at.SINGLE]), start, stop, ages, np.int64(frames[depth, at.RANK]))
    frames[depth, at.POSITION] = stop


@inline
def push_frame(m: Block, depth: Number, source: Number, rank: Number) -> None:
    """Write first_probes[source], a step with its posting, to the frame at `depth` of the stack.

    `rank`: the rank of the rewrite so far.
    """
    frames, found = matrix(m, at.FRAMES), matrix(m, at.FIRST_PROBES)
    for word in range(at.RANK):
        frames[depth, word] = found[source, word]
    frames[depth, at.RANK] = rank


@inline
def only_step(m: Block, node: Number) -> Number:
    """Return the number of the only step of a node.

    Returns -1 if the node has several steps, or if its step looks up a fact and probes no arrangement.
    """
    nodes, steps = matrix(m, at.NODES), unsigned(m, at.STEPS)
    first = np.int64(nodes[node, 0])
    is_only = nodes[node, 1] - first == 1 and np.int32(steps[first, at.STEP_ARRANGEMENT]) >= 0
    return first if is_only else np.int64(-1)


@inline
def varying_column(steps: UInt32, only: Number, slot: Number, slots: Int32) -> tuple[Number, Number]:
    """Return two numbers: the hash of the key of step `only` without slot `slot`, and the column that the slot fills.

    `mix` and `finish_hash` complete the hash when the slot gets a value. The column is -1 if the slot fills no column
    of the key, or several: then one value cannot complete the hash.
    """
    pairs = first_bound_pair(steps, only)
    base, column = salt_hash(steps[only, at.STEP_ARRANGEMENT]), np.int64(-1)
    for j in range(steps[only, at.STEP_BOUND]):
        here = pairs + 2 * np.uint64(j)
        if steps[only, here + 1] == slot:
            if column >= 0:
                return base, np.int64(-1)
            column = np.int64(steps[only, here])
        else:
            base = mix(base, steps[only, here], slots[steps[only, here + 1]])
    return base, column


@inline
def skip_dead_ends(
    signs: UInt32, values: Int32, bits: Number, base: Number, column: Number, start: Number, end: Number
) -> Number:
    """Return the first position of a posting, from `start` on, whose row may extend the rewrite further, else `end`.

    The rows are not read. `values` has a value of the row at each position. This value is the one in column `column` of
    the next key, and completes the hash `base` of the key. The filter `signs` says whether a posting may have this
    hash; `bits` is the base-2 logarithm of the size of the hash table.
    """
    for position in range(np.uint64(start), np.uint64(end)):
        if is_signed(signs, sign_of(finish_hash(mix(base, column, values[position])), bits)):
            return np.int64(position)
    return end


@inline
def finish_rewrites(m: Block, depth: Number, step: Number, g: Number, rank: Number) -> Flag:
    """Derive heads from the rows of group `g`, the posting of the last step. `rank`: the rank of the rewrite so far.

    Returns True if the head buffer is full; the remaining rows are then in the frame at `depth`.
    """
    frames, groups, steps = matrix(m, at.FRAMES), matrix(m, at.GROUPS), unsigned(m, at.STEPS)
    low, length, single = np.int64(groups[g, at.GROUP_START]), np.int64(groups[g, at.GROUP_LENGTH]), np.int64(-1)
    if length == 1:
        low, single = np.int64(0), low
    end = low + length
    stop = last_that_fits(m, step, low, end)
    ground(m, step, vector(m, at.POSTINGS), single, low, stop, m[at.BEFORE + steps[step, at.STEP_LATER]], rank)
    if stop == end:
        return False
    frames[depth, at.STEP], frames[depth, at.POSITION], frames[depth, at.END] = step, stop, end
    frames[depth, at.SINGLE], frames[depth, at.RANK] = single, rank
    return True


@inline
def step_down(m: Block, depth: Number, step: Number, node: Number) -> Flag:
    """Go through the rows of the frame at `depth`, which step `step` found, and look up the steps of node `node`.

    Returns True as soon as the frame at depth + 1 has rows to go on with. Returns False at the end of the posting, and
    when the fuel is used up. If the only step of the node is the last one of the plan, its heads are derived at once
    (`finish`); then the frame at depth + 1 gets only the rows for which the head buffer has no room.
    """
    rows, postings = matrix(m, at.ROWS), vector(m, at.POSTINGS)
    slots, frames = vector(m, at.SLOTS), matrix(m, at.FRAMES)
    steps, groups, table = unsigned(m, at.STEPS), matrix(m, at.GROUPS), entries(m, at.GROUP_ENTRIES)
    bits, only = table_bits(m, at.GROUP_ENTRIES), only_step(m, node)
    ages, single, rank = m[at.BEFORE + steps[step, at.STEP_LATER]], frames[depth, at.SINGLE], frames[depth, at.RANK]
    start, end = np.int64(frames[depth, at.POSITION]), np.int64(frames[depth, at.END])
    signs, values, base, column = entries(m, at.SIGNS), vector(m, at.VALUES), np.uint64(0), np.int64(-1)
    if only >= 0 and single < 0 and steps[step, at.STEP_FREE] == 1 and steps[step, at.STEP_COMPARED] == 0:
        base, column = varying_column(steps, only, steps[step, at.STEP_PAIRS + 1], slots)
    is_last = only >= 0 and steps[only, at.STEP_HEADS] != 0
    found = False
    position = start
    while position < end and not found and m[at.FUEL] >= 0:
        if column >= 0:
            position = skip_dead_ends(signs, values, bits, base, column, position, end)
            if position == end:
                break
        row = np.uint64(single) if single >= 0 else np.uint64(postings[position])
        position += 1
        if (ages >> np.int64(rows[row, at.STATE] & at.AGE)) & 1 and bind(rows, row, steps, step, slots):
            if only >= 0:  # most rows end here, before the costlier `choose_step`
                h = key_hash(steps, only, steps[only, at.STEP_ARRANGEMENT], slots)
                g = find_group(rows, groups, table, bits, steps, only, slots, h)
                if g < 0:
                    continue
                if is_last:
                    found = finish_rewrites(m, depth + 1, only, g, max(rank, rows[row, at.STAMP]))
                    continue
            found = choose_step(m, node, BLOCK)
            if found:
                push_frame(m, depth + 1, BLOCK, max(rank, rows[row, at.STAMP]))
    frames[depth, at.POSITION] = position
    m[at.REWRITES] += position - start
    m[at.FUEL] -= position - start
    return found


@inline
def run_frames(m: Block, depth: Number) -> Number:
    """Run the frames of the stack from `depth` down to 0.

    Returns -1 when the stack is empty. If the head buffer is full or the fuel is used up, returns the depth at which to
    continue.
    """
    frames, steps = matrix(m, at.FRAMES), unsigned(m, at.STEPS)
    while depth >= 0:
        if m[at.FUEL] < 0:
            return depth
        if frames[depth, at.POSITION] >= frames[depth, at.END]:
            depth -= 1
            continue
        step = np.int64(frames[depth, at.STEP])
        if steps[step, at.STEP_HEADS] == 0:
            if step_down(m, depth, step, np.int64(steps[step, at.STEP_NEXT])):
                depth += 1
            continue
        run_frame(m, depth)
        if frames[depth, at.POSITION] < frames[depth, at.END]:
            return depth
        depth -= 1
    return np.int64(-1)


@inline
def load_constants(m: Block, rule: Number) -> None:
    """Copy the constants of a rule to their slots."""
    rules, constants, slots = matrix(m, at.RULES), vector(m, at.CONSTANTS), vector(m, at.SLOTS)
    start, slot = rules[rule, at.RULE_CONSTANTS], rules[rule, at.RULE_SLOT]
    for j in range(rules[rule, at.RULE_COUNT]):
        slots[slot + j] = constants[start + j]


@inline
def run_single(m: Block, step: Number, high: Number) -> Number:
    """Run a plan whose body has one atom: derive heads from each row of the hits, up to position `high`."""
    start = m[at.AT_ROW]
    stop = last_that_fits(m, step, start, high)
    ground(m, step, vector(m, at.GROUPED), np.int64(-1), start, stop, EVERY_AGE, np.int64(0))
    m[at.AT_ROW] = stop
    return FINISHED if stop == high else INTERRUPTED


@inline
def start_rank(m: Block, row: Number) -> Number:
    """Return the rank of a rewrite that starts at row `row`: the row's stamp.

    In the phase REDERIVE the row is a head, not part of the body, and the rank is -1.
    """
    if m[at.MODE] == at.REDERIVE:
        return np.int64(-1)
    return np.int64(matrix(m, at.ROWS)[row, at.STAMP])


@inline
def next_block(m: Block, high: Number) -> None:
    """Start a new block of first probes: up to BLOCK rows from AT_ROW on, not beyond `high`."""
    m[at.BLOCK_LOW] = m[at.AT_ROW]
    m[at.BLOCK_HIGH] = min(high, m[at.AT_ROW] + BLOCK)
    m[at.REWRITES] += m[at.BLOCK_HIGH] - m[at.BLOCK_LOW]
    m[at.FUEL] -= m[at.BLOCK_HIGH] - m[at.BLOCK_LOW]


@inline
def end_block(m: Block) -> None:
    """End the block of first probes at row AT_ROW. Later rows are probed again and counted then, not twice."""
    m[at.REWRITES] -= m[at.BLOCK_HIGH] - m[at.AT_ROW]
    m[at.FUEL] += m[at.BLOCK_HIGH] - m[at.AT_ROW]
    m[at.BLOCK_HIGH] = m[at.AT_ROW]


@inline
def run_pairs(m: Block, start: Number, step: Number, high: Number) -> Number:
    """Run a plan whose body has two atoms: each row of the hits, up to position `high`, leads to one posting.

    The heads are derived from the rows of these postings. `start` and `step` are the two steps of the plan.
    """
    rows, steps, slots, grouped = matrix(m, at.ROWS), unsigned(m, at.STEPS), vector(m, at.SLOTS), vector(m, at.GROUPED)
    postings, h, frames = vector(m, at.POSTINGS), hashes(m, at.HASHES), matrix(m, at.FRAMES)
    ages = m[at.BEFORE + steps[step, at.STEP_LATER]]
    while m[at.AT_ROW] < high:
        if m[at.AT_ROW] >= m[at.BLOCK_HIGH]:
            if m[at.FUEL] < 0:
                return INTERRUPTED
            next_block(m, high)
            touch_block(m, start, step, m[at.BLOCK_LOW], m[at.BLOCK_HIGH])
        row = np.int64(grouped[m[at.AT_ROW]])
        key = h[m[at.AT_ROW] - m[at.BLOCK_LOW]]
        m[at.AT_ROW] += 1
        if not bind(rows, row, steps, start, slots):
            continue
        low, end, single = posting(m, steps, step, slots, key)
        if low == end:
            continue
        stop = last_that_fits(m, step, low, end)
        ground(m, step, postings, single, low, stop, ages, start_rank(m, row))
        if stop < end:  # the buffer is full: the rest of this posting waits on the stack
            frames[0, at.STEP], frames[0, at.POSITION] = step, stop
            frames[0, at.END], frames[0, at.SINGLE] = end, single
            frames[0, at.RANK] = start_rank(m, row)
            m[at.AT_DEPTH] = 0
            end_block(m)
            return INTERRUPTED
    return FINISHED


@inline
def run_joins(m: Block, start: Number, node: Number, high: Number) -> Number:
    """Run a plan whose body has more than two atoms: start a search at each row of the hits, up to position `high`."""
    rows, steps, slots, grouped = matrix(m, at.ROWS), unsigned(m, at.STEPS), vector(m, at.SLOTS), vector(m, at.GROUPED)
    found = matrix(m, at.FIRST_PROBES)
    while m[at.AT_ROW] < high:
        if m[at.AT_ROW] >= m[at.BLOCK_HIGH]:
            if m[at.FUEL] < 0:
                return INTERRUPTED
            next_block(m, high)
            probe_block(m, start, node, m[at.BLOCK_LOW], m[at.BLOCK_HIGH])
        i = m[at.AT_ROW] - m[at.BLOCK_LOW]
        row = np.int64(grouped[m[at.AT_ROW]])
        m[at.AT_ROW] += 1
        if found[i, at.END] > found[i, at.POSITION]:
            bind(rows, row, steps, start, slots)
            push_frame(m, 0, i, start_rank(m, row))
            m[at.AT_DEPTH] = run_frames(m, np.int64(0))
            if m[at.AT_DEPTH] >= 0:
                return INTERRUPTED
    return FINISHED


@inline
def run_plan(m: Block, plan: Number, high: Number) -> Number:
    """Run one plan over the rows of its hits, up to position `high`.

    An interrupted plan goes on at row AT_ROW, depth AT_DEPTH.
    """
    plans, steps, nodes = matrix(m, at.PLANS), unsigned(m, at.STEPS), matrix(m, at.NODES)
    m[at.AT_RULE] = plans[plan, 0]
    load_constants(m, m[at.AT_RULE])
    start = np.int64(plans[plan, 1])
    if steps[start, at.STEP_HEADS] != 0:
        return run_single(m, start, high)
    if m[at.AT_DEPTH] >= 0:
        m[at.AT_DEPTH] = run_frames(m, m[at.AT_DEPTH])
        if m[at.AT_DEPTH] >= 0:
            return INTERRUPTED
    node = np.int64(steps[start, at.STEP_NEXT])
    first = np.int64(nodes[node, 0])
    if steps[first, at.STEP_HEADS] != 0:
        return run_pairs(m, start, first, high)
    return run_joins(m, start, node, high)


@inline
def add_cost(m: Block, rule: Number, rewrites: Number, derivations: Number) -> None:
    """Add `rewrites` and `derivations` to the costs of rule number `rule`: its total and its counts in this commit.

    The first call for a rule in a commit copies the counts of the last commit that ran the rule to the columns
    `COST_BEFORE...`, and starts new counts.
    """
    costs = wide(m, at.COSTS)
    if costs[rule, at.COST_COMMIT] != m[at.COMMIT]:
        costs[rule, at.COST_BEFORE] = costs[rule, at.COST_COMMIT]
        costs[rule, at.COST_BEFORE_REWRITES] = costs[rule, at.COST_LAST_REWRITES]
        costs[rule, at.COST_BEFORE_DERIVATIONS] = costs[rule, at.COST_LAST_DERIVATIONS]
        costs[rule, at.COST_COMMIT] = m[at.COMMIT]
        costs[rule, at.COST_LAST_REWRITES] = costs[rule, at.COST_LAST_DERIVATIONS] = 0
    costs[rule, at.COST_REWRITES] += rewrites
    costs[rule, at.COST_DERIVATIONS] += derivations
    costs[rule, at.COST_LAST_REWRITES] += rewrites
    costs[rule, at.COST_LAST_DERIVATIONS] += derivations


@inline
def product(m: Block) -> Number:
    """Run the plans of all keys that were hit.

    Returns FINISHED, INTERRUPTED (the head buffer is full or the fuel is used up) or MISSING (an arrangement lacks rows
    that a plan needs). `group_key` has a number for each group of hits: that of a key, to run all plans of the key, or
    `~plan`, to run only the plan with the number `plan`.
    """
    key_info, plans = matrix(m, at.KEY_INFO), matrix(m, at.PLANS)
    group_key, group_low = vector(m, at.GROUP_KEY), vector(m, at.GROUP_LOW)
    while m[at.AT_GROUP] < m[at.N_GROUPS]:
        group = m[at.AT_GROUP]
        low, high = np.int64(group_low[group]), np.int64(group_low[group + 1])
        plan = m[at.AT_PLAN]
        key = np.int64(group_key[group])
        if plan == -1:
            plan = np.int64(key_info[key, 1]) if key >= 0 else ~key
            m[at.AT_ROW], m[at.AT_DEPTH], m[at.BLOCK_HIGH] = low, -1, 0
        while plan >= 0:
            m[at.AT_PLAN] = plan
            if has_facts(m, plan):
                if not has_arrangements(m, plan):
                    return MISSING
                rewrites, derivations = m[at.REWRITES], m[at.DERIVATIONS]
                status = run_plan(m, plan, high)
                if m[at.MODE] != at.EXPLAIN:
                    add_cost(m, np.int64(plans[plan, 0]), m[at.REWRITES] - rewrites, m[at.DERIVATIONS] - derivations)
                if status != FINISHED:
                    return INTERRUPTED
            plan = np.int64(plans[plan, 2]) if key >= 0 else np.int64(-1)
            m[at.AT_ROW], m[at.AT_DEPTH], m[at.BLOCK_HIGH] = low, -1, 0
        m[at.AT_PLAN] = -1
        m[at.AT_GROUP] = group + 1
    return FINISHED
