"""The tasks of a round on Spark: `placing` places facts, `evaluating` evaluates a part, `telling` gives its new facts.

A worker keeps the engines of its parts between rounds (`_parts`), because Spark uses its Python processes again. A
worker that does not have a part, or has it as of another round, makes it anew from the files of the rounds so far. So a
task can run anywhere, and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from kgreason.spark.rounds import exchange
from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.plan import FIRST, FLAG, TABLE, PartsPlan
from kgreason.zset.columns import Int32

SUMMARY = "part int, sent long, is_new boolean"
"""The columns of what a task says at its end."""
_MOST = 1 << 20
"""The number of rows that a task places at a time."""
Batches = Iterable[pa.RecordBatch]
Task = Callable[[Batches], Iterator[pa.RecordBatch]]

_parts: dict[tuple[str, int], tuple[At, EnginePart]] = {}
"""The parts of this worker, by the folder of the job and their numbers, each with its `At`."""


class At(NamedTuple):
    """How far a part is: it has received the rounds before `round`, and has given the news of those before `told`."""

    round: int
    told: int


class Job(NamedTuple):
    """A plan, and the folder of its rounds."""

    plan: PartsPlan
    folder: str

    def round(self, number: int) -> Path:
        """Return the folder of a round."""
        return Path(self.folder) / f"round-{number}"

    def part(self, number: int, at: At) -> tuple[EnginePart, bool]:
        """Return a part that is as far as `at`, and whether it was made anew."""
        for key in [key for key in _parts if key[0] != self.folder]:
            del _parts[key]  # of another job
        known = _parts.pop((self.folder, number), None)
        if known and known[0] == at:
            return known[1], False
        part = EnginePart(self.plan, number)
        for rounds in (range(at.told), range(at.told, at.round)):
            part.news()
            if rounds:
                rows = [exchange.read(self.round(each), number, self.plan.width) for each in rounds]
                part.receive(np.unique(np.concatenate(rows), axis=0))
        return part, True

    def keep(self, part: EnginePart, number: int, at: At) -> None:
        """Keep a part that is as far as `at`."""
        _parts[self.folder, number] = at, part


def placing(job: Job, number: int) -> Task:
    """Make the task that places asserted facts, rows `tbl, c0..`, for round `number`."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        task = context.partitionId() if context else 0
        total = 0
        for piece, columns in enumerate(_pieces(batches)):
            rows = np.zeros((len(columns), FIRST + job.plan.width), dtype=np.int32)
            rows[:, FLAG] = 1
            rows[:, TABLE : TABLE + columns.shape[1]] = columns
            indexes, parts = job.plan.destinations(rows)
            exchange.write(job.round(number) / f"placed-{task}-{piece}.parquet", rows[indexes], parts)
            total += len(indexes)
        yield _summary(task, total, False)

    return run


def evaluating(job: Job, at: At) -> Task:
    """Make the task that does the round `at.round` for the parts whose numbers it reads, rows `part`."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for number in _numbers(batches):
            part, is_new = job.part(number, at)
            sent = part.receive(exchange.read(job.round(at.round), number, job.plan.width))
            exchange.write(job.round(at.round + 1) / f"from-{number}.parquet", *sent)
            job.keep(part, number, at._replace(round=at.round + 1))
            yield _summary(number, len(sent.rows), is_new)

    return run


def telling(job: Job, at: At, schema: str) -> Task:
    """Make the task that gives the news of the parts whose numbers it reads, rows of `schema`."""
    names = [field.split()[0] for field in schema.split(", ")]

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for number in _numbers(batches):
            part, _ = job.part(number, at)
            rows = part.news()
            job.keep(part, number, At(at.round, at.round))
            columns = [np.ascontiguousarray(column) for column in rows[:, TABLE : TABLE + len(names) - 1].T]
            flags = pa.array(rows[:, FLAG] == 1)
            yield pa.RecordBatch.from_arrays([*map(pa.array, columns), flags], names=names)

    return run


def _numbers(batches: Batches) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _pieces(batches: Batches) -> Iterator[Int32]:
    """Yield the rows of batches as int32[n, k], with many rows at a time."""
    waiting: list[Int32] = []
    for batch in batches:
        waiting.append(np.column_stack([column.to_numpy() for column in batch.columns]))
        if sum(map(len, waiting)) > _MOST:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _summary(part: int, sent: int, is_new: bool) -> pa.RecordBatch:
    columns = [pa.array([part], pa.int32()), pa.array([sent]), pa.array([is_new])]
    return pa.RecordBatch.from_arrays(columns, names=["part", "sent", "is_new"])
