"""`Terms`: all terms of the data, of the rules, and those that operators make.

Law: ids never change. A new term gets an id above the last id. New texts are divided into parts, and each part gives
ids to its texts, as in `encode/groups`. Cost: a job for new terms, and one join for the ids of texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial, reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import LimitError
from kgreason.spark.encode.groups import Batches, part_number
from kgreason.spark.folders.markers import largest, parquet, whole_table
from kgreason.terms.dictionary import MAX_ID

_TERMS = "id int, text string"


class Terms:
    """All terms, with columns id int, text string. `stored` has the terms in files, `fresh` (id -> text) all others.

    `last` is the largest id so far. New terms are written to `folder`. `made_from` identifies data, rules, and all else
    that decides in which order terms are made: if a stopped job with the same `made_from` has left terms in `folder`,
    they keep their ids, because the rounds on disk have them.
    """

    def __init__(self, stored: DataFrame, fresh: Mapping[int, str], last: int, folder: str, made_from: str) -> None:
        self._folder, self.last, self._spark = f"{folder}/{made_from}", last, stored.sparkSession
        table = pa.table({"id": pa.array(fresh.keys(), pa.int32()), "text": pa.array(fresh.values(), pa.string())})
        # Spark Connect does not take the schema of a table without rows from the table
        self._stored, self._fresh = stored, self._spark.createDataFrame(table, _TERMS)
        self._made: list[str] = []
        """The paths of the new terms."""

    @property
    def all(self) -> DataFrame:
        """All terms: those in files, and those in memory."""
        made = [parquet(self._spark, _TERMS, *self._made)] if self._made else []
        return reduce(DataFrame.union, [self._stored, *made, self._fresh])

    def with_ids(self, rows: DataFrame) -> DataFrame:
        """Add a column `id` to rows with a column `text`: the id of the term with this text, or 0 if the text is null.

        Rows without a text are not joined with the terms, because one task would get all of them.
        """
        known = rows.where("text IS NOT NULL").join(self.all, "text")
        return known.unionByName(rows.where("text IS NULL").withColumn("id", F.lit(0)))

    def intern(self, texts: DataFrame) -> int:
        """Give an id to each of `texts` (column text) that has none yet. Returns how many new ids were given.

        Raises LimitError if ids run out.
        """
        path = f"{self._folder}/part-{len(self._made)}"
        made, count = whole_table(self._spark, path, _TERMS, lambda: self._new(texts))
        self._made.append(path)
        if count:
            self.last = largest(made, "id")
        return count

    def _new(self, texts: DataFrame) -> DataFrame:
        """Return rows `id, text`: those of `texts` that have no id yet, with new ids."""
        unknown = texts.distinct().join(self.all, "text", "left_anti")
        parts = int(self._spark.conf.get("spark.sql.shuffle.partitions"))
        return unknown.repartition(parts, "text").mapInArrow(partial(_number_texts, self.last, parts), _TERMS)


def _number_texts(last: int, parts: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Give ids above `last` to texts, in the task of one of so many parts: rows id, text."""
    first = last + 1 + part_number()
    for batch in batches:
        ids = first + parts * np.arange(len(batch), dtype=np.int64)
        first += parts * len(batch)
        if len(ids) and ids[-1] > MAX_ID:
            raise LimitError(f"the rules make terms until the dictionary, with room for {MAX_ID:,}, is full")
        yield pa.RecordBatch.from_arrays([pa.array(ids.astype(np.int32)), batch.column("text")], ["id", "text"])
