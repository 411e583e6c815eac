"""`KeyedRows`: finds the rows of a big table whose object is a literal, by their subjects and predicates.

    first questions      a look at the subject of each row
    later questions      binary searches in a sorted copy of the rows whose object is a literal or a triple term

So a small answer costs no sorting, and a big answer is linear. The copy has these rows, and
8 bytes for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.zset.columns import Int32

_PART = 1 << 20
"""So many rows are looked at together."""
_LOOKS = 4
"""So many questions are answered without the copy."""


def keys_of(subjects: Int32, predicates: Int32) -> NDArray[np.int64]:
    """Return a number for each pair of a subject and a predicate: int64[n]."""
    found: NDArray[np.int64] = subjects.astype(np.int64) << 32 | predicates
    return found


class KeyedRows:
    """`rows`, int32[n, w], have subject, predicate and object in the columns from `first` on.

    Threads: any thread may ask.
    """

    def __init__(self, rows: Int32, first: int, dictionary: Dictionary) -> None:
        self._rows, self._first, self._dictionary = rows, first, dictionary
        self._looks = 0
        self._sorted: tuple[NDArray[np.int64], Int32] | None = None

    def rows_with(self, keys: NDArray[np.int64], check: Callable[[], None]) -> Int32:
        """Return the rows with a literal or a triple term whose subject and predicate have one of the distinct `keys`.

        `check` is called several times a second, and may raise.
        """
        self._looks += 1
        if self._sorted is None and self._looks <= _LOOKS:
            wanted = np.zeros(len(self._dictionary) + 1, dtype=np.bool_)
            wanted[keys >> 32] = True
            some = (part[wanted[part[:, self._first]]] for part in self._parts(check))
            return self._literals(part[np.isin(self._keys(part), keys)] for part in some)
        if self._sorted is None:
            rows = self._literals(self._parts(check))
            numbers = self._keys(rows)
            check()
            order = np.argsort(numbers, kind="stable")
            self._sorted = numbers[order], rows[order]
        known, rows = self._sorted
        low, high = (np.searchsorted(known, keys, side=side) for side in ("left", "right"))
        counts = high - low
        found: Int32 = rows[np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts - low, counts)]
        return found

    def _parts(self, check: Callable[[], None]) -> Iterable[Int32]:
        for low in range(0, len(self._rows), _PART):
            check()
            yield self._rows[low : low + _PART]

    def _literals(self, parts: Iterable[Int32]) -> Int32:
        kinds = ((part, self._dictionary.kinds(part[:, self._first + 2])) for part in parts)
        some = [part[(kind == Kind.LITERAL) | (kind == Kind.TRIPLE)] for part, kind in kinds]
        return np.concatenate([self._rows[:0], *some])

    def _keys(self, rows: Int32) -> NDArray[np.int64]:
        return keys_of(rows[:, self._first], rows[:, self._first + 1])
