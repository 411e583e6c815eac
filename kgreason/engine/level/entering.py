"""entering: takes the heads that a crew has found into the fact table, in a Bootstrap, by all workers at the same time.

    list_runs        one thread    the heads that can be taken in, in the order of one thread
    enter_heads      all workers   each worker enters the heads of its part: their entries are in its part of the table
    number_heads     one thread    the new facts get the numbers of their rows, in the order of their first heads
    write_rows       all workers   rows, queue and entries are written
    finish_entering  one thread    the rows are counted, and the buffers are empty again

Asserted facts of a Bootstrap that may be there already are taken in the same way; `part_rows` makes heads of them.

Invariant: rows, queue, stamps and supports are those of `distinct` and `assert_rows`. An entry may stand at another
position.

In a Bootstrap the heads of a level have ranks of one level, no row is free or GONE, and no undo log is kept. So a head
either is the first of a new fact, or counts one derivation, and a new fact has no spare derivations. All heads of a
fact are in one part, so one worker counts all its derivations. Until `write_rows`, the entry of a new fact has the
place of a head in `parted`: the row numbers from N_ROWS on stand for places. What a worker writes for a head is at its
place too, so that two workers never write to one line of an array. A search that would leave the worker's part of the
hash table is put off: `number_heads` makes it.

Cost: one probe for each head, and a row for each new fact.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.level.distinct import count_derivation, stamp_above
from kgreason.engine.level.shares import count_work, list_heads_by_part, next_worker
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, fill_free, hashes, matrix, part_of, places_of, vector, wide
from kgreason.engine.memory.hashing import SHARES, entry_tag, first_share, hash_row, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32, Int32s, Int64, UInt32

LIST, ENTER, NUMBER, WRITE, FINISH, REHASH = range(6)
"""The stages of `run_entering_stage`."""

REPEATED, PUT_OFF = -1, -2
"""In place of the position of an entry: for a head that is not the first of its fact, and for one that `number_heads`
enters."""
BLOCK = 128
RUN_WORKER, RUN_EXTENT, RUN_BEFORE, RUN_NEW = range(4)
"""The words of a run; from RUN_NEW on there is one for each part."""


@kernel
def part_rows(m: Block, keys: Int32s, table: Number, low: Number, high: Number) -> None:
    """As a worker, put a share of the facts keys[low:high] of a table into the head buffer, as heads of one extent."""
    extents, heads, tables, h = wide(m, at.EXTENTS), matrix(m, at.HEADS), vector(m, at.TABLES), hashes(m, at.HASHED)
    start, stop = part_of(m, low, high, m[at.PART]), part_of(m, low, high, m[at.PART] + 1)
    for i in range(start, stop):
        h[i - start], tables[i - start] = hash_row(keys, i, 0, keys.shape[1]), table
        for c in range(heads.shape[1]):
            heads[i - start, c] = keys[i, c] if c < keys.shape[1] else 0
    m[at.N_HEADS] = stop - start
    list_heads_by_part(m, np.int64(0))
    extents[0, at.EXTENT_CHUNK], extents[0, at.EXTENT_START], extents[0, at.EXTENT_END] = 0, 0, m[at.N_HEADS]
    extents[0, at.EXTENT_REWRITES] = extents[0, at.EXTENT_DERIVATIONS] = 0
    m[at.N_EXTENTS] = 1


@inline
def list_runs(m: Block) -> None:
    """Write the heads that can be taken in to `runs`, in the order of one thread."""
    crew, runs, n = wide(m, at.CREW), wide(m, at.RUNS), np.int64(0)
    count_work(m)
    t = next_worker(m)
    while t >= 0 and n < runs.shape[0]:
        worker = crew[t]
        here = worker[at.AT_EXTENT]
        if wide(worker, at.EXTENTS)[here, at.EXTENT_END] > wide(worker, at.EXTENTS)[here, at.EXTENT_START]:
            runs[n, RUN_WORKER], runs[n, RUN_EXTENT] = t, here
            n += 1
        worker[at.AT_EXTENT] = here + 1
        t = next_worker(m)
    m[at.N_RUNS] = n


@inline
def part_start(extents: Int64, part_ends: Int64, extent: Number, p: Number) -> Number:
    """Return the first place of part `p` of an extent in `parted`."""
    return part_ends[extent, p - 1] if p > 0 else extents[extent, at.EXTENT_START]


@inline
def is_same_fact(lines: Int32, i: Number, others: Int32, first: Number, other: Number, width: Number) -> Flag:
    """Whether `width` words of lines[i] are those in line `other` of `others`, from word `first` on."""
    for c in range(width):  # noqa: SIM110 - a kernel has no generator expressions
        if lines[i, c] != others[other, first + c]:
            return False
    return True


@inline
def enter_head(
    m: Block, slots: UInt32, rows: Int32, heads: Int32, line: Number, h: Number, t: Number, place: Number, end: Number
) -> Number:
    """Enter the head heads[line] of worker number `t`, or count its derivation. `h`: its hash.

    `place`: its place in `parted`. Returns the position of its entry if the head is the first of a new fact; otherwise
    REPEATED, or PUT_OFF if the search comes to the position `end` of the hash table.
    """
    bits, width, n_rows = table_bits(m, at.ENTRIES), heads.shape[1], m[at.N_ROWS]
    tag, low, mask = entry_tag(h, bits), np.uint32((1 << bits) - 1), np.int64(slots.size - 1)
    here = np.int64(h >> np.uint64(64 - bits))
    while True:
        entry = slots[here]
        if entry == 0:
            slots[here] = tag | np.uint32(n_rows + (t << m[at.PART_BITS]) + place + 1)
            vector(wide(m, at.CREW)[t], at.COUNTED)[place] = 1
            return here
        if (entry & ~low) == tag:
            r = np.int64(entry & low) - 1
            if r >= n_rows:
                other = wide(m, at.CREW)[(r - n_rows) >> m[at.PART_BITS]]
                first = (r - n_rows) & ((1 << m[at.PART_BITS]) - 1)
                if is_same_fact(
                    heads, line, matrix(other, at.HEADS), np.int64(0), np.int64(vector(other, at.PARTED)[first]), width
                ):
                    vector(other, at.COUNTED)[first] += 1
                    return np.int64(REPEATED)
            elif is_same_fact(heads, line, rows, np.int64(at.FIRST), r, width):
                count_head(m, rows, r, np.int64(vector(wide(m, at.CREW)[t], at.RANKS)[line]))
                return np.int64(REPEATED)
        here = (here + 1) & mask
        if here == end:
            return np.int64(PUT_OFF)


@inline
def count_head(m: Block, rows: Int32, r: Number, rank: Number) -> None:
    """Count a derivation of the fact in row `r`, or note that the fact is asserted. `rank`: that of the derivation."""
    state = rows[r, at.STATE]
    if m[at.ASSERTING] != 0:
        rows[r, at.STATE] = state | at.ASSERTED
    elif state & at.UNKNOWN == 0:
        count_derivation(rows, r, rank)
    else:
        rows[r, at.SUPPORT] += rank < rows[r, at.STAMP]


@inline
def enter_heads(m: Block) -> None:
    """As a worker, enter the heads of the worker's part, whose entries are in its part of the hash table."""
    crew, runs, slots = wide(m, at.CREW), wide(m, at.RUNS), entries(m, at.ENTRIES)
    rows, h = matrix(m, at.ROWS), hashes(m, at.HASHES)
    p, n_rows, bits = m[at.PART], m[at.N_ROWS], table_bits(m, at.ENTRIES)
    shift, low_bits = np.uint64(64 - bits), np.uint32((1 << bits) - 1)
    end = first_share(p + 1, crew.shape[0]) * (slots.size // SHARES) & (slots.size - 1)
    for n in range(m[at.N_RUNS]):
        t, extent, new = runs[n, RUN_WORKER], runs[n, RUN_EXTENT], np.int64(0)
        worker, extents, part_ends = crew[t], wide(crew[t], at.EXTENTS), wide(crew[t], at.PART_ENDS)
        heads, parted, hashed = matrix(worker, at.HEADS), vector(worker, at.PARTED), hashes(worker, at.HASHED)
        entry_at = places_of(worker, at.ENTRY_AT)
        start, stop = part_start(extents, part_ends, extent, p), part_ends[extent, p]
        for low in range(start, stop, BLOCK):
            high, met = min(low + BLOCK, stop), np.int64(0)
            for place in range(low, high):
                h[place - low] = hashed[parted[place]]
                met += np.int64(slots[h[place - low] >> shift])
            for place in range(low, high):
                r = np.int64(slots[h[place - low] >> shift] & low_bits) - 1
                if 0 <= r < n_rows:
                    met += rows[r, at.SUPPORT]
            h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads
            for place in range(low, high):
                line = np.int64(parted[place])
                here = enter_head(m, slots, rows, heads, line, h[place - low], t, np.int64(place), end)
                entry_at[place] = here
                new += here >= 0
                m[at.N_PUT_OFF] += here == PUT_OFF
        runs[n, RUN_NEW + p] = new


@inline
def enter_put_off_heads(m: Block) -> None:
    """Enter the heads that were put off."""
    crew, runs, slots, rows = wide(m, at.CREW), wide(m, at.RUNS), entries(m, at.ENTRIES), matrix(m, at.ROWS)
    for n in range(m[at.N_RUNS]):
        t, extent = runs[n, RUN_WORKER], runs[n, RUN_EXTENT]
        heads, parted, hashed = matrix(crew[t], at.HEADS), vector(crew[t], at.PARTED), hashes(crew[t], at.HASHED)
        entry_at, part_ends = places_of(crew[t], at.ENTRY_AT), wide(crew[t], at.PART_ENDS)
        for p in range(crew.shape[0]):
            start = part_start(wide(crew[t], at.EXTENTS), part_ends, extent, np.int64(p))
            for place in range(start, part_ends[extent, p]):
                if entry_at[place] == PUT_OFF:
                    line = np.int64(parted[place])
                    here = enter_head(m, slots, rows, heads, line, hashed[line], t, np.int64(place), np.int64(-1))
                    entry_at[place] = here
                    runs[n, RUN_NEW + p] += here >= 0


@inline
def number_heads(m: Block) -> None:
    """Enter the heads that were put off. Give each new fact the number of its row, in the order of the heads."""
    crew, runs, put_off, total = wide(m, at.CREW), wide(m, at.RUNS), np.int64(0), np.int64(0)
    for t in range(crew.shape[0]):
        put_off += crew[t, at.N_PUT_OFF]
        crew[t, at.N_PUT_OFF] = 0
    if put_off > 0:
        enter_put_off_heads(m)
    for n in range(m[at.N_RUNS]):
        runs[n, RUN_BEFORE] = total
        for p in range(crew.shape[0]):
            total += runs[n, RUN_NEW + p]
    m[at.N_NEW] = total


@inline
def order_new_facts(worker: Block, extent: Number, ordered: Int32) -> Number:
    """Write the new facts of an extent to `ordered`, each at the number of its first head in the extent.

    A new fact is there as the place of its first head in `parted` + 1. Returns how many heads the extent has.
    """
    parted, entry_at, extents = vector(worker, at.PARTED), places_of(worker, at.ENTRY_AT), wide(worker, at.EXTENTS)
    start, end = extents[extent, at.EXTENT_START], extents[extent, at.EXTENT_END]
    for place in range(start, end):
        if entry_at[place] >= 0:
            ordered[parted[place] - start] = place + 1
    return end - start


@inline
def write_rows(m: Block) -> None:
    """As a worker, write the rows of the new facts in some of the runs, their places in the queue and their entries."""
    crew, runs, slots, bits = wide(m, at.CREW), wide(m, at.RUNS), entries(m, at.ENTRIES), table_bits(m, at.ENTRIES)
    rows, queue, ordered = matrix(m, at.ROWS), vector(m, at.QUEUE), vector(m, at.ORDERED)
    state, stamp = (
        (at.WAITING | at.ASSERTED, np.int64(0))
        if m[at.ASSERTING] != 0
        else (at.NEXT, stamp_above(m[at.LEVEL] << at.LEVEL_BITS))
    )
    for n in range(m[at.PART], m[at.N_RUNS], crew.shape[0]):
        worker, extent = crew[runs[n, RUN_WORKER]], runs[n, RUN_EXTENT]
        heads, tables, h = matrix(worker, at.HEADS), vector(worker, at.TABLES), hashes(worker, at.HASHED)
        entry_at, counted = places_of(worker, at.ENTRY_AT), vector(worker, at.COUNTED)
        r, here = m[at.N_ROWS] + runs[n, RUN_BEFORE], m[at.N_QUEUE] + runs[n, RUN_BEFORE]
        first = wide(worker, at.EXTENTS)[extent, at.EXTENT_START]
        for j in range(order_new_facts(worker, extent, ordered)):
            place = np.int64(ordered[j]) - 1
            if place >= 0:
                ordered[j] = 0
                rows[r, at.STATE], rows[r, at.STAMP] = state | tables[first + j] << at.TABLE, stamp
                rows[r, at.SUPPORT] = 0 if stamp == 0 else counted[place]
                for c in range(heads.shape[1]):
                    rows[r, at.FIRST + c] = heads[first + j, c]
                slots[entry_at[place]] = entry_tag(h[first + j], bits) | np.uint32(r + 1)
                queue[here] = r
                r += 1
                here += 1


@inline
def finish_entering(m: Block) -> None:
    """Count the new rows, and empty the buffers whose heads are all taken in."""
    crew = wide(m, at.CREW)
    m[at.N_ROWS] += m[at.N_NEW]
    m[at.N_QUEUE] += m[at.N_NEW]
    m[at.N_RUNS] = m[at.N_NEW] = 0
    for t in range(crew.shape[0]):
        worker = crew[t]
        if worker[at.AT_EXTENT] == worker[at.N_EXTENTS]:
            worker[at.N_HEADS] = worker[at.N_EXTENTS] = worker[at.AT_EXTENT] = 0


@inline
def rehash_part(m: Block) -> None:
    """As a worker, fill the hash table with a part of the rows. Other workers fill it at the same time."""
    rows, slots, h = matrix(m, at.ROWS), entries(m, at.ENTRIES), hashes(m, at.HASHES)
    bits, width = table_bits(m, at.ENTRIES), rows.shape[1] - at.FIRST
    shift, none = np.uint64(64 - bits), np.int64(0)
    end = part_of(m, none, m[at.N_ROWS], m[at.PART] + 1)
    for low in range(part_of(m, none, m[at.N_ROWS], m[at.PART]), end, BLOCK):
        high = min(low + BLOCK, end)
        met = np.uint32(0)
        for r in range(low, high):
            h[r - low] = hash_row(rows, r, at.FIRST, width)
            met |= slots[h[r - low] >> shift]
        h[BLOCK] = np.uint64(met)  # uses the loaded values, so that the compiler keeps the loads
        for r in range(low, high):
            age = rows[r, at.STATE] & at.AGE
            if age != at.FREE and age != at.DEAD:
                here = np.int64(h[r - low] >> shift)
                entry = entry_tag(h[r - low], bits) | np.uint32(r + 1)
                while slots[here] != 0 or not fill_free(slots, here, entry):
                    here = (here + 1) & (slots.size - 1)


@kernel
def run_entering_stage(m: Block, stage: Number) -> None:
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
        finish_entering(m)
    else:
        rehash_part(m)
