"""`Repository`: where a graph lives. The snapshot of the last commit and the Oxigraph store that follows it.

Order of a commit on disk: snapshot (synced), Oxigraph, manifest; that last step makes the commit. Before Oxigraph is
touched the manifest says so (`stored` differs from `commit`), so that a kill at any point is noticed at the next
opening, and Oxigraph is filled again from the snapshot of the last commit. In memory there is the store alone.

Cost: opening reads one small file; Oxigraph is opened when it is first asked.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kgreason.errors import StoreError
from kgreason.graph import snapshot
from kgreason.graph.folder import Folder, Manifest
from kgreason.graph.snapshot import Saved
from kgreason.graph.storing import chunks
from kgreason.rdf.generalised import is_rdf
from kgreason.store.oxigraph import OxigraphStore
from kgreason.terms.dictionary import Dictionary

Write = Callable[[Path], None]
Fill = Callable[[OxigraphStore], None]


class Repository:
    """A graph's home: a folder, or memory where `folder` is None; `wanted` is the manifest of one that is new."""

    def __init__(self, folder: Folder | None, wanted: Manifest, *, write: bool) -> None:
        self._folder = folder
        self._write = write
        self._store: OxigraphStore | None = None
        self._is_closed = False
        found = folder.manifest if folder else None
        self.manifest = wanted
        if found is not None:
            self.manifest = found if found.commit else replace(wanted, stored=found.stored)
        self.refill()

    @property
    def is_on_disk(self) -> bool:
        """Whether commits survive the process."""
        return self._folder is not None

    @property
    def store(self) -> OxigraphStore:
        """The store, opened when it is first asked for. Raises StoreError once the graph is closed."""
        if self._is_closed:
            raise StoreError("the graph is closed")
        if self._store is None:
            self._store = self._open_store()
        return self._store

    def _open_store(self) -> OxigraphStore:
        if self._folder is None:
            return OxigraphStore()
        if self._write:
            return OxigraphStore(self._folder.oxigraph)
        return OxigraphStore.read_only(self._folder.oxigraph) if self.manifest.commit else OxigraphStore()

    def close(self) -> None:
        """Let go of the store and of the lock."""
        self._is_closed = True
        if self._store is not None:
            self._store.close()
            self._store = None
        if self._folder is not None:
            self._folder.close()

    @property
    def snapshot(self) -> Path | None:
        """The snapshot of the last commit, if there is one."""
        return self._folder.snapshot(self.manifest.commit) if self._folder and self.manifest.commit else None

    def check_writable(self) -> None:
        """Raise StoreError where nothing can be committed: the graph is closed, or was opened for reading only."""
        if self._is_closed:
            raise StoreError("the graph is closed")
        if not self._write:
            raise StoreError("the store was opened for reading only")

    @property
    def is_touched(self) -> bool:
        """Whether the store may differ from the last commit."""
        return self.manifest.stored != self.manifest.commit

    def touch(self) -> None:
        """Note that the store is about to be changed ahead of a commit."""
        self._note(replace(self.manifest, stored=-1))

    def commit(self, manifest: Manifest, write: Write, fill: Fill) -> None:
        """Make a new state the last commit: `write` writes its snapshot, `fill` brings the store up to it.

        After an error the last commit is the one before, to which `refill` brings the store back.
        """
        number = self.manifest.commit + 1
        if self._folder is not None:
            self._folder.tidy()
            with self._folder.writing():
                write(self._folder.snapshot(number))
        self.touch()
        fill(self.store)
        self.store.flush()
        self._note(replace(manifest, commit=number, stored=number))

    def _note(self, manifest: Manifest) -> None:
        if self._folder is not None:
            self._folder.put(manifest)
        self.manifest = manifest

    def refill(self) -> None:
        """Fill the store anew from the last commit, where it may differ: after a kill, or an error half way."""
        if self._folder is not None and self._write:
            self._folder.tidy()
        if self.is_touched:
            self.touch()
            if path := self.snapshot:
                self.fill_with(snapshot.read_state(path), snapshot.read_dictionary(path))
            else:
                self._empty()
            self.store.flush()
            self._note(replace(self.manifest, stored=self.manifest.commit))

    def fill_with(self, saved: Saved, dictionary: Dictionary) -> None:
        """Make the store hold this state and nothing else."""
        self._empty()
        rows = saved.triples()
        self.store.load(chunks(dictionary, rows[is_rdf(dictionary, *rows.T)]))
        self.store.load(chunks(dictionary, saved.named()))

    def _empty(self) -> None:
        """Remove all rows; a kill may have left files that are no database yet."""
        if self._folder is not None and self._store is None:
            shutil.rmtree(self._folder.oxigraph, ignore_errors=True)
        else:
            self.store.clear()
