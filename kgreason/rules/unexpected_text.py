"""The words of messages about text that a parser did not expect, for every language of rules.

    found '?x', expected a name
          ----           ------
          |              terminal_words
          Unexpected.words

A table `Words` belongs to a grammar: it has groups of the grammar's terminals (kinds of tokens), and for each group the
words by which messages name it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias, cast

from lark import UnexpectedInput, UnexpectedToken

Words: TypeAlias = Sequence[tuple[Collection[str], str]]
"""Sets of terminals and their words. Sets are tried in this order, larger ones first."""

_SHOWN = 30
_BROKEN = (
    ("<<", "a triple term that is not written <<( s p o )>>"),
    ("<", "an IRI that does not end, or has a character that is not allowed in an IRI"),
    ('"', "a string that does not end"),
    ("'", "a string that does not end"),
    ("?", "a question mark without a variable's name"),
)
"""Messages for tokens that start right but are broken, by their first characters."""


class Unexpected(NamedTuple):
    """What a parser found where it expected something else: line and column, and a description in `words`."""

    line: int
    column: int
    words: str


def unexpected_at(error: UnexpectedInput, text: str) -> Unexpected:
    """Return the place in `text` at which the parser expected something else, and a description of what is there."""
    if isinstance(error, UnexpectedToken):
        token = error.token
        if token.type == "$END":
            return Unexpected(token.end_line or 1, token.end_column or 1, "the end of the text")
        if token.type == "OPERATOR":  # outside of expressions `<` is the beginning of a broken IRI
            return Unexpected(error.line, error.column, _broken_token(text[cast(int, token.start_pos) :]))
        return Unexpected(error.line, error.column, token_text(token))
    return Unexpected(error.line, error.column, _broken_token(text[cast(int, error.pos_in_stream) :]))


def terminal_words(terminals: Collection[str], words: Words) -> str:
    """Return the terminals of a grammar in the words of messages: `a, b or c`. `words` is the table of the grammar."""
    left, said = set(terminals), []
    for group, word in words:
        if left.issuperset(group):
            left.difference_update(group)
            said.append(word)
    return " or ".join(filter(None, (", ".join(said[:-1]), said[-1] if said else "")))


def token_text(text: str) -> str:
    """Return the first characters of a text, in quotation marks, or the number of a character that nobody sees."""
    if text and not text[0].isprintable():
        return f"the character U+{ord(text[0]):04X}"
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[:_SHOWN]}...'"


def _broken_token(text: str) -> str:
    for start, problem in _BROKEN:
        if text.startswith(start):
            return problem
    return token_text(text.split(maxsplit=1)[0] if text[0].isprintable() else text)
