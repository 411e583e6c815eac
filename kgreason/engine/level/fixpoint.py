"""The fixpoint: levels of gatekeep, product and distinct, until a level derives no new fact and takes no fact away.

A level is DBSP's inner time. The same code runs for facts that arrive and for facts that leave. In a *scan* the code
reads a list of rows, not the new rows of a level. A scan finds the heads of a rule that comes or goes, or the
derivations of given facts.

`advance` can be interrupted and continued. It returns when it is done, when an array must grow, when an arrangement
must be filled, or when its fuel (a number of rewrites and rows) is used up; the next call continues from the state in
the memory block. So between calls Python can grow arrays, show progress, check a budget and notice Ctrl-C. A small
commit needs one call for each of its phases (RETRACT, REDERIVE, ASSERT).

A level with many new rows runs in segments. Rows of later segments are invisible to a segment. So every derivation is
still met exactly once, and the scratch arrays stay small. How often gatekeep, product and distinct run in a level
depends on the number of its new rows and heads, not on the number of rules.
"""

from __future__ import annotations

from kgreason.compiled import inline, kernel
from kgreason.engine.level.distinct import discount, distinct
from kgreason.engine.level.gatekeep import close_segment, gatekeep, open_level, scan, segment_end
from kgreason.engine.level.product import MISSING, product
from kgreason.engine.level.shares import are_finished, collect, count_work, divide, is_divided, next_worker, run_chunks
from kgreason.engine.memory.layout import (
    ASSERT,
    AT_GROUP,
    AT_PLAN,
    CALLS,
    CHECK_AT,
    DISTINCT,
    DONE,
    ENTRIES,
    EXPLAIN,
    FEWEST_FACTS,
    FUEL,
    GATEKEEP,
    IS_UPDATE,
    LEVEL,
    LEVEL_END,
    LEVELS,
    LOGGING,
    MODE,
    N_CHUNKS,
    N_FREE,
    N_HEADS,
    N_QUEUE,
    N_ROWS,
    N_TOUCHED,
    NEED_ARRANGEMENT,
    NEED_CREW,
    NEED_LIMIT,
    NEED_MEETING,
    NEED_READER,
    NEED_ROWS,
    PHASE,
    PRODUCT,
    QUEUE,
    RETRACT,
    REWRITES,
    ROWS,
    RUNNING,
    SCAN,
    SCAN_AT,
    SCAN_END,
    SEGMENT_HIGH,
    SEGMENT_LOW,
    SHARE,
    UNDO,
    Block,
    Flag,
    Number,
)


@inline
def is_met_by_all(m: Block) -> Flag:
    """Whether all workers are to gatekeep the next segment: it is large, and all its rows are new."""
    is_large = m[LEVEL_END] - m[SEGMENT_LOW] >= m[FEWEST_FACTS]
    return is_large and m[IS_UPDATE] == 0 and m[MODE] == ASSERT and m[SEGMENT_HIGH] == m[SEGMENT_LOW]


@inline
def next_segment(m: Block) -> Number:
    """Call `gatekeep` for the next segment. If the level is done, open the next level first.

    In a scan, make a segment of the next scanned rows. Returns DONE if no row is left, NEED_POSTINGS or NEED_HITS if an
    array is full, NEED_MEETING if all workers are to gatekeep the segment, else RUNNING.
    """
    if m[PHASE] == SCAN:
        if m[SCAN_AT] == m[SCAN_END]:
            return DONE
        scan(m)
    else:
        if m[SEGMENT_LOW] == m[LEVEL_END]:
            if m[N_QUEUE] == m[LEVEL_END] and m[SEGMENT_HIGH] == m[LEVEL_END]:
                return DONE
            if m[SEGMENT_HIGH] == m[LEVEL_END]:
                open_level(m, m[N_QUEUE])
                m[LEVEL] += 1
                m[LEVELS] += 1
        if is_met_by_all(m):
            m[SEGMENT_HIGH] = segment_end(m)
            return NEED_MEETING
        status = gatekeep(m)
        if status != RUNNING:
            return status
    m[AT_GROUP], m[AT_PLAN] = 0, -1
    m[PHASE] = PRODUCT
    return RUNNING


@inline
def has_room(m: Block) -> Flag:
    """Whether the fact table, the queue and the undo log have room for the head buffer."""
    heads = m[N_HEADS]
    rows = m[N_ROWS] + max(0, heads - m[N_FREE])
    return (
        rows <= m[ROWS + 1]
        and 8 * rows <= 5 * m[ENTRIES + 1]
        and m[N_QUEUE] + heads <= m[QUEUE + 1]
        and (m[LOGGING] == 0 or m[N_TOUCHED] + heads <= m[UNDO + 1])
    )


@inline
def go_on_sharing(m: Block) -> Number:
    """Go on after heads of the workers were taken in: with more of their heads, or with the product."""
    if next_worker(m) >= 0:
        return RUNNING
    if not are_finished(m):
        return NEED_CREW
    m[N_CHUNKS], m[PHASE] = 0, PRODUCT
    return RUNNING


@kernel
def advance(m: Block) -> Number:
    """Run levels until nothing is left to do, or until something is needed that only Python can do.

    Returns DONE, RUNNING (the fuel is used up), or a status `NEED_...` of `layout`, which names what is missing.
    """
    while m[FUEL] >= 0:
        m[CALLS] += 1
        if m[PHASE] == GATEKEEP or m[PHASE] == SCAN:
            status = next_segment(m)
            if status != RUNNING:
                return status
        elif m[PHASE] == PRODUCT:
            if is_divided(m):
                if divide(m) == MISSING:
                    return NEED_ARRANGEMENT
                m[PHASE] = DISTINCT
                if m[N_CHUNKS] != 0:
                    return NEED_CREW
            elif product(m) == MISSING:
                return NEED_ARRANGEMENT
            m[PHASE] = DISTINCT
        elif m[PHASE] == SHARE:
            run_chunks(m)
            return RUNNING
        else:
            if m[N_CHUNKS] != 0:
                count_work(m)
                collect(m)
            if m[MODE] == EXPLAIN:
                if m[N_HEADS] > 0:
                    return NEED_READER
            elif not has_room(m):
                return NEED_ROWS
            elif m[MODE] == RETRACT:
                discount(m)
            else:
                distinct(m)
            if m[N_CHUNKS] != 0:
                status = go_on_sharing(m)
                if status != RUNNING:
                    return status
                continue
            m[PHASE] = PRODUCT
            if m[AT_PLAN] == -1:
                close_segment(m)
                m[PHASE] = SCAN if m[SCAN_END] != 0 else GATEKEEP
                if m[REWRITES] > m[CHECK_AT]:
                    return NEED_LIMIT
    return RUNNING
