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

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.level.distinct import discount, distinct
from kgreason.engine.level.gatekeep import close_segment, gatekeep, open_level, scan, segment_end
from kgreason.engine.level.product import MISSING, product
from kgreason.engine.level.shares import (
    are_finished,
    collect_heads,
    count_work,
    divide_product,
    is_worth_dividing,
    next_worker,
    run_chunks,
)
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.layout import Block


@inline
def is_met_by_all(m: Block) -> Flag:
    """Whether all workers are to gatekeep the next segment: it is large, and all its rows are new."""
    is_large = m[at.LEVEL_END] - m[at.SEGMENT_LOW] >= m[at.FEWEST_FACTS]
    return is_large and m[at.IS_UPDATE] == 0 and m[at.MODE] == at.ASSERT and m[at.SEGMENT_HIGH] == m[at.SEGMENT_LOW]


@inline
def next_segment(m: Block) -> Number:
    """Call `gatekeep` for the next segment. If the level is done, open the next level first.

    In a scan, make a segment of the next scanned rows. Returns DONE if no row is left, NEED_POSTINGS or NEED_HITS if an
    array is full, NEED_MEETING if all workers are to gatekeep the segment, else RUNNING.
    """
    if m[at.PHASE] == at.SCAN:
        if m[at.SCAN_AT] == m[at.SCAN_END]:
            return at.DONE
        scan(m)
    else:
        if m[at.SEGMENT_LOW] == m[at.LEVEL_END]:
            if m[at.N_QUEUE] == m[at.LEVEL_END] and m[at.SEGMENT_HIGH] == m[at.LEVEL_END]:
                return at.DONE
            if m[at.SEGMENT_HIGH] == m[at.LEVEL_END]:
                open_level(m, m[at.N_QUEUE])
                m[at.LEVEL] += 1
                m[at.LEVELS] += 1
        if is_met_by_all(m):
            m[at.SEGMENT_HIGH] = segment_end(m)
            return at.NEED_MEETING
        status = gatekeep(m)
        if status != at.RUNNING:
            return status
    m[at.AT_GROUP], m[at.AT_PLAN] = 0, -1
    m[at.PHASE] = at.PRODUCT
    return at.RUNNING


@inline
def has_room(m: Block) -> Flag:
    """Whether the fact table, the queue and the undo log have room for the head buffer."""
    heads = m[at.N_HEADS]
    rows = m[at.N_ROWS] + max(0, heads - m[at.N_FREE])
    return (
        rows <= m[at.ROWS + 1]
        and 8 * rows <= 5 * m[at.ENTRIES + 1]
        and m[at.N_QUEUE] + heads <= m[at.QUEUE + 1]
        and (m[at.LOGGING] == 0 or m[at.N_TOUCHED] + heads <= m[at.UNDO + 1])
    )


@inline
def resume_product(m: Block) -> Number:
    """Go on after heads of the workers were taken in: with more of their heads, or with the product."""
    if next_worker(m) >= 0:
        return at.RUNNING
    if not are_finished(m):
        return at.NEED_CREW
    m[at.N_CHUNKS], m[at.PHASE] = 0, at.PRODUCT
    return at.RUNNING


@kernel
def advance(m: Block) -> Number:
    """Run levels until nothing is left to do, or until something is needed that only Python can do.

    Returns DONE, RUNNING (the fuel is used up), or a status `NEED_...` of `layout`, which names what is missing.
    """
    while m[at.FUEL] >= 0:
        m[at.CALLS] += 1
        if m[at.PHASE] == at.GATEKEEP or m[at.PHASE] == at.SCAN:
            status = next_segment(m)
            if status != at.RUNNING:
                return status
        elif m[at.PHASE] == at.PRODUCT:
            if is_worth_dividing(m):
                if divide_product(m) == MISSING:
                    return at.NEED_ARRANGEMENT
                m[at.PHASE] = at.DISTINCT
                if m[at.N_CHUNKS] != 0:
                    return at.NEED_CREW
            elif product(m) == MISSING:
                return at.NEED_ARRANGEMENT
            m[at.PHASE] = at.DISTINCT
        elif m[at.PHASE] == at.SHARE:
            run_chunks(m)
            return at.RUNNING
        else:
            if m[at.N_CHUNKS] != 0:
                count_work(m)
                collect_heads(m)
            if m[at.MODE] == at.EXPLAIN:
                if m[at.N_HEADS] > 0:
                    return at.NEED_READER
            elif not has_room(m):
                return at.NEED_ROWS
            elif m[at.MODE] == at.RETRACT:
                discount(m)
            else:
                distinct(m)
            if m[at.N_CHUNKS] != 0:
                status = resume_product(m)
                if status != at.RUNNING:
                    return status
                continue
            m[at.PHASE] = at.PRODUCT
            if m[at.AT_PLAN] == -1:
                close_segment(m)
                m[at.PHASE] = at.SCAN if m[at.SCAN_END] != 0 else at.GATEKEEP
                if m[at.REWRITES] > m[at.CHECK_AT]:
                    return at.NEED_LIMIT
    return at.RUNNING
