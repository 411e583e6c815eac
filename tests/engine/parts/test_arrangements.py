"""Rows enter the arrangements when they arrive and leave them when they go, whatever a commit's end is."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine import circuit
from kgreason.engine.changes import Strategy
from kgreason.engine.index import candidates
from kgreason.engine.index.arrangements import Arrangements
from kgreason.engine.memory import layout as at
from kgreason.engine.records import Snapshot
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.parts.arrangements import check, groups_of
from tests.engine.small_rooms import counted_as_large, few_notes, filled_by_comparing
from tests.engine.systems import System, encode_facts
from tests.histories.history import History
from tests.strategies.programs import histories
from tests.volume import many

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
HUB = "<hub>"
RULES = (
    Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),)),
    Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("edge", (Y, Z)))),
    Rule((Atom("loop", (X,)),), (Atom("path", (X, X)),)),
    Rule((Atom("sibling", (X, Y)),), (Atom("edge", (HUB, X)), Atom("edge", (HUB, Y)))),
    Rule((Atom("path", (Y, X)),), (Atom("path", (X, Y)), Atom("loop", (X,)))),
)


@pytest.mark.parametrize("share", [0, 4, 1_000])
@pytest.mark.parametrize("few", [False, True])
@settings(max_examples=many(12))
@given(histories())
def test_every_commit_keeps_the_arrangements(few: bool, share: int, history: History) -> None:
    """Whether no key is met by many rows, some are, or all; with few notes, one row is noted at a time."""
    with counted_as_large(share), few_notes() if few else nullcontext():
        system = System()
        for commit in history:
            system.engine.begin()
            system.apply(*commit, strategy="update")
            system.engine.rollback()
            check(system.engine._circuit)
            system.commit(*commit, strategy="update")
            check(system.engine._circuit)


@settings(max_examples=many(12))
@given(histories(), st.sampled_from(["update", "bootstrap"]))
def test_arrangements_that_are_filled_by_comparing_are_those_of_a_look_at_each_row(
    history: History, strategy: Strategy
) -> None:
    other = System()
    with filled_by_comparing():
        system = System()
        for commit in history:
            system.commit(*commit, strategy=strategy)
            check(system.engine._circuit)
    for commit in history:
        other.commit(*commit, strategy=strategy)
    assert _groups(system) == _groups(other)


@pytest.mark.parametrize("is_compared", [True, False])
def test_an_arrangement_that_is_filled_late_grows_on_the_way(is_compared: bool) -> None:
    edges = [Atom("edge", (f"<{number // 3}>", f"<{number}>")) for number in range(3_300)]
    system = System()
    system.update(edges)
    with filled_by_comparing() if is_compared else nullcontext():
        system.update([Atom("path", ("<0>", "<1>"))], RULES[:2])
        check(system.engine._circuit)
    assert max(map(len, _groups(system).values())) == 3
    assert len(_groups(system)) >= 1_000


def _groups(system: System) -> dict[tuple[int, int], list[int]]:
    """The rows of each group in their order, by arrangement and first row."""
    groups = groups_of(system.engine._circuit)
    return {(int(group[at.GROUP_ARRANGEMENT]), int(group[at.GROUP_FIRST])): rows for group, rows in groups}


@settings(max_examples=many(12))
@given(histories(), st.integers(0, 2**32 - 1))
def test_the_counts_of_keys_are_those_of_a_recount(history: History, seed: int) -> None:
    """After commits by either strategy, after commits that are undone, and in a circuit that takes the counts over."""
    random, system = Random(seed), System()
    for commit in history:
        system.engine.begin()
        system.apply(*commit, strategy=random.choice(("update", "bootstrap")))
        if random.random() < 0.3:
            system.engine.rollback()
        else:
            system.engine.accept()
        assert _key_counts(system) == _recounted(system)
    expected, engine = _key_counts(system), system.engine
    engine._circuit.close_gaps()
    saved = engine._circuit.snapshot(engine.facts.whole_records())
    assert saved
    for kept in (slice(None), slice(seed % 2, None, 2), slice(0)):
        taken = Snapshot(saved.rows.copy(), saved.hashed.copy(), saved.keys[kept])
        engine.restore(taken.rows, engine.rules, hashed=taken.hashed, snapshot=taken)
        assert engine._circuit.memory["rows"] is taken.rows
        assert _key_counts(system) == expected
    engine._circuit.arrangements.empty_and_recount()
    assert _key_counts(system) == expected


Counts = dict[tuple[int, ...], int]


def _key_counts(system: System) -> Counts:
    """The count of each key; a key is the number of its table, and a constant or 0 for each column."""
    lines = system.engine._circuit.arrangements.key_counts().tolist()
    counts = {tuple(key): count for count, *key in lines}
    assert len(counts) == len(lines)
    return counts


def _recounted(system: System) -> Counts:
    """The counts of the same keys by a look at each present fact."""
    facts = system.engine.facts
    columns, tables = (each.tolist() for each in facts.columns(facts.present_rows()))
    return {
        key: sum(
            table == key[0] and all(one in (0, other) for one, other in zip(key[1:], row, strict=True))
            for row, table in zip(columns, tables, strict=True)
        )
        for key in _key_counts(system)
    }


def test_rows_of_the_same_commit_are_entered_where_an_ask_comes_late() -> None:
    """The row of `far` is met a level ahead of the plan that first asks for such rows, after the list was made."""
    near = Rule((Atom("found", (X, Z)),), (Atom("near", (X, Y)), Atom("edge", (Y, Z))))
    far = Rule((Atom("found", (X, Z)),), (Atom("far", (X, Y)), Atom("step", (Y, Z))))
    late = Rule((Atom("step", (X, Y)),), (Atom("first", (X, Y)),))
    with counted_as_large(0):
        system = System()
        system.update([Atom("near", ("<1>", "<b>"))], [near])
        system.update([Atom("edge", ("<b>", "<c>"))])
        system.update([], [far, late])
        found = system.update([Atom("far", ("<a>", "<b>")), Atom("first", ("<b>", "<d>"))])
    assert ("found", ("<a>", "<d>")) in found
    check(system.engine._circuit)


def test_rows_that_many_facts_share_a_key_with_wait_until_they_are_asked_for() -> None:
    """Rows of `edge` stand in no arrangement before the first `link`, without which the rule that asks has no facts."""
    asking = Rule((Atom("found", (X, Z)),), (Atom("edge", (X, Y)), Atom("link", (Y, Z))))
    other = Rule((Atom("found", (X, Z)),), (Atom("path", (X, Y)), Atom("path", (Y, Z))))
    system = System()
    edges = [Atom("edge", (f"<{number}>", "<b>")) for number in range(400)]
    system.bootstrap([*edges, Atom("path", ("<1>", "<2>")), Atom("path", ("<2>", "<3>"))], [asking, other])
    memory = system.engine._circuit.memory
    assert memory["groups"][:, at.GROUP_LENGTH].sum() == 4
    assert len(system.update([Atom("link", ("<b>", "<c>"))])) == 401
    check(system.engine._circuit)


@settings(max_examples=many(5))
@given(st.integers(0, 10_000))
def test_hubs_keep_dead_rows_for_a_while(seed: int) -> None:
    """Long groups, in which rows stay as dead until an eighth is; commits that are undone among those that stand."""
    random, system = Random(seed), System()
    facts: set[Atom] = set()
    active: set[Rule] = set()
    for _ in range(12):
        wishes = dict.fromkeys((_edge(random) for _ in range(random.choice((0, 1, 4, 10)))), 1)
        wishes |= dict.fromkeys(random.sample(sorted(facts), min(len(facts), random.choice((0, 1, 1, 6)))), -1)
        rules = {rule: -1 if rule in active else 1 for rule in RULES if random.random() < 0.2}
        before = system.states()
        system.engine.begin()
        system.apply(wishes, rules, "update")
        if random.random() < 0.3:
            system.engine.rollback()
            assert system.states() == before
        else:
            system.engine.accept()
            facts = {fact for fact in facts | wishes.keys() if wishes.get(fact, 1) > 0}
            active ^= rules.keys()
        check(system.engine._circuit)


@pytest.mark.parametrize("leaving", [25, 26, 60, 199])
def test_many_rows_leave_one_long_group_in_one_commit(leaving: int) -> None:
    """From the 26th row on the group is compacted while later rows still wait; also in a commit that is undone."""
    system = System()
    edges = [Atom("edge", (HUB, f"<{i}>")) for i in range(200)]
    system.commit(dict.fromkeys(edges, 1), {RULES[1]: 1, RULES[0]: 1, RULES[3]: 1}, strategy="update")
    system.commit(dict.fromkeys(edges[:leaving], -1), {}, strategy="update")
    check(system.engine._circuit)
    before = system.states()
    system.engine.begin()
    system.apply(dict.fromkeys(edges[:leaving], 1), {}, "update")
    system.engine.rollback()
    assert system.states() == before
    check(system.engine._circuit)
    system.commit(dict.fromkeys(edges[:5], 1), {}, strategy="update")
    check(system.engine._circuit)


def test_an_interrupt_while_an_array_is_full_leaves_no_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System()
    edges = [Atom("edge", (f"<{i % 50}>", f"<{i}>")) for i in range(600)]
    system.commit(dict.fromkeys(edges[:40], 1), dict.fromkeys(RULES[:1] + RULES[3:4], 1), strategy="update")

    def interrupted(_: Arrangements) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Arrangements, "grow", interrupted)
    with pytest.raises(KeyboardInterrupt):
        system.commit(dict.fromkeys(edges, 1), dict.fromkeys(RULES[1:3], 1), strategy="update")
    monkeypatch.undo()
    check(system.engine._circuit)
    system.commit(dict.fromkeys(edges[40:], 1), dict.fromkeys(RULES[1:3], 1), strategy="update")
    check(system.engine._circuit)


def _edge(random: Random) -> Atom:
    return Atom("edge", (*(HUB if random.random() < 0.4 else f"<{random.randrange(9)}>" for _ in range(2)),))


def test_rows_that_a_bootstrap_derives_after_the_list_was_made_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue is first asked amid a Bootstrap: `edge` was large when its arrangement was made, not later."""
    rules = [_join("r", "p", "q"), _join("u", "link", "edge"), _join("big", "x", "y")]
    chain = ("r", "first", "link", "late", "later", "latest")
    rules += [_copy(after, before) for before, after in pairwise(chain)]
    facts = [Atom("p", ("<1>", "<2>")), Atom("q", ("<2>", "<3>"))]
    for number in range(10):
        facts += [Atom("edge", (f"<e{number}>", "<m>")), Atom("edge", ("<m>", f"<f{number}>"))]
    for number in range(30):
        facts += [Atom("x", (f"<{number}>", "<c>")), Atom("y", ("<c>", f"<{number}>"))]
    monkeypatch.setattr(candidates, "_LOOKS", 0)
    system = System()
    system.bootstrap(facts, rules)
    assert system.engine._circuit.catalogue.is_listed
    assert system.update([], [_copy("new", "latest")]) == {("new", ("<1>", "<3>"))}


