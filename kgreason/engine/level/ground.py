"""ground: turns finished rewrites into head rows.

The rows that match the last body atom are copied straight into heads: a template says for each column of a head whether
its value comes from such a row or from a slot. So the variables of the last atom are never written to slots.

Invariant: a rewrite derives each head once, even if two heads of its rule become equal, because support counts pairs of
a rule and a substitution. The rank of a head is the largest stamp in its body. A backward plan makes the heads of the
rule up to the head that the plan started from, and keeps only this last head. If an earlier head of the same rewrite
equals the last head, the plan keeps no head.

A rule with one body atom and one head makes a head of each row. Then the heads are made column by column
(`copy_heads`), because a loop over one column decides nothing. Otherwise they are made row by row. Cost: one pass over
the rows, or one for each column of a head.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import matrix, unsigned, vector
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, UInt32

EVERY_AGE = -1


@inline
def has_equal_repeats(rows: Int32, row: Number, steps: UInt32, step: Number, slots: Int32) -> Flag:
    """Whether each variable that occurs several times in an atom has the same value everywhere in row `row`.

    The atom is that of step `step`; `slots` has the values of the rewrite.
    """
    pairs = at.STEP_PAIRS + 2 * np.uint64(steps[step, at.STEP_FREE])
    for j in range(steps[step, at.STEP_COMPARED]):
        here = pairs + 2 * np.uint64(j)
        if slots[steps[step, here + 1]] != rows[row, at.FIRST + steps[step, here]]:
            return False
    return True


@inline
def bind(rows: Int32, row: Number, steps: UInt32, step: Number, slots: Int32) -> Flag:
    """Copy the values of row `row` in the free columns of the step's atom to the slots of the rewrite.

    Returns False if a variable that occurs several times in the atom would get two different values.
    """
    for j in range(steps[step, at.STEP_FREE]):
        here = at.STEP_PAIRS + 2 * np.uint64(j)
        slots[steps[step, here + 1]] = rows[row, at.FIRST + steps[step, here]]
    return steps[step, at.STEP_COMPARED] == 0 or has_equal_repeats(rows, row, steps, step, slots)


@inline
def keep_head(heads: Int32, n: Number, first: Number, quiet: Number) -> Number:
    """Keep head `n`, the last one in the buffer, or drop it. Returns the new end of the buffer: n + 1 or n.

    Head n is dropped if an earlier head of the same rewrite equals head n. The heads of the rewrite start at `first`.
    Head n is also dropped if it is a triple `x quiet x`; `quiet` is the id of a property, or 0 for none.
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
def last_that_fits(m: Block, step: Number, start: Number, end: Number) -> Number:
    """Return the largest `stop` <= `end` for which the heads of the rows at start to stop - 1 fit into the buffer.

    `step`: the last step of a plan, which derives the heads from each row.
    """
    return min(
        end, start + (m[at.HEADS + 1] - 1 - m[at.N_HEADS]) // np.int64(unsigned(m, at.STEPS)[step, at.STEP_HEADS])
    )


@inline
def keep_last_head(heads: Int32, ranks: Int32, first: Number, last: Number, end: Number) -> Number:
    """Keep head `last` of a rewrite, and drop its heads from `first` to `last - 1`. Returns the new end of the buffer.

    `ranks`: the ranks of the heads. `end`: the end of the buffer before this call. If `end` is `last`, `keep_head` has
    dropped head `last`; then no head is kept.
    """
    if end == last:
        return first
    for c in range(heads.shape[1]):
        heads[first, c] = heads[last, c]
    ranks[first] = ranks[last]
    return first + 1


@inline
def trace(m: Block, step: Number, source: Int32, single: Number, start: Number, stop: Number, ages: Number) -> None:
    """Write the rule and the slots of each finished rewrite to the array `traced`. As `ground`, but without heads.

    The parameters are those of `ground`.
    """
    rows, steps, slots, traced = matrix(m, at.ROWS), unsigned(m, at.STEPS), vector(m, at.SLOTS), matrix(m, at.TRACED)
    n = m[at.N_HEADS]
    for position in range(start, stop):
        row = np.int64(single) if single >= 0 else np.int64(source[position])
        if (ages >> np.int64(rows[row, at.STATE] & at.AGE)) & 1 and bind(rows, row, steps, step, slots):
            traced[n, 0] = m[at.AT_RULE]
            for j in range(traced.shape[1] - 1):
                traced[n, 1 + j] = slots[j]
            n += 1
    m[at.N_HEADS] = n


