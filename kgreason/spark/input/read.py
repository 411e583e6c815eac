"""`read`: read RDF files in parallel, as a DataFrame of texts.

    lines      spark.read.text -> mapInArrow over `LineReader`          files are split
    documents  spark.range -> mapInArrow over `documents`               one task reads one file

Columns: subject, predicate, object, graph: string, in canonical N-Triples text; an empty graph is the default graph.
A quad that is written twice gives two rows.

Law: the rows are the quads that `kgreason.rdf.reader` reads from the same files: literals as written, blank nodes by
file and label. The rows do not depend on how the files are split into tasks.
Cost: parsing, divided by the number of cores. Lines are sent to the Python workers once, as bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial, reduce
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from kgreason.rdf.reader import read as read_document
from kgreason.spark.cluster.workers import check_workers
from kgreason.spark.input.lines import LineReader
from kgreason.spark.input.paths import LINE_FILES, Inputs, Paths, sort, spark_path
from kgreason.spark.input.terms import SCHEMA, record, strings
from kgreason.terms.dictionary import Dictionary

OnError = Literal["raise", "count"]


def read(spark: SparkSession, paths: Paths, *, on_error: OnError = "raise") -> DataFrame:
    """Read RDF files, folders and patterns, in any mix of formats. Columns: subject, predicate, object, graph.

    A malformed line of N-Triples or N-Quads raises an error when the rows are computed. With `on_error="count"` this
    line is left out; `load` and `materialize` also count such lines. A malformed document in another format is always
    an error. Raises InputError for a missing path, for an unknown format, and for workers that cannot run kgreason.
    """
    inputs = sort(paths)
    check_workers(spark)
    frames = []
    if inputs.has_lines():
        frames.append(lines_of(spark, inputs).mapInArrow(partial(_parsed, on_error == "count"), SCHEMA))
    if inputs.documents:
        frames.append(documents_of(spark, inputs))
    return reduce(DataFrame.unionAll, frames)


def lines_of(spark: SparkSession, inputs: Inputs) -> DataFrame:
    """Return the lines, not parsed, of those inputs that are N-Triples or N-Quads files.

    Columns: line binary, file (a URI) string.
    """
    paths = [*map(spark_path, inputs.lines), *inputs.remote]
    text = spark.read.option("pathGlobFilter", LINE_FILES) if inputs.remote else spark.read
    return text.text(paths).select(
        F.col("value").cast("binary").alias("line"), F.col("_metadata.file_path").alias("file")
    )


def documents_of(spark: SparkSession, inputs: Inputs) -> DataFrame:
    """Read the quads of those inputs that are read as documents, each in one task."""
    files = [str(file) for file in inputs.documents]
    return spark.range(0, len(files), 1, len(files)).mapInArrow(partial(_documents, files), SCHEMA)


def _documents(files: list[str], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn the numbers of files into the quads of these files, in a task."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from _document(files[number])


def _document(file: str) -> Iterator[pa.RecordBatch]:
    dictionary = Dictionary(())
    for batch in read_document(Path(file), dictionary):
        yield record(SCHEMA, **strings(np.stack(batch), dictionary))
        dictionary.truncate(0)


def _parsed(skip: bool, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn rows (line, file) into quads of texts, in a task. With `skip` malformed lines are left out."""
    reader, dictionary = LineReader(skip=skip), Dictionary(())
    for batch in batches:
        for quads in reader.intern(batch, dictionary):
            yield record(SCHEMA, **strings(quads, dictionary))
            dictionary.truncate(0)
