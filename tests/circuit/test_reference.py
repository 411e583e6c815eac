"""The three circuits, against each other and against evaluation from scratch, after every commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar

import pytest
from hypothesis import given, settings

from kgreason.circuit import grounding
from kgreason.circuit.reference import ReferenceCircuit
from kgreason.errors import UnsafeRuleError
from kgreason.rules.model import Atom, Rule, Term
from tests.circuit.programs import BASE, CHAIN, CLOSURE, STEP, X, Y, Z, edge, path
from tests.histories.history import History
from tests.oracle.datalog import level_of, materialize
from tests.strategies.programs import histories
from tests.volume import many

Kind: TypeAlias = Literal["naive", "incremental", "indexed"]
KINDS: tuple[Kind, ...] = ("naive", "incremental", "indexed")
T = TypeVar("T")

every_kind = pytest.mark.parametrize("kind", KINDS)


def wished(present: set[T], wishes: Mapping[T, int]) -> set[T]:
    return {row for row in present | wishes.keys() if wishes.get(row, row in present) > 0}


def leveled(facts: set[Atom], rules: set[Rule]) -> list[set[Atom]]:
    """The model by level, from scratch."""
    levels: defaultdict[int, set[Atom]] = defaultdict(set)
    for (relation, constants), state in materialize(facts, rules).items():
        levels[level_of(state.stamp)].add(Atom(relation, constants))
    return [levels[level] for level in range(max(levels, default=-1) + 1)]


def check_history(history: History) -> None:
    circuits = [ReferenceCircuit(kind) for kind in KINDS]
    facts, rules, model = set[Atom](), set[Rule](), set[Atom]()
    for commit in history:
        before, facts, rules = model, wished(facts, commit.facts), wished(rules, commit.rules)
        levels = leveled(facts, rules)
        model = set().union(*levels)
        delta = {**dict.fromkeys(model - before, 1), **dict.fromkeys(before - model, -1)}
        for circuit in circuits:
            assert circuit.commit(commit.facts, commit.rules) == delta
            assert circuit.facts() == model
            assert circuit.levels() == levels


@settings(max_examples=many(250))
@given(histories(steps=12))
def test_after_every_commit_the_circuits_are_at_the_least_model(history: History) -> None:
    check_history(history)


@every_kind
def test_a_level_is_an_application_of_the_rules(kind: Kind) -> None:
    """However many atoms a body has."""
    circuit = ReferenceCircuit(kind)
    circuit.commit(CHAIN, CLOSURE)
    assert [{fact.terms for fact in level} for level in circuit.levels()[1:]] == [
        {("a", "b"), ("b", "c"), ("c", "d")},
        {("a", "c"), ("b", "d")},
        {("a", "d")},
    ]


@every_kind
def test_a_fact_moves_to_a_later_level_when_its_short_derivation_goes(kind: Kind) -> None:
    circuit = ReferenceCircuit(kind)
    circuit.commit({**CHAIN, path("a", "d"): 1}, CLOSURE)
    assert path("a", "d") in circuit.levels()[0]
    assert circuit.commit({path("a", "d"): -1}, {}) == {}
    assert path("a", "d") in circuit.levels()[3]


@every_kind
def test_a_cycle_does_not_hold_itself_up(kind: Kind) -> None:
    circuit = ReferenceCircuit(kind)
    circuit.commit({edge("a", "b"): 1, edge("b", "c"): 1, edge("c", "b"): 1}, CLOSURE)
    circuit.commit({edge("a", "b"): -1}, {})
    assert {fact.terms for fact in circuit.facts() if fact.relation == "path"} == {(x, y) for x in "bc" for y in "bc"}


@every_kind
def test_rules_with_two_recursive_atoms_survive_updates(kind: Kind) -> None:
    doubled = Rule((path(X, Z),), (path(X, Y), path(Y, Z)))
    circuit = ReferenceCircuit(kind)
    circuit.commit(CHAIN, {BASE: 1, doubled: 1})
    circuit.commit({edge("b", "c"): -1, edge("b", "d"): 1}, {})
    assert {fact.terms for fact in circuit.facts() if fact.relation == "path"} == {
        ("a", "b"), ("a", "d"), ("b", "d"), ("c", "d")
    }  # fmt: skip


@every_kind
def test_a_rule_that_leaves_takes_its_own_conclusions_alone(kind: Kind) -> None:
    """Of several rules pushed together, which share the walk along their first atom."""
    other = Rule((Atom("seen", (X,)),), (edge(X, Y),))
    circuit = ReferenceCircuit(kind)
    circuit.commit(CHAIN, {**CLOSURE, other: 1})
    assert circuit.commit({}, {STEP: -1}) == {path("a", "c"): -1, path("b", "d"): -1, path("a", "d"): -1}
    assert circuit.commit({}, {BASE: -1}) == {path("a", "b"): -1, path("b", "c"): -1, path("c", "d"): -1}
    assert circuit.commit({}, {other: -1, BASE: 1}).keys() == {
        *(Atom("seen", (node,)) for node in "abc"), path("a", "b"), path("b", "c"), path("c", "d")
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["incremental", "indexed"])
def test_a_rule_that_shares_its_body_matches_no_fact_again(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its directions are there, the walks along them too: they are grounded once more, and no facts are looked at."""
    circuit = ReferenceCircuit(kind)
    circuit.commit(CHAIN, CLOSURE)
    monkeypatch.setattr(grounding, "unify", None)
    twin = Rule((Atom("far", (X, Z)),), STEP.body)
    far = [Atom("far", pair) for pair in [("a", "c"), ("b", "d"), ("a", "d")]]
    assert circuit.commit({}, {twin: 1}) == dict.fromkeys(far, 1)
    assert circuit.commit({}, {twin: -1}) == dict.fromkeys(far, -1)


