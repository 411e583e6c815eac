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

from kgreason.compiled import inline
from kgreason.engine.index.maintenance import enter_noted, note_for_key
from kgreason.engine.memory.blocks import entries, matrix, vector
from kgreason.engine.memory.layout import (
    AGE,
    ARRANGED,
    ARRANGED_BITS,
    ASKED,
    ASSERT,
    ASSERTED,
    BEFORE,
    CURRENT,
    EVERY_ROW,
    EVERY_SHAPE,
    FILTERS,
    FUEL,
    GONE,
    GROUP_KEY,
    GROUP_LOW,
    GROUPED,
    HIT_KEYS,
    HIT_ROWS,
    IS_UPDATE,
    KEY_COUNT,
    KEY_FILL,
    LAST_TABLE,
    LATEST,
    LEVEL,
    LEVEL_END,
    LIVE,
    MET,
    MODE,
    MOST_FRAIL,
    N_BACK_SHAPES,
    N_COMMON,
    N_GROUPS,
    N_HITS,
    N_NOTED,
    N_SHAPES,
    NEED_HITS,
    NEED_POSTINGS,
    OLD,
    PARTIAL,
    QUEUE,
    RETRACT,
    ROWS,
    RUNNING,
    SCAN_AT,
    SCAN_END,
    SCAN_KEY,
    SCAN_PLAN,
    SCANNED,
    SEGMENT,
    SEGMENT_HIGH,
    SEGMENT_LOW,
    SHAPES,
    STAMP,
    STATE,
    SUPPORT,
    TABLE,
    WAITING,
    Block,
    Flag,
    Int32,
    Number,
)
from kgreason.engine.program.derivable import has_work
from kgreason.engine.program.trigger_keys import find_head_key, find_key, is_met, meets, shapes_met


@inline
def meet_row(m: Block, rows: Int32, r: Number, bits: Number, is_fresh: Flag) -> Flag:
    """Add a hit for each trigger key with constants that row `r` meets. `bits`: the result of `shapes_met` for the row.

    With `is_fresh`, this function also notes the row for arrangements. If `noted` is full, the function adds no hit and
    returns False. Then the caller removes the notes of the row. There must be room for a hit for each shape. The key
    without constants has no bit. But if its shape has a large number, the shared bit of other shapes stands for it too.
    """
    hit_keys, hit_rows, fill, n = vector(m, HIT_KEYS), vector(m, HIT_ROWS), vector(m, KEY_FILL), m[N_HITS]
    shapes = matrix(m, SHAPES)
    for shape in range(m[N_SHAPES]):
        if is_met(bits, shape) and shapes[shape, 1] != 0:
            k = find_key(m, shape, rows, r)
            if k >= 0:
                if is_fresh and not note_for_key(m, k, r):
                    drop_hits(m, n)
                    return False
                hit_keys[n], hit_rows[n] = k, r
                n += 1
                open_group(m, k)
                fill[k] += 1
    m[N_HITS] = n
    return True


@inline
def open_group(m: Block, k: Number) -> None:
    """Add key `k` to the keys that the segment meets, unless it is there. Its first hit is added next."""
    if vector(m, KEY_FILL)[k] == 0:
        vector(m, GROUP_KEY)[m[N_GROUPS]] = k
        m[N_GROUPS] += 1


@inline
def drop_hits(m: Block, end: Number) -> None:
    """Drop the hits of a row again: those from number N_HITS to `end - 1`."""
    hit_keys, fill = vector(m, HIT_KEYS), vector(m, KEY_FILL)
    for i in range(m[N_HITS], end):
        fill[hit_keys[i]] -= 1
        m[N_GROUPS] -= fill[hit_keys[i]] == 0


@inline
def count_hits(m: Block) -> None:
    """Count the rows of the segment for the keys that they meet."""
    group_key, fill, count = vector(m, GROUP_KEY), vector(m, KEY_FILL), vector(m, KEY_COUNT)
    for g in range(m[N_GROUPS]):
        count[group_key[g]] += fill[group_key[g]]


@inline
def uncount_hits(m: Block, start: Number, common: Number) -> None:
    """Take 1 from the count of each key that a row meets, because the row is counted already.

    `count_hits` then counts it again, with all other rows of the segment.

    `start`: the number of its first hit. `common`: the key without constants if the row meets it, else -1.
    """
    hit_keys, count = vector(m, HIT_KEYS), vector(m, KEY_COUNT)
    for i in range(start, m[N_HITS]):
        count[hit_keys[i]] -= 1
    if common >= 0:
        count[common] -= 1


@inline
def common_key(m: Block, shape: Number, low: Number) -> Number:
    """Return the key without constants. `shape`: its shape. From queue[low] on, some row must meet the key."""
    rows, queue, table, at = matrix(m, ROWS), vector(m, QUEUE), matrix(m, SHAPES)[shape, 0], low
    while rows[queue[at], STATE] >> TABLE & LAST_TABLE != table:
        at += 1
    return find_key(m, shape, rows, np.int64(queue[at]))


