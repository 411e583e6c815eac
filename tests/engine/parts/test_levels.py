"""The number of kernel phases in a level does not depend on the number of rules (docs/architecture/commit.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from kgreason.engine.memory import layout as at
from kgreason.rules.model import Atom, Rule, Variable, triple
from tests.engine.systems import System

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
TYPE = "<type>"

FIRING = [
    *(Rule((triple(X, TYPE, f"<A{number + 1}>"),), (triple(X, TYPE, f"<A{number}>"),)) for number in range(5)),
    Rule((triple(X, "<above>", Z),), (triple(X, "<above>", Y), triple(Y, "<above>", Z))),
    Rule((triple(X, "<above>", Y),), (triple(X, "<on>", Y),)),
    Rule((triple(Y, "<below>", X),), (triple(X, "<above>", Y),)),
    Rule((triple(X, TYPE, "<B>"),), (triple(X, "<above>", Y), triple(Y, TYPE, "<A3>"))),
    Rule((triple(X, TYPE, "<B>"),), (triple(X, "<below>", Y), triple(Y, TYPE, "<B>"))),
]
FACTS = [
    *(triple(f"<n{number}>", "<on>", f"<n{number + 1}>") for number in range(20)),
    *(triple(f"<n{number}>", TYPE, "<A0>") for number in range(0, 20, 3)),
]


def idle(count: int) -> list[Rule]:
    """Rules that never fire: no fact meets them, or what they join with is missing."""
    return [
        Rule((triple(X, TYPE, f"<C{number}>"),), (triple(X, TYPE, f"<D{number}>"),))
        if number % 3
        else Rule((triple(X, TYPE, f"<C{number}>"),), (triple(X, TYPE, "<A1>"), triple(X, "<q>", f"<d{number}>")))
        for number in range(count)
    ]


def counters(system: System) -> list[int]:
    """Phases and levels run, and rewrites extended."""
    block = system.engine._circuit.block
    return [int(block[at.CALLS]), int(block[at.LEVELS]), int(block[at.REWRITES])]


def bootstrapped(rules: Iterable[Rule]) -> System:
    system = System()
    system.bootstrap(FACTS, rules)
    return system


def updated(rules: Iterable[Rule]) -> System:
    system = System()
    system.update([], rules)
    system.engine._circuit.block[[at.CALLS, at.LEVELS]] = 0
    system.update(FACTS)
    return system


@pytest.mark.parametrize("run", [bootstrapped, updated])
def test_five_thousand_rules_take_as_many_phases_as_ten(run: Callable[[Iterable[Rule]], System]) -> None:
    few, many = run(FIRING), run([*FIRING, *idle(5_000)])
    assert few.states() == many.states()
    assert counters(few) == counters(many)


def test_a_level_is_a_handful_of_phases() -> None:
    """Gatekeep, product and distinct, and product once more when its heads are taken in."""
    phases, levels, _ = counters(updated(FIRING))
    assert 3 * levels <= phases <= 4 * levels + 2


@pytest.mark.parametrize("count", [1, 1_000])
def test_rules_that_all_fire_share_their_phases(count: int) -> None:
    """One fact for each rule: 1,000 heads are one level, as one is."""
    rules = [Rule((Atom("q", (X,)),), (Atom("p", (X, f"<{number}>")),)) for number in range(count)]
    system = System()
    system.update([], rules)
    system.engine._circuit.block[[at.CALLS, at.LEVELS]] = 0
    assert len(system.update([Atom("p", ("<a>", f"<{number}>")) for number in range(count)])) == count + 1
    phases, levels, _ = counters(system)
    assert (phases <= 8, levels) == (True, 2)  # seven, and one more when the fact table has to grow


def test_new_rules_are_one_scan_however_many() -> None:
    few, many = (bootstrapped([]) for _ in range(2))
    for system, rules in ((few, FIRING), (many, [*FIRING, *idle(5_000)])):
        system.engine._circuit.block[[at.CALLS, at.LEVELS]] = 0
        system.update([], rules)
    assert few.states() == many.states()
    assert counters(few)[:2] == counters(many)[:2]
