"""`whole_folder`, `save`: write a folder of files. An unfinished folder never looks finished.

    a path                       tasks write beside the target, in a folder with a hidden name, which is renamed when it
                                 is complete; an old folder of this name stays until then
    a URI (s3a://, hdfs://, ..)  Spark writes in place: files appear when every task has ended, `_SUCCESS` comes last

This process and Spark's workers must see the same folder under a path. Invariant: after an error, a full disk or a kill
there is no new folder at a path (a hidden folder may stay), and no folder with `_SUCCESS` at a URI.
Cost: writing the files.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from uuid import uuid4

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame

from kgreason.errors import InputError, StoreError
from kgreason.spark.start.failures import clear_errors, reason

_COMMIT = {
    "mapreduce.fileoutputcommitter.algorithm.version": "1",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "true",
}
"""Settings of Hadoop, different from its defaults: when all tasks have ended, the files of all move to their place."""


@contextmanager
def whole_folder(folder: str | PathLike[str], *, overwrite: bool) -> Iterator[Path]:
    """A context that gives a new folder, which appears at the path `folder` when the block ends.

    Raises InputError if `folder` is a file, or is not empty and `overwrite` is not set, and StoreError if writing
    fails. Files whose names begin with a point and `part-` are left out: tasks that were killed have left them.
    """
    check_free(folder, overwrite=overwrite)
    target = Path(folder).resolve()
    new = target.with_name(f".{target.name}.{uuid4().hex}.new")
    try:
        with writing(str(target)):
            new.mkdir(parents=True)
            yield new
            for file in new.glob(".part-*"):
                file.unlink(missing_ok=True)  # a task that was killed may remove its own
            (new / "_SUCCESS").touch()
            old = new.with_suffix(".old")
            if target.exists():
                target.rename(old)
            new.rename(target)
            shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def save(frame: DataFrame, form: str, folder: str, *, overwrite: bool) -> None:
    """Let Spark write the rows to files in a folder at a URI, in the Spark format `form`.

    Raises InputError if the folder exists and `overwrite` is not set. Raises StoreError if writing fails.
    """
    with writing(folder):
        try:
            frame.write.format(form).options(**_COMMIT).mode("overwrite" if overwrite else "error").save(folder)
        except AnalysisException as error:
            if error.getCondition() != "PATH_ALREADY_EXISTS":
                raise
            raise _is_taken(folder) from error


def check_free(folder: str | PathLike[str], *, overwrite: bool) -> None:
    """Raise the error that `whole_folder` would raise for these arguments. Call it before long work, to fail early.

    The error is InputError, or StoreError if the folder cannot be made. The check makes a temporary folder beside the
    path, and removes it again.
    """
    try:
        target = Path(folder).resolve()
        if target.exists() and not target.is_dir():
            raise InputError(f"{folder}: is a file, but the output is a folder; choose another name")
        if target.is_dir() and any(target.iterdir()) and not overwrite:
            raise _is_taken(fspath(folder))
        beside = next((parent for parent in target.parents if parent.exists()), target)
        os.rmdir(tempfile.mkdtemp(prefix=".", dir=beside))
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise StoreError(f"{folder}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


def check_seen(folder: str | PathLike[str]) -> None:
    """Raise StoreError if Spark wrote to `folder` but it has no file: the workers have written on other machines."""
    if not any(Path(folder).glob("part-*")):
        raise StoreError(f"{folder}: Spark's workers write to another machine; choose a folder that all machines share")


def _is_taken(name: str) -> InputError:
    return InputError(f"{name}: already exists; remove it or choose another folder (in Python: or overwrite=True)")


@contextmanager
def writing(folder: str) -> Iterator[None]:
    """A context for writing to `folder`. Errors of Spark and of the operating system become a clear StoreError."""
    try:
        with clear_errors(folder):
            yield
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}") from error
    except (PySparkException, Py4JError) as error:
        raise StoreError(f"{folder}: cannot be written: {reason(str(error))}") from error
