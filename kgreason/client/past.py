"""`RemotePast`: the graph of a server as it was after a commit, for queries. `RemoteGraph.as_of` makes one.

Cost: for the first query the server makes a copy of the graph as it was after the commit, in the process that answers
the query.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, Unpack

from pyoxigraph import QueryBoolean

from kgreason.graph.input.arguments import check_text
from kgreason.graph.knowledge_graph import QueryOptions
from kgreason.graph.results.answers import Found, Solutions, Triples, of_form


class RemotePast:
    """A graph as it was after the commit `commit`. `ask_` is the function that sends a query to the server."""

    def __init__(self, commit: int, ask_: Callable[..., Found]) -> None:
        self.commit, self._ask = commit, ask_

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: there is nothing to close, because the server keeps no state for this object."""

    def query(self, sparql: str, **options: Any) -> Found:
        """Return the results of a SPARQL query; see `RemoteGraph.query`.

        Raises HistoryError if the history does not have the commit.
        """
        return self._ask(sparql, as_of=self.commit, **options)

    def select(self, sparql: str, **options: Unpack[QueryOptions]) -> Solutions:
        """Return the solutions of a SELECT query. Raises QueryError for a query that is not a SELECT."""
        check_text("select", "a SELECT query", sparql)
        return of_form(self.query(sparql, **options), Solutions)

    def ask(self, sparql: str, **options: Unpack[QueryOptions]) -> bool:
        """Return the answer of an ASK query. Raises QueryError for a query that is not an ASK."""
        check_text("ask", "an ASK query", sparql)
        return bool(of_form(self.query(sparql, **options), QueryBoolean))

    def construct(self, sparql: str, **options: Unpack[QueryOptions]) -> Triples:
        """Return the triples of a CONSTRUCT or DESCRIBE query. Raises QueryError for a SELECT or an ASK."""
        check_text("construct", "a CONSTRUCT or DESCRIBE query", sparql)
        return of_form(self.query(sparql, **options), Triples)
