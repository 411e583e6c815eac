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
from pyspark.sql import DataFrame

FEW = 1 << 12
"""At most this many rows come to the driver."""


class Computed(NamedTuple):
    """A DataFrame that is computed already, and `size`, the number of its rows. `rows` has the rows if they are few."""

    frame: DataFrame
    size: int
    rows: pa.Table | None = None


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
