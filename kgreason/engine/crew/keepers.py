"""`Gatekeepers`: the workers of a crew as gatekeepers. They find hits and fill arrangements (`level/meeting.py`).

A worker has group numbers and postings of its own. When it has used them up it gets more. What is left in the end goes
back (`take_back_room`). The arrangements are those that one thread fills; only the numbers of groups and the places of
runs differ.

Cost: two calls of all workers for each segment, and one more for each time that a worker needs room.
"""

from __future__ import annotations

import numpy as np

from kgreason.engine.crew.crew import NEVER, Crew
from kgreason.engine.index.arrangements import Arrangements
from kgreason.engine.level.meeting import END, ENTER, FIND, MEET, ORDER, run_meeting_stage
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import PLACES, Memory
from kgreason.zset.columns import Int32, Int64

FACTS = 1 << 13
"""A segment of at least 8,192 rows meets its keys in all workers."""
FIND_ROWS = 1 << 18
"""So many rows are looked through together when an arrangement is filled."""
FEWEST_GROUPS, FEWEST_POSTINGS = 1 << 12, 1 << 15
"""A worker gets at least so many group numbers or postings at a time."""
_GROUPS_END, _POSTINGS_END = PLACES["groups"] + 1, PLACES["postings"] + 1
"""The words that say where the arrays `groups` and `postings` end. For a worker they say where its own room ends."""


