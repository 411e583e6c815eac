"""`Terms`: the terms of encoded data, which grow when operators make new ones.

    texts -> without known terms -> sorted within their partitions -> numbered by counts and offsets -> Parquet

Law: ids never change, and a new term gets an id that follows the last one. If a job was stopped and starts again, it
uses the ids that it has written before, because the rounds on disk have these ids. Cost: `intern` joins the texts with
all terms, and runs some small jobs.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import LimitError
from kgreason.spark.folders.markers import count_rows, mark, marked, parquet
from kgreason.terms.dictionary import MAX_ID

_TERMS = "id int, text string"
_WHOLE = "made_from string, rows bigint"
_ROW_BITS = 33
"""How many low bits of `monotonically_increasing_id` count rows; the bits above are the number of the partition."""


class Terms:
    """All terms, with columns id int, text string. `stored` has the terms in files, `fresh` (id -> text) all others.

    `last` is the largest id so far. New terms are written to `folder`. `made_from` identifies the rules: if a stopped
    job with the same `made_from` has left terms in `folder`, these terms keep their ids.
    """

    def __init__(self, stored: DataFrame, fresh: Mapping[int, str], last: int, folder: str, made_from: str) -> None:
        self._folder, self._last, self._parts, self._made_from = folder, last, 0, made_from
        self._spark = stored.sparkSession
        self._stored, self._fresh = stored, self._spark.createDataFrame(list(fresh.items()), _TERMS)
        self._made: list[str] = []
        """The paths of the files with new terms."""

    @property
    def last(self) -> int:
        """The largest id so far."""
        return self._last

    @property
    def all(self) -> DataFrame:
        """All terms: those in files, and those in memory."""
        made = parquet(self._spark, _TERMS, *self._made) if self._made else self._fresh.limit(0)
        return self._stored.union(made).union(self._fresh)

    def identified(self, rows: DataFrame) -> DataFrame:
        """Add a column `id` to rows with a column `text`: the id of the term with this text, or 0 if the text is null.

        Rows without a text are not joined with the terms, because one task would get all of them.
        """
        known = rows.where("text IS NOT NULL").join(self.all, "text")
        return known.unionByName(rows.where("text IS NULL").withColumn("id", F.lit(0)))

    def intern(self, texts: DataFrame) -> int:
        """Give an id to each of `texts` (column text) that has none yet. Returns how many new ids were given."""
        path = f"{self._folder}/part-{self._parts}"
        self._parts += 1
        found = marked(self._spark, f"{path}.whole", _WHOLE)
        if found and found.made_from != self._made_from:  # of other rules: writing makes its terms unfinished
            mark(self._spark, f"{path}.whole", _WHOLE, None)
            found = None
        count: int = found.rows if found else self._written(texts, path)
        if count:
            self._made.append(path)
            self._last += count
        return count

    def _written(self, texts: DataFrame, path: str) -> int:
        """Write those of `texts` that have no id yet to a file at `path`, with new ids. Returns how many there are."""
        unknown = texts.distinct().join(self.all, "text", "left_anti").sortWithinPartitions("text")
        placed = unknown.withColumn("place", F.monotonically_increasing_id())
        placed.write.mode("overwrite").parquet(f"{path}.texts")
        placed = parquet(self._spark, placed.schema, f"{path}.texts")
        count = count_rows(self._spark, f"{path}.texts", placed)
        if self._last + count > MAX_ID:
            raise LimitError(f"the rules make more than {MAX_ID:,} terms, and the dictionary has no room")
        if count:
            self._numbered(placed).write.mode("overwrite").parquet(path)
        mark(self._spark, f"{path}.whole", _WHOLE, (self._made_from, count))
        return count

    def _numbered(self, placed: DataFrame) -> DataFrame:
        """Return rows `id, text`: the texts with the ids that follow the last id. `placed` has rows `text, place`."""
        part = F.shiftright("place", _ROW_BITS).cast("int").alias("part")
        counts = placed.groupBy(part).count().orderBy("part").collect()
        sums = accumulate((count for _, count in counts), initial=0)
        offsets = [(number, self._last + 1 + sum_) for (number, _), sum_ in zip(counts, sums, strict=False)]
        starts = F.broadcast(self._spark.createDataFrame(offsets, "part int, offset int"))
        row = F.col("place").bitwiseAND((1 << _ROW_BITS) - 1)
        joined = placed.withColumn("part", part).join(starts, "part")
        return joined.select((row + F.col("offset")).cast("int").alias("id"), "text")
