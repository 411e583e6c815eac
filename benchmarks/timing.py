"""Measures two sides in turns, A B A B A B, so that other load of the machine affects both sides.

A side is a function that does its work and returns the seconds that count, without preparation and cleaning up. The
ratio of two sides is the median of the ratios of their pairs. A slow moment of the machine spoils one pair, or none if
it lasts for both runs of a pair. Cost: as many runs of each side as there are rounds.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

Side = Callable[[], float]


class Pairs(NamedTuple):
    """The seconds of two sides, round by round."""

    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The median of the ratios of the pairs."""
        return median(a / b for a, b in zip(self.first, self.second, strict=True))

    def __str__(self) -> str:
        ratios = sorted(a / b for a, b in zip(self.first, self.second, strict=True))
        return (
            f"{median(self.first):.3g} s over {median(self.second):.3g} s; "
            f"{len(ratios)} pairs in turns, {ratios[0]:.2f} to {ratios[-1]:.2f}"
        )


def alternate(first: Side, second: Side, rounds: int) -> Pairs:
    """Run two sides in turns."""
    seconds = [(first(), second()) for _ in range(rounds)]
    return Pairs(tuple(a for a, _ in seconds), tuple(b for _, b in seconds))


def timed(work: Callable[[], object]) -> float:
    """The seconds that work takes; giving back what it made does not count."""
    gc.collect()
    start = time.perf_counter()
    made = work()
    seconds = time.perf_counter() - start
    del made
    return seconds
