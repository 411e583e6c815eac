"""What is wrong with a text that Oxigraph does not parse: where, and in words.

Oxigraph refuses a prefix that nobody declared without saying that this is what is wrong, and lists all that it would
have taken, classes of characters included.

Cost: that of the tokens; to be asked once something did not parse, or of a block.
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
    """The problem that a message of Oxigraph's parser tells of; `what` is what was to be parsed."""
    line, column, choices = cast(re.Match[str], _PROBLEM.match(message)).groups()
    return Problem(int(line) if line else None, int(column) if column else None, _in_words(choices, what))


def _in_words(choices: str, what: str) -> str:
    """What Oxigraph says is wrong, or else what it expected: not its classes of characters, nor long lists of words."""
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
    """Where the query begins in a text that does not parse as an update; None where it does not begin as one."""
    token = _first_word(text)
    return token.start() if token is not None and token[0].upper() in _QUERIES else None


def _first_word(text: str) -> re.Match[str] | None:
    """The first keyword behind comments and the prologue."""
    for token in TOKEN.finditer(text):
        word = (token["name"] or "").upper()
        if word and ":" not in word and word not in ("PREFIX", "BASE"):
            return token
        if token["open"] or token["broken"]:
            return None
    return None


class Unknown(NamedTuple):
    """A prefix that nobody declared, and the index of the name that has it."""

    at: int
    prefix: str

    def __str__(self) -> str:
        return f"unknown prefix {self.prefix}: (no PREFIX declares it)"


def unknown_prefix(text: str, known: Collection[str], start: int = 0, end: int | None = None) -> Unknown | None:
    """The first prefix in `text[start:end]` that is neither known nor declared before it.

    Behind a string that does not end, or `<` that begins no IRI, nothing is sure to be a name.
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
    """The error of a query that Oxigraph does not parse under these prefixes, by its message."""
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
