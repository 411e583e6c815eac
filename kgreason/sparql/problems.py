"""Short messages for a text that Oxigraph does not parse: where the mistake is, and what it is.

Oxigraph's own messages are hard to read. If a prefix is not declared, the message does not say so. It lists everything
that it expected, with classes of characters.

Cost: about 1 microsecond for each token. The functions are called only for a text that did not parse, or for a block.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple, cast

from kgreason.errors import QueryError
from kgreason.sparql.source import position
from kgreason.sparql.tokens import TOKEN

_PROBLEM = re.compile(r"(?:error at (\d+):(\d+): )?(?:expected )?(?:one of )?(.*)", re.DOTALL)
_CHOICE = re.compile(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|<[^>]*>|[^,\[\]"<]+')
_TELLING = 3
_QUERIES = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
_UPDATES = ("INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY")


class Problem(NamedTuple):
    """Line and column from 1, where Oxigraph gives them, and what is wrong there."""

    line: int | None
    column: int | None
    words: str


def problem(message: str, what: str) -> Problem:
    """The problem in a message of Oxigraph's parser; `what` names what was parsed, such as "query"."""
    line, column, choices = cast(re.Match[str], _PROBLEM.match(message)).groups()
    return Problem(int(line) if line else None, int(column) if column else None, _in_words(choices, what))


def _in_words(choices: str, what: str) -> str:
    """Oxigraph's own words, or else what it expected, without classes of characters and long lists of words."""
    words = [word for word in map(str.strip, _CHOICE.findall(choices)) if word and word[0] not in "[<"]
    told = [word for word in words if " " in word]
    if told:
        return " or ".join(told)
    expected = f", expected {' or '.join(words)}" if 0 < len(words) <= _TELLING else ""
    return f"no valid {what} up to here{expected}"


def is_update(text: str) -> bool:
    """Whether a text that does not parse as a query begins as an update does."""
    token = _first_word(text)
    return token is not None and token[0].upper() in _UPDATES


def place_of_query(text: str) -> int | None:
    """The index of the query keyword, if a text that does not parse as an update begins as a query does; else None."""
    token = _first_word(text)
    return token.start() if token is not None and token[0].upper() in _QUERIES else None


def _first_word(text: str) -> re.Match[str] | None:
    """The first keyword after comments and the prologue."""
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

    def __str__(self) -> str:
        return f"unknown prefix {self.prefix}: (no PREFIX declares it)"


def unknown_prefix(text: str, known: Collection[str], start: int = 0, end: int | None = None) -> Unknown | None:
    """The first prefix in `text[start:end]` that is neither in `known` nor declared before.

    The search stops at a string without an end, and at a `<` that does not begin an IRI, because after it a token may
    not be a name.
    """
    declared, last = set(known), ""
    for token in TOKEN.finditer(text, start, len(text) if end is None else end):
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


def unparsed(query: str, prefixes: Collection[str], message: str) -> QueryError:
    """The error for a query that Oxigraph does not parse under these prefixes; `message` is Oxigraph's message."""
    if not query.strip():
        return QueryError("the query is empty")
    if is_update(query):
        return QueryError("this is a SPARQL Update, not a query: use `update` for it")
    line: int | None
    column: int | None
    if unknown := unknown_prefix(query, prefixes):
        line, column = position(query, unknown.at)
        words = str(unknown)
    else:
        line, column, words = problem(message, "query")
    place = f"error at {line}:{column}: " if line else ""
    return QueryError(f"the query does not parse: {place}{words}")
