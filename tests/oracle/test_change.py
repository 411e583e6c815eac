"""The algorithm of a commit (docs/architecture/commit.md) keeps its laws, and none of its misreadings does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.histories.history import History, in_line
from tests.oracle.change import ABSENT, ASSERTED, INFERRED, Kinds, Model
from tests.oracle.datalog import Fact, State, stamp_of
from tests.oracle.misreadings import MISREADINGS
from tests.oracle.scratch import Scratch, flaws, kinds
from tests.strategies.counterexamples import COUNTEREXAMPLES
from tests.strategies.programs import histories, wide
from tests.tables import table
from tests.volume import many


@settings(max_examples=many(500))
@given(histories())
def test_every_commit_keeps_the_invariants_and_laws(random: History) -> None:
    assert list(flaws(Model, random)) == []


@given(histories())
def test_one_batch_is_one_by_one_for_facts_and_flags(random: History) -> None:
    batch, one_by_one = Model(), Model()
    for commit in random:
        batch.commit(*commit)
        for fact, sign in commit.facts.items():
            one_by_one.commit({fact: sign}, {})
        for rule, sign in commit.rules.items():
            one_by_one.commit({}, {rule: sign})
        assert kinds(one_by_one.states) == kinds(batch.states)


@given(histories())
def test_a_first_commit_is_a_bootstrap_where_no_body_is_empty(random: History) -> None:
    """A rule with an empty body fires beside the asserted facts, a level before a Bootstrap would fire it."""
    rules = {rule: sign for rule, sign in random[0].rules.items() if rule.body}
    model, scratch = Model(), Scratch()
    assert model.commit(random[0].facts, rules) == scratch.commit(random[0].facts, rules)
    assert model.states == scratch.states


@table("name", COUNTEREXAMPLES)
def test_the_right_reading_is_right_where_others_fail(name: str) -> None:
    assert list(flaws(Model, COUNTEREXAMPLES[name])) == []


@table("name", MISREADINGS)
def test_a_small_history_gives_each_misreading_away(name: str) -> None:
    assert list(flaws(MISREADINGS[name], COUNTEREXAMPLES[name])) != []


def test_random_histories_give_every_misreading_away() -> None:
    """The generator has the power to find what the small histories show."""
    drawn = [wide(seed) for seed in range(500)]
    assert not {name for name, wrong in MISREADINGS.items() if not any(any(flaws(wrong, each)) for each in drawn)}


REACHED = "+ edge(1, 2) ; + edge(2, 3) ; + edge(3, 2) ; + reached(1) ; + reached(?y) :- reached(?x), edge(?x, ?y)"


def committed(*texts: str) -> tuple[Model, Kinds]:
    """A model after these commits, and what the last one changed."""
    model, changes = Model(), Kinds()
    for commit in in_line(" | ".join(texts)):
        changes = model.commit(*commit)
    return model, changes


def fact(relation: str, *numbers: int) -> Fact:
    return relation, tuple(f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>' for number in numbers)


def test_a_derivation_round_a_cycle_is_not_counted() -> None:
    model, _ = committed(REACHED)
    assert model.states[fact("reached", 2)] == State(stamp_of(1, 1), 1, False)
    assert model.states[fact("reached", 3)] == State(stamp_of(2, 1), 1, False)


def test_facts_that_hang_on_a_cycle_leave_with_it() -> None:
    _, changes = committed(REACHED, "- edge(1, 2)")
    assert changes == {
        fact("edge", 1, 2): (ASSERTED, ABSENT),
        fact("reached", 2): (INFERRED, ABSENT),
        fact("reached", 3): (INFERRED, ABSENT),
    }


def test_a_fact_that_returns_gets_a_new_stamp_and_is_no_change() -> None:
    model, changes = committed(REACHED, "- edge(1, 2) ; + edge(1, 3)")
    assert changes == {fact("edge", 1, 2): (ASSERTED, ABSENT), fact("edge", 1, 3): (ABSENT, ASSERTED)}
    assert model.states[fact("reached", 3)] == State(stamp_of(1, 1), 1, False)
    assert model.states[fact("reached", 2)] == State(stamp_of(2, 1), 1, False)


def test_a_second_derivation_keeps_a_fact_where_it_is() -> None:
    model, changes = committed(REACHED, "+ edge(1, 3)", "- edge(2, 3)")
    assert changes == {fact("edge", 2, 3): (ASSERTED, ABSENT)}
    assert model.states[fact("reached", 3)] == State(stamp_of(2, 1), 1, False), "its stamp is as old as it is"


def test_a_retracted_fact_that_is_entailed_turns_to_inferred() -> None:
    model, changes = committed(REACHED + " ; + reached(2)", "- reached(2)")
    assert changes == {fact("reached", 2): (ASSERTED, INFERRED)}
    assert model.states[fact("reached", 2)] == State(stamp_of(1, 1), 1, False)


def test_an_inferred_fact_that_is_asserted_keeps_stamp_and_support() -> None:
    model, changes = committed(REACHED, "+ reached(3)")
    assert changes == {fact("reached", 3): (INFERRED, ASSERTED)}
    assert model.states[fact("reached", 3)] == State(stamp_of(2, 1), 1, True)


def test_a_new_rule_is_counted_for_an_older_head() -> None:
    model, changes = committed(REACHED, "+ reached(?y) :- edge(?x, ?y)")
    assert changes == {}
    assert model.states[fact("reached", 3)] == State(stamp_of(2, 1), 2, False)


@pytest.mark.parametrize("wish", ["+ edge(1, 2)", "- edge(1, 3)", "- reached(2)", "- reached(?x) :- edge(?x, ?x)"])
def test_a_wish_that_is_fulfilled_asks_for_nothing(wish: str) -> None:
    before, _ = committed(REACHED)
    after, changes = committed(REACHED, wish)
    assert (after.states, after.rules, changes) == (before.states, before.rules, {})
