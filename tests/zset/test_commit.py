"""A commit's net change: what the events applied one by one would leave, minus what there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.zset.commit import net_change
from kgreason.zset.zset import ZSet
from tests.zset.batches import Row, as_dict, rows, table

EVENTS = st.lists(st.tuples(rows(), st.sampled_from((1, -1))), max_size=15)


def change(events: list[tuple[Row, int]], asserted: set[Row]) -> ZSet:
    some = [row for row, _ in events]
    signs = np.array([sign for _, sign in events], dtype=np.int8)
    return net_change(table(some), signs, np.array([row in asserted for row in some], dtype=bool))


def one_by_one(events: list[tuple[Row, int]], asserted: set[Row]) -> set[Row]:
    state = set(asserted)
    for row, sign in events:
        (state.add if sign > 0 else state.discard)(row)
    return state


@given(EVENTS, st.sets(rows(), max_size=8))
def test_the_net_change_is_final_minus_current_state(events: list[tuple[Row, int]], asserted: set[Row]) -> None:
    final = one_by_one(events, asserted)
    net = change(events, asserted)
    assert net == ZSet.of(table(list(final))) - ZSet.of(table(list(asserted)))
    assert net.is_normal
    assert as_dict(net) == dict.fromkeys(final - asserted, 1) | dict.fromkeys(asserted - final, -1)


@pytest.mark.parametrize(
    ("signs", "is_asserted", "weights"),
    [
        ([1, -1], True, [-1]),
        ([1, -1], False, []),
        ([-1, 1], True, []),
        ([-1, 1], False, [1]),
        ([1, 1], False, [1]),
        ([-1, -1], True, [-1]),
    ],
)
def test_the_last_wish_for_a_row_wins(signs: list[int], is_asserted: bool, weights: list[int]) -> None:
    row = (7, 8, 9)
    net = change([(row, sign) for sign in signs], {row} if is_asserted else set())
    assert net.columns.tolist() == [list(row)] * len(weights)
    assert net.weights.tolist() == weights


def test_no_events_change_nothing() -> None:
    assert not change([], {(1, 2, 3)})
