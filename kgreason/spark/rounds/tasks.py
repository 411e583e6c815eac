"""The tasks of a round on Spark: they place facts, evaluate parts, write what is new, and decide operators.

A worker keeps the engines of its parts between rounds (`_parts`), because Spark uses its Python processes again. A
task takes a part that its worker has (`Job.part_for`). A worker that does not have a part, or has it as of another
round, makes it anew from the facts and texts of the rounds so far. So a task can run anywhere, and again.

A *step* is what a task does for one part. There are two ways for facts to travel (`travel`). In files, a task reads the
facts of its parts itself (`from_files`). By shuffles, Spark brings all facts of a part to a task (`from_rows`); then no
part is kept.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from kgreason.cpus import free_memory
from kgreason.errors import LimitError
from kgreason.functions.registry import Registry
from kgreason.spark.cluster.sizes import BYTES
from kgreason.spark.encode.groups import Batches
from kgreason.spark.rounds import exchange
from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.plan import ASSERTED, FIRST, FLAG, NOTED, TABLE, FactColumns, PartsPlan, Sent, sample
from kgreason.spark.rounds.ranges import Task
from kgreason.spark.rounds.texts import PartTexts
from kgreason.zset.columns import Int32, Int64

SUMMARY = "sent long, alike array<array<bigint>>, noted array<bigint>"
"""The columns of what a task says at its end: how many facts it has for parts, `PartsPlan.counts`, and how many noted
facts of each kind it has (`PartsPlan.noted`)."""
ALIKE = -3
"""In place of a part: the row is a count of facts that are alike, and has the columns of `PartsPlan.counts`."""
NEEDS = "part int, id int"
"""The columns of the texts that parts need."""
AT_ONCE = 1 << 20
"""The number of rows that a task places at a time."""
_NO_TERMS: Mapping[int, str] = MappingProxyType({})
Texts: TypeAlias = tuple[Sequence[int], Sequence[str]]


class At(NamedTuple):
    """How far a part is: it has received the rounds before `round`.

    Its operators have decided `decided` times. In the decisions `learnt`, it has learnt texts first. It was made anew
    without the rounds `dropped`, as pairs of the first one and the one behind the last, for a turn of a recursion.
    """

    round: int
    decided: int = 0
    learnt: tuple[int, ...] = ()
    dropped: tuple[tuple[int, int], ...] = ()

    def rounds(self, first: int, end: int) -> list[int]:
        """Return the rounds from `first` to before `end` that the part has received."""
        return [n for n in range(first, end) if not any(low <= n < high for low, high in self.dropped)]


class Held(NamedTuple):
    """A part, its number, and the texts that it knows."""

    part: EnginePart
    number: int
    texts: PartTexts


Source: TypeAlias = "PartFiles | PartRows"
"""Where a part comes from: the facts that it has received, and the texts that it has learnt."""
Step: TypeAlias = Callable[[Held, Source], pa.RecordBatch]
_parts: dict[tuple[str, int], tuple[At, Held]] = {}
"""The parts of this worker, by the folder of the job and their numbers, each with its `At`."""


class Job(NamedTuple):
    """A plan, and the folder of its rounds.

    `terms` are the texts of constants, `registry` has Python functions. `memory`: how many bytes a part may use; 0:
    what is free on its machine.
    """

    plan: PartsPlan
    folder: str
    terms: Mapping[int, str] = _NO_TERMS
    registry: Registry = Registry()
    memory: int = 0

    def round(self, number: int) -> str:
        """Return the folder of a round."""
        return f"{self.folder}/round-{number}"

    def texts(self, decision: int) -> str:
        """Return the folder of the texts that parts learn for a decision."""
        return f"{self.folder}/texts-{decision}"

    def part_for(self, task: int, at: At, after: At) -> int:
        """Return the number of the part for a task of the step from `at` to `after`. Each task has a part of its own.

        Spark gives a task to any worker, and to make a part anew costs more than a round. So a task takes a part that
        its worker has, if the part is free. Tasks agree by links in a folder: link n says which part the n-th task has
        taken. Only one task can make a link, and it knows all links before. A task that runs again finds its link.
        """
        folder = Path(f"{self.folder}/order-{sha256(repr((at, after)).encode()).hexdigest()[:16]}")
        folder.mkdir(parents=True, exist_ok=True)
        mine = [number for (place, number), (far, _) in _parts.items() if (place, far) == (self.folder, at)]
        taken = dict[int, int]()
        while task not in taken:
            free = [number for number in (*mine, task, *range(self.plan.parts)) if number not in taken.values()]
            link = folder / str(len(taken))
            try:
                link.symlink_to(f"{task}-{free[0]}")
            except FileExistsError:
                pass  # another task was faster
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP):
                    raise
                return task  # this file system has no links, for no task
            other, number = link.readlink().name.split("-")
            taken[int(other)] = int(number)
        return taken[task]

    def part(self, number: int, at: At, source: Source) -> Held:
        """Return a part that is as far as `at`."""
        self.forget_others()
        for key in [key for key, (far, _) in _parts.items() if far < at]:
            del _parts[key]  # this part went on in another worker
        known = _parts.pop((self.folder, number), None)
        return known[1] if known and known[0] == at else self.made(number, at, source)

    def forget_others(self) -> None:
        """Drop the parts of other jobs that this worker has: their memory is free for this job."""
        for key in [key for key in _parts if key[0] != self.folder]:
            del _parts[key]

    def made(self, number: int, at: At, source: Source) -> Held:
        """Make a part that is as far as `at`."""
        texts = PartTexts(self.terms)
        held = Held(EnginePart(self.plan, number, texts, self.registry), number, texts)
        for decision in at.learnt:
            texts.learn(*source.texts(decision))
        if rounds := at.rounds(0, at.round):
            self.receive(held, np.concatenate([source.received(each) for each in rounds]))
        return held

    def receive(self, held: Held, rows: Int32) -> Sent:
        """Let a part receive facts. Raises LimitError if they do not fit into the memory that it may use."""
        room = self.memory or free_memory() + len(held.part) * BYTES
        if (len(held.part) + len(rows)) * BYTES > room:
            rows = np.unique(rows, axis=0)  # other parts may have sent the same facts
        count = len(held.part) + len(rows)
        needs = count * BYTES
        if needs > room:
            gives = "spark.kgreason.partMemory and spark.executor.pyspark.memory give" if self.memory else "is free:"
            raise LimitError(
                f"part {held.number + 1} of {self.plan.parts} has {count:,} facts, for which its engine needs about "
                f"{needs / 1e9:.1f} GB, more than {gives} {room / 1e9:.1f} GB{self._most_alike(held, rows)}; divide "
                "into more parts (spark.kgreason.parts), or give workers more memory"
            )
        return held.part.receive(rows)

    def _most_alike(self, held: Held, rows: Int32) -> str:
        """Return a text about the value that most of the facts `rows` have in a place; empty if no two are alike."""
        counts = self.plan.counts(rows, 2)
        if not len(counts):
            return ""
        count, form, value, *constants = counts[counts[:, 0].argmax()].tolist()
        wanted = [value, *constants[: len(self.plan.forms[form].constants)]]
        text, *names = held.texts.decode(np.array(wanted, dtype=np.int32))
        of = f" of {' '.join(name.rpartition('/')[0] or name for name in names)}" if names else ""
        return f" ({count:,} of them are facts{of} with the same term {text})"

    def keep(self, held: Held, at: At) -> None:
        """Keep a part that is as far as `at`."""
        _parts[self.folder, held.number] = at, held


def placing(job: Job, number: int, total: int) -> Task:
    """Make the task that places asserted facts, rows `tbl, c0..`, in files of round `number`. `total`: see `placed`."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        job.forget_others()
        context = TaskContext.get()
        # Two attempts may cut their rows differently, so each has files of its own.
        task = f"{context.partitionId()}-{context.taskAttemptId()}" if context else "0"
        for piece, sent in enumerate(_placed(job.plan, total, batches)):
            yield _written(job, number, f"placed-{task}-{piece}", sent)

    return run


