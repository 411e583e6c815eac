"""`GroupValues`: which values the groups of an aggregate get, from the rows of these groups.

    each(:a, 3), each(:a, 4), each(:b, 5)      the rows that are aggregated; the first columns are the group
    value(:a, 7), value(:b, 5)                 the values, for a SUM

`corrections` looks at some groups, and returns the values that are missing and those that are wrong. Law: afterwards
each of these groups has the value of its rows, and no other.

If a Python function fails for a group, the group has no value, and the commit goes on: more rows may come or go in it.
An error that is left at the end of the commit is raised (`finish`).

Cost: COUNT reads the changed rows alone; the other aggregates read all rows of the groups in which rows changed. A
commit that changes representatives looks at all facts once for each aggregate. So does the first commit after a store
is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes
from kgreason.errors import RuleError
from kgreason.functions.function import CallError, PythonFunction
from kgreason.functions.registry import HOW_TO_PASS, Registry
from kgreason.materialize.edit import NO_FACTS, Facts
from kgreason.materialize.operators.groups import FactsByGroup
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.operators.tables import FactIndex, Table
from kgreason.materialize.operators.values import Call, ids_of_counts, values_of
from kgreason.rules.expressions import AGGREGATES
from kgreason.rules.formatter import format_aggregate
from kgreason.rules.lowering import Aggregation
from kgreason.rules.strata import Level
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, Int32

Check = Callable[[], object]
_InGroups: TypeAlias = tuple[NDArray[np.int64], Int32]
"""Facts of some groups: for each the place of its group, int64[n], and its key, int32[n, k]."""


class _Outcome(NamedTuple):
    """A call of a Python function for the terms `texts`: the value, or None, and the error if the call failed."""

    texts: Sequence[str]
    value: str | None
    error: CallError | None


def _outcome(function: PythonFunction, texts: Sequence[str]) -> _Outcome:
    try:
        return _Outcome(texts, function.value(texts), None)
    except CallError as error:
        return _Outcome(texts, None, error)


class Grouping(NamedTuple):
    """An aggregate of rules, and what is needed to compute its values.

    - `level`: the stratum in which the aggregate is decided, and the number of its recursion.
    - `each`: the rows that are aggregated, by group.
    - `value`: the facts `value(group, n)`, by group.
    - `reads`: the tables of the facts that the recursion of the aggregate reads.
    """

    aggregation: Aggregation
    level: Level
    each: FactsByGroup
    value: FactsByGroup
    reads: tuple[Table, ...]

    @property
    def label(self) -> str:
        """The aggregate as text, as rules write it."""
        return format_aggregate(self.aggregation.aggregate, {})


class GroupValues:
    """Computes the values of groups. One thread at a time: the caller holds the graph's lock.

    It keeps only the last call of a Python function for each group that has been looked at in the open commit.
    """

    def __init__(self, dictionary: Dictionary, individuals: Individuals, registry: Registry) -> None:
        self._dictionary, self._individuals, self._registry = dictionary, individuals, registry
        self._calls: dict[Aggregation, dict[tuple[int, ...], _Outcome]] = {}

    def failed_groups(self, aggregation: Aggregation) -> list[tuple[int, ...]]:
        """Return the groups for which the function of an aggregate failed when it was called last in this commit."""
        return [key for key, outcome in self._calls.get(aggregation, {}).items() if outcome.error]

    def failed_aggregates(self) -> set[Aggregation]:
        """Return the aggregates whose function has failed for a group when it was called last in this commit."""
        return {each for each, calls in self._calls.items() if any(outcome.error for outcome in calls.values())}

    def forget(self, aggregation: Aggregation) -> None:
        """Forget the calls for an aggregate, because all its values are retracted."""
        self._calls.pop(aggregation, None)

    def forget_all(self) -> None:
        """Forget all calls, because the commit has ended."""
        self._calls.clear()

    def finish(self) -> None:
        """Raise RuleError if the function of an aggregate has failed for a group as it is at the end of the commit."""
        for aggregation, calls in self._calls.items():
            for _, _, error in calls.values():
                if error:
                    label = format_aggregate(aggregation.aggregate, {})
                    raise RuleError(f"{label}: {error}") from error.__cause__ or error

    def corrections(
        self,
        operator: Grouping,
        groups: Int32,
        changes: Changes | None,
        check: Check,
        register: FactIndex | None = None,
        every: FactIndex | None = None,
    ) -> Facts:
        """Compute the values of `groups`, int32[n, w]. Returns the values to assert and the old values to retract.

        `changes`: the changes of the commit; None if no terms are equal. `register`: the same changes, if the values
        before the commit were right, so that COUNT needs no other rows. `every`: all facts, if `groups` are all groups.
        """
        if not len(groups):
            return NO_FACTS
        present = operator.value.facts_of(groups) if every is None else operator.value.facts_among(groups, every)
        if operator.aggregation.aggregate.function == "COUNT" and register and changes:
            places, values = self._counts(operator, groups, present, changes, register)
        else:
            rows = operator.each.facts_of(groups) if every is None else operator.each.facts_among(groups, every)
            places, values = self._values(operator, groups, rows, changes, check)
        numbers, old = present
        wanted = np.full(len(groups), -1, dtype=np.int32)
        wanted[places] = values
        is_right = old[:, -1] == wanted[numbers]
        wanted[numbers[is_right]] = -1
        missing = np.flatnonzero(wanted >= 0)
        table = operator.value.table
        added, removed = np.column_stack([groups[missing], wanted[missing]]), old[~is_right]
        return Facts.of({table.number: table.rows_with_keys(added)}, {table.number: table.rows_with_keys(removed)})

    def _values(
        self, operator: Grouping, groups: Int32, rows: _InGroups, changes: Changes | None, check: Check
    ) -> tuple[NDArray[np.int64], Int32]:
        """Compute the values of `groups` from all their rows.

        Returns for each group with a value its place in `groups`, and the id of the value.
        """
        numbers, keys = rows
        kept = ~self._are_replaced(keys, changes)
        aggregate = operator.aggregation.aggregate
        place = operator.aggregation.keys.index(aggregate.argument) if aggregate.argument else 0
        terms = keys[kept, place] if keys.shape[1] else np.zeros(int(kept.sum()), dtype=np.int32)
        call = self._call(operator.aggregation, groups) if aggregate.function not in AGGREGATES else None
        return values_of(aggregate, numbers[kept], terms, self._dictionary, check, call)

    def _call(self, aggregation: Aggregation, groups: Int32) -> Call:
        """Return what calls the Python function of an aggregate, and forget its calls for the groups `groups`.

        The function is not called again in a commit for a group with the same terms. Raises RuleError if the function
        is missing.
        """
        name = aggregation.aggregate.function
        function = self._registry.get(name)
        if function is None:
            label = format_aggregate(aggregation.aggregate, {})
            raise RuleError(f"{label}: the function {name} is missing: {HOW_TO_PASS}")
        calls = self._calls.setdefault(aggregation, {})
        keys = list(map(tuple, groups.tolist()))
        before = {key: calls.pop(key) for key in keys if key in calls}

        def call(place: int, texts: Sequence[str]) -> str | None:
            outcome = before.get(keys[place])
            if outcome is None or outcome.texts != texts:
                outcome = _outcome(function, texts)
            calls[keys[place]] = outcome
            return outcome.value

        return call

    def _counts(
        self, operator: Grouping, groups: Int32, present: _InGroups, changes: Changes, register: FactIndex
    ) -> tuple[NDArray[np.int64], Int32]:
        """Count the rows of `groups`. Returns for each group with rows its place in `groups`, and the id of the count.

        A count is the count before the commit, plus the rows that came, minus the rows that went. `present`: the groups
        that have a count now: their places in `groups`, and rows whose last column is the id of the count. `register`
        has the rows of `changes`.
        """
        totals = np.zeros(len(groups), dtype=np.int64)
        numbers, old = present
        totals[numbers] = self._integers(old[:, -1])
        said = operator.value.table.matching_keys(register)
        if len(said):
            where = operator.value.group_places(groups, said)
            before = (changes.before != ABSENT)[operator.value.table.places(register)]
            totals[where] = 0
            totals[where[before]] = self._integers(said[before, -1])
        places = operator.each.table.places(register)
        keys = operator.each.table.keys_of(register.rows[places])
        signs = (changes.after != ABSENT)[places].astype(np.int64) - (changes.before != ABSENT)[places]
        signs[self._are_replaced(keys, changes)] = 0
        np.add.at(totals, operator.each.group_places(groups, keys), signs)
        found = np.flatnonzero(totals)
        return found, ids_of_counts(totals[found], self._dictionary)

    def _integers(self, ids: Int32) -> NDArray[np.int64]:
        different, places = np.unique(ids, return_inverse=True)
        numbers = [int(text[1 : text.index('"', 1)]) for text in self._dictionary.decode(different)]
        return np.array(numbers, dtype=np.int64)[places]

    def _are_replaced(self, keys: Int32, changes: Changes | None) -> NDArray[np.bool_]:
        """Return for each row of `keys` whether another, equal term represents one of its terms: bool[n].

        `changes` is None if no terms are equal.
        """
        return (
            np.zeros(len(keys), dtype=np.bool_)
            if changes is None
            else self._individuals.have_replaced_terms(keys, changes)
        )
