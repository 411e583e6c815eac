"""Records: facts at rest, with what the engine knows of each. Saved graphs pass them on.

A record is an int32 row: the state of the fact (its table, and whether it is asserted), its stamp, its support, and its
columns. Law: `made(columns, tables, asserted, stamps, supports)` has these columns, tables, flags, stamps and supports.
Cost: one pass over one or two words of each record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.memory import layout as at
from kgreason.zset.columns import Int32, UInt32


def fact_columns(records: Int32) -> Int32:
    """Return the columns of records, int32[n, w]. This is a view."""
    return records[:, at.FIRST :]


def fact_tables(records: Int32) -> Int32:
    """Return the number of the table of each record: int32[n]."""
    found: Int32 = records[:, at.STATE] >> at.TABLE & at.LAST_TABLE
    return found


def are_asserted(records: Int32) -> NDArray[np.bool_]:
    """Return for each record whether its fact is asserted: bool[n]."""
    found: NDArray[np.bool_] = (records[:, at.STATE] & at.ASSERTED) != 0
    return found


def stamps(records: Int32) -> Int32:
    """Return the stamp of each record: int32[n]. This is a view."""
    return records[:, at.STAMP]


def without_log_flags(records: Int32) -> Int32:
    """Return copies of records without the flag that an open commit gives to the facts in its undo log."""
    records = records.copy()
    records[:, at.STATE] &= ~at.LOGGED
    return records


class Snapshot(NamedTuple):
    """The arrays of a circuit whose rows all hold present facts.

    - `rows`: int32[room, 3 + w], all rows of the fact table; behind them there may be room for others.
    - `hashed`: uint32[2**k], the hash table of the fact table, whose numbers are positions in `rows`.
    - `keys`: int32[k, 2 + w], how many rows meet each trigger key; see `Arrangements.key_counts`.

    A circuit that takes a snapshot over writes into these arrays.
    """

    rows: Int32
    hashed: UInt32
    keys: Int32
