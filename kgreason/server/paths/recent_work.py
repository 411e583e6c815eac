"""`Recent`: how long the last commits took, and the slowest queries since the server began.

Threads: everything here belongs to the event loop. Cost: some hundred small records.
"""

from __future__ import annotations

import time
from bisect import insort
from collections import deque
from typing import Any, NamedTuple

_COMMITS, _QUERIES, _TEXT = 200, 20, 2_000


class SlowQuery(NamedTuple):
    """A query in the list of slow queries.

    `negative` is minus the seconds until its first rows came, so that the slowest query is the first in order. `begun`
    is the time when it began, in seconds since 1970. `text` is the query; the end of a long query is cut off.
    """

    negative: float
    begun: float
    text: str


class Recent:
    """Keeps how long the last commits took, and the slowest queries of a server."""

    def __init__(self) -> None:
        self.begun = time.time()
        self.commits: deque[dict[str, Any]] = deque(maxlen=_COMMITS)
        self.queries: list[SlowQuery] = []

    def note_commit(self, commit: int, seconds: float, waited: float) -> None:
        """Note a commit: how long its request took, and how much of this time it waited for other edits."""
        self.commits.append({"commit": commit, "seconds": seconds, "waited": waited})

    def note_query(self, text: str, seconds: float) -> None:
        """Note a query, and how many seconds passed until its first rows came."""
        insort(self.queries, SlowQuery(-seconds, time.time() - seconds, text[:_TEXT]))
        del self.queries[_QUERIES:]
