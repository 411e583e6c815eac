"""Messages for a SPARQL text that Oxigraph does not take: where the mistake is, what it is, and what to write.

    line 1, column 30: found '?x', but FILTER needs brackets around its condition: FILTER(?x > 3)

Oxigraph's own message says how far its parser came, and lists all that the parser expected there. So a second parser
(`trees/mistakes`) finds the first wrong token. Then the prefixes and the IRIs are checked.

Cost: that of the second parser. The functions are called only for a text that a parser has refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple, cast

import pyoxigraph

from kgreason.errors import QueryError
from kgreason.sparql.source import position
from kgreason.sparql.tokens import TOKEN
from kgreason.terms.prefixes import Where, undeclared_message

_MESSAGE = re.compile(r"(?:error at (\d+):(\d+): )?(?:expected )?(?:one of )?(.*)", re.DOTALL)
_CHOICE = re.compile(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|<[^>]*>|[^,\[\]"<]+')
_QUERIES = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
_IRI = re.compile(r"\w+://[^\s<>\"]*")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_UPDATES = ("INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY")


_UNBOUND = "The SELECT contains a variable that is unbound"
_MEANINGS = {
    _UNBOUND: "a variable of SELECT is neither in GROUP BY nor in an aggregate,"
    " or an aggregate such as COUNT stands in FILTER or BIND",
    "The SELECT overrides an existing variable using an expression": "a variable after AS has a value already",
    "SELECT * is not authorized with GROUP BY": "SELECT * cannot be used with GROUP BY: name the variables",
}
"""What some of Oxigraph's words mean."""


class Problem(NamedTuple):
    """What is wrong in a text (`words`), and the index where it is; None if the index is not known."""

    at: int | None
    words: str


def problem(
    text: str, message: str, prefixes: Collection[str], *, where: Where = "query", has_base: bool = False
) -> Problem:
    """Find the mistake in a text that Oxigraph refused with `message`.

    `where` says what the text is: a query, or the pattern in braces of an update. `prefixes` are declared outside of
    the text. `has_base` says whether a base is declared outside of the text.
    """
    from kgreason.sparql.trees.mistakes import mistake, ungrouped_variable  # lark is imported only when it is needed

    start = "query" if where == "query" else "braces"
    found = mistake(text, start)
    unknown = unknown_prefix(text, prefixes)
    if found is not None and (unknown is None or found.at <= unknown.at):
        return Problem(*found)
    if unknown is not None:
        return Problem(unknown.at, _prefix_problem(text, unknown, where))
    if _UNBOUND in message and (found := ungrouped_variable(text, start)) is not None:
        return Problem(*found)
    return _bad_iri(text, has_base) or Problem(None, _oxigraph_problem(message, where))


def _bad_iri(text: str, has_base: bool) -> Problem | None:
    """Return the first IRI that is relative without a BASE, or that is no IRI."""
    for token in TOKEN.finditer(text):
        has_base = has_base or token[0].upper() == "BASE"
        if token[0].startswith("<") and not (has_base or _ABSOLUTE.match(token[0], 1)):
            full = f"<http://example.org/{token[0][1:-1]}>"
            return Problem(token.start(), f"the IRI {token[0]} is relative: write it in full, such as {full}")
        if token[0].startswith("<") and _ABSOLUTE.match(token[0], 1) and "\\" not in token[0]:
            try:
                pyoxigraph.NamedNode(token[0][1:-1])
            except ValueError as error:
                return Problem(token.start(), f"{token[0]} is not an IRI: {error}")
    return None


def _prefix_problem(text: str, unknown: Unknown, where: Where) -> str:
    iri = _IRI.match(text, unknown.at)
    return f"an IRI stands in angle brackets: <{iri[0]}>" if iri else undeclared_message(unknown.prefix, where)


def _oxigraph_problem(message: str, where: Where) -> str:
    """Return what Oxigraph's message says of the mistake, without the tokens that it expected.

    The place in the message is a place in the query. Oxigraph reads the pattern of an update in a text of ours.
    """
    place = cast(re.Match[str], _MESSAGE.match(message))
    words = [word for word in map(str.strip, _CHOICE.findall(place[3])) if " " in word and word[0] not in "[<"]
    came = f" (its parser came to line {place[1]}, column {place[2]})" if place[1] and where == "query" else ""
    return (" or ".join(_MEANINGS.get(word, word) for word in words) or "Oxigraph does not take it") + came


def is_update(text: str) -> bool:
    """Whether a text begins with a word such as INSERT, as updates do. The text must not parse as a query."""
    token = _first_word(text)
    return token is not None and token[0].upper() in _UPDATES


def place_of_query(text: str) -> int | None:
    """Return the index of the first word of a text if it is a word such as SELECT, as in queries; otherwise None.

    Declarations before this word are skipped. The text must not parse as an update.
    """
    token = _first_word(text)
    return token.start() if token is not None and token[0].upper() in _QUERIES else None


def _first_word(text: str) -> re.Match[str] | None:
    """Return the token of the first keyword after comments and declarations (PREFIX, BASE), or None."""
    for token in TOKEN.finditer(text):
        word = (token["name"] or "").upper()
        if word and ":" not in word and word not in ("PREFIX", "BASE"):
            return token
        if token["open"] or token["broken"]:
            return None
    return None


class Unknown(NamedTuple):
    """A prefix that is not declared, and the index of the first name that uses it."""

    at: int
    prefix: str


def unknown_prefix(text: str, known: Collection[str]) -> Unknown | None:
    """Return the first prefix in `text` that is used and not known.

    A prefix is known if it is in `known`, or if the text declares it before its use. Returns None if a string without
    an end comes first, or a name after a `<` that does not begin an IRI: then what looks like a name may be part of a
    string or an IRI.
    """
    declared, last = set(known), ""
    for token in TOKEN.finditer(text):
        if token["broken"]:
            return None
        if token[0].startswith("#"):
            continue
        prefix, colon, _ = (token["name"] or "").partition(":")
        if last.upper() == "PREFIX":
            declared.add(prefix)
        elif colon and text[token.start() - 1 : token.start()] == "<":
            return None
        elif colon and prefix != "_" and prefix not in declared:
            return Unknown(token.start(), prefix)
        last = token[0]
    return None


def parse_error(query: str, prefixes: Collection[str], base: str | None, message: str) -> QueryError:
    """Make the error for a query that Oxigraph refused with `message`.

    `prefixes` and `base` are declared outside of the query.
    """
    if not query.strip():
        return QueryError("the query is empty")
    if is_update(query):
        return QueryError("this is a SPARQL Update, not a query: use `update` for it")
    at, words = problem(query, message, prefixes, has_base=base is not None)
    place = "line {}, column {}: ".format(*position(query, at)) if at is not None else ""
    return QueryError(f"the query does not parse: {place}{words}")
