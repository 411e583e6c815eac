"""How many random cases the tests follow.

KGREASON_HISTORIES=8 follows eight times as many random histories and examples. If histories are numbered by seeds,
these include the histories of the default.
"""

from __future__ import annotations

import os

_FACTOR = float(os.environ.get("KGREASON_HISTORIES", "1"))
if not _FACTOR > 0:
    raise ValueError(f"KGREASON_HISTORIES={_FACTOR}: not a positive number")


def many_seeds(first: int, count: int, part: int = 0, parts: int = 1) -> range:
    """Return the seeds of part `part` of `parts`. All parts together have `count` seeds, times the factor.

    The first seed is `first`. Each part has at least one.
    """
    return range(first + part, first + max(parts, round(_FACTOR * count)), parts)


def many(count: int) -> int:
    """Return `count`, times the factor, at least 1. For examples, kills and operations."""
    return max(1, round(_FACTOR * count))
