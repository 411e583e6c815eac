"""Figures as text for people and as JSON for comparison.

The JSON file is a list of `{"name", "value", "aim", "unit"}`; `aim` is null for a figure without an aim. A benchmark
that was skipped or failed has no figure and is not in the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.model import Benchmark, Figure, Measurement


def listed(benchmarks: Iterable[Benchmark]) -> Iterator[str]:
    """One line for each benchmark."""
    for benchmark in benchmarks:
        aim = f"at most {benchmark.aim:g} {benchmark.unit}"
        yield f"{benchmark.name:20} {aim:18} {benchmark.what}"


def measured(benchmark: Benchmark, measurement: Measurement) -> Iterator[str]:
    """The figures of a benchmark, how they were measured, and the command that measures them again."""
    for figure in benchmark.figures(measurement):
        yield line(figure)
    yield f"    {benchmark.what}"
    yield f"    {measurement.how}"
    yield from (f"    $ {command}" for command in measurement.commands)
    yield f"    $ scripts/bench --only {benchmark.name}"


def line(figure: Figure) -> str:
    """A figure, and whether it meets its aim."""
    value = f"{figure.name:30} {number(figure.value):>12} {figure.unit}"
    if figure.aim is None:
        return value
    return f"{value}   at most {figure.aim:g}: {'met' if figure.value <= figure.aim else 'MISSED'}"


def number(value: float) -> str:
    """A number as text: a whole number from a thousand on, three digits below."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def write(path: Path, figures: Iterable[Figure]) -> None:
    """Write figures as JSON."""
    path.write_text(json.dumps([figure._asdict() for figure in figures], indent=2) + "\n", encoding="utf-8")
