"""Markers: a small table beside others, written after them, which says that they are whole.

Tables are all there is to it, so that any file system of Spark's will do, and Spark Connect. Cost: a marker is a job of
one small file, and its reading another, some tenths of a second each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kgreason.errors import StoreError


def marked(spark: SparkSession, path: str, schema: str) -> list[Any]:
    """The rows of the marker at a path; none where it is not there, or not whole."""
    try:  # named twice, since of one path that is missing Spark logs a stack trace as well
        rows: list[Any] = spark.read.schema(schema).parquet(path, path).collect()
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        return []
    return rows[: len(rows) // 2]


def mark(spark: SparkSession, path: str, schema: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Write the marker at a path; without rows it says that nothing is whole.

    Raises StoreError where its rows are not there afterwards: workers have written them to a folder of their own.
    """
    spark.createDataFrame(rows, schema).coalesce(1).write.mode("overwrite").parquet(path)
    if rows and not marked(spark, path, schema):
        raise StoreError(f"{path}: driver and workers do not see the same folder; give one that they share")
