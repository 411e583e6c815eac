"""Facts on their way between parts: Parquet files in the folder of a round.

    round-0/placed-3-7-0.parquet    facts that attempt 7, of task 3, has placed
    round-2/from-5.parquet          facts that part 5 has for other parts after round 1, and its news

A file has rows `part, flag, tbl, c0..`, sorted by `part`, with groups of rows for each part. So a part reads its rows
alone, and Spark reads the news alone (`plan.NEWS`). A file appears when it is complete. Law: a round is the set of its
rows; a file that a task writes again adds nothing.

Driver and workers must see the same folder. Cost: a part opens each file of a round. Columns of ids have no dictionary:
they are written three times as fast, and lz4 makes them as small.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kgreason.zset.columns import Int32, Int64

_GROUP = 1 << 18
"""So many rows are a group at most, so that several tasks of Spark can read the news of a part."""


def write(path: Path, rows: Int32, parts: Int64) -> None:
    """Write facts, int32[n, 2 + w], for the parts int64[n]."""
    keys = parts - parts.min(initial=0)
    order = np.argsort(keys.astype(np.min_scalar_type(keys.max(initial=0))), kind="stable")  # small numbers sort faster
    rows, parts = rows[order], parts[order]
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid4().hex}")
    starts = np.flatnonzero(np.r_[True, parts[1:] != parts[:-1]][: len(parts)])
    schema = pa.schema([(name, pa.int32()) for name in names(rows.shape[1] - 2)])
    with pq.ParquetWriter(beside, schema, compression="lz4", use_dictionary=False) as writer:
        for low, high in zip(starts, [*starts[1:], len(rows)][: len(starts)], strict=True):
            writer.write_table(_table(rows[low:high], parts[low:high]), _GROUP)
    os.replace(beside, path)


def read(folder: Path, part: int, width: int) -> Int32:
    """Return the facts for a part in the files of a round: int32[n, 2 + w], some of them twice. `width`: w."""
    return np.concatenate([np.empty((0, 2 + width), dtype=np.int32), *pieces(folder, part)])


def pieces(folder: Path, part: int) -> Iterator[Int32]:
    """Yield the facts that `read` returns, those of a group of rows at a time."""
    for path in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for number in range(file.metadata.num_row_groups):
                if file.metadata.row_group(number).column(0).statistics.min == part:
                    columns = file.read_row_group(number).columns[1:]
                    yield np.column_stack([column.to_numpy() for column in columns])


def read_texts(folder: Path, part: int) -> tuple[list[int], list[str]]:
    """Return the ids and the texts of the terms for a part. Spark has written a folder for each part."""
    paths = sorted(folder.glob(f"part={part}/*.parquet"))
    tables = [pq.ParquetFile(path).read(columns=["id", "text"]) for path in paths]
    rows = pa.concat_tables(tables) if tables else pa.table({"id": [], "text": []})
    return rows["id"].to_pylist(), rows["text"].to_pylist()


def names(width: int) -> list[str]:
    """Return the names of the columns of facts for parts. `width`: the number of columns of a fact."""
    return ["part", "flag", "tbl", *(f"c{number}" for number in range(width))]


def _table(rows: Int32, parts: Int64) -> pa.Table:
    columns = [parts.astype(np.int32), *rows.T]
    return pa.table([pa.array(np.ascontiguousarray(column)) for column in columns], names=names(rows.shape[1] - 2))
