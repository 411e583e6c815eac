"""`RdfStore`: what kgreason asks of the store that answers SPARQL.

Rows go in and out as canonical N-Quads lines in UTF-8 (a line without a graph name is a row of the default graph),
which is what `Dictionary.lines` writes. Blank nodes keep the labels they come with. A store is a set of rows: adding
a row that is there and removing one that is not change nothing.

The engine's terms are authoritative, the store's are images of them: Oxigraph normalises literals (see `images`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from kgreason.store.results import Results

__all__ = ["RdfStore", "Results"]


class RdfStore(Protocol):
    """A set of RDF rows that answers SPARQL. Every method may raise StoreError."""

    def load(self, chunks: Iterable[bytes]) -> None:
        """Add many rows, given as chunks of whole lines; an error or a kill may leave a part of them."""
        ...

    def apply(self, removed: bytes, added: bytes) -> None:
        """Remove lines, then add lines, in one transaction: a reader sees all of it or nothing."""
        ...

    def query(self, sparql: str, *, prefixes: Mapping[str, str] | None = None, base: str | None = None) -> Results:
        """The results of a SPARQL query, on the rows of one moment; raises QueryError."""
        ...

    def lines(self) -> Iterator[bytes]:
        """All rows as chunks of lines, in no particular order."""
        ...

    def count(self, lines: bytes) -> int:
        """How many lines are rows of the store."""
        ...

    def __len__(self) -> int:
        """The number of rows."""
        ...

    def clear(self) -> None:
        """Remove all rows."""
        ...

    def flush(self) -> None:
        """Write to the disk what is not there yet."""
        ...

    def optimize(self) -> None:
        """Compact the store's files for reading; worth its time after a large load."""
        ...

    def close(self) -> None:
        """Let go of the store's files; nothing may be asked of it afterwards."""
        ...
