"""A graph as SPARQL Update edits it: steps that are commits of their own, and taken back together.

Each operation with a WHERE sees what those before it did, with all that follows from it, so a request may be several
commits. Invariant: it is carried out as a whole or not at all: after an error its commits are followed by one that
takes them back. Cost: a commit for each step that something asks about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import NamedNode, QuerySolution, QuerySolutions

from kgreason.engine.layout import Int32
from kgreason.graph.delta import Delta
from kgreason.graph.live import LiveGraph
from kgreason.graph.materializer import Materializer
from kgreason.graph.sources import named
from kgreason.graph.storing import chunks
from kgreason.graph.terms import of_canonical
from kgreason.graph.transaction import Transaction
from kgreason.rdf.reader import read
from kgreason.sparql.editable import Asserted
from kgreason.sparql.evaluate import Outcome, run
from kgreason.sparql.operations import Operation
from kgreason.store.oxigraph import OxigraphStore
from kgreason.terms.dictionary import Dictionary


class Editing:
    """What `kgreason.sparql` is given to edit; `begin` opens a transaction. Nobody is told of its commits meanwhile."""

    def __init__(self, graph: LiveGraph, store: OxigraphStore, begin: Callable[[], Transaction]) -> None:
        self._graph, self._store, self._begin = graph, store, begin
        self._live = graph.materializer
        self._first = len(graph.unheard)

    @property
    def deltas(self) -> list[Delta]:
        """Those of the commits that were made."""
        return self._graph.unheard[self._first :]

    def run(self, operations: tuple[Operation, ...]) -> tuple[int, int]:
        """Carry a request out; on any error take back what it did.

        Gives the numbers of rows that a DELETE named and that were not asserted, and of those that stay, entailed.
        """
        known = len(self._live.dictionary)
        try:
            outcome = run(operations, self)
            return outcome.unasserted, self._entailed(outcome)
        except BaseException:
            self._take_back()
            raise
        finally:
            if not self.deltas:
                self._graph.forget(known)

    def _take_back(self) -> None:
        """Take back the commits that were made, whatever that costs."""
        made, budget = self.deltas, self._graph.budget
        if not made:
            return
        try:
            self._graph.budget = None
            with self._begin() as tx:
                tx.take_back(made)
        finally:
            self._graph.budget = budget

    def _entailed(self, outcome: Outcome) -> int:
        """How many rows that the request named stay in the default graph, asserted by nobody there."""
        missing = self.asserted(b"".join(outcome.named)).missing
        of_default = self._encode(missing)[:, 3] == 0
        return self._store.count(b"".join(compress(missing.splitlines(keepends=True), of_default)))

    def solutions(self, query: str, default_graph: str | None) -> Iterable[QuerySolution]:
        """The solutions of a SELECT over the materialized graph."""
        found = self._store.query(query, default_graph=NamedNode(default_graph[1:-1]) if default_graph else None)
        assert isinstance(found, QuerySolutions)
        return found

    def asserted(self, rows: bytes) -> Asserted:
        """Every asserted quad that Oxigraph shows as one of these rows, and the rows that are the image of none."""
        quads, images = self._encode(rows), self._graph.images
        shared = np.flatnonzero(images.shared(quads[:, 2]))
        spellings = [images.spellings(term) for term in quads[shared, 2].tolist()]
        owners = np.append(np.arange(len(quads)), np.repeat(shared, [len(each) for each in spellings]))
        forms = quads[owners]
        forms[len(quads) :, 2] = list(chain.from_iterable(spellings))
        held = asserts(self._live, forms)
        missing = np.bincount(owners[held], minlength=len(quads)) == 0
        lines = compress(rows.splitlines(keepends=True), missing)
        return Asserted(_lines(self._live.dictionary, np.unique(forms[held], axis=0)), b"".join(lines))

    def _encode(self, lines: bytes) -> Int32:
        return of_canonical(lines, self._live.dictionary)

    def graphs(self) -> Iterable[str]:
        """The names of the named graphs."""
        quads = self._live.quads.columns
        if quads is None:
            return []
        names = np.unique(named(self._live.dictionary, quads)[:, 3])
        return self._live.dictionary.decode(names)

    def triples(self, graph: str | None) -> Iterable[bytes]:
        """The asserted triples of one graph, as chunks of lines."""
        quads = self._live.quads.columns
        if quads is None:
            rows = self._live.save().triples(asserted=True) if graph is None else np.empty((0, 3), dtype=np.int32)
        else:
            name = 0 if graph is None else int(self._live.dictionary.find([graph])[0]) or -1
            rows = np.ascontiguousarray(quads[quads[:, 3] == name, :3])
        return chunks(self._live.dictionary, rows)

    def read(self, path: Path, graph: str | None) -> Iterable[bytes]:
        """The quads of an RDF file, all in one graph, or where the file has them if that is None."""
        for batch in read(path, self._live.dictionary):
            quads = np.stack(batch, axis=1)
            if graph is not None:
                quads[:, 3] = self._live.dictionary.intern([graph])[0]
            yield _lines(self._live.dictionary, quads)

    def apply(self, removed: bytes, added: bytes) -> None:
        """Retract quads, then assert others, in a commit of their own."""
        with self._begin() as tx:
            tx.remove_lines(removed)
            tx.add_lines(added)


def _lines(dictionary: Dictionary, quads: Int32) -> bytes:
    return dictionary.lines(*quads.T)


def asserts(live: Materializer, quads: Int32) -> NDArray[np.bool_]:
    """Whether each of quads int32[n, 4] is asserted in its graph: bool[n]."""
    if live.quads.is_explicit:
        return live.quads.holds(quads)
    found = live.engine.circuit.facts.is_asserted_fact(np.ascontiguousarray(quads[:, :3]))
    asserted: NDArray[np.bool_] = found & (quads[:, 3] == 0)
    return asserted
