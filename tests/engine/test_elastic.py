"""`auto`: what an Update is tried for, and when Bootstrap runs at once."""

from __future__ import annotations

import pytest

from kgreason.engine.elastic import FEW, FRACTION, Elastic
from kgreason.engine.encode import encode_facts
from kgreason.engine.engine import Changes
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.systems import System

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
CLOSURE = [
    Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),)),
    Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("edge", (Y, Z)))),
]


def chain(count: int, start: int = 0) -> list[Atom]:
    """A path of this many edges."""
    return [Atom("edge", (f"<{number}>", f"<{number + 1}>")) for number in range(start, start + count)]


def apart(count: int, name: str = "apart") -> list[Atom]:
    """Edges that no other edge goes on from."""
    return [Atom("edge", (f"<{name}>", f"<{name}{number}>")) for number in range(count)]


def edited(system: System, *, added: list[Atom] | None = None, gone: list[Atom] | None = None) -> Changes:
    """One commit by `auto`."""
    asserted, retracted = (encode_facts(atoms or [], system.engine.planner, system.intern) for atoms in (added, gone))
    return system.engine.commit(asserted, retracted)


def system(*facts: list[Atom]) -> System:
    """The closure of these edges, by Bootstrap."""
    made = System()
    made.bootstrap([atom for part in facts for atom in part], CLOSURE)
    return made


def test_what_only_arrives_is_an_update_however_much_it_derives() -> None:
    """A chain that becomes twice as long has four times the paths."""
    chains = system(chain(200))
    foreseen = chains.engine.work or 0
    changes = edited(chains, added=chain(200, 200))
    assert changes.rewrites > foreseen
    assert (changes.strategy, changes.switched) == ("update", False)


def test_more_than_there_is_arrives_by_bootstrap() -> None:
    small = system(chain(10))
    assert edited(small, added=apart(FEW)).strategy == "update"
    changes = edited(small, added=apart(3 * FEW, "others"))
    assert (changes.strategy, changes.switched) == ("bootstrap", False)
    assert len(small.engine) == 10 + 55 + 8 * FEW


def test_more_than_a_quarter_leaves_by_bootstrap() -> None:
    """Every edge is a path as well."""
    leaves = apart(8 * FEW)
    flat = system(leaves)
    changes = edited(flat, gone=leaves[: 4 * FEW + 1])
    assert (changes.strategy, changes.switched) == ("bootstrap", False)
    assert edited(flat, gone=leaves[4 * FEW + 1 :][:100]).strategy == "update"


def test_what_the_last_large_update_took_says_what_the_next_one_will() -> None:
    """The first of two deletions turns into a Bootstrap on the way, the second, of more links, is one at once."""
    links = chain(390)
    paths = system(links)
    first = edited(paths, gone=links[::5])
    assert (first.strategy, first.switched) == ("bootstrap", True)
    assert edited(paths, added=links[::5]).strategy == "update"
    second = edited(paths, gone=links[::3])
    assert (second.strategy, second.switched) == ("bootstrap", False)


def test_a_forecast_that_is_followed_counts_half() -> None:
    elastic = Elastic()
    elastic.evaluated(1_000_000, 100_000)
    elastic.updated(100, 100 * 1_000)
    allowed = elastic.share(100_000)
    assert allowed == int(FRACTION * 1_000_000)
    most = allowed // 1_000
    assert elastic.tries(0, most, 100_000)
    assert [elastic.tries(0, 3 * most, 100_000) for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("leaving", [1, 63])
def test_few_facts_say_nothing_and_are_always_tried(leaving: int) -> None:
    elastic = Elastic()
    elastic.evaluated(1_000_000, 100_000)
    elastic.updated(leaving, 10**9)
    assert elastic.tries(0, 20_000, 100_000)
    elastic.updated(64, 10**9)
    assert elastic.tries(0, leaving, 100_000)
    assert not elastic.tries(0, 64, 100_000)


def test_a_bootstrap_is_foreseen_by_the_number_of_facts() -> None:
    elastic = Elastic()
    assert elastic.work(10) is None
    assert not elastic.tries(1, 0, 0)
    elastic.evaluated(500, 100)
    assert elastic.work(300) == 1_500
