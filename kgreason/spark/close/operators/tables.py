"""`Tables`: turns facts into the keys that operators read, and results into the facts that operators assert.

    facts (tbl, c0..)  ->  operator, does, stratum, role, b0..  `keyed`
    operator, kind, b0.., id (of the result)  ->  tbl, c0..     `facts`

Cost: one broadcast join for each of the two, for any number of operators.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.close.operators.forms import frame_of, met, names, pick, valued
from kgreason.spark.close.operators.program import READ, Between


class Tables:
    """The tables of operators as DataFrames. `width` is the number of columns `c0..` of a fact."""

    def __init__(self, spark: SparkSession, between: Between, width: int) -> None:
        self.spark, self._between = spark, between
        self._columns = names("c", width)
        self.keys = names("b", between.keys)
        self._writes = frame_of(spark, between.writes)
        self._heads = len(between.writes.columns) - len(("operator", "kind", "tbl"))

    def keyed(self, facts: DataFrame, does: int | None = None, role: int | None = None) -> DataFrame:
        """Return rows `operator, does, stratum, role, b0..`: one for each fact and each operator that reads the fact.

        `b0..` are the operator's keys, then zeros. If `does` or `role` is given, only operators of this kind, or only
        facts with this role count.
        """
        reads = self._between.reads
        wanted = {"does": does, "role": role}
        chosen = [(reads.columns.index(name), value) for name, value in wanted.items() if value is not None]
        rows = [row for row in reads.rows if all(row[place] == value for place, value in chosen)]
        found = met(
            self._between.forms, self._between.constants, facts, frame_of(self.spark, reads._replace(rows=rows))
        )
        keys = (f"{pick(f'a{n}', self._columns, '0')} AS {name}" for n, name in enumerate(self.keys))
        return found.selectExpr(*READ, *keys)

    def facts(self, rows: DataFrame) -> DataFrame:
        """Turn results of operators, rows `operator, kind, b0.., id`, into the facts `tbl, c0..` to assert.

        `kind` is `MADE` or `CALLED`. `b0..` are the operator's keys, `id` is the id of the result.
        """
        slots = (*self.keys, "id")
        values = [valued(f"h{n}", slots) if n < self._heads else "0" for n in range(len(self._columns))]
        found = rows.join(F.broadcast(self._writes), ["operator", "kind"])
        columns = zip(values, self._columns, strict=True)
        return found.selectExpr("tbl", *(f"{value} AS {name}" for value, name in columns))
