"""`close`: a closure by rounds of parts, in this process. On Spark the same parts run in tasks.

    rounds until no part has facts for another one -> operators decide -> rounds -> ... -> no operator asserts a fact

Law: the result has the facts and asserted flags of one engine over the same facts and rules, whatever the number of
parts. Cost: as many engines as there are parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kgreason.functions.registry import Registry
from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.plan import Operated, PartsPlan
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32


class RoundsResult(NamedTuple):
    """The facts of a closure, int32[n, 2 + w] (`plan`), and for each round how many facts came to parts."""

    facts: Int32
    received: tuple[int, ...]


def close(
    plan: PartsPlan, facts: Int32, dictionary: Dictionary | None = None, registry: Registry | None = None
) -> RoundsResult:
    """Compute the closure of asserted facts, int32[n, 2 + w].

    Operators need the `dictionary` of the plan, and the `registry` of Python functions.
    """
    terms, functions = dictionary or Dictionary(), registry or Registry()
    parts = [EnginePart(plan, number, terms, functions) for number in range(plan.parts)]
    received, steps = list[int](), Steps(plan.operated)
    rows = plan.with_data(facts)
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


class Steps:
    """The order in which operators are decided. All parts decide the same stratum."""

    def __init__(self, operated: Operated) -> None:
        self._operated, self._level = operated, 0

    def due(self) -> Iterator[tuple[int, int]]:
        """Yield what to decide when no part has facts for another one: a stratum, and the last one decided before.

        As soon as a decision asserts facts, the rounds go on, and `due` begins again.
        """
        if self._operated.have_functions:
            yield 0, 0
        if self._level:
            yield self._level, self._level
        while self._level < self._operated.last:
            self._level += 1
            yield self._level, self._level - 1
