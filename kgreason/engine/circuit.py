"""The columnar circuit: fact table, triggers, plans and arrangements, and the loop that drives the kernels.

One `advance` call runs a whole phase if no array has to grow. The loop here grows arrays, makes arrangements live,
honours limits and lets Ctrl-C through. Invariant: between calls the arrays are consistent. So after an error at any
point, `undo` repairs the circuit of an Update; the new circuit of a Bootstrap is simply dropped.

Cost: one kernel call for a phase of a small commit, one for each `QUANTUM` rewrites in a large one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kgreason.engine.facts.hash_table import BLOCK as LOOKUP_BLOCK
from kgreason.engine.facts.hash_table import rehash
from kgreason.engine.facts.table import FactTable
from kgreason.engine.index.arrangements import Arrangements
from kgreason.engine.index.candidates import Catalogue
from kgreason.engine.level.commit_end import note_changes, settle, unwind
from kgreason.engine.level.distinct import assert_rows, open_queue, retract_rows, take_back_heads, take_heads
from kgreason.engine.level.fixpoint import advance
from kgreason.engine.level.probe import BLOCK
from kgreason.engine.memory.blocks import Memory
from kgreason.engine.memory.layout import (
    AFTER,
    ASSERT,
    AT_DEPTH,
    AT_PLAN,
    AT_RULE,
    BEFORE,
    DONE,
    EXPLAIN,
    FIRST,
    FRAME,
    FUEL,
    GATEKEEP,
    LEVEL,
    LEVEL_END,
    LOGGING,
    MET,
    MODE,
    N_GROUPS,
    N_HEADS,
    N_HITS,
    N_QUEUE,
    N_ROWS,
    N_TOUCHED,
    NEED_ARRANGEMENT,
    NEED_POSTINGS,
    NEED_READER,
    NEED_ROWS,
    NOT_GONE,
    NOT_GONE_AND_CURRENT,
    NOT_LEFT,
    OLD_AND_CURRENT,
    ONLY_OLD,
    PARTIAL,
    PHASE,
    QUIET,
    RANKED,
    RETRACT,
    REWRITES,
    SCAN,
    SCAN_AT,
    SCAN_END,
    SCAN_KEY,
    SCAN_PLAN,
    SEGMENT_HIGH,
    SEGMENT_LOW,
    STATE,
    WANTED,
    Int8,
    Int32,
)
from kgreason.engine.program.planner import Planner

QUANTUM = 20_000_000
"""The number of rewrites and rows that one kernel call may process: about 0.2 s."""
UNLIMITED = 1 << 62
_HEADS = 1 << 13
_SEGMENT = 1 << 16
_SPARSE = 1 << 16
"""A table with at most so many rows is never compacted: it keeps its free rows."""
_LARGE_LOG = 1 << 14
"""The number of undo-log lines for which a circuit keeps room between commits."""
_LEAST_FUEL = 10_000
"""The least fuel of a kernel call, so that an evaluation may go so far past a limit. Rows use fuel too; with less, near
the limit there could be one call for each row."""
_SCRATCH = {
    "ranks": _HEADS,
    "tables": _HEADS,
    "hit_keys": _SEGMENT,
    "hit_rows": _SEGMENT,
    "grouped": _SEGMENT,
    "group_key": _SEGMENT,
    "group_low": _SEGMENT + 1,
    "key_fill": 16,
    "slots": 16,
    "scanned": 16,
}

_COUNTED = np.array([N_QUEUE, N_HITS, N_GROUPS, N_HEADS, N_TOUCHED, REWRITES])
"""The counters that start at 0 in each commit."""

Check = Callable[[], object]


def unlimited() -> int:
    """A limit that no commit reaches."""
    return UNLIMITED


class OverLimitError(Exception):
    """An evaluation has extended more rewrites than its limit allows."""


class _EnoughError(Exception):
    """The requested number of derivations has been found."""


class Circuit:
    """Facts under a program. Several circuits may share a `planner` if only one of them works at a time.

    `limit` is called between kernel calls and returns how many rewrites may be extended since `begin`; an evaluation
    that extends more raises OverLimitError.
    """

    def __init__(self, planner: Planner, room: int = 1024, quiet: int = 0) -> None:
        self.planner = planner
        self.memory = Memory()
        self.block, self._counters = self.memory.block, self.memory.counters
        self._counters[QUIET] = quiet
        self.limit = unlimited
        self.facts = FactTable(self.memory, planner.width, room)
        self.catalogue = Catalogue(self.facts, planner)
        self.arrangements = Arrangements(self.memory, planner, self.facts, self.catalogue)
        self._version = -1
        self._noted = 0
        self._make_scratch()
        self.refresh()

    def _make_scratch(self) -> None:
        memory = self.memory
        memory["undo"] = np.zeros((16, 1 + FIRST), dtype=np.int32)
        self._make_wide(self.facts.width)
        memory["traced"] = np.zeros((1, 1), dtype=np.int32)
        for name, size in _SCRATCH.items():
            memory[name] = np.zeros(size, dtype=np.int32)
        memory["frames"] = np.zeros((16, FRAME), dtype=np.int32)
        memory["first_probes"] = np.zeros((BLOCK + 1, FRAME), dtype=np.int32)
        memory["hashes"] = np.zeros(max(BLOCK, LOOKUP_BLOCK) + 1, dtype=np.uint64)

    def _make_wide(self, width: int) -> None:
        """Make the scratch arrays for facts of this many columns."""
        self.memory["heads"] = np.zeros((_HEADS + 1, width), dtype=np.int32)
        self.memory["changed"] = np.zeros((16, FIRST + width), dtype=np.int32)

    def keep_up(self) -> None:
        """Do a `refresh` if the planner has changed since the last one."""
        if self._version != self.planner.version:
            self.refresh()

    def refresh(self) -> None:
        """Publish the planner's rules, keys and asks in the memory block, and fit the arrays to its width and slots."""
        planner, memory = self.planner, self.memory
        if planner.width > memory["heads"].shape[1]:
            self.facts.widen(planner.width)
            self._make_wide(planner.width)
        keys = planner.key_info.n
        sizes = {
            "key_count": keys,
            "key_fill": keys,
            "slots": planner.slots,
            "frames": planner.longest + 2,
            "live": planner.arranged.n,
            "live_asks": planner.asks.n,
        }
        for name, needed in sizes.items():
            memory.grow(name, needed)
        version = planner.version
        planner.publish(memory)
        self.arrangements.catch_up()
        self._version = version

    def assert_rows(self, table: int, rows: Int32, check: Check, *, only_present: bool = False) -> None:
        """Flag rows int32[n, w] of a table as asserted and queue the new rows. `check` may raise between pieces.

        With `only_present` only rows that are facts already are flagged.
        """
        rows = np.ascontiguousarray(rows, dtype=np.int32)
        self._make_room(len(rows))
        for low in range(0, len(rows), 1 << 18):
            assert_rows(self.block, rows, table, low, min(len(rows), low + (1 << 18)), only_present)
            check()

    def retract_rows(self, rows: Int32, check: Check) -> int:
        """Remove the flag of the asserted rows among rows int32[n, w]; the number of rows that were not asserted."""
        rows, missed = np.ascontiguousarray(rows, dtype=np.int32), 0
        self._make_room(len(rows))
        for low in range(0, len(rows), 1 << 18):
            missed += retract_rows(self.block, rows, low, min(len(rows), low + (1 << 18)))
            check()
        return missed

    def adopt(self, records: Int32) -> None:
        """Fill the empty table with the records int32[n, 3 + w] of a fixpoint: state, stamp, support and columns."""
        self.facts.reserve(len(records))
        self.memory["rows"][: len(records), : records.shape[1]] = records
        self.memory["rows"][: len(records), STATE] |= MET
        self._counters[N_ROWS] = len(records)
        self._counters[RANKED] = 1  # all rows are MET, so that `_are_large` compares with all rows
        rehash(self.block)
        self.arrangements.renew()

    def open_first_level(self) -> None:
        """Bootstrap: make the asserted facts level 0; heads of rules with an empty body come after them."""
        open_queue(self.block)

    def derive(self, table: int, rows: Int32) -> None:
        """Derive head rows of rules with an empty body; in the phase RETRACT, take them back."""
        rows = self.facts.padded(rows)
        self._make_room(len(rows))
        take = take_back_heads if self._counters[MODE] == RETRACT else take_heads
        for low in range(0, len(rows), _HEADS):
            part = rows[low : low + _HEADS]
            self.memory["heads"][: len(part)] = part
            self.memory["tables"][: len(part)] = table
            self.memory["ranks"][: len(part)] = -1
            self._counters[N_HEADS] = len(part)
            take(self.block)

    def _make_room(self, more: int) -> None:
        self.facts.reserve(more)
        if self._counters[LOGGING]:
            self.memory.grow("undo", self._counters[N_TOUCHED] + more)

    def go_on(self, mode: int) -> None:
        """Start a phase of a commit. The phase before has queued its first batch."""
        self._counters[MODE] = mode

    def enter(self, mode: int) -> None:
        """Start a phase of a commit: ASSERT, RETRACT or REDERIVE. Its first level starts at the end of the queue."""
        counters = self._counters
        counters[MODE] = mode
        counters[PHASE] = GATEKEEP
        counters[LEVEL_END] = counters[SEGMENT_LOW] = counters[SEGMENT_HIGH] = counters[N_QUEUE]

    def run(self, check: Check) -> None:
        """Run levels to the fixpoint; `check` is called between kernel calls and may raise."""
        counters = self._counters
        if counters[N_QUEUE] == counters[SEGMENT_LOW]:
            return
        if counters[MODE] == RETRACT:
            counters[BEFORE], counters[AFTER] = NOT_GONE, NOT_GONE_AND_CURRENT
        else:
            counters[BEFORE], counters[AFTER] = ONLY_OLD, OLD_AND_CURRENT
        self._drive(check)

    def run_rule(self, rule: int, check: Check) -> None:
        """Derive the heads of a rule with a body from the present facts, without the facts that this commit adds."""
        count = self.memory["key_count"]
        key, plan = min(self.planner.plans_of(rule), key=lambda pair: int(count[pair[0]]))
        if count[key]:
            self._scan(
                self.arrangements.candidates(key),
                key,
                plan,
                NOT_LEFT if self._counters[MODE] == RETRACT else ONLY_OLD,
                check,
            )

    def plan_backward(self, heads: Int32) -> None:
        """Make the backward plans of the rules that may derive the facts in rows int32[n]."""
        self.planner.plan_backward(self.memory["rows"][heads], self.memory["key_count"])
        self.keep_up()

    def run_backward(self, heads: Int32, check: Check) -> None:
        """Run the backward plans of rows int32[n] over the present facts."""
        self._scan(heads, -1, -1, ONLY_OLD, check)

    def _scan(self, rows: Int32, key: int, plan: int, ages: int, check: Check) -> None:
        counters = self._counters
        self.memory.grow("scanned", len(rows))
        self.memory["scanned"][: len(rows)] = rows
        counters[BEFORE] = counters[AFTER] = ages
        counters[PHASE], counters[SCAN_AT], counters[SCAN_END] = SCAN, 0, len(rows)
        counters[SCAN_KEY], counters[SCAN_PLAN] = key, plan
        if len(rows):
            self._drive(check)
        counters[PHASE], counters[SCAN_END] = GATEKEEP, 0

    def derivations(self, row: int, limit: int) -> Int32:
        """Rule and slots of the derivations of a present row, int32[n, 1 + slots].

        The search stops once it has `limit` derivations or more.
        """
        found: list[Int32] = []
        self.limit = unlimited
        self.arrangements.mend()
        self.memory["traced"] = np.zeros((_HEADS + 1, 1 + self.planner.slots), dtype=np.int32)
        self._counters[MODE] = EXPLAIN

        def read() -> None:
            found.append(self.memory["traced"][: self._counters[N_HEADS]].copy())
            self._counters[N_HEADS] = 0
            if sum(map(len, found)) >= limit:
                raise _EnoughError

        self._read = read
        try:
            self.run_backward(np.array([row], dtype=np.int32), lambda: None)
        except _EnoughError:
            pass
        finally:
            self._stop()
        return np.concatenate(found) if found else self.memory["traced"][:0].copy()

    def _stop(self) -> None:
        """Reset the counters of a scan that may have been interrupted."""
        self.memory["key_fill"][:] = 0
        self.block[[N_HITS, N_GROUPS, N_HEADS, SCAN_END, AT_PLAN, AT_DEPTH]] = 0
        self._counters[PHASE] = GATEKEEP

    def _drive(self, check: Check) -> None:
        block, counters = self.block, self._counters
        while True:
            counters[FUEL] = min(QUANTUM, max(self.limit() - counters[REWRITES], _LEAST_FUEL))
            status = advance(block)
            if status == DONE:
                return
            if status == NEED_ROWS:
                self._make_room(counters[N_HEADS])
            elif status == NEED_POSTINGS:
                self.arrangements.grow()
            elif status == NEED_ARRANGEMENT:
                self.note_queued()
                self.arrangements.make_live(counters[WANTED])
            elif status == NEED_READER:
                self._read()
            else:
                self.check_limit(self.limit())
            check()

    def check_limit(self, most: int) -> None:
        """Raise OverLimitError if more rewrites were extended. A small evaluation ends before `limit` is called."""
        if self._counters[REWRITES] > most:
            raise OverLimitError

    def begin(self, *, ranked: bool) -> None:
        """Start a commit. Update (`ranked`) reads ranks from stamps and keeps an undo log; Bootstrap does neither."""
        counters = self._counters
        self.arrangements.mend()
        self.block[_COUNTED] = self._noted = 0
        counters[RANKED] = counters[LOGGING] = int(ranked)
        counters[LEVEL] = -1 if ranked else 0
        self.enter(ASSERT)

    def queued(self, start: int) -> Int32:
        """The rows from place `start` of the queue on: int32[n]."""
        queued: Int32 = self.memory["queue"][start : self._counters[N_QUEUE]].copy()
        return queued

    def note_queued(self) -> None:
        """Tell the catalogue the rows that this commit has added since the last call."""
        end = self.queue_end
        if self.catalogue.is_listed and end > self._noted:
            self.catalogue.note(self.queued(self._noted))
        self._noted = end

    @property
    def queue_end(self) -> int:
        """The number of rows in the queue."""
        return self._counters[N_QUEUE]

    @property
    def touched(self) -> int:
        """The number of rows in the undo log."""
        return self._counters[N_TOUCHED]

    def changes(self, start: int = 0) -> tuple[Int32, Int32, Int8, Int8]:
        """The facts of changed kind: columns int32[n, w], tables int32[n], kinds before and after int8[n].

        Rows that the undo log has before place `start` are left out. All four are views and not contiguous.
        """
        self.memory.grow("changed", self._counters[N_TOUCHED] - start)
        n = note_changes(self.block, start)
        noted: Int32 = self.memory["changed"][:n].copy()
        kinds = noted[:, :2].astype(np.int8)
        return noted[:, FIRST:], noted[:, 2], kinds[:, 0], kinds[:, 1]

    def settle(self) -> None:
        """Make the commit final."""
        self.facts.reserve_free(self._counters[N_TOUCHED])
        settle(self.block)
        self._counters[LOGGING] = 0
        self.arrangements.refresh_signs()
        if self.memory["undo"].shape[0] > _LARGE_LOG:
            self._cut()
        if self._counters[N_ROWS] > _SPARSE and self._counters[N_ROWS] > 2 * len(self.facts):
            self._compact()

    def _cut(self) -> None:
        """Give back the room that a large commit needed in logs, scans and the queue."""
        for name in ("undo", "changed", "scanned"):
            self.memory.cut(name, _LARGE_LOG)
        self.memory.cut("queue", len(self.facts) // 8 + 1024)

    def _compact(self) -> None:
        """Move the rows together: more than half of them are free. Plans that need arrangements build them again."""
        self._counters[PARTIAL] = 1
        self.arrangements.drop()
        self.catalogue.clear()
        self.facts.compact()
        self._counters[PARTIAL] = 0

    def undo(self) -> None:
        """Restore every row that the commit wrote to its state before `begin`."""
        self.facts.repair()
        self._stop()
        is_partial = self._counters[PARTIAL] == 1
        if is_partial:
            self.arrangements.drop()
        self.facts.reserve_free(self._counters[N_TOUCHED])
        unwind(self.block)
        self._counters[LOGGING] = 0
        if is_partial:
            self.arrangements.renew()

    @property
    def rewrites(self) -> int:
        """Rewrites extended since `begin`."""
        return self._counters[REWRITES]

    @property
    def rule(self) -> int:
        """The number of the rule that was evaluated last."""
        return self._counters[AT_RULE]

    @property
    def nbytes(self) -> int:
        """Bytes of the fact table, the arrangements and the catalogue, without scratch arrays and the program."""
        return self.facts.nbytes + self.arrangements.nbytes + self.catalogue.nbytes
