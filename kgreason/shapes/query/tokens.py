"""The text of a query as tokens: enough to find its words, variables and brackets.

Law: joined with spaces, the tokens are the query. Cost: a regular expression for each token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from kgreason.errors import ShapesError

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
    | "{3}(?:[^"\\]|\\.|"(?!""))*"{3} | '{3}(?:[^'\\]|\\.|'(?!''))*'{3}
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    | <[^<>"{}|^`\\\s]*>
    | \^\^ | @[A-Za-z]+(?:-\w+)* | [?$]\w+
    | _:[\w.-]*\w | (?:\w[\w.-]*)?:(?:[\w:%]|\\.|[.-]+(?=[\w:%\\-]))*
    | [+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w) | \w+
    | && | \|\| | != | <= | >=
    | [^\s]
    """,
    re.VERBOSE | re.DOTALL,
)
BRACKETS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(BRACKETS.values())
_SIGNS = frozenset(["!", "-", "+"])


def tokens(text: str) -> list[str]:
    """Return the tokens of a query, without comments.

    >>> tokens("$this ex:p/^ex:q ?y . # all")
    ['$this', 'ex:p', '/', '^', 'ex:q', '?y', '.']
    """
    return [found[0] for found in _TOKEN.finditer(text) if not found["comment"]]


def depth(several: Iterable[str]) -> int:
    """Return how many brackets, and signs before signs, are in one another, at most.

    A `<` may be a sign, so the brackets in what looks like an IRI count.

    >>> depth(tokens("((?x)) = !!?y"))
    2
    """
    most = opened = signs = 0
    for token in several:
        signs = signs + 1 if token in _SIGNS else 0
        before = opened
        for each in token if token[0] not in "\"'" else ():
            opened += (each in BRACKETS) - (each in _CLOSING)
            most = max(most, opened)
        if len(token) > 1:
            opened = max(opened, before)
        most = max(most, opened + signs)
    return most


def is_variable(token: str, name: str | None = None) -> bool:
    """Whether a token is a variable, the one that is called `name` if it is given."""
    return len(token) > 1 and token[0] in "?$" and name in (None, token[1:])


def variables(several: Iterable[str]) -> set[str]:
    """Return the names of the variables among tokens."""
    return {token[1:] for token in several if is_variable(token)}


def end_of(several: list[str], start: int, where: str) -> int:
    """Return the place of the bracket that closes the one at `start`. Raises ShapesError."""
    waiting = list[str]()
    for place in range(start, len(several)):
        token = several[place]
        if token in BRACKETS:
            waiting.append(BRACKETS[token])
        elif waiting and token == waiting[-1]:
            waiting.pop()
            if not waiting:
                return place
    raise ShapesError(f"{where}: a bracket of the query is not closed")


def replace_variables(several: Iterable[str], names: Callable[[str], str | None]) -> list[str]:
    """Return tokens with other texts in the place of variables: `names` has the text for a name, or None."""
    found = list[str]()
    for token in several:
        other = names(token[1:]) if is_variable(token) else None
        found.append(token if other is None else other)
    return found
