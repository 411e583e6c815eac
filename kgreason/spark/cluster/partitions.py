"""`fit`: gives a session of `session` as many parts of a shuffle as its cores and its data need.

Spark makes 200 parts, however small the data is, and each part is a task. kgreason makes four for each core, or one for
each 64 MB of input if these are more. Sessions of others, and a number that the user gave, stay as they are.

Cost: the sizes of the files are looked up.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTING = "spark.sql.shuffle.partitions"
_FOR_A_CORE = 4
_BYTES = 1 << 26
_OURS: WeakSet[Any] = WeakSet()
"""The sessions whose number of parts kgreason chooses."""


def choose(spark: SparkSession) -> None:
    """Let `fit` choose the number of parts of this session, from now on."""
    _OURS.add(spark)
    fit(spark)


def fit(spark: SparkSession, files: Iterable[Path] = ()) -> None:
    """Set the number of parts of a shuffle, by the cores that have registered so far and by the sizes of files."""
    if spark in _OURS:
        size = sum(file.stat().st_size for file in files if file.is_file())
        spark.conf.set(SETTING, str(partitions(spark.sparkContext.defaultParallelism, size)))


def partitions(cores: int, size: int) -> int:
    """Return the number of parts for a number of cores and for input of `size` bytes.

    >>> partitions(2, 1000), partitions(2, 10 << 30)
    (8, 160)
    """
    return max(_FOR_A_CORE * cores, -(-size // _BYTES))
