"""The delta feed of a store: a stream with a row for each quad that a commit adds or removes.

    feed(spark, store).writeStream.format("parquet") ...       spark.readStream.format("kgreason").load(store)

    commit  long      the number of the commit
    sign    int       1 for a row that appeared, -1 for a row that disappeared
    subject, predicate, object, graph  string      N-Triples syntax; graph "" is the default graph, the closure
    asserted  boolean  whether the row is asserted: a triple of the closure is, if it is asserted in some graph

A triple that turns asserted disappears as an inferred one and appears as an asserted one, and the other way round.

The stream reads the files of the store while another process writes, without a lock, as `kgreason watch` does
(`Follower`). The offset of the stream is the number of the last commit that it has read. It begins after the commit
`after`; with 0 the whole graph comes first.

Law: the sum of the signs of a quad, over all rows up to a commit, is 1 if the graph has the quad after this commit,
else 0. The same holds for a quad together with its flag. While the stream runs, a checkpoint of the writer loses no
rows, but several commits may come as one. A stopped stream can continue only while the journal has the commits after
its offset. Otherwise the stream fails: start another stream from 0, with another checkpoint folder. The driver must see
the folder of the store; a task that reads a batch again must see it, too.
Cost: a process beside the driver, which needs the memory of a graph without its store. Every row goes through this
process, and with `after` 0 the whole graph is the first batch. Each trigger of the stream looks at two files.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from kgreason.errors import InputError, StoreError
from kgreason.graph.changes.follower import FollowedCommit, Follower
from kgreason.graph.input.quads import quads_of_canonical_lines
from kgreason.terms.dictionary import Dictionary

Change: TypeAlias = tuple[int, int, str, str, str, str, bool]
"""A row of the feed: commit, sign, subject, predicate, object, graph, asserted."""


def feed(spark: SparkSession, store: str | PathLike[str], *, after: int = 0) -> DataFrame:
    """Make a streaming DataFrame with a row for each quad that a commit adds to a store or removes from it.

    Its columns are commit, sign (1 or -1), subject, predicate, object, graph and asserted. Inferred triples are rows,
    too, with asserted false. A triple that a named graph asserts is an asserted row of the default graph, too.

    The stream begins after the commit number `after`; with 0 the whole graph comes first. A query on the DataFrame
    fails, with StoreError in its text, if there is no store, or if the journal no longer has the commits after `after`.
    """
    spark.dataSource.register(Feed)
    return spark.readStream.format(Feed.name()).option("after", after).load(fspath(store))


class Feed(DataSource):  # type: ignore[misc]
    """The Spark data source `kgreason`, with the options `path` (of a store) and `after` (the number of a commit)."""

    @classmethod
    def name(cls) -> str:
        """Return the name for `spark.readStream.format`."""
        return "kgreason"

    def schema(self) -> str:
        """Return the columns of the feed, as the text of a Spark schema."""
        return "commit long, sign int, subject string, predicate string, object string, graph string, asserted boolean"

    def simpleStreamReader(self, schema: Any) -> FeedReader:  # noqa: ARG002, N802
        """Make the reader of the stream. Raises InputError if `path` is missing, or if `after` is not a number."""
        path, after = self.options.get("path", ""), self.options.get("after", "0")
        if not path:
            raise InputError("the data source `kgreason` needs the path of a store: .load(path)")
        if not after.isdecimal():
            raise InputError(f"the option `after` must be a whole number, got {after}")
        return FeedReader(path, int(after))


class FeedReader(SimpleDataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    """Reads the commits of the store at `path`, after the commit number `after`, for one stream, in one process."""

    def __init__(self, path: str, after: int) -> None:
        self._path, self._after = path, after
        self._follower: Follower | None = None
        self._is_to_end = self._is_at_end = False

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        """Return the offset at which a new stream begins: the commit `after`."""
        return {"commit": self._after}

    def read(self, start: dict[str, int]) -> tuple[Iterator[Change], dict[str, int]]:
        """Return the rows of all commits after the offset `start`, and the offset of the last commit.

        Raises StoreError.
        """
        if self._is_at_end:
            return iter(()), start
        self._is_at_end = self._is_to_end
        follower, self._follower = self._follower, None
        if follower is None or follower.commit != start["commit"]:
            follower = Follower(Path(self._path), start["commit"])
        rows = [row for commit in follower.commits() for row in _changes(commit)]
        self._follower = follower  # a follower that raised is not used again
        return iter(rows), {"commit": follower.commit}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Prepare for a query that ends: the next `read` returns all commits so far, and further ones return none."""
        self._is_to_end = True

    def readBetweenOffsets(self, start: dict[str, int], end: dict[str, int]) -> Iterator[Change]:  # noqa: N802
        """Yield again, after a restart, the rows of the commits after offset `start` up to offset `end`.

        Raises StoreError if the journal no longer has these commits.
        """
        if start == end:
            return
        for commit in Follower(Path(self._path), start["commit"]).commits():
            if commit.record.commit > end["commit"]:
                break
            yield from _changes(commit)
            if commit.record.commit == end["commit"]:
                return
        raise StoreError(
            f"{self._path}: the journal no longer has the commits after {start['commit']} up to {end['commit']};"
            " start the stream again with another checkpoint folder"
        )


def _changes(commit: FollowedCommit) -> Iterator[Change]:
    for sign, asserted, lines in commit.lines_by_kind():
        dictionary = Dictionary(())
        texts = iter(dictionary.decode(quads_of_canonical_lines(lines, dictionary).ravel()))
        for terms in zip(texts, texts, texts, texts, strict=True):
            yield (commit.record.commit, sign, *terms, asserted)
