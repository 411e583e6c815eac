"""Bootstrap and Update, worked: levels and counts of a small closure before and after an edge goes and comes back.

Source: Zhao et al., *Towards Elastic Incrementalization for Datalog*; and what the authors say of their code in a
branch of Soufflé (its README of incremental evaluation), which has the values of the encoding. There a fact has a
counter for each iteration of its derivations. In kgreason a fact has one count, of its derivations from facts of
smaller levels, and stays at its level while one of these is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import pytest

from kgreason.engine.changes import Strategy
from kgreason.rules.model import Atom
from tests.engine.systems import System
from tests.histories.following import Graph
from tests.histories.history import Commit, in_line
from tests.oracle.commits.baselines import CLOSURE, Iterations, Update
from tests.oracle.datalog import Fact, level_of

HISTORY = in_line(
    f"{CLOSURE} ; + edge(1, 2) ; + edge(2, 3) ; + edge(3, 4) ; + edge(1, 3) | - edge(1, 3) | + edge(1, 3)"
)
"""The chain 1 -> 2 -> 3 -> 4 with a shortcut 1 -> 3, which goes and comes back."""

COUNTERS = [
    {"12": {1: 1}, "23": {1: 1}, "34": {1: 1}, "13": {1: 1, 2: 1}, "24": {2: 1}, "14": {2: 1}},
    {"12": {1: 1}, "23": {1: 1}, "34": {1: 1}, "13": {2: 1}, "24": {2: 1}, "14": {3: 1}},
    {"12": {1: 1}, "23": {1: 1}, "34": {1: 1}, "13": {1: 1, 2: 1}, "24": {2: 1}, "14": {2: 1}},
]
"""{pair: {iteration: number of derivations}}, after each commit."""
LEVELS = [
    {"12": (1, 1), "23": (1, 1), "34": (1, 1), "13": (1, 1), "24": (2, 1), "14": (2, 1)},
    {"12": (1, 1), "23": (1, 1), "34": (1, 1), "13": (2, 1), "24": (2, 1), "14": (3, 1)},
    {"12": (1, 1), "23": (1, 1), "34": (1, 1), "13": (2, 2), "24": (2, 1), "14": (3, 1)},
]
"""{pair: (level, count of derivations from smaller levels)}, after each commit under Update."""


def pair(fact: Fact) -> str:
    return "".join(term.split('"')[1] for term in fact[1])


def closure(of: Mapping[Fact, object]) -> list[Fact]:
    return [fact for fact in of if fact[0] == "tc"]


def test_a_counter_for_each_iteration() -> None:
    """Without its edge, 1 -> 3 has its second iteration left, and 1 -> 4 follows it; both come back with the edge."""
    model = Iterations()
    for commit, expected in zip(HISTORY, COUNTERS, strict=True):
        model.commit(*commit)
        assert {pair(fact): dict(+model.counts[fact]) for fact in closure(model.levels)} == expected
        assert {pair(fact): model.levels[fact] for fact in closure(model.levels)} == {
            each: min(counts) for each, counts in expected.items()
        }


def test_a_count_of_smaller_levels_by_definition_and_in_the_engine() -> None:
    """The edge that comes back is one derivation more of 1 -> 3: nothing moves."""
    model, system = Update(), System()
    for commit, expected in zip(HISTORY, LEVELS, strict=True):
        model.commit(*commit)
        system.commit(*commit, strategy="update")
        for states in (model.states, system.states()):
            found = {pair(fact): (level_of(states[fact].stamp), states[fact].support) for fact in closure(states)}
            assert found == expected


@pytest.mark.parametrize("strategy", ["update", "bootstrap", "auto"])
def test_a_bootstrap_after_each_commit_gives_the_facts_of_an_update(strategy: Strategy) -> None:
    """And the levels of the counters: those of evaluation from scratch."""
    system, other, counters = System(), System(), Iterations()
    for commit in HISTORY:
        changes = system.commit(*commit, strategy=strategy)
        assert changes == counters.commit(*commit)
        other.bootstrap(system_facts(counters), HISTORY[0].rules)
        states = other.states()
        assert states.keys() == system.states().keys()
        assert {fact: level_of(state.stamp) for fact, state in states.items()} == counters.levels


def system_facts(counters: Iterations) -> list:  # type: ignore[type-arg]
    wanted = {fact for fact, state in counters.states.items() if state.asserted}
    return [fact for fact in HISTORY[0].facts if (fact.relation, fact.terms) in wanted]


def test_an_update_looks_at_the_derivations_that_change() -> None:
    """Back comes an edge: the counters move 1 -> 4 (3 derivations), the local count takes in one."""
    counters, update = Iterations(), Update()
    looked = []
    for commit in HISTORY:
        counters.commit(*commit)
        update.commit(*commit)
        looked.append((counters.looked, update.looked))
    assert looked == [(7, 7), (10, 11), (13, 12)]


def chain(name: str, length: int) -> str:
    return " ; ".join(f"+ {name}{n + 1}(?x) :- {name}{n}(?x)" for n in range(length))


ENCODING = in_line(
    f"{chain('a', 2)} ; {chain('b', 2)} ; {chain('c', 7)} ; + r(?x) :- a2(?x) ; + r(?x) :- b2(?x) "
    "; + r(?x) :- c4(?x) ; + r(?x) :- c7(?x) ; + a0(1) ; + b0(1) ; + c0(1) | - a0(1) | - b0(1) | - c0(1)"
)
"""r(1) is derived twice in iteration 3, once in 5 and once in 8; then each of its three sources goes."""


def test_a_fact_that_loses_its_first_iteration_stays_for_its_next_one() -> None:
    """The encoding (iteration, count), and a deletion that takes a count and no fact: r(1) goes with its last source.

    An Update has only the count of smaller levels, and moves the fact above both derivations that are left then.
    """
    iterations, update, system = Iterations(), Update(), System()
    counters, local = list[dict[int, int]](), list[set[tuple[int, int]]]()
    for commit in ENCODING:
        changes = iterations.commit(*commit)
        assert changes == update.commit(*commit) == system.commit(*commit, strategy="update")
        (found,) = ({**+counts} for fact, counts in iterations.counts.items() if fact[0] == "r")
        counters.append(found)
        seen = [
            {(level_of(state.stamp), state.support) for fact, state in states.items() if fact[0] == "r"}
            for states in (update.states, system.states())
        ]
        assert seen[0] == seen[1]
        local.append(seen[0])
    assert counters == [{3: 2, 5: 1, 8: 1}, {3: 1, 5: 1, 8: 1}, {5: 1, 8: 1}, {}]
    assert local == [{(3, 2)}, {(3, 1)}, {(8, 2)}, set()]


OPEN = f"{CLOSURE} ; + open(?x, ?y) :- edge(?x, ?y), NOT shut(?x, ?y)"


def test_the_choice_is_no_worse_than_either_strategy_where_not_is_decided() -> None:
    """Claim II, in rewrites. An edge that leaves takes ten times as much as what NOT had decided for it, a step later.

    So the cost of the first step says nothing of the second one: a Bootstrap there takes more than both Updates.
    """
    chains = [[Atom("edge", (f"<{n}>", f"<{n + 1}>")) for n in range(low, low + 20)] for low in range(0, 6_000, 30)]
    edges, gone = ([edge for chain in some for edge in chain] for some in (chains, chains[:100]))
    rewrites = dict[Strategy, list[int]]()
    for strategy in get_args(Strategy):
        graph = Graph(strategy)
        graph.commit(Commit(dict.fromkeys(edges, 1), in_line(OPEN)[0].rules))
        changes = [graph.commit(Commit(dict.fromkeys(gone, sign), {})) for sign in (-1, 1, -1, 1)]
        rewrites[strategy] = [change.work.rewrites for change in changes]
    assert sum(rewrites["auto"]) <= min(sum(rewrites["update"]), sum(rewrites["bootstrap"]))