@inline
def add_common_hits(m: Block, shape: Number, low: Number, high: Number) -> None:
    """Add the hits of the key without constants, which N_COMMON rows of queue[low:high] meet. `shape`: its shape.

    In the phase ASSERT the rows are counted for the key. They become hits only if a plan of the key can derive facts.
    So before the first owl:sameAs, the rules that replace equal terms cost only this count.
    """
    rows, queue, table = matrix(m, ROWS), vector(m, QUEUE), matrix(m, SHAPES)[shape, 0]
    hit_keys, hit_rows, n, k = vector(m, HIT_KEYS), vector(m, HIT_ROWS), m[N_HITS], common_key(m, shape, low)
    if m[MODE] == ASSERT:
        vector(m, KEY_COUNT)[k] += m[N_COMMON]
    if not has_work(m, k):
        return
    open_group(m, k)
    vector(m, KEY_FILL)[k] += m[N_COMMON]
    for at in range(low, high):
        if rows[queue[at], STATE] >> TABLE & LAST_TABLE == table:
            hit_keys[n], hit_rows[n] = k, queue[at]
            n += 1
    m[N_HITS] = n


@inline
def group_hits(m: Block) -> None:
    """Sort the hits of the segment by key: a counting sort over the keys that were met."""
    hit_keys, hit_rows, grouped = vector(m, HIT_KEYS), vector(m, HIT_ROWS), vector(m, GROUPED)
    group_key, group_low, fill = vector(m, GROUP_KEY), vector(m, GROUP_LOW), vector(m, KEY_FILL)
    total = 0
    for g in range(m[N_GROUPS]):
        k = group_key[g]
        group_low[g] = total
        total += fill[k]
        fill[k] = group_low[g]
    group_low[m[N_GROUPS]] = total
    for i in range(m[N_HITS]):
        k = hit_keys[i]
        grouped[fill[k]] = hit_rows[i]
        fill[k] += 1
    for g in range(m[N_GROUPS]):
        fill[group_key[g]] = 0


@inline
def set_ages(m: Block, low: Number, high: Number, age: Number) -> None:
    """Set the age of the rows queue[low:high] and keep their flags."""
    rows, queue = matrix(m, ROWS), vector(m, QUEUE)
    for i in range(low, high):
        rows[queue[i], STATE] = (rows[queue[i], STATE] & ~AGE) | age


@inline
def segment_end(m: Block) -> Number:
    """Return the end of the segment that starts at SEGMENT_LOW: at most m[SEGMENT] rows of the level.

    The asserted facts of a Bootstrap are in segments of one table each; the rows of a table stand together.
    """
    rows, queue, low = matrix(m, ROWS), vector(m, QUEUE), m[SEGMENT_LOW]
    end = min(m[LEVEL_END], low + m[SEGMENT])
    if m[IS_UPDATE] == 0 and m[LEVEL] == 0:
        table = rows[queue[low], STATE] >> TABLE & LAST_TABLE
        while rows[queue[end - 1], STATE] >> TABLE & LAST_TABLE != table:
            end -= 1
    return end


@inline
def constant_free(m: Block) -> Number:
    """Return the shape of the key without constants, or -1. It is the shape of the triple pattern `?s ?p ?o`.

    There is at most one, because an n-ary atom has its relation as a constant.
    """
    shapes = matrix(m, SHAPES)
    for shape in range(m[N_SHAPES]):
        if shapes[shape, 1] == 0:
            return np.int64(shape)
    return np.int64(-1)


@inline
def has_arranged_all(m: Block) -> Flag:
    """Whether an arrangement has a live ask of the key without constants."""
    arranged, live = matrix(m, ARRANGED), matrix(m, LIVE)
    for a in range(live.shape[0]):  # noqa: SIM110 - a kernel has no generator expressions
        if live[a, 0] == 1 and arranged[a, ARRANGED_BITS] == EVERY_ROW:
            return True
    return False


