"""Hashing: on the grids that dense ids make, little worse than random; in tables of entries, few false friends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
import pytest

from kgreason.compiled import LIBRARY
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.hashing import entry_number, entry_tag, hash_row, place_entry
from kgreason.zset.columns import Int32, UInt32
from tests.engine.parts.tables import Table

pytestmark = pytest.mark.skipif(LIBRARY is not None, reason="Numba compiles no parts of kernels beside the library")

_Function = TypeVar("_Function", bound=Callable[..., object])
compiled = cast(Callable[[_Function], _Function], numba.njit)


@compiled
def wasted_probes(rows: Int32, slots: UInt32, bits: int) -> int:
    """How far all 2**bits entries together stand behind the place where their search starts."""
    total = 0
    for here in range(slots.size):
        if slots[here] != 0:
            h = hash_row(rows, entry_number(slots[here], bits), at.FIRST, rows.shape[1] - at.FIRST)
            home = h >> np.uint64(64 - bits)
            total += int(here - np.int64(home)) & (slots.size - 1)
    return total


@compiled
def false_friends(slots: UInt32, bits: int, keys: Int32) -> int:
    """How many entries with an equal tag are met in searches for keys that are not there."""
    total = 0
    low = np.uint32((1 << bits) - 1)
    for i in range(keys.shape[0]):
        h = hash_row(keys, i, 0, keys.shape[1])
        here = np.int64(h >> np.uint64(64 - bits))
        while slots[here] != 0:
            if (slots[here] & ~low) == entry_tag(h, bits):
                total += 1
            here = (here + 1) & (slots.size - 1)
    return total


@compiled
def hashes(keys: Int32) -> list[int]:
    """The hash of each of these rows."""
    return [hash_row(keys, i, 0, keys.shape[1]) for i in range(keys.shape[0])]


@compiled
def placed(slots: UInt32, bits: int, count: int) -> list[int]:
    """Place numbers under one hash, whose search starts at the last entry; those in the entries from there on."""
    for number in range(count):
        place_entry(slots, bits, np.uint64(0xFFFFFFFFFFFFFFFF), number)
    return [entry_number(slots[(slots.size - 1 + step) % slots.size], bits) for step in range(count)]


def grid(*sides: int, stride: int = 1, start: int = 1) -> Int32:
    """All rows of a grid of ids, in order."""
    axes = np.meshgrid(*[start + stride * np.arange(side) for side in sides], indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1).astype(np.int32)


def table_of(rows: Int32) -> Table:
    table = Table(rows.shape[1])
    table.put(rows)
    return table


GRIDS = {
    "type triples": grid(40_000, 1, 1),
    "a closure": grid(200, 1, 200),
    "a large closure of pairs": grid(400, 400),
    "a cube": grid(34, 34, 34),
    "many predicates": grid(1, 40_000, 1),
    "ids in steps of 16": grid(200, 1, 200, stride=16),
    "ids in steps of 1,024": grid(200, 1, 200, stride=1024),
    "ids near the end": grid(200, 1, 200, start=2**31 - 201),
    "one column": grid(40_000),
    "the diagonal": np.repeat(grid(40_000), 3, axis=1),
    "pairs in sequence": grid(40_000) + np.array([[0, 1, 2]], dtype=np.int32),
    "powers of two": 1 << grid(30, 30, 30),
    "wide rows": grid(*[2] * 15),
}


@pytest.mark.parametrize("rows", GRIDS.values(), ids=GRIDS.keys())
def test_dense_ids_waste_few_probes(rows: Int32) -> None:
    """No more than a random function would with linear probing (Knuth 6.4), and a tenth."""
    table = table_of(rows)
    slots = table.memory["entries"]
    load = len(rows) / slots.size
    random = (1 / (1 - load) - 1) / 2
    assert wasted_probes(table.memory["rows"], slots, slots.size.bit_length() - 1) / len(rows) <= 1.1 * random


@pytest.mark.parametrize("rows", GRIDS.values(), ids=GRIDS.keys())
def test_a_miss_seldom_reads_a_row(rows: Int32) -> None:
    table = table_of(rows)
    slots = table.memory["entries"]
    missing = rows.copy()
    missing[:, 0] = -missing[:, 0]
    bits = slots.size.bit_length() - 1
    met = false_friends(slots, bits, missing)
    tags = 2 ** (32 - bits)
    assert met <= 10 + 10 * len(rows) / tags


def test_the_padding_counts_for_nothing() -> None:
    """`(a, b)` and `(a, b, 0)` are the same row: that is how a table's rows are looked up in a wider store."""
    narrow, wide = grid(20, 20), np.zeros((400, 4), dtype=np.int32)
    wide[:, :2] = narrow
    assert hashes(narrow) == hashes(wide)


def test_places_are_free_and_hold_their_number() -> None:
    slots = np.zeros(16, dtype=np.uint32)
    assert placed(slots, 4, 10) == list(range(10))
    assert np.count_nonzero(slots) == 10


def test_a_table_of_entries_is_filled_to_five_eighths_at_most() -> None:
    table = table_of(grid(40_000, 1, 1))
    states = table.memory["rows"][: table.rows_in_use, at.STATE]
    assert 8 * len(states) <= 5 * table.memory["entries"].size


def test_a_part_of_kernels_says_that_python_cannot_call_it() -> None:
    with pytest.raises(TypeError, match="hash_row can be called by kernels only, not by Python"):
        hash_row(grid(1, 1), 0, 0, 2)
