"""What an experiment of a paper gives: tables of numbers, and plots of the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from benchmarks.workspace import Workspace

Cell: TypeAlias = str | float
"""A text, or a number in the unit that its column names."""


Points: TypeAlias = list[tuple[float, float]]
Lines: TypeAlias = dict[str, Points]


class Plot(NamedTuple):
    """Lines of points (x, y) by name, on logarithmic axes."""

    name: str
    x: str
    y: str
    lines: Lines


class Table(NamedTuple):
    """Rows of as many cells as there are columns. `remark` says how they were measured, and `plot` shows them."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    remark: str = ""
    plot: Plot | None = None


class Experiment(NamedTuple):
    """One experiment: its name, where the paper has it, what it asks, and what the paper found.

    `run(workspace, is_full)` yields its tables. It raises SkippedError where its data are missing.
    """

    name: str
    source: str
    question: str
    claim: str
    run: Callable[[Workspace, bool], Iterator[Table]]