def _join(head: str, first: str, second: str) -> Rule:
    return Rule((Atom(head, (X, Z)),), (Atom(first, (X, Y)), Atom(second, (Y, Z))))


def _copy(head: str, body: str) -> Rule:
    return Rule((Atom(head, (X, Y)),), (Atom(body, (X, Y)),))


def test_an_arrangement_that_could_not_be_made_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Explaining needs one, memory is short, and the next explanation has all derivations."""
    system = System()
    pairs = [(Atom("p", ("<a>", f"<{number}>")), Atom("q", (f"<{number}>", "<b>"))) for number in range(3_000)]
    system.bootstrap([fact for pair in pairs for fact in pair], [_join("r", "p", "q")])
    engine = system.engine
    engine.restore(engine.facts.records(engine.facts.present_rows()), engine.rules)
    row = engine.facts.find(np.array([system.intern(["r/2", "<a>", "<b>"])]))[0]

    def fail(_: Arrangements) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Arrangements, "grow", fail)
        with pytest.raises(MemoryError):
            engine.derivations(int(row))
    assert len(engine.derivations(int(row))) == 3_000


def test_large_keys_are_known_beyond_32_bits_and_after_reopening() -> None:
    system = System()
    system.bootstrap([Atom("edge", (f"<{number}>", "<b>")) for number in range(400)], [_copy("path", "edge")])
    engine = system.engine
    engine.restore(engine.facts.records(engine.facts.present_rows()), engine.rules)
    arrangements = engine._circuit.arrangements
    counts = engine._circuit.memory["key_count"]
    (key,) = np.flatnonzero(counts == 400)
    counts[key] = 2**27 + 1
    assert arrangements._are_large(np.array([key])).tolist() == [True]
    counts[key] = 3
    assert arrangements._are_large(np.array([key])).tolist() == [False]


def test_a_long_group_is_not_walked_for_one_row() -> None:
    """A row that leaves a hub of 1,000 is dead there; its place is used again once an eighth is dead."""
    system = System()
    spokes = [Atom("edge", (HUB, f"<{number}>")) for number in range(1_000)]
    system.update([*spokes, Atom("edge", ("<0>", "<x>"))], [Rule((Atom("p", (X, Z)),), (*_two_steps(),))])
    block = system.engine._circuit.block
    dead = []
    for fact in spokes[:300]:
        system.commit({fact: -1}, {}, "update")
        dead.append(int(block[at.N_DEAD]))
    assert max(dead) > 50
    assert dead[-1] < 125
    check(system.engine._circuit)


def _two_steps() -> tuple[Atom, Atom]:
    return Atom("edge", (X, Y)), Atom("edge", (Y, Z))


def test_pairs_leave_memory_bounded() -> None:
    """Facts that come and go beside a closure: rows, postings and groups are used again."""
    system = System()
    system.update([Atom("edge", (f"<{number}>", f"<{number + 1}>")) for number in range(30)], RULES)
    sizes = []
    for number in range(600):
        fact = Atom("edge", (f"<{number % 31}>", f"<{number * 7 % 31}>"))
        if fact not in [Atom("edge", (f"<{n}>", f"<{n + 1}>")) for n in range(30)]:
            system.commit({fact: 1}, {}, "update")
            system.commit({fact: -1}, {}, "update")
        block = system.engine._circuit.block
        sizes.append((int(block[at.N_ROWS]), int(block[at.N_POSTINGS]), system.engine.nbytes))
    early, late = ([max(column) for column in zip(*part, strict=True)] for part in (sizes[:200], sizes[200:]))
    assert all(end <= 1.2 * start for start, end in zip(early, late, strict=True))
    check(system.engine._circuit)


def test_a_change_that_is_rolled_back_gives_its_room_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit, "_SPARSE", 100)
    system = System()
    edges = [Atom("edge", (f"<{number}>", f"<{number + 1}>")) for number in range(40)]
    system.update(edges[:5], RULES)
    kept, large = system.states(), encode_facts(edges, system.engine._planner, system.intern)
    system.engine.begin()
    system.engine.apply(large, strategy="update")
    full = system.engine.nbytes
    system.engine.rollback()
    assert system.states() == kept
    assert system.engine._circuit.block[at.N_ROWS] == len(system.engine) == 20
    assert system.engine.nbytes < full
    check(system.engine._circuit)
    system.update(edges, [])
    check(system.engine._circuit)


def test_a_table_that_is_mostly_free_is_compacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit, "_SPARSE", 100)
    system = System()
    edges = [Atom("edge", (f"<{number}>", f"<{number + 1}>")) for number in range(40)]
    system.update(edges, RULES)
    full = system.engine.nbytes
    system.commit(dict.fromkeys(edges[5:], -1), {}, "update")
    kept = system.states()
    assert system.engine._circuit.block[at.N_ROWS] == len(system.engine) == 20
    assert system.engine.nbytes < full
    check(system.engine._circuit)
    system.commit(dict.fromkeys(edges[5:], 1), {}, "update")
    system.commit(dict.fromkeys(edges[5:], -1), {}, "update")
    assert system.states() == kept
    assert np.count_nonzero(system.engine._circuit.memory["entries"]) == 20
