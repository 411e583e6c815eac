"""How facts travel from round to round: `InFiles` or `ByShuffles`, each with the same three steps.

    place      asserted facts go to the parts that need them
    evaluate   each part takes the facts of a round, and gives those of the next
    tell       each part tells what is new at its home

`InFiles` needs a folder that the driver and all workers see under one path. There tasks read and write their files
themselves, and workers keep their engines. `ByShuffles` works with every file system of Spark: Spark reads the facts of
all rounds so far, brings those of a part to one task, and writes what the task gives. So each round shuffles all facts
that were placed, and makes each engine anew.
"""

from __future__ import annotations

from functools import reduce
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.folders.markers import count_rows
from kgreason.spark.input.paths import by_name
from kgreason.spark.rounds import exchange
from kgreason.spark.rounds.tasks import SUMMARY, At, Job, Task, evaluated, evaluating, placed, placing, telling, told


class Travel(Protocol):
    """A way for facts to travel."""

    def place(self, facts: DataFrame, number: int) -> int:
        """Place asserted facts, rows `tbl, c0..`, for round `number`. Returns how many rows were written."""
        ...

    def evaluate(self, at: At) -> int:
        """Do round `at.round` in all parts. Returns how many facts they have for each other."""
        ...

    def tell(self, at: At, schema: str) -> DataFrame:
        """Return the news of all parts, rows of `schema`."""
        ...


def travel_of(spark: SparkSession, job: Job) -> Travel:
    """Return the way that suits the folder of a job: by shuffles if the folder is at a URI."""
    return ByShuffles(spark, job) if "://" in job.folder else InFiles(spark, job)


class InFiles:
    """Tasks read and write the files of parts."""

    def __init__(self, spark: SparkSession, job: Job) -> None:
        self._spark, self._job = spark, job

    def place(self, facts: DataFrame, number: int) -> int:
        """See `Travel`."""
        return self._sum(facts.mapInArrow(placing(self._job, number), SUMMARY))

    def evaluate(self, at: At) -> int:
        """See `Travel`."""
        return self._sum(self._on_parts(evaluating(self._job, at), SUMMARY))

    def tell(self, at: At, schema: str) -> DataFrame:
        """See `Travel`."""
        return self._on_parts(telling(self._job, at, schema), schema)

    def _on_parts(self, task: Task, schema: str) -> DataFrame:
        """Return the rows of a task for each part."""
        return _numbers(self._spark, self._job.plan.parts).mapInArrow(task, schema)

    def _sum(self, summaries: DataFrame) -> int:
        return sum(int(row.sent) for row in summaries.collect())


class ByShuffles:
    """Spark brings the facts of a part to a task."""

    def __init__(self, spark: SparkSession, job: Job) -> None:
        self._spark, self._job = spark, job
        self._schema = ", ".join(f"{name} int" for name in exchange.names(job.plan.width))

    def place(self, facts: DataFrame, number: int) -> int:
        """See `Travel`."""
        return self._write(
            facts.mapInArrow(placed(self._job.plan), self._schema), f"{self._job.folder}/round-{number}/placed"
        )

    def evaluate(self, at: At) -> int:
        """See `Travel`."""
        rows = self._received(at.round + 1).mapInArrow(evaluated(self._job.plan, at), self._schema)
        return self._write(rows, f"{self._job.folder}/round-{at.round + 1}/sent")

    def tell(self, at: At, schema: str) -> DataFrame:
        """See `Travel`."""
        return self._received(at.round).mapInArrow(told(self._job.plan, at, schema), schema)

    def _received(self, rounds: int) -> DataFrame:
        """Return the facts of the first `rounds` rounds, rows `part, flag.., round`; those of a part are together."""
        parts = self._job.plan.parts
        nothing = ["-1 AS flag", "0 AS tbl", *(f"0 AS c{n}" for n in range(self._job.plan.width)), "0 AS round"]
        found = [_numbers(self._spark, parts).selectExpr("part", *nothing)]
        reader = self._spark.read.schema(self._schema).option("recursiveFileLookup", "true")
        for number in range(rounds):
            rows = reader.parquet(by_name(f"{self._job.folder}/round-{number}"))
            found.append(rows.withColumn("round", F.lit(number)))
        return reduce(DataFrame.unionByName, found).repartition(parts, "part")

    def _write(self, rows: DataFrame, path: str) -> int:
        rows.write.mode("overwrite").parquet(path)
        return count_rows(self._spark, path, rows)


def _numbers(spark: SparkSession, parts: int) -> DataFrame:
    return spark.range(0, parts, 1, parts).select(F.col("id").cast("int").alias("part"))
