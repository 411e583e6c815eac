"""`OpenTransaction`: the transaction that a graph has open, if any, and who hears of its commit.

Invariant: while a transaction is open, its thread has the graph's lock. A transaction that nobody can end any more is
dropped when the next one begins. Subscribers hear of each commit in order, in the thread that made it.

Threads: `begin` takes the lock; everything else needs it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from kgreason.errors import StoreError
from kgreason.graph.changes.subscribers import Subscribers
from kgreason.graph.lock import GraphLock
from kgreason.interrupts import undivided
from kgreason.rules.program import Finder
from kgreason.store.homes.home import Home

if TYPE_CHECKING:
    from kgreason.graph.commits import Committer
    from kgreason.graph.transaction import Transaction


class OpenTransaction:
    """At most one transaction of the graph at `home`.

    `lock` is the graph's lock, and `committer` gives the graph with its engine. `find` finds the documents that rules
    import.
    """

    def __init__(self, home: Home, lock: GraphLock, committer: Callable[[], Committer], find: Finder | None) -> None:
        self._home, self._lock, self._committer, self._find = home, lock, committer, find
        self.subscribers = Subscribers()
        self._open: weakref.ref[Transaction] | None = None
        self._depth = 0
        """How often the thread that began the open transaction had the lock before the transaction."""
        self._drop: Callable[[], object] = lambda: None
        """Forgets the terms that the open transaction has read."""

    @property
    def is_open(self) -> bool:
        """Whether a transaction is open. Any thread may ask."""
        return self._open is not None and self._open() is not None

    def surely_begin(
        self, headers: Mapping[str, str] | None, timeout: float | None = None, *, reasons: int = 0, author: str = ""
    ) -> Transaction:
        """Do the same as `begin` where the caller is not `undivided`, even if Ctrl-C comes meanwhile."""
        begun: Transaction | None = None
        try:
            with undivided():
                begun = self.begin(headers, timeout, reasons=reasons, author=author)
        except BaseException:
            if begun is not None:  # Ctrl-C was noted meanwhile, and nobody gets the transaction
                begun.end(False)
            raise
        return begun

    def begin(
        self, headers: Mapping[str, str] | None, timeout: float | None = None, *, reasons: int = 0, author: str = ""
    ) -> Transaction:
        """Begin a transaction that becomes a commit with `headers`, or, if they are None, a what-if with `reasons`.

        The caller is `undivided`. `author` is who makes the commit; if it is empty, the author of the `Committer` makes
        it.
        """
        from kgreason.graph.transaction import EndCalls, Transaction

        depth = self._lock.acquire(timeout)
        try:
            if self._open is not None:
                depth = min(depth, self._check_none_open())
            home = None if headers is None else self._home.writable()
            committer = self._committer()
            dictionary = committer.materializer.dictionary
            known = len(dictionary)
            if home is None or headers is None:
                keep = partial(committer.try_out, reasons=reasons)
            else:
                keep = partial(committer.commit, home=home, headers=headers, author=author)
            ends = EndCalls(keep, dictionary.truncate, partial(self._finish_commit, committer))
            begun = Transaction(committer.materializer, known, ends, self._find)
            self._open, self._depth = weakref.ref(begun), depth
            self._drop = partial(dictionary.truncate, known)
        except BaseException:
            self._lock.release(depth)
            raise
        return begun

    def _check_none_open(self) -> int:
        """Raise StoreError if this thread has a transaction open. Drop a transaction that nobody can end any more.

        Nobody can end a transaction if its thread has ended, or if no variable holds the transaction.

        If no variable held the dropped transaction, returns how many times its thread had the lock before it began.
        Otherwise returns `sys.maxsize`.
        """
        open_ = self._open() if self._open is not None else None
        if open_ is not None and not open_.is_abandoned:
            raise StoreError(
                "this thread has a transaction open already (perhaps in another task): add the edits to that"
                " transaction (tx.add(...)), or end it first: leave its `with` block, which commits its edits, or call"
                " `end(True)` on it to commit them, or `end(False)` to drop them"
            )
        before = self._depth if self._open is not None and open_ is None else sys.maxsize
        self.drop("the thread that began the transaction has ended; the edits were dropped")
        return before

    def drop(self, why: str) -> None:
        """Drop the open transaction, whichever thread began it. The calling thread keeps the lock.

        Later calls of the transaction raise StoreError with the message `why`.
        """
        if self._open is None:
            return
        if (transaction := self._open()) is not None:
            self._depth = self._lock.depth
            transaction.abandon(why)
        else:
            self._open = None
            self._drop()

    def _finish_commit(self, committer: Committer) -> None:
        """Tell the subscribers each commit that they have not heard of. Make a checkpoint if one is due.

        The caller is `undivided`.
        """
        depth = self._depth  # a subscriber may edit the graph, in a transaction of its own
        try:
            self._open = None
            if not committer.unheard or self.subscribers.is_held:
                return
            committer.checkpoint_if_due()
            if self.subscribers.callbacks:
                self.subscribers.call_with_each(committer.unheard)
            else:
                committer.unheard.clear()
        finally:
            self._lock.release(depth)
