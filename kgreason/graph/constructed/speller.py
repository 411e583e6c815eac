"""`Speller`: writes the triples of an answer as the graph writes them, in whatever state the graph is.

    the engine runs               `spell_in_engine`, under the lock for a batch
    the snapshot is the last      `StateSpeller`, without the lock; the query keeps it to its end

Law: a triple is given as the graph had it at the commit that the query saw. If that cannot be told without waiting for
a transaction of another thread, the triple stays as Oxigraph gives it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from pyoxigraph import Triple

from kgreason.errors import KgreasonError, QueryTimeoutError
from kgreason.graph.constructed.query_speller import SpellIn
from kgreason.graph.lock import GraphLock
from kgreason.graph.open_transaction import OpenTransaction
from kgreason.graph.state.state import State
from kgreason.interrupts import let_out
from kgreason.store.homes.home import Home

if TYPE_CHECKING:
    from kgreason.graph.constructed.state_speller import StateSpeller

_PATIENCE = 0.1
"""The seconds that a query waits for another thread that asks the engine or commits."""


class _SpellingGraph(Protocol):
    """A `KnowledgeGraph`."""

    _speller: Speller


def spell_for_graph(
    graph: _SpellingGraph, commit: int, triples: Sequence[Triple], name: str | None
) -> Sequence[Sequence[Triple]]:
    """Return how `graph` writes each of `triples`, which somebody else has found in its store after `commit`.

    `name` is that of a named graph, as text; None means the closure.
    """
    return graph._speller.of_commit(commit)(triples, name)


class Speller:
    """Spells triples for the graph at `home`. `lock` is the graph's lock, and `state` returns its present state.

    Threads: any thread may ask.
    """

    def __init__(self, home: Home, lock: GraphLock, is_open: OpenTransaction, state: Callable[[], State]) -> None:
        self._home, self._lock, self._transaction, self._state = home, lock, is_open, state
        self._known: StateSpeller | None = None

    def of_query(self, timeout: float | None) -> SpellIn:
        """Return a function that spells the triples of a query which begins now.

        The function raises QueryTimeoutError `timeout` seconds after this call.
        """
        return self.of_commit(self._home.last if self._home.is_writable else None, _time_check(timeout))

    def of_commit(self, commit: int | None, check: Callable[[], None] = let_out) -> SpellIn:
        """Return a function that spells the triples of one query, which saw the `commit`.

        It returns for each triple how the graph writes it; nothing if the graph lacks it. After a later commit the
        triples stay as they are, unless the query has begun to read the last snapshot. `commit` is None if the graph is
        open for reading only. `check` is called several times a second, and may raise.
        """
        known: StateSpeller | None = None

        def spell(triples: Sequence[Triple], name: str | None) -> list[list[Triple]]:
            nonlocal known
            check()
            if known is None:
                try:
                    found = self._state_or_spellings(commit, triples, name)
                except KgreasonError:  # another thread has the graph, or it was closed, or its engine cannot start
                    found = None
                if found is None or isinstance(found, list):
                    return found or [[triple] for triple in triples]
                known = found
            return known.spell(triples, name, check)

        return spell

    def _state_or_spellings(
        self, commit: int | None, triples: Sequence[Triple], name: str | None
    ) -> StateSpeller | list[list[Triple]] | None:
        """Return the state of the snapshot, or what the running engine says; None if neither is as of `commit`."""
        from kgreason.graph.constructed.spellings import spell_in_engine
        from kgreason.graph.constructed.state_speller import StateSpeller
        from kgreason.graph.state.running import Running

        known = self._known
        if known is None or known.commit != self._home.last or self._state().is_running:
            with self._lock.hold(0 if self._transaction.is_open else _PATIENCE):
                if commit is not None and commit != self._home.last:
                    return None
                if isinstance(running := self._state(), Running):
                    return spell_in_engine(running, triples, name)
                saved = running.saved()
                if isinstance(running := self._state(), Running):  # commits came after the snapshot
                    return spell_in_engine(running, triples, name)
                if saved is None:
                    return None
                known = self._known = StateSpeller(self._home.last, *saved)
        return known if commit in (None, known.commit) else None


def _time_check(timeout: float | None) -> Callable[[], None]:
    """Return a function that raises QueryTimeoutError if it is called `timeout` seconds from now, or later."""
    if timeout is None:
        return let_out
    deadline = time.monotonic() + timeout

    def check() -> None:
        let_out()
        if time.monotonic() >= deadline:
            raise QueryTimeoutError(f"the query took longer than {timeout:g} s")

    return check
