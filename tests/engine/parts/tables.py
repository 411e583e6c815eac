"""A fact table over a memory block of its own, filled by the kernel that asserts rows."""

from __future__ import annotations

import numpy as np

from kgreason.engine.crew.crew import Crew
from kgreason.engine.facts.hash_table import BLOCK
from kgreason.engine.facts.table import FactTable
from kgreason.engine.level.commit_end import settle
from kgreason.engine.level.distinct import assert_rows
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import Memory
from kgreason.zset.columns import Int32


class Table:
    """`facts` and what it stands on."""

    def __init__(self, width: int, room: int = 16) -> None:
        self.memory = Memory()
        self.memory["hashes"] = np.zeros(BLOCK + 1, dtype=np.uint64)
        self.facts = FactTable(self.memory, width, room, Crew(self.memory, 1))

    @property
    def rows_in_use(self) -> int:
        """Rows that were ever filled since the last compaction."""
        return int(self.memory.block[at.N_ROWS])

    def put(self, rows: Int32, table: int = 0) -> None:
        """Assert rows int32[n, w] of one table."""
        rows = self.facts.pad(rows)
        self.facts.reserve(len(rows))
        assert_rows(self.memory.block, rows, table, 0, len(rows), False)
        self.memory.block[at.N_QUEUE] = 0

    def take(self, rows: Int32) -> None:
        """Remove present rows, by their columns int32[n, w], as a commit does that has found them gone."""
        gone, records = self.facts.find(rows), self.memory["rows"]
        self.memory["undo"] = np.column_stack([gone, records[gone, : at.FIRST]]).astype(np.int32)
        records[gone, at.STATE] = (records[gone, at.STATE] & ~at.AGE) | at.GONE
        self.memory.block[at.N_TOUCHED] = len(gone)
        self.facts.reserve_free(len(gone))
        settle(self.memory.block)
