"""entering: takes the heads that a crew has found into the fact table, in a Bootstrap, by all workers at the same time.

    list_runs     one thread     the heads that can be taken in, in the order of one thread
    enter_heads   all workers    each worker has a part of the hash table, and enters the heads whose entries are there
    number_heads  one thread     the new facts get the numbers of their rows, in the order of their first heads
    write_rows    all workers    rows, queue and entries are written
    finish        one thread     the rows are counted, and the buffers are empty again

Invariant: rows, queue, stamps and supports are those of `distinct`. An entry may stand at another position.

In a Bootstrap all heads of a level have one rank, no row is free or GONE, and no undo log is kept. So a head either is
the first of a new fact, or counts one derivation, and a new fact has no spare derivations. Until `write_rows`, the
entry of a new fact has the number of a head: the row numbers from N_ROWS on stand for the heads of the buffers. A
search that would leave the worker's part of the hash table is put off: `number_heads` makes it.

Cost: each worker reads the hashes of all heads; then one probe for each head, and a row for each new fact.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline, kernel
from kgreason.engine.level.shares import count_work, next_worker
from kgreason.engine.memory.blocks import entries, fill_free, hashes, matrix, vector, wide
from kgreason.engine.memory.hashing import entry_tag, hash_row, log2
from kgreason.engine.memory.layout import (
    AGE,
    ASSERTED,
    AT_EXTENT,
    COUNTED,
    CREW,
    DEAD,
    ENTRIES,
    EXTENT_END,
    EXTENT_START,
    EXTENTS,
    FIRST,
    FREE,
    HASHES,
    HEADS,
    KEPT,
    N_EXTENTS,
    N_HEADS,
    N_NEW,
    N_QUEUE,
    N_ROWS,
    N_RUNS,
    NEXT,
    PART,
    PLACES,
    QUEUE,
    RANKS,
    ROWS,
    RUNS,
    STAMP,
    STATE,
    SUPPORT,
    TABLE,
    TABLES,
    Block,
    Flag,
    Int32,
    Number,
    UInt32,
)

LIST, ENTER, NUMBER, WRITE, FINISH, REHASH = range(6)
"""The stages of `take_in`."""

REPEATED, PUT_OFF = -1, -2
"""The place of a head that is not the first of its fact, and of a head that `number_heads` enters."""
BLOCK = 128


@inline
def list_runs(m: Block) -> None:
    """Write the heads that can be taken in to `runs`, in the order of one thread."""
    crew, runs, n = wide(m, CREW), wide(m, RUNS), np.int64(0)
    count_work(m)
    t = next_worker(m)
    while t >= 0 and n < runs.shape[0]:
        worker = crew[t]
        at = worker[AT_EXTENT]
        start, end = wide(worker, EXTENTS)[at, EXTENT_START], wide(worker, EXTENTS)[at, EXTENT_END]
        if end > start:
            runs[n, 0], runs[n, 1], runs[n, 2] = t, start, end
            n += 1
        worker[AT_EXTENT] = at + 1
        t = next_worker(m)
    m[N_RUNS] = n


@inline
def has_head(heads: Int32, i: Number, others: Int32, first: Number, other: Number) -> Flag:
    """Whether the fact heads[i] is the fact in line `other` of `others`, from word `first` on."""
    for c in range(heads.shape[1]):  # noqa: SIM110 - a kernel has no generator expressions
        if heads[i, c] != others[other, first + c]:
            return False
    return True


@inline
def enter_head(
    m: Block, slots: UInt32, bits: Number, worker: Block, t: Number, i: Number, home: Number, end: Number
) -> None:
    """Enter head `i` of worker number `t`, or count its derivation.

    `home`: the position in the hash table at which the search starts. `end`: the position at which the search is put
    off, or -1.
    """
    heads, places, counted = matrix(worker, HEADS), vector(worker, PLACES), vector(worker, COUNTED)
    h = hashes(worker, KEPT)[i]
    tag, low, room = entry_tag(h, bits), np.uint32((1 << bits) - 1), heads.shape[0] - 1
    at = home
    while True:
        entry = slots[at]
        if entry == 0:
            slots[at] = tag | np.uint32(m[N_ROWS] + t * room + i + 1)
            places[i], counted[i] = at, 1
            return
        if (entry & ~low) == tag:
            r = np.int64(entry & low) - 1
            if r >= m[N_ROWS]:
                other = wide(m, CREW)[(r - m[N_ROWS]) // room]
                r = (r - m[N_ROWS]) % room
                if has_head(heads, i, matrix(other, HEADS), np.int64(0), r):
                    vector(other, COUNTED)[r] += 1
                    places[i] = REPEATED
                    return
            elif has_head(heads, i, matrix(m, ROWS), np.int64(FIRST), r):
                if matrix(m, ROWS)[r, STATE] & (AGE | ASSERTED) == NEXT:
                    matrix(m, ROWS)[r, SUPPORT] += 1
                places[i] = REPEATED
                return
        at = (at + 1) & (slots.size - 1)
        if at == end:
            places[i] = PUT_OFF
            return


@inline
def enter_heads(m: Block) -> None:
    """As a worker, enter the heads whose entries belong to the worker's part of the hash table."""
    crew, runs, slots, bits = wide(m, CREW), wide(m, RUNS), entries(m, ENTRIES), log2(m, ENTRIES)
    start, end = m[PART] * slots.size // crew.shape[0], (m[PART] + 1) * slots.size // crew.shape[0]
    shift = np.uint64(64 - bits)
    last = end & (slots.size - 1)
    for n in range(m[N_RUNS]):
        t = runs[n, 0]
        worker = crew[t]
        h = hashes(worker, KEPT)
        for low in range(runs[n, 1], runs[n, 2], BLOCK):
            high = min(low + BLOCK, runs[n, 2])
            met = np.uint32(0)
            for i in range(low, high):
                home = np.int64(h[i] >> shift)
                if start <= home < end:
                    met |= slots[home]
            hashes(m, HASHES)[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads
            for i in range(low, high):
                home = np.int64(h[i] >> shift)
                if start <= home < end:
                    enter_head(m, slots, bits, worker, t, i, home, last)


@inline
def number_heads(m: Block) -> None:
    """Enter the heads that were put off. Give each new fact the number of its row, in the order of the heads."""
    crew, runs, slots, bits = wide(m, CREW), wide(m, RUNS), entries(m, ENTRIES), log2(m, ENTRIES)
    shift = np.uint64(64 - bits)
    for n in range(m[N_RUNS]):
        t = runs[n, 0]
        worker = crew[t]
        places, h = vector(worker, PLACES), hashes(worker, KEPT)
        for i in range(runs[n, 1], runs[n, 2]):
            if places[i] == PUT_OFF:
                enter_head(m, slots, bits, worker, t, i, np.int64(h[i] >> shift), np.int64(-1))
    total = np.int64(0)
    for n in range(m[N_RUNS]):
        places = vector(crew[runs[n, 0]], PLACES)
        new = np.int64(0)
        for i in range(runs[n, 1], runs[n, 2]):
            new += places[i] >= 0
        runs[n, 3] = total
        total += new
    m[N_NEW] = total


@inline
def write_rows(m: Block) -> None:
    """As a worker, write the rows of the new facts in some of the runs, their places in the queue and their entries."""
    crew, runs, slots, bits = wide(m, CREW), wide(m, RUNS), entries(m, ENTRIES), log2(m, ENTRIES)
    rows, queue = matrix(m, ROWS), vector(m, QUEUE)
    for n in range(m[PART], m[N_RUNS], crew.shape[0]):
        worker = crew[runs[n, 0]]
        heads, ranks, tables = matrix(worker, HEADS), vector(worker, RANKS), vector(worker, TABLES)
        places, counted, h = vector(worker, PLACES), vector(worker, COUNTED), hashes(worker, KEPT)
        r, at = m[N_ROWS] + runs[n, 3], m[N_QUEUE] + runs[n, 3]
        for i in range(runs[n, 1], runs[n, 2]):
            if places[i] >= 0:
                rows[r, STATE] = NEXT | tables[i] << TABLE
                rows[r, STAMP], rows[r, SUPPORT] = max(ranks[i] + 1, 1), counted[i]
                for c in range(heads.shape[1]):
                    rows[r, FIRST + c] = heads[i, c]
                slots[places[i]] = entry_tag(h[i], bits) | np.uint32(r + 1)
                queue[at] = r
                r += 1
                at += 1


@inline
def finish(m: Block) -> None:
    """Count the new rows, and empty the buffers whose heads are all taken in."""
    crew = wide(m, CREW)
    m[N_ROWS] += m[N_NEW]
    m[N_QUEUE] += m[N_NEW]
    m[N_RUNS] = m[N_NEW] = 0
    for t in range(crew.shape[0]):
        worker = crew[t]
        if worker[AT_EXTENT] == worker[N_EXTENTS]:
            worker[N_HEADS] = worker[N_EXTENTS] = worker[AT_EXTENT] = 0


@inline
def rehash_part(m: Block) -> None:
    """As a worker, fill the hash table with a part of the rows. Other workers fill it at the same time."""
    rows, slots, h = matrix(m, ROWS), entries(m, ENTRIES), hashes(m, HASHES)
    bits, width, parts = log2(m, ENTRIES), rows.shape[1] - FIRST, wide(m, CREW).shape[0]
    shift = np.uint64(64 - bits)
    end = m[N_ROWS] * (m[PART] + 1) // parts
    for low in range(m[N_ROWS] * m[PART] // parts, end, BLOCK):
        high = min(low + BLOCK, end)
        met = np.uint32(0)
        for r in range(low, high):
            h[r - low] = hash_row(rows, r, FIRST, width)
            met |= slots[h[r - low] >> shift]
        h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads
        for r in range(low, high):
            age = rows[r, STATE] & AGE
            if age != FREE and age != DEAD:
                at = np.int64(h[r - low] >> shift)
                entry = entry_tag(h[r - low], bits) | np.uint32(r + 1)
                while slots[at] != 0 or not fill_free(slots, at, entry):
                    at = (at + 1) & (slots.size - 1)


@kernel
def take_in(m: Block, stage: Number) -> None:
    """Run a stage."""
    if stage == LIST:
        list_runs(m)
    elif stage == ENTER:
        enter_heads(m)
    elif stage == NUMBER:
        number_heads(m)
    elif stage == WRITE:
        write_rows(m)
    elif stage == FINISH:
        finish(m)
    else:
        rehash_part(m)
