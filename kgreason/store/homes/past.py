"""`Past`: the home of a graph as it was after a commit, for reading only, in memory.

`start_engine` must come first, since it fills the rows. Cost: the memory of all rows.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, NoReturn

from kgreason.errors import StoreError
from kgreason.store.folder import Manifest
from kgreason.store.homes.home import closed_error
from kgreason.store.homes.in_memory import RowsInMemory
from kgreason.store.homes.position import UNKNOWN
from kgreason.store.journal.record import Record


class Beginning(NamedTuple):
    """The files of a store from which a past state is made.

    `snapshot` is the snapshot of commit `commit`; None if there is none, and then the state begins empty. `records` are
    the records of the journal after this commit.
    """

    manifest: Manifest
    snapshot: Path | None
    commit: int
    records: tuple[Record, ...] = ()


class Past(RowsInMemory):
    """The home of the graph after commit `number`. `records` lead there from the snapshot of `origin`."""

    history = None
    """The graph of a past commit keeps no history."""
    is_writable = False
    """Nobody changes the past."""

    def __init__(self, number: int, origin: Beginning, records: tuple[Record, ...]) -> None:
        changes = {"commit": 0, "stored": UNKNOWN, "journal": 0, "history": "none", "stats": {}, "streams": {}}
        super().__init__(replace(origin.manifest, **changes), number)  # type: ignore[arg-type]
        self.snapshot = origin.snapshot
        """The snapshot from which the state is made, for `start_engine`."""
        self._records = records

    def writable(self) -> NoReturn:
        """Raise StoreError: nobody changes the past."""
        if self.is_closed:
            raise closed_error()
        raise StoreError(f"this is the graph as of commit {self.last}, which cannot be changed")

    def records_since_snapshot(self) -> list[Record]:
        """Return the records that lead from the snapshot to the commit."""
        return list(self._records)
