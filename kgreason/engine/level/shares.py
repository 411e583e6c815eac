"""shares: the product of a large segment, divided into chunks that the workers of a crew run at the same time.

A chunk is one plan and some rows of its hits. The chunks have the order in which one thread would run them.
A worker is a copy of the memory block with scratch arrays of its own. It takes the next chunk, runs it, and drops the
heads that it can count itself: often most heads are facts that are known already. The other heads stay in the worker's
buffer. Then they are taken in, in the order of their chunks: in a Bootstrap by all workers (`entering`), which count
derivations of known facts as well, else by one thread. So in a Bootstrap a worker drops nothing while at least three
quarters of its heads are new, and each head is looked up once. There it lists the heads by parts of their hashes, one
part for each worker: two workers never write the same line of an array.

Invariant: facts, rows, queue, stamps, supports and counts of rewrites are those of one thread, to the last number. A
worker writes nothing that another worker reads, except that it counts derivations by atomic additions: in a Bootstrap
all derivations of present facts, in an Update spare derivations of rows that the undo log has already. Sums do not
depend on the order, and a count that becomes unknown has one form. So the states are those of one thread, too.

A worker stops when no chunk is left, when a buffer is half full or when its fuel is used up. So it may stop within a
chunk. The first unfinished chunk is the *frontier*: later heads wait until it is finished.

Cost: a look-up in the hash table for each head, and a second one for each head that is looked up here and kept.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline
from kgreason.engine.facts.hash_table import BLOCK, find_row, touch
from kgreason.engine.level.product import FINISHED, MISSING, charge, run_plan
from kgreason.engine.memory.blocks import entries, fetch_add, hashes, matrix, vector, wide
from kgreason.engine.memory.hashing import hash_row, log2, part_of_hash
from kgreason.engine.memory.layout import (
    AGE,
    ASSERT,
    ASSERTED,
    AT_DEPTH,
    AT_EXTENT,
    AT_GROUP,
    AT_PLAN,
    AT_ROW,
    AT_RULE,
    BLOCK_HIGH,
    CHUNK,
    CHUNK_ROWS,
    CHUNKS,
    CREW,
    DERIVATIONS,
    ENTRIES,
    EXPLAIN,
    EXTENT_CHUNK,
    EXTENT_DERIVATIONS,
    EXTENT_END,
    EXTENT_REWRITES,
    EXTENT_START,
    EXTENTS,
    FEWEST_HITS,
    FILLED,
    FUEL,
    GONE,
    GROUP_KEY,
    GROUP_LOW,
    HASHED,
    HASHES,
    HEADS,
    IS_UPDATE,
    KEY_INFO,
    LOGGED,
    MODE,
    N_CHUNKS,
    N_EXTENTS,
    N_GROUPS,
    N_HEADS,
    NEXT,
    ONE_SPARE,
    PART_ENDS,
    PARTED,
    PLANS,
    RANKS,
    RETRACT,
    REWRITES,
    ROWS,
    SIFTS,
    STAMP,
    STATE,
    SUPPORT,
    TABLES,
    TURN,
    UNKNOWN,
    UNTIL_SIFT,
    Block,
    Flag,
    Int32,
    Number,
)
from kgreason.engine.program.derivable import has_arrangements, has_facts

_MOST_ROWS, _CHUNKS = 1 << 10, 64
"""A chunk has at most 1,024 rows: larger chunks cost less. But there are about 64 chunks for each worker, so that all
workers are busy to the end."""
_ENOUGH = 64
"""So many heads of a chunk tell whether it pays to sift heads."""
_UNSIFTED = 31
"""After so many chunks that are not sifted, one is."""


@inline
def is_divided(m: Block) -> Flag:
    """Whether the rest of the segment's product is to be divided: the segment is large, and no rewrite waits."""
    large = vector(m, GROUP_LOW)[m[N_GROUPS]] >= m[FEWEST_HITS]
    return large and m[MODE] != EXPLAIN and (m[AT_PLAN] == -1 or m[AT_DEPTH] == -1)


