"""The scratch arrays of a circuit: those that a level or the end of a commit fills, and that need not be kept."""

from __future__ import annotations

import numpy as np

from kgreason.engine.facts.hash_table import BLOCK as LOOKUP_BLOCK
from kgreason.engine.level.probe import BLOCK
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import Memory
from kgreason.zset.columns import Int32

HEADS = 1 << 13
SEGMENT = 1 << 16
"""The most rows of a segment."""
NOTES = 1 << 10
"""The room for notes of rows that leave arrangements, beside one note for each arrangement."""
_SCRATCH = {
    "ranks": HEADS,
    "tables": HEADS,
    "hit_keys": SEGMENT,
    "hit_rows": SEGMENT,
    "grouped": SEGMENT,
    "group_key": SEGMENT,
    "group_low": SEGMENT + 1,
    "key_fill": 16,
    "slots": 16,
    "scanned": 16,
}


def make_arrays(memory: Memory, width: int) -> None:
    """Make the scratch arrays for facts of `width` columns."""
    memory["undo"] = np.zeros((16, 1 + at.FIRST), dtype=np.int32)
    memory["heads"] = heads(width)
    memory["traced"] = np.zeros((1, 1), dtype=np.int32)
    for name, size in _SCRATCH.items():
        memory[name] = np.zeros(size, dtype=np.int32)
    memory["frames"] = np.zeros((16, at.FRAME), dtype=np.int32)
    memory["first_probes"] = np.zeros((BLOCK + 1, at.FRAME), dtype=np.int32)
    memory["costs"] = np.zeros((16, at.COST_WORDS), dtype=np.int64)
    memory["hashes"] = np.zeros(max(BLOCK, LOOKUP_BLOCK) + 1, dtype=np.uint64)
    memory["noted"] = np.zeros((NOTES, 2), dtype=np.int32)
    memory["noted_hashes"] = np.zeros(NOTES, dtype=np.uint64)


def heads(width: int) -> Int32:
    """Return the scratch array `heads`, for facts of `width` columns."""
    return np.zeros((HEADS + 1, width), dtype=np.int32)
