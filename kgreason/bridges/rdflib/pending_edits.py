"""`Pending`: edits made through rdflib that wait for their commit.

If there are several edits of one quad, the last one wins. All threads share the edits: a commit has the edits of all
threads. A thread that reads during a commit waits for the end of the commit, so every thread sees all earlier edits.
Cost: the text of each quad is kept once; the commit reads all texts as one document.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction


class Pending:
    """Edits of a graph, as lines of N-Quads. Any thread may call the methods; the lock `_noting` protects the edits."""

    def __init__(self, graph: Callable[[], KnowledgeGraph]) -> None:
        self._graph = graph
        self._edits: dict[str, bool] = {}
        self._noting = threading.Lock()
        self._under_way: Transaction | None = None

    def note(self, lines: Iterable[str], *, added: bool) -> None:
        """Note that the quads `lines` (N-Quads) are asserted if `added`, otherwise that they are retracted."""
        edits = dict.fromkeys(lines, added)
        with self._noting:
            self._edits |= edits

    def commit(self) -> None:
        """Commit the edits as one commit. If the commit raises an error, the edits are dropped and nothing has changed.

        Raises StoreError inside a transaction of the graph; then the edits are kept.
        """
        if not (self._edits or self._under_way):
            return
        transaction = self._graph().transaction()
        try:
            with transaction:
                self._under_way = transaction  # before the edits are taken, so that a reader waits for this commit
                edits = self._take_changes()
                transaction.remove_lines(_lines(edits, added=False))
                transaction.add_lines(_lines(edits, added=True))
        finally:
            if self._under_way is transaction:  # the next thread may already have begun a transaction
                self._under_way = None

    def drop(self) -> None:
        """Drop all edits that wait."""
        self._take_changes()

    def _take_changes(self) -> dict[str, bool]:
        with self._noting:
            edits, self._edits = self._edits, {}
        return edits


def _lines(edits: dict[str, bool], *, added: bool) -> bytes:
    return "".join(line for line, is_added in edits.items() if is_added is added).encode()