@inline
def can_copy_heads(m: Block, step: Number, single: Number, ages: Number) -> Flag:
    """Whether each row gives exactly one head, so that `copy_heads` can make the heads.

    `step`, `single` and `ages` are those of `ground`.
    """
    steps, slots, templates = unsigned(m, at.STEPS), vector(m, at.SLOTS), matrix(m, at.TEMPLATES)
    if ages != EVERY_AGE or single >= 0:
        return False
    if steps[step, at.STEP_HEADS] != 1 or steps[step, at.STEP_COMPARED] != 0:
        return False
    predicate = templates[steps[step, at.STEP_TEMPLATES], 2]
    return m[at.QUIET] == 0 or (predicate < 0 and slots[np.uint32(~predicate)] != m[at.QUIET])


@inline
def copy_heads(m: Block, step: Number, source: Int32, start: Number, stop: Number) -> None:
    """Make a head from each of the rows source[start:stop], column by column. See `can_copy_heads`."""
    rows, slots, template = matrix(m, at.ROWS), vector(m, at.SLOTS), unsigned(m, at.STEPS)[step, at.STEP_TEMPLATES]
    templates, heads = matrix(m, at.TEMPLATES), matrix(m, at.HEADS)
    tables, ranks = vector(m, at.TABLES), vector(m, at.RANKS)
    n, count = np.uint64(m[at.N_HEADS]), np.uint64(stop - start)
    for c in range(np.uint64(heads.shape[1])):
        word = templates[template, c + np.uint64(1)]
        if word >= 0:
            for i in range(count):
                heads[n + i, c] = rows[np.uint64(source[np.uint64(start) + i]), np.uint64(word)]
        else:
            value = slots[np.uint32(~word)]
            for i in range(count):
                heads[n + i, c] = value
    table = templates[template, 0]
    for i in range(count):
        tables[n + i] = table
        ranks[n + i] = rows[np.uint64(source[np.uint64(start) + i]), at.STAMP]
    m[at.N_HEADS] += stop - start
    m[at.DERIVATIONS] += stop - start
    m[at.REWRITES] += stop - start
    m[at.FUEL] -= stop - start


@inline
def ground(
    m: Block, step: Number, source: Int32, single: Number, start: Number, stop: Number, ages: Number, base: Number
) -> None:
    """Finish a rewrite: for each row that matches the rewrite's last atom, write the heads to the head buffer.

    The slots hold the values of the rewrite so far. The rows are `source[start:stop]`, or the one row `single` if it is
    >= 0. Rows whose age is not in the bit set `ages` are skipped. `base` is the rank of the rewrite so far.
    """
    if m[at.MODE] == at.EXPLAIN:
        trace(m, step, source, single, start, stop, ages)
        return
    if can_copy_heads(m, step, single, ages):
        copy_heads(m, step, source, start, stop)
        return
    rows, steps, slots = matrix(m, at.ROWS), unsigned(m, at.STEPS), vector(m, at.SLOTS)
    templates = matrix(m, at.TEMPLATES)
    heads, tables, ranks = matrix(m, at.HEADS), vector(m, at.TABLES), vector(m, at.RANKS)
    low, compared = np.uint64(steps[step, at.STEP_TEMPLATES]), steps[step, at.STEP_COMPARED] != 0
    high, width = low + np.uint64(steps[step, at.STEP_HEADS]), np.uint64(heads.shape[1])
    quiet = m[at.QUIET]
    only_last = m[at.MODE] == at.REDERIVE and high - low > 1
    n = before = np.uint64(m[at.N_HEADS])
    for position in range(np.uint64(start), np.uint64(stop)):
        row = np.uint64(single) if single >= 0 else np.uint64(source[position])
        if (ages >> np.int64(rows[row, at.STATE] & at.AGE)) & 1 == 0:
            continue
        if compared and not bind(rows, row, steps, step, slots):
            continue
        rank = max(base, np.int64(rows[row, at.STAMP]))
        first = last = n
        for t in range(low, high):
            last = n
            for c in range(width):
                word = templates[t, c + np.uint64(1)]
                heads[n, c] = rows[row, np.uint32(word)] if word >= 0 else slots[np.uint32(~word)]
            tables[n] = templates[t, 0]
            ranks[n] = rank
            n = np.uint64(keep_head(heads, n, first, quiet))
        if only_last:
            n = np.uint64(keep_last_head(heads, ranks, first, last, n))
    m[at.N_HEADS] = n
    m[at.DERIVATIONS] += np.int64(n - before)
    m[at.REWRITES] += stop - start
    m[at.FUEL] -= stop - start
