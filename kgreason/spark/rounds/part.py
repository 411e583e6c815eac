"""`Part`: one part of the facts, with an engine of its own.

    facts from others -> Bootstrap, later Update -> new facts -> those that other parts need

All facts that a part receives are asserted in its engine, whether users have asserted them or rules of other parts have
derived them. Only their home knows which facts are asserted (`facts_at_home`).

Law: a part sends each fact that its rules derive to all other parts that need it, once. A fact that it received is not
sent again, because whoever derived it has sent it everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgreason.engine.engine import Engine
from kgreason.spark.rounds.plan import FIRST, FLAG, TABLE, Plan
from kgreason.zset.columns import ABSENT, INFERRED, Int32, Int64


class Sent(NamedTuple):
    """Facts for other parts: rows int32[n, 2 + w] (`plan`), and the number of the part for each row, int64[n]."""

    rows: Int32
    parts: Int64


class Part:
    """The part number `number` of a plan. One thread at a time."""

    def __init__(self, plan: Plan, number: int) -> None:
        self._plan, self._number = plan, number
        self._engine = Engine(plan.quiet, threads=1)
        for is_triple, width in plan.tables:
            self._engine.table(is_triple, width)
        self._stated: list[Int32] = []
        """The asserted facts that have their home here, as columns int32[n, w]."""

    def receive(self, rows: Int32) -> Sent:
        """Take facts from others, int32[n, 2 + w], and evaluate. Returns what other parts need of the new facts."""
        self._state(rows)
        widths = [width for _, width in self._plan.tables]
        facts = {n: rows[rows[:, TABLE] == n, FIRST : FIRST + widths[n]] for n in np.unique(rows[:, TABLE]).tolist()}
        if self._engine.work is None:
            rules = self._plan.rules if self._number else (*self._plan.rules, *self._plan.first)
            changes = self._engine.bootstrap(facts, rules)
        else:
            changes = self._engine.commit(facts)
        is_new = (changes.before == ABSENT) & (changes.after == INFERRED)
        return self._sent(self._rows(changes.rows[is_new], changes.tables[is_new]))

    def facts_at_home(self) -> Int32:
        """Return the facts that have their home here, without those of hidden relations: int32[n, 2 + w].

        The first column says whether the fact is asserted.
        """
        facts = self._engine.facts
        numbers = facts.present()
        rows = self._rows(*facts.columns(numbers))
        if self._stated:
            rows[:, FLAG] = np.isin(numbers, facts.find(facts.padded(np.concatenate(self._stated))))
        shown = rows[~np.isin(rows[:, FIRST], list(self._plan.hidden))] if self._plan.hidden else rows
        found: Int32 = shown[self._plan.home(shown) == self._number]
        return found

    def _state(self, rows: Int32) -> None:
        """Note which of the rows are asserted and have their home here."""
        asserted = rows[rows[:, FLAG] == 1]
        if len(asserted):
            self._stated.append(asserted[self._plan.home(asserted) == self._number, FIRST:])

    def _rows(self, columns: Int32, tables: Int32) -> Int32:
        rows = np.zeros((len(columns), FIRST + self._plan.width), dtype=np.int32)
        rows[:, TABLE] = tables
        rows[:, FIRST : FIRST + columns.shape[1]] = columns
        return rows

    def _sent(self, rows: Int32) -> Sent:
        indexes, parts = self._plan.destinations(rows)
        away = parts != self._number
        return Sent(rows[indexes[away]], parts[away])
