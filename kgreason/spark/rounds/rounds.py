"""`close`: a closure by rounds of parts, in this process. On Spark the same parts run in tasks.

Law: the result has the facts and asserted flags of one engine over the same facts and rules, whatever the number of
parts. Cost: as many engines as there are parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.plan import PartsPlan
from kgreason.zset.columns import Int32


class RoundsResult(NamedTuple):
    """The facts of a closure, int32[n, 2 + w] (`plan`), and for each round how many facts came to parts."""

    facts: Int32
    received: tuple[int, ...]


def close(plan: PartsPlan, facts: Int32) -> RoundsResult:
    """Compute the closure of asserted facts, int32[n, 2 + w]."""
    parts = [EnginePart(plan, number) for number in range(plan.parts)]
    indexes, numbers = plan.destinations(facts)
    coming = [facts[indexes[numbers == number]] for number in range(plan.parts)]
    received: list[int] = []
    while not received or any(map(len, coming)):
        received.append(sum(map(len, coming)))
        is_first = len(received) == 1
        sent = [part.receive(rows) for part, rows in zip(parts, coming, strict=True) if is_first or len(rows)]
        rows, numbers = np.concatenate([each.rows for each in sent]), np.concatenate([each.parts for each in sent])
        coming = [rows[numbers == number] for number in range(plan.parts)]
    return RoundsResult(np.concatenate([part.news() for part in parts]), tuple(received))
