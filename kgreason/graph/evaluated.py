"""`Evaluated`: a closure that was worked out elsewhere (on Spark), for a graph that is still empty to start from.

Law: the fixpoint of its rules over its asserted facts, stamps and supports included (DESIGN.md 3.3), so that taking it
over and then committing what it lacks gives the graph that committing everything gives. Cost: one pass over the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kgreason.engine.layout import STATE, TABLE, Int32
from kgreason.engine.planner import Planner
from kgreason.graph.program import ProgramChange
from kgreason.rules.model import Rule


class Evaluated(NamedTuple):
    """Facts and the rules that they are the fixpoint of.

    records: int32[n, 3 + w] of state (flags, and above them the place in `tables`), stamp, support and columns; tables:
    kind (is it the triples' table?) and width of each.
    """

    records: Int32
    tables: Sequence[tuple[bool, int]]
    rules: tuple[Rule, ...]

    def numbered(self, planner: Planner) -> Int32:
        """The records with the tables as a planner numbers them; they are changed in place where that differs."""
        numbers = [planner.table(*table) for table in self.tables]
        if numbers != list(range(len(numbers))):
            tables = self.records[:, STATE] >> TABLE
            for number, wanted in enumerate(numbers):
                self.records[tables == number, STATE] += (wanted - number) << TABLE
        return self.records


def lacking(evaluated: Evaluated, program: ProgramChange) -> ProgramChange:
    """What becomes of a program that asks for these rules, once those that were evaluated run."""
    return ProgramChange(_without(evaluated.rules, program.added), _without(program.added, evaluated.rules), ())


def _without(rules: Iterable[Rule], others: Iterable[Rule]) -> tuple[Rule, ...]:
    known = set(others)
    return tuple(rule for rule in rules if rule not in known)
