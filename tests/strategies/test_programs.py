"""The random programs hold what they promise: every shape turns up, every rule is safe, every history is one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from kgreason.rules.model import Atom, Rule, Variable
from tests.histories.history import History
from tests.histories.wide import ARITIES, KNOWN_SHAPES
from tests.oracle.datalog import close, convert
from tests.oracle.scratch import Scratch
from tests.strategies.programs import fact_sets, histories, programs, random_rules, wide
from tests.strategies.sampling import sample


def _uses(relation: str) -> Callable[[Rule], bool]:
    return lambda rule: any(atom.relation == relation for atom in rule.body)


SHAPES: dict[str, Callable[[Rule], bool]] = {
    "empty body": lambda rule: not rule.body,
    "several heads": lambda rule: len(rule.heads) > 1,
    "repeated variable": lambda rule: any(len(set(atom.terms)) < len(atom.terms) for atom in rule.body),
    "constant in the body": lambda rule: any(atom.terms and not atom.variables() for atom in rule.body),
    "recursion": lambda rule: bool({atom.relation for atom in rule.body} & {atom.relation for atom in rule.heads}),
    "symmetric atoms": lambda rule: any(a != b and a.terms == b.terms[::-1] for a in rule.body for b in rule.body),
    "variable as predicate": lambda rule: any(
        atom.relation is None and isinstance(atom.terms[1], Variable) for atom in rule.body
    ),
    "triple beside n-ary atom": lambda rule: len({atom.relation is None for atom in rule.body}) == 2,
    **{relation: _uses(relation) for relation in ARITIES},
}


@pytest.fixture(scope="module")
def some_rules() -> list[Rule]:
    return sample(random_rules(), 500)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_turns_up(shape: str, some_rules: list[Rule]) -> None:
    assert any(map(SHAPES[shape], some_rules))


@given(programs())
def test_rules_are_safe_and_different(rules: list[Rule]) -> None:
    assert len(set(rules)) == len(rules)
    for rule in [*rules, *KNOWN_SHAPES]:
        convert(rule)


@given(fact_sets(), programs())
def test_a_model_is_small(facts: set[Atom], rules: list[Rule]) -> None:
    assert len(close(facts, rules)) < 300


@given(histories())
def test_a_history_adds_and_takes_facts_and_rules(history: History) -> None:
    assert history
    for commit in history:
        assert not any(fact.variables() for fact in commit.facts)
        assert {*commit.facts.values(), *commit.rules.values()} <= {1, -1}


def test_a_history_may_bring_back_what_it_took() -> None:
    def returns(history: History, fact: Atom) -> bool:
        signs = "".join("-+"[sign > 0] for commit in history for f, sign in commit.facts.items() if f == fact)
        return "+-+" in signs

    assert any(returns(history, f) for history in sample(histories(), 300) for f in history[0].facts)


def test_a_seed_always_gives_the_same_history() -> None:
    assert wide(7) == wide(7) != wide(8)


def test_most_commits_derive_and_most_wishes_change_something() -> None:
    wishes = changed = derived = commits = 0
    for seed in range(100):
        scratch = Scratch()
        for commit in wide(seed):
            changes = scratch.commit(*commit)
            wishes += len(commit.facts)
            changed += sum((fact.relation, fact.terms) in changes for fact in commit.facts)
            derived += any(not state.asserted for state in scratch.states.values())
            commits += 1
    assert changed > wishes / 2
    assert derived > commits / 2
