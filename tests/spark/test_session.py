"""A session for those who have none: quiet, with a share of the memory, and never somebody else's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgreason.errors import InputError
from kgreason.spark.start import session as module
from kgreason.spark.start.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("pyspark")

_SETTINGS = """
from kgreason.spark.start.session import session
spark = session("local[1]", **{"spark.sql.shuffle.partitions": "3"})
for key in ("spark.driver.memory", "spark.ui.enabled", "spark.sql.shuffle.partitions"):
    print(spark.conf.get(key))
print(spark.range(10).mapInArrow(lambda batches: batches, "id long").count())
try:
    session()
except Exception as error:
    print(error)
spark.stop()
again = session("local[1]")
print(again.range(10).count(), again.conf.get("spark.sql.shuffle.partitions") != "3")
again.stop()
"""
_ERROR = """
from kgreason.errors import RdfSyntaxError
from kgreason.spark.start.failures import clear_errors
from kgreason.spark.input.read import read
from kgreason.spark.start.session import session
import sys
spark = session("local[1]", **{"spark.driver.memory": "1g"})
try:
    with clear_errors():
        read(spark, sys.argv[1]).collect()
except RdfSyntaxError as error:
    print(error)
spark.stop()
"""


def _run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_a_session_of_somebody_else_is_left_alone(spark: SparkSession) -> None:
    before = spark.conf.getAll
    with pytest.raises(InputError, match="already has a Spark session: pass that session"):
        session("local[1]")
    assert spark.conf.getAll == before


class _Builder:
    """Notes what a session is built from."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., _Builder]:
        def step(*arguments: str) -> _Builder:
            self.steps.append((name, *arguments))
            return self

        return step


def test_a_connect_server_needs_no_java_here_and_keeps_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    builder = _Builder()
    monkeypatch.setattr(SparkSession, "builder", builder)
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr("kgreason.spark.start.session.use_java", lambda: pytest.fail("Java is looked for"))
    monkeypatch.setattr("kgreason.spark.start.session.check_reached", lambda master: None)
    assert session("sc://host:15002", **{"spark.sql.shuffle.partitions": "3"}) is builder
    assert builder.steps == [
        ("remote", "sc://host:15002"),
        ("config", "spark.sql.shuffle.partitions", "3"),
        ("getOrCreate",),
    ]


@pytest.mark.parametrize(
    ("master", "cores"),
    [
        ("local", "1"),
        ("local[3]", "3"),
        ("local[4, 2]", "4"),
        ("local[*]", "5"),
        ("local-cluster[2, 6, 1024]", "6"),
        ("yarn", "1"),
        ("spark://one:7077", None),
    ],
)
def test_an_executor_keeps_an_idle_worker_for_each_core(
    master: str, cores: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "cpus", lambda: 5)
    assert module._idle_workers(master, {}).get("spark.python.factory.idleWorkerMaxPoolSize") == cores
    given = module._idle_workers(master, {"spark.executor.cores": "7"})
    assert set(given.values()) == {cores if master.startswith("local") else "7"}


def test_without_pyspark_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(InputError, match=r"pip install 'kgreason\[spark\]'"):
        session()


def test_the_settings_and_those_given(tmp_path: Path) -> None:
    ran = _run(_SETTINGS)
    assert ran.returncode == 0, ran.stderr
    memory, ui, partitions, count, problem, again = ran.stdout.splitlines()
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    assert min(1024, machine // 5) <= int(memory.removesuffix("m")) < machine
    assert (ui, partitions, count, again) == ("false", "3", "10", "10 True")
    assert "already" in problem


def test_standard_error_is_quiet_when_a_task_fails(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("junk\n")
    ran = _run(_ERROR, str(tmp_path / "a.nt"))
    assert (
        ran.stdout == f"{tmp_path}/a.nt:1: The subject of a triple must be an IRI or a blank node, in the line: junk\n"
    )
    assert ran.stderr == ""
    loud = _run(_ERROR.replace('"1g"', '"1g", "spark.log.level": "error"'), str(tmp_path / "a.nt"))
    assert loud.stdout == ran.stdout
    assert " ERROR " in loud.stderr
