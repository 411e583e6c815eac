"""`Kept`: DataFrames that are computed once. Many rows stay in memory on the cluster, few rows come to the driver.

    keep      the rows stay in memory; Spark computes them when they are first read
    computed  the rows are computed now: up to `FEW` come to the driver, and become a DataFrame that has only these rows

Spark plans a DataFrame together with all DataFrames that it was made from, even if these are in memory. So without
`computed`, each step of a level would be planned again with all steps before it. Planning costs more than the work if
there are few rows. Cost of `computed`: one job; a second one counts the rows if there are more than `FEW`.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

FEW = 1 << 12
"""At most this many rows come to the driver."""


class Computed(NamedTuple):
    """A DataFrame that is computed already, and `size`, the number of its rows. `rows` has the rows if they are few."""

    frame: DataFrame
    size: int
    rows: pa.Table | None = None

    def split(self, column: str) -> tuple[Computed, Computed]:
        """Split the rows by whether the number in `column` is 0: the rows with 0, and the rows with larger numbers."""
        if self.rows is None:
            number = F.col(column)
            zeros, others = self.frame.agg(F.count_if(number == 0), F.count_if(number > 0)).collect()[0]
            return Computed(self.frame.where(number == 0), zeros), Computed(self.frame.where(number > 0), others)
        is_zero = pc.equal(self.rows.column(column), 0)
        return self._of(self.rows.filter(is_zero)), self._of(self.rows.filter(pc.invert(is_zero)))

    def _of(self, rows: pa.Table) -> Computed:
        frame = self.frame
        if len(rows) < self.size:
            frame = frame.sparkSession.createDataFrame(rows, frame.schema)
        return Computed(frame, len(rows), rows)


class Kept(ExitStack):
    """A context for the computation of one level. DataFrames that it keeps stay in memory until the context ends."""

    def keep(self, frame: DataFrame) -> DataFrame:
        """Keep a DataFrame in memory, so that it is computed only once. Returns the same DataFrame."""
        kept = frame.persist()
        self.callback(kept.unpersist)
        return kept

    def computed(self, frame: DataFrame) -> Computed:
        """Compute a DataFrame now; see the top of this file."""
        kept = frame.persist()
        rows = kept.limit(FEW + 1).toArrow()
        if len(rows) <= FEW:
            kept.unpersist()
            return Computed(frame.sparkSession.createDataFrame(rows, frame.schema), len(rows), rows)
        self.callback(kept.unpersist)
        return Computed(kept, kept.count())
