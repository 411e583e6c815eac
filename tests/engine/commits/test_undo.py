"""A commit is atomic: whatever `check` raises, at whatever point, leaves the state and the rules as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.limits import Check
from kgreason.engine.memory import layout as at
from kgreason.engine.program.shapes import EncodedRule
from kgreason.rules.model import Atom, Rule, Variable, triple
from tests.engine.parts import arrangements
from tests.engine.small_rooms import small_quantum, small_rooms
from tests.engine.systems import System, no_check
from tests.oracle.datalog import Fact, State, materialize, violations
from tests.strategies.programs import fact_sets, programs
from tests.volume import many

Commit: TypeAlias = tuple[set[Atom], list[Rule]]
Evaluate: TypeAlias = Callable[[System, Commit, Check], None]
COMMITS = st.tuples(fact_sets(), programs())
X, Y, Z = Variable("x"), Variable("y"), Variable("z")
CHAIN = [Atom("edge", (f"<{number}>", f"<{number + 1}>")) for number in range(12)]
CLOSURE = [
    Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),)),
    Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("path", (Y, Z)))),
]


class Cancelled(BaseException):
    """What a user's Ctrl-C is: no Exception."""


class Cancel:
    """A check that raises at its n-th call, or never; `calls` counts."""

    def __init__(self, here: int = -1) -> None:
        self.at, self.calls = here, 0

    def __call__(self) -> None:
        self.calls += 1
        if self.calls == self.at:
            raise Cancelled


class Snapshot(NamedTuple):
    """What a commit that fails must not change."""

    states: dict[Fact, State]
    rules: frozenset[EncodedRule]
    counts: dict[int, int]


@pytest.fixture(autouse=True, scope="module")
def _small_quantum() -> Iterator[None]:
    with small_quantum():
        yield


def snapshot(system: System, keys: int) -> Snapshot:
    """The state, the active rules, and how many facts meet each of the first trigger keys."""
    counts = system.engine._circuit.memory["key_count"][:keys].tolist()
    return Snapshot(system.states(), frozenset(system.engine.rules), dict(enumerate(counts)))


def is_consistent(system: System) -> bool:
    """Every present row is old, is found where it is, and is as much as there is."""
    facts, rows = system.engine.facts, system.engine.facts.present_rows()
    states = system.engine._circuit.memory["rows"][rows, at.STATE]
    return (
        bool((states & at.AGE == at.OLD).all())
        and facts.find(facts.columns(rows)[0]).tolist() == rows.tolist()
        and np.count_nonzero(system.engine._circuit.memory["entries"]) == len(rows) == len(system.engine)
    )


def started(commit: Commit) -> System:
    system = System()
    system.bootstrap(*commit)
    return system


def update(system: System, commit: Commit, check: Check) -> None:
    system.update(*commit, check)


def bootstrap(system: System, commit: Commit, check: Check) -> None:
    system.bootstrap(*commit, check)


@pytest.mark.parametrize("evaluate", [update, bootstrap])
@settings(max_examples=many(20))
@given(COMMITS, COMMITS, COMMITS, st.randoms(use_true_random=False))
def test_a_commit_that_fails_changes_nothing(
    evaluate: Evaluate, first: Commit, second: Commit, third: Commit, random: Random
) -> None:
    counted = Cancel()
    twin = started(first)
    evaluate(twin, second, counted)

    system = started(first)
    keys = system.engine._planner.key_info.n
    before = snapshot(system, keys)
    if counted.calls:
        with pytest.raises(Cancelled):
            evaluate(system, second, Cancel(random.randint(1, counted.calls)))
    assert snapshot(system, keys) == before
    assert is_consistent(system)

    evaluate(system, second, no_check)
    assert system.states() == twin.states()
    update(system, third, no_check)
    update(twin, third, no_check)
    assert system.states() == twin.states()
    assert is_consistent(system)


@pytest.mark.parametrize("evaluate", [update, bootstrap])
@settings(max_examples=many(20))
@given(COMMITS, COMMITS, COMMITS)
def test_nothing_of_a_failed_commit_is_left(evaluate: Evaluate, first: Commit, failed: Commit, third: Commit) -> None:
    """The planner still knows the rules and keys of the failed commit; none of them fires."""
    system = started(first)
    with pytest.raises(Cancelled):
        evaluate(system, (failed[0] | {CHAIN[0]}, failed[1]), Cancel(1))
    update(system, third, no_check)
    rules = list(dict.fromkeys(first[1] + third[1]))
    expected = materialize(first[0] | third[0], rules)
    states = system.states()
    assert {fact: state.asserted for fact, state in states.items()} == {
        fact: state.asserted for fact, state in expected.items()
    }
    assert violations(states, rules) == []


@pytest.mark.parametrize("evaluate", [update, bootstrap])
def test_every_point_of_a_commit_can_fail(evaluate: Evaluate) -> None:
    counted, commit = Cancel(), (set(CHAIN), CLOSURE)
    first = set(CHAIN[3:5]), CLOSURE[:1]
    twin = started(first)
    before = twin.states()
    evaluate(twin, commit, counted)
    assert counted.calls > 10
    for here in range(1, counted.calls + 1):
        system = started(first)
        with pytest.raises(Cancelled):
            evaluate(system, commit, Cancel(here))
        assert system.states() == before
        assert is_consistent(system)
        evaluate(system, commit, no_check)
        assert system.states() == twin.states()


def test_failed_commits_leave_memory_bounded() -> None:
    system = started((set(CHAIN), []))
    sizes = []
    for _ in range(30):
        with pytest.raises(Cancelled):
            update(system, (set(), CLOSURE), Cancel(10))
        sizes.append((int(system.engine._circuit.block[at.N_ROWS]), system.engine.nbytes))
    assert sizes[-1] == sizes[2]


def test_a_rule_that_failed_is_new_when_it_comes_again() -> None:
    system = started((set(CHAIN), []))
    with pytest.raises(Cancelled):
        update(system, (set(), CLOSURE[:1]), Cancel(1))
    assert system.engine.rules == []
    assert len(system.update([], CLOSURE[:1])) == len(CHAIN)


def test_an_asserted_flag_is_taken_back() -> None:
    system = started((set(CHAIN), CLOSURE))
    before = system.states()
    with pytest.raises(Cancelled):
        update(system, ({Atom("path", ("<0>", "<5>"))}, []), Cancel(1))
    assert not before["path", ("<0>", "<5>")].asserted
    assert system.states() == before


def test_a_segment_that_stops_half_way_leaves_no_counts() -> None:
    """The hits of a segment have no room; by then some of its facts are counted for the pattern `?s ?p ?o`."""
    rules = [
        Rule((Atom("found", (Y,)),), (triple(X, Y, Z), Atom("wanted", (Y,)))),
        Rule((Atom("left", (X,)),), (triple(X, "<p>", Y),)),
        Rule((Atom("right", (X,)),), (triple(X, Y, "<o>"),)),
    ]
    facts = {triple(f"<{number}>", "<p>", "<o>") for number in range(16)}
    with small_rooms(segment=16):
        counted = Cancel()
        update(started(({Atom("wanted", ("<p>",))}, rules)), (facts, []), counted)
        for here in range(1, counted.calls + 1):
            system = started(({Atom("wanted", ("<p>",))}, rules))
            with pytest.raises(Cancelled):
                update(system, (facts, []), Cancel(here))
            update(system, (facts, []), no_check)
            arrangements.check(system.engine._circuit)
            assert len(system.states()) == 1 + 16 + 1 + 32
