"""`Sizes`: into how many parts facts are divided, and how large they may become. `fit_partitions`: those of shuffles.

    spark.kgreason.parts        the number of parts
    spark.kgreason.partMemory   the memory that the engine of a part may use, as `2g` or `500m`
    spark.kgreason.mostAlike    a value that more facts have in a place is divided (`rounds/plan`)

Without these settings there is a part for each core if there are many facts, or more parts if the facts do not fit into
the memory. The memory is a worker's `spark.executor.pyspark.memory` for each of its cores, without what Python and its
libraries take: Spark limits the address space. If nobody has said how much this is, a part may use what is free on its
machine.

Spark makes 200 parts of a shuffle, however small the data is, and each part is a task. In a session of `session`
kgreason makes four for each core, or one for each 64 MB of input if these are more. Sessions of others, and a number
that the user gave, stay as they are.

Cost: on Spark Connect a small job for the number of cores. The sizes of the input files are looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from kgreason.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BYTES = 200
"""About how many bytes an engine takes for a fact, at its peak. (Between rounds it has about 85 for LUBM.)"""
PREFIX = "spark.kgreason."
_LIBRARIES = 600 << 20
"""About how many bytes of address space a Python worker takes before it has facts; the libraries are 550 MB of them."""
_GROWTH = 3
"""About how many facts the largest part has in the end for each asserted fact of an average one: inferred facts,
copies, and more facts than in other parts. (Of 13 parts of 100 universities, with 1.06 million facts on average, one
got 2.3.)
"""
_FEW = 50_000
"""A part should have at least this many facts on average."""
_MOST = 4_000_000
"""A part should have at most this many asserted facts on average if nobody says how much memory it may use."""
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
SETTING = "spark.sql.shuffle.partitions"
_LIMIT = "spark.executor.pyspark.memory"
_FOR_A_CORE = 4
_FOR_A_PARTITION = 1 << 26
_OURS: WeakSet[Any] = WeakSet()
"""The sessions whose number of partitions kgreason chooses."""
_SIZE = re.compile(r"(\d+)([kmgt]?)b?", re.IGNORECASE)


class Sizes(NamedTuple):
    """The number of parts, the bytes that a part may use (0: what is free), and the largest number of alike facts."""

    parts: int
    memory: int
    most_alike: int


def sizes(spark: SparkSession, count: int, most_alike: int) -> Sizes:
    """Return the sizes for so many facts. `most_alike` holds if no setting says otherwise. Raises InputError."""
    memory = _bytes(spark, f"{PREFIX}partMemory") or worker_memory(spark)
    parts = _number(spark, f"{PREFIX}parts") or parts_for(count, _cores(spark), memory)
    return Sizes(parts, memory, _number(spark, f"{PREFIX}mostAlike") or most_alike)


def choose(spark: SparkSession) -> None:
    """Let `fit_partitions` choose the number of parts of a shuffle of this session, from now on."""
    _OURS.add(spark)
    fit_partitions(spark)


def fit_partitions(spark: SparkSession, files: Iterable[Path] = ()) -> None:
    """Set the number of parts of a shuffle, by the cores that have registered so far and by the sizes of files."""
    if spark in _OURS:
        size = sum(file.stat().st_size for file in files if file.is_file())
        spark.conf.set(SETTING, str(partitions(spark.sparkContext.defaultParallelism, size)))


def partitions(cores: int, size: int) -> int:
    """Return the number of parts of a shuffle for a number of cores and for input of `size` bytes.

    >>> partitions(2, 1000), partitions(2, 10 << 30)
    (8, 160)
    """
    return max(_FOR_A_CORE * cores, -(-size // _FOR_A_PARTITION))


def parts_for(count: int, cores: int, memory: int) -> int:
    """Return into how many parts `count` facts are divided. `memory`: the bytes for a part, or 0.

    >>> parts_for(1_000, 8, 0), parts_for(10_000_000, 8, 0), parts_for(10_000_000, 2, 1 << 30)
    (1, 8, 6)
    """
    most = memory // (BYTES * _GROWTH) if memory else _MOST
    return max(1, min(cores, count // _FEW), -(-count // max(1, most)))


def _cores(spark: SparkSession) -> int:
    """Return the number of cores, which is the number of partitions that Spark makes if nobody says otherwise."""
    if (context := getattr(spark, "_sc", None)) is not None:  # a session of Spark Connect has none
        return int(context.defaultParallelism)
    from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

    last: int = spark.range(10_000).select(F.spark_partition_id().alias("part")).agg(F.max("part")).collect()[0][0]
    return last + 1


def worker_memory(spark: SparkSession) -> int:
    """Return the bytes that facts may take for each core of an executor; 0 if no setting says how many Python may take.

    Raises InputError for a setting that leaves nothing for facts.
    """
    memory = _bytes(spark, _LIMIT, "m") // max(1, _number(spark, "spark.executor.cores"))
    if 0 < memory <= _LIBRARIES:
        raise InputError(
            f"{_LIMIT} gives Python {memory >> 20} MB for each core, and its libraries take {_LIBRARIES >> 20} MB: "
            "give at least 1g for each core, or leave the setting out"
        )
    return max(0, memory - _LIBRARIES)


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
