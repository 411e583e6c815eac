"""Markers say that something is whole, or, once they are taken back, that it is not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.spark.folders.markers import mark, marked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = "input string, rows bigint"


def test_a_marker_says_what_was_written_last(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "table.whole")
    assert marked(spark, path, SCHEMA) is None
    mark(spark, path, SCHEMA, ("first", 1))
    mark(spark, path, SCHEMA, ("second", 2))
    assert tuple(marked(spark, path, SCHEMA)) == ("second", 2)
    mark(spark, path, SCHEMA, None)
    assert marked(spark, path, SCHEMA) is None
