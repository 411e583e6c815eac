"""`Ahead`: the store as the steps of a SPARQL Update have left it, for the WHEREs of that request alone.

Few rows are brought into the store for each WHERE anew, in a transaction of Oxigraph that is taken back
(`OxigraphStore.solutions_after`). Where that has cost as much as a copy of the store would, a copy (a stage of the
repository) follows the steps instead. Nobody else sees either. Ctrl-C ends the waiting for a transaction. Until
Oxigraph has come to its end it holds the store, and whoever writes meanwhile writes to a copy
(`Repository.free_store`).

Law: a WHERE has the solutions that it would have once the steps were committed. Cost: at most twice that of the cheaper
way; a copy on disk costs what a stage costs, one in memory the loading of all rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pyoxigraph import NamedNode, QuerySolutions

from kgreason.sparql.template import lines, start_of
from kgreason.sparql.where import Select, Solution
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.oxigraph.update import COLLECT, UNBOUND, pieces
from kgreason.store.repository import Repository

_COPY = 20_000
"""A copy on disk costs as much as so many rows in a transaction; one in memory as the rows of the graph, if more."""


class _Rows(NamedTuple):
    """The rows of the store that steps have removed and added, as lines."""

    removed: frozenset[bytes] = frozenset()
    added: frozenset[bytes] = frozenset()


class Ahead:
    """The rows ahead of the last commit; `facts` is how many the graph has. `close` must be called in the end."""

    def __init__(self, home: Repository, facts: int) -> None:
        self._home = home
        self._limit = _COPY if home.is_on_disk else max(_COPY, facts)
        self._spent = 0
        self._delta: tuple[bytes, bytes] | None = None
        self._copy: OxigraphStore | None = None
        self._copied = _Rows()

    def follow(self, removed: bytes, added: bytes) -> None:
        """Have all steps so far come to these lines, which go and then come."""
        self._delta = removed, added
        if self._copy is not None:
            self._bring_up(self._copy)

    def solutions(self, select: Select) -> Iterable[Solution]:
        """The solutions of a SELECT. Raises QueryError, StoreError."""
        store = self._home.store
        if self._delta is not None and self._copy is None:
            self._spent += sum(rows.count(b"\n") for rows in self._delta)
            if self._spent <= self._limit:
                asking = select.calling(str(COLLECT), str(UNBOUND))
                return self._home.free_store().solutions_after(*self._delta, select.prologue, asking, select.variables)
            self._copy = self._home.stage()
            self._bring_up(self._copy)
        name = select.default_graph
        asked = store if self._copy is None else self._copy
        found = asked.query(select.query, default_graph=NamedNode(name[1:-1]) if name else None)
        assert isinstance(found, QuerySolutions)
        return found

    def _bring_up(self, copy: OxigraphStore) -> None:
        """Apply to the copy what the last step has changed."""
        assert self._delta is not None
        (gone, come), before = (frozenset(lines(rows)) for rows in self._delta), self._copied
        self._copied = _Rows(gone, come)
        lost = before.added - come
        back = {line for line in lost - gone if self._home.store.count(line)} | (before.removed - gone)
        starts = {start_of(line) for line in lost}  # another spelling of a literal may be the same row of Oxigraph
        new = {line for line in come if line not in before.added or start_of(line) in starts}
        for piece in pieces(b"".join((gone - before.removed) | lost)):  # nobody else has the copy
            copy.apply(piece, b"")
        for piece in pieces(b"".join(back | new)):
            copy.apply(b"", piece)

    def close(self) -> None:
        """Let go of the copy."""
        self._copy = None
        self._home.unstage()
