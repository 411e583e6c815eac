"""How many random cases the tests follow, and which cases of a large table are quick.

By default the slow lane takes about a quarter of an hour on two cores. KGREASON_HISTORIES=8 follows eight times as many
random histories. Where seeds number them, those of the default are among them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

_FACTOR = float(os.environ.get("KGREASON_HISTORIES", "1"))
if not _FACTOR > 0:
    raise ValueError(f"KGREASON_HISTORIES={_FACTOR}: not a positive number")


def many_seeds(first: int, count: int, part: int = 0, parts: int = 1) -> range:
    """Return the seeds of part `part` of `parts`. All parts together have `count` seeds, times the factor.

    The first seed is `first`. Each part has at least one.
    """
    return range(first + part, first + max(parts, round(_FACTOR * count)), parts)


def many(count: int) -> int:
    """Return `count`, times the factor, at least 1. For the examples, kills and operations of slow tests."""
    return max(1, round(_FACTOR * count))


def alternating(first: Iterable[object], second: Sequence[object]) -> list[Any]:
    """Return all pairs for `pytest.mark.parametrize`. Each first value is quick with one second value, in turns."""
    return [
        pytest.param(one, other, marks=() if number % len(second) == at else pytest.mark.slow)
        for number, one in enumerate(first)
        for at, other in enumerate(second)
    ]


def every(stride: int, cases: Iterable[tuple[object, ...]]) -> list[Any]:
    """Return cases for `pytest.mark.parametrize`: each `stride`-th one is for the quick tests, the others are slow.

    For a table of independent cases that are too many for the quick tests. If the table is a product, the quick tests
    have each value if the stride is no larger than the cases of one first value, and has no factor in common with the
    number of last values.
    """
    return [
        pytest.param(*case, marks=() if number % stride == 0 else pytest.mark.slow) for number, case in enumerate(cases)
    ]
