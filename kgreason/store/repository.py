"""`Repository`: where a graph lives: a snapshot, the journal of the commits since, and Oxigraph, which follows them.

    commit        journal (synced), then Oxigraph (one transaction)
    load          stage (a copy of Oxigraph, by hard links), snapshot (synced), manifest; then the stage is Oxigraph
    bring_forward like a load into an empty stage, for a store of an older format
    checkpoint    snapshot (synced), Oxigraph flushed, manifest, journal emptied
    settle        Oxigraph flushed, manifest

A commit exists once its record is in the journal. A load exists once the manifest names its snapshot. A query uses one
Oxigraph store from its beginning to its end. So a reader sees each commit completely or not at all: a commit is one
transaction of Oxigraph, and a load fills a store of its own, the *stage*, which no reader opens before it is complete.

Oxigraph's own log is not synced at a commit. After a power loss Oxigraph may lack the last commits. Oxigraph then has
at least the commits up to the flush that the manifest names. Oxigraph has no commit that the journal lacks, because the
journal was synced first. A delta is two sets of rows. So applying all deltas since the flush brings Oxigraph up to
date, even if Oxigraph has some of the deltas already. The deltas come from replaying the journal in the engine. The
repository knows neither the engine nor the contents of snapshots; its callers pass the rows. In memory there is
Oxigraph only.

A reader in another process is a `Reader`.

Threads: any thread may use `store` at any time. Everything else needs the graph's lock.

Cost: a commit of one triple takes 1.2 times as long as an fsync and a SPARQL update. Opening reads one small file, and
the part of the journal since the flush. Oxigraph is opened when it is first needed. A stage on disk costs a flush, some
30 milliseconds, and the disk space of the files that it does not share with the old store. A stage in memory costs the
memory of all rows.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from kgreason.errors import StoreError
from kgreason.interrupts import let_out, undivided
from kgreason.spans import span
from kgreason.store.folder import FORMAT, Folder, Manifest, read_manifest
from kgreason.store.history.entry import Entry, Head, now
from kgreason.store.history.kept import Kept
from kgreason.store.history.log import FileHistory, History, MemoryHistory, history_path
from kgreason.store.journal.record import Record
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.oxigraph.update import StoppedError

Write = Callable[[Path], None]
Fill = Callable[[OxigraphStore], None]

_UNKNOWN = -1
_NUMBERS = count(1)
"""The numbers of the stages of this process."""
_SMALLEST = 4 << 20
_SHARE = 4
"""A checkpoint is due once the journal has more than 4 MB and more than a quarter of the snapshot's bytes."""


class RowDelta(NamedTuple):
    """The rows that one commit removes and adds, as N-Quads lines. The store first removes, then adds."""

    commit: int
    removed: bytes
    added: bytes


class _Stage(NamedTuple):
    """A store that may take the place of the present store, and the name of its folder."""

    store: OxigraphStore
    name: str


