"""`RowsInFiles`: rows of Parquet files that tasks read themselves, because Java takes longer to hand rows to Python.

    files of a table -> shares: lists of ranges, one for each task, with about as many rows each -> batches -> a task

Law: the ranges of a table have each of its rows once. Cost: the footers of the files. A task decodes the rows before a
range in its group as well, which is at most 2.5 times the work of decoding alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from kgreason.spark.encode.groups import Batches

_ROWS, _RANGES = 1 << 19, 4
"""A share has about so many rows, or a quarter of a group of rows if this is more."""
_BUFFER = 1 << 20
"""Without a buffer, pyarrow holds all bytes of a group of rows."""


Task = Callable[[Batches], Iterator[pa.RecordBatch]]


class RowRange(NamedTuple):
    """Rows of a group of rows in a Parquet file: `size` rows, from the row `first` of the group."""

    file: str
    group: int
    first: int
    size: int

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows, with these columns."""
        low, high = self.first, self.first + self.size
        with pq.ParquetFile(self.file, buffer_size=_BUFFER) as file:
            for batch in file.iter_batches(row_groups=[self.group], columns=[*columns], use_threads=False):
                yield batch.slice(max(0, low), max(0, high - max(0, low)))
                low, high = low - len(batch), high - len(batch)
                if high <= 0:
                    return


class RowsInFiles(NamedTuple):
    """What `prepare` makes of some columns of local Parquet files, in tasks of Spark.

    With `firsts`, only those groups of rows are read whose first column begins with one of these numbers.
    """

    spark: SparkSession
    files: Sequence[str]
    columns: Sequence[str]
    prepare: Task
    firsts: Sequence[int] = ()

    def mapInArrow(self, task: Task, schema: str) -> DataFrame:  # noqa: N802 - the name of a method of a DataFrame
        """Return what `task` makes of the rows: rows of `schema`."""
        parts, columns, prepare = shares(self.files, self.firsts), self.columns, self.prepare

        def run(batches: Batches) -> Iterator[pa.RecordBatch]:
            numbers = chain.from_iterable(batch.column(0).to_pylist() for batch in batches)
            ranges = chain.from_iterable(map(parts.__getitem__, numbers))
            return task(prepare(chain.from_iterable(each.batches(columns) for each in ranges)))

        return self.spark.range(0, len(parts), 1, max(1, len(parts))).mapInArrow(run, schema)


def shares(files: Iterable[str], firsts: Sequence[int] = ()) -> list[list[RowRange]]:
    """Divide the rows of local Parquet files among tasks. `firsts`: see `RowsInFiles`."""
    found, rows = list[list[RowRange]](), _ROWS
    for each in _ranges(sorted(files), firsts):
        if rows + each.size > _ROWS:
            found.append([])
            rows = 0
        found[-1].append(each)
        rows += each.size
    return found


def _ranges(files: Iterable[str], firsts: Sequence[int]) -> Iterator[RowRange]:
    for file in files:
        footer = pq.read_metadata(file)
        for group in range(footer.num_row_groups):
            if firsts and footer.row_group(group).column(0).statistics.min not in firsts:
                continue
            rows = footer.row_group(group).num_rows
            size = max(_ROWS, -(-rows // _RANGES))
            yield from (RowRange(file, group, first, min(size, rows - first)) for first in range(0, rows, size))
