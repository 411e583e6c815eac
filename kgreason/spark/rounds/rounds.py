"""`close`: a closure by rounds of parts, in this process. On Spark the same parts run in tasks.

    rounds until no part has facts for another one -> operators decide -> rounds -> ... -> no operator asserts a fact

A recursion through MIN or MAX takes a turn: the parts are made anew (`operators`).

Law: the result has the facts and asserted flags of one engine over the same facts and rules, whatever the number of
parts. Cost: as many engines as there are parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kgreason.functions.registry import Registry
from kgreason.materialize.operators.tables import are_among
from kgreason.spark.rounds.operators import Strata
from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.plan import FIRST, FLAG, MOST_ALIKE, TABLE, PartsPlan
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
    facts in a place is divided; if this is seen in a later round only, the rounds begin again.
    """
    rows = plan.with_data(facts)
    plan = plan.divided(plan.counts(rows, 1), most)
    terms, functions = dictionary or Dictionary(), registry or Registry()

    def made(rounds: Sequence[Sequence[Int32]]) -> list[EnginePart]:
        """Make all parts anew from what they have received in some rounds."""
        parts = [EnginePart(plan, number, terms, functions) for number in range(plan.parts)]
        for number, part in enumerate(parts) if rounds else ():
            part.receive(np.unique(np.concatenate([coming[number] for coming in rounds]), axis=0))
        return parts

    received, steps, parts = list[int](), Strata(plan.operated), made([])
    rounds, asserted, begins = list[list[Int32]](), list[tuple[int, Int32]](), dict[int, int]()
    while True:
        asserted.append((len(rounds), rows))
        indexes, numbers = plan.destinations(rows)
        coming = [rows[indexes[numbers == number]] for number in range(plan.parts)]
        while not received or any(map(len, coming)):
            is_first = not received
            received.append(sum(map(len, coming)))
            rounds.append(coming)
            sent = [part.receive(rows) for part, rows in zip(parts, coming, strict=True) if is_first or len(rows)]
            if len(alike := np.concatenate([part.alike() for part in parts])):
                return close(plan.divided(alike, most), facts, dictionary, registry, most)
            rows, numbers = np.concatenate([each.rows for each in sent]), np.concatenate([each.parts for each in sent])
            coming = [rows[numbers == number] for number in range(plan.parts)]
        for level, before in steps.due():
            if before < level:
                begins.setdefault(level, len(rounds))
            found = np.concatenate([part.decide(level, before) for part in parts])
            rows, worse = found[found[:, FLAG] == 1], found[found[:, FLAG] == 0]
            if len(rows):
                break
            if level and len(worse):
                steps.take_turn(level)
                begin, ids = begins[level], plan.operated.outlasting(level)
                rows = np.concatenate([each for at, each in asserted if at >= begin])
                rows = np.unique(rows[np.isin(rows[:, FIRST], ids)], axis=0)
                rows = rows[~are_among(rows[:, TABLE:], worse[:, TABLE:])]
                del rounds[begin:]
                asserted = [(at, each) for at, each in asserted if at < begin]
                parts = made(rounds)
                break
        else:
            return RoundsResult(np.concatenate([part.news() for part in parts]), tuple(received))
