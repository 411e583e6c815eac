"""Recursion through MIN and MAX in parts, beside one process: a value that improves takes the former one back."""

from __future__ import annotations

from random import Random
from typing import ClassVar

import numpy as np
import pytest

from kgreason.errors import KgreasonError, LimitError
from kgreason.spark.rounds import operators, tasks
from kgreason.spark.rounds.operators import PartOperators
from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.plan import FIRST, FLAG, MOST_ALIKE, OperatorsPlan, Sent
from kgreason.zset.columns import Int32
from tests.spark.programs import EQUALITY, rules_in, triples_in
from tests.spark.rounds.whole import Whole
from tests.volume import many

AFTER = """
    [?y, :missed, 1] :- [?x, :edge, ?y], NOT EXISTS ?d IN ([?y, :best, ?d]) .
    [:all, :most, ?n] :- AGGREGATE([?y, :best, ?d] BIND MAX(?d) AS ?n) .
    [?y, :level, ?n] :- [?y, :best, ?d], BIND(?d * 2 AS ?n) .
    [?d, :at, ?n] :- AGGREGATE([?y, :best, ?d] ON ?d BIND COUNT(?y) AS ?n) .
    """
PROGRAMS = {
    "shortest": """
        candidate(?y, 0) :- [?y, :is, :start] .
        candidate(?y, ?c) :- [?x, :best, ?d], [?e, :from, ?x], [?e, :to, ?y], [?e, :long, ?l], NOT [?y, :is, :closed],
            BIND(?d + ?l AS ?c) .
        [?y, :best, ?d] :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .
        """,
    "widest": """
        candidate(?y, 99) :- [?y, :is, :start] .
        candidate(?y, ?c) :- [?x, :best, ?d], [?e, :from, ?x], [?e, :to, ?y], [?e, :long, ?l],
            BIND(IF(?d < ?l, ?d, ?l) AS ?c) .
        [?y, :best, ?d] :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MAX(?c) AS ?d) .
        """,
    "components": """
        [?x, :to, ?y] :- [?x, :edge, ?y] .
        [?y, :to, ?x] :- [?x, :edge, ?y] .
        candidate(?x, ?n) :- [?x, :number, ?n] .
        candidate(?y, ?n) :- [?x, :best, ?n], [?x, :to, ?y] .
        [?x, :best, ?m] :- AGGREGATE(candidate(?x, ?n) ON ?x BIND MIN(?n) AS ?m) .
        """,
    "two": """
        near(?y, 0) :- [?y, :is, :start] .
        near(?y, ?c) :- [?x, :first, ?d], [?x, :edge, ?y], BIND(?d + 1 AS ?c) .
        [?y, :first, ?d] :- AGGREGATE(near(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .
        far(?y, ?d) :- [?y, :first, ?d], NOT [?y, :is, :closed] .
        far(?y, ?c) :- [?x, :best, ?d], [?y, :edge, ?x], [?x, :number, ?n], BIND(IF(?d < ?n, ?d, ?n) AS ?c) .
        [?y, :best, ?d] :- AGGREGATE(far(?y, ?c) ON ?y BIND MAX(?c) AS ?d) .
        """,
}


def case(name: str, seed: int) -> Whole:
    """A random graph with lengths. A node may have two names."""
    random, triples = Random(f"{name} {seed}"), ["n0 is start"]
    nodes = random.randint(2, 12)
    for number in range(random.randint(1, 3 * nodes)):
        one, other = (f"n{random.randrange(nodes)}" for _ in "ab")
        triples += [f"e{number} from {one}", f"e{number} to {other}", f"e{number} long {random.randint(0, 9)}"]
        triples += [f"{one} edge {other}"]
    triples += [f"n{n} number {random.randint(0, 9)}" for n in range(nodes)]
    triples += [f"n{random.randrange(1, nodes)} is closed"] if random.random() < 0.3 else []
    is_linked = random.random() < 0.3
    triples += [f"n{random.randrange(nodes)} same n{random.randrange(nodes)}"] if is_linked else []
    return Whole(triples_in(*triples), rules_in((EQUALITY if is_linked else "") + PROGRAMS[name] + AFTER))


