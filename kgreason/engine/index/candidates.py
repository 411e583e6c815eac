"""`Catalogue`: finds the rows with the constants of a new trigger key: by a look at all rows, or in a sorted list.

The list is for a graph whose rules change often. To make it takes as long as some eighty looks at all rows. So the
first 64 questions look, and then the list is made: at most twice the time of the better way. The list has the order of
two columns: predicate and object of a triple, relation and first argument of an n-ary fact. Rows that are added later
are in extra lists, which are merged as they grow: each row is sorted a logarithmic number of times. Invariant:
`candidates` returns every present row that has the key's constants. It may also return other rows, even free ones.

Cost: 4 nanoseconds for each row and question that looks; 12 bytes for each listed row. If the number of added rows is
larger than 1,024 plus a quarter of the listed rows, the list is dropped; making it again takes one sort.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.facts.table import FactTable
from kgreason.engine.program.planner import Planner
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct

_PATIENCE = 4096
_LOOKS = 64
"""So many questions are answered by a look at all rows, before a list is made."""
_PART = 1 << 20
"""So many rows are read together when a list is made."""


class _SortedRows(NamedTuple):
    """A list of row numbers, `rows` int32[n], and the numbers by which it is sorted, `keys` int64[n].

    `keys` has predicate << 32 | object for a triple, relation << 32 | first argument for an n-ary fact.
    """

    keys: NDArray[np.int64]
    rows: Int32

    def between(self, low: int, high: int) -> Int32:
        """Return the rows with a key from `low` to `high`, both included: int32[n]."""
        return self.rows[np.searchsorted(self.keys, low) : np.searchsorted(self.keys, high, side="right")]


_EMPTY = _SortedRows(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))


class Catalogue:
    """Finds rows of a fact table by predicate and object, or by relation and first argument."""

    def __init__(self, facts: FactTable, planner: Planner) -> None:
        self._facts, self._planner = facts, planner
        self._looks = 0
        self.clear()

    def clear(self) -> None:
        """Drop the lists. The next call of `candidates` makes new lists."""
        self.is_listed = False
        self._listed = _EMPTY
        self._recent: list[_SortedRows] = []
        self._new: list[Int32] = []
        self._added = 0

    @property
    def nbytes(self) -> int:
        """The number of bytes of the lists."""
        listed = sum(keys.nbytes + rows.nbytes for keys, rows in (self._listed, *self._recent))
        return listed + sum(rows.nbytes for rows in self._new)

    def note(self, rows: Int32) -> None:
        """Note that the rows with the numbers `rows`, int32[n], were added to the fact table.

        Drops the lists if too many rows were added since they were made.
        """
        if len(rows):
            self._new.append(rows)
            self._added += len(rows)
            if 4 * self._added > len(self._listed.rows) + _PATIENCE:
                self.clear()

    def candidates(self, is_triple: bool, constants: Mapping[int, int]) -> Int32:
        """Return the numbers of all present rows that have `constants`, and maybe of other rows: int32[n].

        `constants`: column -> id. `is_triple`: whether the columns are those of a triple. Each row is returned once.
        """
        first, second = (1, 2) if is_triple else (0, 1)
        if first not in constants:
            return self._facts.present_and_gone_rows()
        if not self.is_listed and self._looks < _LOOKS:
            self._looks += 1
            return self._facts.rows_with_constants(constants)
        if not self.is_listed:
            self._listed, self.is_listed = self._sorted_rows(self._facts.present_and_gone_rows()), True
        if self._new:
            self._list_added_rows()
        low = constants[first] << 32 | constants.get(second, 0)
        high = low if second in constants else constants[first] << 32 | 0xFFFFFFFF  # the largest id has a key, too
        found = [part.between(low, high) for part in (self._listed, *self._recent)]
        return distinct(np.concatenate(found)) if any(map(len, found[1:])) else found[0]

    def _list_added_rows(self) -> None:
        """Make a list of the added rows.

        Merge the newest extra list into this list, as long as the extra list has less than twice as many rows.
        """
        rows = np.concatenate(self._new)
        self._new = []
        while self._recent and len(self._recent[-1].rows) < 2 * len(rows):
            rows = np.concatenate([self._recent.pop().rows, rows])
        self._recent.append(self._sorted_rows(distinct(rows)))

    def _sorted_rows(self, rows: Int32) -> _SortedRows:
        """Return the row numbers `rows`, int32[n], as a sorted list."""
        are_triples = np.array([is_triple for is_triple, _ in self._planner.tables()], dtype=np.int8)
        keys = self._facts.keys(rows, are_triples)
        order = np.argsort(keys)
        rows = rows[order]
        for low in range(0, len(rows), _PART):  # in place, because these arrays may take gigabytes
            order[low : low + _PART] = keys[order[low : low + _PART]]
        return _SortedRows(order, rows)
