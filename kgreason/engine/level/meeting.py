"""meeting: gatekeep for a large segment of a Bootstrap, and the filling of an arrangement, by all workers at once.

    meet_rows         all workers   each looks up the keys that its part of the segment meets: hits, and found rows
    find_rows         all workers   in place of this: each finds the present rows that one arrangement must hold
    order_groups      one thread    groups the hits of all workers by key, in the order of one thread, and counts them
    group_part        all workers   each writes its hits to their groups
    enter_found_rows  all workers   each enters the found rows whose groups are in its part of the hash table
    end_meeting       one thread    enters the found rows that were put off

A found row is a pair: an arrangement, and a row that it must hold. Invariant: hits, groups of hits, counts and
arrangements are those of `gatekeep`. Only the numbers of groups, and the places of runs, depend on the number of
workers. The rows of a group stand in the order of one thread, because one worker enters them all.

Each worker has a part of the hash table. A share of the table has at least four entries, and so two workers never write
the same word of the filter `signs`. A worker has group numbers and postings of its own (`Gatekeepers._give_room`), so
no two workers take the same. A search that would leave the worker's part of the hash table is put off; so is each later
row of that group.

In a Bootstrap every row of a segment is new: it is counted and entered here and never again. `find_rows` also runs in
an Update, when a plan first needs a large arrangement.

Cost: as `gatekeep`; in addition each found row is written once, and its hash is read by every worker.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.facts.hash_table import BLOCK
from kgreason.engine.index.maintenance import is_asked, note_for_key, note_row, touch_groups
from kgreason.engine.index.postings import PUT_OFF, arrange, enter_before
from kgreason.engine.level.gatekeep import (
    common_key,
    constant_free_shape,
    count_hits,
    has_arranged_all,
    meet_row,
    open_group,
)
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, hashes, matrix, part_of, vector, wide
from kgreason.engine.memory.hashing import SHARES, first_share, part_of_hash
from kgreason.engine.memory.layout import Block
from kgreason.engine.program.derivability import has_work
from kgreason.engine.program.trigger_keys import find_key, shapes_met

MEET, FIND, ORDER, ENTER, END = range(5)
"""The stages of `run_meeting_stage`."""
PICKED = BLOCK
"""So many found rows are picked at a time: `group_key` has room for them, and `hashes` for their hashes."""


@inline
def meet_rows(m: Block, low: Number, high: Number) -> None:
    """As a worker, find the hits of a part of queue[low:high], from AT_WORK on, until the part or the room ends."""
    rows, queue, shapes = matrix(m, at.ROWS), vector(m, at.QUEUE), matrix(m, at.SHAPES)
    filters, asked, room = matrix(m, at.FILTERS), entries(m, at.ASKED), vector(m, at.HIT_ROWS).size - m[at.N_SHAPES]
    common, everywhere = constant_free_shape(m), has_arranged_all(m)
    here, end = part_of(m, low, high, m[at.PART]) + m[at.AT_WORK], part_of(m, low, high, m[at.PART] + 1)
    start = here
    while here < end:
        r, noted = np.int64(queue[here]), m[at.N_NOTED]
        is_common = common >= 0 and rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE == shapes[common, 0]
        if is_common and everywhere and not note_for_key(m, find_key(m, common, rows, r), r):
            m[at.N_NOTED] = noted
            break
        bits = shapes_met(filters, asked, rows, r, at.EVERY_SHAPE)
        if bits != 0 and (m[at.N_HITS] > room or not meet_row(m, rows, r, bits, True)):
            m[at.N_NOTED] = noted
            break
        rows[r, at.STATE] = (rows[r, at.STATE] & ~at.AGE) | at.CURRENT | at.MET
        m[at.N_COMMON] += is_common
        here += 1
    m[at.AT_WORK] += here - start


@inline
def find_rows(m: Block, a: Number, low: Number, high: Number) -> None:
    """As a worker, note those rows of a part of the rows `low` to `high - 1` that arrangement `a` must hold.

    As `arrange_present`, starts at AT_WORK, and stops when the part or the room ends.
    """
    rows, arranged = matrix(m, at.ROWS), matrix(m, at.ARRANGED)
    m[at.N_COMMON] = -1
    here, end = part_of(m, low, high, m[at.PART]) + m[at.AT_WORK], part_of(m, low, high, m[at.PART] + 1)
    start = here
    while here < end:
        if rows[here, at.STATE] & at.MET != 0 and is_asked(m, a, arranged, rows, here) and not note_row(m, a, here):
            break
        here += 1
    m[at.AT_WORK] += here - start


@inline
def order_groups(m: Block, low: Number) -> None:
    """Group the hits of all workers by key, and count the rows of the segment for their keys.

    `low`: where the segment starts in the queue.

    The groups stand in the order in which one thread meets their keys. A worker's array `key_fill` then has the places
    of its hits in `grouped`, and its word N_COMMON the place of its first hit of the key without constants.
    """
    crew, fill, count = wide(m, at.CREW), vector(m, at.KEY_FILL), vector(m, at.KEY_COUNT)
    group_key, group_low, total = vector(m, at.GROUP_KEY), vector(m, at.GROUP_LOW), np.int64(0)
    for t in range(crew.shape[0]):
        met, mine = vector(crew[t], at.GROUP_KEY), vector(crew[t], at.KEY_FILL)
        for i in range(crew[t, at.N_GROUPS]):
            k = met[i]
            open_group(m, k)
            fill[k] += mine[k]
    count_hits(m)
    for g in range(m[at.N_GROUPS]):
        k = group_key[g]
        group_low[g] = place = total
        total += fill[k]
        fill[k] = 0
        for t in range(crew.shape[0]):
            mine = vector(crew[t], at.KEY_FILL)
            if mine[k] != 0:  # only the counts of keys that the worker has met become 0 again
                place += mine[k]
                mine[k] = place - mine[k]
    n_common = np.int64(0)
    for t in range(crew.shape[0]):
        n_common += crew[t, at.N_COMMON]
    if n_common > 0:
        k = common_key(m, constant_free_shape(m), low)
        count[k] += n_common
        works = has_work(m, k)
        if works:
            group_low[m[at.N_GROUPS]] = total
            open_group(m, k)
        for t in range(crew.shape[0]):
            length = crew[t, at.N_COMMON]
            crew[t, at.N_COMMON] = total if works else -1
            if works:
                total += length
    group_low[m[at.N_GROUPS]] = total
    m[at.N_HITS] = total


@inline
def group_part(m: Block, low: Number, high: Number) -> None:
    """As a worker, write the hits of the worker's part of queue[low:high] to `grouped`. A second call does nothing."""
    hit_keys, hit_rows, grouped = vector(m, at.HIT_KEYS), vector(m, at.HIT_ROWS), vector(m, at.GROUPED)
    fill, met, rows, queue = vector(m, at.KEY_FILL), vector(m, at.GROUP_KEY), matrix(m, at.ROWS), vector(m, at.QUEUE)
    for i in range(m[at.N_HITS]):
        k = hit_keys[i]
        grouped[fill[k]] = hit_rows[i]
        fill[k] += 1
    for i in range(m[at.N_GROUPS]):
        fill[met[i]] = 0
    common, place = constant_free_shape(m), m[at.N_COMMON]
    if common >= 0 and place >= 0:
        table = matrix(m, at.SHAPES)[common, 0]
        for i in range(part_of(m, low, high, m[at.PART]), part_of(m, low, high, m[at.PART] + 1)):
            if rows[queue[i], at.STATE] >> at.TABLE & at.LAST_TABLE == table:
                grouped[place] = queue[i]
                place += 1
    m[at.N_HITS] = m[at.N_GROUPS] = 0
    m[at.N_COMMON] = -1


