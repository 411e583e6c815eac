"""Convert columns of term texts between Arrow and a `Dictionary`. `record` makes rows, with null for missing columns.

`pack_texts` makes one cell of many texts, and `intern_cell` interns the texts of such a cell. Spark moves a cell of a
megabyte as fast as bytes, and a row for each text a hundred times slower.

Law: `texts(dictionary)[i]` is the text of id i.

Cost: compiled kernels and copies of whole columns; no Python object is made for a term.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from kgreason.terms.dictionary import Dictionary, Ids

COLUMNS = {"string": pa.string(), "binary": pa.binary(), "int": pa.int32(), "long": pa.int64()}
"""The Arrow types of the Spark types that are used here."""

QUAD = ("subject", "predicate", "object", "graph")
"""The columns of quads as texts."""

SCHEMA = ", ".join(f"{name} string" for name in QUAD)
"""Quads as texts; an empty graph is the default graph."""


def texts(dictionary: Dictionary, first: int = 0) -> pa.Array:
    """Return the texts of all ids from `first` to the largest, as a string array. The text of id 0 is empty."""
    table, count = dictionary.table(), len(dictionary) + 1 - first
    offsets = table.offsets[first : first + count + 1]
    arena = table.arena[offsets[0] : offsets[-1]]
    bounds = (offsets - offsets[0]).astype(np.int32)
    return pa.StringArray.from_buffers(count, pa.py_buffer(bounds), pa.py_buffer(arena.tobytes()))


def pack_texts(column: pa.StringArray, starts: Sequence[int] = (0,)) -> list[bytes]:
    """Divide texts into cells. A cell has n texts as bytes: n, their lengths, and their UTF-8 texts.

    `starts` says with which texts the cells begin, the first with text 0.
    """
    wide = column.cast(pa.large_string())
    _, offsets, data = wide.buffers()
    bounds = np.frombuffer(offsets, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    text, lengths = np.frombuffer(data or b"", np.uint8), np.diff(bounds).astype(np.int32)
    return [
        np.append(np.int32(high - low), lengths[low:high]).tobytes() + text[bounds[low] : bounds[high]].tobytes()
        for low, high in pairwise([*starts, len(column)])
    ]


def intern_cell(cell: bytes, dictionary: Dictionary) -> Ids:
    """Intern the n texts of a cell of `pack_texts`. Returns int32[n]: the ids. Raises LimitError."""
    (count,) = np.frombuffer(cell, np.int32, 1)
    bounds = np.zeros(count + 1, np.int64)
    np.cumsum(np.frombuffer(cell, np.int32, count, 4), out=bounds[1:])
    return dictionary.intern_packed(np.frombuffer(cell, np.uint8, offset=4 + 4 * int(count)), bounds)


def record(schema: str, **columns: pa.Array) -> pa.RecordBatch:
    """Make a batch of rows from `columns`. Columns of the schema (`name type, ...`) that are not given are null."""
    length = len(next(iter(columns.values())))
    fields = dict(field.split() for field in schema.split(", "))
    arrays = [columns.get(name, pa.nulls(length, COLUMNS[kind])) for name, kind in fields.items()]
    return pa.RecordBatch.from_arrays(arrays, names=list(fields))
