"""Where a Bootstrap starts from, and what it has changed: facts of one circuit and of the one beside it.

Law: `wanted` are the facts asserted before, after every wish in turn; `difference` is what an Update for the same
wishes would note row by row. Cost: all facts of both circuits; an Update asks for neither.
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
    """The rows that are to be asserted, and those that are to be asserted no more."""

    asserted: Rows
    retracted: Rows


def count(rows: Rows) -> int:
    """How many rows there are in all tables."""
    return sum(map(len, rows.values()))


def wanted(origin: Circuit, tables: Sequence[tuple[bool, int]], wishes: Sequence[Wish]) -> Rows:
    """The facts that are asserted once every wish is fulfilled; `tables` are kind and width of each."""
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
    """The asserted rows int32[n, w] once events, in order, have asserted (1) or retracted (-1) others."""
    keys = np.concatenate([np.ascontiguousarray(part, dtype=np.int32) for part, _ in events])
    signs = np.repeat(np.array([sign for _, sign in events], dtype=np.int8), [len(part) for part, _ in events])
    change = net_change(keys, signs, is_asserted(keys))
    return (ZSet.of(rows) + change).positive().columns


def difference(before: Circuit, after: Circuit) -> tuple[Int32, Int32, Int8, Int8]:
    """What changed from one circuit to another: rows, tables, kinds before and after."""
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
