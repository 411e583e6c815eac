"""`check_workers`: check before the first job that Spark's workers can run kgreason, and say what is missing there.

A task on each executor says which Python it runs, and which versions of kgreason and of its libraries that Python has.
The function of the task travels as a whole, because a worker without kgreason could not import it. Without this check
the first task would fail with a traceback that names neither the machine nor its Python.

The tasks also say whether they see files of this process: its input, and a new file in each folder that the job writes
to. Rows that a worker writes to a folder of its own machine would be lost in silence.

Cost: one small job for each session, and one for each list of folders. A worker imports the libraries that it needs
anyway. In local mode the workers mostly use the interpreter of this process, and then nothing is done. Spark places the
tasks, so on a busy cluster an executor may be left out.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from kgreason import __version__
from kgreason.errors import InputError, StoreError
from kgreason.progress import SILENT
from kgreason.spark.cluster.watch import watched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LIBRARIES = ("kgreason", "numpy", "pyarrow", "pyoxigraph", "numba")
"""The modules that tasks import."""
_PROBE = ".kgreason-"
"""The beginning of the names of files that workers look for."""
_ROWS = 1 << 10
"""The rows of the job, which Spark divides among all cores."""
_PAGE = "docs/spark.md, 'A real cluster', shows both"
_NO_PROGRAM = re.compile(r'Cannot run program "([^"]+)"')
_OTHER_PYTHON = re.compile(r"different version: ([\d.]+) than that in driver: ([\d.]+)")
_CHECKED: WeakSet[Any] = WeakSet()
"""The sessions whose workers were checked. Sets of Python are safe for threads; a check twice does no harm."""


def check_workers(spark: SparkSession, folders: Iterable[Path] = (), files: Iterable[Path] = ()) -> None:
    """Raise InputError if a worker of a session cannot run kgreason, or does not see these folders and files.

    The message names its machine and its Python. The workers need the minor version of this Python, the version of this
    kgreason, and the libraries of kgreason. The folders must exist here. Of many files in a folder one is looked for.
    Raises StoreError if this process cannot write to a folder.
    """
    places, one_of_each = {*folders}, {file.parent: str(file) for file in files}.values()
    if (spark in _CHECKED and not places and not one_of_each) or _are_here(spark):
        return
    with ExitStack() as stack:
        paths = [*one_of_each]
        for place in places:
            try:
                paths.append(stack.enter_context(NamedTemporaryFile(prefix=_PROBE, dir=place)).name)
            except OSError as error:
                raise StoreError(f"{place}: cannot be written: {error.strerror}") from error
        for worker in _workers(spark, paths):
            if wrong := problem(worker):
                raise InputError(wrong)
    _CHECKED.add(spark)


def problem(worker: dict[str, Any]) -> str:
    """Return why a worker, as `_describe` describes it, cannot run kgreason; an empty text if it can."""
    python, place = worker["python"], f"on {worker['host']}, {worker['python']} (Python {worker['version']})"
    missing = [name for name in LIBRARIES if name in worker["missing"]]
    if worker["version"] != (here := _version()):
        return f"Spark's workers need Python {here} as this process has; {place} is another one. {_remedy('python3')}"
    if missing:
        reasons = {worker["missing"][name] for name in missing}
        return f"Spark's workers need kgreason: {place}: {'; '.join(sorted(reasons))}. {_remedy(python)}"
    if worker["kgreason"] != __version__:
        return (
            f"Spark's workers need kgreason {__version__} as this process has; {place} has kgreason"
            f" {worker['kgreason']}. {_remedy(python)}"
        )
    if worker["unseen"]:
        path = Path(worker["unseen"][0])
        path = path.parent if path.name.startswith(_PROBE) else path
        return (
            f"Spark's worker on {worker['host']} does not see {path}, which this process sees: choose files and folders"
            " that the driver and all workers share (input, output, --work)"
        )
    return ""


def _remedy(python: str) -> str:
    """Say both ways to bring kgreason to workers."""
    return (
        f"Run `{python} -m pip install 'kgreason[spark]=={__version__}'` on each worker, or send a packed environment:"
        f" --conf spark.archives=env.tar.gz#env with PYSPARK_PYTHON=env/bin/python ({_PAGE})"
    )


def _version() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def _are_here(spark: SparkSession) -> bool:
    """Whether the workers of a session run on this machine with the interpreter of this process."""
    context = getattr(spark, "_sc", None)  # a session of Spark Connect has none
    if context is None or not re.fullmatch(r"local(\[.*\])?", context.master):
        return False
    return bool(shutil.which(context.pythonExec) == shutil.which(sys.executable))


def _workers(spark: SparkSession, paths: list[str]) -> list[dict[str, Any]]:
    """Return a description of the Python of each worker, by `_describe`. Raises InputError if no Python starts there.

    The answers come as text and not by Arrow, which a worker may lack.
    """
    from pyspark import cloudpickle
    from pyspark.sql import functions as F  # noqa: N812

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        look = F.udf(_describe, "string", useArrow=False)
        with watched(spark, SILENT("checking")):
            rows = spark.range(_ROWS).select(look(F.lit(json.dumps([LIBRARIES, paths]))).alias("told")).collect()
    except Exception as error:  # an exception of Java is not always a PySparkException
        raise _clear(str(error)) or error from error
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    return [json.loads(told) for told in sorted({row.told for row in rows})]


def _clear(text: str) -> InputError | None:
    """Return the error for workers that cannot start the Python that they should run; None for other errors."""
    if found := _NO_PROGRAM.search(text):
        return InputError(
            f"Spark's workers have no Python at {found[1]}: set PYSPARK_PYTHON to a Python {_version()} of the workers."
            f" {_remedy('python3')}"
        )
    if found := _OTHER_PYTHON.search(text):
        return InputError(
            f"Spark's workers run Python {found[1]}, and this process Python {found[2]}: set PYSPARK_PYTHON to a Python"
            f" {found[2]} of the workers. {_remedy('python3')}"
        )
    return None


def _describe(asked: str) -> str:
    """Describe the Python of a worker, in a task, as JSON. `asked`: names of modules, and paths, as JSON.

    This function must not use anything of kgreason.
    """
    import importlib
    import json
    import os
    import socket
    import sys

    missing, version = {}, ""
    names, paths = json.loads(asked)
    for name in names:
        try:
            module = importlib.import_module(name)
        except Exception as error:
            missing[name] = str(error) or type(error).__name__
        else:
            version = module.__version__ if name == "kgreason" else version
    told = {"host": socket.gethostname(), "python": sys.executable, "kgreason": version, "missing": missing}
    unseen = [path for path in paths if not os.path.exists(path)]
    return json.dumps(told | {"version": f"{sys.version_info[0]}.{sys.version_info[1]}", "unseen": unseen})
