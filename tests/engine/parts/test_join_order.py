"""Join order is chosen for each rewrite: skewed joins extend about as many rewrites as they have facts and results."""

from __future__ import annotations

import pytest

from kgreason.rules.model import Atom, Rule, Variable, triple
from tests.engine.systems import System
from tests.oracle.datalog import materialize

A, B, C, X, Y, Z = (Variable(name) for name in "abcxyz")
LEAVES = 300

STAR = Rule((Atom("met", (X, A, B, C)),), (Atom("r", (X, A)), Atom("s", (X, B)), Atom("t", (X, C))))
FILTERED = Rule(
    (Atom("out", (X,)),),
    (Atom("in", (X,)), Atom("s", (X, B)), Atom("t", (X, C)), Atom("fine", (B,)), Atom("good", (C,))),
)


def leaves(relation: str, hub: str) -> list[Atom]:
    return [Atom(relation, (hub, f"<{relation} {number}>")) for number in range(LEAVES)]


def hubs_that_lack_one() -> list[Atom]:
    """For each pair of relations a hub with many leaves in both and none in the third."""
    pairs = [("r", "s"), ("r", "t"), ("s", "t")]
    return [fact for number, pair in enumerate(pairs) for relation in pair for fact in leaves(relation, f"<{number}>")]


def hub_with_few() -> list[Atom]:
    """A hub with many leaves in one relation, and two in each of the others."""
    return [*leaves("r", "<x>"), *leaves("s", "<x>")[:2], *leaves("t", "<x>")[:2]]


def work(system: System, facts: list[Atom]) -> int:
    """Assert facts; the rewrites that it took."""
    system.update(facts)
    return system.engine._circuit.rewrites


@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_skewed_star_costs_its_facts_and_results(bootstrap: bool) -> None:
    """Any fixed order extends 300 x 300 rewrites in vain at one hub."""
    facts, results = hubs_that_lack_one() + hub_with_few(), LEAVES * 2 * 2
    system = System()
    if bootstrap:
        system.bootstrap(facts, [STAR])
    else:
        system.update([], [STAR])
        system.update(facts)
    assert len(system.engine) == len(facts) + results
    assert system.engine._circuit.rewrites <= 2 * (len(facts) + results)


def test_a_new_rule_over_a_skewed_star_costs_its_facts_and_results() -> None:
    facts, results = hubs_that_lack_one() + hub_with_few(), LEAVES * 2 * 2
    system = System()
    system.update(facts)
    assert len(system.update([], [STAR])) == results
    assert system.engine._circuit.rewrites <= 2 * (len(facts) + results)


def test_the_shortest_posting_is_extended_whichever_atom_has_it() -> None:
    """One hub has many leaves in s, the other in t; what the short side leads to is missing, so a few steps decide."""
    system = System()
    system.update([], [FILTERED])
    system.update(
        [*leaves("s", "<1>"), Atom("t", ("<1>", "<c>")), *leaves("t", "<2>"), Atom("s", ("<2>", "<b>"))]
        + [Atom("fine", (f"<s {number}>",)) for number in range(LEAVES)]
        + [Atom("good", (f"<t {number}>",)) for number in range(LEAVES)]
    )
    assert work(system, [Atom("in", ("<1>",))]) <= 3
    assert work(system, [Atom("in", ("<2>",))]) <= 3
    assert ("out", ("<1>",)) not in system.states()


def test_an_empty_posting_ends_a_rewrite_at_once() -> None:
    system = System()
    system.update(leaves("r", "<x>") + leaves("s", "<x>") + leaves("t", "<y>"), [STAR])
    assert work(system, [Atom("r", ("<x>", "<one more>"))]) == 1


def test_a_rule_that_lacks_a_relation_is_not_tried() -> None:
    system = System()
    system.update(leaves("r", "<x>") + leaves("s", "<x>"), [STAR])
    assert work(system, [Atom("r", ("<x>", "<one more>"))]) == 0


def test_one_edge_of_a_chain_costs_its_neighbours() -> None:
    """Connected atoms come first: the far end of the body is reached through the middle, not by a product."""
    rule = Rule((triple(A, "<far>", X),), tuple(triple(one, "<next>", two) for one, two in [(A, B), (B, C), (C, X)]))
    chain = [triple(f"<{number}>", "<next>", f"<{number + 1}>") for number in range(1_000)]
    system = System()
    system.update(chain[:500] + chain[501:], [rule])
    assert len(system.states()) == 999 + 498 + 497
    assert work(system, [chain[500]]) <= 3 * 3
    assert set(system.states()) == set(materialize(chain, [rule]))


def test_separate_parts_of_a_body_are_multiplied_once_nothing_connects_them() -> None:
    rule = Rule((Atom("pair", (X, Y)),), (Atom("p", (X, A)), Atom("mark", (A,)), Atom("q", (Y, B)), Atom("mark", (B,))))
    facts = [Atom("p", (f"<{n}>", f"<a{n}>")) for n in range(30)] + [
        Atom("q", (f"<{n}>", f"<b{n}>")) for n in range(30)
    ]
    marks = [Atom("mark", ("<a1>",)), Atom("mark", ("<b1>",)), Atom("mark", ("<b2>",))]
    system = System()
    system.bootstrap(facts + marks, [rule])
    assert {fact for fact in system.states() if fact[0] == "pair"} == {
        ("pair", ("<1>", "<1>")),
        ("pair", ("<1>", "<2>")),
    }
    assert system.engine._circuit.rewrites < 4 * 30 * 3
