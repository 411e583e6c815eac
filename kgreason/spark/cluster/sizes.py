"""`Sizes`: into how many parts facts are divided, and how large a part may become.

    spark.kgreason.parts        the number of parts
    spark.kgreason.partMemory   the memory that the engine of a part may use, as `2g` or `500m`
    spark.kgreason.mostAlike    a value that more facts have in a place is divided (`rounds/plan`)

Without these settings there is a part for each core if there are many facts, or more parts if the facts do not fit into
the memory. The memory is a worker's `spark.executor.pyspark.memory` for each of its cores. If nobody has said how much
this is, a part may use what is free on its machine.

Cost: on Spark Connect a small job for the number of cores.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import InputError

BYTES = 200
"""About how many bytes an engine takes for a fact, at its peak. (Between rounds it has about 85 for LUBM.)"""
PREFIX = "spark.kgreason."
_GROWTH = 2
"""About how many facts a part has at the end for each asserted fact: inferred facts, and copies."""
_FEW = 50_000
"""A part should have at least this many facts on average."""
_MOST = 4_000_000
"""A part should have at most this many asserted facts on average if nobody says how much memory it may use."""
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(r"(\d+)([kmgt]?)b?", re.IGNORECASE)


class Sizes(NamedTuple):
    """The number of parts, the bytes that a part may use (0: what is free), and the largest number of alike facts."""

    parts: int
    memory: int
    most_alike: int


def sizes(spark: SparkSession, count: int, most_alike: int) -> Sizes:
    """Return the sizes for so many facts. `most_alike` holds if no setting says otherwise. Raises InputError."""
    memory = _bytes(spark, f"{PREFIX}partMemory") or _worker_memory(spark)
    parts = _number(spark, f"{PREFIX}parts") or parts_for(count, _cores(spark), memory)
    return Sizes(parts, memory, _number(spark, f"{PREFIX}mostAlike") or most_alike)


def free() -> int:
    """Return the number of bytes that are free on this machine, or for this container, at least 1; 0 if nobody tells.

    Files that the system keeps in memory count as free, because it drops them first.
    """
    found = list[int]()
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        found[:] = [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        limit, used = (int((group / f"memory.{name}").read_text("ascii")) for name in ("max", "current"))
        lines = (group / "memory.stat").read_text("ascii").splitlines()
        files = sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
        found.append(limit - used + files)
    return max(1, min(found)) if found else 0


def parts_for(count: int, cores: int, memory: int) -> int:
    """Return into how many parts `count` facts are divided. `memory`: the bytes for a part, or 0.

    >>> parts_for(1_000, 8, 0), parts_for(10_000_000, 8, 0), parts_for(10_000_000, 2, 1 << 30)
    (1, 8, 4)
    """
    most = memory // (BYTES * _GROWTH) if memory else _MOST
    return max(1, min(cores, count // _FEW), -(-count // max(1, most)))


def _cores(spark: SparkSession) -> int:
    """Return the number of cores, which is the number of partitions that Spark makes if nobody says otherwise."""
    if (context := getattr(spark, "_sc", None)) is not None:  # a session of Spark Connect has none
        return int(context.defaultParallelism)
    last: int = spark.range(10_000).select(F.spark_partition_id().alias("part")).agg(F.max("part")).collect()[0][0]
    return last + 1


def _worker_memory(spark: SparkSession) -> int:
    """Return the bytes that Python may use for each core of an executor; 0 if no setting says so."""
    return _bytes(spark, "spark.executor.pyspark.memory", "m") // max(1, _number(spark, "spark.executor.cores"))


def _number(spark: SparkSession, name: str) -> int:
    text = spark.conf.get(name, "0") or "0"
    if not text.isdigit():
        raise InputError(f"{name} must be a number; got {text}")
    return int(text)


def _bytes(spark: SparkSession, name: str, unit: str = "") -> int:
    """Return the value of a setting in bytes. `unit` is the unit of a number without one."""
    text = spark.conf.get(name, "0") or "0"
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{name} must be a size as 500m or 2g; got {text}")
    return int(found[1]) * _UNITS[found[2].lower() or unit]
