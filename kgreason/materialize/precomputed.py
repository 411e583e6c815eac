"""`Evaluated`: a closure that was computed elsewhere (on Spark). A commit takes it over.

Law: the closure is the fixpoint of its rules over its asserted facts, with stamps and supports
(docs/architecture/commit.md). So a graph that takes over the closure, and then commits the rules that the closure
lacks, equals the graph after one commit of everything. If the graph has facts, the closure has these facts too. Cost:
one pass over the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from kgreason.engine.engine import Engine
from kgreason.engine.records import in_tables
from kgreason.materialize.program import ProgramChange
from kgreason.rules.model import Rule
from kgreason.zset.columns import Int32


class Evaluated(NamedTuple):
    """A closure: its facts, and the rules that derive no further fact from these facts.

    - `records`: a row for each fact, int32[n, 3 + w]: state, stamp, support, and w columns. The number of
      the table in a state (`records.fact_tables`) is the place of the fact's table in `tables`.
    - `tables`: for each table whether it is the table of triples, and its width.
    """

    records: Int32
    tables: Sequence[tuple[bool, int]]
    rules: tuple[Rule, ...]

    def numbered(self, engine: Engine) -> Int32:
        """Return the records in which each place in `tables` is replaced by the engine's number of that table.

        This is a copy, unless places and numbers are the same.
        """
        numbers = np.array([engine.table(*table) for table in self.tables], dtype=np.int32)
        if (numbers == np.arange(len(numbers))).all():
            return self.records
        return in_tables(self.records, numbers)


def lacking(evaluated: Evaluated, rules: Collection[Rule]) -> ProgramChange:
    """Return the change that puts `rules` in force in place of the rules of the closure `evaluated`."""
    return ProgramChange(_without(evaluated.rules, rules), _without(rules, evaluated.rules), ())


def _without(rules: Iterable[Rule], others: Iterable[Rule]) -> tuple[Rule, ...]:
    known = set(others)
    return tuple(rule for rule in rules if rule not in known)
