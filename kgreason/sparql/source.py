"""`Source`: a text with a name; `Rewritten`: a text made from pieces of a source. Both say where an error is.

Oxigraph parses the templates and patterns of an update as texts that are made from pieces of the update. A `Rewritten`
text remembers where each piece comes from, so that an error names the line and column of the update itself.

Cost: an entry for each piece; positions are computed only for an error.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from kgreason.errors import QueryError


class Source(NamedTuple):
    """A text, and the name that messages give it."""

    name: str
    text: str

    def error(self, index: int, problem: str) -> QueryError:
        """Make a QueryError that names the line and column (from 1) of the character at `index`."""
        line, column = position(self.text, index)
        return QueryError(f"{self.name}:{line}:{column}: {problem}")


def position(text: str, index: int) -> tuple[int, int]:
    """Return the line and column, both from 1, of the character at `index`."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


class Rewritten:
    """A text made of pieces of a source and of new pieces. Each new piece belongs to a place in the source."""

    def __init__(self, source: Source) -> None:
        self._source = source.text
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._length = 0

    def copy(self, start: int, end: int) -> None:
        """Append a piece of the source."""
        self.put(self._source[start:end], start)

    def put(self, piece: str, origin: int) -> None:
        """Append a new piece.

        For error messages, its characters count as those of the source from the index `origin` on.
        """
        self._pieces.append(piece)
        self._starts.append(self._length)
        self._origins.append(origin)
        self._length += len(piece)

    def __str__(self) -> str:
        return "".join(self._pieces)

    def origin(self, line: int, column: int) -> int:
        """Return the index in the source that belongs to a line and column, both from 1, of this text."""
        before = str(self).split("\n")[: line - 1]
        at = sum(len(text) + 1 for text in before) + column - 1
        piece = bisect_right(self._starts, at) - 1
        return self._origins[piece] + at - self._starts[piece]
