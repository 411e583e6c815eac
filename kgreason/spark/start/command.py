"""`for_command`: a Spark session for one command of the command line.

    session -> work -> session stops

Ctrl-C raises KeyboardInterrupt, as it does without Spark. (PySpark's own handler would call Java in the middle of
another call of Java.) Log messages of py4j about an interrupted call are dropped. Those of `kgreason.spark`, which say
what Spark waits for, go to standard error. An error of Spark becomes a KgreasonError of one line.
"""

from __future__ import annotations

import logging
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kgreason.errors import KgreasonError
from kgreason.spark.start.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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

    Raises KgreasonError if Spark fails in the block.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from kgreason.spark.start.failures import reason

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise KgreasonError(f"Spark failed: {reason(str(error))}") from error
    finally:
        with suppress(PySparkException, Py4JError, OSError), warnings.catch_warnings(action="ignore"):
            spark.stop()
