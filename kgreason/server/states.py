"""`States`: for each graph the number of the last commit that changed it.

    commit 7 changes <http://e/g>   ->   <http://e/g>: 7      the asserted default graph: 5      everything else: 7

The closure has the state of the last commit: nearly each commit changes it. The default graph is meant here as its
asserted triples; quads of imported documents count as its triples. The shapes graph has a state as well.

Laws: a graph with the same state has the same triples. The opposite need not hold: at its start the server does not
know the earlier commits, so all graphs have the state of the last one; and if very many graphs have changed, all
begin anew in the same way. Threads: `add` and `publish` belong to the thread of the writer. Every thread may read.
`commit` is published before the states: who reads a state first, then `commit`, never sees a state after `commit`.
"""

from __future__ import annotations

import numpy as np

from kgreason.graph.changes.delta import Delta
from kgreason.materialize.quads.documents import are_sources
from kgreason.shapes.vocabulary import SHAPE

_MOST = 100_000
"""So many named graphs have a state of their own."""


class States:
    """The states of the graphs of a server, and the number of the last commit."""

    def __init__(self, commit: int) -> None:
        self.commit = commit
        """The number of the last commit."""
        self._known: tuple[int, dict[str | None, int]] = commit, {}  # replaced as a whole if very many have changed
        self._pending: list[tuple[int, set[str | None]]] = []

    def add(self, delta: Delta) -> None:
        """Note a commit. Readers see it after `publish`."""
        self._pending.append((delta.commit, changed_graphs(delta)))

    def publish(self, commit: int) -> None:
        """Let readers see all commits so far; `commit` is the number of the last one."""
        self.commit = commit
        pending, self._pending = self._pending, []
        for number, names in pending:
            known = self._known[1]
            known.update(dict.fromkeys(names, number))
            if len(known) > _MOST:
                self._known = number, {}

    def state_of(self, name: str | None) -> int:
        """Return the state of the graph with this name, as `changed_graphs` gives it."""
        least, known = self._known
        return known.get(name, least)


def changed_graphs(delta: Delta) -> set[str | None]:
    """Return the names of the graphs that a commit has changed; None is the default graph, SHAPE the shapes graph."""
    ids = np.unique(np.concatenate([delta.added_quads[:, 3], delta.removed_quads[:, 3]]))
    names = ids[ids != 0]
    names = names[~are_sources(delta.dictionary, names)] if len(names) else names
    found: set[str | None] = set(delta.dictionary.decode(names))
    if len(delta.change.facts.rows) and len(delta.relation(SHAPE, 3)):
        found.add(SHAPE)
    return found | {None} if len(names) < len(ids) else found
