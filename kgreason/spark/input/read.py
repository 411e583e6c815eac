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

from collections.abc import Iterable, Iterator
from functools import partial, reduce
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from kgreason.rdf.reader import read as read_document
from kgreason.spark.cluster.workers import check_workers
from kgreason.spark.input.lines import SKIPPED, LineReader, Malformed
from kgreason.spark.input.paths import LINE_FILES, Inputs, Paths, sort, spark_path
from kgreason.spark.input.terms import QUAD, SCHEMA, record, strings
from kgreason.terms.dictionary import Dictionary

OnError = Literal["raise", "count"]

_PARSED = f"{SCHEMA}, {SKIPPED}"


class Skipped:
    """Counts the lines that `read(..., on_error="count")` skips. The counts are known once the rows are computed."""

    def __init__(self) -> None:
        self._observations: list[Observation] = []

    def files(self) -> list[Malformed]:
        """Return the skipped lines of each file. Waits until Spark has computed the rows for the first time."""
        return merged(Malformed(*row) for watched in self._observations for row in watched.get["skipped"])

    def watch(self, parsed: DataFrame) -> DataFrame:
        """Return a DataFrame with the rows of `parsed`. When Spark computes it, the skipped lines are counted.

        A row of `parsed` is a quad, or it tells of the skipped lines of a file in the columns of `SKIPPED`.
        """
        observation = Observation()
        self._observations.append(observation)
        skipped = F.when(F.col("file").isNotNull(), F.struct(*Malformed._fields))
        return parsed.observe(observation, F.collect_list(skipped).alias("skipped"))


def merged(skipped: Iterable[Malformed]) -> list[Malformed]:
    """Add up the entries of each file. Returns one entry for each file, sorted by file."""
    files: dict[str, Malformed] = {}
    for each in skipped:
        known = files.get(each.file, each._replace(lines=0))
        files[each.file] = known._replace(lines=known.lines + each.lines)
    return sorted(files.values())


def read(
    spark: SparkSession, paths: Paths, *, on_error: OnError = "raise", skipped: Skipped | None = None
) -> DataFrame:
    """Read RDF files, folders and patterns, in any mix of formats. Columns: subject, predicate, object, graph.

    A malformed line of N-Triples or N-Quads raises an error when the rows are computed. With `on_error="count"` this
    line is skipped, and `skipped` counts it. A malformed document in another format is always an error. Raises
    InputError for a missing path, for an unknown format, and for workers that cannot run kgreason.
    """
    inputs = sort(paths)
    check_workers(spark)
    frames = []
    if inputs.has_lines():
        parsed = lines_of(spark, inputs).mapInArrow(partial(_parsed, on_error == "count"), _PARSED)
        watched = skipped.watch(parsed) if skipped else parsed
        frames.append(watched.where(F.col("subject").isNotNull()).select(*QUAD))
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
    """Turn rows (line, file) into quads of texts, in a task.

    With `skip` there is one more row for each file with malformed lines; it has the columns of `SKIPPED`.
    """
    reader, dictionary = LineReader(skip=skip), Dictionary(())
    for batch in batches:
        for quads in reader.intern(batch, dictionary):
            yield record(_PARSED, **strings(quads, dictionary))
            dictionary.truncate(0)
    yield record(_PARSED, **reader.skipped())
