"""`Past`: the repository of a graph as it was after a commit, for reading only, in memory.

    snapshot + records of the journal up to n                        if the snapshot is not younger than commit n
    snapshot + one record that takes commits n + 1 to it back        if the snapshot is younger

The first way replays commits. The second way undoes commits: its one record takes back commit n + 1 and all later
commits that the snapshot contains. A graph over this repository has its own engine, so it answers everything that a
graph answers: queries, proofs, contradictions. It has the facts of commit n, asserted and inferred. In the first way,
the facts also have the stamps that they had after commit n.

Cost: reading the snapshot, evaluating the records, loading all rows into an Oxigraph in memory, and the memory for all
of this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from kgreason.errors import StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.relations import asserted_facts
from kgreason.graph.history.deltas import delta_of
from kgreason.store.folder import Folder, Manifest
from kgreason.store.history.log import History
from kgreason.store.journal.record import Record
from kgreason.store.repository import Repository

Graph = TypeVar("Graph")


class Origin(NamedTuple):
    """The files of a store from which a past state is made.

    `snapshot` is the snapshot of commit `commit`; None if there is none, and then the state begins empty. `records` are
    the records of the journal after this commit.
    """

    manifest: Manifest
    snapshot: Path | None
    commit: int
    records: tuple[Record, ...] = ()


class Past(Repository):
    """The repository of the graph after commit `number`."""

    def __init__(self, number: int, origin: Origin, history: History) -> None:
        manifest = replace(origin.manifest, commit=0, stored=-1, journal=0, history="none", stats={}, streams={})
        super().__init__(None, manifest)
        self._number = number
        self._origin = origin
        self._records = _records(number, origin, history)

    @property
    def snapshot(self) -> Path | None:
        """The snapshot from which the state is made."""
        return self._origin.snapshot

    @property
    def last(self) -> int:
        """The number of the commit."""
        return self._number

    @property
    def is_ahead(self) -> bool:
        """Always True: the snapshot lacks the state of the past commit, so the engine must compute it."""
        return True

    def pending(self) -> list[Record]:
        """The records that lead from the snapshot to the commit."""
        return list(self._records)

    def check_writable(self) -> None:
        """Raise StoreError: nobody changes the past."""
        super().check_writable()
        raise StoreError(f"this is the graph as of commit {self._number}, which cannot be changed")


def past(number: int, path: Path, history: History, open_: Callable[[Past], Graph]) -> Graph:
    """Make a graph of a store as it was after commit `number`: the result of `open_`.

    `open_` makes the graph from the repository of this commit. `open_` must also start the graph's engine, which reads
    the files. `path` is the folder of the store, and `history` its history. Other threads and processes may change the
    store meanwhile. Raises StoreError.
    """
    while True:
        with Folder(path, write=False) as folder:
            try:
                return open_(Past(number, _origin(folder), history))
            except StoreError:
                if not folder.has_moved():
                    raise


def _origin(folder: Folder) -> Origin:
    manifest = folder.manifest or Manifest([])
    snapshot = folder.snapshot(manifest.commit) if manifest.commit else None
    return Origin(manifest, snapshot, manifest.commit, tuple(folder.journal.records(manifest.commit)))


def _records(number: int, origin: Origin, history: History) -> list[Record]:
    if number >= origin.commit:
        return [record for record in origin.records if record.commit <= number]
    back = delta_of(history.entries(number, origin.commit), number, {}, back=True)
    return [_record(back, origin.commit + 1)]


def _record(delta: Delta, commit: int) -> Record:
    """Make a record of what a delta asserts and retracts: quads, rules and facts of relations.

    `commit` becomes the number of the record.
    """
    removed, added = (delta.lines([rows])[0] for rows in (delta.removed_quads, delta.added_quads))
    return Record(commit, removed, added, delta.rules, asserted_facts(delta.change.facts, delta.dictionary))
