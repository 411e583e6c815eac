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

from kgreason.compiled import Flag, Number, inline
from kgreason.engine.facts.hash_table import BLOCK, find_row, hash_facts
from kgreason.engine.level.product import FINISHED, MISSING, add_cost, run_plan
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, fetch_add, hashes, matrix, vector, wide
from kgreason.engine.memory.hashing import hash_row, part_of_hash, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.engine.program.derivability import has_arrangements, has_facts
from kgreason.zset.columns import Int32

_MOST_ROWS, _CHUNKS = 1 << 10, 64
"""A chunk has at most 1,024 rows: larger chunks cost less. But there are about 64 chunks for each worker, so that all
workers are busy to the end."""
_ENOUGH = 64
"""So many heads of a chunk tell whether it pays to sift heads."""
_UNSIFTED = 31
"""After so many chunks that are not sifted, one is."""


@inline
def is_worth_dividing(m: Block) -> Flag:
    """Whether the rest of the segment's product is to be divided: the segment is large, and no rewrite waits."""
    large = vector(m, at.GROUP_LOW)[m[at.N_GROUPS]] >= m[at.FEWEST_HITS]
    return large and m[at.MODE] != at.EXPLAIN and (m[at.AT_PLAN] == -1 or m[at.AT_DEPTH] == -1)


