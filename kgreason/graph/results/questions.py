"""`Queryable`: the three kinds of queries, each with the type of its answer, by one method `query`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TypedDict, Unpack

from pyoxigraph import QueryBoolean

from kgreason.graph.input.arguments import check_text
from kgreason.graph.input.bindings import Bindings
from kgreason.graph.input.terms import UserTerm
from kgreason.graph.results.answers import QueryAnswer, Solutions, Triples, check_form


class QueryOptions(TypedDict, total=False):
    """The options of `query`, `select`, `ask` and `construct`; `KnowledgeGraph.query` explains them."""

    bindings: Bindings | None
    prefixes: Mapping[str, str] | None
    base: str | None
    default_graph: UserTerm | None
    timeout: float | None


class Queryable(ABC):
    """A graph that can be queried: one of this process, one of a server, or one of the past of a server."""

    @abstractmethod
    def query(self, sparql: str, **options: Unpack[QueryOptions]) -> QueryAnswer:
        """Return the results of a SPARQL query; see `KnowledgeGraph.query`."""

    def select(self, sparql: str, **options: Unpack[QueryOptions]) -> Solutions:
        """Return the solutions of a SELECT query; `options` and errors as for `query`.

        Raises QueryError for a query that is not a SELECT.
        """
        check_text("select", "a SELECT query", sparql)
        return check_form(self.query(sparql, **options), Solutions)

    def ask(self, sparql: str, **options: Unpack[QueryOptions]) -> bool:
        """Return the answer of an ASK query; `options` and errors as for `query`.

        Raises QueryError for a query that is not an ASK.
        """
        check_text("ask", "an ASK query", sparql)
        return bool(check_form(self.query(sparql, **options), QueryBoolean))

    def construct(self, sparql: str, **options: Unpack[QueryOptions]) -> Triples:
        """Return the triples of a CONSTRUCT or DESCRIBE query; `options` and errors as for `query`.

        Raises QueryError for a SELECT or an ASK.
        """
        check_text("construct", "a CONSTRUCT or DESCRIBE query", sparql)
        return check_form(self.query(sparql, **options), Triples)
