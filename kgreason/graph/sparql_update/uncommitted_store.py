"""`UncommittedStore`: the store that the next WHERE of a SPARQL Update must see, after the operations (*steps*) so far.

There are two ways. At first each WHERE runs in a transaction of Oxigraph, which applies the rows of the steps, reads,
and is rolled back (`OxigraphStore.solutions_after`). Once these transactions have cost as much as a copy of the store,
each later WHERE reads such a copy (a stage of the home), which follows the steps. In both ways nobody else sees
the rows of the steps.

After Ctrl-C nobody waits for the transaction of Oxigraph any more. Oxigraph finishes it in the background, and locks
the store until then. A commit that comes meanwhile goes to a copy of the store (`Home.free_store`).

A server must be able to end each WHERE (`WhereLimits`). So there a process of its own evaluates each WHERE over the
files of the store, or of the copy. Only a WHERE that is surely fast runs in this process: one that
`is_short`, or one that was evaluated at this commit before and was fast.

Law: a WHERE has the same solutions as after a commit of the steps. Cost: at most twice the cost of the cheaper way. A
copy on disk costs what a stage costs; a copy in memory costs loading all rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pyoxigraph import NamedNode, QuerySolutions

from kgreason.sparql.template import lines, subject_and_predicate
from kgreason.sparql.where_clause import Select, Solution
from kgreason.store.homes.home import Home
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.oxigraph.update import COLLECT, UNBOUND, pieces
from kgreason.store.oxigraph.worker import is_short


class WhereLimits(NamedTuple):
    """How to evaluate the WHEREs of a request so that each of them can be ended.

    - `seconds`: how long a WHERE may take
    - `fast_at`: at this commit each WHERE was evaluated before, and was fast; None if that is not known
    - `most_bytes`: how many bytes of memory the process of a WHERE may take; None is no limit
    """

    seconds: float
    fast_at: int | None = None
    most_bytes: int | None = None


_COPY = 20_000
"""A copy on disk costs as much as this many rows in a transaction; a copy in memory as much as all rows, if more."""


class _Rows(NamedTuple):
    """How the copy differs from the store: N-Quads lines that were removed from the copy, and lines that were added."""

    removed: frozenset[bytes] = frozenset()
    added: frozenset[bytes] = frozenset()


class UncommittedStore:
    """The store with the steps so far, which are not committed yet. Call `close` in the end.

    `facts` is the number of facts of the graph.
    """

    def __init__(self, home: Home, facts: int, wheres: WhereLimits | None = None) -> None:
        """`wheres`: how to evaluate a WHERE so that it can be ended. Without it a WHERE has no limit."""
        self._home, self._wheres = home, wheres
        self._limit = _COPY if home.path is not None else max(_COPY, facts)
        if not home.is_writable:
            self._limit = -1  # a store that is open for reading has no transactions
        self._spent = 0
        self._delta: tuple[bytes, bytes] | None = None
        self._copy: OxigraphStore | None = None
        self._copied = _Rows()

    def note_steps(self, removed: bytes, added: bytes) -> None:
        """Tell this object what all steps so far do to the store: the N-Quads lines `removed` and `added`."""
        self._delta = removed, added
        if self._copy is not None:
            self._update_copy(self._copy)

    def solutions(self, select: Select, *, is_known: bool = True) -> Iterable[Solution]:
        """Evaluate a SELECT on the store with the steps so far.

        `is_known`: whether this is the SELECT that was evaluated before, if `fast_at` says so.
        Raises QueryError, QueryTimeoutError, StoreError.
        """
        is_apart = self._wheres is not None and not is_short(select.query)
        if self._delta is not None and self._copy is None:
            self._spent += sum(rows.count(b"\n") for rows in self._delta)
            if self._spent <= self._limit and not is_apart:
                asking = select.calling_update(str(COLLECT), str(UNBOUND))
                return self._home.free_store().solutions_after(
                    *self._delta, select.prologue, asking, select.variables, self._timeout
                )
            self._copy = self._home.stage()
            self._update_copy(self._copy)
        elif is_known and self._delta is None and self._wheres and self._wheres.fast_at == self._home.last:
            is_apart = False
        name = select.default_graph
        asked = self._home.store if self._copy is None else self._copy
        graph = NamedNode(name[1:-1]) if name else None
        most = self._wheres.most_bytes if self._wheres else None
        found = asked.query(
            select.query, default_graph=graph, timeout=self._timeout, is_apart=is_apart, most_bytes=most
        )
        assert isinstance(found, QuerySolutions)
        return found

    @property
    def _timeout(self) -> float | None:
        return None if self._wheres is None else self._wheres.seconds

    def _update_copy(self, copy: OxigraphStore) -> None:
        """Bring the copy of the store up to date with all steps so far."""
        assert self._delta is not None
        (gone, come), before = (frozenset(lines(rows)) for rows in self._delta), self._copied
        self._copied = _Rows(gone, come)
        lost = before.added - come
        back = {line for line in lost - gone if self._home.store.count(line)} | (before.removed - gone)
        starts = {
            subject_and_predicate(line) for line in lost
        }  # another spelling of a literal may be the same row of Oxigraph
        new = {line for line in come if line not in before.added or subject_and_predicate(line) in starts}
        for piece in pieces(b"".join((gone - before.removed) | lost)):  # nobody else has the copy
            copy.apply(piece, b"")
        for piece in pieces(b"".join(back | new)):
            copy.apply(b"", piece)

    def close(self) -> None:
        """Drop the copy, if there is one."""
        self._copy = None
        self._home.drop_stage()
