"""`pays`: whether Spark pays for a bulk load, for `--pipeline auto`. docs/spark.md has the figures behind the rule.

    command       in process it fits into memory   auto takes
    load          yes or no                        this process: the engine has to hold all facts in both cases
    materialize   yes                              this process: on one machine Spark takes several times as long
    materialize   no                               Spark: its tables are on disk

Cost: the sizes of the files, and a look at the memory that is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from kgreason import cpus

_PACKED = 12
"""A compressed file is about this much larger when it is unpacked."""
_NEEDED = 2
"""An in-process load needs about this many times the bytes of its N-Triples (measured: 1.8 for LUBM)."""
_BASE = 300 << 20
"""The memory that a process needs without data, in bytes."""
_SHARE = 0.9
"""The part of the free memory that an in-process load may need."""
_MEMORY, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def pays(files: Sequence[str], *, keeps: bool) -> bool:
    """Whether Spark should load the files. `keeps`: the result is a store, which the engine of this process holds.

    >>> pays([], keeps=False)
    False
    """
    return not keeps and bytes_needed(unpacked_size(files)) > free_memory() * _SHARE


def bytes_needed(size: int) -> int:
    """Estimate how many bytes of memory an in-process load of `size` bytes of N-Triples needs at its peak."""
    return _BASE + _NEEDED * size


def unpacked_size(files: Sequence[str]) -> int:
    """Estimate how many bytes the files have together after unpacking. Only local files count."""
    paths = [path for path in map(Path, files) if path.is_file()]
    return sum(path.stat().st_size * (_PACKED if path.suffix in (".gz", ".bz2", ".xz") else 1) for path in paths)


def free_memory(memory: Path = _MEMORY, group: Path = _GROUP) -> int:
    """Return how many bytes of memory this process can get: those of the machine, or of its container if fewer.

    `memory` is the file in which Linux tells the memory of the machine. `group` is the folder of the control group.
    Without these files, the whole memory of the machine counts as free.
    """
    return min([_of_machine(memory), *_of_group(group)])


def _of_machine(memory: Path) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in memory.read_text("utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return cpus.memory()


def _of_group(group: Path) -> Iterator[int]:
    """Yield the memory that the control group may still take, unless it has no limit.

    The pages of files that nobody has read lately are free: Linux gives them back when memory is short.
    """
    with suppress(OSError, ValueError):
        limit, used = ((group / name).read_text("utf-8").strip() for name in ("memory.max", "memory.current"))
        if limit != "max":
            yield max(0, int(limit) - int(used) + _of_files(group / "memory.stat"))


def _of_files(counts: Path) -> int:
    """Return how many bytes of a control group are pages of files that Linux can give back; 0 if nobody knows."""
    with suppress(OSError, ValueError):
        rows = dict(line.split() for line in counts.read_text("utf-8").splitlines())
        return int(rows.get("inactive_file", 0))
    return 0
