"""A closure with the tasks' steps, where each step makes each part anew: what shuffles of Spark do, without Spark.

A part has the texts that it has asked for, and no others; the terms that it makes get their ids here, as on the driver.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from kgreason.functions.registry import Registry
from kgreason.materialize.operators.tables import are_among
from kgreason.spark.rounds.operators import Strata
from kgreason.spark.rounds.plan import FIRST, FLAG, TABLE, PartsPlan
from kgreason.spark.rounds.tasks import At, Job, Step, Texts, _Rows, decide, evaluate, need, tell
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32


class Anew:
    """The rounds so far: for each round, what each part has received; for each decision, what each part has learnt."""

    def __init__(self, plan: PartsPlan, dictionary: Dictionary, registry: Registry) -> None:
        self._plan, self._dictionary = plan, dictionary
        constants = sorted({*plan.constants(), *dictionary.find([*plan.operated.arguments()]).tolist()})
        terms = dict(zip(constants, dictionary.decode(constants), strict=True))
        self._job = Job(plan, "", terms, registry)
        self._rounds: list[list[Int32]] = []
        self._learnt: list[dict[int, Texts]] = [{} for _ in range(plan.parts)]
        self._at = At(0, 0)
        self._asserted: list[tuple[int, Int32]] = []
        self._columns = ", ".join(["tbl int", *(f"c{n} int" for n in range(plan.width))])

    def close(self, facts: Int32) -> Int32:
        """Compute the closure of asserted facts, int32[n, 2 + w]."""
        coming, strata = self._plan.with_data(facts), Strata(self._plan.operated)
        begins = dict[int, int]()
        while True:
            self._asserted.append((self._at.round, coming))
            if len(coming):
                self._receive(coming)
            for level, before in strata.due():
                if before < level:
                    begins.setdefault(level, self._at.round)
                found = self._decided(level, before)
                coming, worse = found[found[:, FLAG] == 1], found[found[:, FLAG] == 0]
                if level and len(worse) and not len(coming):
                    strata.take_turn(level)
                    coming = self._outlasting(level, begins[level], worse)
                if len(found) and (level or len(coming)):
                    break
            else:
                break
        table = pa.Table.from_batches(self._each(tell(f"{self._columns}, asserted boolean")))
        rows = np.zeros((len(table), FIRST + self._plan.width), dtype=np.int32)
        rows[:, FLAG] = table["asserted"].to_numpy()
        rows[:, TABLE:] = np.column_stack([column.to_numpy() for column in table.columns[:-1]])
        return rows

    def _outlasting(self, level: int, begin: int, worse: Int32) -> Int32:
        """Drop the rounds since a stratum has begun. Returns what outlasts the turn of its recursions."""
        rows = np.concatenate([each for at, each in self._asserted if at >= begin])
        rows = np.unique(rows[np.isin(rows[:, FIRST], self._plan.operated.outlasting(level))], axis=0)
        self._asserted = [(at, each) for at, each in self._asserted if at < begin]
        dropped = (each for each in self._at.dropped if each[0] < begin)
        self._at = self._at._replace(dropped=(*dropped, (begin, self._at.round)))
        return rows[~are_among(rows[:, TABLE:], worse[:, TABLE:])]

    def _receive(self, rows: Int32) -> None:
        """Do rounds until no part has facts for another one."""
        indexes, numbers = self._plan.destinations(rows)
        rows = rows[indexes]
        while True:
            self._rounds.append([rows[numbers == number] for number in range(self._plan.parts)])
            table = pa.Table.from_batches(self._each(evaluate(self._at, self._job, in_files=False)))
            self._at = self._at._replace(round=self._at.round + 1)
            if not len(table):
                return
            columns = np.column_stack([column.to_numpy() for column in table.columns])
            numbers, rows = columns[:, 0], columns[:, 1:].astype(np.int32)

    def _decided(self, level: int, before: int) -> Int32:
        number, learnt = self._at.decided, self._at.learnt
        if self._plan.operated.read_texts(level):
            for part, batch in enumerate(self._each(need)):
                ids = batch.column("id").to_pylist()
                self._learnt[part][number] = ids, self._dictionary.decode(ids)
            learnt = (*learnt, number)
        after = self._at._replace(decided=number + 1, learnt=learnt)
        schema = f"{self._columns}, place int, text string"
        table = pa.Table.from_batches(self._each(decide(after, level, before, schema)))
        self._at = after
        columns = np.column_stack([column.to_numpy() for column in table.columns[:-1]]).astype(np.int32)
        for row, text in zip(columns, table["text"].to_pylist(), strict=True):
            if text is not None:
                row[1 + row[-1]] = self._dictionary.intern([text])[0]
        return np.column_stack([columns[:, -1] >= 0, columns[:, :-1]])

    def _each(self, step: Step) -> list[pa.RecordBatch]:
        """Do a step in parts that are made anew."""
        found = []
        for number, learnt in enumerate(self._learnt):
            source = _Rows([received[number] for received in self._rounds], learnt)
            found.append(step(self._job.made(number, self._at, source), source))
        return found
