"""`Pending`: edits made through rdflib that wait for their commit.

Of several for one quad the last one wins. They are of all threads together: whoever commits commits all of them. Who
asks while they are being committed waits for that, so that everybody reads what was written before. Cost: the text of
each quad, once; the commit reads it as one document.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction


class Pending:
    """Edits of a graph, as lines of N-Quads. Any thread may call it."""

    def __init__(self, graph: Callable[[], KnowledgeGraph]) -> None:
        self._graph = graph
        self._edits: dict[str, bool] = {}
        self._noting = threading.Lock()
        self._under_way: Transaction | None = None

    def note(self, lines: Iterable[str], *, added: bool) -> None:
        """Have quads asserted, or retracted."""
        edits = dict.fromkeys(lines, added)
        with self._noting:
            self._edits |= edits

    def commit(self) -> None:
        """Make the edits one commit. Raises what a commit raises; then they are dropped, and nothing has changed.

        Raises StoreError in a transaction of the graph; then they wait on.
        """
        if not (self._edits or self._under_way):
            return
        transaction = self._graph().transaction()
        try:
            with transaction:
                self._under_way = transaction  # before the edits are taken: who asks meanwhile has to wait
                edits = self._taken()
                transaction.remove_lines(_lines(edits, added=False))
                transaction.add_lines(_lines(edits, added=True))
        finally:
            if self._under_way is transaction:  # the next thread may have begun one already
                self._under_way = None

    def drop(self) -> None:
        """Forget the edits."""
        self._taken()

    def _taken(self) -> dict[str, bool]:
        with self._noting:
            edits, self._edits = self._edits, {}
        return edits


def _lines(edits: dict[str, bool], *, added: bool) -> bytes:
    return "".join(line for line, is_added in edits.items() if is_added is added).encode()
