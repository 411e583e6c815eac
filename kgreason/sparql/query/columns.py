"""The columns of `SELECT *` in the order of the query text, and the prefixes that a query declares.

    SELECT * { ?s :p ?o }    ->    SELECT ?s ?o { ?s :p ?o }

Oxigraph sorts the columns of `SELECT *` by name. SPARQL leaves their order open, and a reader expects the order of the
query. Only the outermost SELECT is rewritten, since nobody sees the column order of the inner ones.

Nothing is evaluated here. Cost: about 1 microsecond for each token of the query.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from pyoxigraph import QuerySolutions, Store

from kgreason.sparql.tokens import TOKEN
from kgreason.stacks import stack_for, with_stack
from kgreason.store.oxigraph.failures import FAILURES

_ALL = re.compile(r"(?:\s|#[^\r\n]*[\r\n])*(?:(?:DISTINCT|REDUCED)\b(?:\s|#[^\r\n]*[\r\n])*)?(\*)", re.IGNORECASE)


def with_columns(query: str, prefixes: Mapping[str, str], base: str | None) -> str:
    """Replace the `*` of the outermost SELECT by the variables of the query, in the order of its text.

    `prefixes` and `base` are declared outside of the query. If Oxigraph refuses the query, it is returned as it is.
    """
    if _star_index(query) is None:
        return query
    columns = columns_of_all(query, prefixes, base)
    return query if columns is None else with_ordered_columns(query, columns)


def columns_of_all(query: str, prefixes: Mapping[str, str], base: str | None) -> list[str] | None:
    """Return the columns of a `SELECT *`, in the order of Oxigraph; None if Oxigraph refuses the query."""
    try:
        return with_stack(stack_for(query), lambda: _columns(unevaluated_query(query), prefixes, base))
    except (SyntaxError, *FAILURES):
        return None


def _columns(query: str, prefixes: Mapping[str, str], base: str | None) -> list[str]:
    """Return the names of the columns of a SELECT, in the order of Oxigraph."""
    solutions = Store().query(query, prefixes=dict(prefixes), base_iri=base)
    assert isinstance(solutions, QuerySolutions)
    return [variable.value for variable in solutions.variables]


def with_ordered_columns(query: str, variables: Collection[str]) -> str:
    """Replace the `*` of the outermost SELECT by `variables`, in the order in which the query names them.

    The query must be one that parses.

    >>> with_ordered_columns("SELECT * { ?s ?p ?o }", ["o", "p", "s"])
    'SELECT ?s ?p ?o { ?s ?p ?o }'
    """
    star = _star_index(query)
    if star is None or not variables:
        return query
    named = dict.fromkeys(token["variable"][1:] for token in TOKEN.finditer(query) if token["variable"])
    ordered = [name for name in named if name in variables]
    return f"{query[:star]}{' '.join(f'?{name}' for name in ordered)}{query[star + 1 :]}"


def _star_index(query: str) -> int | None:
    """Return the index of the `*` of the outermost SELECT, or None if there is no `*`."""
    for token in TOKEN.finditer(query):
        if token["open"]:
            return None
        if token["name"] and token["name"].upper() == "SELECT":
            found = _ALL.match(query, token.end())
            return found.start(1) if found else None
    return None


def unevaluated_pattern(pattern: str) -> str:
    """Return a pattern in braces that Oxigraph parses as it parses `pattern`, but that it never evaluates.

    pyoxigraph parses a query only together with evaluating it. That may take long and ask a SERVICE, even if the store
    is empty. Oxigraph drops a pattern whose FILTER is false before it looks at the pattern.
    """
    return f"{{ FILTER(false)\n{pattern} }}"


def unevaluated_query(query: str, start: int = 0) -> str:
    """Return a query whose pattern, the first one in braces from the index `start` on, is not evaluated."""
    depth, opened = 0, start
    for token in TOKEN.finditer(query, start):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if depth == 1 and token["open"]:
            opened = token.start()
        elif token["close"] and not depth:
            end = token.start() + 1
            return f"{query[:opened]}{unevaluated_pattern(query[opened:end])}{query[end:]}"
    return query


def declarations(query: str) -> dict[str, str]:
    """Return the prefixes that a query declares with absolute IRIs: prefix -> namespace.

    >>> declarations("PREFIX ex: <http://e/> SELECT * { ?s ex:p ?o }")
    {'ex': 'http://e/'}
    """
    return dict(_declarations(query))


def _declarations(query: str) -> Iterator[tuple[str, str]]:
    words = [token[0] for token in TOKEN.finditer(query) if not token[0].startswith("#")]
    for keyword, prefix, iri in zip(words, words[1:], words[2:], strict=False):
        if keyword.upper() == "SELECT" or keyword == "{":
            return
        if keyword.upper() == "PREFIX" and prefix.endswith(":") and iri.startswith("<"):
            yield prefix[:-1], iri[1:-1]
