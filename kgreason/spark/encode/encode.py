"""`encode`: replace the terms of quads by ids, and make the dictionary as a table. Every step is distributed.

    quads                -> grouped    one pass over the input: ids that are valid in a group of rows
    grouped              -> numbered   one shuffle of texts: each text once for each group
    numbered             -> terms      (id, text): running sums over the parts make numbers dense
    grouped, numbered    -> quads      one shuffle of ids: the rows of each group get their ids
    quads                -> facts      distinct triples over all graphs

`group` ends after the first step; then the driver gives the ids (`dictionary.quads_of_groups`).

Right of each arrow is the table that a step makes. Each table is written to disk before the next table is made from it.
So numbers are never computed twice, and a job that was stopped continues after the last complete table (`stages`).

Laws: ids are dense from 1, each term has one id, and the terms of `VOCABULARY` have their usual ids. If the quads are
decoded, they are the given quads, each as often as it was given. Two runs over the same input may number terms
differently, but not in the same folder.

Cost: proportional to the input. A *part* is the texts that one task numbers: some millions at most, so that the task
can hold them. The driver holds one number for each part.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property, partial, reduce
from itertools import accumulate
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from kgreason.errors import InputError, LimitError
from kgreason.spark.encode.groups import (
    GROUPED,
    NUMBERED,
    QUADS,
    SEEDED,
    grouped_lines,
    grouped_texts,
    numbered,
    renamed,
)
from kgreason.spark.folders.fingerprint import fingerprint
from kgreason.spark.folders.stages import Stages
from kgreason.spark.input.lines import Malformed
from kgreason.spark.input.paths import LINE_FILES, Inputs, Paths, sort
from kgreason.spark.input.read import OnError, documents_of, lines_of, merged
from kgreason.spark.input.terms import QUAD
from kgreason.terms.dictionary import MAX_ID
from kgreason.terms.vocabulary import VOCABULARY

_TERMS = "id int, text string"
_FACTS = "s int, p int, o int"
_LAYOUT = 1
"""The version of the layout of these tables; a folder with another version is refused."""
_EXTRA = -1
"""The number of the group for the terms `extra`, which get ids although no quad has them."""
_MOST = 2_000_000
"""The largest average number of (group, text) pairs in a part."""
_LEAST = 50_000
"""A part should have at least this many pairs on average."""


class Grouped(NamedTuple):
    """Data whose terms have ids that are valid in a group of rows, and the skipped lines of each file.

    `table` has the columns `groups.GROUPED`. It is read from Parquet.
    """

    table: DataFrame
    skipped: list[Malformed]


class Encoded(NamedTuple):
    """Encoded data: three tables that are read from Parquet, and the skipped lines of each file.

    `terms` has the columns id int, text string. `quads` has s, p, o, g int, and each quad as often as it was given; g
    is 0 for the default graph. `facts` has s, p, o int: the triples of all graphs, each once.
    """

    terms: DataFrame
    quads: DataFrame
    facts: DataFrame
    skipped: list[Malformed]


def group(spark: SparkSession, quads: DataFrame | Paths, folder: str, *, on_error: OnError = "raise") -> Grouped:
    """Do the first step of `encode`: parse, and give each term an id for each group of rows. No text is shuffled.

    Arguments and errors are those of `encode`, which continues from the same folder.
    """
    return _begun(spark, quads, folder, (), on_error)[1]


def encode(
    spark: SparkSession,
    quads: DataFrame | Paths,
    folder: str,
    extra: Sequence[str] = (),
    *,
    on_error: OnError = "raise",
) -> Encoded:
    """Replace the terms of quads by ids. `quads` are the paths of RDF files (see `read`), or a DataFrame.

    The DataFrame has the columns subject, predicate, object, graph, in N-Triples text. The tables of the result are
    written below `folder`; tables of an earlier run with the same input are used again. The terms of `extra` get ids
    even if no quad has them. A malformed line raises RdfSyntaxError with file and line; with `on_error="count"` it is
    skipped and counted. Raises InputError for a missing path and for a folder with tables of other input, LimitError if
    ids run out, StoreError for a full disk.
    """
    stages, (groups, skipped) = _begun(spark, quads, folder, extra, on_error)
    numbers = stages.written("numbered", NUMBERED, lambda: _numbered(spark, groups, extra))
    ids = _Ids(spark, numbers)
    terms = stages.written("terms", _TERMS, ids.terms)
    rows = stages.written("quads", QUADS, lambda: _renamed(groups, ids.names()))
    facts = stages.written("facts", _FACTS, lambda: rows.select("s", "p", "o").distinct())
    return Encoded(terms, rows, facts, skipped)


def _begun(
    spark: SparkSession, quads: DataFrame | Paths, folder: str, extra: Sequence[str], on_error: OnError
) -> tuple[Stages, Grouped]:
    """Return the tables below `folder`, and the first of them, with the skipped lines."""
    given = _table(quads) if isinstance(quads, DataFrame) else sort(quads)
    stages = Stages(spark, folder, _made_from(spark, given, extra, on_error))
    groups = stages.written("grouped", GROUPED, lambda: _grouped(spark, given, on_error == "count"))
    return stages, Grouped(groups, _skipped(groups) if on_error == "count" else [])


def _table(quads: DataFrame) -> DataFrame:
    """Return only the columns subject, predicate, object, graph. Raises InputError if one of them is missing."""
    if missing := [name for name in QUAD if name not in quads.columns]:
        raise InputError(f"quads need the columns {', '.join(QUAD)}; {missing[0]} is missing")
    return quads.select(*QUAD)


def _made_from(spark: SparkSession, given: DataFrame | Inputs, extra: Sequence[str], on_error: OnError) -> str:
    """Return a digest that identifies the input of `encode`.

    It depends on `given`, that is, on the rows of a DataFrame or the names, sizes and modification times of files. It
    also depends on `extra` and `on_error`.
    """
    kept = [_LAYOUT, VOCABULARY, list(extra), on_error]
    if isinstance(given, DataFrame):
        return fingerprint(kept, given)
    states = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in given.lines + given.documents]
    return hashlib.sha256(json.dumps([states, _remote(spark, given.remote), kept]).encode()).hexdigest()


def _remote(spark: SparkSession, paths: list[str]) -> list[str]:
    """Return a text for each file that `paths`, on other file systems, stand for: name, size and modification time."""
    if not paths:
        return []
    files = spark.read.format("binaryFile").option("pathGlobFilter", LINE_FILES).load(paths)
    return sorted(map(str, files.select("path", "length", "modificationTime").collect()))


def _grouped(spark: SparkSession, given: DataFrame | Inputs, skip: bool) -> DataFrame:
    if isinstance(given, DataFrame):
        return given.mapInArrow(grouped_texts, GROUPED)
    frames = []
    if given.has_lines():
        frames.append(lines_of(spark, given).mapInArrow(partial(grouped_lines, skip), GROUPED))
    if given.documents:
        frames.append(documents_of(spark, given).mapInArrow(grouped_texts, GROUPED))
    return reduce(DataFrame.unionAll, frames)


def _skipped(groups: DataFrame) -> list[Malformed]:
    """Return the skipped lines in the table `grouped`, added up for each file."""
    rows = groups.where(F.col("file").isNotNull()).groupBy("file").agg(F.sum("lines"), F.min("example")).collect()
    return merged(Malformed(*row) for row in rows)


def _numbered(spark: SparkSession, groups: DataFrame, extra: Sequence[str]) -> DataFrame:
    """Return the table `numbered`: a number for each text of all groups, and for the texts of `extra`.

    The texts are shuffled into parts, and one task numbers a part.
    """
    names = groups.where(F.col("local").isNotNull()).select("group", "local", "text")
    parts = _parts(spark, names.count())
    if extra:
        names = names.unionAll(spark.createDataFrame([(_EXTRA, 0, text) for text in extra], names.schema))
    return names.repartition(parts, "text").mapInArrow(numbered, NUMBERED)


def _parts(spark: SparkSession, texts: int) -> int:
    """Return the number of parts into which to shuffle the texts. `texts` is the number of texts.

    The result is Spark's setting for shuffles, unless parts would be very small or very large.
    """
    usual = int(spark.conf.get("spark.sql.shuffle.partitions"))
    return max(1, min(usual, texts // _LEAST), texts // _MOST)


class _Ids:
    """Turns the numbers of texts, which are valid in one part, into ids. `numbers` is the table `numbered`."""

    def __init__(self, spark: SparkSession, numbers: DataFrame) -> None:
        self._spark, self._numbers = spark, numbers

    @cached_property
    def _offsets(self) -> DataFrame:
        """The offset of each part, as rows part int, offset int. Raises LimitError if ids run out.

        The id of a text outside of `VOCABULARY` is its number in a part plus the offset of this part.
        """
        parts = self._numbers.groupBy("part").agg(F.max("number")).orderBy("part").collect()
        sums = list(accumulate((max(0, most - SEEDED) for _, most in parts), initial=0))
        if sums[-1] + SEEDED > MAX_ID:
            raise LimitError(
                f"the data has {sums[-1] + SEEDED:,} terms, but the dictionary cannot hold more than {MAX_ID:,}"
            )
        offsets = [(part, offset) for (part, _), offset in zip(parts, sums, strict=False)]
        return F.broadcast(self._spark.createDataFrame(offsets, "part int, offset int"))

    def _with_id(self, numbers: DataFrame) -> DataFrame:
        is_own = F.col("number") > SEEDED
        identity = F.when(is_own, F.col("number") + F.col("offset")).otherwise(F.col("number"))
        return numbers.join(self._offsets, "part").withColumn("id", identity)

    def terms(self) -> DataFrame:
        """Return the table `terms`: rows id int, text string."""
        vocabulary = self._spark.createDataFrame(list(enumerate(VOCABULARY, 1)), _TERMS).coalesce(1)
        return vocabulary.unionAll(self._with_id(self._numbers.where(F.col("text").isNotNull())).select("id", "text"))

    def names(self) -> DataFrame:
        """Return a row for each local id, with the columns `group` long, `local` int, `id` int.

        A local id is valid only in its group.
        """
        of_rows = self._numbers.where(F.col("group") >= 0)
        return self._with_id(of_rows).select("group", "local", "id")


def _renamed(groups: DataFrame, names: DataFrame) -> DataFrame:
    rows = groups.where(F.col("quads").isNotNull()).select("group", "quads")
    return rows.groupBy("group").cogroup(names.groupBy("group")).applyInArrow(renamed, QUADS)
