"""`Home` and `Writable`: where a graph lives, as the graph sees it. The other modules of this folder are such places.

    commit        journal (synced), then Oxigraph (one transaction)
    load          stage (a copy of Oxigraph, by hard links), snapshot (synced), manifest; then the stage is Oxigraph

A home knows neither the engine nor the contents of snapshots; its callers pass the rows. A query uses one Oxigraph
store from its beginning to its end. So a reader sees each commit completely or not at all: a commit is one transaction
of Oxigraph, and a load fills a store of its own, the *stage*, which no query reads before it is complete.

Threads: any thread may use `store` and `settled_manifest` at any time. Everything else needs the graph's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from kgreason.errors import StoreError
from kgreason.store.folder import Manifest
from kgreason.store.history.log import History
from kgreason.store.homes.position import Position
from kgreason.store.journal.record import Record
from kgreason.store.oxigraph.store import OxigraphStore

Write = Callable[[Path], None]
Fill = Callable[[OxigraphStore], None]
Result = TypeVar("Result")


class RowDelta(NamedTuple):
    """The rows that one commit removes and adds, as N-Quads lines. The store first removes, then adds."""

    commit: int
    removed: bytes
    added: bytes


class LastCommit(Protocol):
    """The last commit, as an engine has it that has replayed the journal: what a home needs of it."""

    replayed: list[RowDelta]
    """The rows of the replayed commits after the one that the home asked for."""

    def manifest(self) -> Manifest:
        """Return the manifest of the last commit."""

    def write(self, path: Path) -> None:
        """Write a snapshot of the last commit."""

    def fill(self, store: OxigraphStore) -> None:
        """Load the rows of the last commit into an empty store."""


Started = TypeVar("Started", bound=LastCommit)


class Home(Protocol):
    """Where a graph lives."""

    manifest: Manifest

    @property
    def last(self) -> int:
        """The number of the last commit."""

    @property
    def path(self) -> Path | None:
        """The folder of the store, or None if the graph is in memory."""

    @property
    def history(self) -> History | None:
        """What every commit changed, if the graph keeps its history."""

    @property
    def position(self) -> Position:
        """How far snapshot, journal and store are."""

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""

    @property
    def is_writable(self) -> bool:
        """Whether `writable` returns."""

    @property
    def snapshot(self) -> Path | None:
        """The last snapshot, or None if this home has no snapshot. `records_since_snapshot` has the later commits."""

    @property
    def store(self) -> OxigraphStore:
        """The store as of the last commit. Any thread may ask, without waiting. Raises StoreError."""

    @property
    def settled_manifest(self) -> Manifest | None:
        """The manifest, if it tells of all commits that the store may have. Any thread may ask, without waiting."""

    def writable(self) -> Writable:
        """Return this home, if it can take a commit. Raises StoreError."""

    def records_since_snapshot(self) -> list[Record]:
        """Return the commits since the snapshot, in their order. Raises StoreError if the journal is damaged."""

    def read_consistently(self, read: Callable[[], Result]) -> Result:
        """Call `read`, which reads snapshot, manifest or journal as of one moment, and return its result.

        Raises StoreError, also if the graph is closed.
        """

    def start_engine(self, begin: Callable[[int], Started]) -> Started:
        """Start an engine by `begin`, and see to it that engine and store have the same commit.

        `begin(commit)` restores the snapshot and replays `records_since_snapshot`; its result has the rows of the
        commits after `commit`. Raises StoreError.
        """

    def free_store(self) -> OxigraphStore:
        """Return a store that no transaction holds, for a change of its rows that is taken back, or for a commit.

        If an abandoned transaction still holds the present store, a copy of it becomes the store of this home. Raises
        StoreError. After an error or Ctrl-C the store is as it was.
        """

    def stage(self, *, is_empty: bool = False) -> OxigraphStore:
        """Return the stage for the next `commit_stage`.

        The stage is a store with the rows of the last commit, or with no rows if `is_empty`. Until the load, each call
        returns the same stage. The caller must call `drop_stage` in the end, also after a load. Raises StoreError.
        """

    def drop_stage(self) -> None:
        """Drop a stage that did not replace the store, and remove its files."""

    def close(self, *, is_failed: bool = False) -> None:
        """Close the store and the journal, and release the lock. `is_failed` has the same meaning as in `Folder`."""


class Writable(Home, Protocol):
    """A home that takes commits."""

    def commit(self, record: Record, removed: bytes, added: bytes) -> None:
        """Make a commit: remove and add rows of the store, given as N-Quads lines; on disk the record comes first.

        Raises StoreError if the commit was not made. After an interrupt `last` says whether it was made.
        """

    def commit_stage(self, manifest: Manifest, write: Write, filled: Callable[[], object] | None = None) -> None:
        """Make a commit whose rows are in the stage already: the stage becomes the store.

        `manifest` describes the store after the commit, and `write` writes the snapshot. If another thread still fills
        the stage, `filled` waits for the end of that, and raises its error. After an error or an interrupt `last` says
        whether the commit was made. If not, everything is as before.
        """

    def check_room(self) -> None:
        """Raise StoreError if the disk takes no commit now. Any thread may ask, without waiting for a commit."""

    def refill(self, engine: LastCommit) -> None:
        """If the contents of the store are unknown, replace the store by a new one with the rows of the last commit."""


def closed_error() -> StoreError:
    """Return the error for the use of a graph that is closed."""
    return StoreError("the graph is closed")


def net_rows(deltas: Iterable[RowDelta]) -> tuple[bytes, bytes]:
    """Add up deltas. Returns, as lines, the rows that they add in the end, and the rows that they remove in the end."""
    come, gone = OxigraphStore(), OxigraphStore()  # they know which spellings of a literal are one row
    for delta in deltas:
        come.apply(delta.removed, delta.added)
        gone.apply(delta.added, delta.removed)
    return b"".join(come.lines()), b"".join(gone.lines())


def has_rows(store: OxigraphStore, deltas: Iterable[RowDelta]) -> bool:
    """Whether a store has the rows that it must have after all `deltas`.

    It must have every row that the deltas add in the end, and no row that they remove in the end.
    """
    come, gone = net_rows(deltas)
    return store.count(come) == come.count(b"\n") and not store.count(gone)
