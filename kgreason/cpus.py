"""`cpus`: the number of CPUs that this process may use. `memory`: how much memory; `free_memory`: how much is free.

Two limits hold on Linux: the affinity of the process (`taskset`), and the quotas of its control groups, as a container
with `--cpus 2` and `--memory 4g` has. A quota of 1.5 CPUs counts as 2. Elsewhere all CPUs and all memory of the machine
count.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from math import ceil
from pathlib import Path, PurePosixPath

_GROUPS, _OWN, _FREE = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"), Path("/proc/meminfo")
_UNLIMITED = "max", "-1"


@cache
def memory() -> int:
    """Return how many bytes of memory this process may use. Not for Windows."""
    return min([os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), *memory_quotas(_GROUPS, _OWN)])


def cpus() -> int:
    """Return the number of CPUs that this process may use: 1 or more. It is read anew at each call."""
    return max(1, min([_affinity(), *map(ceil, quotas(_GROUPS, _OWN))]))


def _affinity() -> int:
    """Return the number of CPUs that the affinity of the process allows."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def quotas(groups: Path, own: Path) -> Iterator[float]:
    """Yield the quota of each control group that this process is in, as a number of CPUs.

    `groups`: the folder where control groups are mounted. `own`: the file that names the groups of this process. A
    group is limited by those that contain it, so each of them counts. Files that are missing set no limit.
    """
    for work, period in _numbers_in(groups, own, "cpu", ("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        yield work / period  # microseconds of work, and the period that they are allowed in


def memory_quotas(groups: Path, own: Path) -> Iterator[int]:
    """Yield the quota of memory of each control group that this process is in, in bytes; see `quotas`."""
    for (size,) in _numbers_in(groups, own, "memory", ("memory.max",), ("memory.limit_in_bytes",)):
        yield size


def _numbers_in(
    groups: Path, own: Path, kind: str, names: tuple[str, ...], old_names: tuple[str, ...]
) -> Iterator[list[int]]:
    """Yield the numbers in the files `names` of each control group, or `old_names` in groups of version 1.

    A group without a quota is left out.
    """
    with suppress(OSError, ValueError):
        for line in own.read_text("utf-8").splitlines():
            _, kinds, path = line.split(":", 2)
            if kinds and kind not in kinds.split(","):
                continue
            inner = PurePosixPath(path.lstrip("/"))
            for group in (inner, *inner.parents):
                with suppress(OSError, ValueError):
                    files = [groups / kinds / group / name for name in (old_names if kinds else names)]
                    words = " ".join(file.read_text("utf-8") for file in files).split()
                    if words[0] not in _UNLIMITED:
                        yield list(map(int, words))


def free_memory(free: Path = _FREE, group: Path = _GROUPS) -> int:
    """Return how many bytes of memory this process can get: those of the machine, or of its container if fewer.

    `free` is the file in which Linux tells the memory of the machine. `group` is the folder of the control group.
    Without these files, the whole memory of the machine counts as free.
    """
    return min([_free_of_machine(free), *_free_of_group(group)])


def _free_of_machine(free: Path) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in free.read_text("utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return memory()


def _free_of_group(group: Path) -> Iterator[int]:
    """Yield the memory that the control group may still take, unless it has no limit.

    The pages of files that nobody has read lately are free: Linux gives them back when memory is short.
    """
    with suppress(OSError, ValueError):
        limit, used = ((group / name).read_text("utf-8").strip() for name in ("memory.max", "memory.current"))
        if limit != "max":
            yield max(0, int(limit) - int(used) + _cached_bytes(group / "memory.stat"))


def _cached_bytes(counts: Path) -> int:
    """Return how many bytes of a control group are pages of files that Linux can give back; 0 if nobody knows."""
    with suppress(OSError, ValueError):
        rows = dict(line.split() for line in counts.read_text("utf-8").splitlines())
        return int(rows.get("inactive_file", 0))
    return 0
