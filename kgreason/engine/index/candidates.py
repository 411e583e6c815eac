"""The catalogue: which rows may meet a trigger key, for keys that are new to a table that is full already.

Rows are listed in the order of two columns (a triple's predicate and object, an n-ary fact's relation and first
argument), when a new rule first asks, for its facts or for the rows of an arrangement. Rows that were added since are
listed apart, in lists that are merged as they grow: each row is sorted a logarithmic number of times.
Invariant: every present row that has a key's constants is among `candidates`; others may be, and rows that are free.

Cost: 12 bytes a row, from the first live edit of the rules on. When a quarter as many rows have been added as are
listed, the list is forgotten; making it is a sort.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.facts.table import FactTable
from kgreason.engine.memory.layout import Int32
from kgreason.engine.program.planner import Planner

_PATIENCE = 4096


class _Listed(NamedTuple):
    """Rows int32[n] in the order of their keys int64[n]."""

    keys: NDArray[np.int64]
    rows: Int32


_EMPTY = _Listed(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))


class Catalogue:
    """The rows of a fact table by predicate and object, or by relation and first argument."""

    def __init__(self, facts: FactTable, planner: Planner) -> None:
        self._facts, self._planner = facts, planner
        self.clear()

    def clear(self) -> None:
        """Forget the lists; they are made again when they are needed."""
        self.is_listed = False
        self._listed = _EMPTY
        self._recent: list[_Listed] = []
        self._new: list[Int32] = []
        self._added = 0

    @property
    def nbytes(self) -> int:
        """Bytes of the lists."""
        listed = sum(keys.nbytes + rows.nbytes for keys, rows in (self._listed, *self._recent))
        return listed + sum(rows.nbytes for rows in self._new)

    def note(self, rows: Int32) -> None:
        """Rows int32[n] were added since the list was made."""
        if len(rows):
            self._new.append(rows)
            self._added += len(rows)
            if 4 * self._added > len(self._listed.rows) + _PATIENCE:
                self.clear()

    def candidates(self, is_triple: bool, constants: Mapping[int, int]) -> Int32:
        """The numbers of the rows, int32[n] without repetition, that may have these constants in these columns."""
        first, second = (1, 2) if is_triple else (0, 1)
        if first not in constants:
            return self._facts.held()
        if not self.is_listed:
            self._listed, self.is_listed = self._list(self._facts.held()), True
        if self._new:
            self._take_in()
        low = constants[first] << 32 | constants.get(second, 0)
        high = low + 1 if second in constants else (constants[first] + 1) << 32
        found = [part.rows[slice(*np.searchsorted(part.keys, [low, high]))] for part in (self._listed, *self._recent)]
        return np.unique(np.concatenate(found)) if any(map(len, found[1:])) else found[0]

    def _take_in(self) -> None:
        """List the rows that were added, with lists that are not much longer than they are."""
        rows = np.concatenate(self._new)
        self._new = []
        while self._recent and len(self._recent[-1].rows) < 2 * len(rows):
            rows = np.concatenate([self._recent.pop().rows, rows])
        self._recent.append(self._list(np.unique(rows)))

    def _list(self, rows: Int32) -> _Listed:
        """These rows in the order of their keys."""
        columns, tables = self._facts.columns(rows)
        is_triple = np.array([is_triple for is_triple, _ in self._planner.tables()], dtype=np.bool_)[tables]
        keys = np.where(is_triple, columns[:, 1], columns[:, 0]).astype(np.int64) << 32
        keys |= np.where(is_triple, columns[:, 2], columns[:, 1])
        order = np.argsort(keys)
        return _Listed(keys[order], rows[order])