def as_facts(plan: PartsPlan, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Turn triples, rows `s, p, o`, into facts, rows `tbl, c0, c1, c2`."""
    for rows in batches:
        tables = pa.array(np.full(len(rows), plan.triples, dtype=np.int32))
        yield pa.RecordBatch.from_arrays([tables, *rows.columns], names=["tbl", *plan.columns[:3]])


def placed(plan: PartsPlan, total: int) -> Task:
    """Make the task that reads asserted facts, rows `tbl, c0..`, and gives them by part, rows `part, flag..`.

    With a `total` it also counts facts that are alike, some of the `total` at a time, and adds rows of `ALIKE`. A count
    that is less than a quarter of their share of `plan.most` is left out.
    """
    return lambda batches: map(_record, _placed(plan, total, batches))


def evaluate(at: At, job: Job, *, in_files: bool) -> Step:
    """Return the step that does the round `at.round`: rows `part, flag..`, for other parts, of news, and of `ALIKE`.

    With `in_files`, these rows are written to a file of the next round, and the step returns a summary.
    """

    def step(held: Held, source: Source) -> pa.RecordBatch:
        sent = _with_alike(job.receive(held, source.received(at.round)), held.part.alike())
        return _written(job, at.round + 1, f"from-{held.number}", sent) if in_files else _record(sent)

    return step


def need(held: Held, _: Source) -> pa.RecordBatch:
    """Return the ids whose texts operators of a part need: rows of `NEEDS`."""
    ids = held.texts.unknown(held.part.needs())
    columns = [pa.array(np.full(len(ids), held.number, dtype=np.int32)), pa.array(ids.astype(np.int32))]
    return pa.RecordBatch.from_arrays(columns, names=["part", "id"])


def decide(after: At, level: int, before: int, schema: str) -> Step:
    """Return the step in which operators of a part decide (`PartOperators.decide`): rows of `schema`.

    The last columns are `place` and `text`: a new term belongs to column `place` of the fact, which has 0 there. The
    place of a fact that is worse than others is -1.
    """
    names = [field.split()[0] for field in schema.split(", ")]

    def step(held: Held, source: Source) -> pa.RecordBatch:
        if after.decided - 1 in after.learnt:
            held.texts.learn(*source.texts(after.decided - 1))
            held.part.drop_needs()
        rows = held.part.decide(level, before)
        columns = np.ascontiguousarray(rows[:, TABLE : TABLE + len(names) - 2])
        is_new = held.texts.new(columns[:, 1:])
        has_new, places = is_new.any(axis=1), is_new.argmax(axis=1).astype(np.int32)
        made = np.full(len(rows), None, dtype=object)
        made[has_new] = held.texts.decode(columns[has_new, 1 + places[has_new]])
        columns[:, 1:][is_new] = 0
        places[rows[:, FLAG] == 0] = -1
        arrays = [*(pa.array(np.ascontiguousarray(column)) for column in columns.T), pa.array(places)]
        return pa.RecordBatch.from_arrays([*arrays, pa.array(made, pa.string())], names=names)

    return step


class PartFiles(NamedTuple):
    """A part whose facts and texts are in files."""

    job: Job
    number: int

    def received(self, number: int) -> Int32:
        """Return what the part receives in a round."""
        return exchange.read(Path(self.job.round(number)), self.number, self.job.plan.width)

    def texts(self, decision: int) -> Texts:
        """Return the ids and texts that the part learns for a decision."""
        return exchange.read_texts(Path(self.job.texts(decision)), self.number)


class PartRows(NamedTuple):
    """A part whose facts and texts have come in rows."""

    rounds: Sequence[Int32]
    learnt: Mapping[int, Texts]

    def received(self, number: int) -> Int32:
        """See `PartFiles`."""
        return self.rounds[number]

    def texts(self, decision: int) -> Texts:
        """See `PartFiles`."""
        return self.learnt[decision]


def from_files(job: Job, at: At, after: At, step: Step) -> Task:
    """Make the task that does a step for one part for each number that it reads, rows `part`.

    Then these parts are as far as `after`. Which parts these are, `Job.part_for` says.
    """

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                number = job.part_for(task, at, after)
                source = PartFiles(job, number)
                held = job.part(number, at, source)
                yield step(held, source)
                job.keep(held, after)

    return run


def from_rows(job: Job, at: At, after: At, step: Step) -> Task:
    """Make the task that does a step for all parts whose facts it reads, rows `part, flag.., step, text`.

    A row with the flag -1 says that the task has this part. A row with the flag -2 is a term that the part learns: its
    id, and its text.
    """

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        found = list(batches)
        numbers = [np.column_stack([column.to_numpy() for column in batch.columns[:-1]]) for batch in found]
        rows = np.concatenate([np.empty((0, 2 + FIRST + job.plan.width), dtype=np.int32), *numbers])
        texts = np.array([text for batch in found for text in batch.columns[-1].to_pylist()], dtype=object)
        for number in np.unique(rows[:, 0]).tolist():
            facts = rows[(rows[:, 0] == number) & (rows[:, 1] >= 0)]
            rounds = [facts[facts[:, -1] == each, 1:-1] for each in range(after.round)]
            terms = np.flatnonzero((rows[:, 0] == number) & (rows[:, 1] == -2))
            learnt = {each: terms[rows[terms, -1] == each] for each in after.learnt}
            source = PartRows(
                rounds, {n: (rows[each, 1 + FIRST].tolist(), texts[each].tolist()) for n, each in learnt.items()}
            )
            yield step(job.made(number, at, source), source)

    return run


def _placed(plan: PartsPlan, total: int, batches: Batches) -> Iterator[Sent]:
    for rows in _asserted(plan, batches):
        least = max(1, plan.most * len(rows) // total // 4) if total else 1
        some, step = sample(len(rows) if total else 0, plan.most)
        yield _with_alike(plan.sent(FactColumns(rows)), plan.counts(rows[some], least, step))


def _with_alike(sent: Sent, alike: Int64) -> Sent:
    if not len(alike):
        return sent
    rows = np.zeros((len(alike), sent.rows.shape[1]), dtype=np.int32)
    rows[:, : alike.shape[1]] = alike
    return Sent(np.concatenate([sent.rows, rows]), np.concatenate([sent.parts, np.full(len(alike), ALIKE)]))


def _asserted(plan: PartsPlan, batches: Batches) -> Iterator[Int32]:
    """Yield asserted facts as rows of the plan, with many rows at a time, and the facts of DATA about them."""
    for columns in _pieces(batches):
        rows = np.zeros((len(columns), FIRST + plan.width), dtype=np.int32)
        rows[:, FLAG] = ASSERTED
        rows[:, TABLE : TABLE + columns.shape[1]] = columns
        yield plan.with_data(rows)


def _record(sent: Sent) -> pa.RecordBatch:
    columns = [sent.parts.astype(np.int32), *map(np.ascontiguousarray, sent.rows.T)]
    return pa.RecordBatch.from_arrays(list(map(pa.array, columns)), names=exchange.names(sent.rows.shape[1] - FIRST))


def _pieces(batches: Batches) -> Iterator[Int32]:
    """Yield the rows of batches as int32[n, k], with many rows at a time."""
    waiting: list[Int32] = []
    for batch in batches:
        waiting.append(np.column_stack([column.to_numpy() for column in batch.columns]))
        if sum(map(len, waiting)) > AT_ONCE:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _written(job: Job, number: int, name: str, sent: Sent) -> pa.RecordBatch:
    """Write facts to a file of a round. Returns a summary."""
    exchange.write(Path(job.round(number)) / f"{name}.parquet", *sent)
    noted = job.plan.notes(FactColumns(sent.rows[sent.parts == NOTED])).sum(axis=0)
    columns = [
        pa.array([int((sent.parts >= 0).sum())]),
        pa.array([sent.rows[sent.parts == ALIKE].tolist()], pa.list_(pa.list_(pa.int64()))),
        pa.array([noted.tolist()], pa.list_(pa.int64())),
    ]
    return pa.RecordBatch.from_arrays(columns, names=["sent", "alike", "noted"])
