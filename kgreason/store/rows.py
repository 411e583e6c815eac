"""Turns rows of ids into rows of the store: lines in chunks, and deltas that respect the spellings of literals.

The store's default graph holds the closure. Each named graph holds its own asserted quads (docs/architecture/store.md).
Oxigraph normalises literals, so one row of the store may stand for several facts (`spellings`). When a fact is removed,
its row is removed only if no other present fact has the same row.

Cost: linear in the number of rows, plus the time that Oxigraph takes to load them (`oxigraph.store`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from kgreason.materialize.state import SavedState
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.oxigraph.update import pieces
from kgreason.store.spellings import Spellings
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

CHUNK = 30_000
"""Rows in a chunk of lines."""
SMALL = 100_000
"""A store on disk takes a delta of at most this many rows in one transaction. A larger delta is a load."""


def _ignore(done: int) -> None:
    """Do nothing: the default of `report`."""


def line_chunks(dictionary: Dictionary, rows: Int32, report: Callable[[int], object] = _ignore) -> Iterator[bytes]:
    """Yield rows of ids, int32[n, 3] or int32[n, 4], as N-Triples or N-Quads lines, a chunk at a time.

    `report` is called after each chunk, with its number of rows.
    """
    for low in range(0, len(rows), CHUNK):
        part = rows[low : low + CHUNK]
        yield dictionary.lines(*np.ascontiguousarray(part.T))
        report(len(part))


def write_rows(
    store: OxigraphStore,
    dictionary: Dictionary,
    removed: Int32,
    added: Int32,
    report: Callable[[int], object] = _ignore,
) -> None:
    """Remove and then add many rows, given as ids, in several transactions. Nobody may read the store yet.

    `report` is called for each chunk of removed or added rows, with its number of rows.
    """
    for piece in chain.from_iterable(map(pieces, line_chunks(dictionary, removed, report))):
        store.apply(piece, b"")  # Ctrl-C would wait a second for a transaction of 30,000 rows
    store.load(line_chunks(dictionary, added, report))


def load_all_rows(store: OxigraphStore, saved: SavedState, dictionary: Dictionary) -> None:
    """Load all rows of the state `saved` into an empty store."""
    rows = saved.triples(dictionary)
    store.load(line_chunks(dictionary, rows[dictionary.are_rdf(rows)]))
    store.load(line_chunks(dictionary, saved.named_quads(dictionary)))


def without_shared_rows(spellings: Spellings, removed: Int32, is_present: Callable[[Int32], np.ndarray]) -> Int32:
    """Return those facts of `removed`, int32[n, w], whose row must be removed from the store.

    `removed` are facts that leave the graph. The row of a fact must stay if the same fact with another spelling of the
    object is present. `is_present` is given rows of ids, and says for each whether its fact is present: bool[n].
    """
    shared = np.flatnonzero(spellings.are_shared(removed[:, 2]))
    if not len(shared):
        return removed
    kept = np.ones(len(removed), dtype=np.bool_)
    for i in shared.tolist():
        objects = spellings.of_term(int(removed[i, 2]))
        others = np.repeat(removed[i : i + 1], len(objects), axis=0)
        others[:, 2] = objects
        kept[i] = not is_present(others).any()
    return removed[kept]
