"""`read`: read RDF files in parallel, as a DataFrame of texts.

    local files    spark.range -> mapInArrow over `QuadReader.of_pieces`       tasks open the files; lines are cut
    other files    spark.read.text -> mapInArrow over `QuadReader.of_lines`    Spark splits the files

Columns: subject, predicate, object, graph: string, in canonical N-Triples text; an empty graph is the default graph.
A quad that is written twice gives two rows.

Law: the rows are the quads that `kgreason.rdf.reader` reads from the same files: literals as written, blank nodes by
file and label. The rows do not depend on how the files are split into tasks.
Cost: parsing, divided by the number of cores. Lines that Spark reads are sent to the Python workers once, as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Literal

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from kgreason.spark.cluster.workers import check_workers
from kgreason.spark.input.lines import QuadReader, Quads
from kgreason.spark.input.paths import LINE_FILES, FilePiece, Inputs, Paths, divide, sort, spark_path
from kgreason.spark.input.terms import QUAD, SCHEMA, record, texts
from kgreason.terms.dictionary import Dictionary

OnError = Literal["raise", "count"]
Batches = Iterator[pa.RecordBatch]
Interner = Callable[[pa.RecordBatch, Dictionary], Quads]
Task = Callable[[QuadReader, Interner, Batches], Batches]


def read(spark: SparkSession, paths: Paths, *, on_error: OnError = "raise") -> DataFrame:
    """Read RDF files, folders and patterns, in any mix of formats. Columns: subject, predicate, object, graph.

    A malformed line of N-Triples or N-Quads raises an error when the rows are computed. With `on_error="count"` this
    line is left out; `load` and `materialize` also count such lines. A malformed document in another format is always
    an error. Raises InputError for a missing path, for an unknown format, and for workers that cannot run kgreason.
    """
    inputs = sort(paths)
    check_workers(spark)
    return in_tasks(spark, inputs, on_error, _texts, SCHEMA)


def in_tasks(spark: SparkSession, inputs: Inputs, on_error: OnError, task: Task, schema: str) -> DataFrame:
    """Read files in tasks. `task` makes rows of `schema`: it gets batches, and a reader that makes quads of a batch."""
    skip, frames = on_error == "count", []
    if inputs.files:
        tasks = divide(inputs.files, int(spark.conf.get("spark.sql.shuffle.partitions")))
        numbers = spark.range(0, len(tasks), 1, len(tasks))
        frames.append(numbers.mapInArrow(partial(_run, task, skip, tasks), schema))
    if inputs.lines or inputs.remote:
        frames.append(_lines(spark, inputs).mapInArrow(partial(_run, task, skip, None), schema))
    return reduce(DataFrame.unionAll, frames)


def _run(task: Task, skip: bool, tasks: list[list[FilePiece]] | None, batches: Batches) -> Batches:
    reader = QuadReader(skip=skip)
    return task(reader, reader.of_lines if tasks is None else partial(reader.of_pieces, tasks), batches)


def _lines(spark: SparkSession, inputs: Inputs) -> DataFrame:
    """Return the lines, not parsed, of those inputs that Spark reads. Columns: line binary, file (a URI) string."""
    paths = [*map(spark_path, inputs.lines), *inputs.remote]
    text = spark.read.option("pathGlobFilter", LINE_FILES) if inputs.remote else spark.read
    return text.text(paths).select(
        F.col("value").cast("binary").alias("line"), F.col("_metadata.file_path").alias("file")
    )


def _texts(_: QuadReader, intern: Interner, batches: Batches) -> Batches:
    dictionary = Dictionary(())
    for batch in batches:
        for quads in intern(batch, dictionary):
            columns = map(texts(dictionary).take, map(pa.array, quads))
            yield record(SCHEMA, **dict(zip(QUAD, columns, strict=True)))
            dictionary.truncate(0)
