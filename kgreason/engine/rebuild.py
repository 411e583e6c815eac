"""A Bootstrap's start and its changes: the facts to begin with, and the difference of the old and the new circuit.

Law: `wanted` returns the facts that are asserted after all wishes, applied in order; `difference` returns the changes
that an Update for the same wishes would note row by row. Cost: all facts of both circuits; an Update calls neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.circuit import Circuit
from kgreason.engine.memory.layout import ABSENT, IS_ASSERTED, Int8, Int32
from kgreason.zset.commit import net_change
from kgreason.zset.zset import ZSet

Rows: TypeAlias = Mapping[int, Int32]
"""Rows int32[n, w] by table number."""
_Events: TypeAlias = Sequence[tuple[Int32, int]]


class Wish(NamedTuple):
    """The rows to assert and the rows to retract."""

    asserted: Rows
    retracted: Rows


def count(rows: Rows) -> int:
    """The number of rows in all tables together."""
    return sum(map(len, rows.values()))


def wanted(origin: Circuit, tables: Sequence[tuple[bool, int]], wishes: Sequence[Wish]) -> Rows:
    """The facts that are asserted after all wishes. `tables` has the kind and the width of each table."""
    found: dict[int, Int32] = {}
    columns, numbers, kinds = origin.facts.contents()
    numbers[kinds != IS_ASSERTED] = -1
    for table, (_, width) in enumerate(tables):
        events = [
            (part, sign)
            for wish in wishes
            for part, sign in ((wish.retracted.get(table), -1), (wish.asserted.get(table), 1))
            if part is not None and len(part)
        ]
        mine = np.ascontiguousarray(columns[numbers == table, :width])
        found[table] = _after(mine, events, origin.facts.is_asserted_fact) if events else mine
    return found


def _after(rows: Int32, events: _Events, is_asserted: Callable[[Int32], NDArray[np.bool_]]) -> Int32:
    """The asserted rows int32[n, w] after the events, in order; an event asserts (1) or retracts (-1) rows."""
    keys = np.concatenate([np.ascontiguousarray(part, dtype=np.int32) for part, _ in events])
    signs = np.repeat(np.array([sign for _, sign in events], dtype=np.int8), [len(part) for part, _ in events])
    change = net_change(keys, signs, is_asserted(keys))
    return (ZSet.of(rows) + change).positive().columns


def difference(before: Circuit, after: Circuit) -> tuple[Int32, Int32, Int8, Int8]:
    """The facts that changed from one circuit to another: rows, tables, kinds before and after."""
    new_rows, new_tables, now = after.facts.contents()
    if not len(before.facts):
        return new_rows, new_tables, np.zeros_like(now), now
    before.keep_up()
    rows, tables, was = before.facts.contents()
    became = after.facts.kinds(after.facts.find(rows))
    had = before.facts.kinds(before.facts.find(new_rows))
    lost, won = became != was, had == ABSENT
    return (
        np.concatenate([rows[lost], new_rows[won]]),
        np.concatenate([tables[lost], new_tables[won]]),
        np.concatenate([was[lost], had[won]]),
        np.concatenate([became[lost], now[won]]),
    )
