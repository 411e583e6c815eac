"""An update -> its declarations and operations as syntax trees of grammar.lark, with the position of every token.

Cost: importing lark and building its tables takes about 0.1 s, once; then some 10 microseconds an operation, however
large its blocks are.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from typing import Any, TypeAlias, cast

from lark import Lark, Token, Tree, UnexpectedInput, UnexpectedToken

from kgreason.grammars import parser_of
from kgreason.sparql.source import Source
from kgreason.sparql.tokens import skeleton

Node: TypeAlias = Tree[Token]


def statements(source: Source) -> list[Node]:
    """The declarations and operations, in order; raises QueryError, which says where, and what was expected."""
    text = skeleton(source)
    try:
        return cast("list[Node]", _grammar().parse(text).children)
    except UnexpectedInput as error:
        expected = cast(Any, error).interactive_parser.accepts()
        at, found = _found(error, text)
        raise source.error(at, f"found {found}, expected {_in_words(expected)}") from None


@functools.cache
def _grammar() -> Lark:
    return parser_of(__file__)


_WORDS = {
    "BLOCK": "'{'",
    "IRI": "an IRI in angle brackets",
    "NAME": "a prefixed name",
    "NAMESPACE": "a prefix with its colon",
    "SEMICOLON": "';'",
    "$END": "the end of the text",
}


def _in_words(terminals: Collection[str]) -> str:
    words = sorted(_WORDS.get(name, name) for name in terminals)
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _found(error: UnexpectedInput, text: str) -> tuple[int, str]:
    """The index of the token that the parser did not expect, and the token in words."""
    if isinstance(error, UnexpectedToken):
        if error.token.type == "$END":
            return len(text.rstrip()), "the end of the text"
        return cast(int, error.token.start_pos), f"'{error.token.partition(' ')[0]}'"
    at = cast(int, error.pos_in_stream)
    return at, f"'{text[at:].split(maxsplit=1)[0]}'"
