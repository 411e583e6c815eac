"""gatekeep: finds the trigger keys that the rows of a segment meet, and enters the rows into arrangements.

A row meets a key if it has the constants of the key. A *segment* is a part of the new rows of a level. Invariant: a
present fact is counted once for each trigger key that it meets, and is once in each arrangement that a live ask of one
of these keys names. For a fact that no key mentions, the only cost is a look at the flags of its ids. Facts that leave
are looked up in the same way, but are neither counted nor entered.

Output: the *hits* of the segment, pairs (key, row), grouped by key. A counting sort over the keys that were met groups
the hits, so that the cost does not depend on the number of rules.
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
    BEFORE,
    CURRENT,
    EVERY_ROW,
    FILTERS,
    FUEL,
    GONE,
    GROUP_KEY,
    GROUP_LOW,
    GROUPED,
    HIT_KEYS,
    HIT_ROWS,
    KEY_COUNT,
    KEY_FILL,
    KEY_INFO,
    LAST_TABLE,
    LEVEL,
    LEVEL_END,
    LIVE,
    MET,
    MODE,
    N_BACK_SHAPES,
    N_GROUPS,
    N_HITS,
    N_NOTED,
    N_SHAPES,
    NEED_HITS,
    NEED_POSTINGS,
    OLD,
    PARTIAL,
    QUEUE,
    RANKED,
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
    STATE,
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
def gatekeep_row(m: Block, rows: Int32, r: Number, bits: Number, is_fresh: Flag) -> Flag:
    """Add a hit for each trigger key that row `r` meets. `bits`: the result of `shapes_met` for the row.

    With `is_fresh`, this function also counts the row for these keys, and notes the row for arrangements. If `noted` is
    full, the function adds no hit and returns False. Then the caller removes the notes of the row.
    """
    hit_keys, hit_rows, key_info, count = (
        vector(m, HIT_KEYS),
        vector(m, HIT_ROWS),
        matrix(m, KEY_INFO),
        vector(m, KEY_COUNT),
    )
    n = m[N_HITS]
    for shape in range(m[N_SHAPES]):
        if is_met(bits, shape):
            k = find_key(m, shape, rows, r)
            if k >= 0:
                if is_fresh and key_info[k, 2] >= 0 and not note_for_key(m, k, r):
                    return False
                hit_keys[n] = k
                hit_rows[n] = r
                n += 1
    if is_fresh:
        for i in range(m[N_HITS], n):
            count[hit_keys[i]] += 1
    m[N_HITS] = n
    return True


@inline
def note_everywhere(m: Block, shape: Number, rows: Int32, r: Number) -> Flag:
    """Note row `r` for the arrangements that the key without constants asks for, if the asks are live.

    `shape`: the shape of this key. Returns False if `noted` is full.
    """
    k = find_key(m, shape, rows, r)
    return k < 0 or note_for_key(m, k, r)


@inline
def add_common_hits(m: Block, shape: Number, low: Number, high: Number) -> None:
    """Add the hits of the key without constants, which all triples of queue[low:high] meet. `shape`: its shape.

    In the phase ASSERT the new rows are counted for the key. The rows become hits only if a plan of the key can derive
    facts. So before the first owl:sameAs, the rules that replace equal terms cost only this count.
    """
    rows, queue, shapes, count = matrix(m, ROWS), vector(m, QUEUE), matrix(m, SHAPES), vector(m, KEY_COUNT)
    hit_keys, hit_rows = vector(m, HIT_KEYS), vector(m, HIT_ROWS)
    n = start = m[N_HITS]
    fresh = 0
    for i in range(low, high):
        state = rows[queue[i], STATE]
        if state >> TABLE & LAST_TABLE == shapes[shape, 0]:
            hit_rows[n] = queue[i]
            n += 1
            fresh += state & MET == 0
    if n > start:
        k = find_key(m, shape, rows, hit_rows[start])
        if m[MODE] == ASSERT:
            count[k] += fresh
        if has_work(m, k):
            for i in range(start, n):
                hit_keys[i] = k
            m[N_HITS] = n


@inline
def group_hits(m: Block) -> None:
    """Sort the hits of the segment by key: a counting sort over the keys that were met."""
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
    """Set the age of the rows queue[low:high] and keep their flags."""
    rows, queue = matrix(m, ROWS), vector(m, QUEUE)
    for i in range(low, high):
        rows[queue[i], STATE] = (rows[queue[i], STATE] & ~AGE) | age


@inline
def mark_met(m: Block, low: Number, high: Number) -> None:
    """Set the flag MET of the rows queue[low:high], which have been counted and entered into arrangements."""
    rows, queue = matrix(m, ROWS), vector(m, QUEUE)
    for i in range(low, high):
        rows[queue[i], STATE] |= MET


@inline
def segment_end(m: Block) -> Number:
    """Return the end of the segment that starts at SEGMENT_LOW: at most m[SEGMENT] rows of the level.

    The asserted facts of a Bootstrap are in segments of one table each; the rows of a table stand together.
    """
    rows, queue, low = matrix(m, ROWS), vector(m, QUEUE), m[SEGMENT_LOW]
    end = min(m[LEVEL_END], low + m[SEGMENT])
    if m[RANKED] == 0 and m[LEVEL] == 0:
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

    In the phase ASSERT, also count the rows of the segment for the keys that they meet, and enter the rows into
    arrangements: they are noted first, because many notes can be entered faster together. Returns RUNNING, or what is
    needed first: NEED_POSTINGS, or NEED_HITS for hits and for notes. Then make room and call again.
    """
    rows, queue = matrix(m, ROWS), vector(m, QUEUE)
    low, at, end, common = m[SEGMENT_LOW], m[SEGMENT_HIGH], segment_end(m), constant_free(m)
    room = vector(m, HIT_ROWS).size - m[N_SHAPES] - (end - low if common >= 0 else 0)
    filters, asked = matrix(m, FILTERS), entries(m, ASKED)
    arrives, everywhere = m[MODE] == ASSERT, has_arranged_all(m)
    m[PARTIAL] = arrives
    status = RUNNING
    while at < end and status == RUNNING:
        r, noted = np.int64(queue[at]), m[N_NOTED]
        bits = shapes_met(filters, asked, rows, r)
        is_fresh = arrives and rows[r, STATE] & MET == 0
        if m[N_HITS] > room:
            status = NEED_HITS
        elif (everywhere and is_fresh and not note_everywhere(m, common, rows, r)) or (
            bits != 0 and not gatekeep_row(m, rows, r, bits, is_fresh)
        ):
            m[N_NOTED] = noted
            if noted == 0:
                status = NEED_HITS
            elif not enter_noted(m):
                status = NEED_POSTINGS
        else:
            rows[r, STATE] = (rows[r, STATE] & ~AGE) | CURRENT
            at += 1
    if status == RUNNING and not enter_noted(m):
        status = NEED_POSTINGS
    m[FUEL] -= at - m[SEGMENT_HIGH]
    m[SEGMENT_HIGH] = at
    if status == RUNNING:
        if common >= 0:
            add_common_hits(m, common, low, at)
        if arrives:
            mark_met(m, low, at)
        m[PARTIAL] = 0
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
    n = 0
    at = m[SCAN_AT]
    while at < m[SCAN_END] and n + m[N_BACK_SHAPES] <= m[SEGMENT]:
        for shape in range(m[N_BACK_SHAPES]):
            k = find_head_key(m, shape, rows, np.int64(scanned[at]))
            if k >= 0:
                hit_keys[n] = k
                hit_rows[n] = scanned[at]
                n += 1
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
    """Make the rows queue[LEVEL_END:end] the next level."""
    set_ages(m, m[LEVEL_END], end, WAITING)
    m[LEVEL_END] = end
