"""`EnginePart`: one part of the facts, with an engine of its own.

    facts from others -> Bootstrap, later Update -> new facts -> those that other parts need
                                                              -> those that have their home here: news
                         operators (`decide`)    -> facts for all parts, once no part has facts for another one

All rounds of a part are steps of one commit of its engine, which stays open: the operators decide within it.

All facts that a part receives are asserted in its engine, whether users have asserted them or rules of other parts have
derived them. Only its home says whether a fact is asserted: whoever asserts a fact places it with this flag. Whoever
places or derives a fact flags the row for its home, so nobody looks twice for the home of a fact.

Laws: a part sends each fact that its rules derive to all other parts that need it, once. A fact that it received is not
sent again, because whoever derived it has sent it everywhere. Over all parts, each fact is news once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Rows
from kgreason.engine.engine import Engine
from kgreason.functions.registry import Registry
from kgreason.spark.rounds.operators import PartOperators
from kgreason.spark.rounds.plan import (
    ASSERTED,
    FIRST,
    FLAG,
    HOME,
    NEWS,
    NOTED,
    TABLE,
    FactColumns,
    PartsPlan,
    Sent,
    sample,
)
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import INFERRED, Int32, Int64

_NOTHING = np.empty((0, 0), dtype=np.int32), np.empty(0, dtype=np.int32)


class EnginePart:
    """The part number `number` of a plan. One thread at a time."""

    def __init__(self, plan: PartsPlan, number: int, dictionary: Dictionary, registry: Registry) -> None:
        self._plan, self._number = plan, number
        self._engine = engine = Engine(plan.quiet, threads=1)
        for is_triple, width in plan.tables:
            engine.table(is_triple, width)
        self._operators = PartOperators(plan, number, engine, dictionary, registry) if plan.operators.keys else None
        self._needs: list[Int32] = []
        self._looked_at = 0
        engine.begin()

    def __len__(self) -> int:
        """Return the number of facts."""
        return len(self._engine)

    def receive(self, rows: Int32) -> Sent:
        """Take facts, int32[n, 2 + w], and evaluate. Returns what others need, and the news, without hidden facts."""
        ends = (FIRST + width for _, width in self._plan.tables)
        facts = {n: some for n, end in enumerate(ends) if len(some := rows[rows[:, TABLE] == n, FIRST:end])}
        rows = rows if self._engine.work is None else rows[self._numbers(rows) < 0]
        inferred = self._rows(*self._evaluate(facts))
        self._note_needs(rows)
        self._note_needs(inferred)
        derived, parts = self._plan.sent(FactColumns(inferred))
        away = parts != self._number
        news = np.concatenate([self._each_once(rows[self._are_news(rows)]), derived[~away & self._are_news(derived)]])
        places = np.where(self._plan.notes(FactColumns(news)).any(axis=1), NOTED, NEWS)
        return Sent(np.concatenate([derived[away], news]), np.concatenate([parts[away], places]))

    def _numbers(self, rows: Int32) -> Int32:
        """Return the number of the engine's row for each fact, or -1: int32[n]."""
        facts = self._engine.facts
        return facts.find(facts.pad(rows[:, FIRST:]))

    def _each_once(self, rows: Int32) -> Int32:
        """Return facts that the engine has, and whose home is here, each once; asserted if one of its rows is."""
        numbers, order = self._numbers(rows), np.arange(len(rows), dtype=np.int32)
        lasts = np.zeros(1 + numbers.max(initial=0), dtype=np.int32)
        are_asserted = np.zeros(len(lasts), dtype=np.bool_)
        lasts[numbers] = order
        are_asserted[numbers[rows[:, FLAG] & ASSERTED > 0]] = True
        some = np.flatnonzero(lasts[numbers] == order)
        found: Int32 = rows[some]
        found[:, FLAG] = np.where(are_asserted[numbers[some]], ASSERTED | HOME, HOME)
        return found

    def _are_news(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each fact that is new here whether its home is here, and users may see it: bool[n]."""
        hidden = np.fromiter(self._plan.hidden, np.int32)
        is_news: NDArray[np.bool_] = (rows[:, FLAG] & HOME > 0) & ~np.isin(rows[:, FIRST], hidden)
        return is_news

    def alike(self) -> Int64:
        """Return the counts of values that too many facts of this part have in a place, as `PartsPlan.counts` does.

        Values that are divided are left out. Cost: a pass over all facts, after they have grown by a quarter.
        """
        plan, is_small = self._plan, len(self) <= max(self._plan.most, self._looked_at * 5 // 4)
        if plan.parts == 1 or is_small:
            return plan.counts(self._rows(*_NOTHING), 1)
        self._looked_at = len(self)
        facts, least = self._engine.facts, plan.most + 1
        rows = facts.present_rows()
        some, step = sample(len(rows), least)
        counts = plan.counts(self._rows(*facts.columns(rows[some])), least, step)
        return counts[~np.isin(counts[:, 2], [hot.value for hot in plan.hot])]

    def _evaluate(self, facts: Rows) -> tuple[Int32, Int32]:
        """Assert facts. Returns the facts that rules derived from them: columns int32[n, w] and tables int32[n]."""
        engine = self._engine
        if engine.work is None:
            engine.apply(facts, added=(*self._plan.rules, *([] if self._number else self._plan.first)))
            return engine.facts.inferred()
        place = engine.place()
        engine.apply(facts, strategy="update")
        new = engine.new_facts(place)
        is_inferred = new.after == INFERRED
        return new.rows[is_inferred], new.tables[is_inferred]

    def decide(self, level: int, before: int) -> Int32:
        """Return the facts that operators assert so that strata up to `level` are decided (`PartOperators.decide`)."""
        return self._operators.decide(level, before) if self._operators else self._rows(*_NOTHING)

    def needs(self) -> Int32:
        """Return the ids of terms whose texts operators need: int32[n]. They are of facts since `drop_needs`."""
        return np.concatenate([np.empty(0, dtype=np.int32), *self._needs])

    def drop_needs(self) -> None:
        """Note that the texts of all `needs` are known."""
        self._needs = []

    def _note_needs(self, new: Int32) -> None:
        columns = FactColumns(new)
        for form in self._plan.operators.reads:
            found = new[form.matches(columns)]
            if form.column is not None:
                found = found[self._plan.parts_by(found[:, FIRST + max(0, form.column)], form.column) == self._number]
            self._needs.append(np.unique(found[:, FIRST:]))

    def _rows(self, columns: Int32, tables: Int32) -> Int32:
        rows = np.zeros((len(columns), FIRST + self._plan.width), dtype=np.int32)
        rows[:, TABLE] = tables
        rows[:, FIRST : FIRST + columns.shape[1]] = columns
        return rows
