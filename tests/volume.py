"""How many random histories the slow tests follow.

By default the slow lane takes about a quarter of an hour on two fast cores. KGREASON_HISTORIES=2 follows twice as many
histories: those of the default and as many others. Any positive number will do.
"""

from __future__ import annotations

import os

_FACTOR = float(os.environ.get("KGREASON_HISTORIES", "1"))


def many_seeds(first: int, count: int, part: int = 0, parts: int = 1) -> range:
    """Return seeds from `first` on for `count` histories, times the factor: those of part `part` of `parts`."""
    return range(first + part, first + round(_FACTOR * count), parts)
