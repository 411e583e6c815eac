"""`Snapshot`: what a circuit needs beside its records to be opened again without a look at them.

Law: a circuit that takes a snapshot over has the same facts, stamps, supports and counts as the one that it was taken
from. Cost: nothing for each fact.
"""

from __future__ import annotations

from typing import NamedTuple

from kgreason.zset.columns import Int32, UInt32


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
