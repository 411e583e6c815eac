"""gatekeep: finds the trigger keys that the rows of a segment meet, and enters the rows into arrangements.

A row meets a key if it has the constants of the key. A *segment* is a part of the new rows of a level. Invariant: a
present fact is counted once for each trigger key that it meets, and is once in each arrangement that a live ask of one
of these keys names. For a fact that no key mentions, the only cost is a look at the flags of its ids. Facts that leave
are looked up in the same way, but are neither counted nor entered.

Output: the *hits* of the segment, pairs (key, row), grouped by key. A counting sort over the keys that were met groups
the hits, so that the cost does not depend on the number of rules.

`open_level` makes the stamps of new facts final. No body atom sees these facts before, so no stamp changes after a
derivation was compared with it.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline
from kgreason.engine.index.maintenance import enter_noted, note_for_key
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, matrix, vector
from kgreason.engine.memory.layout import Block
from kgreason.engine.program.derivability import has_work
from kgreason.engine.program.trigger_keys import find_head_key, find_key, is_shape_met, meets_key, shapes_met
from kgreason.zset.columns import Int32


@inline
def meet_row(m: Block, rows: Int32, r: Number, bits: Number, is_fresh: Flag) -> Flag:
    """Add a hit for each trigger key with constants that row `r` meets. `bits`: the result of `shapes_met` for the row.

    With `is_fresh`, this function also notes the row for arrangements. If `noted` is full, the function adds no hit and
    returns False. Then the caller removes the notes of the row. There must be room for a hit for each shape. The key
    without constants has no bit. But if its shape has a large number, the shared bit of other shapes stands for it too.
    """
    hit_keys, hit_rows, fill, n = vector(m, at.HIT_KEYS), vector(m, at.HIT_ROWS), vector(m, at.KEY_FILL), m[at.N_HITS]
    shapes = matrix(m, at.SHAPES)
    for shape in range(m[at.N_SHAPES]):
        if is_shape_met(bits, shape) and shapes[shape, 1] != 0:
            k = find_key(m, shape, rows, r)
            if k >= 0:
                if is_fresh and not note_for_key(m, k, r):
                    drop_hits(m, n)
                    return False
                hit_keys[n], hit_rows[n] = k, r
                n += 1
                open_group(m, k)
                fill[k] += 1
    m[at.N_HITS] = n
    return True


@inline
def open_group(m: Block, k: Number) -> None:
    """Add key `k` to the keys that the segment meets, unless it is there. Its first hit is added next."""
    if vector(m, at.KEY_FILL)[k] == 0:
        vector(m, at.GROUP_KEY)[m[at.N_GROUPS]] = k
        m[at.N_GROUPS] += 1


@inline
def drop_hits(m: Block, end: Number) -> None:
    """Drop the hits of a row again: those from number N_HITS to `end - 1`."""
    hit_keys, fill = vector(m, at.HIT_KEYS), vector(m, at.KEY_FILL)
    for i in range(m[at.N_HITS], end):
        fill[hit_keys[i]] -= 1
        m[at.N_GROUPS] -= fill[hit_keys[i]] == 0


@inline
def count_hits(m: Block) -> None:
    """Count the rows of the segment for the keys that they meet."""
    group_key, fill, count = vector(m, at.GROUP_KEY), vector(m, at.KEY_FILL), vector(m, at.KEY_COUNT)
    for g in range(m[at.N_GROUPS]):
        count[group_key[g]] += fill[group_key[g]]


@inline
def uncount_hits(m: Block, start: Number, common: Number) -> None:
    """Take 1 from the count of each key that a row meets, because the row is counted already.

    `count_hits` then counts it again, with all other rows of the segment.

    `start`: the number of its first hit. `common`: the key without constants if the row meets it, else -1.
    """
    hit_keys, count = vector(m, at.HIT_KEYS), vector(m, at.KEY_COUNT)
    for i in range(start, m[at.N_HITS]):
        count[hit_keys[i]] -= 1
    if common >= 0:
        count[common] -= 1


@inline
def common_key(m: Block, shape: Number, low: Number) -> Number:
    """Return the key without constants. `shape`: its shape. From queue[low] on, some row must meet the key."""
    rows, queue, table, here = matrix(m, at.ROWS), vector(m, at.QUEUE), matrix(m, at.SHAPES)[shape, 0], low
    while rows[queue[here], at.STATE] >> at.TABLE & at.LAST_TABLE != table:
        here += 1
    return find_key(m, shape, rows, np.int64(queue[here]))


@inline
def add_common_hits(m: Block, shape: Number, low: Number, high: Number) -> None:
    """Add the hits of the key without constants, which N_COMMON rows of queue[low:high] meet. `shape`: its shape.

    In the phase ASSERT the rows are counted for the key. They become hits only if a plan of the key can derive facts.
    So before the first owl:sameAs, the rules that replace equal terms cost only this count.
    """
    rows, queue, table = matrix(m, at.ROWS), vector(m, at.QUEUE), matrix(m, at.SHAPES)[shape, 0]
    hit_keys, hit_rows, n, k = vector(m, at.HIT_KEYS), vector(m, at.HIT_ROWS), m[at.N_HITS], common_key(m, shape, low)
    if m[at.MODE] == at.ASSERT:
        vector(m, at.KEY_COUNT)[k] += m[at.N_COMMON]
    if not has_work(m, k):
        return
    open_group(m, k)
    vector(m, at.KEY_FILL)[k] += m[at.N_COMMON]
    for here in range(low, high):
        if rows[queue[here], at.STATE] >> at.TABLE & at.LAST_TABLE == table:
            hit_keys[n], hit_rows[n] = k, queue[here]
            n += 1
    m[at.N_HITS] = n


@inline
def group_hits(m: Block) -> None:
    """Sort the hits of the segment by key: a counting sort over the keys that were met."""
    hit_keys, hit_rows, grouped = vector(m, at.HIT_KEYS), vector(m, at.HIT_ROWS), vector(m, at.GROUPED)
    group_key, group_low, fill = vector(m, at.GROUP_KEY), vector(m, at.GROUP_LOW), vector(m, at.KEY_FILL)
    total = 0
    for g in range(m[at.N_GROUPS]):
        k = group_key[g]
        group_low[g] = total
        total += fill[k]
        fill[k] = group_low[g]
    group_low[m[at.N_GROUPS]] = total
    for i in range(m[at.N_HITS]):
        k = hit_keys[i]
        grouped[fill[k]] = hit_rows[i]
        fill[k] += 1
    for g in range(m[at.N_GROUPS]):
        fill[group_key[g]] = 0


@inline
def set_ages(m: Block, low: Number, high: Number, age: Number) -> None:
    """Set the age of the rows queue[low:high] and keep their flags."""
    rows, queue = matrix(m, at.ROWS), vector(m, at.QUEUE)
    for i in range(low, high):
        rows[queue[i], at.STATE] = (rows[queue[i], at.STATE] & ~at.AGE) | age


@inline
def segment_end(m: Block) -> Number:
    """Return the end of the segment that starts at SEGMENT_LOW: at most m[SEGMENT] rows of the level.

    The asserted facts of a Bootstrap are in segments of one table each; the rows of a table stand together.
    """
    rows, queue, low = matrix(m, at.ROWS), vector(m, at.QUEUE), m[at.SEGMENT_LOW]
    end = min(m[at.LEVEL_END], low + m[at.SEGMENT])
    if m[at.IS_UPDATE] == 0 and m[at.LEVEL] == 0:
        table = rows[queue[low], at.STATE] >> at.TABLE & at.LAST_TABLE
        while rows[queue[end - 1], at.STATE] >> at.TABLE & at.LAST_TABLE != table:
            end -= 1
    return end


@inline
def constant_free_shape(m: Block) -> Number:
    """Return the shape of the key without constants, or -1. It is the shape of the triple pattern `?s ?p ?o`.

    There is at most one, because an n-ary atom has its relation as a constant.
    """
    shapes = matrix(m, at.SHAPES)
    for shape in range(m[at.N_SHAPES]):
        if shapes[shape, 1] == 0:
            return np.int64(shape)
    return np.int64(-1)


@inline
def has_arranged_all(m: Block) -> Flag:
    """Whether an arrangement has a live ask of the key without constants."""
    arranged, live = matrix(m, at.ARRANGED), matrix(m, at.LIVE)
    for a in range(live.shape[0]):  # noqa: SIM110 - a kernel has no generator expressions
        if live[a, 0] == 1 and arranged[a, at.ARRANGED_BITS] == at.EVERY_ROW:
            return True
    return False


@inline
def gatekeep(m: Block) -> Number:
    """Make the next segment of the level, and find its hits.

    In the phase ASSERT, also count the rows of the segment for the keys that they meet, flag them as MET, and enter
    them into arrangements: they are noted first, because many notes can be entered faster together. Returns RUNNING, or
    what is needed first: NEED_POSTINGS, or NEED_HITS for hits and for notes. Then make room and call again.
    """
    rows, queue, shapes = matrix(m, at.ROWS), vector(m, at.QUEUE), matrix(m, at.SHAPES)
    low, here, end, common = m[at.SEGMENT_LOW], m[at.SEGMENT_HIGH], segment_end(m), constant_free_shape(m)
    room = vector(m, at.HIT_ROWS).size - m[at.N_SHAPES] - (end - low if common >= 0 else 0)
    filters, asked = matrix(m, at.FILTERS), entries(m, at.ASKED)
    arrives, everywhere = m[at.MODE] == at.ASSERT, has_arranged_all(m)
    m[at.PARTIAL] = arrives
    status = at.RUNNING
    while here < end and status == at.RUNNING:
        r, noted, hits = np.int64(queue[here]), m[at.N_NOTED], m[at.N_HITS]
        state = rows[r, at.STATE]
        bits = shapes_met(filters, asked, rows, r, at.EVERY_SHAPE)
        is_fresh = arrives and state & at.MET == 0
        is_common = common >= 0 and state >> at.TABLE & at.LAST_TABLE == shapes[common, 0]
        if hits > room:
            status = at.NEED_HITS
        elif (is_common and everywhere and is_fresh and not note_for_key(m, find_key(m, common, rows, r), r)) or (
            bits != 0 and not meet_row(m, rows, r, bits, is_fresh)
        ):
            m[at.N_NOTED] = noted
            if noted == 0:
                status = at.NEED_HITS
            elif not enter_noted(m):
                status = at.NEED_POSTINGS
        else:
            if arrives and not is_fresh:
                uncount_hits(m, hits, find_key(m, common, rows, r) if is_common else np.int64(-1))
            m[at.N_COMMON] += is_common
            rows[r, at.STATE] = (state & ~at.AGE) | at.CURRENT | (at.MET if arrives else 0)
            here += 1
    if status == at.RUNNING and not enter_noted(m):
        status = at.NEED_POSTINGS
    m[at.FUEL] -= here - m[at.SEGMENT_HIGH]
    m[at.SEGMENT_HIGH] = here
    if status == at.RUNNING:
        if arrives:
            count_hits(m)
        if m[at.N_COMMON] > 0:
            add_common_hits(m, common, low, here)
        m[at.PARTIAL] = m[at.N_COMMON] = 0
        group_hits(m)
    return np.int64(status)


@inline
def scan_for_plan(m: Block) -> None:
    """Make a segment for the plan SCAN_PLAN: the next scanned rows whose age is in BEFORE and that meet SCAN_KEY."""
    rows, scanned, grouped = matrix(m, at.ROWS), vector(m, at.SCANNED), vector(m, at.GROUPED)
    group_low = vector(m, at.GROUP_LOW)
    n = 0
    here = m[at.SCAN_AT]
    while here < m[at.SCAN_END] and n < m[at.SEGMENT]:
        r = np.int64(scanned[here])
        if (m[at.BEFORE] >> np.int64(rows[r, at.STATE] & at.AGE)) & 1 and meets_key(m, m[at.SCAN_KEY], rows, r):
            grouped[n] = r
            n += 1
        here += 1
    m[at.SCAN_AT] = here
    vector(m, at.GROUP_KEY)[0] = ~m[at.SCAN_PLAN]
    group_low[0], group_low[1] = 0, n
    m[at.N_GROUPS] = n > 0


@inline
def scan_heads(m: Block) -> None:
    """Make a segment for backward plans from the next scanned rows. A hit is a head key and a row that meets it."""
    rows, scanned, hit_keys = matrix(m, at.ROWS), vector(m, at.SCANNED), vector(m, at.HIT_KEYS)
    hit_rows = vector(m, at.HIT_ROWS)
    fill, n = vector(m, at.KEY_FILL), 0
    here = m[at.SCAN_AT]
    while here < m[at.SCAN_END] and n + m[at.N_BACK_SHAPES] <= m[at.SEGMENT]:
        for shape in range(m[at.N_BACK_SHAPES]):
            k = find_head_key(m, shape, rows, np.int64(scanned[here]))
            if k >= 0:
                hit_keys[n] = k
                hit_rows[n] = scanned[here]
                n += 1
                open_group(m, k)
                fill[k] += 1
        here += 1
    m[at.SCAN_AT] = here
    m[at.N_HITS] = n
    group_hits(m)


@inline
def scan(m: Block) -> None:
    """Make a segment of scanned rows instead of new rows of a level. The rows are neither counted nor arranged."""
    start = m[at.SCAN_AT]
    if m[at.SCAN_PLAN] >= 0:
        scan_for_plan(m)
    else:
        scan_heads(m)
    m[at.FUEL] -= m[at.SCAN_AT] - start


@inline
def close_segment(m: Block) -> None:
    """End a segment: make its rows OLD, or GONE in the phase RETRACT, and clear its hits."""
    set_ages(m, m[at.SEGMENT_LOW], m[at.SEGMENT_HIGH], at.GONE if m[at.MODE] == at.RETRACT else at.OLD)
    m[at.SEGMENT_LOW] = m[at.SEGMENT_HIGH]
    m[at.N_HITS] = m[at.N_GROUPS] = 0


@inline
def open_level(m: Block, end: Number) -> None:
    """Make the rows queue[LEVEL_END:end] the next level.

    In the phase ASSERT all derivations with which their facts appear are counted now. So the stamps get their frailty.
    """
    rows, queue, arrives, latest = matrix(m, at.ROWS), vector(m, at.QUEUE), m[at.MODE] == at.ASSERT, m[at.LATEST]
    for i in range(m[at.LEVEL_END], end):
        r, state = queue[i], rows[queue[i], at.STATE]
        rows[r, at.STATE] = (state & ~at.AGE) | at.WAITING
        if arrives and state & at.ASSERTED == 0:
            rows[r, at.STAMP] += at.MOST_FRAIL - min(rows[r, at.SUPPORT], at.MOST_FRAIL)
            latest = max(latest, np.int64(rows[r, at.STAMP]))
    m[at.LEVEL_END], m[at.LATEST] = end, latest
