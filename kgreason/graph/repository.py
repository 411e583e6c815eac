"""`Repository`: where a graph lives. A snapshot, the journal of the commits since, and Oxigraph, which follows them.

    load          snapshot (synced), manifest "Oxigraph is being filled", Oxigraph (flushed), manifest
    commit        journal (synced), Oxigraph (one transaction)
    checkpoint    snapshot (synced), Oxigraph flushed, manifest, journal emptied
    settle        Oxigraph flushed, manifest

A load is made by the manifest, a commit by its journal record. Oxigraph's own log is not synced at a commit: after a
power loss it has the commits up to one which is not older than the flush that the manifest tells of, nor younger than
the journal, which was synced first. A delta is two sets of rows, so that the deltas since the flush bring it up to date
wherever it is, and no mark in Oxigraph need say where. They are found by replaying the journal through the engine; the
repository knows neither engine nor snapshots' contents, and is given what they say. In memory there is Oxigraph alone.

Cost: a commit of one triple takes 1.2 times as long as an fsync and a SPARQL update; opening reads one small file and
what the journal got since the flush; Oxigraph is opened when it is first asked.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kgreason.errors import StoreError
from kgreason.graph.folder import Folder, Manifest
from kgreason.store.oxigraph import OxigraphStore
from kgreason.store.record import Record

Write = Callable[[Path], None]
Fill = Callable[[OxigraphStore], None]

_UNKNOWN = -1
_SMALLEST = 4 << 20
_SHARE = 4
"""A checkpoint is due once the journal has more than 4 MB, and a quarter of the snapshot's bytes."""


class _Delta(NamedTuple):
    """What a commit does to the rows of the store: lines that go, and lines that come then."""

    commit: int
    removed: bytes
    added: bytes


