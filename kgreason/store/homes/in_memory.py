"""`RowsInMemory`: what the homes in memory share: an Oxigraph store in memory, and the stage that may take its place.

No home overrides anything of it. Cost: a stage costs the memory of all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Self

from kgreason.interrupts import let_out, undivided
from kgreason.spans import span
from kgreason.store.folder import Manifest
from kgreason.store.homes.home import LastCommit, Result, Started, Write, closed_error
from kgreason.store.homes.position import UNKNOWN, Position
from kgreason.store.journal.record import Record
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.oxigraph.update import StoppedError


class RowsInMemory:
    """The store of a graph in memory. `last` is the number of the last commit, which the store has if `stored` is it.

    Queries that read a store can go on when another one takes its place.
    """

    path = None
    """A graph in memory has no folder."""
    is_late = False
    """Whether the rows of the first commit are loaded when somebody first reads the store."""

    def __init__(self, manifest: Manifest, last: int) -> None:
        self.manifest, self.last = manifest, last
        self.is_closed = False
        self._stored = manifest.stored
        self._store: OxigraphStore = OxigraphStore()
        self._stage: OxigraphStore | None = None

    settled_manifest = None
    """Only the engine tells of a graph in memory."""

    @property
    def position(self) -> Position:
        """How far the store is; there is no journal."""
        return Position(self.manifest.commit, self.last, self._stored)

    @property
    def store(self) -> OxigraphStore:
        """The store as of the last commit. Any thread may ask."""
        if self.is_closed:
            raise closed_error()
        return self._store

    def start_engine(self, begin: Callable[[int], Started]) -> Started:
        """Start an engine, and load the rows of its commit."""
        started = begin(self.last)
        self.refill(started)
        return started

    def read_consistently(self, read: Callable[[], Result]) -> Result:
        """Return the result of `read`: nobody else writes here."""
        if self.is_closed:
            raise closed_error()
        return read()

    def free_store(self) -> OxigraphStore:
        """Return a store that no transaction holds; a copy, if an abandoned transaction holds the present one."""
        if self.store.is_held:
            try:
                self.stage()
                self._adopt_stage()
            finally:
                self.drop_stage()
        return self._store

    def stage(self, *, is_empty: bool = False) -> OxigraphStore:
        """Return the stage, with the rows of the last commit or with none."""
        if is_empty or self._stage is None:
            stage = OxigraphStore(is_late=self.is_late and not self.last)
            if not is_empty and self.last:
                stage.load(self.store.lines())
            self._stage = stage
        return self._stage

    def drop_stage(self) -> None:
        """Drop the stage."""
        self._stage = None

    def _adopt_stage(self) -> None:
        assert self._stage is not None
        self._store, self._stage = self._stage, None

    def commit(self, record: Record, removed: bytes, added: bytes) -> None:
        """Remove and add rows. If that fails half way, the contents of the store are unknown until `refill`."""
        store = self.free_store()
        with undivided():
            stored, self._stored = self._stored, UNKNOWN
            try:
                with span("store"):
                    store.apply(removed, added, let_out)
            except StoppedError as error:
                self._stored = stored
                raise error.reason from None
            self._note_commit(self.manifest, record.commit)

    def commit_stage(self, manifest: Manifest, write: Write, filled: Callable[[], object] | None = None) -> None:  # noqa: ARG002
        """Make the stage the store. There is no snapshot to write."""
        self.stage()
        with span("store"):
            if filled:
                filled()
        with undivided():
            self._note_commit(manifest, self.last + 1)
            self._adopt_stage()

    def check_room(self) -> None:
        """Do nothing: there is no disk."""

    def refill(self, engine: LastCommit) -> None:
        """If the contents of the store are unknown, replace the store by one with the rows of the last commit."""
        if self.position.is_unknown:
            store = OxigraphStore()
            engine.fill(store)
            with undivided():
                self._store, self._stored = store, self.last

    def _note_commit(self, manifest: Manifest, commit: int) -> None:
        self.manifest = replace(manifest, commit=commit, stored=commit)
        self.last = self._stored = commit

    def close(self, *, is_failed: bool = False) -> None:  # noqa: ARG002
        """Drop all rows."""
        self.is_closed = True
        self._store.close()
        self._stage = None


class WritableRows(RowsInMemory):
    """The rows of a graph in memory that takes commits."""

    @property
    def is_writable(self) -> bool:
        """Whether the graph is not closed."""
        return not self.is_closed

    def writable(self) -> Self:
        """Return this home. Raises StoreError if the graph is closed."""
        if self.is_closed:
            raise closed_error()
        return self
