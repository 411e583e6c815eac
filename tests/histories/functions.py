"""The expressions of random rules by definition, and the Python functions that random rules call."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.aggregates import integer, number
from tests.oracle.stratified import Functions

LEAST, MOST = -2, 6
"""Values that rules make are at least and below these, so that each recursion ends."""


def grown(x: int) -> int | None:
    """One result, or none."""
    return x + 1 if x < MOST - 1 else None


def spread(x: int, by: int) -> list[int]:
    """Many results."""
    return [each for each in (x - by, x + by) if LEAST <= each < MOST]


def is_small(x: int) -> bool:
    """A filter."""
    return x < 2


def strict(x: int) -> int:
    """A function that raises."""
    if x > 3:
        raise ValueError(x)
    return x + 2


def _of_integers(function: Callable[..., object]) -> Callable[..., str | bool | list[str] | None]:
    """The function of terms. It has no result if a term is not an integer."""

    def by_text(*terms: str) -> str | bool | list[str] | None:
        values = [integer(term) for term in terms]
        result = None if None in values else function(*values)
        if isinstance(result, list):
            return [number(each) for each in result]
        return number(result) if isinstance(result, int) and not isinstance(result, bool) else result  # type: ignore[return-value]

    return by_text


FUNCTIONS: Functions = {
    "_ + 1": _of_integers(lambda x: x + 1),
    "_ + _": _of_integers(lambda x, y: x + y),
    f"_ >= {LEAST} && _ < {MOST}": _of_integers(lambda x, _: LEAST <= x < MOST),
    "_ < _": _of_integers(lambda x, y: x < y),
    "ISBLANK ( _ )": lambda term: term.startswith("_:"),
    "! ISIRI ( _ )": lambda term: not term.startswith("<"),
    "grown ( _ )": _of_integers(grown),
    "spread ( _ , _ )": _of_integers(spread),
    "is_small ( _ )": _of_integers(is_small),
    "strict ( _ )": _of_integers(strict),
}
