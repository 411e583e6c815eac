"""The fact table against a dict: insertion, search, removal, reuse of rows, compaction and widening."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kgreason.engine.crew.crew import Crew
from kgreason.engine.facts.table import TABLE, FactTable
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.layout import Block
from kgreason.errors import LimitError
from kgreason.rules.model import Atom, Rule, Variable, triple
from kgreason.zset.columns import INFERRED, IS_ASSERTED, Int32, UInt32
from tests.engine.crews import crews
from tests.engine.parts.tables import Table
from tests.engine.systems import System
from tests.volume import many

WIDTH = 3
X = Variable("x")
IDS = st.integers(1, 6)
FACTS = st.tuples(IDS, IDS, IDS)
Fact = tuple[int, ...]


def rows_of(facts: list[Fact], width: int = WIDTH) -> Int32:
    return np.array(facts, dtype=np.int32).reshape(len(facts), width)


EVERYTHING = rows_of([(a, b, c) for a in range(1, 7) for b in range(1, 7) for c in range(1, 7)])


class FactTableAgainstADict(RuleBasedStateMachine):
    """The model maps each fact to the number of its table."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table(WIDTH, room=1)
        self.model: dict[Fact, int] = {}
        self.most = 0

    @rule(facts=st.lists(FACTS, max_size=40), number=st.integers(0, 3))
    def insert(self, facts: list[Fact], number: int) -> None:
        self.table.put(rows_of(facts), number)
        self.model = dict.fromkeys(facts, number) | self.model
        self.most = max(self.most, len(self.model))

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(sorted(self.model)), unique=True))
        self.table.take(rows_of(gone))
        self.model = {fact: number for fact, number in self.model.items() if fact not in gone}

    @rule()
    def compact(self) -> None:
        before = self.table.memory["rows"].copy()
        kept = self.table.facts.compact()
        assert self.table.memory["rows"][: len(kept)].tolist() == before[kept].tolist()
        self.most = len(self.model)

    @rule(more=st.integers(1, 2))
    def widen(self, more: int) -> None:
        if self.table.facts.width < 8:
            self.table.memory["rows"] = self.table.facts.rows_of_width(self.table.facts.width + more)

    @rule(more=st.integers(1, 100))
    def reserve(self, more: int) -> None:
        self.table.facts.reserve(more)

    @invariant()
    def holds_the_facts_and_no_others(self) -> None:
        facts = self.table.facts
        present = facts.present_rows()
        columns, tables = facts.columns(present)
        assert len(facts) == len(present) == len(self.model)
        found = {tuple(row[:WIDTH]): number for row, number in zip(columns.tolist(), tables.tolist(), strict=True)}
        assert found == self.model
        assert not columns[:, WIDTH:].any()
        assert (facts.kinds(present) == IS_ASSERTED).all()

    @invariant()
    def finds_the_facts_and_no_others(self) -> None:
        found = self.table.facts.find(EVERYTHING)
        columns, _ = self.table.facts.columns(found[found >= 0])
        assert columns[:, :WIDTH].tolist() == EVERYTHING[found >= 0].tolist()
        assert (found >= 0).sum() == len(self.model)

    @invariant()
    def uses_free_rows_before_new_ones(self) -> None:
        assert self.table.rows_in_use == self.most
        assert self.table.memory.block[at.N_FREE] == self.most - len(self.model)

    @invariant()
    def has_one_entry_for_each_fact_and_room(self) -> None:
        entries = self.table.memory["entries"]
        assert np.count_nonzero(entries) == len(self.model)
        assert 8 * self.table.rows_in_use <= 5 * entries.size


TestFactTable = FactTableAgainstADict.TestCase
TestFactTable.settings = settings(max_examples=many(12), stateful_step_count=25, deadline=None)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_contents_are_the_present_facts_in_the_order_of_rows(threads: int) -> None:
    """Of two tables in turns: first every row holds a fact, then some rows are free, then some facts are gone."""
    with crews(threads):
        system = System()
        facts = [atom for n in range(20) for atom in (triple(f"<{n}>", "<p>", "<o>"), Atom("wide", (f"<{n}>",) * 4))]
        system.bootstrap(facts, [Rule((Atom("met", (X,)),), (triple(X, "<p>", "<o>"),))])
        assert len(contents(system)) == 60
        system.commit(dict.fromkeys(facts[::3], -1), {}, "update")
        few = contents(system)
        assert len(few) == 60 - 14 - 7
        system.engine.begin()
        system.apply(dict.fromkeys(facts[1::6], -1), {}, "update")
        assert len(contents(system)) == len(few) - 7
        system.engine.rollback()
        assert contents(system) == few


def contents(system: System) -> list[tuple[object, ...]]:
    """What `contents` returns, which must be what the rows of the present facts say."""
    facts = system.engine.facts
    columns, tables, kinds = facts.contents()
    found = facts.present_rows()
    states = system.engine._circuit.memory["rows"][found, at.STATE]
    assert columns.tolist() == facts.columns(found)[0].tolist()
    assert tables.tolist() == (states >> at.TABLE & at.LAST_TABLE).tolist()
    assert kinds.tolist() == np.where(states & at.ASSERTED, IS_ASSERTED, INFERRED).tolist()
    return [*zip(map(tuple, columns.tolist()), tables.tolist(), kinds.tolist(), strict=True)]


