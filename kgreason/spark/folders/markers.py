"""Markers: small tables that are written after other tables, to show that the other tables are complete.

    folder/NAME         a table, as Parquet
    folder/NAME.whole   its marker. A table with a marker is *whole*. A stopped job goes on after its last whole table

Law: a table is read only if it is whole; a table that is not whole is written again. The name of a folder says which
input its tables were made from.

A marker is a Parquet table, so it works on every file system of Spark. Driver and workers see the same folder under a
path, so this process writes and reads the marker there, without a job of Spark. At a URI Spark does it. Both kinds are
read in both ways. Cost: a file at a path; at a URI a job of some tenths of a second.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it
from pyspark.sql.types import StructType

from kgreason.spark.folders.folders import check_seen
from kgreason.spark.input.paths import by_name, files_of_table
from kgreason.spark.start.failures import clear_errors

_MARKER = "text string"


def parquet(spark: SparkSession, schema: str | StructType, *paths: str) -> DataFrame:
    """Return the rows of the Parquet tables at these paths. Each path is a name, and no pattern."""
    return spark.read.schema(schema).parquet(*(by_name(uri(path)) for path in paths))


def uri(path: str) -> str:
    """Return the URI by which Spark finds a path: a path of this machine, whatever Spark's default file system is.

    >>> uri("/tmp/a"), uri("s3a://bucket/a")
    ('file:///tmp/a', 's3a://bucket/a')
    """
    return path if "://" in path else f"file://{Path(path).absolute()}"


def whole_table(spark: SparkSession, path: str, schema: str, table: Callable[[], DataFrame]) -> tuple[DataFrame, int]:
    """Return the rows of the table at a path, and their number. If it is not whole, it is written first, from `table`.

    Raises StoreError for a full disk.
    """
    rows = marker_text(spark, f"{path}.whole")
    if rows is None:
        with clear_errors(path.rpartition("/")[0]):
            table().write.mode("overwrite").parquet(uri(path))
            rows = str(count_rows(spark, path, schema))
            mark(spark, f"{path}.whole", rows)
    return parquet(spark, schema, path), int(rows)


def marker_text(spark: SparkSession, path: str) -> str | None:
    """Return the text of the marker at a path. Return None if the path has no marker."""
    if "://" not in path:
        return next((text for file in _files(path) for text in pq.read_table(file)["text"].to_pylist()), None)
    try:  # the path is given twice, since Spark logs a stack trace for a single path that is missing
        rows: list[Row] = parquet(spark, _MARKER, path, path).collect()
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        return None
    return rows[0].text if rows else None


def mark(spark: SparkSession, path: str, text: str) -> None:
    """Write a marker. The marker replaces an older one. Spark can read the new marker only after the last step."""
    if "://" in path:
        spark.createDataFrame([(text,)], _MARKER).coalesce(1).write.mode("overwrite").parquet(path)
        return
    shutil.rmtree(path, ignore_errors=True)
    hidden = Path(path, "_part.parquet")
    hidden.parent.mkdir(parents=True)
    pq.write_table(pa.table({"text": [text]}), hidden)
    hidden.rename(hidden.with_name("part-0.parquet"))


def count_rows(spark: SparkSession, path: str, schema: str | StructType) -> int:
    """Return the number of rows of the Parquet table at a path that Spark has just written.

    Raises StoreError if this process does not see the table.
    """
    if "://" in path:
        return int(parquet(spark, schema, path).count())
    check_seen(path)
    return sum(int(pq.read_metadata(file).num_rows) for file in _files(path))


def largest(table: DataFrame, column: str) -> int:
    """Return the largest number in a column of a table that Spark reads from Parquet files; 0 for a table without rows.

    Cost: the footers of the files; at a URI a job of Spark.
    """
    files = files_of_table(table)
    if not files:
        return int(table.agg(F.max(column)).collect()[0][0] or 0)
    footers = list(map(pq.read_metadata, files))
    groups = [footer.row_group(number) for footer in footers for number in range(footer.num_row_groups)]
    chunks = [group.column(footers[0].schema.names.index(column)).statistics for group in groups]
    return max((int(chunk.max) for chunk in chunks if chunk.has_min_max), default=0)


def _files(path: str) -> list[Path]:
    return sorted(Path(path).glob("part-*.parquet"))
