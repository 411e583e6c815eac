"""`Memory`: the home of a graph that ends with the process. It has neither snapshot nor journal."""

from __future__ import annotations

from pathlib import Path

from kgreason.store.folder import Manifest
from kgreason.store.history.log import MemoryHistory
from kgreason.store.history.retention import Retention
from kgreason.store.homes.in_memory import WritableRows
from kgreason.store.journal.record import Record


class Memory(WritableRows):
    """The home of a graph in memory. `wanted` has its options; `is_late`: see `RowsInMemory`."""

    def __init__(self, wanted: Manifest, *, is_late: bool = False) -> None:
        super().__init__(wanted, 0)
        self.is_late = is_late
        self.history = None if wanted.history == "none" else MemoryHistory(Retention.of_mode(wanted.history))

    @property
    def snapshot(self) -> Path | None:
        """There is none."""
        return None

    def records_since_snapshot(self) -> list[Record]:
        """Return no commits: there is no journal."""
        return []