def is_right(whole: Whole, parts: int, most: int = MOST_ALIKE, *, are_new: bool = False) -> bool:
    """Whether parts give the triples and flags of one process.

    Parts may have more results of expressions: those for worse values that one process never had together.
    """
    try:
        one, several = whole.in_parts(parts, most, are_new=are_new)
    except (AssertionError, KgreasonError):
        return False
    triples = whole.plan(parts).tables.index((True, 3))
    return {row for row in one if row[1] == triples} == {row for row in several if row[1] == triples}


@pytest.mark.parametrize("parts", [1, 2, 5, 16])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_best_values_are_those_of_one_process(name: str, parts: int) -> None:
    assert [seed for seed in range(many(2)) if not is_right(case(name, seed), parts)] == []


@pytest.mark.parametrize("parts", [1, 2, 5, 16])
@pytest.mark.parametrize("name", PROGRAMS)
def test_many_random_graphs(name: str, parts: int) -> None:
    assert [seed for seed in range(100, 100 + many(15)) if not is_right(case(name, seed), parts)] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_parts_that_are_made_anew_and_values_that_are_divided(name: str) -> None:
    assert is_right(case(name, 7), 3, are_new=True)
    assert is_right(case(name, 8), 5, most=0)


PATHS = [
    *("n0 is start", "a from n0", "a to n1", "a long 9", "b from n0", "b to n2", "b long 1", "c from n2", "c to n1"),
    *("c long 2", "d from n1", "d to n3", "d long 1", "e from n3", "e to n1", "e long 0"),
]


def paths() -> Whole:
    return Whole(triples_in(*PATHS), rules_in(PROGRAMS["shortest"] + AFTER))


class Remembers(EnginePart):
    """A part that keeps what it has received from other parts when it is made anew."""

    received: ClassVar[dict[int, list[Int32]]] = {}

    def receive(self, rows: Int32) -> Sent:
        """Only values leave."""
        earlier = self.received.setdefault(self._number, [])
        values = [relation for level, relation in self._plan.operators.outlasts if level]
        every = np.concatenate([rows, *earlier])
        earlier.append(rows[~np.isin(rows[:, FIRST], values)])
        return super().receive(np.unique(every, axis=0))


def worse_values_stay(self: PartOperators, level: int, before: int) -> Int32:
    """No value is ever taken back."""
    found: Int32 = _decide(self, level, before)
    better: Int32 = found[found[:, FLAG] == 1]
    return better


def results_leave_too(self: OperatorsPlan, level: int) -> list[int]:
    """What follows from a value that has become better is kept; the values themselves are not."""
    return [relation for stratum, relation in self.outlasts if not stratum]


_decide = PartOperators.decide
MUTANTS: dict[str, tuple[object, str, object]] = {
    "a retraction across parts is lost": (tasks, "EnginePart", Remembers),
    "worse values stay beside better ones": (PartOperators, "decide", worse_values_stay),
    "a turn begins without the best values": (OperatorsPlan, "outlasting", results_leave_too),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_misreading_gives_other_facts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert is_right(paths(), 3)
    monkeypatch.setattr(operators, "MOST_TURNS", 3)
    monkeypatch.setattr(*MUTANTS[name])
    assert not is_right(paths(), 3)


def test_a_recursion_that_makes_values_better_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value of 9 makes one of 0, and without the 9 there is no 0. No turn ends that."""
    rules = """
        candidate(?x, 9) :- [?x, :is, :start] .
        candidate(?y, ?c) :- [?x, :best, ?d], [?x, :edge, ?y], BIND(9 - ?d AS ?c) .
        [?y, :best, ?d] :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .
        """
    monkeypatch.setattr(operators, "MOST_TURNS", 5)
    whole = Whole(triples_in("a edge a"), rules_in(rules))
    with pytest.raises(LimitError, match=r"^AGGREGATE\(candidate.*: the recursion has taken 5 turns; does it end"):
        whole.closed(triples_in("a is start", "a edge a"), 2)
