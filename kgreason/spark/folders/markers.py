"""Markers: small tables that are written after other tables, to show that the other tables are complete.

A marker is a Parquet table, so it works on every file system of Spark and on Spark Connect. Cost: writing a marker is a
job of some tenths of a second, and reading it is another one.
"""

from __future__ import annotations

from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kgreason.errors import StoreError


def marked(spark: SparkSession, path: str, schema: str) -> Any:
    """Return the row of the marker at a path, or None if there is no marker or if the marker has no row."""
    try:  # the path is given twice, since Spark logs a stack trace for a single path that is missing
        rows: list[Any] = spark.read.schema(schema).parquet(path, path).collect()
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        return None
    return rows[0] if rows else None


def mark(spark: SparkSession, path: str, schema: str, row: tuple[Any, ...] | None) -> None:
    """Write a marker with the given row. A marker without a row (`row` None) says that the tables are not complete.

    Raises StoreError if the row cannot be read back, because the workers have written it on other machines.
    """
    rows = [] if row is None else [row]
    spark.createDataFrame(rows, schema).coalesce(1).write.mode("overwrite").parquet(path)
    if rows and marked(spark, path, schema) is None:
        raise StoreError(f"{path}: Spark's workers write to another machine; choose a folder that all machines share")
