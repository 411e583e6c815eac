"""Markers: a small table beside others, written after them, which says that they are whole.

Tables are all there is to it, so that any file system of Spark's will do, and Spark Connect. Cost: a marker is a job of
one small file, and its reading another, some tenths of a second each.
"""

from __future__ import annotations

from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kgreason.errors import StoreError


def marked(spark: SparkSession, path: str, schema: str) -> Any:
    """The row of the marker at a path; None where it is not there, or says that nothing is whole."""
    try:  # named twice, since of one path that is missing Spark logs a stack trace as well
        rows: list[Any] = spark.read.schema(schema).parquet(path, path).collect()
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        return None
    return rows[0] if rows else None


def mark(spark: SparkSession, path: str, schema: str, row: tuple[Any, ...] | None) -> None:
    """Write the marker at a path; without a row it says that nothing is whole.

    Raises StoreError where the row is not there afterwards: workers have written it to a folder of their own.
    """
    rows = [] if row is None else [row]
    spark.createDataFrame(rows, schema).coalesce(1).write.mode("overwrite").parquet(path)
    if rows and marked(spark, path, schema) is None:
        raise StoreError(f"{path}: driver and workers do not see the same folder; give one that they share")
