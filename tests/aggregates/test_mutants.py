"""`Aggregations` misread, each with one step read wrongly: the small history beside it gives the misreading away."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from kgreason.errors import StratificationError
from kgreason.materialize.edit import NO_FACTS
from kgreason.materialize.operators.aggregation import Aggregations
from kgreason.materialize.operators.group_values import GroupValues
from kgreason.materialize.operators.groups import FactsByGroup
from kgreason.materialize.operators.tables import FactIndex
from kgreason.rules.model import Atom
from tests.aggregates.test_recursion import test_a_value_does_not_keep_itself_up as loop
from tests.aggregates.test_recursion import test_values_do_not_keep_each_other_up_in_a_circle as circle
from tests.histories import individuals
from tests.histories.drawn import SAME
from tests.histories.following import follow
from tests.histories.history import Commit, in_words, term

COUNT = "[?x, :n, ?n] :- AGGREGATE([?x, :p, ?y] ON ?x BIND COUNT(?y) AS ?n) . "
SUM = "[?n, :t, ?n] :- AGGREGATE([?x, :n, ?y] BIND SUM(?y) AS ?n) . "


def _following(*commits: tuple[str, str, str]) -> Callable[[], None]:
    return lambda: follow(in_words(*commits))


def _all_at_once(patch: pytest.MonkeyPatch) -> None:
    right = Aggregations.follow
    patch.setattr(
        Aggregations,
        "follow",
        lambda self, levels: right(self, {each: at._replace(level=1) for each, at in levels.items()}),
    )


def _without_rows_of(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    def misread(patch: pytest.MonkeyPatch) -> None:
        def touched(self: Any, operator: Any, register: Any, _moved: Any, _every: Any) -> Any:
            part = operator.each if name == "value" else operator.value
            return np.unique(part.groups(register), axis=0)

        patch.setattr(Aggregations, "_groups_to_compare", touched)

    return misread


def _leaves_values(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Aggregations, "_retraction", lambda *_: NO_FACTS)


def _forgets_old_rows(patch: pytest.MonkeyPatch) -> None:
    nothing = FactIndex(np.empty((0, 16), dtype=np.int32), np.empty(0, dtype=np.int32))
    patch.setattr(Aggregations, "_reader_of_all_facts", lambda _: lambda: nothing)


def _counts_what_is_there_twice(patch: pytest.MonkeyPatch) -> None:
    right = GroupValues._counts

    def counted(self: Any, operator: Any, groups: Any, present: Any, changes: Any, register: Any) -> Any:
        kept = changes.tables != operator.value.table.number
        kept |= ~np.isin(np.arange(len(kept)), operator.value.table.places(register))
        fewer = changes._replace(
            rows=changes.rows[kept], tables=changes.tables[kept], before=changes.before[kept], after=changes.after[kept]
        )
        return right(self, operator, groups, present, fewer, FactIndex(fewer.rows, fewer.tables))

    patch.setattr(GroupValues, "_counts", counted)
    patch.setattr(
        Aggregations, "_later_changes", lambda _: None
    )  # as after a Bootstrap in a commit: each look is whole


def _never_empties(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Aggregations, "_recursions_to_empty", lambda *_, **__: set())


def _looks_for_lost_rows_only(patch: pytest.MonkeyPatch) -> None:
    right = Aggregations._recursions_to_empty

    def emptied(self: Any, reached: Any, changes: Any, every: Any, *, is_moved: bool) -> Any:
        fewer = [each._replace(reads=(each.each.table,)) for each in reached]
        return right(self, fewer, changes, every, is_moved=is_moved)

    patch.setattr(Aggregations, "_recursions_to_empty", emptied)


def _counts_names(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(GroupValues, "_are_replaced", lambda _, keys, __: np.zeros(len(keys), dtype=np.bool_))


def _keeps_rows_of_a_rollback(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(FactsByGroup, "_are_held", lambda _, keys: np.ones(len(keys), dtype=np.bool_))


def _equal_names() -> None:
    commits = in_words(("a p b . a p c", "", COUNT))
    linked = Commit({Atom(None, (term("b"), SAME, term("c"))): 1}, {})
    individuals.follow((*commits, linked), "representatives", Random(0))


CASES = {
    "every aggregate is decided at the first level": (
        _all_at_once,
        _following(("a p b", "", COUNT + SUM), ("a p c . b p c", "", COUNT + SUM)),
    ),
    "changed rows are not looked at": (
        _without_rows_of("each"),
        _following(("a p b", "", COUNT), ("a p c", "", COUNT)),
    ),
    "the values of an aggregate that no rule has any more stay": (
        _leaves_values,
        _following(("a p b", "", COUNT), ("", "", ""), ("a p c", "", ""), ("", "", COUNT)),
    ),
    "a new aggregate sees the rows of its commit alone": (
        _forgets_old_rows,
        _following(("a p b", "", ""), ("c p d", "", COUNT)),
    ),
    "a count is changed by the same rows at each look": (
        _counts_what_is_there_twice,
        _following(("a p b", "", COUNT), ("a p c", "", COUNT)),
    ),
    "the values of a recursion are never retracted": (_never_empties, circle),
    "a recursion begins anew if rows have left, not if they have lost a derivation": (
        _looks_for_lost_rows_only,
        loop,
    ),
    "every name counts": (_counts_names, _equal_names),
    "rows that are no facts any more count": (
        _keeps_rows_of_a_rollback,
        _following(("a p b . a p c", "", SUM + COUNT), ("", "a p c", SUM + COUNT), ("b p c", "", SUM + COUNT)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_misreading_does_not_follow_the_history(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    misread, history = CASES[name]
    history()
    misread(monkeypatch)
    with pytest.raises((AssertionError, StratificationError)):
        history()
