"""`Terms`: the terms of encoded data, which grow when operators make new ones.

    texts -> without the known ones -> sorted within their partitions -> numbered by counts and offsets -> Parquet

Law: ids never change, and a new term gets an id that follows the last one. The same texts get the same ids when a job
starts again. Cost: `intern` joins the texts with all terms, and runs two small jobs if there are new ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import LimitError
from kgreason.terms.dictionary import MAX_ID

_TERMS = "id int, text string"
_ROW_BITS = 33
"""`monotonically_increasing_id` has the number of the partition above these bits."""


class Terms:
    """All terms (id int, text string). `stored` are those in files; the others are `fresh`: id -> text."""

    def __init__(self, stored: DataFrame, fresh: Mapping[int, str], last: int, folder: str) -> None:
        self._folder, self._last, self._parts = folder, last, 0
        self.spark = stored.sparkSession
        self.stored, self._fresh = stored, self.spark.createDataFrame(list(fresh.items()), _TERMS)

    @property
    def all(self) -> DataFrame:
        """All terms."""
        return self.stored.union(self._fresh)

    def texts(self, ids: Sequence[int]) -> list[str]:
        """The texts of a few ids."""
        wanted = self.spark.createDataFrame([(number,) for number in ids], "id int").distinct()
        found = dict(self.all.join(F.broadcast(wanted), "id").select("id", "text").collect())
        return [found[number] for number in ids]

    def intern(self, texts: DataFrame) -> int:
        """Give ids to the texts (text string) that are no terms yet. Returns how many there are."""
        unknown = texts.distinct().join(self.all, "text", "left_anti")
        place = F.monotonically_increasing_id()
        numbered = unknown.repartition("text").sortWithinPartitions("text").withColumn("place", place).persist()
        try:
            part = F.shiftright("place", _ROW_BITS).cast("int").alias("part")
            counts = numbered.groupBy(part).count().orderBy("part").collect()
            if counts:
                self._write(numbered, part, counts)
            return sum(count for _, count in counts)
        finally:
            numbered.unpersist()

    def _write(self, numbered: DataFrame, part: object, counts: list[tuple[int, int]]) -> None:
        sums = list(accumulate((count for _, count in counts), initial=self._last + 1))
        if sums[-1] - 1 > MAX_ID:
            raise LimitError(f"the data and its rules have more than {MAX_ID:,} terms, and the dictionary has no room")
        offsets = [(number, offset) for (number, _), offset in zip(counts, sums, strict=False)]
        starts = F.broadcast(self.spark.createDataFrame(offsets, "part int, offset int"))
        row = F.col("place").bitwiseAND((1 << _ROW_BITS) - 1)
        identity = (row + F.col("offset")).cast("int").alias("id")
        path = f"{self._folder}/part-{self._parts}"
        numbered.withColumn("part", part).join(starts, "part").select(identity, "text").write.mode("overwrite").parquet(
            path
        )
        self._last, self._parts = sums[-1] - 1, self._parts + 1
        self.stored = self.stored.union(self.spark.read.schema(_TERMS).parquet(path))
