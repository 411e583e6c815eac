"""`is_spark_faster`: whether Spark pays for a bulk load (`--pipeline auto`). docs/spark.md has the figures behind it.

    command       in process it fits into memory   auto takes
    load          yes or no                        this process: the engine has to hold all facts in both cases
    materialize   yes                              this process: on one machine Spark takes several times as long
    materialize   no                               Spark: its tables are on disk

Cost: the sizes of the files, and a look at the memory that is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kgreason.cpus import free_memory

_PACKED = 12
"""A compressed file is about this much larger when it is unpacked."""
_NEEDED = 2
"""An in-process load needs about this many times the bytes of its N-Triples (measured: 1.8 for LUBM)."""
_BASE = 300 << 20
"""The memory that a process needs without data, in bytes."""
_SHARE = 0.9
"""The part of the free memory that an in-process load may need."""


def is_spark_faster(files: Sequence[str], *, keeps: bool) -> bool:
    """Whether Spark should load the files. `keeps`: the result is a store, which the engine of this process holds.

    >>> is_spark_faster([], keeps=False)
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
