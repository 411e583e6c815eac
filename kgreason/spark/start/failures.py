"""`clear_errors` turns errors of Spark into kgreason's own errors; `reason` finds the most useful line of an error.

An error of a task comes to the driver as text: a Python traceback inside a Java traceback. This module makes the
original error from the text. Spark's text files have no line numbers. So for a local file, this module looks up the
line number of the malformed line and adds it to the message.

Cost: nothing without an error; with an error one pass over the file that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from traceback import walk_tb

from kgreason import errors
from kgreason.errors import InputError, KgreasonError, RdfSyntaxError, StoreError
from kgreason.rdf.formats import format_of
from kgreason.spark.input.lines import IN_LINE, start_of

_ANSWERED = re.compile(r'^\s*details = "(.*)"$', re.MULTILINE)
_TOLD = re.compile(r"^kgreason\.errors\.(\w+): (.*)$", re.MULTILINE)
_PLACE = re.compile(r"(.+?)(?::(\d+))?(?::(\d+))?: (.*)")
_STOPPED = "Cannot call methods on a stopped SparkContext"
_FULL = "No space left on device"
_HOST = re.compile(r"\(TID \d+\) \((\S+) executor ")
_SPILLED = re.compile(rf"{_FULL}\n(?:\tat .*\n)*?\tat org\.apache\.spark\.(?:storage|shuffle)\.")
"""An executor wrote to its own temporary folder, and not to a table."""
_TEMPORARY = "Spark's temporary folder on {} (spark.local.dir or SPARK_LOCAL_DIRS)"
_UNREADABLE = re.compile(r"\[(PATH_NOT_FOUND|FAILED_READ_FILE)\b.*")


@contextmanager
def clear_errors(folder: str = "") -> Iterator[None]:
    """A context that replaces an error of Spark by the error of kgreason that caused it, if there is one.

    A full disk and an unreadable input become errors of kgreason, too. The message for a full disk names `folder`, the
    folder that the block writes to, or the machine whose temporary folder is full.
    """
    try:
        yield
    except KgreasonError:
        raise
    except Exception as error:  # an exception of Java is not always a PySparkException
        clear = _kgreason_error(str(error), _TEMPORARY.format("the driver") if _is_of_pyspark(error) else folder)
        if clear is None:
            raise
        raise clear from error


def _is_of_pyspark(error: Exception) -> bool:
    """Whether PySpark failed to write a file of its own in this process. Such files are temporary, never tables."""
    names = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__))
    return isinstance(error, OSError) and any(name.startswith("pyspark.") for name in names)


def reason(text: str) -> str:
    """Return the most useful line of an error text of Spark.

    This line is the innermost cause, the answer of a server, an error condition of Spark, an exception of Java, or the
    end of a traceback.
    """
    if _STOPPED in text:
        return "the application was stopped; if its executors do not start, the log of a worker says why"
    lines = [line for line in text.splitlines() if line and not line[0].isspace()]
    causes, thrown = (
        [line.removeprefix(mark) for line in lines if line.startswith(mark)] for mark in ("Caused by: ", ": ")
    )
    conditions = lines[:1] if text.startswith("[") else []
    return (causes or _ANSWERED.findall(text) or conditions or thrown or lines or [""])[-1]


def _kgreason_error(text: str, folder: str) -> KgreasonError | None:
    if told := _TOLD.findall(text):
        return _same_error(*told[-1])
    if _FULL in text:
        if _SPILLED.search(text):
            folder = _TEMPORARY.format(" and ".join(sorted({*_HOST.findall(text)})) or "the driver")
        return StoreError(f"{folder}: cannot be written: {_FULL}")
    unreadable = _UNREADABLE.search(text)
    return InputError(unreadable[0]) if unreadable else None


def _same_error(name: str, message: str) -> KgreasonError:
    """Return an error of kgreason with this class name and message."""
    place = _PLACE.fullmatch(message)
    if name != "RdfSyntaxError" or place is None:
        again: KgreasonError = getattr(errors, name)(message)
        return again
    file, line, column, problem = place.groups()
    if line is None:
        return RdfSyntaxError(file, _line_number(Path(file), problem.partition(IN_LINE)[2]), None, problem)
    return RdfSyntaxError(file, int(line), int(column) if column else None, problem)


def _line_number(path: Path, text: str) -> int | None:
    """Return the number of the first line with this text in a local file; None if there is no such file or line."""
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        numbered = zip(count(1), format_of(path).unpack(stream), strict=False)
        return next((number for number, line in numbered if start_of(line.rstrip(b"\r\n")) == text), None)
