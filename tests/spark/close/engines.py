"""An engine's facts and rules for Spark, and what comes back: rows `tbl, c0.., stamp, support, asserted` of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kgreason.engine.engine import Engine
from kgreason.engine.memory import layout as at
from kgreason.spark.close.plans import Program, names
from kgreason.zset.columns import Int32

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def program_of(engine: Engine) -> Program:
    """The tables and active rules of an engine."""
    return Program(engine.tables, engine.rules)


def states(engine: Engine) -> Int32:
    """Every present fact with its stamp, support and asserted flag: int32[n, 1 + w + 3]."""
    facts = engine.facts
    records = facts.records(facts.present())
    width = max((width for _, width in engine.tables), default=0)
    state = records[:, [at.STATE]]
    columns = records[:, at.FIRST : at.FIRST + width]
    tables, flags = state >> at.TABLE & at.LAST_TABLE, (state & at.ASSERTED) // at.ASSERTED
    return np.hstack([tables, columns, records[:, [at.STAMP, at.SUPPORT]], flags])


def asserted(engine: Engine) -> Int32:
    """The asserted facts: int32[n, 1 + w]."""
    rows = states(engine)
    return rows[rows[:, -1] == 1, :-3]


def frame(spark: SparkSession, rows: Int32) -> DataFrame:
    """Facts int32[n, 1 + w] as the level loop takes them."""
    columns = ("tbl", *names("c", rows.shape[1] - 1))
    return spark.createDataFrame(pa.table([pa.array(column, pa.int32()) for column in rows.T], names=list(columns)))


def collected(result: DataFrame) -> Int32:
    """What the level loop gave, as `states` gives it; in no order."""
    table = result.toArrow()
    return np.stack([column.to_numpy().astype(np.int32) for column in table.columns], axis=1)


def as_set(rows: Int32) -> set[tuple[int, ...]]:
    """Rows as a set; no row is there twice."""
    found = set(map(tuple, rows.tolist()))
    assert len(found) == len(rows)
    return found
