"""`Pending`: edits made through rdflib that wait for their commit.

They hold the graph's transaction: until they are committed or dropped nobody else can edit it, so that edits never
change their order. Of several for one quad the last one wins. Cost: the text of each quad, once; the commit reads it as
one document.
"""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.graph.knowledge_graph import KnowledgeGraph


class Pending:
    """Edits of a graph, as lines of N-Quads, in a transaction of their own. Raises StoreError where one is open."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._transaction = graph.transaction()
        self._edits: dict[str, bool] = {}

    def note(self, lines: Iterable[str], *, added: bool) -> None:
        """Have quads asserted, or retracted."""
        self._edits |= dict.fromkeys(lines, added)

    def commit(self) -> None:
        """Make the edits one commit; raises what a commit raises, and then nothing has changed."""
        with self._transaction as transaction:
            transaction.remove_lines(self._lines(added=False))
            transaction.add_lines(self._lines(added=True))

    def drop(self) -> None:
        """Forget the edits."""
        self._transaction.end(False)

    def _lines(self, *, added: bool) -> bytes:
        return "".join(line for line, is_added in self._edits.items() if is_added is added).encode()
