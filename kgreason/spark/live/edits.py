"""The edits of a micro-batch (what Spark's streaming hands over at a time) as rows.

There is one row for each patch file, or for each chunk of signed triples:

    source    string      the file, or the place of the first row of the chunk
    removed   binary      quads to retract, as canonical N-Quads lines
    added     binary      quads to assert, in the same form
    rules     array       of (line, sign, text): rules to add (sign 1) or remove (sign -1)
    problem   string      the error message if there is no edit, else null

Law: the edits of a batch, one after the other, have the same effect as its rows one by one. Files are parsed in
parallel, each by one task, and an edit has each quad at most once. A parse error is a value (`problem`), not an
exception, because Spark would repeat a task with an exception in vain. The user sees the first error in the order of
the batch.

Cost: parsing. All edits are in one partition, sorted. One process must handle the whole batch anyway, and sorting by
ranges would evaluate the batch twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.functions import coalesce, col, concat_ws, lit, nullif, trim, unix_micros

from kgreason.errors import RdfSyntaxError
from kgreason.store.journal.patch import NO_TERM, final, problem, read_patch

FILES = "path string, modificationTime timestamp, length long, content binary"
"""The columns of Spark's data source `binaryFile`."""

_EDIT = (
    "source string, removed binary, added binary,"
    " rules array<struct<line: int, sign: int, text: string>>, problem string"
)
_RULES = pa.list_(pa.struct({"line": pa.int32(), "sign": pa.int32(), "text": pa.string()}))
_FIELDS = {
    "source": pa.string(),
    "removed": pa.binary(),
    "added": pa.binary(),
    "rules": _RULES,
    "problem": pa.string(),
}
_EDITS = pa.schema(_FIELDS)
_TIMED = pa.schema({"time": pa.int64(), **_FIELDS})


def of_files(files: DataFrame) -> DataFrame:
    """Return an edit for each patch file. `files` has the columns path, modificationTime, content.

    The edits are ordered by modification time, then by path.
    """
    timed = files.select(unix_micros("modificationTime").alias("time"), "path", "content")
    edits = timed.mapInArrow(_read_files, f"time long, {_EDIT}")
    return edits.repartition(1).sortWithinPartitions("time", "source").drop("time")


def of_rows(triples: DataFrame, order: tuple[str, ...]) -> DataFrame:
    """Sort signed triples by the columns `order`. Returns an edit for each chunk of the sorted rows.

    `triples` has the columns sign, subject, predicate, object, and optionally graph.
    """
    graph = ["graph"] if "graph" in triples.columns else []
    terms = (col(name) for name in ("subject", "predicate", "object"))
    required = (coalesce(nullif(trim(term), lit("")), lit(NO_TERM)) for term in terms)
    statement = concat_ws(" ", *required, *graph, lit("."))
    place = concat_ws(":", *(col(name).cast("string") for name in order))
    rows = triples.repartition(1).sortWithinPartitions(*order)
    signed = rows.select(col("sign").cast("int"), statement.alias("statement"), place.alias("place"))
    return signed.mapInArrow(_read_rows, _EDIT)


def _read_files(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for file in batch.to_pylist():
            edit = {"time": file["time"], **_file_edit(file["content"], file["path"])}
            yield pa.RecordBatch.from_pylist([edit], schema=_TIMED)


def _read_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if batch.num_rows:
            yield pa.RecordBatch.from_pylist([_rows_edit(**batch.to_pydict())], schema=_EDITS)


def _file_edit(content: bytes, path: str) -> dict[str, Any]:
    try:
        removed, added, rules = read_patch(content, path)
    except RdfSyntaxError as error:
        return {"source": path, "problem": str(error)}
    return _edit(path, removed, added, [rule._asdict() for rule in rules])


def _rows_edit(sign: list[int], statement: list[str], place: list[str]) -> dict[str, Any]:
    for at, number in zip(place, sign, strict=True):
        if number not in (1, -1):
            return {"source": at, "problem": f"{at}: the sign must be 1 or -1, got {number}"}
    try:
        removed, added = final(sign, [text.encode() for text in statement])
    except SyntaxError as error:
        at = place[(error.lineno or 1) - 1]
        return {"source": at, "problem": f"{at}: {problem(error)}"}
    return _edit(place[0], removed, added, [])


def _edit(source: str, removed: bytes, added: bytes, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"source": source, "removed": removed, "added": added, "rules": rules, "problem": None}
