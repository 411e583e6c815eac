"""Commands of a fresh installation: the seconds that a user waits, from the wheel that `scripts/wheel` builds.

The wheel is installed into a new environment with its dependencies, which pip takes from its index or its cache. No
cache of kernels exists there: NUMBA_CACHE_DIR is an empty folder. Without a network, or without the Python that is
asked for, these benchmarks are skipped. Cost: a minute for the wheel, half a minute for each environment.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median

from benchmarks.installation import environment, installed, output_of
from benchmarks.lubm import ONTOLOGY
from benchmarks.model import Measurement
from benchmarks.process import run, shown
from benchmarks.timing import alternate
from benchmarks.workspace import SkippedError, Workspace

_FAMILY = "family.ttl"
_ROUNDS = 7
_PAIRS = 5

Command = list[str | Path]


def first_command(workspace: Workspace) -> Measurement:
    """The first command after `pip install`, with this version of Python."""
    return _first(workspace, sys.executable)


def first_command_313(workspace: Workspace) -> Measurement:
    """The same with Python 3.13, from the same wheel."""
    python = "python3.13"
    if shutil.which(python) is None or subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode:
        raise SkippedError("Python 3.13 is not installed")
    return _first(workspace, python)


def _first(workspace: Workspace, python: str) -> Measurement:
    command = _materialize(workspace, installed(workspace, python, workspace.fresh("first")))
    seconds = run(command, workspace.folder, _uncached(workspace)).seconds
    return Measurement(seconds, "one run, in a new environment", commands=(shown(command),))


def second_command(workspace: Workspace) -> Measurement:
    """The same command again."""
    command = _materialize(workspace, environment(workspace))
    return _seconds(workspace, lambda: command)


def edit(workspace: Workspace) -> Measurement:
    """`kgreason update` adds a triple to a store of LUBM(5,0), which was loaded and closed before."""
    program, store = environment(workspace) / "bin" / "kgreason", workspace.fresh("store").name
    files = (workspace.lubm(5).name, workspace.ontology(ONTOLOGY).name)
    run([program, "load", "-l", store, "-f", *files, "--rules", "owl2rl"], workspace.folder, _uncached(workspace))
    numbers = count()

    def command() -> Command:
        friend = f"<http://example.org/bench/friend{next(numbers)}>"
        text = f"INSERT DATA {{ <http://example.org/bench/me> <http://xmlns.com/foaf/0.1/knows> {friend} }}"
        return [program, "update", "-l", store, "--update", text]

    return _seconds(workspace, command)


def importing(workspace: Workspace) -> Measurement:
    """`import kgreason`, the start of Python included."""
    command: Command = [environment(workspace) / "bin" / "python", "-c", "import kgreason"]
    return _seconds(workspace, lambda: command)


def kernels(workspace: Workspace) -> Measurement:
    """A Bootstrap with the kernels of the wheel over one with kernels that Numba compiles for this processor."""
    command: Command = [environment(workspace) / "bin" / "python", Path(__file__).with_name("closing.py")]

    def seconds(choice: str) -> float:
        return float(median(json.loads(output_of(command, {**_uncached(workspace), "KGREASON_KERNELS": choice}))))

    for choice in ("library", "numba"):
        seconds(choice)
    pairs = alternate(lambda: seconds("library"), lambda: seconds("numba"), _PAIRS)
    return Measurement(pairs.ratio, f"medians of three in a process, {pairs}", commands=(shown(command),))


def _materialize(workspace: Workspace, environment: Path) -> Command:
    name = workspace.ontology(_FAMILY).name
    return [environment / "bin" / "kgreason", "materialize", name, "--rules", "owl2rl", "-o", "family.nt"]


def _seconds(workspace: Workspace, command: Callable[[], Command]) -> Measurement:
    """The median of some processes; one before them does not count."""
    run(command(), workspace.folder, _uncached(workspace))
    seconds = [run(command(), workspace.folder, _uncached(workspace)).seconds for _ in range(_ROUNDS)]
    how = f"median of {_ROUNDS} processes, {min(seconds):.2f} to {max(seconds):.2f} s"
    return Measurement(median(seconds), how, commands=(shown(command()),))


def _uncached(workspace: Workspace) -> dict[str, str]:
    return {"NUMBA_CACHE_DIR": str(workspace.folder / "kernels")}