@inline
def gatekeep(m: Block) -> Number:
    """Make the next segment of the level, and find its hits.

    In the phase ASSERT, also count the rows of the segment for the keys that they meet, flag them as MET, and enter
    them into arrangements: they are noted first, because many notes can be entered faster together. Returns RUNNING, or
    what is needed first: NEED_POSTINGS, or NEED_HITS for hits and for notes. Then make room and call again.
    """
    rows, queue, shapes = matrix(m, ROWS), vector(m, QUEUE), matrix(m, SHAPES)
    low, at, end, common = m[SEGMENT_LOW], m[SEGMENT_HIGH], segment_end(m), constant_free(m)
    room = vector(m, HIT_ROWS).size - m[N_SHAPES] - (end - low if common >= 0 else 0)
    filters, asked = matrix(m, FILTERS), entries(m, ASKED)
    arrives, everywhere = m[MODE] == ASSERT, has_arranged_all(m)
    m[PARTIAL] = arrives
    status = RUNNING
    while at < end and status == RUNNING:
        r, noted, hits = np.int64(queue[at]), m[N_NOTED], m[N_HITS]
        state = rows[r, STATE]
        bits = shapes_met(filters, asked, rows, r, EVERY_SHAPE)
        is_fresh = arrives and state & MET == 0
        is_common = common >= 0 and state >> TABLE & LAST_TABLE == shapes[common, 0]
        if hits > room:
            status = NEED_HITS
        elif (is_common and everywhere and is_fresh and not note_for_key(m, find_key(m, common, rows, r), r)) or (
            bits != 0 and not meet_row(m, rows, r, bits, is_fresh)
        ):
            m[N_NOTED] = noted
            if noted == 0:
                status = NEED_HITS
            elif not enter_noted(m):
                status = NEED_POSTINGS
        else:
            if arrives and not is_fresh:
                uncount_hits(m, hits, find_key(m, common, rows, r) if is_common else np.int64(-1))
            m[N_COMMON] += is_common
            rows[r, STATE] = (state & ~AGE) | CURRENT | (MET if arrives else 0)
            at += 1
    if status == RUNNING and not enter_noted(m):
        status = NEED_POSTINGS
    m[FUEL] -= at - m[SEGMENT_HIGH]
    m[SEGMENT_HIGH] = at
    if status == RUNNING:
        if arrives:
            count_hits(m)
        if m[N_COMMON] > 0:
            add_common_hits(m, common, low, at)
        m[PARTIAL] = m[N_COMMON] = 0
        group_hits(m)
    return np.int64(status)


@inline
def scan_for_plan(m: Block) -> None:
    """Make a segment for the plan SCAN_PLAN: the next scanned rows whose age is in BEFORE and that meet SCAN_KEY."""
    rows, scanned, grouped, group_low = matrix(m, ROWS), vector(m, SCANNED), vector(m, GROUPED), vector(m, GROUP_LOW)
    n = 0
    at = m[SCAN_AT]
    while at < m[SCAN_END] and n < m[SEGMENT]:
        r = np.int64(scanned[at])
        if (m[BEFORE] >> np.int64(rows[r, STATE] & AGE)) & 1 and meets(m, m[SCAN_KEY], rows, r):
            grouped[n] = r
            n += 1
        at += 1
    m[SCAN_AT] = at
    vector(m, GROUP_KEY)[0] = ~m[SCAN_PLAN]
    group_low[0], group_low[1] = 0, n
    m[N_GROUPS] = n > 0


@inline
def scan_heads(m: Block) -> None:
    """Make a segment for backward plans from the next scanned rows. A hit is a head key and a row that meets it."""
    rows, scanned, hit_keys, hit_rows = matrix(m, ROWS), vector(m, SCANNED), vector(m, HIT_KEYS), vector(m, HIT_ROWS)
    fill, n = vector(m, KEY_FILL), 0
    at = m[SCAN_AT]
    while at < m[SCAN_END] and n + m[N_BACK_SHAPES] <= m[SEGMENT]:
        for shape in range(m[N_BACK_SHAPES]):
            k = find_head_key(m, shape, rows, np.int64(scanned[at]))
            if k >= 0:
                hit_keys[n] = k
                hit_rows[n] = scanned[at]
                n += 1
                open_group(m, k)
                fill[k] += 1
        at += 1
    m[SCAN_AT] = at
    m[N_HITS] = n
    group_hits(m)


@inline
def scan(m: Block) -> None:
    """Make a segment of scanned rows instead of new rows of a level. The rows are neither counted nor arranged."""
    start = m[SCAN_AT]
    if m[SCAN_PLAN] >= 0:
        scan_for_plan(m)
    else:
        scan_heads(m)
    m[FUEL] -= m[SCAN_AT] - start


@inline
def close_segment(m: Block) -> None:
    """End a segment: make its rows OLD, or GONE in the phase RETRACT, and clear its hits."""
    set_ages(m, m[SEGMENT_LOW], m[SEGMENT_HIGH], GONE if m[MODE] == RETRACT else OLD)
    m[SEGMENT_LOW] = m[SEGMENT_HIGH]
    m[N_HITS] = m[N_GROUPS] = 0


@inline
def open_level(m: Block, end: Number) -> None:
    """Make the rows queue[LEVEL_END:end] the next level.

    In the phase ASSERT all derivations with which their facts appear are counted now. So the stamps get their frailty.
    """
    rows, queue, arrives, latest = matrix(m, ROWS), vector(m, QUEUE), m[MODE] == ASSERT, m[LATEST]
    for i in range(m[LEVEL_END], end):
        r, state = queue[i], rows[queue[i], STATE]
        rows[r, STATE] = (state & ~AGE) | WAITING
        if arrives and state & ASSERTED == 0:
            rows[r, STAMP] += MOST_FRAIL - min(rows[r, SUPPORT], MOST_FRAIL)
            latest = max(latest, np.int64(rows[r, STAMP]))
    m[LEVEL_END], m[LATEST] = end, latest
