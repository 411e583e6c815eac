"""The room of the arrangements: groups, their hash table and the posting arena.

Invariant: at most half of the hash table's entries are taken. Cost: 20 bytes and two to four entries a group, and for a
group of more than one row four bytes for each place of its run, which is a power of two; runs that are outgrown are
used again.
"""

from __future__ import annotations

import numpy as np

from kgreason.engine.arrange import rehash_groups
from kgreason.engine.layout import FREE_GROUP, GROUP, GROUP_LENGTH, N_ARRANGED, N_POSTINGS
from kgreason.engine.memory import Memory
from kgreason.errors import LimitError

_MOST_POSTINGS = 2**31 - 1


class ArrangementRoom:
    """The arrays `groups`, `group_entries` and `postings` of a memory block."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.clear()

    def clear(self) -> None:
        """Drop all contents."""
        self._memory["groups"] = np.zeros((1024, GROUP), dtype=np.int32)
        self._memory["group_entries"] = np.zeros(2048, dtype=np.uint32)
        self._memory["postings"] = np.zeros(1024, dtype=np.int32)
        self._memory["free_runs"] = np.zeros(32, dtype=np.int32)
        self._memory.block[[N_ARRANGED, N_POSTINGS, FREE_GROUP]] = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(self._memory[name].nbytes for name in ("groups", "group_entries", "postings"))

    def grow(self) -> None:
        """Make room for at least one more row, whichever array is short."""
        memory, n = self._memory, int(self._memory.block[N_ARRANGED])
        if n >= memory["groups"].shape[0] or 2 * n + 2 > memory["group_entries"].size:
            memory.grow("groups", n + 1)
            size = memory["group_entries"].size
            while size < 2 * memory["groups"].shape[0]:
                size *= 2
            memory["group_entries"] = np.zeros(size, dtype=np.uint32)
            rehash_groups(memory.block)
        else:
            longest = int(memory["groups"][:n, GROUP_LENGTH].max())
            needed = int(memory.block[N_POSTINGS]) + 4 * longest
            if needed > _MOST_POSTINGS:
                raise LimitError(f"the arrangements cannot hold more than {_MOST_POSTINGS:,} postings")
            memory.grow("postings", needed)
