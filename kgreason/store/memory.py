"""`MemoryStore`: the toy twin of `OxigraphStore`, a Python set of lines.

It is the obvious version that tests compare the other with, and stands in for it in tests of higher layers. It keeps
literals as they are written, where Oxigraph normalises them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kgreason.store.oxigraph import OxigraphStore
from kgreason.store.protocol import Results


class MemoryStore:
    """A set of canonical N-Quads lines."""

    def __init__(self) -> None:
        self._lines: set[bytes] = set()

    def load(self, chunks: Iterable[bytes]) -> None:
        """Add many rows."""
        for chunk in chunks:
            self._lines |= _rows(chunk)

    def apply(self, removed: bytes, added: bytes) -> None:
        """Remove lines, then add lines."""
        self._lines = (self._lines - _rows(removed)) | _rows(added)

    def query(self, sparql: str, *, prefixes: Mapping[str, str] | None = None, base: str | None = None) -> Results:
        """The results of a SPARQL query, which Oxigraph evaluates on a copy."""
        copy = OxigraphStore()
        copy.load(self.lines())
        return copy.query(sparql, prefixes=prefixes, base=base)

    def lines(self) -> Iterator[bytes]:
        """All rows as chunks of lines."""
        yield from sorted(self._lines)

    def count(self, lines: bytes) -> int:
        """How many lines are rows of the store."""
        return sum(line in self._lines for line in lines.splitlines(keepends=True))

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._lines)

    def clear(self) -> None:
        """Remove all rows."""
        self._lines.clear()

    def flush(self) -> None:
        """Nothing is ever left to write."""

    def optimize(self) -> None:
        """Nothing to compact."""

    def close(self) -> None:
        """Nothing to let go of."""


def _rows(lines: bytes) -> set[bytes]:
    return {line + b"\n" for line in lines.split(b"\n") if line}
