"""The input and the output of a Bootstrap: the facts to start from, and the changes from the old to the new circuit.

Laws: `rows_to_assert` returns the facts that are asserted after all wishes have been carried out in order;
`changes_between` returns the changes that an Update for the same wishes would have made. Cost: a pass over all facts of
both circuits; an Update calls neither function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.circuit import Circuit
from kgreason.engine.facts.facts import Rows
from kgreason.zset.columns import ABSENT, IS_ASSERTED, Int8, Int32
from kgreason.zset.commit import net_change
from kgreason.zset.zset import ZSet

_Events: TypeAlias = Sequence[tuple[Int32, int]]


class Wish(NamedTuple):
    """The rows to assert and the rows to retract in one call of `apply`. Each is a dict from table numbers to rows."""

    asserted: Rows
    retracted: Rows


def rows_to_assert(origin: Circuit, tables: Sequence[tuple[bool, int]], wishes: Sequence[Wish]) -> Rows:
    """Return the facts that are asserted when `wishes` change the asserted facts of circuit `origin`, in order.

    `tables` says for each table whether it holds triples, and how wide it is. Returns rows int32[n, w] by table number.
    If the wishes retract no row of a table, a row may be in the result several times, and the result may be an array of
    the wishes itself: to sort the rows of a large load would take more memory than the load.
    """
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
        if any(sign < 0 for _, sign in events):
            found[table] = _asserted_after(mine, events, origin.facts.are_asserted)
        else:
            parts = [part for part in (mine, *[part for part, _ in events]) if len(part)]
            found[table] = np.concatenate(parts) if len(parts) > 1 else parts[0] if parts else mine
    return found


def _asserted_after(rows: Int32, events: _Events, is_asserted: Callable[[Int32], NDArray[np.bool_]]) -> Int32:
    """Return the rows int32[n, w] that are asserted after a sequence of events.

    `rows`: the asserted rows before the events. An event is a pair: rows int32[m, w], and 1 (assert the rows) or -1
    (retract the rows). `is_asserted` returns for each row of an array whether it is asserted before the events.
    """
    keys = np.concatenate([np.ascontiguousarray(part, dtype=np.int32) for part, _ in events])
    signs = np.repeat(np.array([sign for _, sign in events], dtype=np.int8), [len(part) for part, _ in events])
    change = net_change(keys, signs, is_asserted(keys))
    return (ZSet.of(rows) + change).positive().columns


def changes_between(before: Circuit, after: Circuit) -> tuple[Int32, Int32, Int8, Int8]:
    """Return the facts whose kind differs between two circuits, in the same form as `Circuit.changes` does.

    Returns columns int32[n, w], tables int32[n], kinds in `before` and kinds in `after`, int8[n] each.
    """
    new_rows, new_tables, now = after.facts.contents()
    if not len(before.facts):
        return new_rows, new_tables, np.zeros_like(now), now
    before.refresh_if_changed()
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
