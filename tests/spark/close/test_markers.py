"""Markers say that something is whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.spark.folders.markers import count_rows, is_here, mark, marked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = "input string, rows bigint"


def test_a_marker_says_what_was_written_last(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "table.whole")
    assert marked(spark, path, SCHEMA) is None
    mark(spark, path, SCHEMA, ("first", 1))
    mark(spark, path, SCHEMA, ("second", 2))
    assert tuple(marked(spark, path, SCHEMA)) == ("second", 2)


def test_markers_of_spark_and_of_this_process_are_read_in_both_ways(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In local mode this process writes them; on clusters Spark does."""
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    assert is_here(spark, here)
    mark(spark, here, SCHEMA, ("written here", 1))
    with monkeypatch.context() as patch:
        patch.setattr("kgreason.spark.folders.markers.is_here", lambda *_: False)
        mark(spark, there, SCHEMA, ("written by Spark", 2))
        assert tuple(marked(spark, here, SCHEMA)) == ("written here", 1)
    assert tuple(marked(spark, there, SCHEMA)) == ("written by Spark", 2)


def test_a_path_that_may_be_elsewhere_is_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    assert not is_here(spark, "s3a://bucket/folder")
    assert not is_here(spark, "folder")
    assert not is_here(object(), str(tmp_path))
    settings = spark._jsc.hadoopConfiguration()
    before = settings.get("fs.defaultFS")
    settings.set("fs.defaultFS", "hdfs://example")
    try:
        assert not is_here(spark, str(tmp_path))
    finally:
        settings.set("fs.defaultFS", before)


def test_rows_are_counted_in_both_ways(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, table = str(tmp_path / "table"), spark.range(1_000).repartition(3)
    table.write.parquet(path)
    assert count_rows(spark, path, table.schema) == 1_000
    monkeypatch.setattr("kgreason.spark.folders.markers.is_here", lambda *_: False)
    assert count_rows(spark, path, table.schema) == 1_000
