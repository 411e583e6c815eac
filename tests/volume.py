"""How many random cases the tests follow, and which cases of a large table are quick.

By default the slow lane took 22 minutes on two slow cores. KGREASON_HISTORIES=8 follows eight times as many random
histories. If histories are numbered by seeds, these include the histories of the default.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import product
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


def in_turns(*choices: Iterable[object]) -> list[Any]:
    """Return all combinations of the choices for `pytest.mark.parametrize`, most of them as slow tests.

    Each combination of the choices before the last is quick with one value of the last choice. The last values take
    turns.
    """
    *_, last = values = [list(choice) for choice in choices]
    found = []
    for places in product(*map(range, map(len, values))):
        case = (choice[place] for choice, place in zip(values, places, strict=True))
        found.append(pytest.param(*case, marks=() if sum(places) % len(last) == 0 else pytest.mark.slow))
    return found
