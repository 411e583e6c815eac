"""`Crew`: the workers of a circuit, and the threads that they run in.

A worker has a memory block: the addresses of the circuit's arrays, and scratch arrays and counters of its own. The
calling thread is the first worker. The other workers run in threads that all circuits of the process share; kernels
release the GIL. `run` returns when every worker has stopped, so no thread works between two calls.

Cost: about 30 microseconds for each call of `run`, and 1 MB for each worker from the first call on.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from kgreason.engine.level.fixpoint import advance
from kgreason.engine.memory.blocks import PLACES, Memory
from kgreason.engine.memory.layout import (
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
    N_EXTENTS,
    N_HEADS,
    PHASE,
    REWRITES,
    SHARE,
    WORDS,
)

HITS = 1 << 12
"""The product of a segment with at least 4,096 hits is divided."""
ROWS = 1 << 8
"""The most rows of a chunk."""
CHUNKS = 1 << 12
"""The most chunks that are made at a time."""
HEADS = 1 << 15
"""The room for heads of a worker."""
NEVER = 1 << 62
_MOST_THREADS = 256

_OWN_COUNTERS = (
    *(PHASE, FUEL, REWRITES, DERIVATIONS, N_HEADS, AT_PLAN, AT_ROW, AT_DEPTH, BLOCK_LOW, BLOCK_HIGH, AT_RULE, CALLS),
    *(CHUNK, N_EXTENTS, AT_EXTENT),
)
_OWN_ARRAYS = ("heads", "ranks", "tables", "slots", "frames", "first_probes", "hashes", "extents")


_OWN = np.array([*_OWN_COUNTERS, *(place for name in _OWN_ARRAYS for place in range(PLACES[name], PLACES[name] + 3))])
_COMMON = np.setdiff1d(np.arange(WORDS), _OWN)
"""The words of a worker's block that are those of the circuit's block."""


@cache
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="kgreason")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_executor.cache_clear)  # a forked process has no threads


class Crew:
    """The workers of the circuit whose memory is `memory`. `threads`: how many workers there are."""

    def __init__(self, memory: Memory, threads: int) -> None:
        self._memory, self._threads = memory, threads
        self._workers: list[Memory] = []
        memory["chunks"] = np.zeros((CHUNKS if threads > 1 else 0, 3), dtype=np.int32)
        memory["turn"] = np.zeros((1, 1), dtype=np.int64)
        memory["crew"] = np.zeros((0, WORDS), dtype=np.int64)
        memory["extents"] = np.zeros((0, EXTENT), dtype=np.int64)
        memory.counters[FEWEST_HITS] = HITS if threads > 1 else NEVER
        memory.counters[CHUNK_ROWS] = ROWS

    def run(self) -> None:
        """Run chunks in all workers, until each worker stops."""
        if not self._workers:
            self._make_workers()
        crew, block = self._memory["crew"], self._memory.block
        crew[:, _COMMON] = block[_COMMON]
        crew[:, FUEL] = block[FUEL] // self._threads
        others = [_executor().submit(advance, worker.block) for worker in self._workers[1:]]
        try:
            advance(self._workers[0].block)
        finally:
            for other in others:
                other.result()

    def _make_workers(self) -> None:
        crew = self._memory["crew"] = np.zeros((self._threads, WORDS), dtype=np.int64)
        self._workers = [Memory(block) for block in crew]
        for worker in self._workers:
            worker.counters[CHUNK], worker.counters[PHASE] = -1, SHARE
            worker["hashes"] = np.zeros_like(self._memory["hashes"])
            worker["first_probes"] = np.zeros_like(self._memory["first_probes"])
            worker["extents"] = np.zeros((CHUNKS + 64, EXTENT), dtype=np.int64)
            worker["ranks"] = np.zeros(HEADS, dtype=np.int32)
            worker["tables"] = np.zeros(HEADS, dtype=np.int32)
            for name in ("slots", "frames"):
                worker[name] = np.zeros_like(self._memory[name])
            worker["heads"] = np.zeros((HEADS + 1, self._memory["heads"].shape[1]), dtype=np.int32)

    def keep_up(self) -> None:
        """Forget the workers if the circuit's scratch arrays have grown; the next call of `run` makes new ones."""
        if self._workers and any(
            self._workers[0][name].shape[i:] != self._memory[name].shape[i:]
            for name, i in (("slots", 0), ("frames", 0), ("heads", 1))
        ):
            self._memory["crew"] = np.zeros((0, WORDS), dtype=np.int64)
            self._workers = []
