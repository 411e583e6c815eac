"""The edits of a micro-batch (what Spark's streaming hands over at a time) as rows.

There is one row for each patch file:

    source    string      the file
    removed   binary      quads to retract, as canonical N-Quads lines
    added     binary      quads to assert, in the same form
    rules     array       of (line, sign, text): rules to add (sign 1) or remove (sign -1)
    problem   string      the error message if there is no edit, else null

Law: the edits of a batch, one after the other, have the same effect as the lines of its files one by one. Files are
parsed in parallel, each by one task, and an edit has each quad at most once. A parse error is a value (`problem`), not
an exception, because Spark would repeat a task with an exception in vain. The user sees the first error in the order of
the batch.

Cost: parsing. All edits are in one partition, sorted. One process must handle the whole batch anyway, and sorting by
ranges would evaluate the batch twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.functions import unix_micros

from kgreason.errors import RdfSyntaxError
from kgreason.store.journal.patch import read_patch

FILES = "path string, modificationTime timestamp, length long, content binary"
"""The columns of Spark's data source `binaryFile`."""

_EDIT = (
    "source string, removed binary, added binary,"
    " rules array<struct<line: int, sign: int, text: string>>, problem string"
)
_RULES = pa.list_(pa.struct({"line": pa.int32(), "sign": pa.int32(), "text": pa.string()}))
_TIMED = pa.schema(
    {
        "time": pa.int64(),
        "source": pa.string(),
        "removed": pa.binary(),
        "added": pa.binary(),
        "rules": _RULES,
        "problem": pa.string(),
    }
)


def of_files(files: DataFrame) -> DataFrame:
    """Return an edit for each patch file. `files` has the columns path, modificationTime, content.

    The edits are ordered by modification time, then by path.
    """
    timed = files.select(unix_micros("modificationTime").alias("time"), "path", "content")
    edits = timed.mapInArrow(_read_files, f"time long, {_EDIT}")
    return edits.repartition(1).sortWithinPartitions("time", "source").drop("time")


def _read_files(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for file in batch.to_pylist():
            edit = {"time": file["time"], **_file_edit(file["content"], file["path"])}
            yield pa.RecordBatch.from_pylist([edit], schema=_TIMED)


def _file_edit(content: bytes, path: str) -> dict[str, Any]:
    try:
        removed, added, rules = read_patch(content, path)
    except RdfSyntaxError as error:
        return {"source": path, "problem": str(error)}
    rows = [rule._asdict() for rule in rules]
    return {"source": path, "removed": removed, "added": added, "rules": rows, "problem": None}