@inline
def divide(m: Block) -> Number:
    """Write the next chunks of the product to the array `chunks`, until the product ends or the array is full.

    Returns MISSING if there is no chunk because an arrangement lacks rows; else FINISHED.
    """
    key_info, plans, chunks, crew = matrix(m, KEY_INFO), matrix(m, PLANS), matrix(m, CHUNKS), wide(m, CREW)
    group_key, group_low = vector(m, GROUP_KEY), vector(m, GROUP_LOW)
    n, parts = np.int64(0), max(1, crew.shape[0])
    room = max(m[CHUNK_ROWS], min(_MOST_ROWS, np.int64(group_low[m[N_GROUPS]]) // (parts * _CHUNKS)))
    status = FINISHED
    while m[AT_GROUP] < m[N_GROUPS] and status == FINISHED and n < chunks.shape[0]:
        low, high = np.int64(group_low[m[AT_GROUP]]), np.int64(group_low[m[AT_GROUP] + 1])
        key = np.int64(group_key[m[AT_GROUP]])
        if m[AT_PLAN] == -1:
            m[AT_PLAN], m[AT_ROW] = np.int64(key_info[key, 1]) if key >= 0 else ~key, low
        if m[AT_PLAN] >= 0 and has_facts(m, m[AT_PLAN]):
            if not has_arrangements(m, m[AT_PLAN]):
                status = MISSING
                continue
            stop = min(high, m[AT_ROW] + room)
            chunks[n, 0], chunks[n, 1], chunks[n, 2] = m[AT_PLAN], m[AT_ROW], stop
            n += 1
            m[AT_ROW] = stop
            if stop < high:
                continue
        plan = np.int64(plans[m[AT_PLAN], 2]) if key >= 0 and m[AT_PLAN] >= 0 else np.int64(-1)
        m[AT_PLAN], m[AT_ROW] = plan, low
        if plan < 0:
            m[AT_GROUP] += 1
    m[AT_DEPTH], m[BLOCK_HIGH], m[N_CHUNKS] = -1, 0, n
    wide(m, TURN)[0, 0] = 0
    for t in range(crew.shape[0]):
        worker = crew[t]
        worker[CHUNK] = -1
        worker[N_HEADS] = worker[N_EXTENTS] = worker[AT_EXTENT] = 0
    return status if n == 0 else FINISHED


@inline
def count_spare(rows: Int32, r: Number, more: Number) -> None:
    """Add `more` (ONE_SPARE or -ONE_SPARE) to the state of row `r`, which other workers may do at the same time.

    A worker that adds to a count that has just become UNKNOWN takes its derivation back: UNKNOWN has one form.
    """
    at = r * rows.shape[1] + STATE
    if fetch_add(rows, at, np.int32(more)) & UNKNOWN != 0:
        fetch_add(rows, at, np.int32(-more))


@inline
def counts(rows: Int32, r: Number, rank: Number, leaves: Flag, is_bootstrap: Flag) -> Flag:
    """Whether a head must be taken in for its row `r`, now or after earlier heads. `rank`: the rank of the head.

    `leaves`: whether facts leave. In a Bootstrap a derivation of a present fact is counted at once. In an Update, a
    spare derivation is counted at once if the undo log has the row already.
    """
    state = rows[r, STATE]
    if not leaves and not is_bootstrap and (state & (AGE | ASSERTED) == NEXT or state & AGE == GONE):
        return True
    if rank < rows[r, STAMP]:
        if is_bootstrap:
            fetch_add(rows, r * rows.shape[1] + SUPPORT, np.int32(1))
        return not is_bootstrap
    if state & UNKNOWN != 0:
        return False
    if is_bootstrap or state & LOGGED != 0:
        count_spare(rows, r, np.int64(-ONE_SPARE if leaves else ONE_SPARE))
        return False
    return True


@inline
def sift(m: Block, start: Number) -> None:
    """Drop those heads of the buffer, from `start` on, that change nothing or that are counted at once (`counts`).

    The hashes of the other heads are written to HASHED.
    """
    rows, slots, heads = matrix(m, ROWS), entries(m, ENTRIES), matrix(m, HEADS)
    ranks, tables, h = vector(m, RANKS), vector(m, TABLES), hashes(m, HASHES)
    bits, leaves, is_bootstrap = log2(m, ENTRIES), m[MODE] == RETRACT, m[IS_UPDATE] == 0 and m[MODE] == ASSERT
    hashed, n = hashes(m, HASHED), start
    for low in range(start, m[N_HEADS], BLOCK):
        high = min(low + BLOCK, m[N_HEADS])
        touch(m, rows, slots, bits, heads, low, high)
        for i in range(low, high):
            r = find_row(rows, slots, bits, heads, i, h[i - low])
            if r < 0 or counts(rows, r, np.int64(ranks[i]), leaves, is_bootstrap):
                for c in range(heads.shape[1]):
                    heads[n, c] = heads[i, c]
                ranks[n], tables[n], hashed[n] = ranks[i], tables[i], h[i - low]
                n += 1
    m[N_HEADS] = n


@inline
def put_in_parts(m: Block, start: Number) -> None:
    """List the heads of the buffer from `start` on by the parts of their hashes, as the next extent.

    Their hashes are in HASHED. Within a part they keep their order.
    """
    parted, filled, ends, h = vector(m, PARTED), wide(m, FILLED), wide(m, PART_ENDS), hashes(m, HASHED)
    parts, n, place = filled.shape[1], m[N_EXTENTS], start
    for p in range(parts):
        filled[0, p] = 0
    for i in range(start, m[N_HEADS]):
        filled[0, part_of_hash(h[i], parts)] += 1
    for p in range(parts):
        size = filled[0, p]
        filled[0, p] = place
        place += size
        ends[n, p] = place
    for i in range(start, m[N_HEADS]):
        p = part_of_hash(h[i], parts)
        parted[filled[0, p]] = i
        filled[0, p] += 1


@inline
def hash_heads(m: Block, start: Number) -> None:
    """Hash the heads of the buffer from `start` on."""
    heads, h = matrix(m, HEADS), hashes(m, HASHED)
    for i in range(start, m[N_HEADS]):
        h[i] = hash_row(heads, i, 0, heads.shape[1])


@inline
def part(m: Block, start: Number) -> None:
    """In a Bootstrap, put the heads of the buffer from `start` on into parts: all, or those that must be taken in.

    Heads are looked up first if more than a quarter of those that were looked up last were dropped. Some chunks are
    always looked up, to find out.
    """
    if m[SIFTS] == 0 and m[UNTIL_SIFT] > 0:
        m[UNTIL_SIFT] -= 1
        hash_heads(m, start)
    else:
        made = m[N_HEADS] - start
        sift(m, start)
        if made >= _ENOUGH:
            m[SIFTS], m[UNTIL_SIFT] = 4 * (m[N_HEADS] - start) < 3 * made, _UNSIFTED
    put_in_parts(m, start)


@inline
def next_chunk(m: Block) -> Flag:
    """Take the next chunk. Returns False if there is none."""
    c = fetch_add(wide(m, TURN), np.int64(0), np.int64(1))
    if c >= m[N_CHUNKS]:
        return False
    m[CHUNK] = c
    m[AT_ROW], m[AT_DEPTH], m[BLOCK_HIGH] = matrix(m, CHUNKS)[c, 1], -1, 0
    return True


@inline
def run_chunks(m: Block) -> None:
    """Work as a worker: run chunks until none is left, until the fuel is used up or until a worker's buffer is full.

    A buffer counts as full when it is half full. Each worker with room goes on before it looks whether another one has
    stopped: the worker of the frontier may be the only one whose work makes room.
    """
    chunks, extents = matrix(m, CHUNKS), wide(m, EXTENTS)
    turn, half, is_bootstrap = wide(m, TURN), m[HEADS + 1] // 2, m[IS_UPDATE] == 0 and m[MODE] == ASSERT
    while m[FUEL] >= 0 and m[N_HEADS] < half and m[N_EXTENTS] < extents.shape[0]:
        if m[CHUNK] < 0 and not next_chunk(m):
            break
        c, n, start = m[CHUNK], m[N_EXTENTS], m[N_HEADS]
        rewrites, derivations = m[REWRITES], m[DERIVATIONS]
        m[AT_PLAN] = chunks[c, 0]
        if run_plan(m, m[AT_PLAN], np.int64(chunks[c, 2])) == FINISHED:
            m[CHUNK] = -1
        if is_bootstrap:
            part(m, start)
        else:
            sift(m, start)
        extents[n, EXTENT_CHUNK], extents[n, EXTENT_START], extents[n, EXTENT_END] = c, start, m[N_HEADS]
        extents[n, EXTENT_REWRITES] = m[REWRITES] - rewrites
        extents[n, EXTENT_DERIVATIONS] = m[DERIVATIONS] - derivations
        m[N_EXTENTS] = n + 1
        if turn[0, 1] != 0:
            break
    if m[N_HEADS] >= half:
        turn[0, 1] = 1


@inline
def count_work(m: Block) -> None:
    """Add the work that the workers have done since the last call to the counters and to the costs of the rules."""
    crew, chunks, plans = wide(m, CREW), matrix(m, CHUNKS), matrix(m, PLANS)
    for t in range(crew.shape[0]):
        extents = wide(crew[t], EXTENTS)
        for n in range(crew[t, N_EXTENTS]):
            rewrites, derivations = extents[n, EXTENT_REWRITES], extents[n, EXTENT_DERIVATIONS]
            if rewrites != 0 or derivations != 0:
                m[AT_RULE] = plans[chunks[extents[n, EXTENT_CHUNK], 0], 0]
                charge(m, m[AT_RULE], rewrites, derivations)
                m[REWRITES] += rewrites
                m[FUEL] -= rewrites
                m[DERIVATIONS] += derivations
            extents[n, EXTENT_REWRITES] = extents[n, EXTENT_DERIVATIONS] = 0


@inline
def next_worker(m: Block) -> Number:
    """Return the worker whose heads come next, or -1 if no head can be taken in before the frontier moves."""
    crew = wide(m, CREW)
    frontier = m[N_CHUNKS]
    for t in range(crew.shape[0]):
        if crew[t, CHUNK] >= 0:
            frontier = min(frontier, crew[t, CHUNK])
    best, found = frontier + 1, np.int64(-1)
    for t in range(crew.shape[0]):
        if crew[t, AT_EXTENT] < crew[t, N_EXTENTS]:
            c = wide(crew[t], EXTENTS)[crew[t, AT_EXTENT], EXTENT_CHUNK]
            if c < best:
                best, found = c, np.int64(t)
    return found


@inline
def collect(m: Block) -> None:
    """Fill the head buffer with the next heads of the workers."""
    heads, ranks, tables, crew = matrix(m, HEADS), vector(m, RANKS), vector(m, TABLES), wide(m, CREW)
    room, n = heads.shape[0] - 1, m[N_HEADS]
    t = next_worker(m)
    while t >= 0 and n < room:
        worker = crew[t]
        made, made_ranks, made_tables = matrix(worker, HEADS), vector(worker, RANKS), vector(worker, TABLES)
        extents, at = wide(worker, EXTENTS), worker[AT_EXTENT]
        start = extents[at, EXTENT_START]
        stop = min(extents[at, EXTENT_END], start + room - n)
        for i in range(start, stop):
            for c in range(heads.shape[1]):
                heads[n, c] = made[i, c]
            ranks[n], tables[n] = made_ranks[i], made_tables[i]
            n += 1
        extents[at, EXTENT_START] = stop
        if stop == extents[at, EXTENT_END]:
            worker[AT_EXTENT] += 1
            if worker[AT_EXTENT] == worker[N_EXTENTS]:
                worker[N_HEADS] = worker[N_EXTENTS] = worker[AT_EXTENT] = 0
        t = next_worker(m)
    m[N_HEADS] = n


@inline
def are_finished(m: Block) -> Flag:
    """Whether all chunks are finished and all their heads are taken in."""
    crew = wide(m, CREW)
    for t in range(crew.shape[0]):
        if crew[t, CHUNK] >= 0 or crew[t, N_EXTENTS] > 0:
            return False
    return wide(m, TURN)[0, 0] >= m[N_CHUNKS]
