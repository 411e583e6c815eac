"""`LineReader`: parse lines of N-Triples and N-Quads in a task. A quad becomes four ids of the task's dictionary.

    Arrow batch of (line, file)  ->  runs of one file  ->  kgreason.rdf.reader  ->  int32[4, n]

Law: the terms, blank nodes included, are those that a reader in one process gives for the same file, however the file
is split into tasks. In both formats a statement is one line, so a malformed line does not affect the other lines.

Cost: parsing. The lines beside a malformed line are parsed one by one, for about 5 microseconds each.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.formats import format_of
from kgreason.rdf.lines.skipped import Skipped
from kgreason.rdf.reader import read_stream
from kgreason.spark.input.paths import source_name
from kgreason.terms.dictionary import Dictionary, Ids

IN_LINE = ", in the line: "
"""The text between the problem and the malformed line in a message (Spark's text files have no line numbers)."""

_LONGEST = 500


class Malformed(NamedTuple):
    """The malformed lines of a file that were skipped: their number (`lines`), and one of them as an example."""

    file: str
    lines: int
    example: str


SKIPPED = "file string, lines long, example string"
"""The columns of a table with the fields of `Malformed`."""


class LineReader:
    """Parses lines as quads of ids. With `skip` malformed lines are skipped and counted, otherwise they are errors."""

    def __init__(self, *, skip: bool) -> None:
        self._skip = skip
        self._skipped: dict[str, Malformed] = {}

    def intern(self, batch: pa.RecordBatch, dictionary: Dictionary) -> Iterator[Ids]:
        """Parse rows (line binary, file string). Yields quads as int32[4, n], with ids of `dictionary`.

        Raises RdfSyntaxError.
        """
        runs = pc.run_end_encode(batch.column("file"), pa.int32())
        start = 0
        for uri, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            yield self._run(source_name(uri), batch.column("line")[start:end], dictionary)
            start = end

    def skipped(self) -> dict[str, pa.Array]:
        """Return what was skipped so far, with a row for each file and the columns of `SKIPPED`."""
        files, lines, examples = zip(*self._skipped.values(), strict=True) if self._skipped else ((), (), ())
        return {
            "file": pa.array(files, pa.string()),
            "lines": pa.array(lines, pa.int64()),
            "example": pa.array(examples, pa.string()),
        }

    def _run(self, file: str, lines: pa.Array, dictionary: Dictionary) -> Ids:
        """Parse lines of the file named `file`. Returns quads as int32[4, n]."""
        syntax, skipped = format_of(Path(file)).name, Skipped()
        batches = read_stream(io.BytesIO(_joined(lines)), dictionary, syntax=syntax, source=file, skipped=skipped)
        quads = np.concatenate([np.empty((4, 0), np.int32), *map(np.stack, batches)], axis=1)
        if skipped.count:
            _, number, problem = skipped.places[0]
            example = start_of(lines[number - 1].as_py())
            if not self._skip:
                raise RdfSyntaxError(file, None, None, f"{problem}{IN_LINE}{example}")
            before = self._skipped.get(file, Malformed(file, 0, example))
            self._skipped[file] = before._replace(lines=before.lines + skipped.count)
        return quads


def start_of(line: bytes) -> str:
    """Return the first `_LONGEST` bytes of a line as text, for a message."""
    return line[:_LONGEST].decode(errors="replace")


def _joined(lines: pa.Array) -> bytes:
    """Join lines to one text, with newlines between them."""
    whole = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines.cast(pa.binary()))
    text: bytes = pc.binary_join(whole, b"\n")[0].as_py()
    return text
