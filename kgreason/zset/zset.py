"""`ZSet`: rows of ids with integer weights. Z-sets form an abelian group (DBSP, section 2).

A Z-set maps rows to weights; all but finitely many weights are 0. It is stored as a batch, in which a row may occur
several times; the weight of the row is then the sum. `consolidate` (sort, add, drop zeros) is the only normal form.
Every question about a Z-set (`==`, `len`, `distinct`, ...) looks at the normal form, so no answer depends on how the
batch was made.

    a + b == b + a        a + (b + c) == (a + b) + c        a + empty == a        a - a == empty
    a.distinct() == a.distinct().distinct()                 a == a.positive() + a.negative()

Cost: `+` and `-` concatenate. The normal form costs one sort (`order.py`), or nothing if the Z-set has it already.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kgreason.zset.order import group_rows


@dataclass(frozen=True, slots=True, eq=False)
class ZSet:
    """n rows of w ids with weights: `columns` (int32[n, w], C-contiguous) and `weights` (int64[n]).

    The arrays are never changed. The caller may set `is_normal` only for a batch in normal form. Raises TypeError for
    arrays of another dtype, shape or layout.
    """

    columns: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int64]
    is_normal: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        columns, weights = self.columns, self.weights
        if columns.dtype != np.int32 or columns.ndim != 2 or not columns.flags.c_contiguous:
            raise TypeError(f"Z-set: the columns are {columns.dtype} of shape {columns.shape}, not int32[n, w]")
        if weights.dtype != np.int64 or weights.shape != columns.shape[:1]:
            raise TypeError(f"Z-set: the weights are {weights.dtype} of shape {weights.shape}, not int64[n]")

    @classmethod
    def of(cls, columns: npt.NDArray[np.int32], weight: int = 1) -> ZSet:
        """Make a Z-set of the rows int32[n, w]. Each row gets `weight`; a row that occurs twice has twice this weight.

        >>> len(ZSet.of(np.array([[1, 2], [1, 2], [3, 4]], dtype=np.int32)))
        2
        """
        return cls(np.ascontiguousarray(columns), np.full(len(columns), weight, dtype=np.int64))

    @classmethod
    def empty(cls, width: int) -> ZSet:
        """Return a Z-set without rows, with `width` columns."""
        return cls(np.empty((0, width), dtype=np.int32), np.empty(0, dtype=np.int64), True)

    def consolidate(self) -> ZSet:
        """Return the normal form of this Z-set: rows ascending, each row once, no weight 0."""
        if self.is_normal:
            return self
        groups = group_rows(self.columns)
        sums = groups.sums(self.weights)
        kept = np.flatnonzero(sums)
        return ZSet(self.columns[groups.firsts()[kept]], sums[kept], True)

    def __add__(self, other: ZSet) -> ZSet:
        """Add the weights row by row. Raises ValueError if the other Z-set has another width."""
        columns = np.concatenate([self.columns, other.columns])
        return ZSet(columns, np.concatenate([self.weights, other.weights]))

    def __neg__(self) -> ZSet:
        return ZSet(self.columns, -self.weights, self.is_normal)

    def __sub__(self, other: ZSet) -> ZSet:
        """Subtract the weights row by row. Raises ValueError if the other Z-set has another width."""
        return self + -other

    def distinct(self) -> ZSet:
        """Return DBSP's distinct of this Z-set: the rows of positive weight, each with weight 1."""
        positive = self.positive()
        return ZSet(positive.columns, np.ones_like(positive.weights), True)

    def positive(self) -> ZSet:
        """Return the rows of positive weight, with their weights."""
        normal = self.consolidate()
        return normal.select(normal.weights > 0)

    def negative(self) -> ZSet:
        """Return the rows of negative weight, with their weights."""
        normal = self.consolidate()
        return normal.select(normal.weights < 0)

    def select(self, mask: npt.NDArray[np.bool_]) -> ZSet:
        """Return the rows of this batch for which `mask`, bool[n], is True: row i stays if `mask[i]` is True."""
        return ZSet(self.columns[mask], self.weights[mask], self.is_normal)

    def __len__(self) -> int:
        """Return the number of rows whose weight is not 0."""
        return len(self.consolidate().weights)

    def __bool__(self) -> bool:
        return len(self) > 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ZSet):
            return NotImplemented
        one, two = self.consolidate(), other.consolidate()
        return np.array_equal(one.columns, two.columns) and np.array_equal(one.weights, two.weights)

    __hash__ = None  # type: ignore[assignment]
