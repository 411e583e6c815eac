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
    """The graph after commit `commit`; `ask_` asks the server a query about it."""

    def __init__(self, commit: int, ask_: Callable[..., Found]) -> None:
        self.commit, self._ask = commit, ask_

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: the server keeps nothing for this graph."""

    def query(self, sparql: str, **options: Any) -> Found:
        """The results of a SPARQL query; see `RemoteGraph.query`. Raises HistoryError for a commit that is not kept."""
        return self._ask(sparql, as_of=self.commit, **options)

    def select(self, sparql: str, **options: Unpack[QueryOptions]) -> Solutions:
        """The solutions of a SELECT query. Raises QueryError for another form."""
        check_text("select", "a SELECT query", sparql)
        return of_form(self.query(sparql, **options), Solutions)

    def ask(self, sparql: str, **options: Unpack[QueryOptions]) -> bool:
        """The answer of an ASK query. Raises QueryError for another form."""
        check_text("ask", "an ASK query", sparql)
        return bool(of_form(self.query(sparql, **options), QueryBoolean))

    def construct(self, sparql: str, **options: Unpack[QueryOptions]) -> Triples:
        """The triples of a CONSTRUCT or DESCRIBE query. Raises QueryError for another form."""
        check_text("construct", "a CONSTRUCT or DESCRIBE query", sparql)
        return of_form(self.query(sparql, **options), Triples)
