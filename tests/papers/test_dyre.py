"""DBSP and DYRE, worked: streams by time, a join on changes, a nested stream, and a program that changes.

Sources: Budiu et al., *DBSP*, sections 2 to 5; Carneiro de Lima et al., *Incremental Evaluation of Dynamic Datalog
Programs as a Higher-order DBSP Program*, section 4 (the grounding kit) and Fig. 1 to 3 (the circuits).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest

from kgreason.circuit import incremental, zset
from kgreason.circuit.grounding import START, gatekeep, ground, product
from kgreason.circuit.kit import directions, signals
from kgreason.circuit.operators import delay, differentiate, eliminate, hold, impulse, integrate, introduce, lift
from kgreason.circuit.reference import ReferenceCircuit
from kgreason.circuit.stream import Circuit, Stream
from kgreason.circuit.zset import ZSet
from kgreason.rules.model import Atom
from tests.circuit.programs import BASE, CHAIN, CLOSURE, STEP, X, Y, Z, edge, path
from tests.circuit.streams import Row, Table, tabled, values, values_of
from tests.tables import table

KINDS: tuple[Literal["naive", "incremental", "indexed"], ...] = ("naive", "incremental", "indexed")
R, S, T = (1, 1), (2, 2), (3, 3)
STATES: list[ZSet[Row]] = [{R: 1}, {R: 2, S: 1}, {S: 1}, {S: 1, T: -1}]
"""A Z-set at four times: a second copy of R comes with S, both copies leave, and a T is owed."""
CHANGES: list[ZSet[Row]] = [{R: 1}, {R: 1, S: 1}, {R: -2}, {T: -1}]


def by_time(rows: list[ZSet[Row]]) -> dict[tuple[int, ...], ZSet[Row]]:
    return {(time,): row for time, row in enumerate(rows) if row}


def distinct(s: Stream[Row]) -> Stream[Row]:
    return lift(zset.distinct, s)


@table(
    ("operator", "given", "expected"),
    [
        (lambda s: delay(s, 0), STATES, [{}, *STATES[:3]]),
        (lambda s: differentiate(s, 0), STATES, CHANGES),
        (lambda s: integrate(s, 0), CHANGES, STATES),
        (distinct, STATES, [{R: 1}, {R: 1, S: 1}, {S: 1}, {S: 1}]),
        (lambda s: incremental.distinct(s, 0), CHANGES, [{R: 1}, {S: 1}, {R: -1}, {}]),
    ],
)
def test_a_relation_by_time(
    operator: Callable[..., Stream[Row]],
    given: list[ZSet[Row]],
    expected: list[ZSet[Row]],
) -> None:
    """`distinct` on changes says nothing of the second copy of R, and nothing of the T that is owed."""
    assert values_of(operator, (4,), by_time(given)) == by_time(expected)


def test_a_join_on_changes_meets_the_past_of_either_side() -> None:
    """Time 1 has all three terms: old a with new b, new a with old b, new a with new b."""
    a: Table[Row] = {(0,): {(1, 5): 1}, (1,): {(2, 5): 1}, (2,): {(1, 5): -1}}
    b: Table[Row] = {(0,): {(5, 7): 1}, (1,): {(5, 8): 1}}

    def composed(left: ZSet[Row], right: ZSet[Row]) -> ZSet[Row]:
        return zset.join(left, right, lambda row: row[1], lambda row: row[0], lambda x, y: (x[0], y[1]))

    assert values_of(lambda a, b: incremental.bilinear(composed, a, b, 0), (3,), a, b) == {
        (0,): {(1, 7): 1},
        (1,): {(1, 8): 1, (2, 7): 1, (2, 8): 1},
        (2,): {(1, 7): -1, (1, 8): -1},
    }


def test_a_relation_enters_a_nested_stream_once_and_leaves_it_as_it_was() -> None:
    """delta_0 puts a value at inner time 0; its inner integral is the value at each inner time, and the way out."""
    rows = by_time(CHANGES[:2])
    inside = {(0, 0): rows[0,], (1, 0): rows[1,]}
    held = {(time, inner): rows[time,] for time in range(2) for inner in range(3)}
    circuit = Circuit()
    s = tabled(circuit, 1, rows)
    entered = introduce(s)
    for stream, expected in ((entered, inside), (integrate(entered, 1), held), (hold(s), held)):
        circuit.now = 0
        assert values(stream, 2, 3) == expected
    circuit.now = 0
    assert values(eliminate(entered, entered), 2) == rows
    assert values(impulse(circuit, {R: 1}), 4) == {(2,): {R: 1}}, "the impulse comes at the next commit alone"


def test_a_walk_along_the_body_of_a_rule() -> None:
    """Section 4: gates, rewrites and heads of `path(?x, ?z) :- edge(?x, ?y), path(?y, ?z)`, step by step."""
    kit, heads = directions({STEP: 1}), signals({STEP: 1})
    facts = {edge("a", "b"): 1, edge("b", "c"): 1, path("b", "c"): 1}
    gates = gatekeep({START: 1}, kit)
    assert [(gate.atom, gate.substitution) for gate in gates] == [(edge(X, Y), ())]
    first = product(gates, facts)
    assert {rewrite.substitution for rewrite in first} == {((X, "a"), (Y, "b")), ((X, "b"), (Y, "c"))}
    assert ground(first, heads) == {}
    gates = gatekeep(first, kit)
    assert {gate.atom for gate in gates} == {path("b", Z), path("c", Z)}
    second = product(gates, facts)
    assert [rewrite.substitution for rewrite in second] == [((X, "a"), (Y, "b"), (Z, "c"))]
    assert gatekeep(second, kit) == {}
    assert ground(second, heads) == {path("a", "c"): 1}


@pytest.mark.parametrize("kind", KINDS)
def test_facts_and_rules_come_and_go_in_each_circuit(kind: Literal["naive", "incremental", "indexed"]) -> None:
    """Fig. 1 to 3 on one history: what each commit changes, and the level of each fact after it."""
    circuit = ReferenceCircuit(kind)

    def pairs(*texts: str) -> set[Atom]:
        return {path(*text) for text in texts}

    def follow(facts: dict[Atom, int], rules: dict[object, int], came: set[Atom], left: set[Atom]) -> None:
        delta = circuit.commit(facts, rules)  # type: ignore[arg-type]
        assert delta == facts | dict.fromkeys(came, 1) | dict.fromkeys(left, -1)

    follow(CHAIN, {}, set(), set())
    follow({}, {BASE: 1}, pairs("ab", "bc", "cd"), set())
    follow({}, {STEP: 1}, pairs("ac", "bd", "ad"), set())
    assert circuit.levels() == [set(CHAIN), pairs("ab", "bc", "cd"), pairs("ac", "bd"), pairs("ad")]
    follow({edge("a", "d"): 1}, {}, set(), set())
    assert circuit.levels()[1:] == [pairs("ab", "bc", "cd", "ad"), pairs("ac", "bd")], "ad has a shorter derivation"
    follow({edge("b", "c"): -1}, {}, set(), pairs("bc", "ac", "bd"))
    follow({edge("d", "a"): 1}, {}, pairs("aa", "ca", "da", "db", "dd", "cb"), set())
    follow({}, {BASE: -1}, set(), circuit.facts() - {edge(*pair) for pair in ("ab", "cd", "ad", "da")})


def test_rules_that_begin_alike_share_what_they_have_matched() -> None:
    """The closure has three atoms and two directions: both rules begin with an edge."""
    assert sum(directions(CLOSURE).values()) == 3
    assert len(directions(CLOSURE)) == 2