@inline
def enter_found_rows(m: Block) -> None:
    """As a worker, enter the found rows of all workers whose groups are in the worker's part of the hash table.

    Starts at AT_WORK of worker AT_FINDER, and stops when all rows are entered or an array is full.
    """
    crew, slots = wide(m, at.CREW), entries(m, at.GROUP_ENTRIES)
    mine, parts = hashes(m, at.HASHES), crew.shape[0]
    end = first_share(m[at.PART] + 1, parts) * (slots.size // SHARES)
    picked, last = vector(m, at.GROUP_KEY), end & (slots.size - 1)
    while m[at.AT_FINDER] < parts:
        finder = crew[m[at.AT_FINDER]]
        found, h = matrix(finder, at.NOTED), hashes(finder, at.NOTED_HASHES)
        while m[at.AT_WORK] < finder[at.N_NOTED]:
            low = m[at.AT_WORK]
            high, n = min(low + PICKED, finder[at.N_NOTED]), np.int64(0)
            for i in range(low, high):
                picked[n], mine[n] = i, h[i]
                n += part_of_hash(h[i], parts) == m[at.PART]
            touch_groups(m, mine, np.int64(0), n)
            for j in range(n):
                i = picked[j]
                status = enter_before(m, np.int64(found[i, 0]), np.int64(found[i, 1]), h[i], last)
                if status == 0:
                    m[at.AT_WORK] = i
                    return
                if status == PUT_OFF:
                    found[i, 0] = ~found[i, 0]
                    m[at.N_PUT_OFF] += 1
            m[at.AT_WORK] = high
        m[at.AT_FINDER] += 1
        m[at.AT_WORK] = 0


@inline
def enter_put_off_rows(m: Block) -> Flag:
    """Enter the found rows that were put off. Returns False if an array is full; then make room and call again."""
    crew, waiting = wide(m, at.CREW), np.int64(0)
    for t in range(crew.shape[0]):
        waiting += crew[t, at.N_PUT_OFF]
    if waiting > 0:
        for t in range(crew.shape[0]):
            found = matrix(crew[t], at.NOTED)
            for i in range(crew[t, at.N_NOTED]):
                if found[i, 0] < 0:
                    if not arrange(m, np.int64(~found[i, 0]), np.int64(found[i, 1])):
                        return False
                    found[i, 0] = ~found[i, 0]
    return True


@inline
def end_meeting(m: Block) -> Flag:
    """Enter the found rows that were put off, and empty the notes of all workers.

    Returns False if an array is full; then make room and call again.
    """
    crew = wide(m, at.CREW)
    if not enter_put_off_rows(m):
        return False
    for t in range(crew.shape[0]):
        m[at.N_SIGNED] += crew[t, at.N_SIGNED]
        crew[t, at.N_SIGNED] = crew[t, at.N_NOTED] = crew[t, at.N_PUT_OFF] = crew[t, at.AT_WORK] = crew[
            t, at.AT_FINDER
        ] = 0
        crew[t, at.N_COMMON] = 0
    return True


@kernel
def run_meeting_stage(m: Block, stage: Number, a: Number, low: Number, high: Number) -> Number:
    """Run a stage for queue[low:high], or for arrangement `a` and the rows `low` to `high - 1`.

    Returns 0 if END needs more room first, else 1.
    """
    if stage == MEET:
        meet_rows(m, low, high)
    elif stage == FIND:
        find_rows(m, a, low, high)
    elif stage == ORDER:
        order_groups(m, low)
    elif stage == ENTER:
        group_part(m, low, high)
        enter_found_rows(m)
    elif not end_meeting(m):
        return np.int64(0)
    return np.int64(1)
