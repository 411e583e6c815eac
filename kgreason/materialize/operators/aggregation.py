"""`Aggregations`: when the aggregates of rules get their values in a commit (rules/lowering.py).

Each aggregate has one value for each group, a fact `value(group, n)`. `group_values` says which value a group has, from
the facts of `each`, the rows that are aggregated. This module says when. In a commit, each step below belongs to a
method; a step that has nothing to do is left out.

    1 `follow`     rules have changed: aggregates come, and those without a rule are about to leave
    2              the engine runs the rules
    3 `restart`    after the first run: no recursion has begun in this commit
    4 `due_facts`     for each stratum, lowest first. The values of leaving aggregates are retracted. For each aggregate
                   up to this stratum, the groups whose rows changed are compared: an old value goes, a new one comes.
                   If an aggregate of a lower stratum changes here, the facts make the rules circular: an error
    5 `due_facts`     an aggregate of a recursion comes to its turn: the recursion begins. If old values could support
                   each other, all values of the recursion are retracted instead of compared
    6 `better_values`   after each run, a round of the recursions that have begun, until no value changes
    7 `accept`     the indexes take over the facts that came; `rollback` forgets them, and the aggregates of step 1

Steps 2 and 4 to 6 repeat until no stratum has facts to assert or to retract.

*Recursion.* Aggregates MIN that need each other's values are decided in rounds. So are aggregates MAX that need each
other's values (rules/strata.py). Each round looks at the groups whose rows changed in the round before. If a group has
a better value now, this value replaces the old one, and everything that followed from the old value goes. This is right
as long as no other fact goes. If another fact goes, old values may support each other in a circle: each row of a group
still has a derivation, but only from values of the circle. So the values of a recursion are all retracted first, if a
fact that the recursion reads has gone, if rules have changed, or if the commit changed which terms are equal. The
rounds then begin with the facts that hold without these values.

*Example.* `far(?x, ?n) :- AGGREGATE(way(?x, ?d) ON ?x BIND MIN(?d) AS ?n) .` and
`way(?y, ?n + ?l) :- far(?x, ?n), edge(?x, ?y, ?l) .` The facts are `way(a, 0)`, `edge(a, b, 5)`, `edge(b, c, 1)`.

    commit                          step   rows of each (`way`)        values (`far`)
    1. add the rules and the facts  4, 5   a 0                         a 0
                                    6      a 0, b 5                    a 0, b 5
                                    6      a 0, b 5, c 6               a 0, b 5, c 6
    2. add edge(a, c, 2)            4, 5   a 0, b 5, c 2 and 6         a 0, b 5, c 2: the value 6 goes
    3. add edge(c, b, 1)            4, 5   a 0, b 5 and 3, c 2 and 6   a 0, b 3, c 2: the value 5 goes
                                    6      a 0, b 5 and 3, c 2 and 4   the same: no round changes a value
    4. remove edge(a, c, 2)         5      a 0                         none: an edge has gone, so all are retracted
                                    4      a 0                         a 0
                                    6      a 0, b 5                    a 0, b 5
                                    6      a 0, b 5, c 6               a 0, b 5, c 6
                                    6      a 0, b 5 and 7, c 6         the same

Commit 4 retracts all values because of the circle: the row `b 3` comes from the value of `c`, and the row `c 4` from
the value of `b`.

Invariant after the last stratum: `value(group, n)` is a fact exactly if the rows of the group have the value n. The
only other state is an index, which may hold too many rows (`groups`). Cost: that of `group_values` for the groups that
steps 4 and 6 look at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache

import numpy as np

from kgreason.engine.changes import Changes, Place
from kgreason.engine.engine import Engine
from kgreason.errors import LimitError, StratificationError
from kgreason.functions.registry import Registry
from kgreason.materialize.edit import NO_FACTS, Facts, merge_facts
from kgreason.materialize.interest import Pattern
from kgreason.materialize.operators.functions import Rounds
from kgreason.materialize.operators.group_values import Grouping, GroupValues
from kgreason.materialize.operators.groups import FactsByGroup
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.operators.tables import FactIndex, IsHere, Marks, always_here, marks, tables_of, unique_rows
from kgreason.rules.lowering import Aggregation
from kgreason.rules.strata import Level
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, Int32

Check = Callable[[], object]
_NONE = np.empty(0, dtype=np.int32)
_MOST_TURNS = 1_000
"""How often in a commit values may change after they were decided, because names of individuals change meanwhile."""


class Aggregations:
    """Computes the aggregates of the rules in force. One thread at a time: the caller holds the graph's lock."""

    def __init__(
        self,
        engine: Engine,
        dictionary: Dictionary,
        individuals: Individuals,
        shared: Rounds,
        registry: Registry,
        is_here: IsHere = always_here,
    ) -> None:
        self._engine, self._dictionary, self._individuals = engine, dictionary, individuals
        self._shared, self._is_here = shared, is_here
        self._values = GroupValues(dictionary, individuals, registry)
        self._operators: tuple[Grouping, ...] = ()
        self._leaving: tuple[Grouping, ...] = ()
        self._before: tuple[Grouping, ...] = ()
        self._new: set[Aggregation] = set()
        """The aggregates that had no values before the commit."""
        self._unread: set[Aggregation] = set()
        """The aggregates of `_new` that have not been decided since the last `restart`.

        All their groups are looked at: a fact that has left in the commit and come back is no change of the commit."""
        self._taken: dict[Aggregation, Grouping] = {}
        """The aggregates whose rows the open commit has looked at."""
        self._by_mark: defaultdict[tuple[int, int, int], set[Aggregation]] | None = None
        """The aggregates by what the rows of their tables have (`Table.mark`); None after a change of rules."""
        self._begun: set[int] = set()
        """The recursions whose rounds have begun since the last `restart`."""
        self._is_edited = False
        """Whether rules have changed in the open commit."""
        self._place: Place | None = None
        """The state of the open commit after the last round."""
        self._decided: Place | None = None
        """The state of the open commit in which a stratum was decided last."""
        self._rounds = 0
        self._turns = 0
        self.are_any = False
        """Whether a rule in force has an aggregate, or a rule had one before or during the open commit."""

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
        self._operators = tuple(self._grouping(each, level, known.get(each)) for each, level in levels.items())
        self._is_edited, self._by_mark = True, None
        gone = {operator.aggregation: operator for operator in (*known.values(), *self._leaving)}
        self._leaving = tuple(operator for each, operator in gone.items() if each not in levels)
        self.are_any |= bool(self._operators)

    def patterns(self) -> list[Pattern]:
        """Return patterns that match all facts that are aggregated, all values, and all that recursions read."""
        return [table for each in self._operators for table in (each.each.table, each.value.table, *each.reads)]

    def finish(self) -> None:
        """End the evaluation of a commit. Raises RuleError if a Python function has failed for a group as it is now."""
        self._values.finish()

    def accept(self) -> None:
        """Make the changes of the commit final."""
        for operator in self._taken.values():
            operator.each.accept()
            operator.value.accept()
        self._before = self._operators
        self._end()

    def rollback(self) -> None:
        """Forget the changes of the commit."""
        self._operators = self._before
        for operator in self._taken.values():
            operator.each.rollback()
            operator.value.rollback()
        self._by_mark = None
        self._end()

    def _end(self) -> None:
        self._leaving, self.are_any, self._place, self._decided = (), bool(self._operators), None, None
        self._values.forget_all()
        self._rounds = self._turns = 0
        self._is_edited = False
        self._taken.clear()
        self._new.clear()
        self._unread.clear()
        self._begun.clear()

    def restart(self) -> None:
        """Begin the rounds of recursions again, because facts were edited or rules have changed."""
        self._begun.clear()
        self._unread |= self._new

    def last_stratum(self) -> int:
        """Return the number of the last stratum that has an aggregate."""
        return max((operator.level.level for operator in self._operators), default=int(bool(self._leaving)))

    def due_facts(self, changes: Changes, level: int, before: int, check: Check) -> Facts:
        """Return the values to assert and to retract so that the aggregates up to stratum `level` are decided.

        `changes`: the changes of the commit so far. `before`: the last stratum that was decided already. Raises
        StratificationError if the facts make the rules circular: a group has changed after its value was decided.
        """
        reached = [operator for operator in self._operators if operator.level.level <= level]
        if not reached and not self._leaving:
            self._place = self._decided = self._engine.place()
            return NO_FACTS
        every = self._reader_of_all_facts()
        found = [self._retraction(operator, every()) for operator in self._leaving] if level else []
        moved = self._individuals.moved_terms(changes)
        register = FactIndex(changes.rows, changes.tables)
        emptied, is_again = self._recursions_to_empty(reached, changes, every, is_moved=bool(len(moved))), False
        seen = None if len(moved) else marks(changes.rows, changes.tables)
        later = None if len(moved) else self._later_changes()
        for operator in self._touched_aggregates(reached, seen, emptied):
            is_emptied = operator.level.recursion in emptied
            self._taken[operator.aggregation] = operator
            if later and operator.level.level <= before and self._is_settled(operator, later):
                for part in (operator.each, operator.value):
                    part.note_more_changes(later)
                continue
            for part in (operator.each, operator.value):
                part.note_changes(register)
            if is_emptied:
                found.append(self._retraction(operator, every()))
                continue
            is_unread = operator.aggregation in self._unread
            groups = self._groups_to_compare(operator, register, moved, every)
            is_right = not len(moved) and operator.aggregation not in self._new
            facts = self._values.corrections(
                operator,
                groups,
                changes,
                check,
                register if is_right else None,
                every() if is_unread and self._is_here is always_here else None,
            )
            if operator.level.level <= before and not operator.level.recursion and any(facts):
                is_again = True
                if not len(moved) or self._turns > _MOST_TURNS:
                    raise StratificationError(self._circle_message(operator, facts))
            self._unread.discard(operator.aggregation)
            found.append(facts)
        self._turns += is_again
        self._place = self._decided = self._engine.place()
        return merge_facts(found)

    def better_values(self, check: Check) -> Facts:
        """Return the values of recursions to assert and to retract after a round.

        Nothing is returned if the rounds have not begun, or have ended. Raises LimitError if there are more rounds than
        the limits allow.
        """
        if not self._begun or self._place is None:
            return NO_FACTS
        rows, tables, self._place = self._engine.changed_facts(self._place)
        found, register = [], FactIndex(rows, tables)
        for operator in self._operators:
            if operator.level.recursion in self._begun:
                self._taken[operator.aggregation] = operator
                for part in (operator.each, operator.value):
                    part.note_more_changes(register)
                groups = unique_rows([operator.each.groups(register)])
                groups = groups[self._is_here(operator.aggregation, groups)]
                changes = self._engine.changes() if self._individuals.has_equal_terms() else None
                found.append(self._values.corrections(operator, groups, changes, check))
        facts = merge_facts(found)
        if any(facts):
            self._rounds += 1
            if self._rounds > self._shared.limits.rounds:
                first = next(operator for operator in self._operators if operator.level.recursion in self._begun)
                raise LimitError(
                    f"{first.label}: the recursion has found new values {self._shared.limits.rounds:,} times in one "
                    "commit; does the recursion end? It ends if each step makes the value larger for MIN, or smaller "
                    "for MAX: a step makes a path longer, for example. If the recursion does end, pass a larger "
                    "most_rounds="
                )
        return facts

    def _reader_of_all_facts(self) -> Callable[[], FactIndex]:
        """Return what gives all facts as they are now. The first call passes over all facts."""

        @cache
        def every() -> FactIndex:
            return FactIndex(*self._engine.facts.contents()[:2])

        return every

    def _later_changes(self) -> FactIndex | None:
        """Return the facts that changed since aggregates were decided last in the open commit, and maybe more.

        Returns None if this cannot be told.
        """
        if self._decided is None or self._decided.generation != self._engine.generation:
            return None
        return FactIndex(*self._engine.queued_facts(self._decided))

    def _is_settled(self, operator: Grouping, later: FactIndex) -> bool:
        """Whether an aggregate that was decided in the open commit needs no further look.

        `later`: the facts that changed since then.
        """
        if operator.level.recursion or operator.aggregation in self._unread:
            return False
        is_failed = bool(self._values.failed_groups(operator.aggregation))
        return not is_failed and not len(operator.each.table.places(later))

    def _recursions_to_empty(
        self, reached: Iterable[Grouping], changes: Changes, every: Callable[[], FactIndex], *, is_moved: bool
    ) -> set[int]:
        """Return the numbers of the recursions that begin now and whose values must all be retracted first.

        The docstring of the module says when and why. `reached`: the aggregates of the strata that may be decided.
        `every` gives all facts. `is_moved`: whether the commit has changed which terms are equal.
        """
        begins = [each for each in reached if each.level.recursion and each.level.recursion not in self._begun]
        if not begins:
            return set()
        gone = (changes.before != ABSENT) & (changes.after == ABSENT)
        register = FactIndex(changes.rows[gone], changes.tables[gone])
        self._begun |= {each.level.recursion for each in begins}
        if self._is_here is not always_here:
            return set()  # engines of parts lose no facts: they are made anew (`spark/rounds/operators`)
        is_lost = is_moved or self._is_edited
        lost = {
            each.level.recursion
            for each in begins
            if is_lost or any(len(table.places(register)) for table in each.reads)
        }
        emptied = [each for each in begins if each.level.recursion in lost]
        return {each.level.recursion for each in emptied if len(each.value.table.places(every()))}

    def _retraction(self, operator: Grouping, every: FactIndex) -> Facts:
        """Return `Facts` that retract all values of an aggregate. `every`: all facts."""
        self._values.forget(operator.aggregation)
        keys = operator.value.table.matching_keys(every)
        return Facts({}, {operator.value.table.number: operator.value.table.rows_with_keys(keys)} if len(keys) else {})

    def _touched_aggregates(
        self, reached: Sequence[Grouping], seen: Marks, emptied: Collection[int]
    ) -> Sequence[Grouping]:
        """Return the aggregates of `reached` that the changes of the commit, whose marks are `seen`, may concern.

        `emptied`: the recursions whose values are all retracted now.
        """
        if seen is None:
            return reached
        if self._by_mark is None:
            self._by_mark = defaultdict(set)
            for operator in self._operators:
                for part in (operator.each, operator.value):
                    self._by_mark[part.table.mark].add(operator.aggregation)
        marked = set[Aggregation]().union(*(self._by_mark[mark] for mark in seen & self._by_mark.keys()))
        marked |= self._unread | self._values.failed_aggregates()
        return [each for each in reached if each.aggregation in marked or each.level.recursion in emptied]

    def _groups_to_compare(
        self, operator: Grouping, register: FactIndex, moved: Int32, every: Callable[[], FactIndex]
    ) -> Int32:
        """Return the groups whose values may have changed: int32[n, w].

        `register`: the changes of the commit. `moved`: the terms that have become equal to other terms in this commit,
        or different from them. `every` gives all facts.
        """
        both = operator.each, operator.value
        parts = [part.groups(register) for part in both]
        if failed := self._values.failed_groups(operator.aggregation):
            parts.append(np.array(failed, dtype=np.int32).reshape(len(failed), len(failed[0])))
        if operator.aggregation in self._unread:
            parts += [part.groups(every()) for part in both]
        elif len(moved):
            for part in both:
                keys = part.table.matching_keys(every())
                parts.append(part.groups_of_keys(keys[np.isin(keys, moved).any(axis=1)]))
        groups = unique_rows(parts)
        return groups[self._is_here(operator.aggregation, groups)]

    def _circle_message(self, operator: Grouping, facts: Facts) -> str:
        rows = next(rows for part in facts for rows in part.values() if len(rows))
        texts = self._dictionary.decode(rows[0][rows[0] > 0])[1:-1]
        of = f" for {', '.join(texts)}" if texts else ""
        return f"the facts make the rules circular: {operator.label} was decided{of}, and then its atoms changed"

    def _grouping(self, aggregation: Aggregation, level: Level, known: Grouping | None) -> Grouping:
        common = self._engine, self._dictionary
        reads = tuple([tables_of((atom,), tuple(atom.variables()), *common)[0] for atom in level.reads])
        if known:
            return known._replace(level=level, reads=reads)
        width = len(aggregation.aggregate.group)
        each, value = (
            FactsByGroup(tables_of((atom,), keys, *common)[0], width, self._engine)
            for atom, keys in (
                (aggregation.each, aggregation.keys),
                (aggregation.value, aggregation.value.terms),
            )
        )
        return Grouping(aggregation, level, each, value, reads)
