"""A commit of signed rows, normalised to final state minus current state (docs/architecture.md).

A commit says what is wanted, in order: assert this row, retract that one, assert it after all. Of several wishes for
one row the last wins; one that is fulfilled already asks for nothing. So `+f, -f` on an asserted f removes it, and
on any other f does nothing.

Law: applied to the rows asserted now, the result leaves exactly those that the events applied one by one leave.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kgreason.zset.order import grouped
from kgreason.zset.zset import ZSet


def net_change(columns: npt.NDArray[np.int32], signs: npt.NDArray[np.int8], is_asserted: npt.NDArray[np.bool_]) -> ZSet:
    """What a commit changes: weight 1 for rows to assert, -1 for rows to retract, in normal form.

    columns: int32[n, w], the rows of the events in order; signs: int8[n], 1 to assert, -1 to retract; is_asserted:
    bool[n], whether the event's row is asserted now. Cost: one sort.

    >>> rows = np.array([[1, 2, 3], [1, 2, 3]], dtype=np.int32)
    >>> net_change(rows, np.array([1, -1], dtype=np.int8), np.array([True, True])).weights.tolist()
    [-1]
    """
    lasts = grouped(columns).lasts()
    changed = lasts[(signs[lasts] > 0) != is_asserted[lasts]]
    return ZSet(columns[changed], signs[changed].astype(np.int64), is_normal=True)