class Repository:
    """A graph's home: a folder, or memory where `folder` is None; `wanted` is the manifest of one that is new."""

    def __init__(self, folder: Folder | None, wanted: Manifest, *, write: bool) -> None:
        self._folder = folder
        self._write = write
        self._store: OxigraphStore | None = None
        self._is_closed = False
        self._unseen: list[_Delta] = []
        found = folder.manifest if folder else None
        self.manifest = wanted
        if found is not None:
            self.manifest = found if found.commit else replace(wanted, stored=found.stored)
        self._seen = self.manifest.stored
        self._limit: int | None = None
        if write:
            self._tidy()

    @property
    def is_on_disk(self) -> bool:
        """Whether commits survive the process."""
        return self._folder is not None

    @property
    def store(self) -> OxigraphStore:
        """The store, opened when it is first asked for. Raises StoreError, also once the graph is closed."""
        if self._is_closed:
            raise StoreError("the graph is closed")
        if self._store is None:
            self._store = self._open_store()
        if self._unseen:
            self._catch_up(self._store)
        return self._store

    def _open_store(self) -> OxigraphStore:
        if self._folder is None:
            return OxigraphStore()
        if self._write:
            return OxigraphStore(self._folder.oxigraph)
        return OxigraphStore.read_only(self._folder.oxigraph) if self.manifest.commit else OxigraphStore()

    def close(self, *, is_failed: bool = False) -> None:
        """Let go of the store, the journal and the lock; what is not settled is replayed at the next opening.

        `is_failed`: as for `Folder.close`.
        """
        self._is_closed = True
        if self._store is not None:
            self._store.close()
            self._store = None
        if self._folder is not None:
            self._folder.close(is_failed=is_failed)

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._is_closed

    @property
    def is_writable(self) -> bool:
        """Whether commits can be made, now or once `check_writable` allows it."""
        return self._write and not self._is_closed

    @property
    def snapshot(self) -> Path | None:
        """The last snapshot, if there is one; the commits of `pending` come after it."""
        return self._folder.snapshot(self.manifest.commit) if self._folder and self.manifest.commit else None

    @property
    def last(self) -> int:
        """The number of the last commit."""
        return self._folder.journal.last if self._folder else self.manifest.commit

    @property
    def is_ahead(self) -> bool:
        """Whether there are commits since the snapshot: the last state is only to be had from the engine."""
        return self.last != self.manifest.commit

    def pending(self) -> list[Record]:
        """The commits since the snapshot, in their order. Raises StoreError where the journal is damaged."""
        return list(self._folder.journal.records(self.manifest.commit)) if self._folder else []

    @property
    def is_behind(self) -> bool:
        """Whether the store may lack the last commit: after a kill, or an error half way."""
        return self._seen != self.last

    @property
    def is_touched(self) -> bool:
        """Whether the store may hold anything, so that no delta brings it up to date."""
        return self._seen < self.manifest.commit

    def check_writable(self) -> None:
        """Raise StoreError where nothing can be committed: the graph is closed, or was opened for reading only."""
        if self._is_closed:
            raise StoreError("the graph is closed")
        if not self._write:
            raise StoreError("the store was opened for reading only")

    def commit(self, record: Record, removed: bytes, added: bytes) -> None:
        """Make the next state the last commit: it is in the journal, then the store gets its delta of rows.

        On disk there must be a snapshot, which the first load writes. Raises StoreError where the commit did not come
        about. Once the journal has it, it has, and an error of the store is left to whoever asks the store next. After
        an interrupt `last` says which of the two it is, and in memory the store is to be refilled.
        """
        store = self.store
        if self._folder is None:
            self.touch()
            store.apply(removed, added)
            self._rebase(self.manifest, record.commit)
            return
        if self.snapshot is None:
            raise StoreError(f"{self._folder.path}: there is no snapshot yet that a journal could follow")
        self._unseen.append(_Delta(record.commit, removed, added))
        self._folder.journal.append(record)
        with suppress(StoreError):
            self._catch_up(store)

    def _catch_up(self, store: OxigraphStore) -> None:
        """Bring the deltas of commits into the store, and forget those of commits that did not come about."""
        while self._unseen:
            delta = self._unseen[0]
            if delta.commit == self._seen + 1 <= self.last:
                store.apply(delta.removed, delta.added)
                self._seen = delta.commit
            del self._unseen[0]

    def replay(self, record: Record, removed: bytes, added: bytes) -> None:
        """Bring the delta of one of the `pending` commits into the store, unless that has it, or is to be refilled."""
        if record.commit == self._seen + 1:
            self.store.apply(removed, added)
            self._seen = record.commit

    def touch(self) -> None:
        """Note that the store is about to be changed ahead of a load. Raises StoreError."""
        if self._store is not None:
            self._catch_up(self._store)
        self._mistrust()

    def _mistrust(self) -> None:
        self._note(replace(self.manifest, stored=_UNKNOWN, journal=0))

    def load(self, manifest: Manifest, write: Write, fill: Fill) -> None:
        """Make a new state the last commit: `write` writes its snapshot, `fill` brings the store up to it.

        After an error the last commit is the one before, to which `refill` brings the store back.
        """
        number = self.last + 1
        if number == 1:
            self.touch()  # a store without a manifest has nothing else either
        with self._new_snapshot(number, write):
            self.touch()
            fill(self.store)
            self.store.flush()
            self._rebase(manifest, number)

    def checkpoint(self, manifest: Manifest, write: Write) -> None:
        """Have a snapshot of the last commit, which `write` writes, and an empty journal.

        Raises StoreError; then there are snapshot and journal as before. The commits stand in any case.
        """
        store = self.store
        if self.is_ahead and not self.is_behind:
            with self._new_snapshot(self.last, write):
                store.flush()
                self._rebase(manifest, self.last)

    @property
    def is_checkpoint_due(self) -> bool:
        """Whether the journal has outgrown its share of the snapshot."""
        if self._folder is None:
            return False
        if self._limit is None:
            files = self._folder.snapshot(self.manifest.commit).rglob("*")
            self._limit = max(_SMALLEST, sum(path.stat().st_size for path in files) // _SHARE)
        return self._folder.journal.size > self._limit

    def settle(self, manifest: Manifest) -> None:
        """Have the store on disk as of the last commit, and what a manifest says of that: statistics, warnings."""
        size = self._folder.journal.size if self._folder else 0
        settled = replace(manifest, commit=self.manifest.commit, stored=self.last, journal=size)
        if self._write and settled != self.manifest:
            self.store.flush()
            if not self.is_behind:
                self._note(settled)

    def refill(self, fill: Fill, manifest: Callable[[], Manifest]) -> None:
        """Where the store may hold anything, empty it and have `fill` bring it to the last commit, if there is one.

        `manifest` gives what the store says of itself as of that commit.
        """
        if self.is_touched:
            self._unseen.clear()
            self._mistrust()
            self._empty()
            fill(self.store)
            self._seen = self.last
            self.settle(manifest() if self.last else self.manifest)

    def _empty(self) -> None:
        """Remove all rows; a kill may have left files that are no database yet."""
        if self._folder is not None and self._store is None:
            shutil.rmtree(self._folder.oxigraph, ignore_errors=True)
        else:
            self.store.clear()

    @contextmanager
    def _new_snapshot(self, number: int, write: Write) -> Iterator[None]:
        """A snapshot, which the block has the manifest name; without that it goes, and frees what a full disk lacks."""
        self._tidy()
        try:
            if self._folder is not None:
                with self._folder.writing():
                    write(self._folder.snapshot(number))
            yield
        finally:
            self._tidy()

    def _rebase(self, manifest: Manifest, number: int) -> None:
        """Have the manifest name the snapshot of a commit that the store has; the journal begins anew behind it."""
        self._note(replace(manifest, commit=number, stored=number, journal=0))
        self._limit = None
        if self._folder is not None:
            self._folder.journal.reset(number)

    def _tidy(self) -> None:
        if self._folder is not None:
            self._folder.tidy()

    def _note(self, manifest: Manifest) -> None:
        if self._folder is not None:
            self._folder.put(manifest)
        self._hold(manifest)

    def _hold(self, manifest: Manifest) -> None:
        self.manifest, self._seen = manifest, manifest.stored
