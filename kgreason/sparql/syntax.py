"""An update -> its declarations and operations as syntax trees of grammar.lark, with the position of every token.

Cost: importing lark and building its tables takes about 0.1 s, once; then some 10 microseconds an operation, however
large its blocks are.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Any, TypeAlias, cast

from lark import Lark, Token, Tree, UnexpectedInput, UnexpectedToken

from kgreason.grammars import parser_of
from kgreason.rules.unexpected_text import token_text
from kgreason.sparql.source import Source
from kgreason.sparql.tokens import skeleton

Node: TypeAlias = Tree[Token]


def statements(source: Source) -> list[Node]:
    """Return the declarations and operations of an update, in order.

    Raises QueryError; its message says where the mistake is, and what was expected there.
    """
    text = skeleton(source)
    try:
        return cast("list[Node]", _grammar().parse(text).children)
    except UnexpectedInput as error:
        expected = cast(Any, error).interactive_parser.accepts()
        at, found = _place(error, text)
        problem = _hint(found, expected) or f"found {found}, expected {_terminals_text(expected)}"
        raise source.error(at, problem) from None


def _hint(found: str, expected: Collection[str]) -> str | None:
    """Guess what is missing at the token `found`, or what the user meant by it. Returns a message, or None.

    `found` may be in quotation marks. `expected` has the names of the tokens that could stand in its place.
    """
    word = found.strip("'")
    meant = get_close_matches(word.upper(), sorted(set(expected) & _VERBS), 1)
    if meant and word.upper() not in _VERBS:
        return f"found {found}; do you mean {meant[0]}?"
    if "SEMICOLON" in expected and word.upper() in _VERBS:
        return f"';' is missing before {found}: it stands between two operations"
    if {"WHERE", "USING"} <= set(expected) and not word.startswith("{"):
        return (
            f"found {found}, but INSERT and DELETE need WHERE {{ ... }}; for fixed triples, write INSERT DATA {{ ... }}"
        )
    return None


@functools.cache
def _grammar() -> Lark:
    return parser_of(__file__)


_VERBS = frozenset(
    {"ADD", "BASE", "CLEAR", "COPY", "CREATE", "DATA", "DELETE", "DROP", "INSERT", "LOAD", "MOVE", "PREFIX", "USING"}
    | {"WHERE", "WITH"}
)
_PIECE = re.compile(r"\S+|.", re.DOTALL)
_WORDS = {
    "BLOCK": "'{'",
    "IRI": "an IRI in angle brackets",
    "NAME": "a prefixed name",
    "NAMESPACE": "a prefix with its colon",
    "SEMICOLON": "';'",
    "$END": "the end of the text",
}


def _terminals_text(terminals: Collection[str]) -> str:
    told = set(terminals) - ({"NAMESPACE"} if "NAME" in terminals else set())  # a prefix alone is a name too
    words = sorted(_WORDS.get(name, name) for name in told)
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _place(error: UnexpectedInput, text: str) -> tuple[int, str]:
    """Return where in `text` the unexpected token begins, and the token in quotation marks, for a message."""
    if isinstance(error, UnexpectedToken):
        if error.token.type == "$END":
            return len(text.rstrip(" \t\r\n")), "the end of the text"
        return cast(int, error.token.start_pos), f"'{error.token.partition(' ')[0]}'"
    at = cast(int, error.pos_in_stream)
    return at, token_text(cast(re.Match[str], _PIECE.match(text, at))[0])
