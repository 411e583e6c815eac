"""The laws of drawing: within bounds, without repetition, and the same for the same name."""

from hypothesis import given
from hypothesis import strategies as st

from kgreason.lubm.draw import Draw
from kgreason.lubm.profile import Bounds

NUMBERS = st.integers(0, 50)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_number_is_within_its_bounds(seed: int, low: int, more: int) -> None:
    draw = Draw(seed)
    assert all(low <= draw.between(Bounds(low, low + more)) <= low + more for _ in range(20))


@given(NUMBERS, NUMBERS, NUMBERS)
def test_distinct_numbers_do_not_repeat(seed: int, amount: int, limit: int) -> None:
    numbers = Draw(seed).distinct(amount, limit)
    assert len(numbers) == len(set(numbers)) == min(amount, limit)
    assert set(numbers) <= set(range(limit))


def test_both_ends_of_a_range_are_drawn() -> None:
    draw = Draw(0)
    assert {draw.between(Bounds(3, 5)) for _ in range(200)} == {3, 4, 5}


def test_a_name_is_a_sequence_of_its_own() -> None:
    def first(*name: int) -> list[int]:
        draw = Draw(*name)
        return [draw.below(1_000_000) for _ in range(5)]

    assert first(1, 2) == first(1, 2)
    assert len({tuple(first(*name)) for name in [(1, 2), (2, 1), (12,), (1, 2, 0)]}) == 4
