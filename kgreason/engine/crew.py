"""`Crew`: the workers of a circuit, and the threads that they run in.

A worker has a memory block: the addresses of the circuit's arrays, and scratch arrays and counters of its own. The
calling thread is the first worker. The other workers run in threads that all circuits of the process share; kernels
release the GIL. `run` returns when every worker has stopped, so no thread works between two calls. If no thread is
free, or none can be started, the calling thread does the work of the others, one after another.

Threads: a crew belongs to its circuit, and one thread at a time may use a circuit. Crews of several circuits may run
at the same time.

Cost: about 60 microseconds for each time that the threads are woken, and 1.5 MB for each worker from the first call on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from kgreason.engine.facts.hash_table import rehash
from kgreason.engine.level.entering import ENTER, FINISH, LIST, NUMBER, REHASH, WRITE, take_in
from kgreason.engine.level.fixpoint import advance
from kgreason.engine.memory.blocks import PLACES, Memory
from kgreason.engine.memory.layout import (
    ASSERT,
    AT_DEPTH,
    AT_EXTENT,
    AT_PLAN,
    AT_ROW,
    AT_RULE,
    BLOCK_HIGH,
    BLOCK_LOW,
    CALLS,
    CHUNK,
    CHUNK_ROWS,
    DERIVATIONS,
    EXTENT,
    FEWEST_HITS,
    FUEL,
    MODE,
    N_EXTENTS,
    N_FREE,
    N_HEADS,
    N_ROWS,
    PART,
    PHASE,
    RANKED,
    REWRITES,
    SHARE,
    WORDS,
    Block,
)
from kgreason.threads import MOST, Call, start, wait_for

HITS = 1 << 12
"""The product of a segment with at least 4,096 hits is divided."""
ROWS = 1 << 7
"""The most rows of a chunk."""
CHUNKS = 1 << 12
"""The most chunks that are made at a time."""
HEADS = 1 << 16
"""The room for heads of all workers together."""
_FEWEST = 1 << 12
"""The least room for heads of a worker, however many workers there are."""
FEWEST_HEADS = 1 << 11
"""The workers together take in at least 2,048 heads; one thread takes in fewer heads alone."""
FEWEST_ROWS = 1 << 16
"""A hash table of at least 65,536 rows is filled by all workers."""
_MOST_ENTRIES = 1 << 31
"""In a larger hash table positions do not fit into an int32, and one thread takes in the heads."""
NEVER = 1 << 62

_OWN_COUNTERS = (
    *(PHASE, FUEL, REWRITES, DERIVATIONS, N_HEADS, AT_PLAN, AT_ROW, AT_DEPTH, BLOCK_LOW, BLOCK_HIGH, AT_RULE, CALLS),
    *(CHUNK, N_EXTENTS, AT_EXTENT, PART),
)
_OWN_ARRAYS = (
    "heads",
    "ranks",
    "tables",
    "places",
    "counted",
    "slots",
    "frames",
    "first_probes",
    "hashes",
    "extents",
    "kept",
)


_OWN = np.array([*_OWN_COUNTERS, *(place for name in _OWN_ARRAYS for place in range(PLACES[name], PLACES[name] + 3))])
_COMMON = np.array(sorted({*range(WORDS)} - {*_OWN.tolist()}))
"""The words of a worker's block that are those of the circuit's block."""


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads that all circuits share. A thread is started when no other is free, and stays."""
    return ThreadPoolExecutor(MOST, thread_name_prefix="kgreason")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has no threads


