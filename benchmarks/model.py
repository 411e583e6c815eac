"""The words of the benchmarks: a `Benchmark` is run and gives a `Measurement`, which is reported as `Figure`s.

A benchmark has one figure with its own name and an aim. It may have further figures without an aim. Every aim is an
upper bound. This module only defines the types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.workspace import Workspace


class Panel(NamedTuple):
    """The data of a plot for one side, deleted or added.

    `sizes` are the numbers of facts in the commits. `seconds` has the times of each strategy, and `ratios` the ratio of
    these times that the plot shows. Both have one number for each size.
    """

    side: str
    sizes: tuple[int, ...]
    seconds: dict[str, tuple[float, ...]]
    ratios: tuple[float, ...]


class Figure(NamedTuple):
    """One number; `aim` is the largest value that is good enough, None for a number that only informs."""

    name: str
    value: float
    aim: float | None
    unit: str


@dataclass(frozen=True)
class Measurement:
    """The result of a run: the value, how it was measured, further values with units, and the commands that ran.

    A measurement that can be plotted also has `panels`.
    """

    value: float
    how: str
    others: dict[str, tuple[float, str]] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()


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

    def points(self, measurement: Measurement) -> Iterator[Figure]:
        """The seconds behind the panels. They are too many to print."""
        for panel in measurement.panels:
            for strategy, taken in panel.seconds.items():
                for size, seconds in zip(panel.sizes, taken, strict=True):
                    yield Figure(f"{self.name}-{panel.side}-{size}-{strategy}", seconds, None, "s")
