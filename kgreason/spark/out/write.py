"""`write`: write triples of Spark as text to a folder.

    triples (s, p, o int, asserted)  ->  packed   groups of rows: (group, triples), and (group, id) for each id in them
    packed, terms (id, text)         ->  names    (group, id, text): one join, of each id once for each group
    packed, names                    ->  files    a task gets a group with its texts, and writes lines or rows of texts

The files are part-*.nt, with a triple on each line, or part-*.parquet with the columns subject, predicate, object,
asserted. Generalised triples are left out, because they are only steps in the derivation of other triples
(`Dictionary.are_rdf`). A term that most triples share does not overload one task, because a group names it once.

A folder is written as a whole or does not exist (`folders`). Cost: a job for the groups, and one for the join and the
files. The triples are shuffled as numbers, the texts once for each group.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from kgreason.spark.encode.groups import Batches, first_group, unpacked
from kgreason.spark.folders.folders import save, writing
from kgreason.spark.folders.markers import parquet, uri
from kgreason.spark.input.terms import interned, record, texts
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct

Form = Literal["nt", "parquet"]

_PACKED = "group long, id int, triples binary"
_ROWS = 250_000
"""A group ends with the batch in which it reaches so many rows."""
_LINES = 10_000
"""The number of lines that are given to Spark as one text."""
_TEXTS = "subject string, predicate string, object string, asserted boolean"


def write(
    triples: DataFrame,
    terms: DataFrame,
    folder: str | PathLike[str],
    room: str,
    *,
    form: Form = "nt",
    overwrite: bool = False,
) -> None:
    """Write triples to files in a folder. `triples` has the columns s, p, o int, asserted boolean; `terms` id, text.

    The table of groups is written below `room`. Raises InputError if the folder is not empty and `overwrite` is not
    set. Raises StoreError if the folder cannot be written; after an error no folder looks complete.
    """
    path = f"{room}/packed"
    with writing(fspath(folder)):
        triples.select("s", "p", "o", "asserted").mapInArrow(_packed, _PACKED).write.mode("overwrite").parquet(
            uri(path)
        )
    ids, packed = (parquet(triples.sparkSession, _PACKED, path) for _ in range(2))  # Spark confuses their columns else
    names = ids.where("id IS NOT NULL").select("group", "id").join(terms, "id").groupBy("group")
    groups = packed.where("triples IS NOT NULL").select("group", "triples").groupBy("group").cogroup(names)
    if form == "nt":
        save(groups.applyInArrow(_lines, "value string"), "text", folder, overwrite=overwrite, suffix="nt")
    else:
        save(groups.applyInArrow(_rows, _TEXTS), "parquet", folder, overwrite=overwrite, suffix="parquet")


def _packed(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Put rows s, p, o, asserted into groups, in a task: rows of `_PACKED`."""
    group, waiting, count = first_group(), list[Int32](), 0
    for batch in batches:
        waiting.append(np.stack([column.cast(pa.int32()).to_numpy() for column in batch.columns]))
        count += len(batch)
        if count >= _ROWS:
            yield from _group(group, np.concatenate(waiting, axis=1))
            group, waiting, count = group + 1, [], 0
    if count:
        yield from _group(group, np.concatenate(waiting, axis=1))


def _group(group: int, rows: Int32) -> Iterator[pa.RecordBatch]:
    number, ids = pa.scalar(group, pa.int64()), distinct(rows[:3])
    yield record(_PACKED, group=pa.repeat(number, 1), triples=pa.array([rows.tobytes()], pa.binary()))
    yield record(_PACKED, group=pa.repeat(number, len(ids)), id=pa.array(ids))


def _decoded(groups: pa.Table, names: pa.Table) -> tuple[Dictionary, Int32, Int32]:
    """Return a dictionary of the texts of one group, its triples as ids of this dictionary, int32[n, 3], and flags."""
    dictionary, order = Dictionary(()), np.argsort(names.column("id").to_numpy())
    ids = names.column("id").to_numpy()[order]
    numbers = interned(names.column("text").combine_chunks(), dictionary)[order]
    rows = np.concatenate([np.zeros((4, 0), np.int32), *map(unpacked, groups.column("triples").to_pylist())], axis=1)
    triples = np.ascontiguousarray(numbers[np.searchsorted(ids, rows[:3])].T)
    kept = dictionary.are_rdf(triples)
    return dictionary, triples[kept], rows[3][kept]


def _lines(groups: pa.Table, names: pa.Table) -> pa.Table:
    """Return the lines of one group, many in each row: rows `value`."""
    dictionary, triples, _ = _decoded(groups, names)
    pieces = (triples[low : low + _LINES] for low in range(0, len(triples), _LINES))
    lines = [dictionary.lines(*map(np.ascontiguousarray, piece.T)).decode().removesuffix("\n") for piece in pieces]
    return pa.table({"value": pa.array(lines, pa.string())})


def _rows(groups: pa.Table, names: pa.Table) -> pa.Table:
    """Return the triples of one group as rows of texts."""
    dictionary, triples, asserted = _decoded(groups, names)
    words = texts(dictionary)
    columns = [words.take(pa.array(np.ascontiguousarray(column))) for column in triples.T]
    return pa.table([*columns, pa.array(asserted == 1)], names=["subject", "predicate", "object", "asserted"])
