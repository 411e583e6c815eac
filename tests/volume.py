"""How many random histories the slow tests follow.

By default the slow lane takes about a quarter of an hour on two fast cores. KGREASON_HISTORIES=2 follows twice as many
histories: those of the default and as many others.
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
