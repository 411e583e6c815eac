"""`Negations`: asserts the values for which a negated pattern has no match, stratum by stratum (rules/lowering.py).

    stratum 0   the rules are at their fixpoint, and equality and literals are settled
    stratum n   negations up to stratum n are decided: their facts are asserted or retracted, then rules run again
    end         at the last stratum, once no negation changes anything

When negations of stratum n are decided, the facts that they negate are final: only negations of lower strata could
change them (rules/strata.py). So each negation is decided once for each value. If rules ask for a value later, the
negation is decided for this value then.

Invariant after the last stratum: `none(keys)` is a fact exactly if `asks(keys)` is a fact and no fact matches the
pattern. So the facts are the perfect model of the program (Przymusinski, *On the Declarative Semantics of Deductive
Databases and Logic Programs*). The facts are the only state, so the rollback of the engine undoes everything.

Cost: one kernel call for all negations of a stratum (`engine/facts/matching.py`), with three look-ups for each changed
fact of `asks`, of `none` and of the negated relations. If a commit changes the representative of a term, each step of
the commit looks at all facts. If rules say NOT, each edit of the program computes all strata anew, with a look at all
rules.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes, Place
from kgreason.engine.engine import Engine
from kgreason.engine.facts.matching import (
    ASKS,
    LINE,
    LINE_TABLE,
    LINES,
    MADE,
    NONE,
    QUEUED,
    REFUTED,
    RETRACTED,
    TOUCHED,
    ChangedFacts,
    given_facts,
)
from kgreason.errors import StratificationError
from kgreason.materialize.edit import NO_FACTS, Facts, merge_facts
from kgreason.materialize.interest import Pattern
from kgreason.materialize.operators.tables import IsHere, Table, always_here, lines_of, tables_of
from kgreason.materialize.same_as.representatives import Equality
from kgreason.rules.formatter import format_not
from kgreason.rules.lowering import Negation
from kgreason.rules.model import Variable
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

_NONE = np.empty(0, dtype=np.int32)
_NO_TABLE = -1


class _Operator(NamedTuple):
    """A negation, its stratum (`level`), and the tables of its pattern and of its hidden relations."""

    negation: Negation
    level: int
    pattern: Table
    asks: Table
    none: Table


class Negations:
    """Decides the negations of the rules in force. One thread at a time: the caller holds the graph's lock."""

    def __init__(
        self,
        engine: Engine,
        dictionary: Dictionary,
        equality: Equality | None = None,
        is_here: IsHere = always_here,
    ) -> None:
        self._engine, self._dictionary, self._equality, self._is_here = engine, dictionary, equality, is_here
        self._operators: tuple[_Operator, ...] = ()
        self._leaving: tuple[_Operator, ...] = ()
        self._before: tuple[_Operator, ...] = ()
        self._ordered: Sequence[_Operator] = ()
        self._lines: Int32 | None = None
        """The lines of the negations `_ordered` for `matching.antijoin_results`; None after a change of rules."""
        self._later_lines: Int32 = np.empty((0, LINE), dtype=np.int32)
        """The same for facts that changed after the negations were decided: without the table of `none`, because only
        decisions change `none`."""
        self._place: Place | None = None
        """The state of the commit in which negations were decided last."""
        self.are_any = False
        """Whether a rule in force has a negation, or a rule had one before or during the open commit."""

    def follow(self, levels: Mapping[Negation, int]) -> None:
        """Replace the negations by those of the rules that are in force now. `levels`: each negation with its stratum.

        A negation that no rule has any more is kept until `accept`, because its facts must still be retracted.
        """
        known = {operator.negation: operator for operator in (*self._before, *self._operators)}
        self._operators = tuple(
            [
                known[negation]._replace(level=level) if negation in known else self._operator(negation, level)
                for negation, level in levels.items()
            ]
        )
        gone = (operator for operator in (*self._before, *self._leaving) if operator.negation not in levels)
        self._leaving = tuple({operator.negation: operator._replace(level=1) for operator in gone}.values())
        self._lines = None
        self.are_any |= bool(self._operators)

    def patterns(self) -> list[Pattern]:
        """Return patterns that match all facts of `asks` and `none`, and all facts that are negated."""
        return [table for each in self._operators for table in (each.pattern, each.asks, each.none)]

    def accept(self) -> None:
        """Make the change of rules final."""
        self._lines = None if self._leaving else self._lines
        self._before, self._leaving, self.are_any = self._operators, (), bool(self._operators)
        self._place = None

    def rollback(self) -> None:
        """Return to the rules that were in force at the last `accept`."""
        self._operators, self._leaving, self.are_any = self._before, (), bool(self._before)
        self._lines = None
        self._place = None

    def last_stratum(self) -> int:
        """Return the number of the last stratum that has a negation."""
        return max((operator.level for operator in (*self._operators, *self._leaving)), default=0)

    def due_facts(self, changes: Changes, level: int, before: int) -> Facts:
        """Return the facts to assert and to retract so that the negations up to stratum `level` are decided.

        `changes`: the changes of the commit so far. `before`: the last stratum that was decided already. Raises
        StratificationError if the facts make the rules circular: a fact was derived that a rule had found absent in
        this commit.
        """
        if self._lines is None:
            self._ordered = sorted((*self._operators, *self._leaving), key=lambda operator: operator.level)
            self._lines = self._lines_of_negations()
            self._later_lines = self._lines.copy()
            self._later_lines[NONE::LINES, LINE_TABLE] = _NO_TABLE
        levels = [operator.level for operator in self._ordered]
        was, now = bisect_right(levels, before), bisect_right(levels, level)
        if not now:
            return NO_FACTS
        place, found = self._engine.place(), list[Facts]()
        moved = self._equality.moved_terms(changes) if self._equality else _NONE
        every = self._with_asked(changes, moved) if len(moved) else self._all_changes(changes, place)
        if was and (len(moved) or place != self._place):
            since = every if len(moved) else self._changes_since(every, place)
            found.append(self._decide(0, was, since, changes, moved, was_decided=True))
        if was < now:
            found.append(self._decide(was, now, every, changes, moved, was_decided=False))
        self._place = place
        return merge_facts(found) if len(found) > 1 else found[0] if found else NO_FACTS

    def _all_changes(self, changes: Changes, place: Place) -> ChangedFacts:
        """Return the facts that the commit has changed so far. `place`: its present state."""
        return ChangedFacts(TOUCHED, 0, place.touched) if self._engine.has_only_updates else given_facts(*changes[:2])

    def _changes_since(self, every: ChangedFacts, now: Place) -> ChangedFacts:
        """Return the facts that may have changed since `due_facts` was called last. `now`: the commit's present state.

        `every`: the facts that the commit has changed.

        If a negation was already decided at that call, and no representative has changed, only these facts matter.
        """
        if self._place is None or self._place.generation != now.generation:
            return every
        return ChangedFacts(QUEUED, self._place.queued, now.queued)

    def _with_asked(self, changes: Changes, moved: Int32) -> ChangedFacts:
        """Return the changed facts, and the facts of `asks` that have a term of `moved`.

        `moved`: the terms whose representatives have changed. Cost: a pass over all facts.
        """
        assert self._lines is not None
        rows, tables, _ = self._engine.facts.contents()
        places = np.flatnonzero(np.isin(rows[:, 0], ~self._lines[ASKS::LINES, LINE]))
        places = places[np.isin(rows[places, 1:], moved).any(axis=1)]
        parts = (changes.rows, rows[places]), (changes.tables, tables[places])
        return given_facts(*map(np.concatenate, parts))

    def _decide(
        self, first: int, last: int, facts: ChangedFacts, changes: Changes, moved: Int32, *, was_decided: bool
    ) -> Facts:
        """Return the facts to assert and to retract so that negations are decided for the keys of changed facts.

        `first`, `last`: the numbers of the negations, without `last`. `facts`: the changed facts. `moved`: the terms
        whose representatives have changed. `was_decided`: whether the negations were decided before in this commit.
        """
        if facts.start == facts.end:
            return NO_FACTS
        assert self._lines is not None
        others = self._replaced_terms(facts, changes, moved) if self._equality else _NONE
        lines = self._later_lines if facts.source == QUEUED else self._lines
        found = self._engine.antijoin_results(lines, first, last, facts, others, was_decided=was_decided)
        if self._is_here is not always_here and len(found):
            found = found[self._are_decided_here(found)]
        if not len(found):
            return NO_FACTS
        becomes = found[:, 0]
        if (becomes == REFUTED).any():
            _, number, *row = min(found[becomes == REFUTED].tolist())
            raise StratificationError(self._circle_message(self._ordered[number], np.array([row], dtype=np.int32)))
        return Facts(*(self._by_table(found[becomes == each]) for each in (MADE, RETRACTED)))

    def _are_decided_here(self, found: Int32) -> NDArray[np.bool_]:
        """Return for each row that `matching.antijoin_results` found whether its key is decided here: bool[n]."""
        kept = np.zeros(len(found), dtype=np.bool_)
        for number in np.unique(found[:, 1]).tolist():
            operator, places = self._ordered[number], np.flatnonzero(found[:, 1] == number)
            rows = found[places, LINE : LINE + len(operator.none.keys)]
            kept[places] = self._is_here(operator.negation, operator.none.keys_of(rows))
        return kept

    def _replaced_terms(self, facts: ChangedFacts, changes: Changes, moved: Int32) -> Int32:
        """Return the terms of changed facts that another term represents after the commit so far, ascending."""
        assert self._equality is not None
        is_any = self._equality.cliques.live or len(moved)
        return self._equality.replaced_terms(self._engine.columns(facts), changes) if is_any else _NONE

    def _by_table(self, found: Int32) -> dict[int, Int32]:
        """Return the rows that `matching.antijoin_results` found, by table."""
        if not len(found):
            return {}
        assert self._lines is not None
        tables = self._tables[found[:, 1]]
        return {
            table: np.ascontiguousarray(found[tables == table, LINE : LINE + width])
            for table, width in self._widths.items()
            if table in tables
        }

    def _circle_message(self, operator: _Operator, row: Int32) -> str:
        """Return the message for a fact of `none`, the row int32[1, w], whose pattern has a match now."""
        names = (term for term in operator.negation.asks.terms if isinstance(term, Variable))
        texts = self._dictionary.decode(operator.none.keys_of(row[:, : len(operator.none.keys)])[0])
        values = ", ".join(f"{name} = {text}" for name, text in zip(names, texts, strict=True))
        said = format_not(operator.negation.negated, {})
        return (
            f"the facts make the rules circular: {said} was decided for {values}, and then the negated fact was derived"
        )

    def _lines_of_negations(self) -> Int32:
        """Return the lines of all negations for `matching.antijoin_results`, in the order of strata."""
        self._tables = np.array([each.none.number for each in self._ordered], dtype=np.int32)
        self._widths = {each.none.number: len(each.none.keys) for each in self._ordered}
        return lines_of([table for each in self._ordered for table in (each.pattern, each.asks, each.none)])

    def _operator(self, negation: Negation, level: int) -> _Operator:
        pattern, asks, none, _ = negation
        tables = tables_of((pattern, asks, none), asks.terms, self._engine, self._dictionary)
        return _Operator(negation, level, *tables)
