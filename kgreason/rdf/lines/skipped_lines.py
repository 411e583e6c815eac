"""`Skipped`: the malformed lines of N-Triples and N-Quads that a reading has skipped.

In these formats a statement is one line, so a malformed line does not affect the others. In every other format a
malformed document stays an error. Only the thread that asked for the reading uses a `Skipped`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

MOST = 10
"""So many places are kept."""


class BadLine(NamedTuple):
    """A malformed line: its number, counted from 1, and the problem."""

    line: int
    problem: str


class Place(NamedTuple):
    """Where a line was skipped, and why. As text: `data.nt:12: Invalid IRI code point '['`."""

    file: str
    line: int
    problem: str

    def __str__(self) -> str:
        """Return the place as text."""
        return f"{self.file}:{self.line}: {self.problem}"


class Skipped:
    """Counts the lines that were skipped, and keeps the places of the first `MOST` of them."""

    def __init__(self) -> None:
        self.count = 0
        self.places: list[Place] = []

    def note(self, file: str, before: int, lines: Iterable[BadLine]) -> None:
        """Add malformed lines of a file. Their numbers are counted from the line after the first `before` lines."""
        for line, problem in lines:
            self.count += 1
            if len(self.places) < MOST:
                self.places.append(Place(file, before + line, problem))

    def messages(self) -> Iterator[str]:
        """Yield what to tell the user: the number of lines, and their places."""
        if self.count:
            yield f"skipped {self.count:,} malformed {'line' if self.count == 1 else 'lines'}"
            yield from map(str, self.places)
            if self.count > len(self.places):
                yield f"and {self.count - len(self.places):,} more"
