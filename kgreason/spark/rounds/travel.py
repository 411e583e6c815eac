"""How facts travel from round to round: `InFiles` or `ByShuffles`, with the same methods.

    place      asserted facts go to the parts that need them
    evaluate   each part does a round
    rows       each part does another step: it tells its news, needs texts, or decides operators

`InFiles` needs a folder that the driver and all workers see under one path. There tasks read and write their files
themselves, and workers keep their engines. `ByShuffles` works with every file system of Spark: Spark reads the facts of
all rounds so far, brings those of a part to one task, and writes what the task gives. So each round shuffles all facts
that were placed, and makes each engine anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.folders.markers import count_rows
from kgreason.spark.input.paths import by_name
from kgreason.spark.rounds import exchange
from kgreason.spark.rounds.tasks import (
    ALIKE,
    SUMMARY,
    At,
    Job,
    Step,
    evaluate,
    from_files,
    from_rows,
    placed,
    placing,
)
from kgreason.zset.columns import Int64


class InFiles:
    """Tasks read and write the files of parts."""

    def __init__(self, spark: SparkSession, job: Job) -> None:
        self._spark, self._job = spark, job

    def place(self, facts: DataFrame, number: int) -> int:
        """Place asserted facts, rows `tbl, c0..`, for round `number`. Returns how many rows were written."""
        found = facts.mapInArrow(placing(self._job, number), SUMMARY).collect()
        return sum(int(row.sent) for row in found)

    def evaluate(self, at: At) -> tuple[int, Int64]:
        """Do round `at.round` in all parts. Returns how many facts they have for each other, and `EnginePart.alike`."""
        after = at._replace(round=at.round + 1)
        found = self.rows(evaluate(at, self._job, in_files=True), SUMMARY, at, after).collect()
        return sum(int(row.sent) for row in found), _counts([each for row in found for each in row.alike])

    def rows(self, step: Step, schema: str, at: At, after: At) -> DataFrame:
        """Return the rows, of `schema`, that a step gives in all parts. Then they are as far as `after`."""
        task = from_files(self._job, at, after, step)
        return _numbers(self._spark, self._job.plan.parts).mapInArrow(task, schema)


class ByShuffles:
    """Spark brings the facts of a part to a task."""

    def __init__(self, spark: SparkSession, job: Job) -> None:
        self._spark, self._job = spark, job
        self._schema = ", ".join(f"{name} int" for name in exchange.names(job.plan.width))

    def place(self, facts: DataFrame, number: int) -> int:
        """See `InFiles`."""
        return self._write(facts.mapInArrow(placed(self._job.plan), self._schema), f"{self._job.round(number)}/placed")

    def evaluate(self, at: At) -> tuple[int, Int64]:
        """See `InFiles`."""
        after, step = at._replace(round=at.round + 1), evaluate(at, self._job, in_files=False)
        path = f"{self._job.round(after.round)}/sent"
        sent = self._write(self.rows(step, self._schema, at, after), path)
        rows = self._spark.read.schema(self._schema).parquet(by_name(path)).where(F.col("part") == ALIKE)
        return sent, _counts([list(row)[1:] for row in rows.collect()])

    def rows(self, step: Step, schema: str, at: At, after: At) -> DataFrame:
        """See `InFiles`."""
        return self._received(after).mapInArrow(from_rows(self._job, at, after, step), schema)

    def _received(self, after: At) -> DataFrame:
        """Return what parts need to be as far as `after`: rows `part, flag.., step, text`, those of a part together."""
        width, parts = self._job.plan.width, self._job.plan.parts
        zeros = [f"0 AS c{n}" for n in range(1, width)]
        text = "CAST(NULL AS STRING) AS text"
        nothing = "-1 AS flag", "0 AS tbl", "0 AS c0", *zeros, "0 AS step", text
        found = [_numbers(self._spark, parts).selectExpr("part", *nothing)]
        reader = self._spark.read.option("recursiveFileLookup", "true").schema(self._schema)
        for number in after.rounds(0, after.round):
            rows = reader.parquet(by_name(self._job.round(number)))
            found.append(rows.selectExpr("*", f"{number} AS step", text))
        terms = self._spark.read.schema("id int, text string, part int")
        for step in after.learnt:
            rows = terms.parquet(by_name(self._job.texts(step)))
            columns = "part", "-2 AS flag", "0 AS tbl", "id AS c0", *zeros, f"{step} AS step", "text"
            found.append(rows.selectExpr(*columns))
        return reduce(DataFrame.unionByName, found).repartition(parts, "part")

    def _write(self, rows: DataFrame, path: str) -> int:
        rows.write.mode("overwrite").parquet(path)
        return count_rows(self._spark, path, rows.schema)


def _counts(rows: Sequence[Sequence[int]]) -> Int64:
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(rows[0]) if rows else 0)


def _numbers(spark: SparkSession, parts: int) -> DataFrame:
    return spark.range(0, parts, 1, parts).select(F.col("id").cast("int").alias("part"))
