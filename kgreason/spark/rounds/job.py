"""`close`: a closure by rounds of parts on Spark.

    facts (tbl, c0..) -> round 0 -> parts evaluate -> round 1 -> ... -> a round without facts -> news
                                                                                              -> more facts -> round n

A round is a job of one task for each part (`tasks`), and a folder of Parquet files (`travel`). When a round has no
facts for any part, the parts write what is new at its home: the *news*. Then others may assert more facts (operators,
facts about equal terms), and the rounds go on. All news together are the closure.

A marker says that a step is whole. So a job that was stopped goes on after its last whole step. The folders of a job
are a function of its plan and its facts.

Cost: a small job for each round, and one for the news.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.progress import SILENT, Progress
from kgreason.spark.folders.fingerprint import fingerprint
from kgreason.spark.folders.markers import count_rows, mark, marked, parquet
from kgreason.spark.rounds.plan import PartsPlan
from kgreason.spark.rounds.tasks import At, Job
from kgreason.spark.rounds.travel import travel_of
from kgreason.spark.start.failures import clear_errors

More: TypeAlias = Callable[[DataFrame, DataFrame, Callable[[DataFrame], None]], bool]
"""Asserts more facts when no part has facts for another one. It gets all facts, those that are new since the last call
(rows `tbl, c0.., asserted`), and a function that takes facts to assert (`tbl, c0..`). Returns whether there are any."""
_WHOLE = "facts bigint"
_FEW = 50_000
"""A part should have at least this many facts on average."""
_MOST = 4_000_000
"""A part should have at most this many facts on average."""


def close(
    facts: DataFrame,
    plan: PartsPlan,
    folder: str,
    *,
    more: More | None = None,
    who: object = None,
    progress: Progress = SILENT,
) -> DataFrame:
    """Compute the closure of asserted facts, rows `tbl, c0..`. Returns rows `tbl, c0.., asserted`.

    `folder` is a path that driver and workers see, or a URI. The result is read back from Parquet files there. `more`
    asserts further facts (`More`), and `who` identifies it: a run on the same folder goes on only if all of them are
    the same.
    """
    made_from = sha256(fingerprint((plan, who), facts).encode()).hexdigest()[:16]
    rounds = _Rounds(facts.sparkSession, Job(plan, f"{folder.rstrip('/')}/{made_from}"), progress)
    with clear_errors(folder):
        rounds.place(facts)
        while True:
            rounds.run()
            rounds.tell()
            if more is None or not more(rounds.facts, rounds.latest, rounds.place):
                return rounds.facts


def parts_for(facts: DataFrame) -> int:
    """Return into how many parts facts should be divided: one for each core, if there are many facts."""
    count: int = facts.count()
    spark = facts.sparkSession
    cores: int = spark.range(10_000).select(F.spark_partition_id().alias("part")).distinct().count()
    return max(1, min(cores, count // _FEW), -(-count // _MOST))


class _Rounds:
    """The rounds of a job. `_next` is the number of the next round, for which there are `_moved` facts.

    `_told` are the rounds before which the parts have told their news.
    """

    def __init__(self, spark: SparkSession, job: Job, progress: Progress) -> None:
        self._spark, self._folder, self._progress = spark, job.folder, progress
        self._travel = travel_of(spark, job)
        self._next, self._moved = 0, 0
        self._told: list[int] = []
        columns = ", ".join(f"{name} int" for name in ("tbl", *(f"c{n}" for n in range(job.plan.width))))
        self._schema = f"{columns}, asserted boolean"

    @property
    def facts(self) -> DataFrame:
        """All facts that the parts have told."""
        return parquet(self._spark, self._schema, *map(self._news, self._told))

    @property
    def latest(self) -> DataFrame:
        """The facts that the parts have told last."""
        return parquet(self._spark, self._schema, self._news(self._told[-1]))

    @property
    def _at(self) -> At:
        return At(self._next, self._told[-1] if self._told else 0)

    def place(self, facts: DataFrame) -> None:
        """Place asserted facts, rows `tbl, c0..`, among those of the next round."""
        at = self._next
        self._moved += self._whole(f"placed-{at}", "placing", partial(self._travel.place, facts, at))

    def run(self) -> None:
        """Let all parts evaluate, round after round, until none has facts for another one."""
        while self._moved or not self._next:  # rules without a body derive facts from nothing
            work = partial(self._travel.evaluate, self._at)
            self._next += 1
            self._moved = self._whole(f"round-{self._next}", f"round {self._next}", work)

    def tell(self) -> None:
        """Let all parts tell which facts are new."""
        self._whole(f"news-{self._next}", "writing news", partial(self._write_news, self._at))
        self._told.append(self._next)

    def _write_news(self, at: At) -> int:
        rows, path = self._travel.tell(at, self._schema), self._news(at.round)
        rows.write.mode("overwrite").parquet(path)
        return count_rows(self._spark, path, rows)

    def _news(self, number: int) -> str:
        return f"{self._folder}/news-{number}"

    def _whole(self, name: str, title: str, work: Callable[[], int]) -> int:
        """Do a step, unless it is whole already. Returns how many facts it has written.

        `name` is the name of its marker. `work` does the step and returns the number.
        """
        marker = f"{self._folder}/{name}.whole"
        found = marked(self._spark, marker, _WHOLE)
        if found is not None:
            return int(found.facts)
        with self._progress(title) as report:
            count = work()
            report(count)
        mark(self._spark, marker, _WHOLE, (count,))
        return count
