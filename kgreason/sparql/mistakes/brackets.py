"""`still_open`: the brackets that are open at a place of a query, the innermost one last.

Cost: one pass over the text before the place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

CLOSING = {"{": "}", "(": ")", "[": "]"}
_PIECE = re.compile(
    r"""\#[^\r\n]*|<[^\x00-\x20<>"{}|^`]*>|\"\"\".*?\"\"\"|'''.*?'''|"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'|[(){}\[\]]""",
    re.DOTALL,
)


class Bracket(NamedTuple):
    """A bracket that is open: its index, and its `sign`, which is `{`, `(` or `[`."""

    at: int
    sign: str


def still_open(text: str, end: int) -> list[Bracket]:
    """Return the brackets of `text[:end]` that are not closed there.

    >>> still_open("ASK { ?s ?p (1 '(' ", 19)
    [Bracket(at=4, sign='{'), Bracket(at=12, sign='(')]
    """
    found: list[Bracket] = []
    for piece in _PIECE.finditer(text, 0, end):
        sign = piece[0]
        if sign in CLOSING:
            found.append(Bracket(piece.start(), sign))
        elif found and sign == CLOSING[found[-1].sign]:
            found.pop()
    return found