@every_kind
def test_two_rules_for_one_fact_are_two_reasons(kind: Kind) -> None:
    forth, back = Rule((path(X, Y),), (edge(X, Y),)), Rule((path(X, Y),), (edge(Y, X),))
    circuit = ReferenceCircuit(kind)
    circuit.commit({edge("a", "a"): 1}, {forth: 1, back: 1})
    assert circuit.commit({}, {forth: -1}) == {}
    assert circuit.commit({}, {back: -1}) == {path("a", "a"): -1}


@every_kind
def test_a_wish_that_is_fulfilled_asks_for_nothing(kind: Kind) -> None:
    circuit = ReferenceCircuit(kind)
    circuit.commit({edge("a", "b"): 3}, {BASE: 2})
    assert circuit.commit({edge("a", "b"): 1, edge("x", "y"): -2, edge("b", "c"): 0}, {BASE: 1, STEP: -1}) == {}
    assert circuit.commit({edge("a", "b"): -1}, {BASE: -1}) == {edge("a", "b"): -1, path("a", "b"): -1}
    assert circuit.facts() == set()
    assert circuit.levels() == []


@every_kind
def test_a_rule_without_body_holds_from_level_one(kind: Kind) -> None:
    circuit = ReferenceCircuit(kind)
    circuit.commit({}, {Rule((edge("a", "b"),), ()): 1, BASE: 1})
    assert circuit.levels() == [set(), {edge("a", "b")}, {path("a", "b")}]


@every_kind
@pytest.mark.parametrize("wrong", ["fact", "rule"])
def test_a_commit_with_a_mistake_in_it_changes_nothing(kind: Kind, wrong: str) -> None:
    circuit = ReferenceCircuit(kind)
    facts = {**CHAIN, edge(X, "b"): 1} if wrong == "fact" else CHAIN
    rules = {**CLOSURE, Rule((path(X, Z),), (edge(X, Y),), "loose"): 1} if wrong == "rule" else CLOSURE
    with pytest.raises(UnsafeRuleError, match=r"\?x" if wrong == "fact" else "loose"):
        circuit.commit(facts, rules)
    assert circuit.facts() == set()
    assert len(circuit.commit(CHAIN, CLOSURE)) == 9


@pytest.mark.parametrize("kind", ["incremental", "indexed"])
def test_a_commit_that_is_interrupted_is_undone(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = ReferenceCircuit(kind)
    circuit.commit(CHAIN, CLOSURE)
    levels = circuit.levels()
    substitutions = iter(range(3))

    def interrupted(*arguments: object) -> Atom:
        if next(substitutions, None) is None:
            raise KeyboardInterrupt
        return path("lost", "lost")

    with monkeypatch.context() as patched:
        patched.setattr(grounding, "substitute", interrupted)
        with pytest.raises(KeyboardInterrupt):
            circuit.commit({edge("d", "e"): 1, edge("a", "b"): -1}, {})
    assert circuit.levels() == levels
    assert circuit.commit({edge("d", "e"): 1, edge("a", "b"): -1}, {}) == {
        **dict.fromkeys([edge("d", "e"), path("d", "e"), path("c", "e"), path("b", "e")], 1),
        **dict.fromkeys([edge("a", "b"), path("a", "b"), path("a", "c"), path("a", "d")], -1),
    }


def near(node: Term) -> Atom:
    return Atom("near", (node,))


@pytest.mark.parametrize("kind", ["incremental", "indexed"])
def test_a_body_that_is_walked_to_its_end_only_at_a_late_level(kind: Kind) -> None:
    """Three hundred levels deep, without as deep a stack."""
    last = 300
    chain = {edge(str(n), str(n + 1)): 1 for n in range(last)}
    done = Atom("done", ())
    program = {
        Rule((near(Y),), (near(X), edge(X, Y))): 1,
        Rule((done,), (near(str(last)), Atom("goal", (X,)), Atom("goal", (X,)))): 1,
    }
    circuit = ReferenceCircuit(kind)
    circuit.commit({**chain, near("0"): 1, Atom("goal", ("g",)): 1}, program)
    assert circuit.levels()[-1] == {done}
    assert len(circuit.levels()) == last + 2
