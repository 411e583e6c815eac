"""The columnar circuit: fact table, triggers, plans and arrangements, and the loop that drives the kernels.

One call of the kernel `advance` runs a whole phase if no array has to grow. Between the calls, `Circuit` grows arrays,
fills arrangements, checks limits and lets Ctrl-C through. Invariant: between two calls the arrays are consistent. So
after an error at any point, `undo` repairs the circuit of an Update; the new circuit of a Bootstrap is simply dropped.

Cost: one kernel call for a phase of a small commit, one for each `QUANTUM` rewrites in a large one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kgreason.engine import scratch
from kgreason.engine.costs import take_back
from kgreason.engine.crew.crew import Crew
from kgreason.engine.crew.keepers import Gatekeepers
from kgreason.engine.facts.table import FactTable
from kgreason.engine.index.arrangements import Arrangements
from kgreason.engine.index.candidates import Catalogue
from kgreason.engine.level import returning
from kgreason.engine.level.commit_end import note_changes, settle, unwind
from kgreason.engine.level.distinct import assert_rows, retract_rows, take_back_heads, take_heads
from kgreason.engine.level.fixpoint import advance
from kgreason.engine.limits import MOST_SUPPORT, UNLIMITED, Check, Limit, OverLimitError, TooDeepError, support_room
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import Memory
from kgreason.engine.program.planner import Planner
from kgreason.engine.records import Snapshot
from kgreason.zset.columns import Int8, Int32, Int64, UInt32

QUANTUM = 20_000_000
"""The number of rewrites and rows that one kernel call may process: about 0.2 s."""
_SPARSE = 1 << 16
"""A table with at most 65,536 rows is never compacted: it keeps its free rows."""
_LARGE_LOG = 1 << 14
"""The number of undo-log lines for which a circuit keeps room between commits."""
_LEAST_FUEL = 10_000
"""The smallest number of rewrites and rows that one kernel call may process, however near the limit is. With a smaller
number, an evaluation near its limit could need one call for each row."""

_COUNTED = np.array([at.N_QUEUE, at.N_HITS, at.N_GROUPS, at.N_HEADS, at.N_TOUCHED, at.REWRITES, at.LATEST])
"""The counters that start at 0 in each commit."""
_OF_A_SCAN = np.array([at.N_HITS, at.N_GROUPS, at.N_COMMON, at.N_HEADS, at.N_CHUNKS, at.N_NOTED, at.AT_WORK,
                       at.SCAN_END, at.AT_PLAN, at.AT_DEPTH])  # fmt: skip
"""The counters that are 0 between two scans."""


class Circuit:
    """Holds the facts and the arrays that index them, and evaluates the planner's rules over the facts.

    Several circuits may share a `planner` if only one circuit works at a time. The attribute `limit` says how many
    rewrites the commit may extend, counted from `begin` on. It is looked at when a run or a scan begins, and at the
    ends of segments. An evaluation that extends more rewrites raises
    OverLimitError, one with a chain of too many levels TooDeepError. `threads`: how many threads a large level may use,
    which changes the time alone.
    """

    def __init__(self, planner: Planner, room: int = 1024, quiet: int = 0, threads: int = 1) -> None:
        self.planner = planner
        self.generation = 0
        """The number of the circuit among those of its engine."""
        self.memory = Memory()
        self.block, self._counters = self.memory.block, self.memory.counters
        self._counters[at.QUIET], self._counters[at.SEGMENT] = quiet, scratch.SEGMENT
        self.limit = Limit()
        self._most = UNLIMITED
        """What `limit` was when it was last looked at."""
        self.crew = Crew(self.memory, threads)
        self.keepers = Gatekeepers(self.memory, self.crew)
        self.facts = FactTable(self.memory, planner.width, room, self.crew)
        self.catalogue = Catalogue(self.facts, planner)
        self.arrangements = Arrangements(self.memory, planner, self.facts, self.catalogue, self.keepers)
        self.version = -1
        """The version of the planner that the circuit has kept up with."""
        self._noted = 0
        self._survey_at = MOST_SUPPORT
        scratch.make_arrays(self.memory, self.facts.width)
        self.refresh()

    def refresh_if_changed(self) -> None:
        """Call `refresh` if the planner has changed since the last `refresh`."""
        if self.version != self.planner.version:
            self.refresh()

    def refresh(self) -> None:
        """Copy the rules, keys and asks of the planner into the memory block.

        The arrays whose size depends on the planner grow, and the rows that meet each new key are counted.
        """
        planner, memory = self.planner, self.memory
        if planner.width > memory["heads"].shape[1]:
            wide = self.facts.rows_of_width(planner.width), scratch.heads(planner.width)
            memory["rows"], memory["heads"] = wide  # both or none
        keys = planner.key_info.n
        sizes = {
            "key_count": keys,
            "key_fill": keys,
            "slots": planner.slots,
            "frames": planner.longest + 2,
            "live": planner.arranged.n,
            "live_asks": planner.asks.n,
            "costs": planner.rules.n,
        }
        for name, needed in sizes.items():
            memory.grow(name, needed)
        for name in ("noted", "noted_hashes"):
            memory.grow(name, memory.room("live") + scratch.NOTES)
        if self.crew.workers:
            self.crew.forget_if_grown()
        version = planner.version
        planner.publish(memory)
        self.arrangements.count_new_keys()
        self.version = version

    def assert_rows(self, table: int, rows: Int32, check: Check, *, only_present: bool = False) -> None:
        """Flag the rows `rows`, int32[n, w], of a table as asserted. Rows that are new facts go into the queue.

        With `only_present`, rows that are not facts yet are skipped. `check` is called between parts of 2**18 rows,
        and may raise.
        """
        self.facts.reserve(len(rows))
        if self._counters[at.IS_UPDATE] == 0 and self.crew.is_worth(len(rows)):
            self.crew.assert_rows(table, np.ascontiguousarray(rows, dtype=np.int32), self.facts.reserve, check)
            return
        for low in range(0, len(rows), 1 << 18):
            if low:
                check()
            part = np.ascontiguousarray(rows[low : low + (1 << 18)], dtype=np.int32)
            assert_rows(self.block, part, table, 0, len(part), only_present)

    def retract_rows(self, rows: Int32, check: Check) -> int:
        """Remove the flag `asserted` from the facts `rows`, int32[n, w]. Facts without support leave.

        Returns how many of the facts were not asserted. `check` is called between parts of 2**18 rows and may raise.
        """
        rows, missed = np.ascontiguousarray(rows, dtype=np.int32), 0
        self.facts.reserve(len(rows))
        for low in range(0, len(rows), 1 << 18):
            if low:
                check()
            missed += retract_rows(self.block, rows, low, min(len(rows), low + (1 << 18)))
        return missed

    def adopt(self, records: Int32, hashed: UInt32 | None = None, snapshot: Snapshot | None = None) -> None:
        """Fill the empty fact table with a saved fixpoint.

        `records`: int32[n, 3 + w], for each fact its state, stamp, support and columns. `hashed`: see
        `FactTable.adopt`. `snapshot`: the same rows with what is known of them. If it fits, 64 rows are looked up,
        and no other is read.
        """
        self._survey_at = 1 << 28  # a saved support is at most `MOST_SUPPORT`
        self._counters[at.IS_UPDATE] = 1  # all rows are MET, so that `_are_large` compares with all rows
        if snapshot and self.facts.take_over(snapshot.rows, len(records), snapshot.hashed):
            self.arrangements.set_key_counts(snapshot.keys)
            return
        self.facts.adopt(records, hashed)
        self.arrangements.empty_and_recount()

    def snapshot(self, records: Int32) -> Snapshot | None:
        """Return a snapshot of the circuit, or None if some rows hold no present fact, or if counts may lack rows.

        `records` is what `facts.whole_records` has just returned. The arrays of the result are those of the circuit,
        valid until the next change.
        """
        hashed = self.facts.hash_table(records)
        if hashed is None or self._counters[at.PARTIAL]:
            return None
        return Snapshot(records, hashed, self.arrangements.key_counts())

    def open_first_level(self) -> None:
        """Start a Bootstrap: the asserted facts become level 0. Call `derive` next, for rules with an empty body."""
        self._counters[at.LEVEL_END] = self._counters[at.N_QUEUE]

    def derive(self, table: int, rows: Int32) -> None:
        """Derive rows of a table: the heads of rules with an empty body.

        `rows`: int32[n, w]. In the phase RETRACT, the method takes one derivation of each row back.
        """
        rows = self.facts.pad(rows)
        self.facts.reserve(len(rows))
        take = take_back_heads if self._counters[at.MODE] == at.RETRACT else take_heads
        for low in range(0, len(rows), scratch.HEADS):
            part = rows[low : low + scratch.HEADS]
            self.memory["heads"][: len(part)] = part
            self.memory["tables"][: len(part)] = table
            self.memory["ranks"][: len(part)] = -1
            self._counters[at.N_HEADS] = len(part)
            take(self.block)

    def start_phase_from_queue(self, mode: int) -> None:
        """Start the phase `mode` of a commit with the rows that the previous phase has put into the queue.

        Unlike after `start_phase`, these rows are the first level of the new phase.
        """
        self._counters[at.MODE] = mode

    def start_phase(self, mode: int) -> None:
        """Start the phase `mode` of a commit: ASSERT, RETRACT or REDERIVE.

        Rows that are queued from now on are the first level of the phase.
        """
        counters = self._counters
        counters[at.MODE] = mode
        counters[at.PHASE] = at.GATEKEEP
        counters[at.LEVEL_END] = counters[at.SEGMENT_LOW] = counters[at.SEGMENT_HIGH] = counters[at.N_QUEUE]

    def run(self, check: Check) -> None:
        """Run levels until no new fact is derived. `check` is called between kernel calls and may raise."""
        counters = self._counters
        if counters[at.N_QUEUE] == counters[at.SEGMENT_LOW]:
            return
        if counters[at.MODE] == at.RETRACT:
            counters[at.BEFORE], counters[at.AFTER] = at.NOT_GONE, at.NOT_GONE_AND_CURRENT
        else:
            counters[at.BEFORE], counters[at.AFTER] = at.ONLY_OLD, at.OLD_AND_CURRENT
        self._run_kernels(check)

    def run_rule(self, rule: int, check: Check) -> None:
        """Evaluate one rule over the facts that were present before the phase. The rule must have a body.

        In the phase ASSERT, the rule enters the program, and its heads are derived. In the phase RETRACT, the rule
        leaves the program, and its derivations are taken back.
        """
        count = self.memory["key_count"]
        key, plan = min(self.planner.plans_of(rule), key=lambda pair: int(count[pair[0]]))
        if count[key]:
            ages = at.NOT_LEFT if self._counters[at.MODE] == at.RETRACT else at.ONLY_OLD
            self._scan(self.arrangements.candidates(key), key, plan, ages, check)

    def plan_backward(self, heads: Int32) -> None:
        """Make backward plans for the facts in the rows with the numbers `heads`, int32[n].

        A backward plan starts at a head and finds the bodies from which rules derive the head.
        """
        self.planner.plan_backward(self.memory["rows"][heads], self.memory["key_count"])
        self.refresh_if_changed()

    def run_backward(self, heads: Int32, check: Check) -> None:
        """Find the derivations of the facts in the rows `heads`, int32[n], with the plans that `plan_backward` made.

        All atoms of the bodies of these derivations are present facts.
        """
        self._scan(heads, -1, -1, at.ONLY_OLD, check)

    def rederive(self, gone: Int32, check: Check) -> None:
        """Bring those facts in the GONE rows `gone`, int32[n], back that have a derivation from the remaining facts."""
        states = self.memory["rows"][gone, at.STATE]
        may_return, is_unknown = states & at.SPARE != 0, states & at.UNKNOWN != 0
        known, searched = gone[may_return & ~is_unknown], gone[may_return]
        many = len(known) >= max(returning.MANY, returning.SHARE * len(self.facts))
        if many and (late := returning.late_stamp(self.block)) <= returning.LAST:
            self.memory.grow("queue", self._counters[at.N_QUEUE] + len(known))
            returning.bring_back(self.block, known, late)
            searched = gone[is_unknown]
        if len(searched):
            self.plan_backward(searched)
            self.run_backward(searched, check)

    def _scan(self, rows: Int32, key: int, plan: int, ages: int, check: Check) -> None:
        counters = self._counters
        self.memory.grow("scanned", len(rows))
        self.memory["scanned"][: len(rows)] = rows
        counters[at.BEFORE] = counters[at.AFTER] = ages
        counters[at.PHASE], counters[at.SCAN_AT], counters[at.SCAN_END] = at.SCAN, 0, len(rows)
        counters[at.SCAN_KEY], counters[at.SCAN_PLAN] = key, plan
        if len(rows):
            self._run_kernels(check)
        counters[at.PHASE], counters[at.SCAN_END] = at.GATEKEEP, 0

    def trace(self, rows: Int32, take: Callable[[Int32], None], check: Check) -> None:
        """Find the derivations of the present facts in rows int32[n], and pass them to `take`, part by part.

        A part is int32[n, 1 + slots]: each line has the number of a rule, then the values of the rule's slots. A
        derivation with two heads is passed twice if both heads are among the facts. `take` and `check` may raise.
        """
        self.limit = Limit()
        self._repair()
        self.memory["traced"] = np.zeros((scratch.HEADS + 1, 1 + self.planner.slots), dtype=np.int32)
        self._counters[at.MODE] = at.EXPLAIN

        def read() -> None:
            traced = self.memory["traced"][: self._counters[at.N_HEADS]].copy()
            self._counters[at.N_HEADS] = 0
            take(traced)

        self._read = read
        try:
            self.run_backward(rows, check)
        finally:
            self._end_scan()

    def _end_scan(self) -> None:
        """Reset the counters of a scan that is complete or was interrupted. A scan is a pass over given rows."""
        self.memory["key_fill"][:] = 0
        self.block[_OF_A_SCAN] = 0
        self._counters[at.PHASE] = at.GATEKEEP

    def _run_kernels(self, check: Check) -> None:
        block, counters = self.block, self._counters
        self._renew_limit()
        while True:
            counters[at.FUEL] = min(QUANTUM, max(self._most - counters[at.REWRITES], _LEAST_FUEL))
            status = advance(block)
            if counters[at.DERIVATIONS] >= self._survey_at:
                supports = self.memory["rows"][: counters[at.N_ROWS], at.SUPPORT]
                self._survey_at = counters[at.DERIVATIONS] + support_room(supports) // 2 + 1
            if counters[at.LATEST] >= at.LAST_LEVEL << at.LEVEL_BITS:
                raise TooDeepError
            if status == at.DONE:
                if self.keepers.are_lent:
                    self.keepers.take_back_room()
                return
            if status == at.NEED_ROWS:
                self.facts.reserve(counters[at.N_HEADS])
            elif status == at.NEED_POSTINGS:
                self.arrangements.grow()
            elif status == at.NEED_HITS:
                for name in ("hit_keys", "hit_rows", "grouped", "group_key", "group_low", "noted", "noted_hashes"):
                    self.memory.grow(name, 2 * self.memory.room(name) + 1)
            elif status == at.NEED_MEETING:
                self.keepers.meet(self.arrangements)
            elif status == at.NEED_ARRANGEMENT:
                self.note_queued()
                self.arrangements.make_live(counters[at.WANTED])
            elif status == at.NEED_READER:
                self._read()
            elif status == at.NEED_CREW:
                self.check_limit(self._most)  # a crew may call for itself again and again, to the end of the segment
                self.crew.run_chunks(self.facts.reserve)
            elif status == at.NEED_LIMIT:
                self.check_limit(self._most)
                self._renew_limit()
            else:
                self.check_limit(self._most)
            check()

    def _renew_limit(self) -> None:
        """Compute how many rewrites the commit may extend now. Raises OverLimitError if it has extended more.

        The limit may grow with the new facts. So it is looked at again at the end of a segment, when half of the
        rewrites up to the limit are used. Within a segment the number of new facts depends on threads and on the room
        of arrays; at its end it does not. So whether an evaluation goes past its limit depends on neither.
        """
        counters = self._counters
        most, least, before, work, queued, facts = self.limit
        growth = (counters[at.N_QUEUE] - queued) / facts
        self._most = min(most, max(least, before + int((1 + growth) * work)))
        self.check_limit(self._most)
        counters[at.CHECK_AT] = (counters[at.REWRITES] + self._most) // 2

    def check_limit(self, most: int) -> None:
        """Raise OverLimitError if this commit has extended more than `most` rewrites.

        Also call this method after each evaluation: a small evaluation ends before it checks its limit.
        """
        if self._counters[at.REWRITES] > most:
            raise OverLimitError

    def begin(self, *, is_update: bool, commit: int = 0) -> None:
        """Start a commit, or a part of a commit. `commit` is the number under which the costs of rules are counted.

        With `is_update`, the circuit keeps an undo log. Without `is_update`, the commit is a Bootstrap: the circuit
        must be empty, facts only arrive, and the circuit keeps no undo log.
        """
        counters = self._counters
        self._repair()
        self.block[_COUNTED] = self._noted = 0
        self._most = UNLIMITED
        counters[at.COMMIT] = commit
        counters[at.IS_UPDATE] = counters[at.LOGGING] = int(is_update)
        counters[at.LEVEL] = -1 if is_update else 0
        self.start_phase(at.ASSERT)

    def _repair(self) -> None:
        """Make counts and arrangements complete again, if an error has left them without some rows."""
        if self._counters[at.PARTIAL]:
            self.arrangements.empty_and_recount()

    def queued_rows(self, start: int) -> Int32:
        """Return the numbers of the rows in the queue, from position `start` to the end: int32[n]."""
        return self.memory["queue"][start : self._counters[at.N_QUEUE]].copy()

    def note_queued(self) -> None:
        """Tell the catalogue which rows the commit has added since the last call of this method."""
        end = self.queue_end
        if self.catalogue.is_listed and end > self._noted:
            self.catalogue.note(self.queued_rows(self._noted))
        self._noted = end

    @property
    def queue_end(self) -> int:
        """The number of rows in the queue."""
        return self._counters[at.N_QUEUE]

    @property
    def log_length(self) -> int:
        """The number of rows in the undo log."""
        return self._counters[at.N_TOUCHED]

    def changes(self, start: int = 0) -> tuple[Int32, Int32, Int8, Int8]:
        """Return the facts whose kind (absent, inferred or asserted) this commit has changed so far.

        Returns four arrays: the facts' columns int32[n, w], tables int32[n], kinds before the commit int8[n], and kinds
        after the commit int8[n]. `start`: only rows from this position of the undo log on are looked at.
        """
        room = self._counters[at.N_TOUCHED] - start
        columns, tables = np.empty((room, self.facts.width), dtype=np.int32), np.empty(room, dtype=np.int32)
        before, after = np.empty(room, dtype=np.int8), np.empty(room, dtype=np.int8)
        n = note_changes(self.block, start, columns, tables, before, after)
        return columns[:n], tables[:n], before[:n], after[:n]

    def settle(self) -> None:
        """Make the commit final. This takes no memory, if `FactTable.reserve` made room. Call `tidy` next."""
        counters = self._counters
        if counters[at.FREE_ROWS + 1] < counters[at.N_FREE] + counters[at.N_DEAD] + counters[at.N_TOUCHED]:
            self.facts.reserve_free(counters[at.N_TOUCHED])
        settle(self.block)
        counters[at.LOGGING] = 0

    def tidy(self) -> None:
        """Give back what a large commit has left. After an error the next commit still finds everything in order."""
        if self._counters[at.N_SIGNED] > self.memory["group_entries"].size:
            self.arrangements.refresh_signs()
        if self.memory["undo"].shape[0] > _LARGE_LOG:
            self._shrink_log()
        if self._counters[at.N_ROWS] > _SPARSE and self._counters[at.N_ROWS] > 2 * len(self.facts):
            self._compact()

    def _shrink_log(self) -> None:
        """Shrink the undo log, the scan array and the queue after a large commit."""
        for name in ("undo", "scanned"):
            self.memory.cut(name, _LARGE_LOG)
        self.memory.cut("queue", len(self.facts) // 8 + 1024)

    def close_gaps(self) -> None:
        """Call `_compact` if there are free or dead rows."""
        if self._counters[at.N_FREE] or self._counters[at.N_DEAD]:
            self._compact()

    def _compact(self) -> None:
        """Move the rows together, because many rows are free, or a snapshot is due. All arrangements are dropped.

        A plan that needs an arrangement builds it again.
        """
        self._counters[at.PARTIAL] = 1
        self.arrangements.empty()
        self.catalogue.clear()
        self.facts.compact()
        self._counters[at.PARTIAL] = 0

    def undo(self) -> None:
        """Undo the commit: each row that it wrote, and the costs of the rules, are as they were before `begin`."""
        self.facts.repair()
        self._end_scan()
        is_partial = self._counters[at.PARTIAL] == 1
        if is_partial:
            self.arrangements.empty()
        self.facts.reserve_free(self._counters[at.N_TOUCHED])
        unwind(self.block)
        self._counters[at.LATEST] = 0
        take_back(self.costs, self._counters[at.COMMIT])
        self._counters[at.LOGGING] = 0
        if is_partial:
            self.arrangements.empty_and_recount()

    @property
    def rewrites(self) -> int:
        """The number of rewrites extended since `begin`."""
        return self._counters[at.REWRITES]

    @property
    def spent(self) -> int:
        """As `rewrites`, but at most one more than the limit.

        How far a dropped evaluation goes past its limit depends on the number of threads, and no choice may depend on
        that.
        """
        return min(self._counters[at.REWRITES], self._most + 1)

    @property
    def costs(self) -> Int64:
        """The work of each rule as counts: int64[r, 8]. The module `engine.costs` explains the columns."""
        return self.memory["costs"]
