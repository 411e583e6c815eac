"""`EnginePart`: one part of the facts, with an engine of its own.

    facts from others -> Bootstrap, later Update -> new facts -> those that other parts need
                                                              -> those that have their home here (`news`)

All facts that a part receives are asserted in its engine, whether users have asserted them or rules of other parts have
derived them. Only its home says whether a fact is asserted: whoever asserts a fact places it with this flag.

Laws: a part sends each fact that its rules derive to all other parts that need it, once. A fact that it received is not
sent again, because whoever derived it has sent it everywhere. Over all parts, each fact is news once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgreason.engine.engine import Engine
from kgreason.spark.rounds.plan import FIRST, FLAG, TABLE, PartsPlan
from kgreason.zset.columns import ABSENT, INFERRED, Int32, Int64

_NOTHING = np.empty((0, 0), dtype=np.int32), np.empty(0, dtype=np.int32)


class Sent(NamedTuple):
    """Facts for other parts: rows int32[n, 2 + w] (`plan`), and the number of the part for each row, int64[n]."""

    rows: Int32
    parts: Int64


class EnginePart:
    """The part number `number` of a plan. One thread at a time."""

    def __init__(self, plan: PartsPlan, number: int) -> None:
        self._plan, self._number = plan, number
        self._engine = Engine(plan.quiet, threads=1)
        for is_triple, width in plan.tables:
            self._engine.table(is_triple, width)
        self._news: list[Int32] = []

    def receive(self, rows: Int32) -> Sent:
        """Take facts from others, int32[n, 2 + w], and evaluate. Returns what other parts need of the new facts."""
        widths = [width for _, width in self._plan.tables]
        facts = {n: rows[rows[:, TABLE] == n, FIRST : FIRST + widths[n]] for n in np.unique(rows[:, TABLE]).tolist()}
        if self._engine.work is None:
            rules = self._plan.rules if self._number else (*self._plan.rules, *self._plan.first)
            changes = self._engine.bootstrap(facts, rules)
        else:
            changes = self._engine.commit(facts)
        is_new = changes.before == ABSENT
        new = self._rows(changes.rows[is_new], changes.tables[is_new])
        self._note_news(new, rows[rows[:, FLAG] == 1])
        return self._sent(new[changes.after[is_new] == INFERRED])

    def news(self) -> Int32:
        """Return the facts that have their home here, and are new since the last call: int32[n, 2 + w].

        Facts of hidden relations are left out.
        """
        news, self._news = np.concatenate([self._rows(*_NOTHING), *self._news]), []
        return news

    def _note_news(self, new: Int32, asserted: Int32) -> None:
        """Note the new facts that have their home here. `asserted` are the received facts that are asserted."""
        hidden = np.fromiter(self._plan.hidden, np.int32)
        shown = new[~np.isin(new[:, FIRST], hidden)] if len(hidden) else new
        here = shown[self._plan.home(shown) == self._number]
        if len(here) and len(asserted):
            facts = self._engine.facts
            numbers = facts.find(facts.padded(here[:, FIRST:]))
            here[:, FLAG] = np.isin(numbers, facts.find(facts.padded(asserted[:, FIRST:])))
        self._news.append(here)

    def _rows(self, columns: Int32, tables: Int32) -> Int32:
        rows = np.zeros((len(columns), FIRST + self._plan.width), dtype=np.int32)
        rows[:, TABLE] = tables
        rows[:, FIRST : FIRST + columns.shape[1]] = columns
        return rows

    def _sent(self, rows: Int32) -> Sent:
        indexes, parts = self._plan.destinations(rows)
        away = parts != self._number
        return Sent(rows[indexes[away]], parts[away])
