"""Rounds of parts beside one engine: the same facts and asserted flags, whatever the number of parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from kgreason.engine.engine import Engine
from kgreason.rules.model import Atom, Rule
from kgreason.spark.rounds.placement import placement
from kgreason.spark.rounds.plan import FIRST, FLAG, TABLE, plan
from kgreason.spark.rounds.rounds import close
from kgreason.zset.columns import Int32
from tests.engine.systems import System, encode_facts
from tests.oracle.datalog import Fact, materialize
from tests.spark.rounds.programs import random_program
from tests.volume import many


def rows_of(facts: Iterable[Atom], engine: Engine, system: System, width: int) -> Int32:
    """Facts as rows that are asserted."""
    parts = [np.empty((0, FIRST + width), dtype=np.int32)]
    for table, columns in encode_facts(facts, engine._planner, system.intern).items():
        rows = np.zeros((len(columns), FIRST + width), dtype=np.int32)
        rows[:, FLAG], rows[:, TABLE], rows[:, FIRST : FIRST + columns.shape[1]] = 1, table, columns
        parts.append(rows)
    return np.concatenate(parts)


def closed(facts: Sequence[Atom], rules: Sequence[Rule], parts: int) -> dict[Fact, bool]:
    """The facts of a closure by rounds, each with its asserted flag. No fact is there twice."""
    system = System()
    encode_facts(facts, system.engine._planner, system.intern)
    made = plan(placement(rules), parts, system.engine, system.intern)
    found = close(made, rows_of(facts, system.engine, system, made.width)).facts
    result = {system.fact(row[FIRST:]): bool(row[FLAG]) for row in found.tolist()}
    assert len(result) == len(found)
    return result


@pytest.mark.parametrize("parts", [1, 2, 5, 16])
def test_random_programs(parts: int) -> None:
    for seed in range(many(20)):
        rules, facts = random_program(seed)
        wanted = {fact: state.asserted for fact, state in materialize(facts, rules).items()}
        assert closed(facts, rules, parts) == wanted, seed
