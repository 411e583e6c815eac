"""The net change of a commit: the asserted rows after it minus the asserted rows before it.

A commit is a sequence of events: assert this row, retract that row, assert it again. For each row only its last event
counts. To assert an asserted row changes nothing, and neither does retracting a row that is not asserted. So `+f, -f`
retracts f if f is asserted, and does nothing otherwise.

Law: applying the result to the asserted rows gives the same rows as applying the events one by one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kgreason.zset.order import group_rows
from kgreason.zset.zset import ZSet


def net_change(columns: npt.NDArray[np.int32], signs: npt.NDArray[np.int8], is_asserted: npt.NDArray[np.bool_]) -> ZSet:
    """Return the net change of a commit, in normal form: weight 1 for rows to assert, -1 for rows to retract.

    `columns`: int32[n, w], the rows of the events in order. `signs`: int8[n], 1 to assert, -1 to retract.
    `is_asserted`: bool[n], whether the row of the event is asserted before the commit. Cost: one sort.

    >>> rows = np.array([[1, 2, 3], [1, 2, 3]], dtype=np.int32)
    >>> net_change(rows, np.array([1, -1], dtype=np.int8), np.array([True, True])).weights.tolist()
    [-1]
    """
    lasts = group_rows(columns).lasts()
    changed = lasts[(signs[lasts] > 0) != is_asserted[lasts]]
    return ZSet(columns[changed], signs[changed].astype(np.int64), is_normal=True)
