"""Dict Z-sets: an abelian group; expand and join are linear; distinct and its change."""

from __future__ import annotations

from hypothesis import given

from kgreason.circuit.zset import ZSet, distinct, distinct_change, expand, join, negative, plus
from tests.circuit.streams import Row, zsets


def composed(a: ZSet[Row], b: ZSet[Row]) -> ZSet[Row]:
    """The relational composition; pairs that meet in 2 are dropped by the merge."""

    def merge(x: Row, y: Row) -> Row | None:
        return None if y[0] == 2 else (x[0], y[1])

    return join(a, b, lambda row: row[1], lambda row: row[0], merge)


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
