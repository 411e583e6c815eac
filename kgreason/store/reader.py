"""`Reader`: the repository of a graph that is open for reading only. A writer in another process may change the graph.

A reader opens Oxigraph at one moment, and snapshot and journal at another. The journal may then be ahead of Oxigraph.
So the reader replays the journal only up to the commit that its Oxigraph store has (`join`, `cut`). If the writer has
replaced the snapshot meanwhile, the reader looks again (`has_moved`, `look_again`).

Threads and cost: as for `Repository`. If the journal is ahead, `cut` looks up the rows of the last commits.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

from kgreason.errors import StoreError
from kgreason.interrupts import let_out
from kgreason.store.folder import Folder, Manifest
from kgreason.store.history.log import FileHistory, history_path
from kgreason.store.journal.record import Record
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.repository import Repository, RowDelta, net

_ATTEMPTS, _PAUSE = 20, 0.02
"""How often a reader tries to open a store that a writer is changing, and the seconds between two attempts."""


class _Moment(NamedTuple):
    """The folder as a reader saw it before the reader opened Oxigraph.

    Oxigraph has all commits before the commit `first`. It may or may not have this commit and later ones.
    """

    folder: Folder
    first: int


class Reader(Repository):
    """The repository of a graph in a store that another process may change.

    `wanted` has the same meaning as in `Repository`. If the caller wanted to write, `reason` says why the store is open
    for reading only.
    """

    _folder: Folder

    def __init__(self, folder: Folder, wanted: Manifest, reason: str = "") -> None:
        super().__init__(folder, wanted)
        self._reason = reason
        self._moment: _Moment | None = None
        self._end: int | None = None

    def _begin(self) -> None:
        """Open the history for reading. Unlike a writer, a reader removes no files."""
        if self.manifest.history != "none":
            self.history = FileHistory(history_path(self._folder.path))

    @property
    def is_writable(self) -> bool:
        """Always False: a reader makes no commits."""
        return False

    def check_writable(self) -> None:
        """Raise StoreError: a reader makes no commits."""
        if self.is_closed:
            raise StoreError("the graph is closed")
        raise StoreError(self._reason or "the store was opened for reading only")

    @property
    def last(self) -> int:
        """The number of the last commit that the reader sees."""
        return self._folder.journal.last if self._end is None else self._end

    def replay(self, record: Record, removed: bytes, added: bytes) -> None:
        """Remember which rows a commit removes and adds, so that `cut` can look for them in Oxigraph.

        Nothing is remembered if Oxigraph surely has the commit.
        """
        if self._moment is not None and record.commit >= self._moment.first:
            self._unseen.append(RowDelta(record.commit, removed, added))

    def settle(self, manifest: Manifest) -> None:
        """Write nothing: a reader leaves the store as it is."""

    def _open_store(self) -> OxigraphStore:
        """Open Oxigraph as it is now. If a writer moves it to another folder meanwhile, try again."""
        for attempts in range(_ATTEMPTS, 0, -1):
            folder = Folder(self._folder.path, write=False)
            found, first = folder.manifest, folder.journal.last
            try:
                there = found and found.commit and folder.oxigraph(found)
                store = OxigraphStore.read_only(there) if there else OxigraphStore()
                folder.look_on()
            except StoreError:
                if attempts == 1:
                    raise
                let_out()
                time.sleep(_PAUSE)
            else:
                break
        self._moment = _Moment(folder, first)
        return store

    def join(self) -> None:
        """Use the snapshot and the journal as they were when Oxigraph was opened. They replace those that were in use.

        Raises StoreError.
        """
        _ = self.store  # opened, if it is not yet
        assert self._moment is not None
        if self._moment.folder is self._folder:
            return
        self._end = None
        self._unseen.clear()
        self._see(self._moment.folder)

    def _see(self, folder: Folder) -> None:
        self._folder = folder
        if folder.manifest is not None:
            self._hold(folder.manifest)

    def cut(self) -> bool:
        """Find the last commit that Oxigraph has. Returns whether the engine has replayed later commits.

        After this call `last` no longer counts such later commits. For each commit, from the last one back, this method
        looks up in Oxigraph the rows that must be there, and those that must not, after the commit. If Oxigraph has the
        state of two commits, their states are equal, and either commit is right.
        """
        end = self.last
        while self._unseen and not self._shows(self._unseen):
            end = self._unseen.pop().commit - 1
        self._unseen.clear()
        is_cut = end != self.last
        self._end = end
        return is_cut

    def _shows(self, deltas: Iterable[RowDelta]) -> bool:
        """Whether Oxigraph has the rows that it must have after all `deltas`.

        It must have every row that the deltas add in the end, and no row that they remove in the end.
        """
        come, gone = net(deltas)
        return self.store.count(come) == come.count(b"\n") and not self.store.count(gone)

    @property
    def has_moved(self) -> bool:
        """Whether a writer has replaced the snapshot or Oxigraph's folder. If so, call `look_again`.

        Raises StoreError.
        """
        return self._folder.has_moved()

    def look_again(self) -> None:
        """Read the store again, as it is now. Raises StoreError."""
        self._see(Folder(self._folder.path, write=False))
        with self._opening:
            self._store = self._moment = self._end = None