def test_a_million_pairs_leave_memory_bounded() -> None:
    """Never more than 1,000 facts at a time, and never the same ones twice."""
    table = Table(WIDTH)
    sizes = []
    for low in range(0, 1_000_000, 1000):
        ids = np.arange(low, low + 1000, dtype=np.int32)
        rows = np.stack([1 + ids, ids % 7, ids[::-1]], axis=1)
        table.put(rows)
        assert len(table.facts) == 1000
        table.take(rows)
        sizes.append(table.memory.nbytes(*TABLE))
    assert len(table.facts) == 0
    assert table.rows_in_use == 1000
    assert not table.memory["entries"].any()
    assert sizes[-1] == sizes[1] < 100_000


def test_pairs_among_facts_that_stay_leave_memory_bounded() -> None:
    """Removal shifts entries back: the hash table holds no tombstones, and what stays is found."""
    random = np.random.default_rng(0)
    table = Table(WIDTH)
    stay = random.integers(1, 1000, size=(2000, WIDTH), dtype=np.int32)
    table.put(stay)
    stayed = len(table.facts)
    for _ in range(400):
        guests = random.integers(1000, 2000, size=(500, WIDTH), dtype=np.int32)
        table.put(guests)
        table.take(np.unique(guests, axis=0))
    assert len(table.facts) == stayed == np.count_nonzero(table.memory["entries"])
    assert table.rows_in_use <= stayed + 500
    assert (table.facts.find(stay) >= 0).all()


def test_compaction_gives_room_back() -> None:
    table = Table(WIDTH)
    rows = np.arange(300_000, dtype=np.int32).reshape(-1, WIDTH)
    table.put(rows)
    full = table.memory.nbytes(*TABLE)
    table.take(rows[10:])
    table.facts.compact()
    assert table.memory.nbytes(*TABLE) < full // 1000
    assert sorted(table.facts.find(rows[:10]).tolist()) == list(range(10))
    assert (table.facts.find(rows[10:20]) == -1).all()


def test_an_asserted_row_keeps_its_table_and_its_row() -> None:
    table = Table(2)
    rows = rows_of([(1, 2)], width=2)
    table.put(rows, 3)
    number = table.facts.find(rows).tolist()
    table.put(rows, 3)
    assert table.facts.find(rows).tolist() == number
    assert len(table.facts) == 1


def test_rows_that_are_padded_are_the_narrow_ones() -> None:
    table = Table(4)
    table.put(rows_of([(1, 2)], width=2))
    assert table.facts.find(np.array([[1, 2, 0, 0]], dtype=np.int32)).tolist() == [0]
    assert table.facts.find(np.array([[1, 2, 0, 1]], dtype=np.int32)).tolist() == [-1]


def test_the_limit_is_said_before_memory_runs_out() -> None:
    with pytest.raises(LimitError, match="2,147,483,647 facts"):
        Table(WIDTH).facts.reserve(2**31)


def _full_table() -> Table:
    table = Table(WIDTH)
    table.put(np.arange(3_000, dtype=np.int32).reshape(-1, WIDTH))
    return table


def _adopted(hashed: UInt32 | None) -> tuple[FactTable, int]:
    """A table with the rows of `_full_table` and a saved hash table, and how often it hashed its rows."""
    filled, memory, made = _full_table(), Table(WIDTH).memory, []

    class Alone(Crew):
        def rehash(self, block: Block) -> None:
            made.append(block)
            super().rehash(block)

    table = FactTable(memory, WIDTH, 1024, Alone(memory, 1))
    table.adopt(filled.facts.whole_records(), hashed)
    keys = filled.memory["rows"][: filled.rows_in_use, at.FIRST :]
    assert table.find(keys).tolist() == list(range(len(keys)))
    assert table.find(keys + 3_000).tolist() == [-1] * len(keys)
    return table, len(made)


def test_a_hash_table_that_was_saved_is_taken_over() -> None:
    filled = _full_table()
    hashed = filled.facts.hash_table(filled.facts.whole_records())
    assert hashed is not None
    table, made = _adopted(hashed.copy())
    assert made == 0
    _, made = _adopted(None)
    assert made == 1
    assert table.hash_table(table.whole_records()) is not None


def test_a_table_with_gaps_has_no_hash_table_to_save() -> None:
    filled = _full_table()
    filled.take(filled.memory["rows"][5:6, at.FIRST :].copy())
    assert filled.facts.hash_table(filled.facts.whole_records()) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table[:-1],
        lambda table: table[: len(table) // 2],
        lambda table: np.roll(table, 1),
        lambda table: np.where(table == table.max(), 0, table),
        lambda table: np.where(table == 0, 1, table),
        lambda table: np.where(table == 0, 0, table | np.uint32(len(table) - 1)),
        lambda table: np.where(table == table.max(), np.uint32(len(table)), table),
        lambda table: table.astype(np.int64),
        lambda table: np.array([], np.uint32),
    ],
    ids=[
        "odd size",
        "too small",
        "another hash",
        "a row is missing",
        "no end",
        "too large",
        "no row",
        "another type",
        "empty",
    ],
)
def test_a_saved_hash_table_that_does_not_fit_is_made_anew(change: Callable[[UInt32], UInt32]) -> None:
    filled = _full_table()
    hashed = filled.facts.hash_table(filled.facts.whole_records())
    assert hashed is not None
    _, made = _adopted(np.ascontiguousarray(change(hashed)))
    assert made == 1
