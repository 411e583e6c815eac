"""`RemotePast`: the graph of a server as it was after a commit, for queries. `RemoteGraph.as_of` makes one.

Cost: for the first query the server makes a copy of the graph as it was after the commit, in the process that answers
the query.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from kgreason.graph.results.answers import QueryAnswer
from kgreason.graph.results.questions import Queryable


class RemotePast(Queryable):
    """A graph as it was after the commit `commit`. `ask_` is the function that sends a query to the server."""

    def __init__(self, commit: int, ask_: Callable[..., QueryAnswer]) -> None:
        self.commit, self._ask = commit, ask_

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: there is nothing to close, because the server keeps no state for this object."""

    def query(self, sparql: str, **options: Any) -> QueryAnswer:
        """Return the results of a SPARQL query; see `RemoteGraph.query`.

        Raises HistoryError if the history does not have the commit.
        """
        return self._ask(sparql, as_of=self.commit, **options)
