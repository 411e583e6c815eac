"""Read Parquet files of quads into arrays, through Arrow; `texts_of` reads the texts of a few terms.

    groups (group, local, text) and (group, quads)   ->  interned; quads int32[n, 4], with ids of the dictionary

Left is a table of Spark with its columns, right the array. Cost: each column is copied once, a batch at a time, and
each term is hashed once for each group. This process reads the files that Spark wrote, so both must see the folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from kgreason.spark.encode.groups import unpacked
from kgreason.spark.input.terms import interned
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

_ROWS = 1 << 18
"""The number of rows that are read at a time."""
_QUAD = 16
"""The number of bytes of a quad in the table `grouped`."""


def quads_of_groups(groups: ds.Dataset, dictionary: Dictionary) -> Int32:
    """Intern the terms of the table `grouped` (`groups.GROUPED`), and return its quads, int32[n, 4].

    Raises LimitError if ids run out.
    """
    ids = _ids_of_groups(groups, dictionary)
    size = pc.binary_length(ds.field("quads"))  # null in rows that have no quads; 0 for lines of comments alone
    sizes = groups.scanner({"size": size}, size > 0).to_table().column("size").to_numpy()
    rows = np.empty((int(sizes.sum(dtype=np.int64)) // _QUAD, 4), dtype=np.int32)
    done = 0
    for batch in _batches(groups, ["group", "quads"], size > 0):
        for group, packed in zip(batch.column("group").to_pylist(), batch.column("quads").to_pylist(), strict=True):
            quads = unpacked(packed).T
            rows[done : done + len(quads)] = ids[group][quads]
            done += len(quads)
    return rows


def _ids_of_groups(groups: ds.Dataset, dictionary: Dictionary) -> dict[int, Int32]:
    """Intern the texts of the table `grouped`. Returns int32[n] for each group: the id for each local id, 0 for 0."""
    found: dict[int, list[tuple[Int32, Int32]]] = defaultdict(list)
    for batch in _batches(groups, ["group", "local", "text"], ds.field("text").is_valid()):
        local, ids = _integers(batch.column("local")), interned(batch.column("text"), dictionary)
        runs = pc.run_end_encode(batch.column("group"), pa.int32())
        start = 0
        for group, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            found[group].append((local[start:end], ids[start:end]))
            start = end
    return {group: _by_local(parts) for group, parts in found.items()}


def _by_local(parts: list[tuple[Int32, Int32]]) -> Int32:
    by_local = np.zeros(1 + max(int(local.max()) for local, _ in parts), dtype=np.int32)
    for local, ids in parts:
        by_local[local] = ids
    return by_local


def texts_of(terms: DataFrame, ids: Iterable[int]) -> dict[int, str]:
    """Return the texts of a few terms, by their ids. `terms` has the columns id int, text string."""
    wanted = pa.table({"id": pa.array(ids, pa.int32())})
    if not len(wanted):
        return {}
    named = terms.join(F.broadcast(terms.sparkSession.createDataFrame(wanted)), "id").select("id", "text").toArrow()
    return dict(zip(*(column.to_pylist() for column in named.columns), strict=True))


def rows_of(table: DataFrame) -> Int32:
    """Bring a few rows of ids to the driver: int32[n, w]."""
    columns = [column.to_numpy() for column in table.toArrow().columns]
    return np.column_stack(columns).astype(np.int32)


def files_of(table: DataFrame) -> ds.Dataset:
    """Return an Arrow dataset that reads the Parquet files behind a DataFrame."""
    return ds.dataset([unquote(name.removeprefix("file://")) for name in table.inputFiles()], format="parquet")


def _batches(data: ds.Dataset, columns: list[str], chosen: ds.Expression | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a dataset, or only those that the expression `chosen` is true for."""
    yield from data.to_batches(columns, chosen, _ROWS, batch_readahead=2, fragment_readahead=1)


def _integers(column: pa.Array) -> Int32:
    found: Int32 = column.to_numpy(zero_copy_only=False)
    return found
