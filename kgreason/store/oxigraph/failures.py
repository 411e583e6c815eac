"""`query_error`: an error of pyoxigraph as a QueryError.

pyoxigraph raises plain errors of Python where it evaluates a query, and again where rows of the results are fetched or
written: for a function that it does not know, for a SERVICE that does not answer. Whoever calls it catches FAILURES.
"""

from __future__ import annotations

from kgreason.errors import QueryError

FAILURES = (OSError, RuntimeError, ValueError)
"""The errors of a query that parses. For a text that does not parse pyoxigraph raises SyntaxError."""


def query_error(error: BaseException) -> QueryError:
    """Return the QueryError for one of FAILURES. Raise it `from` the error."""
    return QueryError(f"the query cannot be evaluated: {error}")
