"""The home of a graph as it was after an earlier commit (`Past`), made from the files and the history of a store.

    snapshot + records of the journal up to n                        if the snapshot is not younger than commit n
    snapshot + one record that takes commits n + 1 to it back        if the snapshot is younger

The first way replays commits. The second way undoes commits: its one record takes back commit n + 1 and all later
commits that the snapshot contains. A graph over this home has its own engine, so it answers everything that a graph
answers: queries, proofs, contradictions. It has the facts of commit n, asserted and inferred. In the first way, the
facts also have the stamps that they had after commit n.

Cost: reading the snapshot, and evaluating the records.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from kgreason.errors import StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.changes.relations import asserted_facts
from kgreason.graph.history.deltas import delta_of
from kgreason.graph.history.reading import history_of
from kgreason.store.folder import Folder, Manifest
from kgreason.store.history.log import History
from kgreason.store.homes.home import Home
from kgreason.store.homes.past import Beginning, Past
from kgreason.store.journal.record import Record

Graph = TypeVar("Graph")


def as_of(number: int, home: Home, write: Callable[[Path], object], open_: Callable[[Past], Graph]) -> Graph:
    """Make a graph as it was after commit `number`: the result of `open_`.

    `open_` makes the graph from the home of this commit. `open_` must also start the graph's engine, which reads the
    files. If the graph at `home` is in memory, `write` writes a snapshot of its last commit. Other threads and
    processes may change a store on disk meanwhile. Raises HistoryError, StoreError.
    """
    history = history_of(home, number)
    if home.path is None:
        with TemporaryDirectory() as temporary:
            snapshot = Path(temporary) / "snapshot"
            write(snapshot)
            return open_(_past(number, Beginning(home.manifest, snapshot, home.last), history))
    while True:
        with Folder(home.path, write=False) as folder:
            try:
                return open_(_past(number, _beginning(folder), history))
            except StoreError:
                if not folder.has_moved():
                    raise


def _beginning(folder: Folder) -> Beginning:
    manifest = folder.manifest or Manifest([])
    snapshot = folder.snapshot_path(manifest.commit) if manifest.commit else None
    return Beginning(manifest, snapshot, manifest.commit, tuple(folder.journal.records(manifest.commit)))


def _past(number: int, origin: Beginning, history: History) -> Past:
    if number >= origin.commit:
        return Past(number, origin, tuple(record for record in origin.records if record.commit <= number))
    back = delta_of(history.entries(number, origin.commit), number, {}, back=True)
    return Past(number, origin, (_record(back, origin.commit + 1),))


def _record(delta: Delta, commit: int) -> Record:
    """Make a record of what a delta asserts and retracts: quads, rules and facts of relations."""
    removed, added = (delta.lines([rows])[0] for rows in (delta.removed_quads, delta.added_quads))
    return Record(commit, removed, added, delta.rules, asserted_facts(delta.change.facts, delta.dictionary))
