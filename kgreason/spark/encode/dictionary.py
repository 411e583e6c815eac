"""Read Parquet files of terms, facts and quads into the arrays of the dictionary and of the engine, through Arrow.

    terms (id, text)                                 ->  interned; int32[n], the dictionary's id for each id of Spark
    facts (tbl, c0.., stamp, support, asserted)      ->  records int32[n, 3 + w]
    quads (s, p, o, g)                               ->  int32[n, 4]
    groups (group, local, text) and (group, quads)   ->  interned; quads int32[n, 4], with ids of the dictionary

Left are tables of Spark with their columns, right the arrays. A *record* is a row of the engine's fact table. Law: the
records equal the records that a Bootstrap of the engine would make, except for the order of rows and the ids. No rule
is evaluated here (docs/architecture/spark.md). Cost: each column is copied once, a batch at a time, and each
term is hashed once; a term of `groups` once for each group. This process reads the files that Spark wrote, so both must
see the folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyspark.sql import DataFrame

from kgreason.engine.records import made, room
from kgreason.spark.encode.groups import unpacked
from kgreason.spark.input.terms import interned
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

_ROWS = 1 << 18
"""The number of rows that are read at a time."""
_QUAD = 16
"""The number of bytes of a quad in the table `grouped`."""


def intern_terms(terms: ds.Dataset, others: dict[int, str], dictionary: Dictionary) -> Int32:
    """Intern terms of Spark in the dictionary: those of `terms` (columns id, text), and `others` (id -> text).

    Returns int32[n]: at index i is the dictionary's id for Spark's id i. Raises LimitError if ids run out.
    """
    ids = np.zeros(1, dtype=np.int32)
    for batch in _batches(terms, ["id", "text"]):
        numbers = _integers(batch.column("id"))
        if len(numbers) and (largest := int(numbers.max())) >= len(ids):
            grown = np.zeros(max(largest + 1, 2 * len(ids)), dtype=np.int32)
            grown[: len(ids)] = ids
            ids = grown
        ids[numbers] = interned(batch.column("text"), dictionary)
    ids = np.concatenate([ids, np.zeros(max([0, *others]), dtype=np.int32)])
    ids[[*others]] = dictionary.intern(others.values())
    return ids


def records_of(facts: ds.Dataset, width: int, ids: Int32) -> Int32:
    """Turn facts of Spark into records, which are rows of the engine's fact table: int32[n, 3 + width].

    At index i, `ids` has the dictionary's id for Spark's id i. `width` is the number of columns `c0..`.
    """
    names = [f"c{column}" for column in range(width)]
    records, done = room(facts.count_rows(), width), 0
    for batch in _batches(facts, ["tbl", "stamp", "support", "asserted", *names]):
        columns = np.empty((batch.num_rows, width), dtype=np.int32)
        for column, name in enumerate(names):
            columns[:, column] = ids[_integers(batch.column(name))]
        tables, stamps, supports = (_integers(batch.column(name)) for name in ("tbl", "stamp", "support"))
        asserted = _integers(batch.column("asserted").cast(pa.int32())).astype(np.bool_)
        records[done : done + batch.num_rows] = made(columns, tables, asserted, stamps, supports)
        done += batch.num_rows
    return records


def quads_of(quads: ds.Dataset, ids: Int32) -> Int32:
    """Return quads of Spark (columns s, p, o, g) as int32[n, 4], with the id `ids[i]` in place of Spark's id i."""
    rows = np.empty((quads.count_rows(), 4), dtype=np.int32)
    done = 0
    for batch in _batches(quads, ["s", "p", "o", "g"]):
        for column in range(4):
            rows[done : done + batch.num_rows, column] = ids[_integers(batch.column(column))]
        done += batch.num_rows
    return rows


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


def files_of(table: DataFrame) -> ds.Dataset:
    """Return an Arrow dataset that reads the Parquet files behind a DataFrame."""
    return ds.dataset([unquote(name.removeprefix("file://")) for name in table.inputFiles()], format="parquet")


def _batches(data: ds.Dataset, columns: list[str], chosen: ds.Expression | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a dataset, or only those that the expression `chosen` is true for."""
    yield from data.to_batches(columns, chosen, _ROWS, batch_readahead=2, fragment_readahead=1)


def _integers(column: pa.Array) -> Int32:
    found: Int32 = column.to_numpy(zero_copy_only=False)
    return found
