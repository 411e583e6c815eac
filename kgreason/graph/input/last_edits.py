"""`last_edits`: what a transaction does to each quad in the end, if it edits the quad several times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.materialize.edit import NO_QUADS
from kgreason.zset.columns import Int32
from kgreason.zset.order import grouped


def last_edits(signs: Sequence[int], parts: Sequence[Int32]) -> tuple[Int32, Int32]:
    """Keep the last edit of each quad. Returns the quads to retract, int32[n, 4], and the quads to assert, int32[m, 4].

    `parts` are arrays of edited quads, in order. `signs` has -1 (retract) or 1 (assert) for each array.
    """
    if -1 not in signs:
        return NO_QUADS, parts[0] if len(parts) == 1 else np.concatenate([NO_QUADS, *parts])
    quads = np.concatenate(parts)
    of_quads = np.repeat(np.array(signs, dtype=np.int8), [len(part) for part in parts])
    if len(quads) > 1:
        lasts = np.sort(grouped(quads).lasts())
        quads, of_quads = quads[lasts], of_quads[lasts]
    return quads[of_quads < 0], quads[of_quads > 0]
