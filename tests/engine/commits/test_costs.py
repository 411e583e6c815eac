"""The work of each rule: derivations as the oracle counts them, rewrites that add up to those of the commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings

from kgreason.engine.changes import Strategy
from kgreason.engine.costs import Cost
from kgreason.engine.engine import Engine
from kgreason.engine.memory import layout as at
from kgreason.engine.program.encoding import encode
from kgreason.engine.program.shapes import EncodedRule
from kgreason.engine.support import facts_of_one_owner
from kgreason.rules.model import Atom, Rule
from tests.engine.paths import JOIN, STEP, X, Y, chain, closed, inert
from tests.engine.small_rooms import small_rooms
from tests.engine.systems import System
from tests.histories.history import History
from tests.oracle.datalog import Fact, Index, close, derivations, rule_set
from tests.strategies.programs import histories
from tests.volume import many


def costs(system: System) -> dict[EncodedRule, Cost]:
    return dict(system.engine.costs())


def derivations_by_rule(system: System) -> Counter[EncodedRule]:
    """How many derivations each rule has found since the last Bootstrap."""
    return +Counter({rule: cost.derivations for rule, cost in costs(system).items()})


def of_oracle(system: System, facts: Iterable[Atom], rules: Iterable[Rule]) -> Counter[EncodedRule]:
    """How many derivations each rule has, by definition: pairs of a substitution and a head that it gives."""
    index = Index(close(facts, rules))
    encoded = {encode(rule, system.engine._planner, system.intern): rule for rule in rules}
    return +Counter(
        {code: sum(len(use.heads) for use in derivations(index, rule_set([rule]))) for code, rule in encoded.items()}
    )


def every_count(engine: Engine) -> list[list[int]]:
    """The counts as they are kept, of all rules that ever were; those of the last commit but one may be lost."""
    kept = engine._circuit.costs[:, : at.COST_BEFORE].tolist()
    return [row for row in kept if any(row)]


def state(history: History, upto: int) -> tuple[dict[Atom, None], dict[Rule, None]]:
    """The asserted facts and the rules after so many commits."""
    facts: dict[Atom, None] = {}
    rules: dict[Rule, None] = {}
    for commit in history[:upto]:
        facts = {fact: None for fact in facts | commit.facts if commit.facts.get(fact, 1) > 0}
        rules = {rule: None for rule in rules | commit.rules if commit.rules.get(rule, 1) > 0}
    return facts, rules


@settings(max_examples=many(20))
@given(histories())
def test_a_bootstrap_finds_the_derivations_of_the_oracle(history: History) -> None:
    facts, rules = state(history, len(history))
    for rooms in (False, True):
        system = System()
        if rooms:
            with small_rooms():
                system.bootstrap(facts, rules)
        else:
            system.bootstrap(facts, rules)
        assert derivations_by_rule(system) == of_oracle(system, facts, rules)


@settings(max_examples=many(20))
@given(histories())
def test_updates_that_only_add_find_each_derivation_once(history: History) -> None:
    system = System()
    facts: dict[Atom, None] = {}
    rules: dict[Rule, None] = {}
    for commit in history:
        come = [fact for fact, sign in commit.facts.items() if sign > 0]
        fresh = [rule for rule, sign in commit.rules.items() if sign > 0]
        system.commit(dict.fromkeys(come, 1), dict.fromkeys(fresh, 1), strategy="update")
        facts, rules = facts | dict.fromkeys(come), rules | dict.fromkeys(fresh)
        assert derivations_by_rule(system) == of_oracle(system, facts, rules)


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
@settings(max_examples=many(10))
@given(history=histories())
def test_the_rewrites_of_the_rules_are_those_of_the_commit(strategy: Strategy, history: History) -> None:
    system = System()
    for commit in history:
        changes = system.engine.commit(*system.wishes(*commit), strategy=strategy)
        engine = system.engine
        last = [cost.last_rewrites for _, cost in engine.costs(every=True)]
        assert sum(last) == changes.rewrites
        whole = [cost.rewrites for _, cost in engine.costs(every=True)]
        assert sum(whole) >= (0 if changes.switched else changes.rewrites)


@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
@settings(max_examples=many(10))
@given(history=histories())
def test_a_rollback_restores_the_counts(strategy: Strategy, history: History) -> None:
    system = System()
    for commit in history:
        before, kept = every_count(system.engine), costs(system)
        system.engine.begin()
        system.apply(*commit, strategy=strategy)
        system.apply({}, {}, strategy=strategy)
        system.engine.rollback()
        assert every_count(system.engine) == before
        assert costs(system) == kept
        system.commit(*commit, strategy=strategy)


def test_the_last_commit_is_counted_alone() -> None:
    system = System()
    system.bootstrap(chain(10), [STEP, JOIN])
    whole = costs(system)
    assert all(cost.last_rewrites == cost.rewrites > 0 for cost in whole.values())
    system.commit({chain(11)[-1]: 1}, {}, "update")
    join, step = (encode(rule, system.engine._planner, system.intern) for rule in (JOIN, STEP))
    now = costs(system)
    assert (now[step].last_derivations, now[join].last_derivations) == (1, 55)  # 11 choose 2
    for rule, cost in now.items():
        assert cost.rewrites == whole[rule].rewrites + cost.last_rewrites
    system.commit({inert(1)[0]: 1}, {}, "update")
    assert costs(system)[join] == now[join]._replace(last_rewrites=0, last_derivations=0)


def test_a_dropped_update_counts_for_the_commit_alone() -> None:
    system = System()
    system.bootstrap(chain(120), [STEP, JOIN])
    wishes = system.wishes(dict.fromkeys(chain(120)[::2], -1), {})
    changes = system.engine.commit(*wishes)
    assert changes.switched
    found = system.engine.costs()
    assert sum(cost.last_rewrites for _, cost in found) == changes.rewrites > sum(cost.rewrites for _, cost in found)


def test_explaining_costs_no_rule_anything() -> None:
    system = closed(chain(8), rules=[STEP, JOIN])
    before = every_count(system.engine)
    for row in system.engine.facts.present_rows().tolist():
        system.engine.derivations(row)
    assert every_count(system.engine) == before


def test_a_rule_without_a_body_has_a_derivation_for_each_head() -> None:
    rule = Rule((Atom("p", ("<a>",)), Atom("p", ("<b>",))), ())
    system = System()
    system.bootstrap([], [rule, Rule((Atom("q", (X, Y)),), (Atom("p", (X,)), Atom("p", (Y,))))])
    assert sorted(cost.derivations for cost in costs(system).values()) == [2, 4]


def alone_of_oracle(system: System, rules: Iterable[Rule]) -> Counter[EncodedRule]:
    """How many facts each rule supports alone, by definition."""
    states = system.states()
    supporters: dict[Fact, set[EncodedRule]] = {}
    for rule in rules:
        code = encode(rule, system.engine._planner, system.intern)
        for use in derivations(Index(states), rule_set([rule])):
            newest = max((states[fact].stamp for fact in use.body), default=-1)
            for head in use.heads:
                if newest < states[head].stamp:
                    supporters.setdefault(head, set()).add(code)
    return Counter(
        next(iter(codes)) for fact, codes in supporters.items() if len(codes) == 1 and not states[fact].asserted
    )


@pytest.mark.parametrize("heads", [4, 1 << 13])
@settings(max_examples=many(8))
@given(history=histories())
def test_facts_that_a_rule_supports_alone(heads: int, history: History) -> None:
    with small_rooms(heads=heads):
        system = System()
        for commit in history:
            system.commit(*commit, strategy="update")
        _, rules = state(history, len(history))
        codes = system.engine.rules
        before = system.states()
        pairs = facts_of_one_owner(system.engine, {code: n for n, code in enumerate(codes)}, lambda: None)
        assert Counter(codes[owner] for owner in pairs[:, 1].tolist()) == alone_of_oracle(system, rules)
        assert system.states() == before
