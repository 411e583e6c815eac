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
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kgreason.spark.cluster.network import address

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logging.getLogger("kgreason.spark")
_PAUSE = 0.5
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


class Tracker(Protocol):
    """Something that knows the work of a session."""

    def work(self) -> TaskCounts:
        """Return the counts of this moment."""
        ...

    def close(self) -> None:
        """Stop to listen to the session."""
        ...


@contextmanager
def watched(
    spark: SparkSession,
    stage: AbstractContextManager[Callable[[int], object]],
    tracker: Tracker | None = None,
    pause: float = _PAUSE,
) -> Iterator[None]:
    """A context in which a thread reports the tasks of a session that end, to the function that `stage` gives.

    `tracker` and `pause` (seconds) are for tests. After an error of this function the block raises that error.
    """
    with stage as report, closing(tracker or _tracker(spark)) as known:
        watch = _Watch(report, known, spark.interruptAll, pause)
        thread = threading.Thread(target=watch.run, name="kgreason-spark-watch", daemon=True)
        thread.start()
        try:
            yield
        except Exception:
            if watch.error is not None:
                raise watch.error from None
            raise
        finally:
            watch.over.set()
            thread.join(_LONGEST)
        if watch.error is not None:
            raise watch.error


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


class _Watch:
    """Looks at the work of a session until `over` is set. Belongs to one thread; `error` is read after it has ended."""

    def __init__(
        self, report: Callable[[int], object], tracker: Tracker, interrupt: Callable[[], object], pause: float
    ) -> None:
        self._report, self._tracker, self._interrupt, self._pause = report, tracker, interrupt, pause
        self.over = threading.Event()
        self.error: BaseException | None = None
        self._ended, self._since, self._said = 0, time.monotonic(), False

    def run(self) -> None:
        """Report until the block ends, or until `report` raises an error."""
        while not self.over.wait(self._pause):
            try:
                work = self._tracker.work()
            except Exception:  # the session may end, and Java may have died: the caller's thread says so
                continue
            try:
                self._tell(work)
            except BaseException as error:
                self.error = error
                with suppress(Exception):
                    self._interrupt()
                return

    def _tell(self, work: TaskCounts) -> None:
        now, more = time.monotonic(), work.ended - self._ended
        self._report(more)
        if more or not (work.running or work.executors == 0):
            self._ended, self._since, self._said = work.ended, now, False
        elif not self._said and (text := line(work, now - self._since, getattr(self._tracker, "master", ""))):
            _LOG.warning(text)
            self._said = True


def _tracker(spark: SparkSession) -> Tracker:
    context = getattr(spark, "_sc", None)
    return _OfServer(spark) if context is None else _OfContext(context)


class _OfContext:
    """The work of a session that runs in this process."""

    def __init__(self, context: Any) -> None:
        self.master = address(context.master)
        self._context, self._tracker = context, context.statusTracker()
        self._ended: dict[int, int] = {}
        self._before = 0
        self._before = self.work().ended

    def work(self) -> TaskCounts:
        running = waiting = 0
        for stage in self._stages():
            self._ended[stage.stageId] = max(self._ended.get(stage.stageId, 0), stage.numCompletedTasks)
            running += stage.numActiveTasks
            waiting += max(stage.numTasks - stage.numActiveTasks - stage.numCompletedTasks, 0)
        return TaskCounts(self._executors(), sum(self._ended.values()) - self._before, running, waiting)

    def close(self) -> None:
        """Do nothing: this tracker only asks."""

    def _stages(self) -> Iterator[Any]:
        for job in self._tracker.getActiveJobsIds():
            found = self._tracker.getJobInfo(job)
            for stage in found.stageIds if found else ():
                if told := self._tracker.getStageInfo(stage):
                    yield told

    def _executors(self) -> int | None:
        if self.master == "local" or self.master.startswith("local["):
            return None
        return int(self._context._jsc.sc().getExecutorMemoryStatus().size()) - 1  # the driver is one of them


class _OfServer:
    """The work of a Spark Connect server for one session. The client hears of it while it waits for an answer."""

    master = ""

    def __init__(self, spark: Any) -> None:
        self._ended: dict[str, int] = {}
        self._running = 0
        self._waiting = 0
        self._spark = spark
        spark.registerProgressHandler(self._hear)

    def _hear(self, stages: Any, inflight_tasks: int, operation_id: str, done: bool) -> None:
        if stages:
            self._ended[str(operation_id)] = sum(stage.num_completed_tasks for stage in stages)
            self._waiting = sum(stage.num_tasks - stage.num_completed_tasks for stage in stages) - inflight_tasks
        self._running = 0 if done else inflight_tasks

    def work(self) -> TaskCounts:
        return TaskCounts(None, sum(self._ended.values()), self._running, max(self._waiting, 0))

    def close(self) -> None:
        self._spark.removeProgressHandler(self._hear)
