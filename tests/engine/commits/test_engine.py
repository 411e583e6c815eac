"""The engine against the naive oracle: least model, stamps and supports, on random programs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.systems import System
from tests.oracle.datalog import materialize, violations
from tests.strategies.programs import fact_sets, programs
from tests.volume import many

X, Y, Z = Variable("x"), Variable("y"), Variable("z")


@settings(max_examples=many(60))
@given(fact_sets(), programs())
def test_bootstrap_is_the_immediate_consequence_operator(facts: list[Atom], rules: list[Rule]) -> None:
    system = System()
    system.bootstrap(facts, rules)
    assert system.states() == materialize(facts, rules)


@settings(max_examples=many(60))
@given(st.lists(st.tuples(fact_sets(), programs()), min_size=1, max_size=4))
def test_updates_keep_the_invariants(steps: list[tuple[list[Atom], list[Rule]]]) -> None:
    system = System()
    known: set[Atom] = set()
    rules: list[Rule] = []
    for facts, more in steps:
        before = set(system.states())
        fresh = [rule for rule in dict.fromkeys(more) if rule not in rules]
        appeared = system.update(facts, fresh)
        known.update(facts)
        rules += fresh
        states = system.states()
        expected = materialize(known, rules)
        assert set(states) == set(expected)
        assert {f for f, s in states.items() if s.asserted} == {f for f, s in expected.items() if s.asserted}
        assert violations(states, rules) == []
        assert appeared == set(states) - before
