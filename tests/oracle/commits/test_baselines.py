"""Older algorithms of a commit agree with evaluation from scratch, but for circles under counting."""

from __future__ import annotations

from hypothesis import given, settings

from tests.histories.history import History, in_line
from tests.oracle.commits.baselines import CASES, Counting, DRed, Iterations, Update, costs
from tests.oracle.datalog import close
from tests.oracle.scratch import Scratch, kinds
from tests.strategies.programs import histories
from tests.tables import table
from tests.volume import many

CIRCLE = in_line("+ p(1) ; + q(?x) :- p(?x) ; + r(?x) :- q(?x) ; + q(?x) :- r(?x) | - p(1)")


def check(history: History) -> None:
    scratch, update, dred, iterations = Scratch(), Update(), DRed(), Iterations()
    for commit in history:
        changes = scratch.commit(*commit)
        for model in (update, dred, iterations):
            assert model.commit(*commit) == changes
            assert kinds(model.states) == kinds(scratch.states)
        asserted = [fact for fact, state in scratch.states.items() if state.asserted]
        assert iterations.levels == close(asserted, scratch.rules)


@settings(max_examples=many(500))
@given(histories())
def test_dred_and_iterations_agree_with_update(history: History) -> None:
    check(history)


def test_counting_keeps_a_circle_that_nothing_holds() -> None:
    check(CIRCLE)
    counting = Counting()
    for commit in CIRCLE:
        counting.commit(*commit)
    assert {relation for relation, _ in counting.states} == {"q", "r"}


def test_counting_is_right_without_circles() -> None:
    scratch, counting = Scratch(), Counting()
    for commit in in_line(
        "+ p(1) ; + p(2) ; + q(?x) :- p(?x) ; + r(?x, ?y) :- q(?x), q(?y) ; + s(?x) :- r(?x, ?y) "
        "| - p(1) | + q(1) ; - p(2) | - q(1) ; + p(1)"
    ):
        assert counting.commit(*commit) == scratch.commit(*commit)


@table("case", CASES)
def test_an_update_looks_at_no_more_than_dred(case: str) -> None:
    """Nor does it look at more than counting where a fact arrives."""
    found = costs(CASES[case]())
    (first, deleted, added), dred, counting = found["Update"], found["DRed"], found["Counting"]
    assert first == counting[0] == dred[0] == found["Iterations"][0]
    assert counting[1] <= deleted <= dred[1]
    assert added == counting[2] == dred[2] <= found["Iterations"][2]
