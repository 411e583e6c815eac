"""`write`: write triples of Spark as text to a folder.

    triples (s, p, o int, asserted)  ->  packed   groups of rows with local ids: (group, triples), (group, bucket, ids)
    packed, terms (id, text)         ->  names    (group, texts): a task gets the terms of a bucket
    packed, names                    ->  files    a task gets a group with its texts, and writes lines or rows of texts

The files are part-*.nt, with a triple on each line, or part-*.parquet with the columns subject, predicate, object,
asserted. Generalised triples are left out, because they are only steps in the derivation of other triples
(`Dictionary.are_rdf`). A term that most triples share does not overload one task, because a group names it once.

At a path a task writes the file of a group itself; at a URI it gives the rows to Spark. A folder is written as a whole
or does not exist (`folders`). Cost: a job for the groups, and one for the texts and the files. The triples are shuffled
as numbers, each term once, and then once for each group, in cells (`input/terms.packed`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from kgreason.files import whole_file
from kgreason.rdf.lines import parquet as tables
from kgreason.spark.encode.groups import BUCKETS, GROUPS, Batches, first_group, ids_by_local, in_buckets, unpack_quads
from kgreason.spark.folders.folders import check_seen, save, whole_folder, writing
from kgreason.spark.folders.markers import parquet, uri
from kgreason.spark.input.terms import intern_cell, pack_texts, record, texts
from kgreason.spark.rounds.ranges import RowsInFiles
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

Form = Literal["nt", "parquet"]

_PACKED = "group long, bucket int, first int, ids binary, triples binary"
"""Rows of two kinds: (group, bucket, first, ids int32[n]), where `first` is the local id of the first one, or
(group, triples int32[4, n]), with local ids and flags."""
_NAMES = "group long, first int, texts binary"
_BUCKET = f"CAST(shiftright(id, 16) % {BUCKETS} AS int)"
_ROWS = 250_000
"""A group ends with the batch in which it reaches so many rows."""
_LINES = 10_000
"""The number of lines that are given to Spark as one text."""
_TEXTS = "subject string, predicate string, object string, asserted boolean"


def write(
    triples: DataFrame | RowsInFiles,
    terms: DataFrame,
    folder: str | PathLike[str],
    room: str,
    *,
    form: Form = "nt",
    overwrite: bool = False,
) -> None:
    """Write triples to files in a folder. `triples` are rows s, p, o int, asserted boolean; `terms` has id, text.

    The table of groups is written below `room`. Raises InputError if the folder is not empty and `overwrite` is not
    set. Raises StoreError if the folder cannot be written; after an error no folder looks complete.
    """
    path = f"{room}/packed"
    with writing(path):
        triples.mapInArrow(_group_triples, _PACKED).write.mode("overwrite").parquet(uri(path))
    ids, rows = (parquet(terms.sparkSession, _PACKED, path) for _ in range(2))  # Spark confuses their columns else
    wanted = ids.where("ids IS NOT NULL").select("group", "bucket", "first", "ids").groupBy("bucket")
    named = terms.selectExpr(f"{_BUCKET} AS bucket", "id", "text").groupBy("bucket")
    names = wanted.cogroup(named).applyInArrow(_texts_of, _NAMES).groupBy("group")
    groups = rows.where("triples IS NOT NULL").select("group", "triples").groupBy("group").cogroup(names)
    if "://" not in fspath(folder):
        with whole_folder(folder, overwrite=overwrite) as new:
            if not groups.applyInArrow(partial(_write_group, str(new), form), "triples long").collect():
                nothing = np.empty((0, 3), np.int32)  # readers want a file
                _write_file(new / f"part-00000-000.{form}", form, Dictionary(()), nothing, nothing[:, 0])
            check_seen(new)
    elif form == "nt":
        save(groups.applyInArrow(_lines_of_group, "value string"), "text", fspath(folder), overwrite=overwrite)
    else:
        save(groups.applyInArrow(_rows_of_group, _TEXTS), "parquet", fspath(folder), overwrite=overwrite)


def _group_triples(batches: Batches) -> Iterator[pa.RecordBatch]:
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
    """Yield the rows of a group: its triples with flags, given as int32[4, n], and its ids in buckets."""
    codes = pa.array(rows[:3].ravel()).dictionary_encode()
    ids = codes.dictionary.to_numpy()
    order, local, buckets = in_buckets(group, (ids >> 16) % BUCKETS)
    triples = np.vstack([local[codes.indices.to_numpy() + 1].reshape(3, -1), rows[3:]])
    yield record(_PACKED, group=buckets["group"][:1], triples=pa.array([triples.tobytes()], pa.binary()))
    cells = [each.tobytes() for each in np.split(ids[order], buckets["first"].to_numpy()[1:] - 1)]
    yield record(_PACKED, **buckets, ids=pa.array(cells, pa.binary()))


def _texts_of(wanted: pa.Table, terms: pa.Table) -> pa.Table:
    """Return the texts of the ids of one bucket: rows `_NAMES`. `terms` are the terms of the bucket."""
    order = np.argsort(terms.column("id").to_numpy())
    ids, words = terms.column("id").to_numpy()[order], terms.column("text").combine_chunks()
    found = list[bytes]()
    for cell in wanted.column("ids").to_pylist():
        found += pack_texts(words.take(pa.array(order[np.searchsorted(ids, np.frombuffer(cell, np.int32))])))
    return wanted.select(["group", "first"]).append_column("texts", pa.array(found, pa.binary()))


def _group_with_texts(groups: pa.Table, names: pa.Table) -> tuple[Dictionary, Int32, Int32]:
    """Return a dictionary of the texts of one group, its triples as ids of this dictionary, int32[n, 3], and flags."""
    dictionary = Dictionary(())
    slices = zip(names.column("first").to_pylist(), names.column("texts").to_pylist(), strict=True)
    numbers = ids_by_local((first, intern_cell(cell, dictionary)) for first, cell in slices)
    rows = unpack_quads(groups.column("triples")[0].as_py())
    triples = np.ascontiguousarray(numbers[rows[:3]].T)
    kept = dictionary.are_rdf(triples)
    return dictionary, triples[kept], rows[3][kept]


def _write_group(folder: str, form: Form, groups: pa.Table, names: pa.Table) -> pa.Table:
    """Write the file of one group to a folder that all machines see. Returns a row with the number of triples."""
    dictionary, triples, asserted = _group_with_texts(groups, names)
    task, number = divmod(groups.column("group")[0].as_py(), 1 << GROUPS)
    _write_file(Path(folder) / f"part-{task:05}-{number:03}.{form}", form, dictionary, triples, asserted)
    return pa.table({"triples": pa.array([len(triples)], pa.int64())})


def _write_file(path: Path, form: Form, dictionary: Dictionary, triples: Int32, asserted: Int32) -> None:
    with whole_file(path) as file:
        if form == "nt":
            file.write(dictionary.lines(*map(np.ascontiguousarray, triples.T)))
        else:
            tables.write([(triples[asserted == flag], bool(flag)) for flag in (1, 0)], dictionary, file)


def _lines_of_group(groups: pa.Table, names: pa.Table) -> pa.Table:
    """Return the lines of one group, many in each row: rows `value`."""
    dictionary, triples, _ = _group_with_texts(groups, names)
    pieces = (triples[low : low + _LINES] for low in range(0, len(triples), _LINES))
    lines = [dictionary.lines(*map(np.ascontiguousarray, piece.T)).decode().removesuffix("\n") for piece in pieces]
    return pa.table({"value": pa.array(lines, pa.string())})


def _rows_of_group(groups: pa.Table, names: pa.Table) -> pa.Table:
    """Return the triples of one group as rows of texts."""
    dictionary, triples, asserted = _group_with_texts(groups, names)
    words = texts(dictionary)
    columns = [words.take(pa.array(np.ascontiguousarray(column))) for column in triples.T]
    return pa.table([*columns, pa.array(asserted == 1)], names=["subject", "predicate", "object", "asserted"])
