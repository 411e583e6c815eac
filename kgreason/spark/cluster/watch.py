"""`watched`: moves the bar of a stage while Spark works, and says in one line what Spark waits for.

    with watched(spark, progress("reading")):        one step of the bar for each task that has ended
        frame.collect()

A thread looks at Spark twice a second. The calls of Spark block the thread of the caller, which could not report. If no
task ends for a while, the logger `kgreason.spark` gets one line, as a warning: no executor has registered, or a few
tasks take long. The command line shows this line.

Laws: the bar gets no task twice. If `report` raises an error (the work is cancelled), the jobs of the session are
interrupted, and the block raises this error. Threads: `report` is called by one thread at a time, first by the watching
thread and not after the block. Cost: a few calls of Java in each second; nothing after the block.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgreason.spark.cluster.network import address

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logging.getLogger("kgreason.spark")
_PAUSE = 0.5
"""The seconds between two looks."""
_PATIENCE = {True: 10.0, False: 60.0}
"""After so many seconds without an end of a task a line is due: True if Spark has no executor."""

_LONGEST = 5.0
"""The thread is left alone if it has not ended after so many seconds: a call of Java does not return."""


class TaskCounts(NamedTuple):
    """What Spark does: the numbers of its executors, of tasks that have ended since the start, that run, that wait.

    `executors` is None if Spark does not tell it, as in local mode and on Spark Connect.
    """

    executors: int | None
    ended: int
    running: int = 0
    waiting: int = 0


Work: TypeAlias = Callable[[], TaskCounts]
"""Says what a session does at this moment."""


@contextmanager
def watched(spark: SparkSession, stage: AbstractContextManager[Callable[[int], object]]) -> Iterator[None]:
    """A context in which a thread reports the tasks of a session that end, to the function that `stage` gives.

    After an error of this function the block raises that error.
    """
    over, errors = threading.Event(), list[BaseException]()
    with stage as report, _work_of(spark) as work:
        context = getattr(spark, "_sc", None)
        watch = partial(_watch, report, work, address(context.master) if context else "", over)

        def run() -> None:
            try:
                watch()
            except BaseException as error:
                errors.append(error)
                with suppress(Exception):
                    spark.interruptAll()

        thread = threading.Thread(target=run, name="kgreason-spark-watch", daemon=True)
        thread.start()
        try:
            yield
        except Exception:
            if errors:
                raise errors[0] from None
            raise
        finally:
            over.set()
            thread.join(_LONGEST)
        if errors:
            raise errors[0]


def line(work: TaskCounts, idle: float, master: str = "the master") -> str:
    """Return the line that is due after `idle` seconds without an end of a task; an empty text if none is due.

    >>> line(TaskCounts(executors=0, ended=0), 12, "spark://host:7077").partition(";")[0]
    'Spark waits: no executor has registered at spark://host:7077'
    >>> line(TaskCounts(executors=2, ended=14, running=2), 61)
    'Spark works: 2 tasks run, 0 wait, and none has ended for a minute'
    >>> line(TaskCounts(executors=2, ended=14, running=2), 12)
    ''
    """
    if work.executors == 0 and idle >= _PATIENCE[True]:
        where = f"no executor has registered at {master}"
        return f"Spark waits: {where}; it has no free worker with the cores and the memory that the settings ask for"
    if work.running and idle >= _PATIENCE[False]:
        return f"Spark works: {work.running} tasks run, {work.waiting} wait, and none has ended for a minute"
    return ""


def _watch(report: Callable[[int], object], work: Work, master: str, over: threading.Event) -> None:
    """Report until the block ends, or until `report` raises an error."""
    ended, since, is_said = 0, time.monotonic(), False
    while not over.wait(_PAUSE):
        try:
            counts = work()
        except Exception:  # the session may end, and Java may have died: the caller's thread says so
            continue
        now, more = time.monotonic(), counts.ended - ended
        report(more)
        if more or not (counts.running or counts.executors == 0):
            ended, since, is_said = counts.ended, now, False
        elif not is_said and (text := line(counts, now - since, master)):
            _LOG.warning(text)
            is_said = True


@contextmanager
def _work_of(spark: Any) -> Iterator[Work]:
    """A context that listens to a session. A client of Spark Connect hears of its work while it waits for an answer."""
    if (context := getattr(spark, "_sc", None)) is not None:
        yield _of_context(context)
        return
    ended, now = dict[str, int](), [0, 0]

    def hear(stages: Any, inflight_tasks: int, operation_id: str, done: bool) -> None:
        if stages:
            ended[str(operation_id)] = sum(stage.num_completed_tasks for stage in stages)
            now[1] = sum(stage.num_tasks - stage.num_completed_tasks for stage in stages) - inflight_tasks
        now[0] = 0 if done else inflight_tasks

    spark.registerProgressHandler(hear)
    try:
        yield lambda: TaskCounts(None, sum(ended.values()), now[0], max(now[1], 0))
    finally:
        spark.removeProgressHandler(hear)


def _of_context(context: Any) -> Work:
    """Return what says the work of a session that runs in this process, since now."""
    tracker, is_local, ended = context.statusTracker(), re.match(r"local(\[|$)", context.master), dict[int, int]()

    def work() -> TaskCounts:
        running = waiting = 0
        for job in filter(None, map(tracker.getJobInfo, tracker.getActiveJobsIds())):
            for stage in filter(None, map(tracker.getStageInfo, job.stageIds)):
                ended[stage.stageId] = max(ended.get(stage.stageId, 0), stage.numCompletedTasks)
                running += stage.numActiveTasks
                waiting += max(stage.numTasks - stage.numActiveTasks - stage.numCompletedTasks, 0)
        # the driver is one of those that have memory
        executors = None if is_local else int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1
        return TaskCounts(executors, sum(ended.values()) - before, running, waiting)

    before = 0
    before = work().ended
    return work
