"""How much of what could go on for ever the tests follow, and which cases of a large table are quick.

By default the slow lane takes about a quarter of an hour on two cores. KGREASON_HISTORIES=8 follows eight times as many
random histories, those of the default among them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
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
    """Return how many examples Hypothesis shall try in a slow test: `count`, times the factor."""
    return max(1, round(_FACTOR * count))


def every(stride: int, cases: Iterable[tuple[object, ...]]) -> list[Any]:
    """Return cases for `pytest.mark.parametrize`: each `stride`-th one is for the quick tests, the others are slow.

    For a table of independent cases that are too many for the quick tests. If the table is a product, choose a stride
    that has no factor in common with the number of its last values. Otherwise the quick tests would lack some of them.
    """
    return [
        pytest.param(*case, marks=() if number % stride == 0 else pytest.mark.slow) for number, case in enumerate(cases)
    ]
