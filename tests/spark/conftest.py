"""One Spark session for the tests of a process: two cores, little memory, folders of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PANDAS = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What PySpark says of the newest pandas is no fault of ours: data goes through Arrow alone."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(_PANDAS)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local session; tests are skipped where PySpark is not installed."""
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")
    from pyspark.sql import SparkSession

    from kgreason.spark.start.java import use_java

    use_java()
    folder = tmp_path_factory.mktemp("spark")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").appName("kgreason tests")
    config = {
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for key, value in config.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


_QUICK = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "2",
}


@contextmanager
def quick(spark: SparkSession) -> Iterator[None]:
    """Let Spark neither compile plans nor change them while they run: on a few rows that takes longer than the work."""
    before = {key: spark.conf.get(key) for key in _QUICK}
    try:
        for key, value in _QUICK.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
