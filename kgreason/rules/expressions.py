"""Expressions in rules: the order in which they are computed, their text, and their mistakes.

    FILTER(expression)              the rule goes on for the rows for which the expression is true
    BIND(expression AS ?result)     the rule goes on with the value; an error makes no row

An expression is a SPARQL 1.1 expression. It is kept as its tokens, and Oxigraph parses and evaluates it. Every function
must be pure: the same inputs give the same result for as long as a fact depends on it. So NOW, RAND, UUID, STRUUID and
BNODE are refused.

Cost: Oxigraph parses the expression of a rule once when the rule is read, 0.1 ms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyoxigraph

from kgreason.rules.model import Atom, Computed, Variable

_IMPURE = frozenset(["NOW", "RAND", "UUID", "STRUUID", "BNODE"])
_AGGREGATES = frozenset(["COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"])
_WORDS = frozenset(["IN", "NOT", "TRUE", "FALSE"])
_NAMES = """
    STR LANG LANGMATCHES DATATYPE BOUND IRI URI ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE ENCODE_FOR_URI CONTAINS
    STRSTARTS STRENDS STRBEFORE STRAFTER YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512
    COALESCE IF STRLANG STRDT SAMETERM ISIRI ISURI ISBLANK ISLITERAL ISNUMERIC REGEX SUBSTR REPLACE
    TRIPLE SUBJECT PREDICATE OBJECT ISTRIPLE LANGDIR HASLANG HASLANGDIR STRLANGDIR
"""
_FUNCTIONS = frozenset(_NAMES.split())
"""The functions of SPARQL 1.1, and of SPARQL 1.2 for triple terms and base directions, that Oxigraph evaluates."""
_TIGHT_BEFORE, _TIGHT_AFTER = frozenset([")", ","]), frozenset(["(", "!"])


def in_order(body: Iterable[Atom], computed: Iterable[Computed]) -> tuple[Computed, ...]:
    """Order filters and assignments: each one after the assignments whose results it reads, else as written.

    Filters and assignments with an input that nothing binds come last.
    """
    bound: set[object] = {term for atom in body for term in atom.terms}
    waiting, found = list(computed), list[Computed]()
    while waiting:
        ready = next((each for each in waiting if bound.issuperset(each.inputs())), waiting[0])
        waiting.remove(ready)
        found.append(ready)
        bound.add(ready.result)
    return tuple(found)


def text_of(computed: Computed, texts: Mapping[str, str] | None = None) -> str:
    """`FILTER(expression)` or `BIND(expression AS ?result)`; `texts` replaces constants by other texts."""
    inner = expression_text(computed, texts)
    return f"FILTER({inner})" if computed.result is None else f"BIND({inner} AS {computed.result})"


def expression_text(computed: Computed, texts: Mapping[str, str] | None = None) -> str:
    """The expression in SPARQL syntax."""
    known = texts or {}
    written = ""
    before = "("
    for part in computed.parts:
        text = known.get(str(part), str(part))
        is_call = text == "(" and (
            (before[0].isalpha() and before != "IN") or (before.endswith(">") and before.startswith("<"))
        )
        is_tight = before in _TIGHT_AFTER or text in _TIGHT_BEFORE or is_call
        written += text if is_tight else f" {text}"
        before = text
    return written


def problem_of(computed: Computed) -> str | None:
    """A message that says what is wrong with an expression, or None."""
    for part in computed.parts:
        name = str(part)
        if isinstance(part, Variable) or not name[0].isalpha():
            continue
        if name in _IMPURE:
            return f"{name}() may give another result each time, so no rule can use it"
        if name in _AGGREGATES:
            return f"{name} is an aggregate, which reads many rows; an expression reads one"
        if name == "EXISTS":
            return "EXISTS is not for expressions; write NOT EXISTS ?x IN (...) beside FILTER"
        if name.upper() not in _FUNCTIONS | _WORDS:
            return f"{name} is no function of SPARQL"
    inputs = " ".join(map(str, computed.inputs()))
    query = f"SELECT ({expression_text(computed)} AS ?result) WHERE {{ VALUES ({inputs}) {{}} }}"
    try:
        pyoxigraph.Store().query(query)
    except SyntaxError:
        return f"{expression_text(computed)} is no SPARQL expression: look at its operators and arguments"
    return None
