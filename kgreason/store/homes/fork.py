"""`Fork`: the home of a graph in memory that begins as a copy of a store. Its commits never reach the store.

Invariant: the store is read and never written. `start_engine` must come first, since it fills the rows. Cost: the
memory of all rows.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kgreason.store.folder import Folder, Manifest
from kgreason.store.homes.in_memory import WritableRows
from kgreason.store.homes.position import UNKNOWN
from kgreason.store.journal.record import Record


class Fork(WritableRows):
    """A home that begins as the last commit in `folder`. `wanted` has the options of a store without a commit."""

    history = None
    """A fork keeps no history."""

    def __init__(self, folder: Folder, wanted: Manifest) -> None:
        manifest = folder.manifest or wanted
        stored = UNKNOWN if manifest.commit else 0
        super().__init__(replace(manifest, stored=stored, journal=0, history="none"), folder.journal.last)
        self._folder = folder
        self.snapshot: Path | None = folder.snapshot_path(manifest.commit) if manifest.commit else None
        """The snapshot of the store, for `start_engine`."""

    def records_since_snapshot(self) -> list[Record]:
        """Return the store's commits since its snapshot."""
        return list(self._folder.journal.records(self.manifest.commit))

    def close(self, *, is_failed: bool = False) -> None:
        """Close the fork and the folder."""
        super().close(is_failed=is_failed)
        self._folder.close()
