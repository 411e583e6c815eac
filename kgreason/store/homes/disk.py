"""`Disk`: the home of a graph in a store that this process writes.

    commit        journal (synced), then Oxigraph (one transaction)
    load          stage (a copy of Oxigraph, by hard links), snapshot (synced), manifest; then the stage is Oxigraph
    start         a store of an older format is written again, as by a load; or Oxigraph gets what it lacks
    checkpoint    snapshot (synced), Oxigraph flushed, manifest, journal emptied
    settle        Oxigraph flushed, manifest

A commit is made once its record is in the journal and its rows are in Oxigraph. If Oxigraph does not take the rows, the
journal loses the record again. After a kill in between, the next opening makes the commit. A load exists once the
manifest names its snapshot.

Oxigraph's own log is not synced at a commit. After a power loss Oxigraph may lack the last commits. Oxigraph then has
at least the commits up to the flush that the manifest names. Oxigraph has no commit that the journal lacks, because the
journal was synced first. A delta is two sets of rows. So applying all deltas since the flush brings Oxigraph up to
date, even if Oxigraph has some of the deltas already. The deltas come from replaying the journal in the engine.

Threads: any thread may use `store` at any time. Everything else needs the graph's lock.

Cost: a commit of one triple takes 1.2 times as long as an fsync and a SPARQL update. Opening reads one small file, and
the part of the journal since the flush. Oxigraph is opened when it is first needed. A stage costs a flush, some 30
milliseconds, and the disk space of the files that it does not share with the old store.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from kgreason.errors import StoreError
from kgreason.interrupts import undivided
from kgreason.spans import span
from kgreason.store.folder import FORMAT, Folder, Manifest, read_manifest
from kgreason.store.history.entry import Entry, Head
from kgreason.store.history.log import FileHistory, history_path
from kgreason.store.history.retention import Retention
from kgreason.store.homes.home import LastCommit, Result, RowDelta, Started, Write, closed_error, has_rows, net_rows
from kgreason.store.homes.position import Position
from kgreason.store.homes.room import LEAST, Room
from kgreason.store.journal.record import Record, now
from kgreason.store.oxigraph.links import unshared_bytes
from kgreason.store.oxigraph.store import OxigraphStore

_NUMBERS = count(1)
"""The numbers of the stages of this process."""
_SMALLEST = 4 << 20
_SHARE = 4
"""A checkpoint is due once the journal has more than 4 MB and more than a quarter of the snapshot's bytes."""


class _Stage(NamedTuple):
    """A store that may take the place of the present store, and the name of its folder."""

    store: OxigraphStore
    name: str


