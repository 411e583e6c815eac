"""Rows sort as tuples of signed numbers do, whatever their ranges, and equal rows keep their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.zset.order import group_rows
from tests.zset.batches import Row, rows, table


@given(st.lists(rows(), max_size=20))
def test_the_order_is_that_of_tuples_and_stable(some: list[Row]) -> None:
    groups = group_rows(table(some))
    assert groups.order.tolist() == sorted(range(len(some)), key=lambda number: some[number])


@given(st.lists(rows(), max_size=20))
def test_groups_are_the_different_rows(some: list[Row]) -> None:
    groups, different = group_rows(table(some)), sorted(set(some))
    assert [some[number] for number in groups.firsts()] == different
    assert groups.firsts().tolist() == [some.index(row) for row in different]
    assert groups.lasts().tolist() == [len(some) - 1 - some[::-1].index(row) for row in different]
    assert [different[number] for number in groups.numbers()] == some
    assert groups.sums(np.ones(len(some), dtype=np.int64)).tolist() == [some.count(row) for row in different]


@pytest.mark.parametrize("width", range(8))
@pytest.mark.parametrize("top", [2, 1 << 16, 2**31 - 1])
def test_any_width_and_range(width: int, top: int) -> None:
    columns = np.random.default_rng(width).integers(-top, top, size=(300, width), dtype=np.int32)
    columns[100:200] = columns[:100]
    order = group_rows(columns).order
    assert order.tolist() == sorted(range(300), key=lambda number: columns[number].tolist())
