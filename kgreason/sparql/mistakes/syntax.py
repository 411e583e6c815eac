"""`read`: a query -> its tree, or the first token that cannot stand at its place in any query.

Law: every query that Oxigraph takes has a tree. The grammar (`grammar.lark`) is LALR(1), so the parser stops at the
first token that cannot stand at its place.

Cost: 0.2 s for the tables, once; then some 10 microseconds a token.
"""

from __future__ import annotations

import functools
import re
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from lark import Lark, Token, Tree, UnexpectedInput, UnexpectedToken

from kgreason.grammars import parser_of

Node: TypeAlias = Tree[Token]
Start: TypeAlias = Literal["query", "pattern"]

_TOKEN = re.compile(r"\w+://[^\s<>\"]*|[?$]?[\w-]*:[\w:%.-]*\w|[?$@]?\w+|[&|=^]{2}|[<>!]=|<[^\s<>]*>?|\S")
_STRING = re.compile(r'"[^"\r\n]*"|\'[^\'\r\n]*\'')


class Stop(NamedTuple):
    """The token at which the parser stops: its index and text, and the names of the tokens that could stand there.

    The text is empty at the end of the query.
    """

    at: int
    found: str
    expected: frozenset[str]


def read(text: str, start: Start = "query") -> Node | Stop:
    """Parse a query, or with `start="pattern"` a pattern in braces. Returns its tree.

    If the text has a mistake, returns the token at which the parser stops.
    """
    try:
        return _grammar().parse(text, start=start)
    except UnexpectedInput as error:
        expected = frozenset(cast(Any, error).interactive_parser.accepts())
        at = _index(error, text)
        return Stop(at, _shown(text, at), expected)


def _index(error: UnexpectedInput, text: str) -> int:
    if isinstance(error, UnexpectedToken):
        return len(text.rstrip()) if error.token.type == "$END" else cast(int, error.token.start_pos)
    return cast(int, error.pos_in_stream)


def _shown(text: str, at: int) -> str:
    """Return the token that begins at an index of a text; empty at the end of the text."""
    found = _STRING.match(text, at) or _TOKEN.match(text, at)
    return found[0] if found else ""


@functools.cache
def keywords() -> frozenset[str]:
    """Return the keywords of SPARQL in upper case, without functions."""
    found = (re.fullmatch(r"(\w+)\\b", terminal.pattern.value) for terminal in _grammar().terminals)
    return frozenset(word[1].upper() for word in found if word)


@functools.cache
def functions() -> frozenset[str]:
    """Return the functions and aggregates of SPARQL in upper case."""
    kinds = (each for each in _grammar().terminals if each.name in ("FUNCTION", "AGGREGATE"))
    return frozenset(chain.from_iterable(re.findall(r"\w{2,}", kind.pattern.value) for kind in kinds))


@functools.cache
def _grammar() -> Lark:
    return parser_of(__file__, start=["query", "pattern"], propagate_positions=True)
