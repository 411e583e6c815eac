"""Dict Z-sets: an abelian group; what is linear in what; distinct, group and their changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.circuit.zset import (
    ZSet,
    antijoin,
    distinct,
    distinct_change,
    expand,
    group,
    group_change,
    join,
    negative,
    plus,
    project,
    semijoin,
)
from tests.circuit.streams import Row, zsets


def composed(a: ZSet[Row], b: ZSet[Row]) -> ZSet[Row]:
    """The relational composition; pairs that meet in 2 are dropped by the merge."""

    def merge(x: Row, y: Row) -> Row | None:
        return None if y[0] == 2 else (x[0], y[1])

    return join(a, b, lambda row: row[1], lambda row: row[0], merge)


def first(row: Row) -> int:
    return row[0]


def second(row: Row) -> int:
    return row[1]


def less(a: ZSet[Row], b: ZSet[Row]) -> ZSet[Row]:
    return antijoin(a, b, second, first)


def size(rows: ZSet[Row]) -> int:
    return sum(rows.values())


def total(rows: ZSet[Row]) -> int:
    return sum(row[1] * weight for row, weight in rows.items())


def least(rows: ZSet[Row]) -> int | None:
    return min((row[1] for row, weight in rows.items() if weight > 0), default=None)


def greatest(rows: ZSet[Row]) -> int | None:
    return max((row[1] for row, weight in rows.items() if weight > 0), default=None)


Value = Callable[[ZSet[Row]], "int | None"]
VALUES: tuple[Value, ...] = (size, total, least, greatest)
"""COUNT, SUM, MIN and MAX of the second column."""


def row_of(value: Value) -> Callable[[int, ZSet[Row]], Row | None]:
    """The row of a group: its key and its value, if it has one."""

    def made(key: int, rows: ZSet[Row]) -> Row | None:
        found = value(rows)
        return None if found is None else (key, found)

    return made


def spread(row: Row) -> list[Row]:
    return [row] * row[0] + [(row[1], 0)]


@given(zsets(), zsets(), zsets())
def test_abelian_group(a: ZSet[Row], b: ZSet[Row], c: ZSet[Row]) -> None:
    assert plus(plus(a, b), c) == plus(a, plus(b, c)) == plus(a, b, c)
    assert plus(a, b) == plus(b, a)
    assert plus(a, {}) == plus(a) == a
    assert plus(a, negative(a)) == plus() == {}


@given(zsets(), zsets())
def test_sums_are_those_of_the_weights_and_hold_no_zero(a: ZSet[Row], b: ZSet[Row]) -> None:
    before = dict(a), dict(b)
    sums = {row: a.get(row, 0) + b.get(row, 0) for row in a | b}  # type: ignore[operator]
    assert plus(a, b) == {row: weight for row, weight in sums.items() if weight}
    assert (a, b) == before


@given(zsets(), zsets())
def test_expand_is_linear(a: ZSet[Row], b: ZSet[Row]) -> None:
    assert expand(plus(a, b), spread) == plus(expand(a, spread), expand(b, spread))


@given(zsets(), zsets(), zsets())
def test_join_is_bilinear(a: ZSet[Row], b: ZSet[Row], c: ZSet[Row]) -> None:
    assert composed(plus(a, b), c) == plus(composed(a, c), composed(b, c))
    assert composed(a, plus(b, c)) == plus(composed(a, b), composed(a, c))


@given(zsets(), zsets())
def test_join_is_the_sum_over_the_pairs_that_meet(a: ZSet[Row], b: ZSet[Row]) -> None:
    pairs = [((x[0], y[1]), a[x] * b[y]) for x in a for y in b if x[1] == y[0] != 2]
    assert composed(a, b) == plus(*({row: weight} for row, weight in pairs))


@given(zsets(), zsets())
def test_distinct_and_its_change(a: ZSet[Row], b: ZSet[Row]) -> None:
    assert distinct(a) == {row: 1 for row in a if a[row] > 0} == distinct(distinct(a))
    assert plus(distinct(a), distinct_change(a, b)) == distinct(plus(a, b))


@given(zsets(), zsets())
def test_projection_is_linear(a: ZSet[Row], b: ZSet[Row]) -> None:
    assert project(plus(a, b), second) == plus(project(a, second), project(b, second))


@given(zsets(), zsets(), st.dictionaries(st.integers(0, 2), st.sampled_from((-1, 1, 2))))
def test_semijoin_is_bilinear(a: ZSet[Row], b: ZSet[Row], keys: ZSet[int]) -> None:
    assert semijoin(plus(a, b), keys, second) == plus(semijoin(a, keys, second), semijoin(b, keys, second))
    assert semijoin(a, plus(keys, keys), second) == plus(*[semijoin(a, keys, second)] * 2)


@given(zsets(), zsets())
def test_antijoin_keeps_the_rows_whose_key_is_absent(a: ZSet[Row], b: ZSet[Row]) -> None:
    present = {key for key in range(3) if sum(weight for row, weight in b.items() if row[0] == key) > 0}
    assert less(a, b) == {row: weight for row, weight in a.items() if row[1] not in present}


@given(zsets(), zsets(), zsets())
def test_antijoin_is_linear_in_its_first(a: ZSet[Row], b: ZSet[Row], c: ZSet[Row]) -> None:
    assert less(plus(a, b), c) == plus(less(a, c), less(b, c))
    assert less(a, distinct(project(c, lambda row: (row[0], 0)))) == less(a, c)


def test_antijoin_is_not_linear_in_its_second() -> None:
    a, b = {(0, 1): 1}, {(1, 1): 1}
    assert less(a, plus(b, b)) == less(a, b) == {}
    assert less(a, {}) == a


@pytest.mark.parametrize("value", VALUES)
@given(a=zsets())
def test_a_group_is_the_rows_of_a_key(value: Value, a: ZSet[Row]) -> None:
    groups = {key: {row: weight for row, weight in a.items() if row[0] == key} for key in {row[0] for row in a}}
    found = {(key, value(rows)): 1 for key, rows in groups.items() if value(rows) is not None}
    assert group(a, first, row_of(value)) == found


@pytest.mark.parametrize("value", VALUES)
@given(a=zsets(), b=zsets())
def test_the_change_of_groups(value: Value, a: ZSet[Row], b: ZSet[Row]) -> None:
    made = row_of(value)
    assert plus(group(a, first, made), group_change(a, b, first, made)) == group(plus(a, b), first, made)


def test_a_change_evaluates_only_the_groups_that_it_touches() -> None:
    seen: list[int] = []

    def made(key: int, rows: ZSet[Row]) -> Row:
        seen.append(key)
        return key, size(rows)

    a, b = {(0, 1): 1, (1, 1): 1, (2, 1): 1}, {(1, 1): 1, (2, 1): -1}
    assert group_change(a, b, first, made) == {(1, 1): -1, (1, 2): 1, (2, 1): -1}
    assert set(seen) == {1, 2}


@pytest.mark.parametrize("value", [size, total])
@given(a=zsets(), b=zsets())
def test_count_and_sum_are_linear(value: Callable[[ZSet[Row]], int], a: ZSet[Row], b: ZSet[Row]) -> None:
    assert value(plus(a, b)) == value(a) + value(b)


def test_least_and_greatest_are_not_linear() -> None:
    a: ZSet[Row] = {(0, 1): 1, (0, 2): 1}
    assert least(plus(a, {(0, 1): -1})) == 2
    assert greatest(plus(a, {(0, 2): -1})) == 1


@given(zsets())
def test_distinct_is_a_group_of_equal_rows(a: ZSet[Row]) -> None:
    assert group(a, lambda row: row, lambda row, rows: row if rows[row] > 0 else None) == distinct(a)