class Repository:
    """Where a graph that may be edited lives: in a folder, or in memory if `folder` is None.

    `wanted` is the manifest of a store that has no commit yet. It is written at once.
    """

    def __init__(self, folder: Folder | None, wanted: Manifest) -> None:
        self._folder = folder
        self.is_on_disk = folder is not None
        """Whether commits survive the process."""
        self._store: OxigraphStore | None = None
        self._stage: _Stage | None = None
        self._opening = Lock()
        self._process = os.getpid()
        self._is_closed = self._is_stuck = self._is_doubted = False
        self._unseen: list[RowDelta] = []
        found = folder.manifest if folder else None
        self.manifest = found if found is not None and found.commit else wanted
        self._seen = self.manifest.stored
        self._limit: int | None = None
        self.history: History | None = None
        """What every commit changed, if the graph keeps its history."""
        self._begin()

    def _begin(self) -> None:
        """Remove the files that an earlier writer left behind, keep the options, and open the history for writing."""
        self._tidy()
        if self._folder is not None and self._folder.manifest != self.manifest:
            self._folder.put(self.manifest)
        if self.manifest.history == "none":
            return
        kept = Kept.of(self.manifest.history)
        if self._folder is None:
            self.history = MemoryHistory(kept)
        else:
            history = FileHistory(history_path(self._folder.path), kept)
            history.begin(self.last)
            self.history = history

    @property
    def store(self) -> OxigraphStore:
        """The store as of the last commit, opened when it is first needed. Any thread may ask, without waiting.

        Raises StoreError, also if the graph is closed, or if the store cannot take the last commit.
        """
        store = self._store
        return store if store is not None and not self._is_stuck else self._asked()

    def _asked(self) -> OxigraphStore:
        """Return the store as of the last commit.

        Open it if it is not open, and bring it up to date if it lacks the commit.
        """
        with self._opening:
            if self._is_closed:
                raise StoreError("the graph is closed")
            if self._store is None:
                self._store = self._open_store()
            if self._is_stuck:
                self._catch_up(self._store)
            return self._store

    def free_store(self) -> OxigraphStore:
        """Return a store that no transaction holds, for a change of its rows.

        If an abandoned transaction still holds the present store, a copy of it becomes the store of this repository.

        Raises StoreError. After an error or Ctrl-C the store is as it was.
        """
        if self.store.is_held:
            try:
                self._stand_in(self.stage())
            finally:
                self.unstage()
        return self.store

    def _stand_in(self, copy: OxigraphStore) -> None:
        """Replace the store by `copy`, which must be the stage and have the same rows. This makes no commit."""
        copy.flush()
        with undivided():
            assert self._stage is not None
            seen = self._seen
            self._note(replace(self.manifest, oxigraph=self._stage.name))
            self._seen = seen
            self._adopt()

    def _open_store(self) -> OxigraphStore:
        return OxigraphStore() if self._folder is None else OxigraphStore(self._folder.oxigraph(self.manifest))

    def join(self) -> None:
        """Use the snapshot and the journal as they were when Oxigraph was opened. Only a `Reader` has to do this.

        Raises StoreError.
        """

    def cut(self) -> bool:
        """Bring the store to the last commit, after the engine has replayed all `pending` commits. Returns False.

        A `Reader` overrides this method: it returns True if `last` no longer counts some of these commits. A writer
        counts them all.
        """
        self._apply_replayed()
        return False

    @property
    def has_moved(self) -> bool:
        """Whether a writer has replaced the snapshot. If so, call `look_again`. Only a `Reader` can see this.

        Raises StoreError.
        """
        return False

    def look_again(self) -> None:
        """Read the store again, as it is now. Raises StoreError."""

    def close(self, *, is_failed: bool = False) -> None:
        """Close the store and the journal, and release the lock.

        If `settle` was not called before, the next opening replays some commits. `is_failed` has the same meaning as in
        `Folder.close`.
        """
        if self._folder is not None and self._store is not None and self._store.is_held:
            with suppress(StoreError):  # the thread that holds the files would keep this process from reopening them
                self.free_store()
        with self._opening:
            self._is_closed = True
            if self._store is not None:
                self._store.close()
                self._store = None
        self.unstage()
        if self._folder is not None:
            self._folder.close(is_failed=is_failed)

    @property
    def path(self) -> Path | None:
        """The folder of the store, or None if the graph is in memory."""
        return self._folder.path if self._folder else None

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._is_closed

    @property
    def _is_ours(self) -> bool:
        """Whether this process opened the store. A forked child lacks the threads that RocksDB waits for."""
        return self._folder is None or os.getpid() == self._process

    @property
    def is_writable(self) -> bool:
        """Whether the repository was opened for writing and is not closed."""
        return not self._is_closed and self._is_ours

    @property
    def snapshot(self) -> Path | None:
        """The last snapshot, or None if there is none. The commits of `pending` come after it."""
        return self._folder.snapshot(self.manifest.commit) if self._folder and self.manifest.commit else None

    @property
    def last(self) -> int:
        """The number of the last commit."""
        return self._folder.journal.last if self._folder else self.manifest.commit

    @property
    def is_ahead(self) -> bool:
        """Whether there are commits since the snapshot, so that only the engine can give the last state."""
        return self.last != self.manifest.commit

    def pending(self) -> list[Record]:
        """Return the commits since the snapshot, in their order. Raises StoreError if the journal is damaged."""
        if self._folder is None:
            return []
        return [each for each in self._folder.journal.records(self.manifest.commit) if each.commit <= self.last]

    @property
    def is_behind(self) -> bool:
        """Whether the store may lack the last commit, after a kill or after an error in the middle of a commit."""
        return self._seen != self.last

    @property
    def is_touched(self) -> bool:
        """Whether the contents of the store are unknown, so that deltas cannot bring it up to date."""
        return self._seen < self.manifest.commit

    def check_writable(self) -> None:
        """Raise StoreError if the repository cannot make a commit: it is closed, or belongs to another process."""
        if self._is_closed:
            raise StoreError("the graph is closed")
        if not self._is_ours:
            raise StoreError(
                "the graph was opened in another process, before a fork; open the store again in the present process"
            )

    def commit(self, record: Record, removed: bytes, added: bytes) -> None:
        """Make a commit: write `record` to the journal, then remove and add rows of the store.

        `removed` and `added` are these rows, as N-Quads lines. On disk there must be a snapshot, which the first load
        writes. Raises StoreError if the commit was not made. Once the journal has the record, the commit is made; if
        the store fails after that, the next use of `store` tries again and raises the error. After an interrupt `last`
        says whether the commit was made.
        """
        store = self.free_store()
        if self._folder is None:
            self._commit_in_memory(store, record, removed, added)
            return
        if not self.manifest.commit:
            raise StoreError(f"{self._folder.path}: there is no snapshot yet; the first commit must be a load")
        self._make_sure()
        try:
            self._unseen.append(RowDelta(record.commit, removed, added))
            with span("journal"):
                self._folder.journal.append(record)
            with span("store"):
                self._catch_up(store)
        except BaseException as error:
            self._is_stuck = self.last == record.commit
            if not self._is_stuck:
                self._unseen = [delta for delta in self._unseen if delta.commit != record.commit]
            if not (self._is_stuck and isinstance(error, StoreError)):
                raise

    def _commit_in_memory(self, store: OxigraphStore, record: Record, removed: bytes, added: bytes) -> None:
        with undivided():
            seen, self._seen = self._seen, _UNKNOWN
            try:
                with span("store"):
                    store.apply(removed, added, let_out)
            except StoppedError as error:
                self._seen = seen
                raise error.reason from None
            self._rebase(self.manifest, record.commit, self.manifest.oxigraph)

    def _catch_up(self, store: OxigraphStore) -> None:
        """Apply to the store the deltas that it lacks."""
        while self._unseen:
            delta = self._unseen[0]
            if delta.commit == self._seen + 1:
                store.apply(delta.removed, delta.added)
                self._seen = delta.commit
            del self._unseen[0]
        self._is_stuck = False

    def replay(self, record: Record, removed: bytes, added: bytes) -> None:
        """Remember which rows a replayed commit removes and adds, so that `cut` can apply the changes to Oxigraph.

        Nothing is remembered if Oxigraph has this commit already, or if Oxigraph will be filled again.
        """
        last = self._unseen[-1].commit if self._unseen else self._seen
        if not self.manifest.is_older and record.commit == last + 1:
            self._unseen.append(RowDelta(record.commit, removed, added))

    def _apply_replayed(self) -> None:
        """Apply to the store, in one step, all deltas that `replay` remembered.

        Oxigraph may have some of the deltas already. If the deltas were applied one after the other, readers would see
        an earlier commit for a moment. If the deltas are applied together and Oxigraph has them all, nothing changes.
        """
        if self._unseen:
            come, gone = net(self._unseen)
            self.store.apply(gone, come)
            self._seen = self._unseen[-1].commit
            self._unseen.clear()

    def stage(self, *, is_empty: bool = False) -> OxigraphStore:
        """Return the stage for the next `load`.

        The stage is a store with the rows of the last commit, or with no rows if `is_empty`. Until the load, each call
        returns the same stage. The caller must call `unstage` in the end, also after a load. Raises StoreError.
        """
        if is_empty:
            self.unstage()  # one that was left, with rows
        if self._stage is None:
            name = next(name for name in self._names() if name != self.manifest.oxigraph)
            self._stage = _Stage(self._new_store(name, is_empty=is_empty or not self.last), name)
        return self._stage.store

    def _names(self) -> Iterator[str]:
        """Yield names for the folder of a new stage.

        Each name is yielded once, because a query that nobody waits for may still lock the folder of an earlier name.
        """
        for number in _NUMBERS:
            yield f"oxigraph-{self.last + 1}.{number}"

    def _new_store(self, name: str, *, is_empty: bool) -> OxigraphStore:
        if self._folder is None:
            store = OxigraphStore()
            if not is_empty:
                store.load(self.store.lines())
            return store
        path = self._folder.path / name
        shutil.rmtree(path, ignore_errors=True)
        if not is_empty:
            self.store.copy(path)
        return OxigraphStore(path)

    def unstage(self) -> None:
        """Drop a stage that did not replace the store, and remove its files."""
        stage, self._stage = self._stage, None
        if stage is not None:
            stage.store.close()
            self._tidy()

    def _adopt(self) -> None:
        """Replace the store by the stage. Queries that read the old store can go on."""
        assert self._stage is not None
        with self._opening:
            self._store = self._stage.store  # the old store is closed once nobody reads it any more
            self._stage, self._is_stuck = None, False
            self._unseen.clear()

    def load(self, manifest: Manifest, write: Write, filled: Callable[[], object] | None = None) -> None:
        """Make a commit whose rows are in the stage already: the stage becomes the store.

        `manifest` describes the store after the commit, and `write` writes the snapshot. If another thread still fills
        the stage, `filled` waits for the end of that, and raises its error. After an error or an interrupt `last` says
        whether the commit was made. If not, everything is as before.
        """
        store, number = self.stage(), self.last + 1
        self._make_sure()
        with self._new_snapshot(number, write):
            with span("store"):
                if filled:
                    filled()
                store.flush()
            with undivided():
                assert self._stage is not None
                self._rebase(manifest, number, self._stage.name)
                self._adopt()

    def bring_forward(self, manifest: Manifest, write: Write, fill: Fill) -> None:
        """Write a store of an older format again in the present format, as a commit that changes no fact.

        `write` writes the snapshot, and `fill` loads the rows into an empty store. Nothing of the older store changes
        before the last step. So after an interrupt the next opening starts again.
        """
        store = self.stage(is_empty=True)
        try:
            fill(store)
            if self.history is not None:
                self.history.append(Entry(Head(self.last + 1, now())))
            self.load(replace(manifest, format=FORMAT), write)
        finally:
            self.unstage()

    def checkpoint(self, manifest: Manifest, write: Write) -> None:
        """Write a new snapshot of the last commit in the place of the old one, and empty the journal.

        `manifest` describes the last commit. `write` writes the snapshot. Raises StoreError. After an error snapshot
        and journal are as before. No commit is lost in either case.
        """
        store = self.store
        if self.is_ahead and not self.is_behind:
            with self._new_snapshot(self.last, write):
                store.flush()
                with undivided():
                    self._rebase(manifest, self.last, self.manifest.oxigraph)

    @property
    def is_checkpoint_due(self) -> bool:
        """Whether the journal is too long in proportion to the snapshot."""
        if self._folder is None:
            return False
        if self._limit is None:
            files = self._folder.snapshot(self.manifest.commit).rglob("*")
            self._limit = max(_SMALLEST, sum(path.stat().st_size for path in files) // _SHARE)
        return self._folder.journal.size > self._limit

    def settle(self, manifest: Manifest) -> None:
        """Flush the store. If the store has the last commit, write `manifest`, which describes this commit."""
        settled = self._settled(manifest, self.manifest.oxigraph)
        if settled != self.manifest:
            self.store.flush()
            if not self.is_behind:
                self._note(settled)

    def _settled(self, manifest: Manifest, oxigraph: str) -> Manifest:
        """Return `manifest` with new values in the fields that say what the files hold now.

        `oxigraph` is the folder of the store, which must have the last commit.
        """
        size = self._folder.journal.size if self._folder else 0
        return replace(manifest, commit=self.manifest.commit, stored=self.last, journal=size, oxigraph=oxigraph)

    def refill(self, fill: Fill, manifest: Callable[[], Manifest]) -> None:
        """If the contents of the store are unknown, replace the store by a new one with the rows of the last commit.

        `fill` loads these rows into an empty store. `manifest` returns the manifest of the last commit.
        """
        if not self.is_touched:
            return
        store = self.stage(is_empty=True)
        try:
            fill(store)
            store.flush()
            with undivided():
                assert self._stage is not None
                self._note(self._settled(manifest() if self.last else self.manifest, self._stage.name))
                self._adopt()
        finally:
            self.unstage()

    @contextmanager
    def _new_snapshot(self, number: int, write: Write) -> Iterator[None]:
        """Write the snapshot of commit `number`, and then run the block.

        The block should write a manifest that names this snapshot. If the manifest does not name the snapshot after the
        block, the snapshot is removed again.
        """
        self._tidy()
        try:
            if self._folder is not None:
                with self._folder.writing(), span("snapshot"):
                    write(self._folder.snapshot(number))
            yield
        finally:
            self._tidy()

    def _rebase(self, manifest: Manifest, number: int, oxigraph: str) -> None:
        """Write a manifest that names the snapshot of commit `number` and the store `oxigraph`.

        Then empty the journal.
        """
        self._note(replace(manifest, commit=number, stored=number, journal=0, oxigraph=oxigraph))
        self._limit = None
        if self._folder is not None:
            self._folder.journal.reset(number)

    def _tidy(self) -> None:
        if self._folder is not None:
            self._folder.tidy(self._stage.name if self._stage else "")

    def _note(self, manifest: Manifest) -> None:
        if self._folder is not None:
            self._is_doubted = True
            try:
                self._folder.put(manifest)
            except BaseException:
                with suppress(StoreError):  # the new manifest may be on disk in spite of the error
                    self._make_sure()
                raise
            self._is_doubted = False
        self._hold(manifest)

    def _make_sure(self) -> None:
        """If a failed write may have left an unwanted manifest on disk, write `self.manifest` again.

        Raises StoreError.
        """
        if self._is_doubted and self._folder is not None:
            if read_manifest(self._folder.path) is not None:
                self._folder.put(self.manifest)
            self._is_doubted = False

    def _hold(self, manifest: Manifest) -> None:
        self.manifest, self._seen = manifest, manifest.stored


def net(deltas: Iterable[RowDelta]) -> tuple[bytes, bytes]:
    """Add up deltas. Returns, as lines, the rows that they add in the end, and the rows that they remove in the end."""
    come, gone = OxigraphStore(), OxigraphStore()  # they know which spellings of a literal are one row
    for delta in deltas:
        come.apply(delta.removed, delta.added)
        gone.apply(delta.added, delta.removed)
    return b"".join(come.lines()), b"".join(gone.lines())
