"""`RdfDataSource`: `spark.read.format("rdf").load(path)` reads files in every format that kgreason reads.

    spark.dataSource.register(RdfDataSource)
    spark.read.format("rdf").option("format", "ttl").load("/data/ontology.txt")

The argument of `load` is a path or a list of paths; a path is a file, a folder or a pattern. One task reads one whole
file, so every task must be able to open every file: on a cluster the files must be on a shared file system. The option
`format` is a name of `kgreason.rdf.formats`; by default the suffix of the file decides. Read N-Triples and N-Quads with
`kgreason.spark.input.read`, which splits large files of these formats.

Law: the terms are those of `kgreason.rdf.reader`. A malformed document is an error, with file and line.
Cost: parsing; a few batches at a time are in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from kgreason.errors import InputError
from kgreason.rdf.reader import read
from kgreason.spark.input.paths import local_files
from kgreason.spark.input.terms import QUAD, record, strings
from kgreason.terms.dictionary import Dictionary

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = ", ".join(f"{name} string" for name in QUAD)
"""Quads as texts; an empty graph is the default graph."""


class RdfDataSource(DataSource):  # type: ignore[misc]
    """The Spark data source `rdf`: reads RDF files in any format as rows of four texts."""

    @classmethod
    def name(cls) -> str:
        """Return the name for `spark.read.format`."""
        return "rdf"

    def schema(self) -> str:
        """Return the columns of a quad, as the text of a Spark schema."""
        return SCHEMA

    def reader(self, schema: object) -> _Reader:  # noqa: ARG002 - a schema of the user's own would be of the same types
        """Make the reader of the files that the options name. Raises InputError."""
        return _Reader(list(self._files()), self.options.get("format"))

    def _files(self) -> Iterator[str]:
        options = self.options
        paths = json.loads(options["paths"]) if "paths" in options else [options[k] for k in ("path",) if k in options]
        if not paths:
            raise InputError("the data source `rdf` needs a path: spark.read.format('rdf').load(path)")
        for path in paths:
            yield from map(str, local_files(path))


class _Reader(DataSourceReader):  # type: ignore[misc]
    def __init__(self, files: list[str], syntax: str | None) -> None:
        self._files, self._syntax = files, syntax

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(file) for file in self._files]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield from document(partition.value, self._syntax)


def document(file: str, syntax: str | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the quads of a file as batches of four texts. `syntax` is the format, by default that of the suffix."""
    dictionary = Dictionary(())
    for batch in read(Path(file), dictionary, syntax=syntax):
        yield record(SCHEMA, **strings(np.stack(batch), dictionary))
        dictionary.truncate(0)
