"""Gatekeep, product, ground and index, walked by hand along the transitive closure; and T by definition."""

from __future__ import annotations

import pytest
from hypothesis import given

from kgreason.circuit.consequences import consequences
from kgreason.circuit.functions import NO_FUNCTIONS
from kgreason.circuit.grounding import (
    START,
    Gate,
    IndexedFact,
    Key,
    Rewrite,
    gate_key,
    gatekeep,
    ground,
    index,
    probe,
    product,
)
from kgreason.circuit.kit import JoinOrder, directions, join_orders, signals
from kgreason.circuit.rewriting import Substitution, substitute, unify
from kgreason.circuit.zset import ZSet, distinct, plus
from kgreason.rules.model import Atom, Rule, triple
from tests.circuit.programs import BASE, CLOSURE, STEP, X, Y, Z, edge, path
from tests.strategies.programs import fact_sets, programs, rules
from tests.tables import table

KIT = distinct(directions(CLOSURE))
FACTS = {edge("a", "b"): 1, edge("b", "c"): 1, path("b", "c"): 1}
AB: Substitution = ((X, "a"), (Y, "b"))
BC: Substitution = ((X, "b"), (Y, "c"))
FIRST = {Rewrite(BASE.body, AB): 1, Rewrite(BASE.body, BC): 1}
SECOND = {Rewrite(STEP.body, (*AB, (Z, "c"))): 1}


@table(
    ("atom", "fact", "expected"),
    [
        (edge(X, Y), edge("a", "b"), AB),
        (edge(X, X), edge("a", "b"), None),
        (edge(X, X), edge("a", "a"), ((X, "a"),)),
        (edge("a", Y), edge("a", "b"), ((Y, "b"),)),
        (edge("b", Y), edge("a", "b"), None),
        (triple(X, Y, "a"), triple("a", "b", "a"), AB),
        (Atom("on", ()), Atom("on", ()), ()),
    ],
)
def test_unification(atom: Atom, fact: Atom, expected: Substitution | None) -> None:
    assert unify(atom, fact) == expected
    if expected is not None:
        assert substitute(atom, expected) == fact


def test_gatekeep_says_what_each_walk_waits_for() -> None:
    assert gatekeep({START: 1}, KIT) == {Gate(BASE.body, edge(X, Y), ()): 1}
    assert gatekeep(FIRST, KIT) == {
        Gate(STEP.body, path("b", Z), AB): 1,
        Gate(STEP.body, path("c", Z), BC): 1,
    }
    assert gatekeep(SECOND, KIT) == {}


def test_product_lets_pass_what_meets_a_fact() -> None:
    assert product(gatekeep({START: 1}, KIT), FACTS) == FIRST
    assert product(gatekeep(FIRST, KIT), FACTS) == SECOND


@pytest.mark.parametrize("other", [edge("a"), edge("a", "b", "c"), path("a", "b"), triple("a", "edge", "b")])
def test_an_atom_meets_facts_of_its_relation_and_width_alone(other: Atom) -> None:
    program, facts = {BASE: 1}, {other: 1}
    gates = gatekeep({START: 1}, directions(program))
    assert product(gates, facts) == probe(gates, index(facts, join_orders(program))) == {}
    assert consequences(program, facts, facts, NO_FUNCTIONS) == {}


def test_ground_derives_at_the_end_of_a_body_only() -> None:
    assert ground({START: 1}, signals(CLOSURE)) == {}
    walks = plus(FIRST, SECOND)
    assert ground(walks, signals(CLOSURE)) == {path("a", "b"): 1, path("b", "c"): 1, path("a", "c"): 1}
    assert ground(walks, signals({STEP: 1})) == {path("a", "c"): 1}


def test_grounded_heads_are_counted_by_derivation() -> None:
    reachable = Rule((Atom("seen", (Y,)),), (edge(X, Y),))
    walks = {Rewrite(reachable.body, ((X, start), (Y, "c"))): 1 for start in "ab"}
    assert ground(walks, signals({reachable: 1})) == {Atom("seen", ("c",)): 2}


def test_the_index_holds_each_fact_under_every_join_order_of_its_relation() -> None:
    free, by_first = JoinOrder("edge", 2, ()), JoinOrder("path", 2, (0,))
    orders = distinct(join_orders(CLOSURE))
    assert orders == {free: 1, by_first: 1}
    assert index(FACTS, orders) == {
        IndexedFact(Key(free, ()), edge("a", "b")): 1,
        IndexedFact(Key(free, ()), edge("b", "c")): 1,
        IndexedFact(Key(by_first, ("b",)), path("b", "c")): 1,
    }


def test_a_gate_asks_for_the_columns_it_knows() -> None:
    assert gate_key(path("b", Z)) == Key(JoinOrder("path", 2, (0,)), ("b",))


def walked(program: ZSet[Rule], facts: ZSet[Atom], is_indexed: bool) -> ZSet[Atom]:
    """All that gatekeep, product and ground derive in one application of the rules."""
    kit, rewrites, done = distinct(directions(program)), {START: 1}, []
    arranged = index(facts, distinct(join_orders(program)))
    while rewrites:
        done.append(rewrites)
        gates = gatekeep(rewrites, kit)
        rewrites = dict(probe(gates, arranged) if is_indexed else product(gates, facts))
    return ground(plus(*done), signals(program))


@given(fact_sets(), programs(3))
def test_a_walk_derives_the_immediate_consequences(facts: set[Atom], program: list[Rule]) -> None:
    """As often as there are derivations; and the index hands product exactly what it would have found."""
    a, p = dict.fromkeys(facts, 1), dict.fromkeys(program, 1)
    assert walked(p, a, False) == walked(p, a, True) == consequences(p, a, a, NO_FUNCTIONS)


@given(fact_sets(), rules(), rules())
def test_consequences_are_linear_in_the_rules(facts: set[Atom], one: Rule, other: Rule) -> None:
    a = dict.fromkeys(facts, 1)

    def derived(program: ZSet[Rule]) -> ZSet[Atom]:
        return consequences(program, a, a, NO_FUNCTIONS)

    assert derived(plus({one: 2}, {other: -1})) == plus(derived({one: 2}), derived({other: -1}))
