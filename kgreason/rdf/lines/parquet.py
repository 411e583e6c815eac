"""Parquet files of triples: `write` makes them, `ParquetText` reads them as N-Quads text.

    subject     predicate     object     string      terms in N-Triples syntax
    graph                                string      only read, and may be missing; empty or null: the default graph
    asserted                             bool        only written; False for an inferred triple

Spark writes files with the same columns (`kgreason.spark.out.write`), and every library that reads Parquet reads both.
A file is read like an N-Quads file whose line n is row n: blank nodes belong to the file, and a column `asserted` says
nothing. PyArrow is needed; it comes with the extra `frames`.

Cost: Arrow kernels. One batch of rows is in memory at a time, beside the dictionary.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import numpy as np

from kgreason.errors import InputError
from kgreason.terms.dictionary import Dictionary, Ids

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 17
"""The rows of a group, which is written and read at once."""
_TRIPLE = ("subject", "predicate", "object")


def check_pyarrow() -> None:
    """Raise InputError if PyArrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401 - asks for it
    except ImportError as error:
        raise InputError("Parquet needs PyArrow: pip install 'kgreason[frames]'") from error


def write(
    tables: Iterable[tuple[Ids, bool]],
    dictionary: Dictionary,
    out: IO[bytes],
    report: Callable[[int], object] = lambda _: None,
) -> None:
    """Write tables of triples, int32[n, 3], to a file. The flag of a table says whether its triples are asserted.

    `report` is called after each group of rows, with their number. Raises InputError if PyArrow is not installed.
    """
    check_pyarrow()
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([*((name, pa.string()) for name in _TRIPLE), ("asserted", pa.bool_())])
    words = term_texts(dictionary)
    with parquet.ParquetWriter(out, schema) as writer:
        for rows, asserted in tables:
            for low in range(0, len(rows), _ROWS):
                part = rows[low : low + _ROWS]
                terms = [words.take(pa.array(column)).cast(pa.string()) for column in part.T]
                flags = pa.repeat(pa.scalar(asserted), len(part))
                writer.write_table(pa.table([*terms, flags], schema=schema))
                report(len(part))


def term_texts(dictionary: Dictionary) -> pa.LargeStringArray:
    """Return the texts of all ids, without a copy. The text of id 0 is empty."""
    import pyarrow as pa

    table, count = dictionary.table(), len(dictionary) + 1
    return pa.LargeStringArray.from_buffers(
        count, pa.py_buffer(table.offsets[: count + 1].astype(np.int64, copy=False)), pa.py_buffer(table.arena)
    )


class ParquetText(io.RawIOBase):
    """The rows of a Parquet file as N-Quads text, one line for each row. `file` is its name in messages.

    Raises InputError if PyArrow is not installed, for a file that is not Parquet, and for columns that are not terms.
    """

    def __init__(self, stream: BinaryIO, file: str) -> None:
        check_pyarrow()
        import pyarrow as pa
        from pyarrow import parquet

        self._file = file
        try:
            self._parquet = parquet.ParquetFile(stream if stream.seekable() else pa.BufferReader(stream.read()))
        except pa.ArrowException as error:
            raise self._error(f"not a Parquet file: {error}") from error
        self._columns = self._terms(self._parquet.schema_arrow)
        self._lines, self._rest = self._text(), b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes of the text. Returns their number; 0 at the end."""
        if not self._rest:
            self._rest = next(self._lines, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count

    def _terms(self, schema: Any) -> list[str]:
        names = [name for name in (*_TRIPLE, "graph") if name in schema.names]
        for name in _TRIPLE:
            if name not in names:
                raise self._error(f"there is no column {name}; the columns are {', '.join(schema.names)}")
        return names

    def _text(self) -> Iterator[bytes]:
        import pyarrow as pa
        import pyarrow.compute as pc

        before, text = 0, pa.large_string()
        try:
            for batch in self._parquet.iter_batches(_ROWS, columns=self._columns):
                terms = [batch.column(name).cast(text) for name in self._columns]
                terms[3:] = [pc.fill_null(graph, "") for graph in terms[3:]]
                for name, column in zip(self._columns, terms, strict=True):
                    wrong = pc.or_kleene(
                        column.is_null(), pc.fill_null(pc.match_substring_regex(column, "[\n\r]"), True)
                    )
                    if pc.any(wrong).as_py():
                        row = before + pc.index(wrong, True).as_py() + 1
                        raise self._error(f"row {row}, column {name}: not a term of RDF in N-Triples syntax")
                lines = pc.binary_join_element_wise(*terms, pa.scalar(".\n", text), pa.scalar(" ", text))
                before += len(batch)
                yield "".join(lines.to_pylist()).encode()
        except pa.ArrowException as error:
            raise self._error(str(error)) from error

    def _error(self, problem: str) -> InputError:
        return InputError(f"{self._file}: {' '.join(problem.split())}")
