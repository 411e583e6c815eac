"""`close`: a closure by rounds of parts, in this process. On Spark the same parts run in tasks.

    rounds until no part has facts for another one -> operators decide -> rounds -> ... -> no operator asserts a fact

Law: the result has the facts and asserted flags of one engine over the same facts and rules, whatever the number of
parts. Cost: as many engines as there are parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgreason.functions.registry import Registry
from kgreason.spark.rounds.operators import Strata
from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.plan import MOST_ALIKE, PartsPlan
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32


class RoundsResult(NamedTuple):
    """The facts of a closure, int32[n, 2 + w] (`plan`), and for each round how many facts came to parts."""

    facts: Int32
    received: tuple[int, ...]


def close(
    plan: PartsPlan,
    facts: Int32,
    dictionary: Dictionary | None = None,
    registry: Registry | None = None,
    most: int = MOST_ALIKE,
) -> RoundsResult:
    """Compute the closure of asserted facts, int32[n, 2 + w].

    Operators need the `dictionary` of the plan, and the `registry` of Python functions. A value with more than `most`
    facts in a place is divided.
    """
    terms, functions = dictionary or Dictionary(), registry or Registry()
    received, steps = list[int](), Strata(plan.operated)
    rows = plan.with_data(facts)
    plan = plan.divided(plan.counts(rows, 1), most)
    parts = [EnginePart(plan, number, terms, functions) for number in range(plan.parts)]
    while True:
        indexes, numbers = plan.destinations(rows)
        coming = [rows[indexes[numbers == number]] for number in range(plan.parts)]
        while not received or any(map(len, coming)):
            received.append(sum(map(len, coming)))
            is_first = len(received) == 1
            sent = [part.receive(rows) for part, rows in zip(parts, coming, strict=True) if is_first or len(rows)]
            rows, numbers = np.concatenate([each.rows for each in sent]), np.concatenate([each.parts for each in sent])
            coming = [rows[numbers == number] for number in range(plan.parts)]
        for level, before in steps.due():
            rows = np.concatenate([part.decide(level, before) for part in parts])
            if len(rows):
                break
        else:
            return RoundsResult(np.concatenate([part.news() for part in parts]), tuple(received))
