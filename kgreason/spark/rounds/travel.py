"""How facts travel from round to round: `InFiles` or `ByShuffles`, with the same methods.

    place      asserted facts go to the parts that need them
    evaluate   each part does a round
    rows       each part does another step: it needs texts, or decides operators

`InFiles` needs a folder that the driver and all workers see under one path. There tasks read and write their files
themselves, and workers keep their engines. `ByShuffles` works with every file system of Spark: Spark reads the facts of
all rounds so far, brings those of a part to one task, and writes what the task gives. So each round shuffles all facts
that were placed, and makes each engine anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.folders.markers import uri
from kgreason.spark.input.paths import by_name, files_of_table
from kgreason.spark.rounds import exchange
from kgreason.spark.rounds.plan import NOTED
from kgreason.spark.rounds.ranges import RowsInFiles
from kgreason.spark.rounds.tasks import (
    ALIKE,
    SUMMARY,
    At,
    Job,
    Step,
    as_facts,
    evaluate,
    from_files,
    from_rows,
    placed,
    placing,
)


class Moved(NamedTuple):
    """How many facts a step has for parts, and counts of facts that are alike (`PartsPlan.counts`).

    `noted`: how many facts of each kind are news (`PartsPlan.noted`), or a number that is not smaller.
    """

    facts: int
    alike: Sequence[Sequence[int]] = ()
    noted: Sequence[int] = ()


class InFiles:
    """Tasks read and write the files of parts."""

    def __init__(self, spark: SparkSession, job: Job) -> None:
        self._spark, self._job = spark, job

    def place(self, facts: DataFrame, number: int, total: int = 0, triples: DataFrame | None = None) -> Moved:
        """Place asserted facts, rows `tbl, c0..`, for round `number`.

        `triples` are more of them: all rows `s, p, o` of some Parquet files, which tasks read themselves. If `total`
        (about the number of facts) is given, tasks also count facts that are alike.
        """
        task = placing(self._job, number, total)
        found = facts.mapInArrow(task, SUMMARY)
        if triples is not None:
            files = files_of_table(triples)
            assert files, "encoded facts are in the same folder as the rounds"
            rows = RowsInFiles(self._spark, files, "spo", partial(as_facts, self._job.plan))
            found = rows.mapInArrow(task, SUMMARY).unionAll(found)
        return _moved(found)

    def evaluate(self, at: At) -> Moved:
        """Do round `at.round` in all parts."""
        after = at._replace(round=at.round + 1)
        return _moved(self.rows(evaluate(at, self._job, in_files=True), SUMMARY, at, after))

    def rows(self, step: Step, schema: str, at: At, after: At) -> DataFrame:
        """Return the rows, of `schema`, that a step gives in all parts. Then they are as far as `after`."""
        task = from_files(self._job, at, after, step)
        return _numbers(self._spark, self._job.plan.parts).mapInArrow(task, schema)

    def folders(self, rounds: Sequence[int]) -> tuple[Path, ...]:
        """Return the folders of some rounds; none if this process cannot read the files."""
        return tuple(map(Path, map(self._job.round, rounds)))


class ByShuffles:
    """Spark brings the facts of a part to a task."""

    def __init__(self, spark: SparkSession, job: Job) -> None:
        self._spark, self._job, self._schema = spark, job, _schema(job)

    def place(self, facts: DataFrame, number: int, total: int = 0, triples: DataFrame | None = None) -> Moved:
        """See `InFiles`."""
        task = placed(self._job.plan, total)
        rows = facts.mapInArrow(task, self._schema)
        if triples is not None:
            plan = self._job.plan
            rows = triples.mapInArrow(lambda batches: task(as_facts(plan, batches)), self._schema).unionAll(rows)
        return self._write(rows, f"{self._job.round(number)}/placed")

    def evaluate(self, at: At) -> Moved:
        """See `InFiles`."""
        after, step = at._replace(round=at.round + 1), evaluate(at, self._job, in_files=False)
        return self._write(self.rows(step, self._schema, at, after), f"{self._job.round(after.round)}/sent")

    def rows(self, step: Step, schema: str, at: At, after: At) -> DataFrame:
        """See `InFiles`."""
        return self._received(after).mapInArrow(from_rows(self._job, at, after, step), schema)

    def folders(self, _: Sequence[int]) -> tuple[Path, ...]:
        """See `InFiles`."""
        return ()

    def _received(self, after: At) -> DataFrame:
        """Return what parts need to be as far as `after`: rows `part, flag.., step, text`, those of a part together."""
        width, parts = self._job.plan.width, self._job.plan.parts
        zeros = [f"0 AS c{n}" for n in range(1, width)]
        text = "CAST(NULL AS STRING) AS text"
        nothing = "-1 AS flag", "0 AS tbl", "0 AS c0", *zeros, "0 AS step", text
        found = [_numbers(self._spark, parts).selectExpr("part", *nothing)]
        for number in after.rounds(0, after.round):
            rows = rows_of_rounds(self._spark, self._job, [number]).where("part >= 0")
            found.append(rows.selectExpr("*", f"{number} AS step", text))
        terms = self._spark.read.schema("id int, text string, part int")
        for step in after.learnt:
            rows = terms.parquet(by_name(self._job.texts(step)))
            columns = "part", "-2 AS flag", "0 AS tbl", "id AS c0", *zeros, f"{step} AS step", "text"
            found.append(rows.selectExpr(*columns))
        return reduce(DataFrame.unionByName, found).repartition(parts, "part")

    def _write(self, rows: DataFrame, path: str) -> Moved:
        rows.write.mode("overwrite").parquet(path)
        found = self._spark.read.schema(self._schema).parquet(by_name(path))
        counts = dict(found.groupBy(F.least("part", F.lit(0)).alias("part")).count().collect())
        alike = [list(row)[1:] for row in found.where(F.col("part") == ALIKE).collect()] if ALIKE in counts else []
        noted = [counts.get(NOTED, 0)] * len(self._job.plan.noted)
        return Moved(counts.get(0, 0), alike, noted)


def rows_of_rounds(spark: SparkSession, job: Job, rounds: Sequence[int]) -> DataFrame:
    """Return what was placed and sent for some rounds, and the news of the rounds before them: rows `part, flag..`."""
    paths = [by_name(uri(job.round(number))) for number in rounds]
    return spark.read.option("recursiveFileLookup", "true").schema(_schema(job)).parquet(*paths)


def _schema(job: Job) -> str:
    return ", ".join(f"{name} int" for name in exchange.names(job.plan.width))


def _moved(summaries: DataFrame) -> Moved:
    found = summaries.collect()
    noted = [sum(counts) for counts in zip(*(row.noted for row in found), strict=True)]
    return Moved(sum(row.sent for row in found), [list(each) for row in found for each in row.alike], noted)


def _numbers(spark: SparkSession, parts: int) -> DataFrame:
    return spark.range(0, parts, 1, parts).select(F.col("id").cast("int").alias("part"))
