"""`QuadReader`: parse files in a task. A quad becomes four ids of the task's dictionary.

    pieces of local files               ->  kgreason.rdf.reader, from the file itself         ->  int32[4, n]
    Arrow batch of (line, file)         ->  runs of one file  ->  kgreason.rdf.reader         ->  int32[4, n]

Law: the terms, blank nodes included, are those that a reader in one process gives for the same file, however the file
is split into tasks. In N-Triples and N-Quads a statement is one line, so a malformed line does not affect the others.
One exception: a piece that begins with `@prefix` or `@base` is refused as Turtle, where a whole file counts the line.

Cost: parsing. The lines beside a malformed line are parsed one by one, for about 5 microseconds each. A task holds a
piece of text, or a few blocks of a file that is not cut.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.formats import format_of
from kgreason.rdf.lines.skipped_lines import Skipped
from kgreason.rdf.problem import input_errors
from kgreason.rdf.reader import read, read_stream
from kgreason.spark.input.paths import LINES, FilePiece, source_name
from kgreason.terms.dictionary import Dictionary, Ids

IN_LINE = ", in the line: "
"""The text between the problem and the malformed line in a message (Spark's text files have no line numbers)."""

Quads = Iterator[Ids]

_LONGEST = 500


class Malformed(NamedTuple):
    """The malformed lines of a file that were skipped: their number (`lines`), and one of them as an example."""

    file: str
    lines: int
    example: str


SKIPPED = "file string, lines long, example string"
"""The columns of a table with the fields of `Malformed`."""


class QuadReader:
    """Parses files as quads of ids. With `skip` malformed lines are skipped and counted, otherwise they are errors.

    The caller may truncate the dictionary to nothing whenever it has taken quads.
    """

    def __init__(self, *, skip: bool) -> None:
        self._skip = skip
        self._skipped: dict[str, Malformed] = {}

    def of_pieces(self, tasks: Sequence[Sequence[FilePiece]], batch: pa.RecordBatch, dictionary: Dictionary) -> Quads:
        """Parse the pieces of tasks, rows of their numbers. Yields int32[4, n], with ids of `dictionary`.

        Raises RdfSyntaxError.
        """
        for number in batch.column(0).to_pylist():
            for piece in tasks[number]:
                path, skipped = Path(piece.file), Skipped()
                if piece.end:
                    yield from self._parse(piece.file, _text(piece), dictionary)
                elif (form := format_of(path)).name in LINES:
                    for columns in read(path, dictionary, threads=1, skipped=skipped):
                        if skipped.count and not self._skip:
                            break
                        yield np.stack(columns)
                    with path.open("rb") as stream:
                        self._note(piece.file, skipped, form.unpack(stream))
                else:
                    yield from map(np.stack, read(path, dictionary, threads=1))

    def of_lines(self, batch: pa.RecordBatch, dictionary: Dictionary) -> Quads:
        """Parse rows (line binary, file string); otherwise as `of_pieces`."""
        runs = pc.run_end_encode(batch.column("file"), pa.int32())
        start = 0
        for uri, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            yield from self._parse(source_name(uri), _joined(batch.column("line")[start:end]), dictionary)
            start = end

    def skipped(self) -> dict[str, pa.Array]:
        """Return what was skipped so far, with a row for each file and the columns of `SKIPPED`."""
        files, lines, examples = zip(*self._skipped.values(), strict=True) if self._skipped else ((), (), ())
        return {
            "file": pa.array(files, pa.string()),
            "lines": pa.array(lines, pa.int64()),
            "example": pa.array(examples, pa.string()),
        }

    def _parse(self, file: str, text: bytes, dictionary: Dictionary) -> Quads:
        """Parse lines of the file named `file`."""
        syntax, skipped, lines = format_of(Path(file)).name, Skipped(), io.BytesIO(text)
        batches = read_stream(lines, dictionary, syntax=syntax, source=file, threads=1, skipped=skipped)
        yield from map(np.stack, batches)
        self._note(file, skipped, io.BytesIO(text))

    def _note(self, file: str, skipped: Skipped, text: IO[bytes]) -> None:
        """Note the malformed lines in a text of a file. Raises RdfSyntaxError if they are errors."""
        if not skipped.count:
            return
        _, number, problem = skipped.places[0]
        example = start_of(next(islice(text, number - 1, None)).rstrip(b"\r\n"))
        if not self._skip:
            raise RdfSyntaxError(file, None, None, f"{problem}{IN_LINE}{example}")
        before = self._skipped.get(file, Malformed(file, 0, example))
        self._skipped[file] = before._replace(lines=before.lines + skipped.count)


def start_of(line: bytes) -> str:
    """Return the first `_LONGEST` bytes of a line as text, for a message."""
    return line[:_LONGEST].decode(errors="replace")


def _joined(lines: pa.Array) -> bytes:
    """Join lines to one text, with newlines between them."""
    whole = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines.cast(pa.binary()))
    text: bytes = pc.binary_join(whole, b"\n")[0].as_py()
    return text


def _text(piece: FilePiece) -> bytes:
    """Read the lines of a piece of a file."""
    with input_errors(piece.file), open(piece.file, "rb") as stream:
        start, end = (_start_of_line(stream, at) for at in (piece.begin, piece.end))
        stream.seek(start)
        return stream.read(end - start)


def _start_of_line(stream: BinaryIO, at: int) -> int:
    """Return where the first line begins that begins at the byte `at` or behind."""
    stream.seek(max(0, at - 1))
    if at:
        stream.readline()
    return stream.tell()
