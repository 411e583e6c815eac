"""`Aggregations`: asserts one value for each group of each aggregate of a rule, stratum by stratum (rules/lowering.py).

An aggregate is decided when all facts that it reads are final (rules/strata.py). Then the groups whose rows changed get
new values: the fact `value(group, old)` is retracted and `value(group, new)` is asserted.

*Recursion.* Aggregates MIN that need each other's values are decided in rounds. So are aggregates MAX that need each
other's values (rules/strata.py). Each round looks at the groups whose rows changed in the round before. If a group has
a better value now, this value replaces the old one, and everything that followed from the old value goes. This is right
as long as no other fact goes. If another fact goes, old values may support each other in a circle: each row of a group
still has a derivation, but only from values of the circle. So the values of a recursion are all retracted first, if a
fact that the recursion reads has gone, if rules have changed, or if the commit changed which terms are equal. The
rounds then begin with the facts that hold without these values.

Invariant after the last stratum: `value(group, n)` is a fact exactly if the rows of the group have the value n. The
only other state is an index, which may hold too many rows (`groups`).

Cost: COUNT reads the changed rows alone; the other aggregates read all rows of the groups in which rows changed. A
commit that changes representatives looks at all facts once for each aggregate. So does the first commit after a store
is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Changes, Engine, Place
from kgreason.errors import LimitError, StratificationError
from kgreason.materialize.edit import NO_FACTS, Facts, together
from kgreason.materialize.interest import Pattern
from kgreason.materialize.operators.functions import Rounds
from kgreason.materialize.operators.groups import Grouped
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.operators.tables import Table, table_of, unique
from kgreason.materialize.operators.values import counts, values_of
from kgreason.rules.formatter import format_aggregate
from kgreason.rules.lowering import Aggregation
from kgreason.rules.strata import Level
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, Int32

Check = Callable[[], object]
_NONE = np.empty(0, dtype=np.int32)
_MOST_TURNS = 1_000
"""How often in a commit values may change after they were decided, because names of individuals change meanwhile."""


class _Operator(NamedTuple):
    """An aggregate of rules, and what is needed to compute its values.

    - `level`: the stratum in which the aggregate is decided, and the number of its recursion.
    - `each`: the rows that are aggregated, by group.
    - `value`: the facts `value(group, n)`, by group.
    - `reads`: the tables of the facts that the recursion of the aggregate reads.
    """

    aggregation: Aggregation
    level: Level
    each: Grouped
    value: Grouped
    reads: tuple[Table, ...]

    @property
    def label(self) -> str:
        """The aggregate as text, as rules write it."""
        return format_aggregate(self.aggregation.aggregate, {})


class Aggregations:
    """Computes the aggregates of the rules in force. One thread at a time: the caller holds the graph's lock."""

    def __init__(self, engine: Engine, dictionary: Dictionary, individuals: Individuals, shared: Rounds) -> None:
        self._engine, self._dictionary, self._individuals = engine, dictionary, individuals
        self._shared = shared
        self._operators: tuple[_Operator, ...] = ()
        self._leaving: tuple[_Operator, ...] = ()
        self._before: tuple[_Operator, ...] = ()
        self._new: set[Aggregation] = set()
        """The aggregates that had no values before the commit."""
        self._unread: set[Aggregation] = set()
        """The aggregates of `_new` that have not been decided since the last `restart`.

        All their groups are looked at: a fact that has left in the commit and come back is no change of the commit."""
        self._begun: set[int] = set()
        """The recursions whose rounds have begun since the last `restart`."""
        self._is_edited = False
        """Whether rules have changed in the open commit."""
        self._place: Place | None = None
        self._rounds = 0
        self._turns = 0
        self.are_any = False
        """Whether a rule in force has an aggregate, or a rule had one before the open commit."""

    def follow(self, levels: Mapping[Aggregation, Level]) -> None:
        """Replace the aggregates by those of the rules that are in force now.

        `levels`: each aggregate with its stratum. The values of aggregates that no rule has any more are retracted at
        the first stratum.
        """
        known = {operator.aggregation: operator for operator in (*self._before, *self._operators)}
        left = {operator.aggregation for operator in self._leaving}
        new = {each for each in levels if each not in known or each in left}
        self._new |= new
        self._unread |= new
        self._operators = tuple(self._operator(each, level, known.get(each)) for each, level in levels.items())
        self._is_edited = True
        gone = {operator.aggregation: operator for operator in (*known.values(), *self._leaving)}
        self._leaving = tuple(operator for each, operator in gone.items() if each not in levels)
        self.are_any = bool(self._operators or self._leaving)

    def patterns(self) -> list[Pattern]:
        """Return patterns that match all facts that are aggregated, all values, and all that recursions read."""
        return [table for each in self._operators for table in (each.each.table, each.value.table, *each.reads)]

    def accept(self) -> None:
        """Make the changes of the commit final."""
        for operator in self._operators:
            operator.each.accept()
            operator.value.accept()
        self._before = self._operators
        self._end()

    def rollback(self) -> None:
        """Forget the changes of the commit."""
        self._operators = self._before
        for operator in self._operators:
            operator.each.rollback()
            operator.value.rollback()
        self._end()

    def _end(self) -> None:
        self._leaving, self.are_any, self._place = (), bool(self._operators), None
        self._rounds = self._turns = 0
        self._is_edited = False
        self._new.clear()
        self._unread.clear()
        self._begun.clear()

    def restart(self) -> None:
        """Begin the rounds of recursions again, because facts were edited or rules have changed."""
        self._begun.clear()
        self._unread |= self._new

    def last(self) -> int:
        """Return the number of the last stratum that has an aggregate."""
        return max((operator.level.level for operator in self._operators), default=int(bool(self._leaving)))

    def wanted(self, changes: Changes, level: int, before: int, check: Check) -> Facts:
        """Return the values to assert and to retract so that the aggregates up to stratum `level` are decided.

        `changes`: the changes of the commit so far. `before`: the last stratum that was decided already. Raises
        StratificationError if the facts make the rules circular: a group has changed after its value was decided.
        """
        found = [self._retracted(operator) for operator in self._leaving] if level else []
        moved = self._individuals.moved(changes)
        reached = [operator for operator in self._operators if operator.level.level <= level]
        emptied, is_again = self._emptied(reached, changes, is_moved=bool(len(moved))), False
        for operator in reached:
            for part in (operator.each, operator.value):
                part.take(changes.rows, changes.tables)
            if operator.level.recursion in emptied:
                found.append(self._retracted(operator))
                continue
            groups = self._touched(operator, changes, moved)
            facts = self._compared(operator, groups, changes, check, is_moved=bool(len(moved)))
            if operator.level.level <= before and not operator.level.recursion and any(facts):
                is_again = True
                if not len(moved) or self._turns > _MOST_TURNS:
                    raise StratificationError(self._circular(operator, facts))
            self._unread.discard(operator.aggregation)
            found.append(facts)
        self._turns += is_again
        self._place = self._engine.place()
        return together(found)

    def improved(self, check: Check) -> Facts:
        """Return the values of recursions to assert and to retract after a round.

        Nothing is returned if the rounds have not begun, or have ended. Raises LimitError if there are more rounds than
        the limits allow.
        """
        if not self._begun or self._place is None:
            return NO_FACTS
        rows, tables, self._place = self._engine.touched(self._place)
        found = []
        for operator in self._operators:
            if operator.level.recursion in self._begun:
                for part in (operator.each, operator.value):
                    part.take_more(rows, tables)
                groups = unique([operator.each.groups(rows, tables)])
                changes = self._engine.changes() if self._individuals.are_any_equal() else None
                found.append(self._compared(operator, groups, changes, check, is_moved=True))
        facts = together(found)
        if any(facts):
            self._rounds += 1
            if self._rounds > self._shared.limits.rounds:
                first = next(operator for operator in self._operators if operator.level.recursion in self._begun)
                raise LimitError(
                    f"{first.label}: the recursion has found new values {self._shared.limits.rounds:,} times in one "
                    "commit; does the recursion end? It ends if each step makes the value larger for MIN, or smaller "
                    "for MAX: a step makes a path longer, for example. If the recursion does end, pass a larger "
                    "most_rounds= to KnowledgeGraph.open"
                )
        return facts

    def _emptied(self, reached: Iterable[_Operator], changes: Changes, *, is_moved: bool) -> set[int]:
        """Return the numbers of the recursions that begin now and whose values must all be retracted first.

        The docstring of the module says when and why. `reached`: the aggregates of the strata that may be decided.
        `is_moved`: whether the commit has changed which terms are equal.
        """
        gone = (changes.before != ABSENT) & (changes.after == ABSENT)
        rows, tables = changes.rows[gone], changes.tables[gone]
        begins = [each for each in reached if each.level.recursion and each.level.recursion not in self._begun]
        self._begun |= {each.level.recursion for each in begins}
        is_lost = is_moved or self._is_edited
        lost = {
            each.level.recursion
            for each in begins
            if is_lost or any(len(table.places(rows, tables)) for table in each.reads)
        }
        return {each.level.recursion for each in begins if each.level.recursion in lost and len(each.value.all())}

    def _retracted(self, operator: _Operator) -> Facts:
        """Return `Facts` that retract all values of an aggregate."""
        keys = operator.value.all()
        return Facts({}, {operator.value.table.number: operator.value.table.rows(keys)} if len(keys) else {})

    def _touched(self, operator: _Operator, changes: Changes, moved: Int32) -> Int32:
        """Return the groups whose values may have changed: int32[n, w].

        `moved`: the terms that have become equal to other terms in this commit, or different from them.
        """
        parts = [part.groups(changes.rows, changes.tables) for part in (operator.each, operator.value)]
        if operator.aggregation in self._unread:
            parts.append(operator.each.in_groups(operator.each.all()))
        elif len(moved):
            for part in (operator.each, operator.value):
                keys = part.all()
                parts.append(part.in_groups(keys[np.isin(keys, moved).any(axis=1)]))
        return unique(parts)

    def _compared(
        self, operator: _Operator, groups: Int32, changes: Changes | None, check: Check, *, is_moved: bool
    ) -> Facts:
        """Compute the values of `groups`, int32[n, w]. Returns the values to assert and the old values to retract.

        `changes`: the changes of the commit; None if no terms are equal. `is_moved`: whether the commit changed which
        terms are equal.
        """
        if not len(groups):
            return NO_FACTS
        numbers, old = operator.value.of(groups)
        if operator.aggregation.aggregate.function != "COUNT" or is_moved or operator.aggregation in self._new:
            places, values = self._values(operator, groups, changes, check)
        else:
            assert changes is not None
            places, values = self._counted(operator, groups, (numbers, old), changes)
        wanted = np.full(len(groups), -1, dtype=np.int32)
        wanted[places] = values
        is_right = old[:, -1] == wanted[numbers]
        wanted[numbers[is_right]] = -1
        missing = np.flatnonzero(wanted >= 0)
        table = operator.value.table
        added, removed = np.column_stack([groups[missing], wanted[missing]]), old[~is_right]
        return Facts.of({table.number: table.rows(added)}, {table.number: table.rows(removed)})

    def _values(
        self, operator: _Operator, groups: Int32, changes: Changes | None, check: Check
    ) -> tuple[NDArray[np.int64], Int32]:
        """Compute the values of `groups` from all their rows.

        Returns for each group with a value its place in `groups`, and the id of the value.
        """
        numbers, keys = operator.each.of(groups)
        kept = ~self._are_replaced(keys, changes)
        aggregate = operator.aggregation.aggregate
        place = operator.aggregation.keys.index(aggregate.argument) if aggregate.argument else 0
        terms = keys[kept, place] if keys.shape[1] else np.zeros(int(kept.sum()), dtype=np.int32)
        return values_of(aggregate, numbers[kept], terms, self._dictionary, check)

    def _counted(
        self, operator: _Operator, groups: Int32, present: tuple[NDArray[np.int64], Int32], changes: Changes
    ) -> tuple[NDArray[np.int64], Int32]:
        """Count the rows of `groups`. Returns for each group with rows its place in `groups`, and the id of the count.

        A count is the count before the commit, plus the rows that came, minus the rows that went. `present`: the groups
        that have a count now: their places in `groups`, and rows whose last column is the id of the count.
        """
        totals = np.zeros(len(groups), dtype=np.int64)
        numbers, old = present
        totals[numbers] = self._integers(old[:, -1])
        said = operator.value.table.matching(changes.rows, changes.tables)
        if len(said):
            where = operator.value.numbers(groups, said)
            before = (changes.before != ABSENT)[operator.value.table.places(changes.rows, changes.tables)]
            totals[where] = 0
            totals[where[before]] = self._integers(said[before, -1])
        keys = operator.each.table.matching(changes.rows, changes.tables)
        places = operator.each.table.places(changes.rows, changes.tables)
        signs = (changes.after != ABSENT)[places].astype(np.int64) - (changes.before != ABSENT)[places]
        signs[self._are_replaced(keys, changes)] = 0
        np.add.at(totals, operator.each.numbers(groups, keys), signs)
        found = np.flatnonzero(totals)
        return found, counts(totals[found], self._dictionary)

    def _integers(self, ids: Int32) -> NDArray[np.int64]:
        different, places = np.unique(ids, return_inverse=True)
        numbers = [int(text[1 : text.index('"', 1)]) for text in self._dictionary.decode(different)]
        return np.array(numbers, dtype=np.int64)[places]

    def _are_replaced(self, keys: Int32, changes: Changes | None) -> NDArray[np.bool_]:
        """Return for each row of `keys` whether another, equal term represents one of its terms: bool[n].

        `changes` is None if no terms are equal.
        """
        return np.zeros(len(keys), dtype=np.bool_) if changes is None else self._individuals.are_others(keys, changes)

    def _circular(self, operator: _Operator, facts: Facts) -> str:
        rows = next(rows for part in facts for rows in part.values() if len(rows))
        texts = self._dictionary.decode(rows[0][rows[0] > 0])[1:-1]
        of = f" for {', '.join(texts)}" if texts else ""
        return f"the facts make the rules circular: {operator.label} was decided{of}, and then its atoms changed"

    def _operator(self, aggregation: Aggregation, level: Level, known: _Operator | None) -> _Operator:
        common = self._engine, self._dictionary
        reads = tuple(table_of(atom, tuple(atom.variables()), *common) for atom in level.reads)
        if known:
            return known._replace(level=level, reads=reads)
        width = len(aggregation.aggregate.group)
        each, value = (
            Grouped(table_of(atom, keys, *common), width, self._engine)
            for atom, keys in (
                (aggregation.each, aggregation.keys),
                (aggregation.value, aggregation.value.terms),
            )
        )
        return _Operator(aggregation, level, each, value, reads)
