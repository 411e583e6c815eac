"""`Crew`: the workers of a circuit, and the threads that they run in.

A worker has a memory block: the addresses of the circuit's arrays, and scratch arrays and counters of its own. The
calling thread is the first worker. The other workers run in threads that all circuits of the process share; kernels
release the GIL. `run_chunks` returns when every worker has stopped: no thread works between two calls. If no thread is
free, or none can be started, the calling thread does the work of the others, one after another.

Threads: a crew belongs to its circuit, and one thread at a time may use a circuit. Crews of several circuits may run
at the same time.

Cost: about 0.01 ms for each call in all workers (`standby`), and up to 10 MB for each worker from the first call on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy as np

from kgreason.cpus import cpus
from kgreason.engine.crew.standby import LOOKS, Standby
from kgreason.engine.facts.hash_table import count_facts, list_facts, rehash
from kgreason.engine.level.asserting import enter_rows, forget_rows
from kgreason.engine.level.entering import (
    ENTER,
    FINISH,
    LIST,
    NUMBER,
    REHASH,
    RUN_NEW,
    WRITE,
    part_rows,
    run_entering_stage,
)
from kgreason.engine.level.fixpoint import advance
from kgreason.engine.level.meeting import PICKED
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import PLACES, Memory
from kgreason.engine.memory.layout import Block
from kgreason.threads import MOST, wait_for
from kgreason.zset.columns import Int8, Int32, Int32s

HITS = 1 << 12
"""The product of a segment with at least 4,096 hits is divided."""
ROWS = 1 << 5
"""The rows of a chunk, unless a segment has very many hits."""
CHUNKS = 1 << 12
"""The most chunks that are made at a time."""
HEADS = (1 << 17) * 2 // 3
"""The room for heads of all workers together."""
NOTES = 1 << 15
"""The room for hits and found rows that a worker has at first."""
_FEWEST = 1 << 14
"""The least room for heads of a worker, however many workers there are: half of it is as much as one thread has."""
FEWEST_ROWS = 1 << 16
"""A hash table of at least 65,536 rows is filled by all workers."""
BATCH = 1 << 18
"""The asserted facts that are entered at a time."""
NEVER = 1 << 62
_OWN_COUNTERS = (
    *(
        at.PHASE,
        at.FUEL,
        at.REWRITES,
        at.DERIVATIONS,
        at.N_HEADS,
        at.AT_PLAN,
        at.AT_ROW,
        at.AT_DEPTH,
        at.BLOCK_LOW,
        at.BLOCK_HIGH,
        at.AT_RULE,
        at.CALLS,
    ),
    *(at.CHUNK, at.N_EXTENTS, at.AT_EXTENT, at.SIFTS, at.UNTIL_SIFT, at.PART),
    *(at.N_HITS, at.N_GROUPS, at.N_NOTED, at.AT_WORK, at.AT_FINDER, at.N_PUT_OFF, at.N_COMMON),
    *(at.N_ARRANGED, at.N_POSTINGS, at.N_SIGNED, at.FREE_GROUP),
)
_OWN_ARRAYS = (
    "heads",
    "ranks",
    "tables",
    "slots",
    "frames",
    "first_probes",
    "hashes",
    "extents",
    "hashed",
    "part_ends",
    "filled",
    "parted",
    "entry_at",
    "counted",
    "ordered",
    "hit_keys",
    "hit_rows",
    "key_fill",
    "group_key",
    "noted",
    "noted_hashes",
    "free_runs",
)


_OWN = np.array([*_OWN_COUNTERS, *(place for name in _OWN_ARRAYS for place in range(PLACES[name], PLACES[name] + 3))])
_IS_COMMON = ~np.isin(np.arange(at.WORDS), _OWN)
"""Whether a word of a worker's block is that of the circuit's block."""


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads that all circuits share. A thread is started when no other is free, and stays."""
    return ThreadPoolExecutor(MOST, thread_name_prefix="kgreason")


_cpus = cache(cpus)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has no threads