class Gatekeepers:
    """The workers of `crew` as gatekeepers of the circuit whose memory is `memory`."""

    def __init__(self, memory: Memory, crew: Crew) -> None:
        self._memory, self._crew, self._threads = memory, crew, crew.threads
        self._groups_end = np.zeros(crew.threads, dtype=np.int64)
        self._postings_end = np.zeros(crew.threads, dtype=np.int64)
        self.are_lent = False
        """Whether workers have group numbers and postings that `take_back_room` has not taken back."""
        memory.counters[at.FEWEST_FACTS] = FACTS if crew.threads > 1 else NEVER

    def is_worth(self, rows: int) -> bool:
        """Whether an arrangement of so many rows is to be filled by all workers."""
        return self._crew.is_worth(rows)

    def meet(self, arrangements: Arrangements) -> None:
        """Gatekeep the segment in all workers: its hits, counts and arrangements (`level/meeting.py`)."""
        memory, counters = self._memory, self._memory.counters
        low, high = counters[at.SEGMENT_LOW], counters[at.SEGMENT_HIGH]
        counters[at.PARTIAL] = 1
        crew = self._gather(MEET, -1, low, high)
        memory.grow("grouped", int((crew[:, at.N_HITS] + crew[:, at.N_COMMON]).sum()))
        groups = int(crew[:, at.N_GROUPS].sum()) + 1
        memory.grow("group_key", groups)
        memory.grow("group_low", groups + 1)
        run_meeting_stage(memory.block, ORDER, -1, low, high)
        self._enter(low, high, arrangements)
        counters[at.AT_GROUP], counters[at.AT_PLAN], counters[at.PHASE], counters[at.PARTIAL] = 0, -1, at.PRODUCT, 0

    def fill(self, arrangement: int, end: int, arrangements: Arrangements) -> None:
        """Fill an empty arrangement in all workers: with those of the rows 0 to `end - 1` that it must hold."""
        for low in range(0, end, FIND_ROWS):
            high = min(end, low + FIND_ROWS)
            self._gather(FIND, arrangement, low, high)
            self._enter(low, high, arrangements)
        self.take_back_room()

    def _gather(self, stage: int, arrangement: int, low: int, high: int) -> Int64:
        """Run the stage MEET or FIND to its end in all workers. Returns the blocks of the workers."""
        self._crew.prepare()
        crew, shapes = self._memory["crew"], self._memory.counters[at.N_SHAPES]
        ends = low + (high - low) * np.arange(self._threads + 1) // self._threads
        while True:
            self._crew.call_in_all(run_meeting_stage, stage, arrangement, low, high)
            late = np.flatnonzero(crew[:, at.AT_WORK] < np.diff(ends))
            if not len(late):
                break
            for part in late.tolist():
                worker = self._crew.workers[part]
                if crew[part, at.N_HITS] + shapes > worker.room("hit_rows"):
                    for name in ("hit_keys", "hit_rows", "group_key"):
                        worker.grow(name, 2 * worker.room(name) + shapes)
                else:
                    for name in ("noted", "noted_hashes"):
                        worker.grow(name, 2 * worker.room(name))
        crew[:, at.AT_WORK] = 0
        return crew

    def _enter(self, low: int, high: int, arrangements: Arrangements) -> None:
        """Enter the rows that `_gather` has found into their groups, in all workers."""
        crew, stopped = self._memory["crew"], np.zeros(self._threads, dtype=np.int64)
        # The hash table of groups must not grow until all rows that are put off are entered: in a new table a search
        # may end earlier, and a later row of a group would be entered before one that was put off.
        most = int(crew[:, at.N_NOTED].sum()) + 2 * self._threads * self._groups_at_a_time()
        arrangements.reserve_groups(most)
        while True:
            for part in range(self._threads):
                self._give_room(part, int(stopped[part]), arrangements)
            self._crew.prepare()
            crew[:, _GROUPS_END], crew[:, _POSTINGS_END] = self._groups_end, self._postings_end
            before = crew[:, [at.AT_FINDER, at.AT_WORK]].copy()
            self._crew.call_in_all(run_meeting_stage, ENTER, -1, low, high)
            is_late = crew[:, at.AT_FINDER] < self._threads
            if not is_late.any():
                break
            is_stuck = (before == crew[:, [at.AT_FINDER, at.AT_WORK]]).all(axis=1)
            stopped = np.where(is_late, np.where(is_stuck & (stopped > 0), 4 * stopped, 1), 0)
        while not run_meeting_stage(self._memory.block, END, -1, low, high):
            arrangements.grow()

    def _groups_at_a_time(self) -> int:
        """Return how many group numbers a worker gets at a time."""
        return max(FEWEST_GROUPS, self._memory.counters[at.N_ARRANGED] // (8 * self._threads))

    def _give_room(self, part: int, stopped: int, arrangements: Arrangements) -> None:
        """Give a worker group numbers and postings of its own, if it has none, or if it has stopped for want of them.

        `stopped`: 0 if the worker has not stopped; otherwise how many times as much as usual it needs.
        """
        counters, worker = self._memory.counters, self._crew.workers[part]
        self.are_lent = True
        is_without = worker.counters[at.N_ARRANGED] >= self._groups_end[part]
        if is_without:
            more = self._groups_at_a_time()
            arrangements.reserve_groups(more)
            worker.counters[at.N_ARRANGED] = counters[at.N_ARRANGED]
            self._groups_end[part] = counters[at.N_ARRANGED] = counters[at.N_ARRANGED] + more
        if not self._postings_end[part] or (stopped and not is_without):
            more = max(1, stopped) * max(FEWEST_POSTINGS, counters[at.N_POSTINGS] // (8 * self._threads))
            arrangements.reserve_postings(more)
            self._return_postings(part)
            worker.counters[at.N_POSTINGS] = counters[at.N_POSTINGS]
            self._postings_end[part] = counters[at.N_POSTINGS] = counters[at.N_POSTINGS] + more

    def _return_postings(self, part: int) -> None:
        """Make free runs of the postings that a worker has not used."""
        worker = self._crew.workers[part]
        here, end = worker.counters[at.N_POSTINGS], int(self._postings_end[part])
        for k in reversed(range(at.LENGTHS - 1)):
            if (end - here) >> k & 1:
                _put_run(self._memory["postings"], worker["free_runs"], k, here, here)
                here += 1 << k

    def take_back_room(self) -> None:
        """Take back the group numbers and postings that the workers have not used."""
        memory, counters, groups = self._memory, self._memory.counters, self._memory["groups"]
        for part, worker in enumerate(self._crew.workers):
            unused = np.arange(worker.counters[at.N_ARRANGED], self._groups_end[part], dtype=np.int32)
            if len(unused):
                groups[unused, at.GROUP_ARRANGEMENT] = -1
                groups[unused, at.GROUP_START] = np.concatenate([[counters[at.FREE_GROUP]], unused[:-1] + 1])
                counters[at.FREE_GROUP] = int(unused[-1]) + 1
            self._return_postings(part)
            free = worker["free_runs"]
            for k in range(at.LENGTHS):
                if free[k]:
                    _put_run(
                        memory["postings"], memory["free_runs"], k, int(free[k]) - 1, int(free[at.LENGTHS + k]) - 1
                    )
            free[:] = 0
            worker.counters[at.N_ARRANGED] = worker.counters[at.N_POSTINGS] = 0
        self._groups_end[:] = self._postings_end[:] = 0
        self.are_lent = False

    def forget_room(self) -> None:
        """Forget the workers, with their group numbers, postings and notes. Call this when arrangements are emptied.

        An error may have left notes of rows that no worker has entered.
        """
        self._groups_end[:] = self._postings_end[:] = 0
        self.are_lent = False
        self._crew.forget()


def _put_run(postings: Int32, free: Int32, k: int, first: int, last: int) -> None:
    """Put free runs of 2**k postings before the others: a chain of runs from `first` to `last`."""
    if not free[k]:
        free[at.LENGTHS + k] = last + 1
    postings[last] = free[k]
    free[k] = first + 1
