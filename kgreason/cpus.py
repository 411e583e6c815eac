"""`cpus`: the number of CPUs that this process may use. `memory`: the size of the machine's memory.

Two limits hold on Linux: the affinity of the process (`taskset`), and the quota of its control groups, as a container
with `--cpus 2` has. A quota of 1.5 CPUs counts as 2. Elsewhere all CPUs of the machine count.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path, PurePosixPath

_GROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
_UNLIMITED = "max", "-1"


def memory() -> int:
    """Return the size of the machine's memory in bytes. Not for Windows."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def cpus() -> int:
    """Return the number of CPUs that this process may use: 1 or more. It is read anew at each call."""
    return max(1, min([_allowed(), *map(ceil, quotas(_GROUPS, _OWN))]))


def _allowed() -> int:
    """Return the number of CPUs that the affinity of the process allows."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def quotas(groups: Path, own: Path) -> Iterator[float]:
    """Yield the quota of each control group that this process is in, as a number of CPUs.

    `groups`: the folder where control groups are mounted. `own`: the file that names the groups of this process. A
    group is limited by those that contain it, so each of them counts. Files that are missing set no limit.
    """
    with suppress(OSError, ValueError):
        for line in own.read_text("utf-8").splitlines():
            _, kinds, path = line.split(":", 2)
            if not kinds:
                yield from _found(groups, path, ("cpu.max",))
            elif "cpu" in kinds.split(","):
                yield from _found(groups / kinds, path, ("cpu.cfs_quota_us", "cpu.cfs_period_us"))


def _found(root: Path, path: str, names: tuple[str, ...]) -> Iterator[float]:
    """Yield the quota of the group `path` below `root`, and of the groups that contain it.

    The files `names` of a group have two words: microseconds of work, and the period that they are allowed in.
    """
    inner = PurePosixPath(path.lstrip("/"))
    for group in (inner, *inner.parents):
        with suppress(OSError, ValueError):
            work, period = " ".join((root / group / name).read_text("utf-8") for name in names).split()
            if work not in _UNLIMITED:
                yield int(work) / int(period)
