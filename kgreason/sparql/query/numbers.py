"""`depends_on_numbers`: whether a query may compare or compute numbers, or order rows; `warning`: what is told then.

Oxigraph computes with integers of 64 bits and decimals of 18 places. If a graph has longer numbers, the results of such
a query may be wrong, without a word of Oxigraph.

The answer may be yes for a query that does none of this. It is no for a query that uses a number as a condition and
does nothing else with numbers, as in FILTER(?n).
Cost: about 1 microsecond for each token of the query.
"""

from __future__ import annotations

import sys
from warnings import warn

from kgreason.errors import NumberWarning
from kgreason.sparql.tokens import TOKEN

_WORDS = frozenset(
    ["ORDER", "MIN", "MAX", "SUM", "AVG", "IN", "ABS", "CEIL", "FLOOR", "ROUND", "ISNUMERIC", "IF", "HAVING"]
)
_SHOWN = 60
_XSD = "<http://www.w3.org/2001/XMLSchema#"
_EXPRESSIONS = frozenset(["FILTER", "BIND", "AS"])


WARNING = "the graph has numbers that are too long for SPARQL queries"
"""The beginning of the warning of a graph with such a number."""


def warning(text: str) -> str:
    """Return the warning of a graph that has the long number `text`."""
    shown = _shorten(text)
    return (
        f"{WARNING}, or had some, such as {shown}: a query or an update that compares, orders or computes with them may"
        " give wrong results, as Oxigraph has integers of 64 bits and decimals of 18 places; rules are exact"
    )


def warn_caller(told: str) -> None:
    """Warn with a NumberWarning at the line outside of kgreason that led to the call."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "kgreason":
        frame, level = frame.f_back, level + 1
    warn(told, NumberWarning, stacklevel=level)


def _shorten(text: str) -> str:
    """Return a literal whose digits are cut if they are many."""
    form, mark, datatype = text.rpartition('"^^')
    return f"{form[:_SHOWN]}...{mark}{datatype}" if len(form) > _SHOWN else text


def depends_on_numbers(query: str) -> bool:
    """Whether the results of a query may depend on the values of numbers, and not only on their texts.

    >>> depends_on_numbers("SELECT ?x { ?x ?p ?n FILTER(?n > 3) }"), depends_on_numbers("SELECT ?x { ?x ?p ?n }")
    (True, False)
    """
    done, has_expression, last, signs = 0, False, "", set[str]()
    for token in TOKEN.finditer(query):
        signs.update(_signs(query[done : token.start()], last))
        done, last = token.end(), (token["name"] or "").upper()
        if last in _WORDS:
            return True
        has_expression = has_expression or last in _EXPRESSIONS
        if last.startswith("XSD:") or _XSD in token[0]:  # perhaps a conversion
            signs.add("=")
    return has_expression and not signs.isdisjoint("<>=+-*/")


def _signs(text: str, before: str) -> str:
    """Return the characters between two tokens, without the star of `SELECT *` or `COUNT(*)`."""
    return text.replace("*", "", 1) if before in ("SELECT", "COUNT", "DISTINCT", "REDUCED") else text
