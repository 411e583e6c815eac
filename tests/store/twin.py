"""`MemoryStore`: the obvious twin of `OxigraphStore`, a Python set of lines.

It keeps literals as they are written, where Oxigraph normalises them. `RdfStore` is what both can do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from kgreason.store.oxigraph.results import Results
from kgreason.store.oxigraph.store import OxigraphStore


class RdfStore(Protocol):
    """A set of RDF rows that answers SPARQL. Every method may raise StoreError."""

    def load(self, chunks: Iterable[bytes]) -> None:
        """Add many rows, given as chunks of whole lines; an error or a kill may leave a part of them."""

    def apply(self, removed: bytes, added: bytes) -> None:
        """Remove lines, then add lines, in one transaction: a reader sees all of it or nothing."""

    def query(self, sparql: str, *, prefixes: Mapping[str, str] | None = None, base: str | None = None) -> Results:
        """The results of a SPARQL query, on the rows of one moment; raises QueryError."""

    def lines(self) -> Iterator[bytes]:
        """All rows as chunks of lines, in no particular order."""

    def count(self, lines: bytes) -> int:
        """How many lines are rows of the store."""

    def __len__(self) -> int:
        """The number of rows."""

    def flush(self) -> None:
        """Write to the disk what is not there yet."""

    def close(self) -> None:
        """Let go of the store's files; nothing may be asked of it afterwards."""


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

    def flush(self) -> None:
        """Nothing is ever left to write."""

    def close(self) -> None:
        """Nothing to let go of."""


def _rows(lines: bytes) -> set[bytes]:
    return {line + b"\n" for line in lines.split(b"\n") if line}
