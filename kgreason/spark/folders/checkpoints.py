"""Levels on disk. Each level is written and read back, so that Spark does not compute it again.

    folder/level-0/facts   folder/level-0/gains   folder/level-0/whole   folder/level-1/facts   ...

A level is *whole* if it was written completely. `whole` is a table of one row, written after the other tables of its
level. The row has a token, the fingerprint of the computation, and the number of facts. The token is a random text of
the run; a run that continues an interrupted run keeps its token. A level is used only if `whole` has the right
fingerprint and the token of the levels before it. So all levels are of the same program, and none is left over from an
older run. Cost: four small jobs for each level, or one in local mode (`markers`).
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.folders.markers import count_rows, mark, marked, parquet
from kgreason.spark.start.failures import clear_errors

_WHOLE = "token string, fingerprint string, rows bigint"


class Levels:
    """The levels of one computation, written below a folder. `sizes` has the number of facts of each whole level.

    If an earlier run of the same computation was interrupted, its whole levels are used again. `fingerprint` is a
    digest that identifies the computation.
    """

    def __init__(self, spark: SparkSession, folder: str, fingerprint: str) -> None:
        self.spark, self._folder, self._fingerprint = spark, folder.rstrip("/"), fingerprint
        self._token = ""
        self.sizes: list[int] = []
        while self._takes_up(len(self.sizes)):
            pass
        self._token = self._token or uuid.uuid4().hex

    def _takes_up(self, level: int) -> bool:
        """Use a level that an earlier run of this computation has completed. Returns whether there is such a level."""
        marker = self._marker(_level(level))
        if marker is None:
            return False
        self._token = marker.token
        self.sizes.append(marker.rows)
        return True

    def _marker(self, part: str) -> Any:
        """Return the row of the table `whole` in the subfolder `part`. There is one for each level and for the result.

        Returns None if the tables there are not whole, or belong to another computation.
        """
        found = marked(self.spark, self._path(part, "whole"), _WHOLE)
        is_mine = found and found.fingerprint == self._fingerprint and self._token in ("", found.token)
        return found if is_mine else None

    def write(self, facts: DataFrame, **others: DataFrame) -> int:
        """Write the next level: its table `facts`, and its other tables by name. Returns the number of facts.

        Tables of this level that an interrupted run has left are replaced.
        """
        self.sizes.append(self._write(_level(len(self.sizes)), facts, others))
        return self.sizes[-1]

    def close(self, make: Callable[[], DataFrame], schema: str) -> DataFrame:
        """Return the result of the computation, read from the folder. `schema` is the schema of the result.

        If no earlier run has completed the result, `make` computes it, and it is written first.
        """
        if self._marker("result") is None:
            self._write("result", make(), {})
        return parquet(self.spark, schema, self._path("result", "facts"))

    def _write(self, part: str, facts: DataFrame, others: Mapping[str, DataFrame]) -> int:
        whole = self._path(part, "whole")
        with clear_errors(self._folder):
            if marked(self.spark, whole, _WHOLE):  # of another computation: writing makes its tables unfinished
                mark(self.spark, whole, _WHOLE, None)
            for name, frame in {"facts": facts, **others}.items():
                frame.write.mode("overwrite").parquet(self._path(part, name))
            rows = count_rows(self.spark, self._path(part, "facts"), facts)
            mark(self.spark, whole, _WHOLE, (self._token, self._fingerprint, rows))
        return rows

    @property
    def all(self) -> range:
        """The numbers of the whole levels."""
        return range(len(self.sizes))

    def read(self, levels: Iterable[int], schema: str, name: str = "facts") -> DataFrame:
        """Return the rows of the table `name` of all given levels, in one DataFrame; no rows if `levels` is empty."""
        paths = [self._path(_level(level), name) for level in levels]
        return parquet(self.spark, schema, *paths) if paths else self.spark.createDataFrame([], schema)

    def _path(self, part: str, name: str) -> str:
        return f"{self._folder}/{part}/{name}"


def _level(number: int) -> str:
    return f"level-{number}"


def fingerprint(program: object, *frames: DataFrame) -> str:
    """Return a digest of a program and of the rows of DataFrames. The digest does not depend on the order of rows.

    Cost: one pass over the rows.
    """
    digest = hashlib.sha256(repr(program).encode())
    for frame in frames:
        value = F.xxhash64(*sorted(frame.columns))
        parts = (F.count("*"), F.bit_xor(value), F.sum(F.shiftright(value, 24)))  # a sum of so few bits stays a bigint
        digest.update(repr(tuple(frame.agg(*parts).collect()[0])).encode())
    return digest.hexdigest()