@inline
def divide_product(m: Block) -> Number:
    """Write the next chunks of the product to the array `chunks`, until the product ends or the array is full.

    Returns MISSING if there is no chunk because an arrangement lacks rows; else FINISHED.
    """
    key_info, plans, chunks, crew = matrix(m, at.KEY_INFO), matrix(m, at.PLANS), matrix(m, at.CHUNKS), wide(m, at.CREW)
    group_key, group_low = vector(m, at.GROUP_KEY), vector(m, at.GROUP_LOW)
    n, parts = np.int64(0), max(1, crew.shape[0])
    room = max(m[at.CHUNK_ROWS], min(_MOST_ROWS, np.int64(group_low[m[at.N_GROUPS]]) // (parts * _CHUNKS)))
    status = FINISHED
    while m[at.AT_GROUP] < m[at.N_GROUPS] and status == FINISHED and n < chunks.shape[0]:
        low, high = np.int64(group_low[m[at.AT_GROUP]]), np.int64(group_low[m[at.AT_GROUP] + 1])
        key = np.int64(group_key[m[at.AT_GROUP]])
        if m[at.AT_PLAN] == -1:
            m[at.AT_PLAN], m[at.AT_ROW] = np.int64(key_info[key, 1]) if key >= 0 else ~key, low
        if m[at.AT_PLAN] >= 0 and has_facts(m, m[at.AT_PLAN]):
            if not has_arrangements(m, m[at.AT_PLAN]):
                status = MISSING
                continue
            stop = min(high, m[at.AT_ROW] + room)
            chunks[n, 0], chunks[n, 1], chunks[n, 2] = m[at.AT_PLAN], m[at.AT_ROW], stop
            n += 1
            m[at.AT_ROW] = stop
            if stop < high:
                continue
        plan = np.int64(plans[m[at.AT_PLAN], 2]) if key >= 0 and m[at.AT_PLAN] >= 0 else np.int64(-1)
        m[at.AT_PLAN], m[at.AT_ROW] = plan, low
        if plan < 0:
            m[at.AT_GROUP] += 1
    m[at.AT_DEPTH], m[at.BLOCK_HIGH], m[at.N_CHUNKS] = -1, 0, n
    wide(m, at.TURN)[0, 0] = 0
    for t in range(crew.shape[0]):
        worker = crew[t]
        worker[at.CHUNK] = -1
        worker[at.N_HEADS] = worker[at.N_EXTENTS] = worker[at.AT_EXTENT] = 0
    return status if n == 0 else FINISHED


@inline
def count_spare(rows: Int32, r: Number, more: Number) -> None:
    """Add `more` (ONE_SPARE or -ONE_SPARE) to the state of row `r`, which other workers may do at the same time.

    A worker that adds to a count that has just become UNKNOWN takes its derivation back: UNKNOWN has one form.
    """
    here = r * rows.shape[1] + at.STATE
    if fetch_add(rows, here, np.int32(more)) & at.UNKNOWN != 0:
        fetch_add(rows, here, np.int32(-more))


@inline
def is_head_needed(rows: Int32, r: Number, rank: Number, leaves: Flag, is_bootstrap: Flag) -> Flag:
    """Whether a head must be taken in for its row `r`, now or after earlier heads. `rank`: the rank of the head.

    `leaves`: whether facts leave. In a Bootstrap a derivation of a present fact is counted at once. In an Update, a
    spare derivation is counted at once if the undo log has the row already.
    """
    state = rows[r, at.STATE]
    if not leaves and not is_bootstrap and (state & (at.AGE | at.ASSERTED) == at.NEXT or state & at.AGE == at.GONE):
        return True
    if rank < rows[r, at.STAMP]:
        if is_bootstrap:
            fetch_add(rows, r * rows.shape[1] + at.SUPPORT, np.int32(1))
        return not is_bootstrap
    if state & at.UNKNOWN != 0:
        return False
    if is_bootstrap or state & at.LOGGED != 0:
        count_spare(rows, r, np.int64(-at.ONE_SPARE if leaves else at.ONE_SPARE))
        return False
    return True


@inline
def sift_heads(m: Block, start: Number) -> None:
    """Drop those heads of the buffer, from `start` on, that change nothing or are counted at once (`is_head_needed`).

    The hashes of the other heads are written to HASHED.
    """
    rows, slots, heads = matrix(m, at.ROWS), entries(m, at.ENTRIES), matrix(m, at.HEADS)
    ranks, tables, h = vector(m, at.RANKS), vector(m, at.TABLES), hashes(m, at.HASHES)
    bits, leaves = table_bits(m, at.ENTRIES), m[at.MODE] == at.RETRACT
    is_bootstrap = m[at.IS_UPDATE] == 0 and m[at.MODE] == at.ASSERT
    hashed, n = hashes(m, at.HASHED), start
    for low in range(start, m[at.N_HEADS], BLOCK):
        high = min(low + BLOCK, m[at.N_HEADS])
        hash_facts(m, rows, slots, bits, heads, low, high)
        for i in range(low, high):
            r = find_row(rows, slots, bits, heads, i, h[i - low])
            if r < 0 or is_head_needed(rows, r, np.int64(ranks[i]), leaves, is_bootstrap):
                for c in range(heads.shape[1]):
                    heads[n, c] = heads[i, c]
                ranks[n], tables[n], hashed[n] = ranks[i], tables[i], h[i - low]
                n += 1
    m[at.N_HEADS] = n


@inline
def list_heads_by_part(m: Block, start: Number) -> None:
    """List the heads of the buffer from `start` on by the parts of their hashes, as the next extent.

    Their hashes are in HASHED. Within a part they keep their order.
    """
    parted, filled, ends, h = vector(m, at.PARTED), wide(m, at.FILLED), wide(m, at.PART_ENDS), hashes(m, at.HASHED)
    parts, n, place = filled.shape[1], m[at.N_EXTENTS], start
    for p in range(parts):
        filled[0, p] = 0
    for i in range(start, m[at.N_HEADS]):
        filled[0, part_of_hash(h[i], parts)] += 1
    for p in range(parts):
        size = filled[0, p]
        filled[0, p] = place
        place += size
        ends[n, p] = place
    for i in range(start, m[at.N_HEADS]):
        p = part_of_hash(h[i], parts)
        parted[filled[0, p]] = i
        filled[0, p] += 1


@inline
def hash_heads(m: Block, start: Number) -> None:
    """Hash the heads of the buffer from `start` on."""
    heads, h = matrix(m, at.HEADS), hashes(m, at.HASHED)
    for i in range(start, m[at.N_HEADS]):
        h[i] = hash_row(heads, i, 0, heads.shape[1])


@inline
def put_heads_in_parts(m: Block, start: Number) -> None:
    """In a Bootstrap, put the heads of the buffer from `start` on into parts: all, or those that must be taken in.

    Heads are looked up first if more than a quarter of those that were looked up last were dropped. Some chunks are
    always looked up, to find out.
    """
    if m[at.SIFTS] == 0 and m[at.UNTIL_SIFT] > 0:
        m[at.UNTIL_SIFT] -= 1
        hash_heads(m, start)
    else:
        made = m[at.N_HEADS] - start
        sift_heads(m, start)
        if made >= _ENOUGH:
            m[at.SIFTS], m[at.UNTIL_SIFT] = 4 * (m[at.N_HEADS] - start) < 3 * made, _UNSIFTED
    list_heads_by_part(m, start)


@inline
def next_chunk(m: Block) -> Flag:
    """Take the next chunk. Returns False if there is none."""
    c = fetch_add(wide(m, at.TURN), np.int64(0), np.int64(1))
    if c >= m[at.N_CHUNKS]:
        return False
    m[at.CHUNK] = c
    m[at.AT_ROW], m[at.AT_DEPTH], m[at.BLOCK_HIGH] = matrix(m, at.CHUNKS)[c, 1], -1, 0
    return True


@inline
def run_chunks(m: Block) -> None:
    """Work as a worker: run chunks until none is left, until the fuel is used up or until a worker's buffer is full.

    A buffer counts as full when it is half full. Each worker with room goes on before it looks whether another one has
    stopped: the worker of the frontier may be the only one whose work makes room.
    """
    chunks, extents = matrix(m, at.CHUNKS), wide(m, at.EXTENTS)
    turn, half, is_bootstrap = wide(m, at.TURN), m[at.HEADS + 1] // 2, m[at.IS_UPDATE] == 0 and m[at.MODE] == at.ASSERT
    while m[at.FUEL] >= 0 and m[at.N_HEADS] < half and m[at.N_EXTENTS] < extents.shape[0]:
        if m[at.CHUNK] < 0 and not next_chunk(m):
            break
        c, n, start = m[at.CHUNK], m[at.N_EXTENTS], m[at.N_HEADS]
        rewrites, derivations = m[at.REWRITES], m[at.DERIVATIONS]
        m[at.AT_PLAN] = chunks[c, 0]
        if run_plan(m, m[at.AT_PLAN], np.int64(chunks[c, 2])) == FINISHED:
            m[at.CHUNK] = -1
        if is_bootstrap:
            put_heads_in_parts(m, start)
        else:
            sift_heads(m, start)
        extents[n, at.EXTENT_CHUNK], extents[n, at.EXTENT_START], extents[n, at.EXTENT_END] = c, start, m[at.N_HEADS]
        extents[n, at.EXTENT_REWRITES] = m[at.REWRITES] - rewrites
        extents[n, at.EXTENT_DERIVATIONS] = m[at.DERIVATIONS] - derivations
        m[at.N_EXTENTS] = n + 1
        if turn[0, 1] != 0:
            break
    if m[at.N_HEADS] >= half:
        turn[0, 1] = 1


@inline
def count_work(m: Block) -> None:
    """Add the work that the workers have done since the last call to the counters and to the costs of the rules."""
    crew, chunks, plans = wide(m, at.CREW), matrix(m, at.CHUNKS), matrix(m, at.PLANS)
    for t in range(crew.shape[0]):
        extents = wide(crew[t], at.EXTENTS)
        for n in range(crew[t, at.N_EXTENTS]):
            rewrites, derivations = extents[n, at.EXTENT_REWRITES], extents[n, at.EXTENT_DERIVATIONS]
            if rewrites != 0 or derivations != 0:
                m[at.AT_RULE] = plans[chunks[extents[n, at.EXTENT_CHUNK], 0], 0]
                add_cost(m, m[at.AT_RULE], rewrites, derivations)
                m[at.REWRITES] += rewrites
                m[at.FUEL] -= rewrites
                m[at.DERIVATIONS] += derivations
            extents[n, at.EXTENT_REWRITES] = extents[n, at.EXTENT_DERIVATIONS] = 0


@inline
def next_worker(m: Block) -> Number:
    """Return the worker whose heads come next, or -1 if no head can be taken in before the frontier moves."""
    crew = wide(m, at.CREW)
    frontier = m[at.N_CHUNKS]
    for t in range(crew.shape[0]):
        if crew[t, at.CHUNK] >= 0:
            frontier = min(frontier, crew[t, at.CHUNK])
    best, found = frontier + 1, np.int64(-1)
    for t in range(crew.shape[0]):
        if crew[t, at.AT_EXTENT] < crew[t, at.N_EXTENTS]:
            c = wide(crew[t], at.EXTENTS)[crew[t, at.AT_EXTENT], at.EXTENT_CHUNK]
            if c < best:
                best, found = c, np.int64(t)
    return found


@inline
def collect_heads(m: Block) -> None:
    """Fill the head buffer with the next heads of the workers."""
    heads, ranks, tables, crew = matrix(m, at.HEADS), vector(m, at.RANKS), vector(m, at.TABLES), wide(m, at.CREW)
    room, n = heads.shape[0] - 1, m[at.N_HEADS]
    t = next_worker(m)
    while t >= 0 and n < room:
        worker = crew[t]
        made, made_ranks, made_tables = matrix(worker, at.HEADS), vector(worker, at.RANKS), vector(worker, at.TABLES)
        extents, here = wide(worker, at.EXTENTS), worker[at.AT_EXTENT]
        start = extents[here, at.EXTENT_START]
        stop = min(extents[here, at.EXTENT_END], start + room - n)
        for i in range(start, stop):
            for c in range(heads.shape[1]):
                heads[n, c] = made[i, c]
            ranks[n], tables[n] = made_ranks[i], made_tables[i]
            n += 1
        extents[here, at.EXTENT_START] = stop
        if stop == extents[here, at.EXTENT_END]:
            worker[at.AT_EXTENT] += 1
            if worker[at.AT_EXTENT] == worker[at.N_EXTENTS]:
                worker[at.N_HEADS] = worker[at.N_EXTENTS] = worker[at.AT_EXTENT] = 0
        t = next_worker(m)
    m[at.N_HEADS] = n


@inline
def are_finished(m: Block) -> Flag:
    """Whether all chunks are finished and all their heads are taken in."""
    crew = wide(m, at.CREW)
    for t in range(crew.shape[0]):
        if crew[t, at.CHUNK] >= 0 or crew[t, at.N_EXTENTS] > 0:
            return False
    return wide(m, at.TURN)[0, 0] >= m[at.N_CHUNKS]
