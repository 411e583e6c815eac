"""`close`: a closure by rounds of parts in one process, with the steps that tasks of Spark do.

    rounds until no part has facts for another one -> operators decide -> rounds -> ... -> no operator asserts a fact

A recursion through MIN or MAX takes a turn: the parts are made anew (`operators`). As on Spark, a part has the texts
that it has asked for, and no others; the terms that it makes get their ids here.

Law: the result has the facts and asserted flags of one engine over the same facts and rules, whatever the number of
parts. Cost: as many engines as there are parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kgreason.functions.registry import Registry
from kgreason.materialize.operators.tables import are_among
from kgreason.spark.rounds.operators import Strata
from kgreason.spark.rounds.plan import ASSERTED, FIRST, FLAG, MOST_ALIKE, NEWS, NOTED, TABLE, FactColumns, PartsPlan
from kgreason.spark.rounds.tasks import ALIKE, At, Held, Job, PartRows, Step, Texts, decide, evaluate, need
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32, Int64

_ROOM = 1 << 60
"""The bytes that a part may use, so that nobody looks how many are free."""


class RoundsResult(NamedTuple):
    """The facts of a closure, int32[n, 2 + w] (`plan`), and for each round how many facts came to parts."""

    facts: Int32
    received: tuple[int, ...]


class _AlikeError(Exception):
    """Too many facts are alike in a place. `counts`: see `PartsPlan.counts`."""

    def __init__(self, counts: Int64) -> None:
        self.counts = counts


def close(
    plan: PartsPlan,
    facts: Int32,
    dictionary: Dictionary | None = None,
    registry: Registry | None = None,
    most: int = MOST_ALIKE,
    *,
    are_new: bool = False,
) -> RoundsResult:
    """Compute the closure of asserted facts, int32[n, 2 + w].

    Operators need the `dictionary` of the plan, and the `registry` of Python functions. A value with more than `most`
    facts in a place is divided; if this is seen in a later round only, the rounds begin again. With `are_new`, each
    step makes the parts anew, as shuffles of Spark do.
    """
    rows, terms = plan.with_data(facts), dictionary or Dictionary()
    plan = plan.with_hot_values(plan.counts(rows, 1), most)
    while True:
        try:
            return _Rounds(plan, terms, registry or Registry(), are_new=are_new).close(rows)
        except _AlikeError as error:
            plan = plan.with_hot_values(error.counts, most)


class _Rounds:
    """The facts that each part has received, by round, and the texts that each part has learnt, by decision."""

    def __init__(self, plan: PartsPlan, dictionary: Dictionary, registry: Registry, *, are_new: bool) -> None:
        self._plan, self._dictionary, self._are_new = plan, dictionary, are_new
        arguments = dictionary.find([*plan.operators.arguments()]).tolist()
        constants = sorted({*_constants(plan), *arguments} - {0}) if plan.operators.keys else []
        self._job = Job(plan, "", dict(zip(constants, dictionary.decode(constants), strict=True)), registry, _ROOM)
        self._rounds: list[list[Int32]] = []
        self._learnt: list[dict[int, Texts]] = [{} for _ in range(plan.parts)]
        self._at, self._asserted, self._news = At(0), list[tuple[int, Int32]](), list[Int32]()
        self._parts: dict[int, Held] = {}
        self._columns = ", ".join(["tbl int", *(f"c{n} int" for n in range(plan.width))])

    def close(self, rows: Int32) -> RoundsResult:
        """Compute the closure of asserted facts."""
        strata, begins = Strata(self._plan.operators), dict[int, int]()
        while True:
            self._asserted.append((self._at.round, rows))
            self._receive(rows)
            for level, before in strata.due():
                if before < level:
                    begins.setdefault(level, self._at.round)
                found = self._decided(level, before)
                rows, worse = found[found[:, FLAG] == 1], found[found[:, FLAG] == 0]
                if level and len(worse) and not len(rows):
                    strata.take_turn(level)
                    rows = self._outlasting(level, begins[level], worse)
                    break
                if len(rows):
                    break
            else:
                break
        facts = np.concatenate([self._news[number] for number in self._at.rounds(0, self._at.round)])
        facts[:, FLAG] &= ASSERTED
        return RoundsResult(facts, tuple(sum(map(len, received)) for received in self._rounds))

    def _receive(self, rows: Int32) -> None:
        """Do rounds until no part has facts for another one."""
        rows, numbers = self._plan.sent(FactColumns(rows))
        while len(rows) or not self._rounds:
            self._rounds.append([rows[numbers == number] for number in range(self._plan.parts)])
            due = [n for n, received in enumerate(self._rounds[-1]) if len(received) or not self._at.round]
            table = pa.Table.from_batches(self._each(evaluate(self._at, self._job, in_files=False), due))
            self._at = self._at._replace(round=self._at.round + 1)
            columns = np.column_stack([column.to_numpy() for column in table.columns])
            numbers, rows = columns[:, 0], columns[:, 1:]
            if (numbers == ALIKE).any():
                raise _AlikeError(rows[numbers == ALIKE].astype(np.int64))
            self._news.append(rows[(numbers == NEWS) | (numbers == NOTED)])
            rows, numbers = rows[numbers >= 0], numbers[numbers >= 0]

    def _decided(self, level: int, before: int) -> Int32:
        """Let all parts decide. Returns the facts that they assert, and with the flag 0 those that are worse."""
        number, learnt = self._at.decided, self._at.learnt
        if self._plan.operators.read_texts(level):
            for part, batch in enumerate(self._each(need)):
                ids = batch.column("id").to_pylist()
                self._learnt[part][number] = ids, self._dictionary.decode(ids)
            learnt = (*learnt, number)
        after = self._at._replace(decided=number + 1, learnt=learnt)
        batches = self._each(decide(after, level, before, f"{self._columns}, place int, text string"))
        self._at, table = after, pa.Table.from_batches(batches)
        columns = np.column_stack([column.to_numpy() for column in table.columns[:-1]]).astype(np.int32)
        made = np.flatnonzero(table["text"].is_valid().to_numpy())
        columns[made, 1 + columns[made, -1]] = self._dictionary.intern(table["text"].take(made).to_pylist())
        return np.column_stack([columns[:, -1] >= 0, columns[:, :-1]])

    def _outlasting(self, level: int, begin: int, worse: Int32) -> Int32:
        """Drop the rounds since a stratum has begun. Returns what outlasts the turn of its recursions."""
        rows = np.concatenate([each for at, each in self._asserted if at >= begin])
        rows = np.unique(rows[np.isin(rows[:, FIRST], self._plan.operators.outlasting(level))], axis=0)
        self._asserted = [(at, each) for at, each in self._asserted if at < begin]
        dropped = (each for each in self._at.dropped if each[0] < begin)
        self._at = self._at._replace(dropped=(*dropped, (begin, self._at.round)))
        self._parts = {}
        return rows[~are_among(rows[:, TABLE:], worse[:, TABLE:])]

    def _each(self, step: Step, due: Iterable[int] | None = None) -> list[pa.RecordBatch]:
        """Do a step in the parts `due`, or in all parts."""
        found = []
        for number in range(self._plan.parts) if due is None else due:
            source = PartRows([received[number] for received in self._rounds], self._learnt[number])
            if self._are_new or number not in self._parts:
                self._parts[number] = self._job.made(number, self._at, source)
            found.append(step(self._parts[number], source))
        return found


def _constants(plan: PartsPlan) -> set[int]:
    """Return the ids of all constants of a plan."""
    operators, rules = plan.operators, (*plan.rules, *plan.first)
    forms = (*plan.forms, *operators.reads, *operators.copied)
    return {number for rule in rules for number in rule.constants}.union(
        plan.hidden,
        [operators.data] if operators.data else [],
        [relation for _, relation in operators.outlasts],
        *(form.values.ravel().tolist() for form in forms),
    )
