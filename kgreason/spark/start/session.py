"""`session`: make a Spark session with settings for kgreason, on a Java that the module `java` finds.

`for_command` makes one for a command of the command line, and stops it. Ctrl-C raises KeyboardInterrupt, as it does
without Spark. (PySpark's own handler would call Java in the middle of another call of Java.) Log messages of py4j about
an interrupted call are dropped. Those of `kgreason.spark`, which say what Spark waits for, go to standard error. An
error of Spark becomes a KgreasonError of one line.

All functions of this package accept any Spark session. `session` is for users who do not have one. The session uses
Arrow and has no web page. In local mode its partitions and memory fit the machine. It logs nothing, unless the setting
`spark.log.level` is given.

Invariant: a session that somebody else made is never changed or returned.
Cost: some seconds to start Java.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgreason.cpus import cpus, memory
from kgreason.errors import InputError, KgreasonError, StoreError
from kgreason.spark.cluster.network import CONNECT, address, check_reached
from kgreason.spark.cluster.sizes import SETTING, choose
from kgreason.spark.start.failures import reason
from kgreason.spark.start.java import use_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOGGING = Path(__file__).with_name("log4j2.properties")
_PATIENCE = {"Invocation": 50_000, "MinInvocation": 6_000, "Compile": 150_000, "BackEdge": 400_000}
"""Ten times Java's own thresholds for its second compiler. Most code of Spark plans small jobs and runs a few hundred
times. To optimise such code takes more time than it saves: a third of the time in which the first files are encoded,
and of the processor time of an executor that closes LUBM(1)."""
_LATE = " ".join(f"-XX:Tier4{name}Threshold={number}" for name, number in _PATIENCE.items())
_SETTINGS = {
    "spark.app.name": "kgreason",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING.as_uri()} {_LATE}",
    "spark.executor.extraJavaOptions": _LATE,
    "spark.sql.execution.arrow.maxRecordsPerBatch": "30000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_MOST_IDLE = "spark.python.factory.idleWorkerMaxPoolSize"
_SHARE = 0.4
"""The part of the machine's memory that Java gets; the Python workers and the engine need the rest."""


def session(master: str = "local[*]", **config: str) -> SparkSession:
    """Make a new Spark session on a master. `config` has more settings, such as `**{"spark.driver.memory": "4g"}`.

    A master that starts with `sc://` is a Spark Connect server, which has settings of its own. In local mode the Python
    workers use the interpreter of this process; elsewhere PYSPARK_PYTHON names their interpreter. Raises InputError if
    PySpark is not installed, if a session is already active in this process, if no Java is found, if nothing answers at
    the address of the master, or if Spark refuses the master or a setting.
    """
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise InputError("PySpark is not installed: pip install 'kgreason[spark]'") from error
    before = _active_context()  # a session of Spark Connect may be made beside a classic one
    if SparkSession.getActiveSession() is not None or not (before is None or master.startswith(CONNECT)):
        raise InputError("this process already has a Spark session: pass that session, or stop it first")
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    try:
        return _start(master, config)
    except (PySparkException, Py4JError, OSError, RuntimeError, ValueError) as error:
        if (context := _active_context()) is not before:
            with suppress(PySparkException, Py4JError, OSError):
                context.stop()
        # settings are named without their values, which may be secrets
        given = f" with {', '.join(sorted(config))}" if config else ""
        told = reason(str(error)).replace(master, address(master))
        raise InputError(f"Spark does not start on {address(master)}{given}: {told}") from error


@contextmanager
def for_command(master: str, **config: str) -> Iterator[SparkSession]:
    """A context with a new session on `master`. When the block ends, the session is stopped. `config`: as `session`.

    Raises the errors of `session`, and KgreasonError if Spark fails in the block.
    """
    nowhere, shown, handler = logging.NullHandler(), logging.StreamHandler(), signal.getsignal(signal.SIGINT)
    shown.setFormatter(logging.Formatter("kgreason: %(message)s"))
    logging.getLogger().addHandler(nowhere)
    logging.getLogger("kgreason.spark").addHandler(shown)
    try:
        try:
            spark = session(master, **config)
        finally:
            if handler is not None and threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, handler)
        with _stopping(spark):
            yield spark
    finally:
        logging.getLogger().removeHandler(nowhere)
        logging.getLogger("kgreason.spark").removeHandler(shown)


@contextmanager
def _stopping(spark: SparkSession) -> Iterator[None]:
    """A context that stops a session when the block ends, even if the Java process of the session has died.

    Raises KgreasonError if Spark fails in the block, or if its Java process has ended.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except Exception as error:
        java = getattr(getattr(getattr(spark, "_sc", None), "_gateway", None), "proc", None)  # Connect has none
        if isinstance(error, Py4JError | OSError | StoreError) and java is not None:
            with suppress(subprocess.TimeoutExpired):  # its socket closes before the process ends
                java.wait(timeout=1)
        if java is not None and java.poll() is not None:
            raise KgreasonError("Spark failed: its Java process on this machine has ended") from error
        if isinstance(error, PySparkException | Py4JError):
            raise KgreasonError(f"Spark failed: {reason(str(error))}") from error
        raise
    finally:
        with suppress(PySparkException, Py4JError, OSError), warnings.catch_warnings(action="ignore"):
            spark.stop()


def _active_context() -> Any:
    """Return the Spark context of this process, or None. A client of Spark Connect has no context."""
    try:
        from pyspark import SparkContext
    except ImportError:
        return None
    return SparkContext._active_spark_context


def _start(master: str, config: dict[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    check_reached(master)
    if master.startswith(CONNECT):
        builder, settings = SparkSession.builder.remote(master), config
    else:
        from kgreason.spark.start.launch import launch

        use_java()
        builder = SparkSession.builder.master(master)
        settings = {**_SETTINGS, **_idle_workers(master, config), **_local_settings(master), **config}
        launch({"spark.master": master, **settings})
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    if not master.startswith(CONNECT) and SETTING not in config:
        choose(spark)
    return spark


def _local_settings(master: str) -> dict[str, str]:
    """Return the settings that kgreason chooses for a session in local mode. For other masters return {}.

    For local mode, also set the variables PYSPARK_PYTHON and SPARK_LOCAL_IP of this process if they have no value.
    """
    if not master.startswith("local"):
        return {}
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    return {"spark.driver.memory": f"{max(1024, int(memory() * _SHARE) >> 20)}m"}


def _idle_workers(master: str, config: dict[str, str]) -> dict[str, str]:
    """Return how many idle Python workers an executor keeps: one for each of its cores.

    A worker that has no part yet would take one from a worker that has it, and the part would be made anew. A
    standalone master gives an executor all cores of its machine, unless `spark.executor.cores` says how many. Without
    this setting nobody knows their number here, and all idle workers are kept.
    """
    cores = config.get("spark.executor.cores")
    if found := re.match(r"local(?:-cluster\[\d+, *(\d+),|(?:\[(\d+|\*))?)", master):
        cores = found[1] or found[2] or "1"
    elif not master.startswith("spark:"):
        cores = cores or "1"  # the default of Kubernetes and YARN
    return {_MOST_IDLE: str(cpus()) if cores == "*" else cores} if cores else {}
