"""Z-sets: an abelian group, its normal form and distinct, against dicts (DBSP, sections 2 and 3)."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.zset.zset import ZSet
from tests.zset.batches import WIDTH, Row, as_dict, batch, rows, table, zsets

EMPTY = ZSet.empty(WIDTH)


@given(zsets(), zsets(), zsets())
def test_abelian_group(a: ZSet, b: ZSet, c: ZSet) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + EMPTY == a
    assert a + -a == EMPTY
    assert a - b == a + -b
    assert EMPTY - (EMPTY - a) == a


@given(zsets(), zsets())
def test_sums_are_those_of_the_weights(a: ZSet, b: ZSet) -> None:
    one, two = as_dict(a), as_dict(b)
    total = {row: one.get(row, 0) + two.get(row, 0) for row in one | two}
    assert as_dict(a + b) == {row: weight for row, weight in total.items() if weight}
    assert as_dict(-a) == {row: -weight for row, weight in one.items()}


@given(zsets())
def test_the_normal_form_is_ascending_without_zeros_and_final(a: ZSet) -> None:
    normal = a.consolidate()
    weighted = list(zip(map(tuple, normal.columns.tolist()), normal.weights.tolist(), strict=True))
    assert weighted == sorted(as_dict(a).items())
    assert normal == a
    assert normal.consolidate() is normal


@given(zsets(), st.randoms(use_true_random=False))
def test_equal_zsets_have_one_normal_form(a: ZSet, random: Random) -> None:
    numbers = list(range(len(a.weights)))
    random.shuffle(numbers)
    shuffled = ZSet(a.columns[numbers], a.weights[numbers])
    assert shuffled.consolidate().columns.tolist() == a.consolidate().columns.tolist()
    assert shuffled.consolidate().weights.tolist() == a.consolidate().weights.tolist()


@given(zsets(), zsets())
def test_equality_is_that_of_the_weights(a: ZSet, b: ZSet) -> None:
    assert (a == b) == (as_dict(a) == as_dict(b))


@given(zsets())
def test_derived_batches_that_claim_to_be_normal_are(a: ZSet) -> None:
    normal = a.consolidate()
    for part in (-normal, normal.positive(), normal.negative(), a.distinct(), normal.select(normal.weights > 1)):
        assert part.is_normal
        assert ZSet(part.columns, part.weights).consolidate().columns.tolist() == part.columns.tolist()
    assert not (normal + normal).is_normal


@given(zsets())
def test_distinct_is_a_set_of_the_positive_rows(a: ZSet) -> None:
    once = a.distinct()
    assert as_dict(once) == {row: 1 for row, weight in as_dict(a).items() if weight > 0}
    assert once.distinct() == once


@given(st.sets(rows()), st.sets(rows()))
def test_distinct_leaves_sets_alone_and_makes_sums_unions(some: set[Row], others: set[Row]) -> None:
    a, b = ZSet.of(table(list(some))), ZSet.of(table(list(others)))
    assert a.distinct() == a
    assert (a + b).distinct() == ZSet.of(table(list(some | others)))
    assert (a - b).distinct() == ZSet.of(table(list(some - others)))


@given(zsets(), zsets())
def test_distinct_of_a_sum_needs_the_last_sum_alone(a: ZSet, b: ZSet) -> None:
    """Where no weight is negative, distinct(distinct(a) + distinct(b)) = distinct(a + b)."""
    one, two = a.positive(), b.positive()
    assert (one.distinct() + two.distinct()).distinct() == (one + two).distinct()


@given(zsets())
def test_a_zset_is_its_positive_and_its_negative_part(a: ZSet) -> None:
    assert a.positive() + a.negative() == a
    assert (a.positive().weights > 0).all()
    assert (a.negative().weights < 0).all()
    assert (-a).positive() == -(a.negative())


@given(zsets())
def test_length_and_truth_are_those_of_the_normal_form(a: ZSet) -> None:
    assert len(a) == len(as_dict(a))
    assert bool(a) == bool(as_dict(a))


@given(zsets(), st.integers(0, 2**12 - 1))
def test_a_batch_is_the_sum_of_two_restrictions(a: ZSet, bits: int) -> None:
    mask = np.array([bits >> number & 1 for number in range(len(a.weights))], dtype=bool)
    assert a.select(mask) + a.select(~mask) == a


def test_of_gives_every_row_the_weight() -> None:
    assert as_dict(ZSet.of(table([(1, 2, 3), (1, 2, 3), (4, 5, 6)]), -1)) == {(1, 2, 3): -2, (4, 5, 6): -1}


def test_of_takes_a_slice_of_other_columns() -> None:
    wide = np.arange(12, dtype=np.int32).reshape(3, 4)
    assert ZSet.of(wide[:, 1:]) == ZSet.of(wide[:, 1:].copy())


def test_zsets_of_two_widths_are_never_equal_and_do_not_add() -> None:
    assert ZSet.empty(3) != ZSet.empty(4)
    with pytest.raises(ValueError, match="dimension"):
        ZSet.empty(3) + ZSet.empty(4)


def test_a_zset_equals_nothing_else_and_has_no_hash() -> None:
    assert EMPTY != {}
    with pytest.raises(TypeError, match="unhashable"):
        hash(EMPTY)


@pytest.mark.parametrize(
    ("columns", "weights"),
    [
        (np.zeros((2, 3), dtype=np.int64), np.ones(2, dtype=np.int64)),
        (np.zeros(3, dtype=np.int32), np.ones(3, dtype=np.int64)),
        (np.zeros((3, 2), dtype=np.int32).T, np.ones(2, dtype=np.int64)),
        (np.zeros((2, 3), dtype=np.int32), np.ones(2, dtype=np.int32)),
        (np.zeros((2, 3), dtype=np.int32), np.ones(3, dtype=np.int64)),
    ],
)
def test_other_arrays_are_refused(columns: np.ndarray, weights: np.ndarray) -> None:
    with pytest.raises(TypeError, match=r"^Z-set: the (columns|weights) are "):
        ZSet(columns, weights)


def test_rows_without_columns_are_all_equal() -> None:
    assert as_dict(ZSet.of(np.empty((3, 0), dtype=np.int32)).consolidate()) == {(): 3}


def test_weights_that_cancel_leave_nothing() -> None:
    assert not batch([((1, 1, 1), 2), ((2, 2, 2), 0), ((1, 1, 1), -2)])
