"""Measures a command with all processes that it starts: seconds, and the peak memory of each kind of process.

The kinds are the command itself, executors of Spark with a Java of their own, other Java, and Python workers. The peak
of a kind is the largest sum of its processes at one moment. Memory is read from /proc, so this needs Linux. Cost: this
process looks at the processes five times a second.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from benchmarks.process import failed
from benchmarks.workspace import SkippedError

_PROC = Path("/proc")
_PAUSE = 0.2
ALL = "all"


class TreeOutcome(NamedTuple):
    """Seconds, peaks in bytes by kind, and what the command said.

    The kinds are `command`, `executors`, `java`, `workers`, and `all` of them at one moment.
    """

    seconds: float
    peaks: dict[str, int]
    said: str


def run_tree(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] = MappingProxyType({})
) -> TreeOutcome:
    """Run a command in a folder. Raises CommandError where it fails, SkippedError on another system."""
    if not _PROC.is_dir():
        raise SkippedError("the memory of processes is read from /proc, which this system does not have")
    log, output = folder / "errors.log", folder / "output.log"
    begun = time.perf_counter()
    with log.open("wb") as errors, output.open("wb") as out:
        variables = {**os.environ, **environment}
        process = subprocess.Popen(list(map(str, command)), cwd=folder, env=variables, stdout=out, stderr=errors)
    peaks: Counter[str] = Counter()
    while process.poll() is None:
        peaks |= _memory(process.pid)
        time.sleep(_PAUSE)
    seconds = time.perf_counter() - begun
    if process.returncode:
        raise failed(command, process.returncode, log.read_text(errors="replace"))
    return TreeOutcome(seconds, dict(peaks), output.read_text(errors="replace"))


def _memory(root: int) -> Counter[str]:
    """What a process and those that it started have now, in bytes by kind."""
    found: Counter[str] = Counter()
    for pid in _tree(root):
        try:
            name = (_PROC / str(pid) / "comm").read_text().strip()
            is_executor = name == "java" and b"ExecutorBackend" in (_PROC / str(pid) / "cmdline").read_bytes()
            pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue  # it has ended meanwhile
        kind = "command" if pid == root else "executors" if is_executor else "java" if name == "java" else "workers"
        found[kind] += pages * os.sysconf("SC_PAGE_SIZE")
    found[ALL] = sum(found.values())
    return found


def _tree(root: int) -> Iterator[int]:
    """A process and its descendants."""
    children: dict[int, list[int]] = {}
    for path in _PROC.iterdir():
        if path.name.isdigit():
            try:
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(path.name))
    waiting = [root]
    while waiting:
        yield (process := waiting.pop())
        waiting += children.get(process, [])
