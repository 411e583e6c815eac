"""`Speller`: writes the triples of an answer as the graph writes them, in whatever state the graph is.

    the engine runs               `of_engine`, under the lock for a batch
    the snapshot is the last      `OfState`, without the lock

Law: a triple is given as the graph had it at the commit that the query saw. If that cannot be told without waiting for
a transaction of another thread, the triple stays as Oxigraph gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from pyoxigraph import Triple

from kgreason.errors import KgreasonError
from kgreason.graph.lock import GraphLock
from kgreason.graph.open_transaction import OpenTransaction
from kgreason.graph.state.state import State
from kgreason.store.homes.home import Home

if TYPE_CHECKING:
    from kgreason.graph.constructed.spellings import OfState

_PATIENCE = 0.1
"""The seconds that a query waits for another thread that asks the engine or commits."""


class _Graph(Protocol):
    """A `KnowledgeGraph`."""

    _speller: Speller


def spelled(graph: _Graph, commit: int, triples: Sequence[Triple]) -> list[list[Triple]]:
    """Return how `graph` writes each of `triples`, which somebody else has found in its store after `commit`."""
    return graph._speller.spell(commit, triples)


class Speller:
    """Spells triples for the graph at `home`. `lock` is the graph's lock, and `state` returns its present state.

    Threads: any thread may ask.
    """

    def __init__(self, home: Home, lock: GraphLock, is_open: OpenTransaction, state: Callable[[], State]) -> None:
        self._home, self._lock, self._transaction, self._state = home, lock, is_open, state
        self._known: OfState | None = None

    def of_query(self) -> Callable[[Sequence[Triple]], list[list[Triple]]]:
        """Return a function that spells the triples of a query which begins now."""
        commit = self._home.last if self._home.is_writable else None
        return lambda triples: self.spell(commit, triples)

    def spell(self, commit: int | None, triples: Sequence[Triple]) -> list[list[Triple]]:
        """Return for each of `triples` how the graph writes it; nothing if the graph lacks it.

        `commit` is the commit that the query saw; None if the graph is open for reading only. After a later commit the
        triples stay as they are.
        """
        from kgreason.graph.constructed.spellings import OfState, of_engine
        from kgreason.graph.state.running import Running

        unchanged = [[triple] for triple in triples]
        try:
            known = self._known
            if known is None or known.commit != self._home.last or self._state().is_running:
                with self._lock.within(0 if self._transaction.is_open else _PATIENCE):
                    if commit is not None and commit != self._home.last:
                        return unchanged
                    if isinstance(running := self._state(), Running):
                        return of_engine(running, triples)
                    saved = running.saved()
                    if isinstance(running := self._state(), Running):  # commits came after the snapshot
                        return of_engine(running, triples)
                    if saved is None:
                        return unchanged
                    known = self._known = OfState(self._home.last, *saved)
        except KgreasonError:  # another thread has the graph, or it was closed, or its engine cannot start
            return unchanged
        return unchanged if commit not in (None, known.commit) else known.spell(triples)