class Crew:
    """The workers of the circuit whose memory is `memory`. `threads`: how many workers there are."""

    def __init__(self, memory: Memory, threads: int) -> None:
        self._memory, self._threads = memory, threads
        self._heads = max(HEADS // threads, _FEWEST)
        self._workers: list[Memory] = []
        memory["chunks"] = np.zeros((CHUNKS if threads > 1 else 0, 3), dtype=np.int32)
        memory["turn"] = np.zeros((1, 1), dtype=np.int64)
        memory["crew"] = np.zeros((0, WORDS), dtype=np.int64)
        memory["extents"] = np.zeros((0, EXTENT), dtype=np.int64)
        memory.counters[FEWEST_HITS] = HITS if threads > 1 else NEVER
        memory.counters[CHUNK_ROWS] = ROWS

    def run(self, make_room: Callable[[int], None]) -> None:
        """Run chunks in all workers, until each worker stops. In a Bootstrap, also take in the heads that were found.

        `make_room` makes room for new rows.
        """
        counters = self._memory.counters
        self._prepare()
        self._memory["crew"][:, FUEL] = counters[FUEL] // self._threads
        self._in_all(advance)
        if counters[RANKED] == 0 and counters[MODE] == ASSERT and counters[N_FREE] == 0:
            self._take_in(make_room)

    def _take_in(self, make_room: Callable[[int], None]) -> None:
        """Take in the heads that were found, unless they are few."""
        crew, block = self._memory["crew"], self._memory.block
        if (crew[:, N_HEADS]).sum() < FEWEST_HEADS:
            return
        make_room(self._threads * self._heads)
        if self._memory.room("entries") > _MOST_ENTRIES:
            return
        take_in(block, LIST)
        self._prepare()
        self._in_all(take_in, ENTER)
        take_in(block, NUMBER)
        self._prepare()
        self._in_all(take_in, WRITE)
        take_in(block, FINISH)

    def rehash(self, block: Block) -> None:
        """Fill the empty hash table of the fact table with all rows. `block`: the circuit's memory block."""
        if self._threads == 1 or self._memory.counters[N_ROWS] < FEWEST_ROWS:
            rehash(block)
            return
        self._prepare()
        self._in_all(take_in, REHASH)

    def _prepare(self) -> None:
        """Copy the words that all workers share from the circuit's block to the blocks of the workers."""
        if not self._workers:
            self._make_workers()
        self._memory["crew"][:, _COMMON] = self._memory.block[_COMMON]

    def _in_all(self, kernel: Callable[..., object], *arguments: object) -> None:
        """Call a kernel for the blocks of all workers at the same time. After an error, too, all calls have ended."""
        calls: list[Call[object]] = []
        try:
            for worker in self._workers[1:]:
                calls.append(start(_pool(), kernel, worker.block, *arguments))
            kernel(self._workers[0].block, *arguments)
        finally:
            wait_for(calls)

    def _make_workers(self) -> None:
        crew = self._memory["crew"] = np.zeros((self._threads, WORDS), dtype=np.int64)
        self._workers = [Memory(block) for block in crew]
        self._memory["runs"] = np.zeros((self._threads * (CHUNKS + 64), 4), dtype=np.int64)
        for part, worker in enumerate(self._workers):
            worker.counters[CHUNK], worker.counters[PHASE], worker.counters[PART] = -1, SHARE, part
            worker["kept"] = np.zeros(self._heads, dtype=np.uint64)
            worker["hashes"] = np.zeros_like(self._memory["hashes"])
            worker["first_probes"] = np.zeros_like(self._memory["first_probes"])
            worker["extents"] = np.zeros((CHUNKS + 64, EXTENT), dtype=np.int64)
            for name in ("ranks", "tables", "places", "counted"):
                worker[name] = np.zeros(self._heads, dtype=np.int32)
            for name in ("slots", "frames"):
                worker[name] = np.zeros_like(self._memory[name])
            worker["heads"] = np.zeros((self._heads + 1, self._memory["heads"].shape[1]), dtype=np.int32)

    def keep_up(self) -> None:
        """Forget the workers if the circuit's scratch arrays have grown; the next call of `run` makes new ones."""
        if self._workers and any(
            self._workers[0][name].shape[i:] != self._memory[name].shape[i:]
            for name, i in (("slots", 0), ("frames", 0), ("heads", 1))
        ):
            self._memory["crew"] = np.zeros((0, WORDS), dtype=np.int64)
            self._workers = []
