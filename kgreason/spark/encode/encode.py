"""`encode`: replace the terms of quads by ids, and make the dictionary as a table. Every step is distributed.

    files                -> grouped    one pass over the input: ids that are valid in a group of rows
    grouped              -> numbered   one shuffle of texts, in cells: each text once for each group
    grouped, numbered    -> facts      one shuffle of ids, in cells: the triples of each group get their ids

`group` ends after the first step; then the driver gives the ids (`dictionary.quads_of_groups`).

Right of each arrow is the table that a step makes. Each table is written to disk before the next table is made from it.
So numbers are never computed twice, and a job that was stopped continues after the last whole table (`markers`). The
tables of one input are in a folder whose name is a digest of this input.

Laws: each term has one id, and the terms of `VOCABULARY` have their usual ids. If the facts are decoded, they are the
triples of all graphs; each group has a triple once. Two runs over the same input may number terms differently, but not
in the same folder.

Cost: three jobs, proportional to the input. A *part* is the texts that one task numbers: some millions at most, so that
the task can hold them.
"""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from kgreason.spark.encode.groups import (
    BUCKETS,
    FACTS,
    GROUPED,
    NUMBERED,
    group_quads,
    number_texts,
    rename_quads,
)
from kgreason.spark.folders.markers import whole_table
from kgreason.spark.input.lines import Malformed
from kgreason.spark.input.paths import LINE_FILES, Inputs, Paths, sort
from kgreason.spark.input.read import OnError, in_tasks
from kgreason.spark.input.terms import record
from kgreason.terms.vocabulary import VOCABULARY

_LAYOUT = 4
"""The version of the layout of these tables; another version has other folders."""
_LEAST, _MOST = 2, 8
"""On average a part has as many texts as 2 groups, or more, but at most as 8: half a gigabyte. A part has at least one
bucket, so beyond 8 * BUCKETS groups it has more."""


class Grouped(NamedTuple):
    """Data whose terms have ids that are valid in a group of rows, and the skipped lines of each file.

    `table` has `size` rows with the columns `groups.GROUPED`. It is read from Parquet in `folder`, which no other
    input has.
    """

    table: DataFrame
    size: int
    folder: str
    skipped: list[Malformed]


class Encoded(NamedTuple):
    """Encoded data: tables that are read from Parquet, the number of facts, and the skipped lines of each file.

    `terms` has the columns id int, text string. `facts` has s, p, o int: the triples of all graphs. A triple that many
    groups have is there many times, and `size` counts it as often. No other encoding has the same `identity`, even of
    the same input.
    """

    terms: DataFrame
    facts: DataFrame
    size: int
    identity: str
    skipped: list[Malformed]


def group(spark: SparkSession, paths: Paths, folder: str, *, on_error: OnError = "raise") -> Grouped:
    """Do the first step of `encode`: parse, and give each term an id for each group of rows. No text is shuffled.

    Arguments and errors are those of `encode`, which continues from the same folder.
    """
    inputs = sort(paths)
    place = f"{folder.rstrip('/')}/{_digest(spark, inputs, on_error)[:16]}"
    table, size = whole_table(
        spark, f"{place}/grouped", GROUPED, lambda: in_tasks(spark, inputs, on_error, group_quads, GROUPED)
    )
    skipped = list[Malformed]()
    if on_error == "count":
        lines = table.where(F.col("file").isNotNull()).groupBy("file").agg(F.sum("lines"), F.min("example"))
        skipped = sorted(Malformed(*row) for row in lines.collect())
    return Grouped(table, size, place, skipped)


def encode(spark: SparkSession, paths: Paths, folder: str, *, on_error: OnError = "raise") -> Encoded:
    """Replace the terms of RDF files (see `read`) by ids.

    The tables of the result are written below `folder`; tables of an earlier run with the same input are used again. A
    malformed line raises RdfSyntaxError with file and line; with `on_error="count"` it is skipped and counted. Raises
    InputError for a missing path, LimitError if ids run out, StoreError for a full disk.
    """
    groups, count, place, skipped = group(spark, paths, folder, on_error=on_error)
    numbers, _ = whole_table(spark, f"{place}/numbered", NUMBERED, lambda: _numbered_table(groups, count))
    facts, count = whole_table(spark, f"{place}/facts", FACTS, lambda: _facts_table(groups, numbers))
    terms = numbers.where(F.col("text").isNotNull()).select("id", "text")
    files = sorted(numbers.inputFiles())  # Spark never uses a name of a file twice
    return Encoded(terms, facts, count, hashlib.sha256(repr(files).encode()).hexdigest(), skipped)


def _digest(spark: SparkSession, inputs: Inputs, on_error: OnError) -> str:
    """Return what identifies the input of `encode`: names, sizes and modification times of files, and `on_error`."""
    states = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in inputs.lines + inputs.files]
    remote = list[str]()
    if inputs.remote:
        files = spark.read.format("binaryFile").option("pathGlobFilter", LINE_FILES).load(inputs.remote)
        remote = sorted(map(str, files.select("path", "length", "modificationTime").collect()))
    return hashlib.sha256(json.dumps([states, remote, [_LAYOUT, VOCABULARY, on_error]]).encode()).hexdigest()


def _numbered_table(groups: DataFrame, count: int) -> DataFrame:
    """Return the table `numbered`: an id for each text of all groups. `count` is the number of rows of `groups`.

    The buckets are divided into parts, and one task numbers a part.
    """
    spark, parts = groups.sparkSession, _parts(groups.sparkSession, count // BUCKETS)
    own = record(NUMBERED, id=pa.array(range(1, len(VOCABULARY) + 1), pa.int32()), text=pa.array(VOCABULARY))
    vocabulary = spark.createDataFrame(pa.Table.from_batches([own])).coalesce(1)
    names = groups.where(F.col("texts").isNotNull()).select("group", "bucket", "first", "texts")
    names = names.repartitionById(parts, F.col("bucket") % parts)
    return names.mapInArrow(partial(number_texts, parts), NUMBERED).unionAll(vocabulary)


def _parts(spark: SparkSession, groups: int) -> int:
    """Return the number of parts into which to divide the buckets of so many groups.

    The result is Spark's setting for shuffles, unless parts would be very small or very large.
    """
    usual = int(spark.conf.get("spark.sql.shuffle.partitions"))
    return min(BUCKETS, max(1, min(usual, groups // _LEAST), groups // _MOST))


def _facts_table(groups: DataFrame, numbers: DataFrame) -> DataFrame:
    rows = groups.where(F.col("quads").isNotNull()).select("group", "quads")
    names = numbers.where(F.col("ids").isNotNull()).select("group", "first", "ids")
    return rows.groupBy("group").cogroup(names.groupBy("group")).applyInArrow(rename_quads, FACTS)
