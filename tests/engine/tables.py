"""A fact table over a memory block of its own, filled by the kernel that asserts rows."""

from __future__ import annotations

import numpy as np

from kgreason.engine.distinct import BLOCK, assert_rows
from kgreason.engine.facts import FactTable
from kgreason.engine.layout import N_QUEUE, N_ROWS, Int32
from kgreason.engine.memory import Memory


class Table:
    """`facts` and what it stands on."""

    def __init__(self, width: int, room: int = 16) -> None:
        self.memory = Memory()
        self.memory["hashes"] = np.zeros(BLOCK + 1, dtype=np.uint64)
        self.facts = FactTable(self.memory, width, room)

    @property
    def rows_in_use(self) -> int:
        """Rows that were ever filled since the last compaction."""
        return int(self.memory.block[N_ROWS])

    def put(self, rows: Int32, table: int = 0) -> None:
        """Assert rows int32[n, w] of one table."""
        rows = self.facts.padded(rows)
        self.facts.reserve(len(rows))
        assert_rows(self.memory.block, rows, table, 0, len(rows))
        self.memory.block[N_QUEUE] = 0

    def take(self, rows: Int32) -> None:
        """Remove present rows, by their columns int32[n, w]."""
        self.facts.remove(self.facts.find(rows))
