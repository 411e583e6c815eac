"""Whole processes, measured from start to end: seconds and peak memory.

Commands run in the folder of the workspace, so that they name their files by bare names and can be printed as they
were run, and with compiled modules kept, as Python does where nobody has told it otherwise. Cost: a small process in
between (see `launch`), whose own start does not count.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.workspace import SkippedError

_HERE = Path(__file__).parent


class CommandError(Exception):
    """A command that failed; the message has its last words."""


class Outcome(NamedTuple):
    """What a command took: seconds, and its peak memory in bytes."""

    seconds: float
    peak: int


@contextmanager
def on_cores(number: int) -> Iterator[None]:
    """Let the processes that the block starts use only so many of the cores that this process may use.

    Raises SkippedError where a system cannot do that, or has fewer.
    """
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else set[int]()
    if len(allowed) < number:
        raise SkippedError(f"no processes can be kept on {number} cores here")
    os.sched_setaffinity(0, sorted(allowed)[:number])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def run(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> Outcome:
    """Run a command in a folder, its output thrown away. Raises CommandError where it fails."""
    launcher = [sys.executable, "-I", "-S", str(_HERE / "launch.py"), *map(str, command)]
    variables = {**os.environ, **(environment or {})}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(launcher, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise failed(command, done.returncode, done.stderr)
    return Outcome(**json.loads(done.stdout))


def failed(command: Sequence[str | Path], status: int, said: str) -> CommandError:
    """The error of a command that ended with a status, with the last of what it said."""
    last = (said.strip() or "it said nothing").splitlines()[-1]
    return CommandError(f"{shown(command)}: exit status {status}: {last}")


def kgreason(*arguments: str | Path) -> list[str | Path]:
    """The command line of the `kgreason` that is installed beside this Python. Raises SkippedError without one."""
    program = Path(sys.executable).with_name("kgreason")
    if not program.exists():
        raise SkippedError(f"{program} is missing")
    return [program, *arguments]


def rival(name: str, *arguments: str | Path) -> list[str | Path]:
    """The command line of the script `rivals/NAME.py`."""
    return [sys.executable, _HERE / "rivals" / f"{name}.py", *arguments]


def shown(command: Sequence[str | Path]) -> str:
    """A command as a reader would type it: programs and scripts by their names."""
    first, *others = command
    return shlex.join([Path(first).name, *(word.name if isinstance(word, Path) else word for word in others)])
