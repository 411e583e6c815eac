"""Counters that start near the end of their int32: rows, postings, the queue, the support of a fact.

The arrays are as long as those of two thousand million facts, and sparse.
"""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.engine.facts.hash_table import rehash
from kgreason.engine.index import candidates
from kgreason.engine.index.candidates import Catalogue
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import grow
from kgreason.errors import LimitError
from kgreason.rules.model import Atom, Rule, Variable
from tests.engine.systems import System
from tests.oracle.datalog import Fact, materialize
from tests.sparse import enlarged, needs_sparse, sparse

X, Y, Z = (Variable(name) for name in "xyz")
CLOSURE = [
    Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),)),
    Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("edge", (Y, Z)))),
]
END = 2**31 - 1


def chain(low: int, high: int) -> list[Atom]:
    return [Atom("edge", (f"<{number}>", f"<{number + 1}>")) for number in range(low, high)]


def prepared() -> System:
    """A chain of six edges under a closure; every arrangement is filled that additions and deletions need."""
    system = System()
    system.update(chain(0, 6), CLOSURE)
    for weight in (-1, 1):
        system.commit(dict.fromkeys(chain(5, 6), weight), {}, "update")
    return system


def near_the_last_row(left: int) -> System:
    """The same with row numbers that are used up but for `left` of them."""
    system = prepared()
    memory = system.engine._circuit.memory
    memory["rows"] = enlarged(memory["rows"], END)
    memory["entries"] = sparse((2**32,), np.uint32)
    rehash(memory.block)
    memory.counters[at.N_ROWS] = END - left
    return system


def facts_between(low: int, high: int, before: int) -> set[Fact]:
    """What appears when a chain of `before` edges gets the edges from `low` to `high`."""
    known = set(materialize(chain(0, before), CLOSURE))
    return set(materialize([*chain(0, before), *chain(low, high)], CLOSURE)) - known


@needs_sparse
def test_the_last_row_numbers_are_found_and_taken_back() -> None:
    system = near_the_last_row(60)
    assert system.update(chain(6, 8)) == facts_between(6, 8, 6)
    assert system.engine._circuit.memory.counters[at.N_ROWS] == END - 60 + 2 + 7 + 8
    gone = system.commit(dict.fromkeys(chain(6, 8), -1), {}, "update")
    assert set(gone) == facts_between(6, 8, 6)
    assert system.update(chain(6, 8)) == facts_between(6, 8, 6), "in the same rows again"


@needs_sparse
def test_a_commit_that_needs_more_rows_is_refused_and_changes_nothing() -> None:
    system = near_the_last_row(20)
    with pytest.raises(LimitError, match="2,147,483,647 facts"):
        system.update(chain(100, 130))
    assert system.update(chain(6, 8)) == facts_between(6, 8, 6)


@needs_sparse
def test_postings_at_the_last_positions() -> None:
    system = prepared()
    memory = system.engine._circuit.memory
    for name in ("postings", "values"):
        memory[name] = enlarged(memory[name], END)
    memory.counters[at.N_POSTINGS] = END - 1000
    assert system.update(chain(6, 10)) == facts_between(6, 10, 6)
    assert END - 1000 < memory.counters[at.N_POSTINGS] <= END
    with pytest.raises(LimitError, match="postings"):
        system.update(chain(10, 120))
    assert system.update(chain(10, 12)) == facts_between(10, 12, 10), "the arrangements were built again"


@needs_sparse
def test_a_queue_longer_than_an_int32_counts() -> None:
    system = prepared()
    engine = system.engine
    engine.begin()
    circuit = engine._circuit
    circuit.memory["queue"] = sparse((2**31 + 1000,), np.int32)
    circuit.memory.counters[at.N_QUEUE] = 2**31 - 5
    system.apply(dict.fromkeys(chain(6, 8), 1), {}, "update")
    system.apply(dict.fromkeys(chain(3, 4), -1), {}, "update")
    assert circuit.memory.counters[at.N_QUEUE] > 2**31
    engine.accept()
    assert set(system.states()) == set(materialize([*chain(0, 3), *chain(4, 8)], CLOSURE))


def test_a_fact_with_too_many_derivations_is_refused() -> None:
    system = prepared()
    circuit = system.engine._circuit
    before = circuit.memory["rows"][: circuit.memory.counters[at.N_ROWS], at.SUPPORT].copy()
    circuit.memory["rows"][0, at.SUPPORT] = 2**31 - 2**28 + 1
    circuit.memory.counters[at.DERIVATIONS] += 2**31
    with pytest.raises(LimitError, match="derivations"):
        system.update(chain(6, 8))
    circuit.memory["rows"][0, at.SUPPORT] = before[0]
    assert system.update(chain(6, 8)) == facts_between(6, 8, 6)
    assert circuit.memory["rows"][: len(before), at.SUPPORT].tolist() == before.tolist()


@pytest.mark.parametrize("looks", [0, 64], ids=["in a list", "by looking at all rows"])
def test_the_catalogue_finds_the_largest_ids(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    monkeypatch.setattr(candidates, "_LOOKS", looks)
    system = System()
    table = system.engine.table(True, 3)
    rows = np.array([[1, END, END], [2, END, 5], [END, END - 1, END], [3, 4, 5]], dtype=np.int32)
    system.engine.commit({table: rows}, strategy="update")
    catalogue = Catalogue(system.engine._circuit.facts, system.engine._planner)
    assert sorted(catalogue.candidates(True, {1: END}).tolist()) == [0, 1]
    assert catalogue.candidates(True, {1: END, 2: END}).tolist() == [0]
    assert catalogue.candidates(True, {1: END - 1}).tolist() == [2]
    assert catalogue.is_listed == (looks == 0)


def test_an_array_grows_no_further_than_it_is_allowed() -> None:
    array = np.zeros(100, dtype=np.int32)
    assert len(grow(array, 101, most=150)) == 150
