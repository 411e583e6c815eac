"""The spare derivations tell which facts return, and no misreading of their count does."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, settings

from tests.histories.history import History
from tests.oracle.commits.spares import HISTORIES, MISREADINGS, Counting, Late, miscounts
from tests.oracle.datalog import Fact, State
from tests.strategies.programs import histories, wide
from tests.tables import table
from tests.volume import many


def check(history: History) -> None:
    """The count is right, and nothing that a search would find is missed."""
    assert list(miscounts(Counting, history)) == []
    searching, counting = Late(), Counting()
    for commit in history:
        assert counting.commit(*commit) == searching.commit(*commit)
        assert counting.states == searching.states


@settings(max_examples=many(500))
@given(histories())
def test_spare_derivations_tell_what_returns(history: History) -> None:
    check(history)


@table("name", MISREADINGS)
def test_a_history_gives_each_misreading_away(name: str) -> None:
    check(HISTORIES[name])
    assert any(miscounts(MISREADINGS[name], HISTORIES[name]))


def test_the_count_goes_on_from_any_state() -> None:
    first, *others = wide(21)
    model = Counting()
    model.commit(*first)
    states: Mapping[Fact, State] = model.states
    again = Counting(states, model.rules)
    assert again.spare == model.spare
    for commit in others:
        model.commit(*commit)
        again.commit(*commit)
    assert (again.states, again.spare) == (model.states, model.spare)
