"""`launch`: start Java for a session that kgreason makes, and report why Java does not start.

Java, Spark's launcher and the Python workers write to standard error: warnings about modules, tracebacks of tasks that
the driver raises as well, tracebacks of workers that Ctrl-C ends. A user does not need this output. The output goes
to a temporary file, which is read only if Java does not start. The file is removed when Java ends.

Invariants: if a Java already runs for this process, it is used as it is. Ctrl-C waits until Java has started
(`kgreason.interrupts`), because an interrupted launch would leave a Java running; the
third Ctrl-C, after five seconds, ends the process.
Cost: starting Java.
"""

from __future__ import annotations

import re
from tempfile import TemporaryFile

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway

from kgreason.interrupts import undivided

_LEVEL = "spark.log.level"
_NOISE = ("WARNING: ", "Picked up ")
_THROWN = re.compile(r'^(?:Exception in thread ".*?" |Caused by: )(?:[\w.$]+: )?')


def launch(settings: dict[str, str]) -> None:
    """Start the Java of this process for a session with these settings. A Java that already runs is left alone.

    With the setting `spark.log.level` all output of Java is shown. Raises RuntimeError with Java's message if Java does
    not start.
    """
    if SparkContext._gateway is not None:  # a stopped session leaves its Java running
        return
    conf = SparkConf().setAll(list(settings.items()))
    with TemporaryFile() as said, undivided():
        try:
            gateway = launch_gateway(conf, {} if _LEVEL in settings else {"stderr": said})
        except PySparkException as error:
            said.seek(0)
            raise RuntimeError(problem(said.read().decode(errors="replace")) or str(error)) from error
        SparkContext._ensure_initialized(gateway=gateway)


def problem(said: str) -> str:
    """Return the most useful line of `said`, the output of a Java that did not start.

    This line is the innermost exception, or the first line if there is no exception.
    """
    lines = [line for line in said.splitlines() if line and not line[0].isspace() and not line.startswith(_NOISE)]
    thrown = [line for line in lines if _THROWN.match(line)]
    return _THROWN.sub("", (thrown[-1:] or lines[:1] or [""])[0])
