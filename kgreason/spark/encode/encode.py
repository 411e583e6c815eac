"""`encode`: replace the terms of quads by ids, and make the dictionary as a table. Every step is distributed.

    quads                -> grouped    one pass over the input: ids that are valid in a group of rows
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

from kgreason.errors import InputError
from kgreason.spark.encode.groups import (
    BUCKETS,
    FACTS,
    GROUPED,
    NUMBERED,
    grouped_files,
    grouped_texts,
    numbered,
    renamed,
)
from kgreason.spark.folders.markers import whole
from kgreason.spark.input.lines import Malformed
from kgreason.spark.input.paths import LINE_FILES, Inputs, Paths, sort
from kgreason.spark.input.read import OnError, in_tasks
from kgreason.spark.input.terms import QUAD, record
from kgreason.terms.vocabulary import VOCABULARY

_LAYOUT = 3
"""The version of the layout of these tables; another version has other folders."""
_LEAST, _MOST = 2, 8
"""On average a part has as many texts as 2 groups, or more, but at most as 8: half a gigabyte. A part has at least one
bucket, so beyond 8 * BUCKETS groups it has more."""


class Grouped(NamedTuple):
    """Data whose terms have ids that are valid in a group of rows, and the skipped lines of each file.

    `table` has the columns `groups.GROUPED`. It is read from Parquet.
    """

    table: DataFrame
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


def group(spark: SparkSession, quads: DataFrame | Paths, folder: str, *, on_error: OnError = "raise") -> Grouped:
    """Do the first step of `encode`: parse, and give each term an id for each group of rows. No text is shuffled.

    Arguments and errors are those of `encode`, which continues from the same folder.
    """
    given, folder = _given(spark, quads, folder, on_error)
    groups, _ = whole(spark, f"{folder}/grouped", GROUPED, lambda: _grouped(spark, given, on_error))
    return Grouped(groups, _skipped(groups, on_error))


def encode(spark: SparkSession, quads: DataFrame | Paths, folder: str, *, on_error: OnError = "raise") -> Encoded:
    """Replace the terms of quads by ids. `quads` are the paths of RDF files (see `read`), or a DataFrame.

    The DataFrame has the columns subject, predicate, object, graph, in N-Triples text. The tables of the result are
    written below `folder`; tables of an earlier run with the same input are used again. A malformed line raises
    RdfSyntaxError with file and line; with `on_error="count"` it is skipped and counted. Raises InputError for a
    missing path, LimitError if ids run out, StoreError for a full disk.
    """
    given, folder = _given(spark, quads, folder, on_error)
    groups, count = whole(spark, f"{folder}/grouped", GROUPED, lambda: _grouped(spark, given, on_error))
    numbers, _ = whole(spark, f"{folder}/numbered", NUMBERED, lambda: _numbered(groups, count))
    facts, count = whole(spark, f"{folder}/facts", FACTS, lambda: _renamed(groups, numbers))
    terms = numbers.where(F.col("text").isNotNull()).select("id", "text")
    files = sorted(numbers.inputFiles())  # Spark never uses a name of a file twice
    identity = hashlib.sha256(repr(files).encode()).hexdigest()
    return Encoded(terms, facts, count, identity, _skipped(groups, on_error))


def _given(
    spark: SparkSession, quads: DataFrame | Paths, folder: str, on_error: OnError
) -> tuple[DataFrame | Inputs, str]:
    """Return the input, and the folder of its tables, which no other input has."""
    given = _table(quads) if isinstance(quads, DataFrame) else sort(quads)
    return given, f"{folder.rstrip('/')}/{_made_from(spark, given, on_error)[:16]}"


def _table(quads: DataFrame) -> DataFrame:
    """Return only the columns subject, predicate, object, graph. Raises InputError if one of them is missing."""
    if missing := [name for name in QUAD if name not in quads.columns]:
        raise InputError(f"quads need the columns {', '.join(QUAD)}; {missing[0]} is missing")
    return quads.select(*QUAD)


def _made_from(spark: SparkSession, given: DataFrame | Inputs, on_error: OnError) -> str:
    """Return a digest that identifies the input of `encode`.

    It depends on `given`, that is, on the rows of a DataFrame or the names, sizes and modification times of files. It
    also depends on `on_error`.
    """
    kept = [_LAYOUT, VOCABULARY, on_error]
    if isinstance(given, DataFrame):
        value = F.xxhash64(*QUAD)
        parts = (F.count("*"), F.bit_xor(value), F.sum(F.shiftright(value, 24)))  # a sum of so few bits stays a bigint
        return hashlib.sha256(repr((kept, *given.agg(*parts).collect())).encode()).hexdigest()
    states = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in given.lines + given.files]
    return hashlib.sha256(json.dumps([states, _remote(spark, given.remote), kept]).encode()).hexdigest()


def _remote(spark: SparkSession, paths: list[str]) -> list[str]:
    """Return a text for each file that `paths`, on other file systems, stand for: name, size and modification time."""
    if not paths:
        return []
    files = spark.read.format("binaryFile").option("pathGlobFilter", LINE_FILES).load(paths)
    return sorted(map(str, files.select("path", "length", "modificationTime").collect()))


def _grouped(spark: SparkSession, given: DataFrame | Inputs, on_error: OnError) -> DataFrame:
    if isinstance(given, DataFrame):
        return given.mapInArrow(grouped_texts, GROUPED)
    return in_tasks(spark, given, on_error, grouped_files, GROUPED)


def _skipped(groups: DataFrame, on_error: OnError) -> list[Malformed]:
    """Return the skipped lines in the table `grouped`, added up for each file."""
    if on_error == "raise":
        return []
    rows = groups.where(F.col("file").isNotNull()).groupBy("file").agg(F.sum("lines"), F.min("example")).collect()
    return sorted(Malformed(*row) for row in rows)


def _numbered(groups: DataFrame, count: int) -> DataFrame:
    """Return the table `numbered`: an id for each text of all groups. `count` is the number of rows of `groups`.

    The buckets are divided into parts, and one task numbers a part.
    """
    spark, parts = groups.sparkSession, _parts(groups.sparkSession, count // BUCKETS)
    own = record(NUMBERED, id=pa.array(range(1, len(VOCABULARY) + 1), pa.int32()), text=pa.array(VOCABULARY))
    vocabulary = spark.createDataFrame(pa.Table.from_batches([own])).coalesce(1)
    names = groups.where(F.col("texts").isNotNull()).select("group", "bucket", "first", "texts")
    names = names.repartitionById(parts, F.col("bucket") % parts)
    return names.mapInArrow(partial(numbered, parts), NUMBERED).unionAll(vocabulary)


def _parts(spark: SparkSession, groups: int) -> int:
    """Return the number of parts into which to divide the buckets of so many groups.

    The result is Spark's setting for shuffles, unless parts would be very small or very large.
    """
    usual = int(spark.conf.get("spark.sql.shuffle.partitions"))
    return min(BUCKETS, max(1, min(usual, groups // _LEAST), groups // _MOST))


def _renamed(groups: DataFrame, numbers: DataFrame) -> DataFrame:
    rows = groups.where(F.col("quads").isNotNull()).select("group", "quads")
    names = numbers.where(F.col("ids").isNotNull()).select("group", "first", "ids")
    return rows.groupBy("group").cogroup(names.groupBy("group")).applyInArrow(renamed, FACTS)
