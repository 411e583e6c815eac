"""The tasks of a round on Spark: they place facts, evaluate parts, and tell what is new in them.

A worker keeps the engines of its parts between rounds (`_parts`), because Spark uses its Python processes again. A
worker that does not have a part, or has it as of another round, makes it anew from the facts of the rounds so far. So a
task can run anywhere, and again.

There are two ways for facts to travel (`travel`). In files, a task reads and writes them itself: `placing`,
`evaluating`, `telling` and their summaries. By shuffles, Spark brings all facts of a part to a task, and writes the
rows that the task gives: `placed`, `evaluated`, `told`. Then no part is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from kgreason.spark.rounds import exchange
from kgreason.spark.rounds.part import EnginePart, Sent
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
        for key in [key for key, (far, _) in _parts.items() if key[0] != self.folder or far < at]:
            del _parts[key]  # of another job, or this part went on in another worker
        known = _parts.pop((self.folder, number), None)
        if known and known[0] == at:
            return known[1], False
        return rebuilt(self.plan, number, at, [self.received(number, each) for each in range(at.round)]), True

    def received(self, number: int, at: int) -> Int32:
        """Return what a part receives in a round."""
        return exchange.read(self.round(at), number, self.plan.width)

    def keep(self, part: EnginePart, number: int, at: At) -> None:
        """Keep a part that is as far as `at`."""
        _parts[self.folder, number] = at, part


def rebuilt(plan: PartsPlan, number: int, at: At, rounds: Sequence[Int32]) -> EnginePart:
    """Make a part that is as far as `at` from the facts that it has received in each round."""
    part = EnginePart(plan, number)
    for some in (rounds[: at.told], rounds[at.told : at.round]):
        part.news()
        if some:
            part.receive(np.unique(np.concatenate(some), axis=0))
    return part


def placing(job: Job, number: int) -> Task:
    """Make the task that places asserted facts, rows `tbl, c0..`, for round `number`."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        task = context.partitionId() if context else 0
        total = 0
        for piece, sent in enumerate(_placed(job.plan, batches)):
            exchange.write(job.round(number) / f"placed-{task}-{piece}.parquet", *sent)
            total += len(sent.rows)
        yield _summary(task, total, False)

    return run


def evaluating(job: Job, at: At) -> Task:
    """Make the task that does the round `at.round` for the parts whose numbers it reads, rows `part`."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for number in _numbers(batches):
            part, is_new = job.part(number, at)
            sent = part.receive(job.received(number, at.round))
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
            yield _news(rows, names)

    return run


def placed(plan: PartsPlan) -> Task:
    """Make the task that reads asserted facts, rows `tbl, c0..`, and gives them by part, rows `part, flag..`."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for sent in _placed(plan, batches):
            yield _record(sent)

    return run


def evaluated(plan: PartsPlan, at: At) -> Task:
    """Make the task that does the round `at.round` for all parts whose facts it reads, rows `part, flag.., round`."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for number, rounds in _of_parts(plan, at.round + 1, batches):
            part = rebuilt(plan, number, at, rounds[:-1])
            yield _record(part.receive(rounds[-1]))

    return run


def told(plan: PartsPlan, at: At, schema: str) -> Task:
    """Make the task that gives the news of all parts whose facts it reads, rows of `schema`."""
    names = [field.split()[0] for field in schema.split(", ")]

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for number, rounds in _of_parts(plan, at.round, batches):
            yield _news(rebuilt(plan, number, at, rounds).news(), names)

    return run


def _of_parts(plan: PartsPlan, rounds: int, batches: Batches) -> Iterator[tuple[int, list[Int32]]]:
    """Yield each part of the rows `part, flag.., round`, with the facts that it has received in each round.

    A row with the flag -1 is no fact: it says that the task has this part.
    """
    found = [np.column_stack([column.to_numpy() for column in batch.columns]) for batch in batches]
    rows = np.concatenate([np.empty((0, 2 + FIRST + plan.width), dtype=np.int32), *found])
    for number in np.unique(rows[:, 0]).tolist():
        mine = rows[(rows[:, 0] == number) & (rows[:, 1 + FLAG] >= 0)]
        yield number, [np.unique(mine[mine[:, -1] == each, 1:-1], axis=0) for each in range(rounds)]


def _placed(plan: PartsPlan, batches: Batches) -> Iterator[Sent]:
    for columns in _pieces(batches):
        rows = np.zeros((len(columns), FIRST + plan.width), dtype=np.int32)
        rows[:, FLAG] = 1
        rows[:, TABLE : TABLE + columns.shape[1]] = columns
        indexes, parts = plan.destinations(rows)
        yield Sent(rows[indexes], parts)


def _record(sent: Sent) -> pa.RecordBatch:
    columns = [sent.parts.astype(np.int32), *map(np.ascontiguousarray, sent.rows.T)]
    return pa.RecordBatch.from_arrays(list(map(pa.array, columns)), names=exchange.names(sent.rows.shape[1] - FIRST))


def _news(rows: Int32, names: Sequence[str]) -> pa.RecordBatch:
    columns = [np.ascontiguousarray(column) for column in rows[:, TABLE : TABLE + len(names) - 1].T]
    return pa.RecordBatch.from_arrays([*map(pa.array, columns), pa.array(rows[:, FLAG] == 1)], names=list(names))


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
