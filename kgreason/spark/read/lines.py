"""`LineReader`: what a task does with lines of N-Triples and N-Quads: quads as columns of local ids.

    Arrow batch of (line, file)  ->  runs of one file  ->  kgreason.rdf.reader  ->  int32[4, n]

Law: the terms are those that the reader of one process gives for the same file, blank nodes included, however the file
is cut into tasks. In both formats a line is a statement, so that lines are malformed one by one.

Cost: that of the reader. A run with a malformed line in it is parsed line by line, some 5 microseconds each.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyoxigraph import RdfFormat, parse

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.formats import format_of
from kgreason.rdf.reader import read_stream
from kgreason.spark.read.paths import source_name
from kgreason.terms.dictionary import Dictionary, Ids

IN_LINE = ", in the line: "
"""Stands between what is wrong and the text of the line, as Spark's text files have no line numbers."""

_LONGEST = 500


class Malformed(NamedTuple):
    """How many lines of a file were skipped, and the first of them that a task met."""

    file: str
    lines: int
    example: str


SKIPPED = "file string, lines long, example string"
"""`Malformed` as columns of a table."""


class LineReader:
    """Interns the quads of lines; malformed ones are an error, or skipped and kept in mind."""

    def __init__(self, *, skip: bool) -> None:
        self._skip = skip
        self._skipped: dict[str, Malformed] = {}

    def intern(self, batch: pa.RecordBatch, dictionary: Dictionary) -> Iterator[Ids]:
        """The quads of a batch (line: binary, file: string), int32[4, n] at a time; raises RdfSyntaxError."""
        runs = pc.run_end_encode(batch.column("file"), pa.int32())
        start = 0
        for uri, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            yield self._run(source_name(uri), batch.column("line")[start:end], dictionary)
            start = end

    def skipped(self) -> dict[str, pa.Array]:
        """What was skipped, file by file, as columns."""
        files, lines, examples = zip(*self._skipped.values(), strict=True) if self._skipped else ((), (), ())
        return {
            "file": pa.array(files, pa.string()),
            "lines": pa.array(lines, pa.int64()),
            "example": pa.array(examples, pa.string()),
        }

    def _run(self, file: str, lines: pa.Array, dictionary: Dictionary) -> Ids:
        """The quads of lines of one file."""
        syntax = format_of(Path(file)).name
        try:
            return _quads(_joined(lines), file, syntax, dictionary)
        except RdfSyntaxError:
            return _quads(b"\n".join(self._sound(file, syntax, lines.to_pylist())), file, syntax, dictionary)

    def _sound(self, file: str, syntax: str, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The lines that parse."""
        for line in lines:
            if _parses(line, syntax):
                yield line
            elif self._skip:
                before = self._skipped.get(file, Malformed(file, 0, shown(line)))
                self._skipped[file] = before._replace(lines=before.lines + 1)
            else:
                _refuse(line, file, syntax)


def shown(line: bytes) -> str:
    """A line as messages show it."""
    return line[:_LONGEST].decode(errors="replace")


def _joined(lines: pa.Array) -> bytes:
    """The lines as one text."""
    whole = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines.cast(pa.binary()))
    text: bytes = pc.binary_join(whole, b"\n")[0].as_py()
    return text


def _quads(text: bytes, file: str, syntax: str, dictionary: Dictionary) -> Ids:
    """The quads of a text, int32[4, n]."""
    batches = read_stream(io.BytesIO(text), dictionary, syntax=syntax, source=file)
    return np.concatenate([np.empty((4, 0), np.int32), *map(np.stack, batches)], axis=1)


def _parses(line: bytes, syntax: str) -> bool:
    try:
        for _quad in parse(line, RdfFormat.from_extension(syntax)):
            pass
    except SyntaxError:
        return False
    return True


def _refuse(line: bytes, file: str, syntax: str) -> None:
    """Raise what the reader says of a malformed line, as an error that shows it."""
    try:
        _quads(line, file, syntax, Dictionary(()))
    except RdfSyntaxError as error:
        raise RdfSyntaxError(file, None, None, f"{error.problem}{IN_LINE}{shown(line)}") from None
