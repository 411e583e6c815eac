"""Facts that workers enter into their parts of the hash table, where a search leaves its part."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.engine.crew.crew import Crew
from kgreason.engine.memory import layout as at
from kgreason.zset.columns import Int32
from tests.engine.crews import crews
from tests.engine.parts.tables import Table


def entered(facts: Int32, threads: int, *, in_parts: bool = True) -> Table:
    """A table in which `threads` workers have asserted facts, int32[n, w]; with `in_parts`, each those of its part."""
    table = Table(facts.shape[1], 1024)
    memory = table.memory
    memory["heads"] = np.zeros((9, facts.shape[1]), dtype=np.int32)
    memory["frames"], memory["first_probes"] = np.zeros((16, at.FRAME), np.int32), np.zeros((129, at.FRAME), np.int32)
    for name in ("slots", "key_fill"):
        memory[name] = np.zeros(16, dtype=np.int32)
    with crews(threads, heads=4, batch=1 << 14):
        crew = Crew(memory, threads)
        enter = crew.assert_in_parts if in_parts else crew.assert_rows
        enter(0, facts, table.facts.reserve, lambda: None)
    return table


def test_a_search_that_leaves_its_part_finds_no_head_of_another_part() -> None:
    """The search for the second fact ends in the other part, whose entries have the same tag and the same numbers."""
    pairs = [309589820, 411659789], [89676694, 1041194312], [951742897, 595805293], [901273777, 459533673]
    more = [727428259, 194139528], [70759936, 521746582], [317603513, 292211419], [872503186, 339425281]
    facts = np.array([*pairs, *more], dtype=np.int32)
    assert entered(facts, 2).facts.find(facts).tolist() == list(range(8))


@pytest.mark.parametrize("in_parts", [True, False])
def test_every_fact_gets_a_row_whatever_the_number_of_workers(in_parts: bool) -> None:
    facts = np.random.default_rng(0).integers(1, 1 << 30, size=(20_000, 2)).astype(np.int32)
    for threads in (2, 3, 16, 256):
        assert entered(facts, threads, in_parts=in_parts).facts.find(facts).tolist() == list(range(20_000))


def test_workers_that_want_the_same_entry() -> None:
    """Both take entries of a small hash table all the time, so some 50 times they want the same one at a time."""
    draw = np.random.default_rng(0)
    for _ in range(200):
        facts = draw.integers(1, 1 << 30, size=(5_000, 2)).astype(np.int32)
        assert entered(facts, 2, in_parts=False).facts.find(facts).tolist() == list(range(5_000))
