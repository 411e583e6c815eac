"""Read Parquet files of quads into arrays, through Arrow; `texts_of` reads the texts of a few terms.

    groups (group, first, texts) and (group, quads)   ->  interned; quads int32[n, 4], with ids of the dictionary

Left is a table of Spark with its columns, right the array. Cost: each column is copied once, some cells at a time, and
each term is hashed once for each group. This process reads the files that Spark wrote, so both must see the folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from kgreason.spark.encode.groups import ids_by_local, unpack_quads
from kgreason.spark.input.terms import intern_cell
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

_CELLS = 1 << 8
"""The number of cells that are read at a time."""
_FEW = 400
"""So many values are a condition of a query, which takes a job less than a join."""
_QUAD = 16
"""The number of bytes of a quad in the table `grouped`."""


def quads_of_groups(groups: ds.Dataset, dictionary: Dictionary) -> Int32:
    """Intern the terms of the table `grouped` (`groups.GROUPED`), and return its quads, int32[n, 4].

    Raises LimitError if ids run out.
    """
    slices = defaultdict[int, list[tuple[int, Int32]]](list)
    for group, first, cell in _cells(groups, "group", "first", "texts"):
        slices[group].append((first, intern_cell(cell, dictionary)))
    ids = {group: ids_by_local(own) for group, own in slices.items()}
    size = pc.binary_length(ds.field("quads"))  # null in rows that have no quads
    sizes = groups.scanner({"size": size}, size > 0).to_table().column("size").to_numpy()
    rows = np.empty((int(sizes.sum(dtype=np.int64)) // _QUAD, 4), dtype=np.int32)
    done = 0
    for group, cell in _cells(groups, "group", "quads"):
        quads = unpack_quads(cell).T
        rows[done : done + len(quads)] = ids[group][quads]
        done += len(quads)
    return rows


def _cells(groups: ds.Dataset, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of these columns of a table whose last one is not null."""
    chosen = ds.field(columns[-1]).is_valid()
    for batch in groups.to_batches(list(columns), chosen, _CELLS, batch_readahead=2, fragment_readahead=1):
        yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def texts_of(terms: DataFrame, ids: Iterable[int]) -> dict[int, str]:
    """Return the texts of a few terms, by their ids. `terms` has the columns id int, text string."""
    wanted = pa.array(ids, pa.int32())
    if not len(wanted):
        return {}
    named = rows_among(terms, "id", wanted).select("id", "text").toArrow()
    return dict(zip(*(column.to_pylist() for column in named.columns), strict=True))


def rows_among(table: DataFrame, column: str, values: pa.Array) -> DataFrame:
    """Return the rows of a table whose value in a column is one of `values`. Few values go into the query itself."""
    if len(values) <= _FEW:
        return table.where(F.col(column).isin(values.to_pylist()))
    return table.join(F.broadcast(table.sparkSession.createDataFrame(pa.table({column: values}))), column)


def rows_of(table: DataFrame) -> Int32:
    """Bring a few rows of ids to the driver: int32[n, w]."""
    columns = [column.to_numpy() for column in table.toArrow().columns]
    return np.column_stack(columns).astype(np.int32)
