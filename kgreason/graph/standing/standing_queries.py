"""`StandingQueries`: standing queries that share limits on their time after each commit, and on the text of their rows.

    a commit -> the queries, those that were fast last time first -> no time is left: the others end, with the reason

So the queries that take longest are dropped. A query that begins is refused if it and the others would take too long.
Laws: after a commit the queries take at most `seconds` together, and the time to notice that they are over. Their rows
never have more than `most` characters together: the query whose row would be too much ends, with the reason. Threads:
`on_commit` and `join` need the graph's lock, and `leave` does not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from kgreason.errors import QueryError, QueryTimeoutError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.standing.standing_query import StandingQuery


class StandingQueries:
    """The standing queries that may take `seconds` together after each commit.

    `most` is the largest number of characters of their rows together. `process_bytes` is how many bytes of memory the
    process may take that evaluates a query over a store on disk. None is no limit.
    """

    def __init__(self, seconds: float, most: int | None = None, process_bytes: int | None = None) -> None:
        self.seconds, self.most, self.process_bytes = seconds, most, process_bytes
        self._queries: dict[StandingQuery, None] = {}
        self._apart: dict[StandingQuery, None] = {}
        self._until: float | None = None

    def __len__(self) -> int:
        """The number of the queries."""
        return len(self._queries)

    def seconds_left(self) -> float:
        """Return how many seconds are left for the present commit. Raises QueryTimeoutError if none is left."""
        left = self.seconds if self._until is None else self._until - time.monotonic()
        if left <= 0:
            raise QueryTimeoutError("no time is left")
        return left

    def characters_left(self) -> float:
        """Return how many characters more the rows may have."""
        return math.inf if self.most is None else self.most - sum(each.size for each in [*self._queries, *self._apart])

    def join(self, query: StandingQuery, subscribe: Callable[[Callable[[Delta], object]], object]) -> None:
        """Add a query that has begun. `subscribe` subscribes to the commits of the graph; the first query does that.

        Raises QueryTimeoutError if the queries would take too long together.
        """
        others = sum(each.seconds for each in list(self._queries))
        if others + query.seconds > self.seconds:
            query.close()
            raise self._timeout_error(f"this one takes {query.seconds:.2g} s, and the others take {others:.2g} s")
        if not hasattr(self, "_end"):
            self._end = subscribe(self.on_commit)
        self._queries[query] = None
        query.end = lambda: self.leave(query)

    def count_rows(self, query: StandingQuery) -> None:
        """Count the rows of a query that is renewed elsewhere, and takes no time after a commit. Any thread may."""
        self._apart[query] = None
        query.end = lambda: self.leave(query)

    def leave(self, query: StandingQuery) -> None:
        """Drop a query that has ended. Any thread may call this."""
        self._queries.pop(query, None)
        self._apart.pop(query, None)

    def on_commit(self, delta: Delta) -> None:
        """Let the queries tell what a commit changed in their rows. End those for which no time is left."""
        self._until = time.monotonic() + self.seconds
        try:
            for query in sorted(self._queries, key=lambda each: each.seconds):
                query.on_commit(delta, self._group_error, self.seconds_left)
        finally:
            self._until = None

    def _group_error(self, error: QueryError) -> QueryError:
        if not isinstance(error, QueryTimeoutError):
            return error
        return self._timeout_error("others were faster, and no time was left for this one")

    def _timeout_error(self, why: str) -> QueryTimeoutError:
        text = f"the standing queries together may not take longer than {self.seconds:g} s after a commit"
        return QueryTimeoutError(f"{text}: {why}")