class Crew:
    """The workers of the circuit whose memory is `memory`. `threads`: how many workers there are."""

    def __init__(self, memory: Memory, threads: int) -> None:
        self._memory, self.threads = memory, threads
        self._heads, self._notes = max(HEADS // threads, _FEWEST), NOTES
        memory.counters[at.PART_BITS] = (self._heads - 1).bit_length()
        self._extents = 2 * CHUNKS // threads + 64
        self.workers: list[Memory] = []
        self._standbys: list[Standby] = []
        memory["chunks"] = np.zeros((CHUNKS if threads > 1 else 0, 3), dtype=np.int32)
        memory["turn"] = np.zeros((1, 2), dtype=np.int64)
        memory["crew"] = np.zeros((0, at.WORDS), dtype=np.int64)
        memory["extents"] = np.zeros((0, at.EXTENT), dtype=np.int64)
        memory.counters[at.FEWEST_HITS] = HITS if threads > 1 else NEVER
        memory.counters[at.CHUNK_ROWS] = ROWS

    def run_chunks(self, make_room: Callable[[int], None]) -> None:
        """Run chunks in all workers, until each worker stops. In a Bootstrap, also take in the heads that were found.

        `make_room` makes room for new rows.
        """
        counters = self._memory.counters
        self.prepare()
        self._memory["crew"][:, at.FUEL] = counters[at.FUEL] // self.threads
        self._memory["turn"][0, 1] = 0
        self.call_in_all(advance)
        if counters[at.IS_UPDATE] == 0 and counters[at.MODE] == at.ASSERT:
            self._take_in_heads(make_room)

    def assert_rows(
        self, table: int, rows: Int32s, make_room: Callable[[int], None], check: Callable[[], object]
    ) -> None:
        """Flag the rows, int32[n, w], of a table as asserted, in a Bootstrap, before its first level.

        `check` is called after each batch, and may raise.
        """
        done = self._assert_numbered(table, rows, make_room, check)
        self.assert_in_parts(table, rows[done:], make_room, check)

    def _assert_numbered(
        self, table: int, rows: Int32s, make_room: Callable[[int], None], check: Callable[[], object]
    ) -> int:
        """Assert batches of facts by `enter_rows`, until a batch has a fact that is there already.

        Returns the number of rows that are done.
        """
        counters, done = self._memory.counters, 0
        while done < len(rows):
            high = min(len(rows), done + BATCH)
            make_room(high - done)
            self.prepare()
            self.call_in_all(enter_rows, rows, table, done, high)
            if self._memory["crew"][:, at.N_PUT_OFF].any():
                self._memory["crew"][:, at.N_PUT_OFF] = 0
                forget_rows(self._memory.block)
                break
            counters[at.N_ROWS] += high - done
            counters[at.N_QUEUE] += high - done
            done = high
            check()
        return done

    def assert_in_parts(
        self, table: int, rows: Int32s, make_room: Callable[[int], None], check: Callable[[], object]
    ) -> None:
        """As `assert_rows`, also for facts that are there already."""
        batch = self.threads * self._heads
        for low in range(0, len(rows), batch):
            self.prepare()
            self._memory.counters[at.ASSERTING] = 1
            self.call_in_all(part_rows, rows, table, low, min(len(rows), low + batch))
            self._take_in_heads(make_room)
            self._memory.counters[at.ASSERTING] = 0
            check()

    def _take_in_heads(self, make_room: Callable[[int], None]) -> None:
        """Take in the heads that were found."""
        block = self._memory.block
        # The places of all heads must be possible numbers of rows, and 5 of 8 entries of the hash table may be taken.
        places = self.threads << self._memory.counters[at.PART_BITS]
        make_room(max(int(self._memory["crew"][:, at.N_HEADS].sum()), 5 * places // 8 + 1))
        run_entering_stage(block, LIST)
        self.prepare()
        self.call_in_all(run_entering_stage, ENTER)
        run_entering_stage(block, NUMBER)
        self.prepare()
        self.call_in_all(run_entering_stage, WRITE)
        run_entering_stage(block, FINISH)

    def rehash(self, block: Block) -> None:
        """Fill the empty hash table of the fact table with all rows. `block`: the circuit's memory block."""
        if not self.is_worth(self._memory.counters[at.N_ROWS]):
            rehash(block)
            return
        self.prepare()
        self.call_in_all(run_entering_stage, REHASH)

    def is_worth(self, rows: int) -> bool:
        """Whether all workers are to work on so many rows."""
        return self.threads > 1 and rows >= FEWEST_ROWS

    def prepare(self) -> None:
        """Copy the words that all workers share from the circuit's block to the blocks of the workers."""
        if not self.workers:
            self._make_workers()
        for worker in self.workers:
            worker.grow("key_fill", self._memory.room("key_fill"))
        np.copyto(self._memory["crew"], self._memory.block, where=_IS_COMMON)

    def call_in_all(self, kernel: Callable[..., object], *arguments: object) -> None:
        """Call a kernel for the blocks of all workers at the same time. After an error, too, all calls have ended."""
        self._call_in_parallel(kernel, [(worker.block, *arguments) for worker in self.workers])

    def list_facts(self, columns: Int32s, tables: Int32, kinds: Int8, is_whole: bool) -> int:
        """Write the present facts to three arrays, and return their number: see `facts.hash_table.list_facts`.

        `is_whole`: whether every row holds a present fact, so that the facts need not be counted first.
        """
        block, end = self._memory.block, self._memory.counters[at.N_ROWS]
        if not self.is_worth(end):
            return int(list_facts(block, 0, end, columns, tables, kinds, 0))
        parts = list(pairwise(end * part // self.threads for part in range(self.threads + 1)))
        starts = np.array([0, *(high for _, high in parts)])
        if not is_whole:
            self._call_in_parallel(count_facts, [(block, *part, starts[1 + p :]) for p, part in enumerate(parts)])
            starts = starts.cumsum()
        given = zip(parts, starts.tolist(), strict=False)
        self._call_in_parallel(list_facts, [(block, *part, columns, tables, kinds, start) for part, start in given])
        return int(starts[-1])

    def _make_workers(self) -> None:
        crew = np.zeros((self.threads, at.WORDS), dtype=np.int64)
        workers = [Memory(block) for block in crew]
        runs = np.zeros((self.threads * self._extents, RUN_NEW + self.threads), dtype=np.int64)
        width = self._memory["heads"].shape[1]
        for part, worker in enumerate(workers):
            worker.counters[at.CHUNK], worker.counters[at.PHASE], worker.counters[at.PART] = -1, at.SHARE, part
            worker["hashed"] = np.zeros(self._heads, dtype=np.uint64)
            worker["filled"] = np.zeros((1, self.threads), dtype=np.int64)
            worker["part_ends"] = np.zeros((self._extents, self.threads), dtype=np.int64)
            worker["entry_at"] = np.zeros(self._heads, dtype=np.int64)
            worker["hashes"] = np.zeros_like(self._memory["hashes"])
            worker["first_probes"] = np.zeros_like(self._memory["first_probes"])
            worker["extents"] = np.zeros((self._extents, at.EXTENT), dtype=np.int64)
            worker["noted"] = np.zeros((self._notes, 2), dtype=np.int32)
            worker["noted_hashes"] = np.zeros(self._notes, dtype=np.uint64)
            worker["free_runs"] = np.zeros(2 * at.LENGTHS, dtype=np.int32)
            worker["key_fill"] = np.zeros_like(self._memory["key_fill"])
            for name in ("hit_keys", "hit_rows", "group_key"):
                worker[name] = np.zeros(max(self._notes, PICKED), dtype=np.int32)
            for name in ("ranks", "tables", "parted", "counted", "ordered"):
                worker[name] = np.zeros(self._heads, dtype=np.int32)
            for name in ("slots", "frames"):
                worker[name] = np.zeros_like(self._memory[name])
            worker["heads"] = np.zeros((self._heads + 1, width), dtype=np.int32)
        self._memory["crew"], self._memory["runs"], self.workers = crew, runs, workers  # all of them or none

    def forget_if_grown(self) -> None:
        """Forget the workers if the circuit's scratch arrays have grown; the next call of `run_chunks` makes new ones.

        There must be workers.
        """
        if any(
            self.workers[0][name].shape[i:] != self._memory[name].shape[i:]
            for name, i in (("slots", 0), ("frames", 0), ("heads", 1))
        ):
            self.forget()

    def forget(self) -> None:
        """Forget the workers; the next call makes new ones."""
        self._memory["crew"] = np.zeros((0, at.WORDS), dtype=np.int64)
        self.workers = []

    def _call_in_parallel(self, kernel: Callable[..., object], arguments: Sequence[tuple[object, ...]]) -> None:
        """Call a kernel with each tuple of arguments at the same time. After an error, too, all calls have ended."""
        standbys = self._other_workers()
        try:
            for standby, others in zip(standbys, arguments[1:], strict=False):
                standby.start(kernel, *others)
            kernel(*arguments[0])
            for standby in standbys:
                standby.wait()
        finally:
            try:
                wait_for([standby.call for standby in standbys if standby.call])
            finally:
                for standby in standbys:
                    standby.forget()

    def _other_workers(self) -> list[Standby]:
        """Return the standbys of all workers except the first. A forked process has a pool of its own."""
        pool = _pool()
        if not self._standbys or self._standbys[0].pool is not pool:
            looks = LOOKS if self.threads <= _cpus() else 0
            self._standbys = [Standby(pool, looks) for _ in range(self.threads - 1)]
        return self._standbys
