"""One Spark session for the tests of a process: two cores, little memory, folders of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
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


_LITTLE_WORK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of Java with which a program that ends soon ends sooner: its compiler works for seconds, not for minutes."""
SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "2",
}
"""Spark neither compiles plans nor changes them while they run: on a few rows that takes longer than the work."""
_USUAL = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.shuffle.partitions": "4",
}
"""Spark as users have it."""


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
        "spark.driver.extraJavaOptions": _LITTLE_WORK,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for key, value in (config | SMALL).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def brief_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Java of commands and programs that a test starts has little work."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", _LITTLE_WORK)


@pytest.fixture(autouse=True)
def planning(request: pytest.FixtureRequest) -> Iterator[None]:
    """Slow tests have Spark plan as it does for users. A module whose tests have little data overrides this."""
    if "spark" not in request.fixturenames or request.node.get_closest_marker("slow") is None:
        yield
        return
    conf = request.getfixturevalue("spark").conf
    for key, value in _USUAL.items():
        conf.set(key, value)
    yield
    for key, value in SMALL.items():
        conf.set(key, value)
