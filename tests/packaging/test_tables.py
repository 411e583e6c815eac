"""A table of cases runs all its cases, and names each one that fails."""

from __future__ import annotations

import pytest

from tests.tables import table


def test_each_case_that_fails_is_named() -> None:
    ran = []

    @table("one, other", [(1, 1), (1, 2), (3, 3), (2, 4)])
    def law(one: int, other: int, shift: int) -> None:
        ran.append(one + shift)
        assert one == other

    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases of law fail") as error:
        law(shift=10)
    assert ran == [11, 11, 13, 12]
    assert [each.__notes__ for each in error.value.exceptions] == [["case 1, 2"], ["case 2, 4"]]


def test_a_case_that_does_not_raise_fails() -> None:
    @table("text", ["1", "a"])
    def law(text: str) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases"):
        law()
