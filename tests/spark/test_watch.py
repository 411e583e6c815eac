"""Bars move while Spark works, and one line says what Spark waits for. Spark is a toy here; no Java is needed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from kgreason.spark.cluster import watch
from kgreason.spark.cluster.watch import TaskCounts, line, watched

NONE_HERE = "Spark waits: no executor has registered at spark://one:7077"


class Toy:
    """A session and its work: counts that a test gives one after the other; the last one stays."""

    _sc = SimpleNamespace(master="spark://one:7077")

    def __init__(self, *counts: TaskCounts) -> None:
        self._counts, self._looks = [*counts], 0
        self.seen_all, self.is_interrupted = threading.Event(), threading.Event()

    def __call__(self) -> TaskCounts:
        self._looks += 1
        if len(self._counts) > 1:
            return self._counts.pop(0)
        if self._looks > len(self._counts) + 3:
            self.seen_all.set()
        return self._counts[0]

    def interruptAll(self) -> None:  # noqa: N802 - the name of PySpark
        self.is_interrupted.set()


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of a toy is the toy."""
    monkeypatch.setattr(watch, "_work_of", nullcontext)
    monkeypatch.setattr(watch, "_PAUSE", 0.001)


def run(toy: Toy, report: Callable[[int], object] = lambda _: None) -> None:
    spark: Any = toy
    with watched(spark, nullcontext(report)):
        assert toy.seen_all.wait(30) or toy.is_interrupted.is_set()


def test_a_bar_gets_each_task_once() -> None:
    toy, steps = Toy(*(TaskCounts(None, ended) for ended in (0, 2, 2, 5))), list[int]()
    run(toy, steps.append)
    assert sum(steps) == 5
    assert min(steps) == 0
    assert not toy.is_interrupted.is_set()


def test_an_error_of_the_report_interrupts_spark_and_is_raised() -> None:
    def cancel(_: int) -> None:
        raise TimeoutError("nobody waits")

    toy: Any = Toy(TaskCounts(None, 0))

    def work() -> None:
        with watched(toy, nullcontext(cancel)):
            assert toy.is_interrupted.wait(30)
            raise ValueError("job cancelled")

    with pytest.raises(TimeoutError, match="nobody waits"):
        work()


def test_a_line_is_due_when_nothing_moves(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert line(TaskCounts(0, 0), 10, "spark://one:7077").startswith(NONE_HERE)
    assert line(TaskCounts(0, 0), 9) == ""
    assert line(TaskCounts(1, 4, running=2, waiting=3), 60).startswith("Spark works: 2 tasks run, 3 wait")
    assert line(TaskCounts(1, 4, running=2), 59) == ""
    assert line(TaskCounts(1, 4), 600) == ""  # Spark plans, or the driver works
    monkeypatch.setattr(watch, "_PATIENCE", {True: 0.0, False: 0.0})
    with caplog.at_level(logging.WARNING, "kgreason.spark"):
        run(Toy(TaskCounts(0, 0)))
    [record] = caplog.records  # once, not at each look
    assert record.getMessage().startswith(NONE_HERE)
