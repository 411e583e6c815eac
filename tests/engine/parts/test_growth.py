"""Rooms, fuel and segments are no part of the result: an engine that has next to none of them gets the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.changes import Strategy
from kgreason.engine.memory import layout as at
from kgreason.rules.model import Atom, Rule, Variable, triple
from kgreason.zset.columns import Int32
from tests.engine.small_rooms import small_quantum, small_rooms
from tests.engine.systems import System
from tests.histories.history import History
from tests.oracle.datalog import materialize, violations
from tests.strategies.programs import fact_sets, histories, programs
from tests.volume import many

W, X, Y, Z = (Variable(name) for name in "wxyz")
EDGE, PATH = Atom("edge", (X, Y)), Atom("path", (X, Y))
CLOSURE = [
    Rule((PATH,), (EDGE,)),
    Rule((Atom("path", (X, Z)),), (PATH, Atom("edge", (Y, Z)))),
]
MEETING = [
    Rule((Atom("meet", (X, Z)),), (PATH, Atom("path", (Z, Y)), Atom("mark", (X,)), Atom("mark", (Z,)))),
    Rule((Atom("mark", (Y,)),), (EDGE, Atom("mark", (X,)))),
]
"""A closure and rules of four atoms over it, so that a search is interrupted at every depth."""


def random_edges(nodes: int, edges: int) -> list[Atom]:
    pairs = np.random.default_rng(0).integers(0, nodes, size=(edges, 2))
    return [Atom("edge", (f"<{a}>", f"<{b}>")) for a, b in pairs.tolist()]


def records(system: System) -> Int32:
    """Every row with its state, stamp and support, in the order of their columns."""
    circuit = system.engine._circuit
    rows: Int32 = circuit.memory["rows"][circuit.facts.present_rows()]
    return rows[np.lexsort(rows.T[at.FIRST :])]


def commits(bootstrap: bool) -> System:
    """A closure with rules over it, from scratch or commit by commit."""
    edges, marks = random_edges(90, 200), [Atom("mark", ("<1>",))]
    system = System()
    if bootstrap:
        system.bootstrap([*edges, *marks], CLOSURE + MEETING)
    else:
        system.update(edges[:100], CLOSURE)
        system.update(edges[100:])
        system.update(marks, MEETING)
    return system


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize(("quantum", "heads", "segment"), [(3, 1 << 13, 1 << 16), (50, 2, 100), (10**9, 7, 33)])
def test_a_closure_does_not_depend_on_rooms(bootstrap: bool, quantum: int, heads: int, segment: int) -> None:
    expected = commits(bootstrap)
    with small_rooms(heads, segment), small_quantum(quantum):
        found = commits(bootstrap)
    assert len(expected.engine) > 5_000
    assert np.array_equal(records(found), records(expected))


def rewrites(bootstrap: bool, heads: int) -> int:
    with small_rooms(heads, 1 << 16), small_quantum(10**9):
        return int(commits(bootstrap).engine._circuit.block[at.REWRITES])


@pytest.mark.parametrize("bootstrap", [True, False])
def test_the_rewrites_of_a_closure_do_not_depend_on_the_head_buffer(bootstrap: bool) -> None:
    assert rewrites(bootstrap, 7) == rewrites(bootstrap, 100) == rewrites(bootstrap, 1 << 16)


@settings(max_examples=many(20))
@given(histories(), st.sampled_from(("update", "bootstrap")), st.integers(4, 9))
def test_the_rewrites_of_a_commit_do_not_depend_on_the_head_buffer(
    history: History, strategy: Strategy, heads: int
) -> None:
    found: list[list[int]] = [[], []]
    for counts, room in zip(found, (1 << 13, heads), strict=True):
        with small_rooms(room, 1 << 16):
            system = System()
            for commit in history:
                counts.append(system.engine.commit(*system.wishes(*commit), strategy=strategy).rewrites)
    assert found[0] == found[1]


@settings(max_examples=many(40))
@given(fact_sets(), programs())
def test_bootstrap_in_small_rooms_is_the_immediate_consequence_operator(facts: set[Atom], rules: list[Rule]) -> None:
    with small_rooms():
        system = System()
        system.bootstrap(facts, rules)
    assert system.states() == materialize(facts, rules)


@settings(max_examples=many(40))
@given(st.lists(st.tuples(fact_sets(), programs(4)), min_size=1, max_size=3))
def test_updates_in_small_rooms_keep_the_invariants(steps: list[tuple[set[Atom], list[Rule]]]) -> None:
    known: set[Atom] = set()
    rules: list[Rule] = []
    with small_rooms():
        system = System()
        for facts, more in steps:
            system.update(facts, more)
            known |= facts
            rules += more
    states = system.states()
    assert set(states) == set(materialize(known, rules))
    assert violations(states, rules) == []


def test_many_facts_of_one_group_and_many_groups_of_one_fact() -> None:
    """A hub's posting is moved to twice the room again and again; the groups' hash table is entered anew."""
    hub = [Atom("edge", ("<hub>", f"<{number}>")) for number in range(2_500)]
    spokes = [Atom("edge", (f"<{number}>", f"<leaf {number}>")) for number in range(2_500)]
    system = System()
    system.update([Atom("start", ("<hub>",))], [Rule((Atom("reached", (Y,)),), (Atom("start", (X,)), EDGE))])
    system.update([], [Rule((Atom("reached", (Y,)),), (Atom("reached", (X,)), EDGE))])
    for low in range(0, 2_500, 500):
        appeared = system.update(hub[low : low + 500] + spokes[low : low + 500])
        assert len(appeared) == 2_000
    assert len(system.update([Atom("edge", ("<hub>", "<hub 2>"))])) == 2


def test_a_table_that_comes_late_may_be_wider() -> None:
    system = System()
    system.update([Atom("p", ("<a>",)), Atom("p", ("<b>",))], [Rule((Atom("q", (X,)),), (Atom("p", (X,)),))])
    wide = Rule((Atom("pairs", (X, Y, X, Y, X)),), (Atom("q", (X,)), Atom("q", (Y,))))
    assert len(system.update([], [wide])) == 4
    assert len(system.update([Atom("p", ("<c>",))])) == 2 + 5
    assert system.states() == materialize(
        [Atom("p", (f"<{name}>",)) for name in "abc"], [Rule((Atom("q", (X,)),), (Atom("p", (X,)),)), wide]
    )


@pytest.mark.parametrize("atoms", [6, 10, 30])
def test_long_bodies_are_searched_to_their_end(atoms: int) -> None:
    names = [Variable(f"v{number}") for number in range(atoms + 1)]
    body = tuple(triple(names[number], "<next>", names[number + 1]) for number in range(atoms))
    chain = [triple(f"<{number}>", "<next>", f"<{number + 1}>") for number in range(atoms + 1)]
    rules = [Rule((Atom("far", (names[0], names[-1])),), body)]
    system = System()
    system.bootstrap(chain[:-1], rules)
    assert ("far", ("<0>", f"<{atoms}>")) in system.states()
    assert system.update(chain[-1:]) == {
        (None, chain[-1].terms),
        ("far", ("<1>", f"<{atoms + 1}>")),
    }
    assert violations(system.states(), rules) == []


def test_a_rule_with_many_heads_in_a_small_head_buffer() -> None:
    heads = tuple(Atom(f"h{number}", (X,)) for number in range(10))
    facts = [Atom("p", (f"<{number}>",)) for number in range(25)]
    with small_rooms(heads=11):
        system = System()
        system.bootstrap(facts, [Rule(heads, (Atom("p", (X,)),))])
    assert len(system.states()) == 25 * 11
    assert system.engine._circuit.block[at.N_GROUPS] == 0
