"""`Tables`: turns facts into the keys that operators read, and results into the facts that operators assert.

    facts (tbl, c0..)  ->  operator, role, b0..             `keyed`
    operator, kind, b0.., id (of the result)  ->  tbl, c0.. `facts`

Cost: one broadcast join for each of the two, for any number of operators.
"""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.close.operators.program import Between
from kgreason.spark.close.plans import names
from kgreason.spark.close.rewrites import frame_of, met, pick, valued


class Tables:
    """The tables of operators as DataFrames. `width` is the number of columns `c0..` of a fact."""

    def __init__(self, spark: SparkSession, between: Between, width: int) -> None:
        self.spark, self._between = spark, between
        self._columns = names("c", width)
        self.keys = names("b", between.keys)
        self._writes = frame_of(spark, between.writes)
        self._heads = len(between.writes.columns) - len(("operator", "kind", "tbl"))

    def keyed(self, facts: DataFrame, numbers: Collection[int], roles: Collection[int]) -> DataFrame:
        """Return rows `operator, role, b0..`: one for each fact and each operator that reads the fact.

        Only operators in `numbers` and roles in `roles` count. `b0..` are the operator's keys, then zeros.
        """
        reads, constants = self._between.reads, self._between.constants
        operator, role = reads.columns.index("operator"), reads.columns.index("role")
        wanted = [row for row in reads.rows if row[operator] in numbers and row[role] in roles]
        found = met(self._between.forms, constants, facts, frame_of(self.spark, reads._replace(rows=wanted)))
        columns = [F.col(name) for name in self._columns]
        keys = [pick(F.col(f"a{n}"), columns, F.lit(0)).alias(name) for n, name in enumerate(self.keys)]
        return found.select("operator", "role", *keys)

    def facts(self, rows: DataFrame) -> DataFrame:
        """Turn results of operators, rows `operator, kind, b0.., id`, into the facts `tbl, c0..` to assert.

        `kind` is `MADE` or `CALLED`. `b0..` are the operator's keys, `id` is the id of the result.
        """
        slots = [F.col(name) for name in (*self.keys, "id")]
        values = [valued(F.col(f"h{n}"), slots) if n < self._heads else F.lit(0) for n in range(len(self._columns))]
        found = rows.join(F.broadcast(self._writes), ["operator", "kind"])
        return found.select("tbl", *(value.alias(name) for value, name in zip(values, self._columns, strict=True)))
