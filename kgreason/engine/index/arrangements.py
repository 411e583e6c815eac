"""The arrangements of a circuit: their arrays (groups, hash table, postings), and how rows get into them.

An ask is the request that an arrangement hold the rows that meet a key. An ask is *live* when the arrangement holds
these rows. They are entered when a plan that needs the ask first runs. If the arrangement is empty then, one pass over
the rows enters the rows of all its asks: over all rows, or in a Bootstrap over those that are MET. This pass leaves an
ask out if very many rows meet its key and no plan that can derive facts needs the ask. Example: an ask about rdf:type,
before the first owl:sameAs. For a rule that is added later, usually only the rows that the `Catalogue` lists for its
keys are looked at. Counts and arrangements hold the rows with the flag MET (`maintenance`).

Invariant: at most half of the hash table's entries are taken. Cost: each group takes 24 bytes, and two to four entries
of five bytes in the hash table. A group of more than one row has a run of postings, with eight bytes for each posting;
the length of a run is a power of two. A run that has become too short for its group is used again for another group.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.facts.table import FactTable
from kgreason.engine.index.candidates import Catalogue
from kgreason.engine.index.maintenance import arrange_asked, arrange_few, arrange_present, count_key, count_present
from kgreason.engine.index.postings import rehash_groups
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import Memory
from kgreason.engine.program.derivability import note_needed_asks
from kgreason.engine.program.planner import Planner
from kgreason.errors import LimitError
from kgreason.zset.columns import Int32

_MOST_POSTINGS = _MOST_GROUPS = 2**31 - 1
_LARGE_SHARE = 16
"""A key is large if more than one in 16 rows has its constants. The rows of a large key are entered only when a plan
needs them, by a pass over all rows."""
_FEW_KEYS, _FEW_SHARE = 2, 1024
"""An arrangement is filled by comparing each row with its keys if at most two keys have rows, and if at most one in
1,024 of the rows meets one of them. This takes a third of the time of a pass that looks up the keys of each row, and it
ends with the last row that is found."""
_MANY_ROWS = 4096
"""If there is more than one new key for 4,096 rows, one pass over all rows counts for all new keys."""


ARRANGEMENTS = "groups", "group_entries", "signs", "postings", "values"
"""The arrays of the arrangements."""


class Workers(Protocol):
    """The workers that fill a large arrangement (`engine.keepers`)."""

    def is_worth(self, rows: int) -> bool:
        """Whether an arrangement of so many rows is to be filled by all workers."""
        ...

    def fill(self, arrangement: int, end: int, arrangements: Arrangements) -> None:
        """Fill an empty arrangement with those of the rows 0 to `end - 1` that it must hold."""

    def forget_room(self) -> None:
        """Forget the group numbers and postings of the workers. Call this method when all arrangements are emptied."""


class Arrangements:
    """Holds all arrangements of a circuit, and for each key the number of rows that meet the key (`key_count`).

    While PARTIAL is set, counts and arrangements may lack rows. After an error, `empty_and_recount` makes them complete
    again.
    """

    def __init__(
        self, memory: Memory, planner: Planner, facts: FactTable, catalogue: Catalogue, workers: Workers
    ) -> None:
        self._memory, self._block, self._counters = memory, memory.block, memory.counters
        self._planner, self._facts, self._catalogue = planner, facts, catalogue
        self._workers = workers
        self._keys = 0
        memory["key_count"] = np.zeros(16, dtype=np.int32)
        memory["live"] = np.zeros((16, 2), dtype=np.int32)
        memory["live_asks"] = np.zeros(16, dtype=np.int32)
        self.clear()

    def clear(self) -> None:
        """Replace the arrays of groups, hash-table entries and postings by empty arrays."""
        self._memory["groups"] = np.zeros((1024, at.GROUP), dtype=np.int32)
        self._set_entries(2048)
        self._memory["postings"] = np.zeros(1024, dtype=np.int32)
        self._memory["values"] = np.zeros(1024, dtype=np.int32)
        self._memory["free_runs"] = np.zeros(2 * at.LENGTHS, dtype=np.int32)
        self._memory.block[[at.N_ARRANGED, at.N_POSTINGS, at.FREE_GROUP]] = 0
        self._workers.forget_room()

    def _set_entries(self, size: int) -> None:
        """Replace the hash table by an empty one of `size` entries, and its filter by one of 8 * `size` zero bits."""
        entries, signs = np.zeros(size, dtype=np.uint32), np.zeros(size // 4, dtype=np.uint32)
        self._memory["group_entries"], self._memory["signs"] = entries, signs
        self._counters[at.N_SIGNED] = 0

    def refresh_signs(self) -> None:
        """Build the hash table and its filter anew, because too many bits of the filter stand for dropped groups."""
        with self._while_partial():
            self._set_entries(self._memory["group_entries"].size)
            rehash_groups(self._block)
        self._counters[at.N_SIGNED] = self._counters[at.N_ARRANGED]

    def grow(self) -> None:
        """Make room for at least one more row in each array that is full.

        Raises LimitError if there would be more than 2**31 - 1 postings or groups.
        """
        n = self._counters[at.N_ARRANGED]
        if n >= self._memory.room("groups") or 2 * n + 2 > self._memory.room("group_entries"):
            self.reserve_groups(1)
        else:
            self.reserve_postings(4 * int(self._memory["groups"][:n, at.GROUP_LENGTH].max()))

    def reserve_groups(self, more: int) -> None:
        """Make room for `more` groups. Raises LimitError if there would be more than 2**31 - 1 groups."""
        memory, needed = self._memory, self._counters[at.N_ARRANGED] + more
        if needed > _MOST_GROUPS:
            raise LimitError(f"the arrangements cannot hold more than {_MOST_GROUPS:,} groups")
        memory.grow("groups", needed, _MOST_GROUPS)
        size = memory.room("group_entries")
        if size < 2 * needed:
            while size < 2 * memory.room("groups"):
                size *= 2
            self._set_entries(size)
            rehash_groups(memory.block)

    def reserve_postings(self, more: int) -> None:
        """Make room for `more` postings. Raises LimitError if there would be more than 2**31 - 1 postings."""
        needed = self._counters[at.N_POSTINGS] + more
        if needed > _MOST_POSTINGS:
            raise LimitError(f"the arrangements cannot hold more than {_MOST_POSTINGS:,} postings")
        self._memory.grow("postings", needed, _MOST_POSTINGS)
        self._memory.grow("values", needed, _MOST_POSTINGS)

    def count_new_keys(self) -> None:
        """Count, for each trigger key that is new in the planner, the present rows that meet the key."""
        known = self._planner.key_info.n
        if self._counters[at.N_ROWS] and known != self._keys:
            with self._while_partial():
                self._count_keys_from(self._keys)
        self._keys = known

    def _count_keys_from(self, keys: int) -> None:
        """Count, for each trigger key from number `keys` on, the present rows that meet the key."""
        fresh = self._planner.triggers(keys)
        if _MANY_ROWS * len(fresh) > self._counters[at.N_ROWS]:
            self._memory["key_count"][keys:] = 0
            count_present(self._block, 0, self._counters[at.N_ROWS], keys)
        else:
            for key in fresh:
                self._memory["key_count"][key] = 0
                count_key(self._block, key, self.candidates(key))

    def key_counts(self) -> Int32:
        """Return for each trigger key how many present rows meet it: int32[k, 2 + w], for `set_key_counts`.

        A line has the count, the number of the key's table, and its constants, each in its column; other columns are 0.
        No commit may have removed a row since the last `settle`.
        """
        planner, counts = self._planner, self._memory["key_count"]
        keys = planner.triggers()
        lines = np.zeros((len(keys), 2 + self._facts.width), dtype=np.int32)
        for line, key in zip(lines, keys, strict=True):
            line[0], line[1] = counts[key], planner.table_of(key)
            for column, constant in planner.constants_of(key).items():
                line[2 + column] = constant
        return lines

    def set_key_counts(self, lines: Int32) -> None:
        """Count, for each trigger key, the rows of a fact table that was taken over: with the counts of `key_counts`.

        A key that has no line is counted.
        """
        saved = {
            (table, frozenset((column, constant) for column, constant in enumerate(constants) if constant)): count
            for count, table, *constants in lines.tolist()
        }
        planner, counts, unknown = self._planner, self._memory["key_count"], list[int]()
        for key in planner.triggers():
            constants = planner.constants_of(key)
            known = saved.get((planner.table_of(key), frozenset(constants.items())))
            counts[key] = known or 0
            unknown += [key] if known is None else []
        with self._while_partial():
            for key in unknown:
                count_key(self._block, key, self.candidates(key))

    def candidates(self, key: int) -> Int32:
        """Return the numbers of the rows that may meet the trigger key with the number `key`: int32[n]."""
        is_triple, _ = self._planner.tables()[self._planner.table_of(key)]
        return self._catalogue.candidates(is_triple, self._planner.constants_of(key))

    @contextmanager
    def _while_partial(self) -> Iterator[None]:
        """Keep PARTIAL set during a `with` block in which counts and arrangements may lack rows.

        If the block ends with an error, PARTIAL stays set.
        """
        was = self._counters[at.PARTIAL]
        self._counters[at.PARTIAL] = 1
        yield
        self._counters[at.PARTIAL] = was

    def make_live(self, ask: int) -> None:
        """Make an ask live: enter its rows into its arrangement.

        If the arrangement is empty, enter the rows of all asks for this arrangement (`_enter_all`).
        """
        arrangement = int(self._planner.asks.array[ask, 0])
        with self._while_partial():
            if self._memory["live"][arrangement, 0]:
                self._enter_asked(ask)
            else:
                self._enter_all(arrangement)
                self._memory["live"][arrangement, 0] = 1

    def _enter_all(self, arrangement: int) -> None:
        """Enter the rows of all asks for an arrangement, and make these asks live.

        An ask is left out if more than one in 16 of all rows meet its key, and no plan that can derive facts needs the
        ask.
        """
        asks, keys = self._planner.asks_for(arrangement).T
        is_large = self._are_large(keys)
        if is_large.any():
            needed = np.zeros(self._planner.asks.n, dtype=np.int32)
            note_needed_asks(self._block, self._planner.plans.n, needed)
            asks = asks[~is_large | (needed[asks] == 1)]
        self._memory["live_asks"][asks] = 1
        here, end = 0, self._count_of_met()
        if self._enter_few(arrangement, self._planner.asks.array[asks, 2], end):
            return
        if self._workers.is_worth(end):
            self._workers.fill(arrangement, end, self)
            return
        while (here := arrange_present(self._block, arrangement, here, end)) < end:
            self.grow()

    def _enter_few(self, arrangement: int, keys: Int32, end: int) -> bool:
        """Enter the rows 0 to `end - 1` that meet one of `keys` into an arrangement, if they are few.

        Returns whether they are few.
        """
        counts = self._memory["key_count"][keys]
        total, keys = int(counts.sum(dtype=np.int64)), keys[counts > 0]
        if len(keys) > _FEW_KEYS or total * _FEW_SHARE > end:
            return False
        left, here = np.array([total], dtype=np.int32), 0
        while (here := arrange_few(self._block, arrangement, keys, left, here, end)) < end:
            self.grow()
        return True

    def _enter_asked(self, ask: int) -> None:
        """Enter the rows of one ask into its arrangement."""
        key, here, is_first = int(self._planner.asks.array[ask, 2]), 0, not self._planner.may_share(ask)
        rows = self._facts.present_and_gone_rows() if self._are_large(np.array([key]))[0] else self.candidates(key)
        while (here := arrange_asked(self._block, ask, key, rows, here, is_first)) < len(rows):
            self.grow()
        self._memory["live_asks"][ask] = 1

    def _are_large(self, keys: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return for each key of `keys`, int[n], whether more than one in 16 of all rows meet the key: bool[n]."""
        large: NDArray[np.bool_] = (
            self._memory["key_count"][keys].astype(np.int64) * _LARGE_SHARE > self._count_of_met()
        )
        return large

    def _count_of_met(self) -> int:
        """Return how many rows, from the first one on, may be MET. A Bootstrap meets its rows in their order."""
        return self._counters[at.N_ROWS if self._counters[at.IS_UPDATE] else at.SEGMENT_HIGH]

    def empty(self) -> None:
        """Empty all arrangements and free the DEAD rows. An arrangement is filled again when a plan needs it."""
        self.clear()
        self._memory["live"][:] = 0
        self._memory["live_asks"][:] = 0
        dead = np.flatnonzero(self._memory["rows"][: self._counters[at.N_ROWS], at.STATE] & at.AGE == at.DEAD)
        if len(dead):
            self._facts.free_rows(dead.astype(np.int32))

    def empty_and_recount(self) -> None:
        """Empty all arrangements, and count the present rows again for every key. Unsets PARTIAL."""
        self.empty()
        self._memory["key_count"][:] = 0
        count_present(self._block, 0, self._counters[at.N_ROWS], 0)
        self._counters[at.PARTIAL] = 0
