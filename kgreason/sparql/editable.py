"""`Editable`: what an update asks of the graph that it edits.

Rows are canonical N-Quads lines in UTF-8, as `Dictionary.lines` writes them; a line without a graph name is a row of
the default graph. Graphs are the N-Triples text of their names, None being the default graph.

Two views meet here. What a WHERE sees is the materialized graph: the default graph holds the closure of all graphs,
literals look as Oxigraph normalises them. What an update edits are asserted quads as they were written: those of the
default graph, and those of each named graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

from kgreason.sparql.where import Select, Solution


class Asserted(NamedTuple):
    """The asserted quads that Oxigraph shows as one of some rows, and the rows without such a quad."""

    quads: bytes
    missing: bytes


class Editable(Protocol):
    """A graph that can be asked and edited. Every method may raise a KgreasonError."""

    def solutions(self, select: Select) -> Iterable[Solution]:
        """The solutions of a SELECT over the materialized graph. Raises QueryError."""
        ...

    def asserted(self, rows: bytes) -> Asserted:
        """Every asserted quad, however its literals are written, that Oxigraph shows as one of these rows."""
        ...

    def graphs(self) -> Iterable[str]:
        """The names of the named graphs, each of which holds a quad."""
        ...

    def triples(self, graph: str | None) -> Iterable[bytes]:
        """The asserted triples of one graph, as chunks of lines without its name."""
        ...

    def read(self, path: Path, graph: str | None) -> Iterable[bytes]:
        """The quads of an RDF file, as chunks of lines: all in one graph, or where the file has them if it is None.

        Raises InputError.
        """
        ...

    def apply(self, removed: bytes, added: bytes) -> None:
        """Retract quads, which are asserted, then assert others; what is asked next is asked of the outcome."""
        ...