class Disk:
    """The home of a graph in a folder that this process has locked.

    `wanted` is the manifest of a store that has no commit yet. It is written at once. Files that an earlier writer left
    behind are removed.
    """

    def __init__(self, folder: Folder, wanted: Manifest) -> None:
        self._folder = folder
        self.path = folder.path
        """The folder of the store."""
        self._store: OxigraphStore | None = None
        self._stage: _Stage | None = None
        self._opening = Lock()
        self._process = os.getpid()
        self._is_doubted = False
        self.is_closed = False
        known = folder.manifest
        self.manifest = known if known is not None and known.commit else wanted
        self._stored = self.manifest.stored
        self.last = folder.journal.last
        """The number of the last commit."""
        self._limit: int | None = None
        self._room = Room(self.path)
        self._tidy()
        if known != self.manifest:
            folder.write_manifest(self.manifest)
        self.history = self._open_history()

    def _open_history(self) -> FileHistory | None:
        if self.manifest.history == "none":
            return None
        history = FileHistory(history_path(self.path), Retention.of_mode(self.manifest.history))
        history.begin(self.last)
        return history

    @property
    def position(self) -> Position:
        """How far snapshot, journal and store are."""
        return Position(self.manifest.commit, self.last, self._stored)

    @property
    def store(self) -> OxigraphStore:
        """The store as of the last commit, opened when it is first needed. Any thread may ask, without waiting.

        Raises StoreError, also if the graph is closed.
        """
        store = self._store
        if store is not None:
            return store
        with self._opening:
            if self.is_closed:
                raise closed_error()
            if self._store is None:
                self._store = OxigraphStore(self._folder.oxigraph_path(self.manifest))
            return self._store

    @property
    def settled_manifest(self) -> Manifest | None:
        """The manifest, if it is one of the last commit."""
        manifest = self.manifest
        return manifest if manifest.stored == self.last else None

    def free_store(self) -> OxigraphStore:
        """Return a store that no transaction holds; a copy, if an abandoned transaction holds the present one."""
        return self._renew_store() if self.store.is_held else self.store

    def _sound_store(self) -> OxigraphStore:
        """Return a store that takes changes: a copy, if a transaction holds the present store or if it is broken.

        Raises StoreError. After an error or Ctrl-C the store is as it was.
        """
        store = self.store
        return self._renew_store() if store.is_held or store.is_broken else store

    def _renew_store(self) -> OxigraphStore:
        """Put a copy of the store in its place, and return the copy. Queries that read the old store can go on."""
        try:
            self.stage().flush()
            with undivided():
                assert self._stage is not None
                self._note_manifest(replace(self.manifest, oxigraph=self._stage.name), self._stored)
                self._adopt_stage()
        finally:
            self.drop_stage()
        self._tidy()
        return self.store

    @property
    def _is_ours(self) -> bool:
        """Whether this process opened the store. A forked child lacks the threads that RocksDB waits for."""
        return os.getpid() == self._process

    @property
    def is_writable(self) -> bool:
        """Whether the home is not closed, and belongs to this process."""
        return not self.is_closed and self._is_ours

    def writable(self) -> Disk:
        """Return this home. Raises StoreError if it is closed, or belongs to another process."""
        if self.is_closed:
            raise closed_error()
        if not self._is_ours:
            raise StoreError(
                "the graph was opened in another process, before a fork; open the store again in the present process"
            )
        return self

    def check_room(self) -> None:
        """Raise StoreError if the disk has no room for a small commit, or for the copy of a store that is broken."""
        store, size = self._store, LEAST
        if store is not None and store.is_broken and store.path is not None:
            size += 2 * unshared_bytes(store.path)
        self._room.check(size)

    @property
    def snapshot(self) -> Path | None:
        """The last snapshot, or None if this home has no snapshot."""
        return self._folder.snapshot_path(self.manifest.commit) if self.manifest.commit else None

    def records_since_snapshot(self) -> list[Record]:
        """Return the commits since the snapshot. Raises StoreError if the journal is damaged."""
        return [each for each in self._folder.journal.records(self.manifest.commit) if each.commit <= self.last]

    def read_consistently(self, read: Callable[[], Result]) -> Result:
        """Return the result of `read`: nobody else writes here."""
        if self.is_closed:
            raise closed_error()
        return read()

    def start_engine(self, begin: Callable[[int], Started]) -> Started:
        """Start an engine; a store of an older format is brought to the present format, and Oxigraph up to `last`.

        Oxigraph may have some of the deltas already. If the deltas were applied one after the other, readers would see
        an earlier commit for a moment. If the deltas are applied together and Oxigraph has them all, nothing changes.
        """
        is_filled = self.manifest.is_older or self.position.is_unknown
        started = begin(self.last if is_filled else self._stored)
        if self.manifest.is_older:
            self._bring_forward(started)
        elif is_filled:
            self.refill(started)
        elif started.replayed:
            come, gone = net_rows(started.replayed)
            self._sound_store().apply(gone, come)
            self._stored = self.last
        return started

    def _bring_forward(self, engine: LastCommit) -> None:
        """Write a store of an older format again in the present format, as a commit that changes no fact.

        Nothing of the older store changes before the last step. So after an interrupt the next opening starts again.
        """
        store = self.stage(is_empty=True)
        try:
            engine.fill(store)
            if self.history is not None:
                self.history.append(Entry(Head(self.last + 1, now())))
            self.commit_stage(replace(engine.manifest(), format=FORMAT), engine.write)
        finally:
            self.drop_stage()

    def refill(self, engine: LastCommit) -> None:
        """If the contents of the store are unknown, replace the store by a new one with the rows of the last commit.

        On disk this happens only to stores of versions that filled Oxigraph where it was.
        """
        if not self.position.is_unknown:
            return
        store = self.stage(is_empty=True)
        try:
            engine.fill(store)
            store.flush()
            with undivided():
                assert self._stage is not None
                self._note_manifest(self._manifest_of_files(engine.manifest(), self._stage.name), self.last)
                self._adopt_stage()
        finally:
            self.drop_stage()

    def commit(self, record: Record, removed: bytes, added: bytes) -> None:
        """Make a commit: write `record` to the journal, then remove and add rows of the store.

        There must be a snapshot, which the first load writes. Once the journal has the record and the store has the
        rows, the commit is made. If the store does not take the rows, the journal loses the record again. After an
        error or an interrupt `last` says whether the commit was made.
        """
        self._sound_store()
        if not self.manifest.commit:
            raise StoreError(f"{self.path}: there is no snapshot yet; the first commit must be a load")
        if self._is_doubted:
            self._restore_manifest()
        try:
            with span("journal"):
                self._folder.journal.append(record)
            with span("store"):
                self._apply(RowDelta(record.commit, removed, added))
        except BaseException:
            if self._folder.journal.last > self.last:
                self._folder.journal.take_back()
            raise

    def _apply(self, delta: RowDelta) -> None:
        """Apply the delta of the next commit to the store; from then on the commit is made.

        If the store has failed, the commit gets a second attempt, with a copy of the store. For RocksDB may remember an
        earlier failure, such as one in the background, when there is room again.
        """
        try:
            self._apply_once(delta)
        except StoreError:
            self._apply_once(delta)

    def _apply_once(self, delta: RowDelta) -> None:
        """Apply a delta as `_apply` does. An error may come after the transaction; then the store has the rows."""
        store = self._sound_store()
        try:
            store.apply(delta.removed, delta.added)
        except BaseException as error:
            if not has_rows(store, [delta]):
                raise
            self.last = self._stored = delta.commit
            if not isinstance(error, StoreError):
                raise
        else:
            self.last = self._stored = delta.commit

    def stage(self, *, is_empty: bool = False) -> OxigraphStore:
        """Return the stage, with the rows of the last commit or with none."""
        if is_empty:
            self.drop_stage()  # one that was left, with rows
        if self._stage is None:
            name = next(name for name in self._stage_names() if name != self.manifest.oxigraph)
            path = self.path / name
            shutil.rmtree(path, ignore_errors=True)
            if self.last and not is_empty:
                self.store.copy(path)
            self._stage = _Stage(OxigraphStore(path), name)
        return self._stage.store

    def _stage_names(self) -> Iterator[str]:
        """Yield names for the folder of a new stage.

        Each name is yielded once, because a query that nobody waits for may still lock the folder of an earlier name.
        """
        for number in _NUMBERS:
            yield f"oxigraph-{self.last + 1}.{number}"

    def drop_stage(self) -> None:
        """Drop a stage that did not replace the store, and remove its files."""
        stage, self._stage = self._stage, None
        if stage is not None:
            stage.store.close()
            self._tidy()

    def _adopt_stage(self) -> None:
        """Replace the store by the stage. Queries that read the old store can go on."""
        assert self._stage is not None
        with self._opening:
            self._store = self._stage.store  # the old store is closed once nobody reads it any more
            self._stage = None

    def commit_stage(self, manifest: Manifest, write: Write, filled: Callable[[], object] | None = None) -> None:
        """Make a commit whose rows are in the stage already; see `Writable.commit_stage`."""
        store, number = self.stage(), self.last + 1
        self._restore_manifest()
        with self._new_snapshot(number, write):
            with span("store"):
                if filled:
                    filled()
                store.flush()
            with undivided():
                assert self._stage is not None
                self._rebase(manifest, number, self._stage.name)
                self._adopt_stage()

    def checkpoint(self, manifest: Manifest, write: Write) -> None:
        """Write a new snapshot of the last commit in the place of the old one, and empty the journal.

        `manifest` describes the last commit. `write` writes the snapshot. Raises StoreError. After an error snapshot
        and journal are as before. No commit is lost in either case.
        """
        position = self.position
        if position.is_ahead and not position.is_behind:
            self._sound_store().flush()  # a copy in its place ends with a `_tidy`, so before there is a new snapshot
            with self._new_snapshot(self.last, write), undivided():
                self._rebase(manifest, self.last, self.manifest.oxigraph)

    @property
    def is_checkpoint_due(self) -> bool:
        """Whether the journal is too long in proportion to the snapshot."""
        if self._limit is None:
            files = self._folder.snapshot_path(self.manifest.commit).rglob("*")
            self._limit = max(_SMALLEST, sum(path.stat().st_size for path in files) // _SHARE)
        return self._folder.journal.size > self._limit

    def settle(self, manifest: Manifest) -> None:
        """Flush the store. If the store has the last commit, write `manifest`, which describes this commit."""
        if self._manifest_of_files(manifest, self.manifest.oxigraph) != self.manifest:
            self._sound_store().flush()  # which may put a copy in the place of the store, under another name
            if not self.position.is_behind:
                self._note_manifest(self._manifest_of_files(manifest, self.manifest.oxigraph), self.last)

    def _manifest_of_files(self, manifest: Manifest, oxigraph: str) -> Manifest:
        """Return `manifest` with new values in the fields that say what the files hold now.

        `oxigraph` is the folder of the store, which must have the last commit.
        """
        size = self._folder.journal.size
        return replace(manifest, commit=self.manifest.commit, stored=self.last, journal=size, oxigraph=oxigraph)

    @contextmanager
    def _new_snapshot(self, number: int, write: Write) -> Iterator[None]:
        """Write the snapshot of commit `number`, and then run the block.

        The block should write a manifest that names this snapshot. If the manifest does not name the snapshot after the
        block, the snapshot is removed again.
        """
        self._tidy()
        try:
            with self._folder.writing_errors(), span("snapshot"):
                write(self._folder.snapshot_path(number))
            yield
        finally:
            self._tidy()

    def _rebase(self, manifest: Manifest, number: int, oxigraph: str) -> None:
        """Write a manifest that names the snapshot of commit `number` and the store `oxigraph`."""
        self._note_manifest(replace(manifest, commit=number, stored=number, journal=0, oxigraph=oxigraph), number)
        self._limit = None
        try:
            self._folder.journal.reset(number)
        finally:
            self.last = self._folder.journal.last

    def _tidy(self) -> None:
        self._folder.tidy(self._stage.name if self._stage else "")

    def _note_manifest(self, manifest: Manifest, stored: int) -> None:
        self._is_doubted = True
        try:
            self._folder.write_manifest(manifest)
        except BaseException:
            with suppress(StoreError):  # the new manifest may be on disk in spite of the error
                self._restore_manifest()
            raise
        self._is_doubted = False
        self.manifest, self._stored = manifest, stored

    def _restore_manifest(self) -> None:
        """If a failed write may have left an unwanted manifest on disk, write `self.manifest` again."""
        if self._is_doubted:
            if read_manifest(self.path) is not None:
                self._folder.write_manifest(self.manifest)
            self._is_doubted = False

    def close(self, *, is_failed: bool = False) -> None:
        """Close the store and the journal, and release the lock; `is_failed` as in `Folder.close`.

        If `settle` was not called before, the next opening replays some commits.
        """
        if self._store is not None and self._store.is_held:
            with suppress(StoreError):  # the thread that holds the files would keep this process from reopening them
                self.free_store()
        with self._opening:
            self.is_closed = True
            if self._store is not None:
                self._store.close()
                self._store = None
        self.drop_stage()
        self._folder.close(is_failed=is_failed)
