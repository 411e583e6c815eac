"""`launch`: Java for a session of kgreason's own, and what it says where it does not start.

Java, Spark's launcher and the Python workers write to standard error: warnings about modules, the tracebacks of tasks
that are errors of the driver as well, of workers that Ctrl-C ends. A user has no use for them. They go to a file
without a name, which is read where Java does not start, and is gone when Java is.

Invariants: a Java that runs in this process already is taken as it is. Ctrl-C waits for Java to have started, as a
launch that is broken off leaves a Java behind; the second Ctrl-C does not wait.
Cost: that of starting Java.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway

_LEVEL = "spark.log.level"
_NOISE = ("WARNING: ", "Picked up ")
_THROWN = re.compile(r'^(?:Exception in thread ".*?" |Caused by: )(?:[\w.$]+: )?')


def launch(settings: dict[str, str]) -> None:
    """Start the Java of this process for a session with these settings, unless there is one.

    With the setting `spark.log.level` all that is said is shown. Raises RuntimeError with what Java said.
    """
    if SparkContext._gateway is not None:  # what a session that was stopped leaves behind
        return
    conf = SparkConf().setAll(list(settings.items()))
    with TemporaryFile() as said, uninterrupted():
        try:
            gateway = launch_gateway(conf, {} if _LEVEL in settings else {"stderr": said})
        except PySparkException as error:
            said.seek(0)
            raise RuntimeError(problem(said.read().decode(errors="replace")) or str(error)) from error
        SparkContext._ensure_initialized(gateway=gateway)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Have Ctrl-C wait for the end of the block; the second one does not wait."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where no signal arrives
        return
    arrived: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def wait(number: int, _: object) -> None:
        arrived.append(number)
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)

    signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
        for number in arrived:
            signal.raise_signal(number)


def problem(said: str) -> str:
    """The line that says most, of what Java says as it ends: the innermost exception, else the first line."""
    lines = [line for line in said.splitlines() if line and not line[0].isspace() and not line.startswith(_NOISE)]
    thrown = [line for line in lines if _THROWN.match(line)]
    return _THROWN.sub("", (thrown[-1:] or lines[:1] or [""])[0])
