"""`Reader`: the home of a graph that is open for reading only. A writer in another process may change the store.

A reader opens Oxigraph at one moment, and snapshot and journal at another. The journal may then be ahead of Oxigraph.
So the reader replays the journal only up to the commit that its Oxigraph store has (`start_engine`). If the writer has
replaced the snapshot meanwhile, the reader looks again (`read_consistently`). A reader writes no file of the store: its
stage is in memory.

Threads: any thread may use `store` at any time. Everything else needs the graph's lock. Cost: opening reads one small
file, and the part of the journal since the flush. If the journal is ahead, `start_engine` looks up the rows of the last
commits. A stage costs the memory of all rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import NamedTuple, NoReturn

from kgreason.errors import StoreError
from kgreason.interrupts import let_out
from kgreason.store.folder import Folder, Manifest
from kgreason.store.history.log import FileHistory, history_path
from kgreason.store.homes.home import Result, RowDelta, Started, closed_error, has_rows
from kgreason.store.homes.position import Position
from kgreason.store.journal.record import Record
from kgreason.store.oxigraph.store import OxigraphStore

_ATTEMPTS, _PAUSE = 20, 0.02
"""How often a reader tries to open a store that a writer is changing, and the seconds between two attempts."""


class _Moment(NamedTuple):
    """The folder as a reader saw it before the reader opened Oxigraph, and the store that it opened.

    Oxigraph has all commits before the commit `first`. It may or may not have this commit and later ones.
    """

    folder: Folder
    first: int
    store: OxigraphStore


class Reader:
    """The home of a graph in a folder that another process may write.

    `wanted` is the manifest of a store that has no commit yet. If the caller wanted to write, `reason` says why the
    store is open for reading only.
    """

    is_writable = False
    """A reader makes no commits."""

    def __init__(self, folder: Folder, wanted: Manifest, reason: str = "") -> None:
        self.path = folder.path
        """The folder of the store."""
        self._reason = reason
        self._opening = Lock()
        self._moment: _Moment | None = None
        self._stage: OxigraphStore | None = None
        self.is_closed = False
        self._set_folder(folder, wanted)
        self.history = None if self.manifest.history == "none" else FileHistory(history_path(self.path))

    def _set_folder(self, folder: Folder, wanted: Manifest) -> None:
        known = folder.manifest
        self._folder = folder
        self.manifest = known if known is not None and known.commit else wanted
        self.last = folder.journal.last
        """The number of the last commit that the reader sees."""

    @property
    def position(self) -> Position:
        """How far snapshot, journal and store are, as the manifest says."""
        return Position(self.manifest.commit, self.last, self.manifest.stored)

    @property
    def store(self) -> OxigraphStore:
        """The store, opened when it is first needed. It stays as it was at that moment. Any thread may ask."""
        moment = self._moment
        return self._open_moment().store if moment is None else moment.store

    @property
    def settled_manifest(self) -> Manifest | None:
        """The manifest, if a writer has written it after all commits that were there when Oxigraph was opened."""
        folder = self._moment and self._moment.folder
        manifest = folder and folder.manifest
        return manifest if folder and manifest and manifest.stored == folder.journal.last else None

    def _open_moment(self) -> _Moment:
        with self._opening:
            if self.is_closed:
                raise closed_error()
            if self._moment is None:
                self._moment = self._new_moment()
            return self._moment

    def _new_moment(self) -> _Moment:
        """Open Oxigraph as it is now. If a writer moves it to another folder meanwhile, try again."""
        for attempts in range(_ATTEMPTS, 0, -1):
            folder = Folder(self.path, write=False)
            known, first = folder.manifest, folder.journal.last
            try:
                there = known and known.commit and folder.oxigraph_path(known)
                store = OxigraphStore.read_only(there) if there else OxigraphStore()
                folder.read_on()
            except StoreError:
                if attempts == 1:
                    raise
                let_out()
                time.sleep(_PAUSE)
            else:
                break
        return _Moment(folder, first, store)

    def writable(self) -> NoReturn:
        """Raise StoreError: a reader makes no commits."""
        raise closed_error() if self.is_closed else StoreError(self._reason or "the store was opened for reading only")

    @property
    def snapshot(self) -> Path | None:
        """The last snapshot, or None if this home has no snapshot."""
        return self._folder.snapshot_path(self.manifest.commit) if self.manifest.commit else None

    def records_since_snapshot(self) -> list[Record]:
        """Return the commits since the snapshot that the reader sees. Raises StoreError if the journal is damaged."""
        return [each for each in self._folder.journal.records(self.manifest.commit) if each.commit <= self.last]

    def read_consistently(self, read: Callable[[], Result]) -> Result:
        """Return the result of `read`, for snapshot and journal as they were when Oxigraph was opened.

        If `read` fails because a writer has replaced files meanwhile, look at the store again and repeat the call.
        """
        while True:
            try:
                moment = self._open_moment()
                if moment.folder is not self._folder:
                    self._set_folder(moment.folder, self.manifest)
                return read()
            except StoreError:
                if self.is_closed or not self._folder.has_moved():
                    raise
            self._set_folder(Folder(self.path, write=False), self.manifest)
            with self._opening:
                self._moment = None

    def start_engine(self, begin: Callable[[int], Started]) -> Started:
        """Start an engine for the last commit that Oxigraph has; `last` no longer counts later ones."""
        return self.read_consistently(lambda: self._start_once(begin))

    def _start_once(self, begin: Callable[[int], Started]) -> Started:
        started = begin(self._open_moment().first - 1)
        end = self._last_applied(started.replayed)
        if end == self.last:
            return started
        self.last = end
        return begin(end)

    def _last_applied(self, replayed: list[RowDelta]) -> int:
        """Return the number of the last commit that Oxigraph has; `replayed` are those that it may lack.

        For each commit, from the last one back, this method looks up in Oxigraph the rows that must be there, and those
        that must not, after the commit. If Oxigraph has the state of two commits, their states are equal, and either
        commit is right.
        """
        end = self.last
        while replayed and not has_rows(self.store, replayed):
            replayed, end = replayed[:-1], replayed[-1].commit - 1
        return end

    def free_store(self) -> OxigraphStore:
        """Return the store, which nobody changes."""
        return self.store

    def stage(self, *, is_empty: bool = False) -> OxigraphStore:
        """Return a stage in memory, with the rows of the last commit or with none."""
        if is_empty or self._stage is None:
            stage = OxigraphStore()
            if not is_empty:
                stage.load(self.store.lines())
            self._stage = stage
        return self._stage

    def drop_stage(self) -> None:
        """Drop the stage."""
        self._stage = None

    def close(self, *, is_failed: bool = False) -> None:
        """Close the store and the journal."""
        with self._opening:
            self.is_closed = True
            if self._moment is not None:
                self._moment.store.close()
        self._stage = None
        self._folder.close(is_failed=is_failed)
