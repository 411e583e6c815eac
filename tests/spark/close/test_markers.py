"""Markers say that something is whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.errors import StoreError
from kgreason.spark.folders.markers import count_rows, mark, marker_text, whole_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_marker_says_what_was_written_last(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "table.whole")
    assert marker_text(spark, path) is None
    mark(spark, path, "first")
    mark(spark, path, "second")
    assert marker_text(spark, path) == "second"


@pytest.fixture
def mounted(spark: SparkSession, tmp_path: Path) -> str:
    """A URI of a folder, on a file system that only Spark knows."""
    spark.conf.set(f"fs.viewfs.mounttable.{tmp_path.name}.link./all", tmp_path.as_uri())
    return f"viewfs://{tmp_path.name}/all"


def test_markers_of_spark_and_of_this_process_are_read_in_both_ways(
    spark: SparkSession, tmp_path: Path, mounted: str
) -> None:
    """At a path this process writes them; at a URI Spark does."""
    mark(spark, f"{tmp_path}/here", "written here")
    mark(spark, f"{mounted}/there", "written by Spark")
    for place in (str(tmp_path), mounted):
        assert marker_text(spark, f"{place}/here") == "written here"
        assert marker_text(spark, f"{place}/there") == "written by Spark"
        assert marker_text(spark, f"{place}/none") is None


def test_a_table_at_a_path_is_one_of_this_machine(spark: SparkSession, tmp_path: Path, mounted: str) -> None:
    """Spark's default file system may be another one, as on a cluster with HDFS."""
    settings = spark._jsc.hadoopConfiguration()
    before = settings.get("fs.defaultFS")
    settings.set("fs.defaultFS", "hdfs://example")
    try:
        table, rows = whole_table(spark, f"{tmp_path}/table", "id bigint", lambda: spark.range(1_000).repartition(3))
        assert (rows, table.count()) == (1_000, 1_000)
        assert count_rows(spark, f"{mounted}/table", "id bigint") == 1_000
    finally:
        settings.set("fs.defaultFS", before)
    with pytest.raises(StoreError, match=f"{tmp_path}/elsewhere: Spark's workers write to another machine"):
        count_rows(spark, f"{tmp_path}/elsewhere", "id bigint")
