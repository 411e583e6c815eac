"""Facts that left in Retract and return in Rederive, because a derivation from the remaining facts is left.

The support of a fact counts its derivations whose bodies are older than the fact. Its state counts the others, the
*spare* derivations (`layout.ONE_SPARE`). Invariant after every commit: support plus spare is the number of all
derivations of a present fact from present facts. In Retract each derivation that uses a leaving fact is taken back
once, also from heads that have left already. So when Retract ends, the spare derivations of a fact that left are
exactly its derivations from the remaining facts:

    none       the fact stays away, and nothing is searched
    some       the fact returns
    unknown    the rules run backwards from the fact, and tell

A fact that returns needs a stamp that is larger than the stamps in the body of a derivation. There are two ways:

    few facts return     the rules run backwards and find all derivations. The fact gets the level above their bodies,
                         and its frailty from their number, as if it were new
    many facts return    nothing is searched. Each fact gets the *late* stamp: the level above all facts that remain. So
                         all its derivations count

Late stamps are correct but coarse: derivations from facts that returned are spare for all older facts. After many small
commits, more facts would leave and return. So only a commit in which many facts return uses them. The choice depends on
facts and counts alone, so that the same commit on the same state gives the same stamps.

Cost: a look at each fact that left; with late stamps, one pass over all rows.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Number, kernel
from kgreason.engine.level.distinct import enqueue, stamp_above
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import matrix
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32

MANY = 1_024
"""Facts return with a late stamp if at least so many return at once, and at least a share of all: see `SHARE`."""
SHARE = 1 / 512
"""Below this share of all facts, a pass over all rows would take about as long as the search."""
LAST = 1 << 30
"""The largest late stamp. Stamps are int32. With each commit, late stamps can grow by the longest chain of derivations;
from here on facts return by a search, with stamps that grow much more slowly."""


@kernel
def late_stamp(m: Block) -> Number:
    """Return the late stamp: the smallest stamp of the level above all facts that remain after Retract."""
    rows, latest = matrix(m, at.ROWS), np.int64(-1)
    for r in range(m[at.N_ROWS]):
        if rows[r, at.STATE] & at.AGE == at.OLD and rows[r, at.STAMP] > latest:
            latest = np.int64(rows[r, at.STAMP])
    return stamp_above(latest)


@kernel
def bring_back(m: Block, gone: Int32, stamp: Number) -> None:
    """Put the GONE rows with the numbers `gone`, int32[n], into the queue, with a stamp larger than all others.

    The number of the spare derivations of each fact must be known. All of them count from now on. The queue must have
    room for the rows.
    """
    rows = matrix(m, at.ROWS)
    for i in range(gone.size):
        r = np.int64(gone[i])
        state = rows[r, at.STATE]
        rows[r, at.STATE] = (state & ~(at.AGE | at.SPARE)) | at.NEXT
        rows[r, at.STAMP], rows[r, at.SUPPORT] = stamp, (state & at.SPARE) // at.ONE_SPARE
        enqueue(m, r)
