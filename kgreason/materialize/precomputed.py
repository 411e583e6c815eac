"""`Evaluated`: a closure that was computed elsewhere (on Spark). A graph without facts can start from it.

Law: it is the fixpoint of its rules over its asserted facts, with stamps and supports (docs/architecture.md). So a
graph that
takes it over, and then commits the rules that it lacks, is the graph that one commit of everything gives. Cost: one
pass over the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from kgreason.engine.memory.layout import STATE, TABLE, Int32
from kgreason.engine.program.planner import Planner
from kgreason.materialize.program import ProgramChange
from kgreason.rules.model import Rule


class Evaluated(NamedTuple):
    """Facts, and the rules whose fixpoint they are.

    records: int32[n, 3 + w] of state (flags, and above them the place in `tables`), stamp, support and columns; tables:
    kind (is it the triples' table?) and width of each.
    """

    records: Int32
    tables: Sequence[tuple[bool, int]]
    rules: tuple[Rule, ...]

    def numbered(self, planner: Planner) -> Int32:
        """The records with the table numbers of a planner; a copy if its numbers are others."""
        numbers = np.array([planner.table(*table) for table in self.tables], dtype=np.int32)
        if (numbers == np.arange(len(numbers))).all():
            return self.records
        records = self.records.copy()
        states = records[:, STATE]
        records[:, STATE] = numbers[states >> TABLE] << TABLE | states & ((1 << TABLE) - 1)
        return records


def lacking(evaluated: Evaluated, rules: Collection[Rule]) -> ProgramChange:
    """The change that leads from the rules of the closure to `rules`, which are to be in force."""
    return ProgramChange(_without(evaluated.rules, rules), _without(rules, evaluated.rules), ())


def _without(rules: Iterable[Rule], others: Iterable[Rule]) -> tuple[Rule, ...]:
    known = set(others)
    return tuple(rule for rule in rules if rule not in known)
