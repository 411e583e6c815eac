"""Rounds of parts beside one engine: the same facts and asserted flags, whatever the number of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.rounds import close
from kgreason.rules.model import Atom, Rule, Variable
from kgreason.spark.rounds import placement as placement_module
from kgreason.spark.rounds import tasks
from kgreason.spark.rounds.division import LocalRule
from kgreason.spark.rounds.part import EnginePart
from kgreason.spark.rounds.placement import placement
from kgreason.spark.rounds.plan import (
    ASSERTED,
    FIRST,
    FLAG,
    HOME,
    MOST_ALIKE,
    FactColumns,
    PartsPlan,
    Sent,
    hashes,
    plan,
)
from kgreason.zset.columns import Int32, Int64
from tests.engine.systems import System, encode_facts
from tests.oracle.datalog import Fact, materialize
from tests.spark.rounds.whole import random_program, rows_of, written_program
from tests.volume import many


class Program:
    """A program as a plan, and its facts as rows."""

    def __init__(self, rules: Sequence[Rule], facts: Iterable[Atom], parts: int) -> None:
        self._system = System()
        engine, intern = self._system.engine, self._system.intern
        columns = encode_facts(facts, engine._planner, intern)
        self.plan = plan(placement(rules), parts, engine, intern)
        self.facts = np.concatenate(
            [
                rows_of(np.empty((0, 1), np.int32), 0, True, self.plan.width),
                *(rows_of(rows, table, True, self.plan.width) for table, rows in columns.items()),
            ]
        )

    def texts(self, rows: Int32) -> dict[Fact, bool]:
        """Rows as facts, each with its asserted flag. No fact is there twice."""
        found = {self._system.fact(row[FIRST:]): bool(row[FLAG]) for row in rows.tolist()}
        assert len(found) == len(rows), "a fact is at home in two parts"
        return found


def is_right(rules: Sequence[Rule], facts: Sequence[Atom], parts: int, most: int = MOST_ALIKE) -> bool:
    """Whether rounds give the facts and flags of one engine. Values with more than `most` facts are divided."""
    program = Program(rules, facts, parts)
    wanted = {fact: state.asserted for fact, state in materialize(facts, rules).items()}
    try:
        return program.texts(close(program.plan, program.facts, most=most).facts) == wanted
    except AssertionError:
        return False


@pytest.mark.parametrize("parts", [1, 2, 5, 16])
def test_random_programs(parts: int) -> None:
    assert [seed for seed in range(100, 100 + many(4)) if not is_right(*random_program(seed), parts)] == []


@pytest.mark.parametrize("parts", [2, 5, 16])
@pytest.mark.parametrize("most", [0, 2])
def test_random_programs_with_hot_values(parts: int, most: int) -> None:
    """All values are divided, or those with more than two facts."""
    wrong = [seed for seed in range(300, 300 + many(3)) if not is_right(*random_program(seed), parts, most)]
    assert wrong == []


@pytest.mark.parametrize("most", [0, 2])
def test_many_random_programs_with_hot_values(most: int) -> None:
    wrong = [seed for seed in range(400, 400 + many(75)) if not is_right(*random_program(seed), 5, most)]
    assert wrong == []


@pytest.mark.parametrize("parts", [1, 2, 5, 16])
def test_many_random_programs(parts: int) -> None:
    assert [seed for seed in range(many(75)) if not is_right(*random_program(seed), parts)] == []


# Misreadings


CASE = written_program("""
    e(1, 2) . e(2, 3) . e(3, 4) . e(4, 1) . e(4, 5) . e(5, 6) . e(6, 7) . a(1) . a(2) . a(7) . f(8) . f(9) . far(1, 3) .
    far(?x, ?y) :- e(?x, ?y) .
    far(?x, ?z) :- far(?x, ?y), far(?y, ?z) .
    b(?x) :- f(?x) .
    pair(?x, ?y) :- a(?x), b(?y) .
    ring(?x) :- e(?x, ?y), e(?y, ?z), e(?z, ?w), e(?w, ?x) .
    """)


def test_the_case_of_the_misreadings() -> None:
    for parts in (1, 2, 3, 5):
        assert is_right(*CASE, parts)


def undivided(rules: Iterable[Rule], _: Callable[[Atom], bool]) -> list[LocalRule]:
    """Each rule is local to the value of the first variable of its first atom, whatever its other atoms are."""
    found = []
    for rule in rules:
        variables = [term for atom in rule.body[:1] for term in atom.terms if isinstance(term, Variable)][:1]
        spread = tuple(atom for atom in rule.body if atom.variables().issuperset(variables))
        found.append(LocalRule(rule, spread, tuple(variables), ()))
    return found


def home_is_forgotten(self: PartsPlan, facts: FactColumns) -> Sent:
    """A fact goes only where some pattern sends it, and to its home only if there is no such pattern."""
    rows, parts = _sent(self, facts)
    return Sent(rows[rows[:, FLAG] & HOME == 0], parts[rows[:, FLAG] & HOME == 0])


def small_relations_are_placed_once(self: PartsPlan, facts: FactColumns) -> Sent:
    """What rules derive of a pattern that is everywhere goes only to its home."""
    rows, parts = _sent(self, facts)
    copied, columns = np.zeros(len(rows), dtype=np.bool_), FactColumns(rows)
    for form in self.forms:
        copied[form.matches(columns) if form.column is None else []] = True
    kept = ~copied | (rows[:, FLAG] > 0)
    return Sent(rows[kept], parts[kept])


def every_part_tells(self: EnginePart, rows: Int32) -> NDArray[np.bool_]:
    """Each part tells all its facts."""
    return np.ones(len(rows), dtype=np.bool_)


def what_is_received_is_asserted(self: EnginePart, rows: Int32) -> Int32:
    """As in the engine of the part."""
    received = _each_once(self, rows)
    received[:, FLAG] |= ASSERTED
    return received


def both_sides_are_spread(self: PartsPlan, number: int, facts: Int32, some: Int64) -> tuple[Int64, Int64]:
    """Each fact with a hot value goes to the part of the hash of its row."""
    return some, hashes(facts[some], self.parts)


_sent, _each_once = PartsPlan.sent, EnginePart._each_once
HOT = written_program(
    " ".join(f"e({n % 2}, {n}) . f({n % 2}, {n}) ." for n in range(12))
    + "same(?y, ?z) :- e(?x, ?y), e(?x, ?z) . both(?y, ?z) :- e(?x, ?y), f(?x, ?z) ."
)
MUTANTS: dict[str, tuple[object, str, object]] = {
    "rules are not divided": (placement_module, "local_rules", undivided),
    "facts that go home are forgotten": (PartsPlan, "sent", home_is_forgotten),
    "a small relation that a rule feeds": (PartsPlan, "sent", small_relations_are_placed_once),
    "each part tells what it holds": (EnginePart, "_are_news", every_part_tells),
    "received facts count as asserted": (EnginePart, "_each_once", what_is_received_is_asserted),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_misreading_gives_other_facts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(*MUTANTS[name])
    assert not is_right(*CASE, 3)


def test_a_hot_value_that_is_spread_on_both_sides_loses_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(is_right(*HOT, parts, most) for parts in (2, 5) for most in (0, 5))
    monkeypatch.setattr(PartsPlan, "_spread", both_sides_are_spread)
    assert not is_right(*HOT, 5, most=5)


def test_a_hot_value_fills_no_part() -> None:
    """Of a join with one hot value, no part holds all facts; the other side is copied."""
    text = " ".join(f"e(0, {n}) ." for n in range(100)) + "f(0, 1) . pair(?y, ?z) :- e(?x, ?y), f(?x, ?z) ."
    program = Program(*written_program(text), 4)
    made = program.plan.with_hot_values(program.plan.counts(program.facts, 1), 50)
    rows, parts = made.sent(FactColumns(program.facts))
    assert [(hot.value, made.forms[hot.form].atoms) for hot in made.hot] == [(program.facts[0, FIRST + 1], 1)]
    assert len(rows) == 100 + 4
    assert np.bincount(parts).max() < 50


def test_a_value_that_becomes_hot_in_a_later_round_is_divided() -> None:
    """All asserted facts are different; rules derive the facts that share a value."""
    text = (
        " ".join(f"a({n}, {n}) ." for n in range(100))
        + """
        b(0, ?x) :- a(?x, ?y) .
        f(0, 1) .
        pair(?y, ?z) :- b(?x, ?y), f(?x, ?z) ."""
    )
    program = Program(*written_program(text), 4)
    plans = list[PartsPlan]()

    class Part(EnginePart):
        def __init__(self, plan: PartsPlan, *more: Any) -> None:
            plans.append(plan)
            super().__init__(plan, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "EnginePart", Part)
        found = close(program.plan, program.facts, most=50).facts
    assert [len(plan.hot) for plan in (plans[0], plans[-1])] == [0, 1]
    assert program.texts(found) == program.texts(close(program.plan, program.facts).facts)
