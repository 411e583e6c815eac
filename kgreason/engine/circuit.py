"""The columnar circuit: fact table, triggers, plans and arrangements, and the loop that drives the kernels.

One `advance` call runs a whole commit when nothing has to grow; the loop here grows arrays, makes arrangements live,
honours a budget and lets Ctrl-C through. Invariant: between calls the arrays are consistent, so that an error
at any point can be answered by `undo` (Update) or by dropping the circuit (Bootstrap).

Cost: one kernel call for a small commit, one for each `QUANTUM` rewrites in a large one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kgreason.engine.arrangements import ArrangementRoom
from kgreason.engine.distinct import BLOCK as DISTINCT_BLOCK
from kgreason.engine.distinct import assert_rows, rehash, take_heads
from kgreason.engine.facts import FactTable
from kgreason.engine.fixpoint import advance
from kgreason.engine.gatekeep import arrange_present, count_present
from kgreason.engine.layout import (
    AFTER,
    AGE,
    AT_RULE,
    BEFORE,
    DONE,
    FIRST,
    FRAME,
    FREE,
    FUEL,
    GATEKEEP,
    LEVEL,
    LEVEL_END,
    LOGGING,
    N_GROUPS,
    N_HEADS,
    N_HITS,
    N_QUEUE,
    N_ROWS,
    N_TOUCHED,
    NEED_ARRANGEMENT,
    NEED_POSTINGS,
    NEED_ROWS,
    OLD_AND_CURRENT,
    ONLY_OLD,
    PHASE,
    QUIET,
    RANKED,
    REWRITES,
    SCAN,
    SCAN_AT,
    SCAN_END,
    SEGMENT_HIGH,
    SEGMENT_LOW,
    STATE,
    WAITING,
    WANTED,
    Int32,
)
from kgreason.engine.memory import Memory
from kgreason.engine.planner import Planner
from kgreason.engine.probe import BLOCK

QUANTUM = 20_000_000
"""Rewrites and rows that one kernel call may meet: about 0.2 s."""
_HEADS = 1 << 13
_SEGMENT = 1 << 16
_SCRATCH = {
    "ranks": _HEADS,
    "tables": _HEADS,
    "hit_keys": _SEGMENT,
    "hit_rows": _SEGMENT,
    "grouped": _SEGMENT,
    "group_key": _SEGMENT,
    "group_low": _SEGMENT + 1,
    "key_fill": 16,
    "key_count": 16,
    "slots": 16,
}


class Circuit:
    """Facts under a program; `planner` may be shared by circuits of which one is live at a time."""

    def __init__(self, planner: Planner, room: int = 1024, quiet: int = 0) -> None:
        self.planner = planner
        self.memory = Memory()
        self.block = self.memory.block
        self.block[QUIET] = quiet
        self.facts = FactTable(self.memory, planner.width, room)
        self.arrangements = ArrangementRoom(self.memory)
        self._make_scratch()
        self.refresh()
        planner.arranged.array[:, 2] = 0

    def _make_scratch(self) -> None:
        memory = self.memory
        memory["undo"] = np.zeros((16, 1 + FIRST), dtype=np.int32)
        memory["heads"] = np.zeros((_HEADS + 1, self.facts.width), dtype=np.int32)
        for name, size in _SCRATCH.items():
            memory[name] = np.zeros(size, dtype=np.int32)
        memory["frames"] = np.zeros((16, FRAME), dtype=np.int32)
        memory["first_probes"] = np.zeros((BLOCK + 1, FRAME), dtype=np.int32)
        memory["hashes"] = np.zeros(max(BLOCK, DISTINCT_BLOCK) + 1, dtype=np.uint64)

    def refresh(self) -> None:
        """Take in what the planner has learnt: rules, keys, width and slots."""
        planner, memory = self.planner, self.memory
        if planner.width > self.facts.width:
            self.facts.widen(planner.width)
            memory["heads"] = np.zeros((_HEADS + 1, planner.width), dtype=np.int32)
        keys = planner.key_info.n
        sizes = {"key_count": keys, "key_fill": keys, "slots": planner.slots, "frames": planner.longest + 1}
        for name, needed in sizes.items():
            memory.grow(name, needed)
        planner.publish(memory)

    def assert_rows(self, table: int, rows: Int32, check: Callable[[], object]) -> None:
        """Flag rows int32[n, w] of a table as asserted and queue the new ones; `check` may raise between pieces."""
        rows = self.facts.padded(rows)
        self._make_room(len(rows))
        for low in range(0, len(rows), 1 << 18):
            high = min(len(rows), low + (1 << 18))
            assert_rows(self.block, rows, table, low, high)
            check()

    def adopt(self, records: Int32) -> None:
        """Take over rows int32[n, 3 + w] of a fixpoint, state, stamp and support included."""
        self.facts.reserve(len(records))
        self.memory["rows"][: len(records), : records.shape[1]] = records
        self.block[N_ROWS] = len(records)
        rehash(self.block)
        self.count_from(0)

    def open_first_level(self) -> None:
        """Bootstrap: the asserted facts are level 0, ahead of what rules with an empty body derive."""
        n = int(self.block[N_QUEUE])
        rows, queued = self.memory["rows"], self.memory["queue"][:n]
        rows[queued, STATE] = (rows[queued, STATE] & ~AGE) | WAITING
        self.block[LEVEL_END] = n

    def derive(self, table: int, rows: Int32) -> None:
        """Derive head rows of rules with an empty body."""
        rows = self.facts.padded(rows)
        self._make_room(len(rows))
        for low in range(0, len(rows), _HEADS):
            part = rows[low : low + _HEADS]
            self.memory["heads"][: len(part)] = part
            self.memory["tables"][: len(part)] = table
            self.memory["ranks"][: len(part)] = -1
            self.block[N_HEADS] = len(part)
            take_heads(self.block)

    def _make_room(self, more: int) -> None:
        self.facts.reserve(more)
        if self.block[LOGGING]:
            self.memory.grow("undo", int(self.block[N_TOUCHED]) + more)

    def run(self, check: Callable[[], object]) -> None:
        """Run levels to the fixpoint; `check` is called between kernel calls and may raise."""
        self.block[BEFORE], self.block[AFTER] = ONLY_OLD, OLD_AND_CURRENT
        self._drive(check)

    def run_new(self, chosen: Sequence[tuple[int, int]], check: Callable[[], object]) -> None:
        """Evaluate new rules over the old rows alone: (key, plan) for one plan of each new rule."""
        links, info = self.planner.plans.array[:, 2], self.planner.key_info.array
        saved = links.copy()
        narrowed = info.copy()
        narrowed[:, 1] = -1
        for key, plan in chosen:
            links[plan], narrowed[key, 1] = narrowed[key, 1], plan
        self.memory["key_info"] = narrowed
        self.block[BEFORE] = self.block[AFTER] = ONLY_OLD
        self.block[PHASE], self.block[SCAN_AT], self.block[SCAN_END] = SCAN, 0, self.block[N_ROWS]
        try:
            self._drive(check)
        finally:
            links[:] = saved
            self.memory["key_info"] = info
            self.block[PHASE], self.block[SCAN_END] = GATEKEEP, 0

    def _drive(self, check: Callable[[], object]) -> None:
        while True:
            self.block[FUEL] = QUANTUM
            status = advance(self.block)
            if status == DONE:
                return
            if status == NEED_ROWS:
                self._make_room(int(self.block[N_HEADS]))
            elif status == NEED_POSTINGS:
                self.arrangements.grow()
            elif status == NEED_ARRANGEMENT:
                self._make_live(int(self.block[WANTED]))
            check()

    def _make_live(self, arrangement: int) -> None:
        at, end = 0, int(self.block[N_ROWS])
        while True:
            at = arrange_present(self.block, arrangement, at, end)
            if at == end:
                break
            self.arrangements.grow()
        self.planner.arranged.array[arrangement, 2] = 1

    def drop_arrangements(self) -> None:
        """Forget all arrangements; each is built again when a plan needs it."""
        self.arrangements.clear()
        self.planner.arranged.array[:, 2] = 0

    def count_from(self, first_key: int) -> None:
        """Count the old rows that meet the trigger keys from `first_key` on."""
        self.memory["key_count"][first_key:] = 0
        count_present(self.block, 0, int(self.block[N_ROWS]), first_key)

    def begin(self, *, ranked: bool) -> None:
        """Start an evaluation: Update reads ranks from stamps and keeps an undo log, Bootstrap does neither."""
        block = self.block
        block[[N_QUEUE, LEVEL_END, SEGMENT_LOW, SEGMENT_HIGH, N_HITS, N_GROUPS, N_HEADS, N_TOUCHED, REWRITES]] = 0
        block[RANKED] = block[LOGGING] = int(ranked)
        block[LEVEL] = -1 if ranked else 0
        block[PHASE] = GATEKEEP

    def finish(self) -> Int32:
        """End an evaluation; the rows that it added."""
        added = self.memory["queue"][: int(self.block[N_QUEUE])].copy()
        self.block[[N_QUEUE, LEVEL_END, SEGMENT_LOW, SEGMENT_HIGH, N_TOUCHED, LOGGING]] = 0
        return added

    def undo(self) -> None:
        """Put every touched row back as it was before `begin`."""
        self.facts.rehash()  # it may have been interrupted
        log = self.memory["undo"][: int(self.block[N_TOUCHED])]
        self.memory["rows"][log[::-1, 0], :FIRST] = log[::-1, 1 : 1 + FIRST]  # a row's oldest note is written last
        new = np.unique(log[log[:, 1] & AGE == FREE, 0])
        self.facts.remove(new)
        self.drop_arrangements()
        self.memory["key_fill"][:] = 0
        self.count_from(0)
        self.finish()

    @property
    def rewrites(self) -> int:
        """Rewrites extended since `begin`."""
        return int(self.block[REWRITES])

    @property
    def rule(self) -> int:
        """The rule that was evaluated last."""
        return int(self.block[AT_RULE])

    @property
    def nbytes(self) -> int:
        """Bytes of the fact table and its arrangements; scratch arrays and the program aside."""
        return self.facts.nbytes + self.arrangements.nbytes
