"""`Editable`: the methods of a graph that an update calls.

Rows are canonical N-Quads lines in UTF-8, as `Dictionary.lines` writes them. A line without a graph name is a row of
the default graph. A graph is given by its name as N-Triples text, and None is the default graph.

Two views meet here. A WHERE sees the materialized graph: the default graph holds the closure of all graphs, and
Oxigraph has normalised the literals. An update edits the asserted quads of the default graph and of each named graph,
with literals as they were written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol

from kgreason.sparql.operations import Load
from kgreason.sparql.where_clause import Select, Solution


class Asserted(NamedTuple):
    """What `Editable.asserted` finds for some rows.

    Oxigraph shows a quad as a row with literals in normal form. `quads` are all asserted quads that Oxigraph shows as
    one of the rows; their literals are as they were written. `missing` are the rows for which there is no such quad.
    """

    quads: bytes
    missing: bytes


class Editable(Protocol):
    """A graph that can be asked and edited. Every method may raise a KgreasonError."""

    def solutions(self, select: Select, objects: Collection[str]) -> Iterable[Solution]:
        """Return the solutions of a SELECT over the materialized graph. Raises QueryError.

        A literal that a pattern gives to one of the variables `objects` is as it is written in the graph. A solution of
        a SELECT DISTINCT may come twice.
        """
        ...

    def asserted(self, rows: bytes) -> Asserted:
        """Find all asserted quads that Oxigraph shows as one of `rows`. Literals in `rows` may have any spelling."""
        ...

    def graphs(self) -> Iterable[str]:
        """Return the names of all named graphs that hold a quad."""
        ...

    def triples(self, graph: str | None) -> Iterable[bytes]:
        """Return the asserted triples of one graph, as chunks of lines. The lines do not have the name of the graph."""
        ...

    def read(self, load: Load) -> Iterable[bytes]:
        """Return the quads of the file that a LOAD names, as chunks of lines.

        Raises InputError.
        """
        ...

    def apply(self, removed: bytes, added: bytes) -> None:
        """Retract the asserted quads `removed`, then assert the quads `added`. Later calls see the result."""
        ...
