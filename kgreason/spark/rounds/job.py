"""`close`: a closure by rounds of parts on Spark.

    facts (tbl, c0..) -> round 0 -> parts evaluate -> round 1 -> ... -> a round without facts -> result

A round is a job of one task for each part (`tasks`), and a folder of Parquet files (`exchange`). A marker says that a
round is whole. So a job that was stopped goes on after its last whole round, and the folders of a job are a function of
its plan and its facts. Driver and workers must see the folder under the same path.

Cost: a small job for each round.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.progress import SILENT, Progress
from kgreason.spark.folders.checkpoints import fingerprint
from kgreason.spark.folders.markers import mark, marked, parquet
from kgreason.spark.rounds.plan import Plan
from kgreason.spark.rounds.tasks import SUMMARY, Job, Task, closing, evaluating, placing
from kgreason.spark.start.failures import clear_errors

_WHOLE = "facts bigint"
_FEW = 50_000
"""A part should have at least this many facts on average."""
_MOST = 4_000_000
"""A part should have at most this many facts on average."""


def close(facts: DataFrame, plan: Plan, folder: str, progress: Progress = SILENT) -> DataFrame:
    """Compute the closure of asserted facts, rows `tbl, c0..`. Returns rows `tbl, c0.., asserted`.

    `folder` is a path that driver and workers see. The result is read back from Parquet files there.
    """
    made_from = sha256(fingerprint(plan, facts).encode()).hexdigest()[:16]
    rounds = _Rounds(facts.sparkSession, Job(plan, f"{folder.rstrip('/')}/{made_from}"))
    with clear_errors(folder):
        rounds.place(facts, progress)
        while rounds.is_moving:
            rounds.evaluate(progress)
        return rounds.result(progress)


def parts_for(facts: DataFrame) -> int:
    """Return into how many parts facts should be divided: one for each core, if there are many facts."""
    count = facts.count()
    spark = facts.sparkSession
    cores = spark.range(10_000).select(F.spark_partition_id().alias("part")).distinct().count()
    return max(1, min(cores, count // _FEW), -(-count // _MOST))


class _Rounds:
    """The rounds of a job. `last` is the number of the last whole round, `moved` how many facts it has."""

    def __init__(self, spark: SparkSession, job: Job) -> None:
        self._spark, self._job = spark, job
        self._last, self._moved = -1, 1

    @property
    def is_moving(self) -> bool:
        """Whether the last whole round has facts for some part."""
        return self._moved > 0

    def place(self, facts: DataFrame, progress: Progress) -> None:
        """Place asserted facts as the next round."""
        self._round("placing", lambda: facts.mapInArrow(placing(self._job, 0), SUMMARY), progress)
        self._moved = max(self._moved, 1)  # rules without a body derive facts from nothing

    def evaluate(self, progress: Progress) -> None:
        """Let all parts evaluate the facts of the last round. What they have for each other is the next round."""
        task, name = evaluating(self._job, self._last), f"round {self._last + 1}"
        self._round(name, lambda: self._on_parts(task, SUMMARY), progress)

    def result(self, progress: Progress) -> DataFrame:
        """Return the facts of all parts."""
        columns = ", ".join(f"{name} int" for name in ("tbl", *(f"c{n}" for n in range(self._job.plan.width))))
        schema, path = f"{columns}, asserted boolean", f"{self._job.folder}/result"
        if marked(self._spark, f"{path}.whole", _WHOLE) is None:
            with progress("collecting"):
                self._on_parts(closing(self._job, self._last, schema), schema).write.mode("overwrite").parquet(path)
            mark(self._spark, f"{path}.whole", _WHOLE, (self._moved,))
        return parquet(self._spark, schema, path)

    def _round(self, name: str, work: Callable[[], DataFrame], progress: Progress) -> None:
        """Make the next round whole. `work` gives the summaries of the tasks that write its files."""
        marker = f"{self._job.folder}/round-{self._last + 1}.whole"
        found = marked(self._spark, marker, _WHOLE)
        if found is None:
            with progress(name) as report:
                moved = sum(row.sent for row in work().collect())
                report(moved)
            mark(self._spark, marker, _WHOLE, (moved,))
        else:
            moved = found.facts
        self._last, self._moved = self._last + 1, moved

    def _on_parts(self, task: Task, schema: str) -> DataFrame:
        """Return the rows of a task for each part."""
        parts = self._job.plan.parts
        numbers = self._spark.range(0, parts, 1, parts).select(F.col("id").cast("int").alias("part"))
        return numbers.mapInArrow(task, schema)
