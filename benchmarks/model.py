"""The words of the benchmarks: a `Benchmark` is run and gives a `Measurement`, which is reported as `Figure`s.

A benchmark has one figure with its own name and an aim. It may have further figures without an aim. Every aim is an
upper bound. This module only defines the types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.workspace import Workspace


class Figure(NamedTuple):
    """One number; `aim` is the largest value that is good enough, None for a number that only informs."""

    name: str
    value: float
    aim: float | None
    unit: str


@dataclass(frozen=True)
class Measurement:
    """The result of a run: the value, how it was measured, further values with units, and the commands that ran."""

    value: float
    how: str
    others: dict[str, tuple[float, str]] = field(default_factory=dict)
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Benchmark:
    """A named question about cost; `run` answers it, or raises `SkippedError`."""

    name: str
    what: str
    aim: float
    unit: str
    run: Callable[[Workspace], Measurement]

    def figures(self, measurement: Measurement) -> Iterator[Figure]:
        """The figure of this name, then the others."""
        yield Figure(self.name, measurement.value, self.aim, self.unit)
        for name, (value, unit) in measurement.others.items():
            yield Figure(f"{self.name}-{name}", value, None, unit)
