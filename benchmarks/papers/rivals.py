"""kgreason beside the systems of `benchmarks.rivals`: the closure of a random graph, and edges that change."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from benchmarks.papers.model import Cell, Experiment, Lines, Plot, Table
from benchmarks.programs import random_graph
from benchmarks.rivals.columns import measure
from benchmarks.rivals.systems import Task
from benchmarks.workspace import Workspace

_ROUNDS, _TURNS = 5, 3


def beside(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """The closure of a graph by each system."""
    for nodes, count in ((1_000, 10_000), (5_000, 10_000)) if is_full else ((300, 1_500),):
        edges = random_graph(nodes, count)
        batches = max(1, len(edges) // 100), 1
        outcomes, skipped = measure(Task(edges, batches, _ROUNDS), _TURNS, workspace)
        rows: list[tuple[Cell, ...]] = []
        lines: Lines = {}
        for system, taken in outcomes.items():
            changes = [
                median(side)
                for each in zip(*(one.changes for one in taken), strict=True)
                for side in zip(*each, strict=True)
            ]
            cells = changes or ["from scratch"] * 4
            if changes:
                lines[f"{system.name}, {system.threads}"] = [*zip(batches, changes[::2], strict=True)]
            rows.append((system.name, system.threads, taken[0].facts, median(one.load for one in taken), *cells))
        rows += [(name, reason, *[""] * 6) for name, reason in skipped.items()]
        columns = (
            "system",
            "threads",
            "facts",
            "load, s",
            "1 % deleted, s",
            "added, s",
            "one edge deleted, s",
            "added, s",
        )
        remark = f"from numbers, all systems in turns: medians of {_TURNS} turns of {_ROUNDS} rounds"
        plot = Plot(f"rivals-{nodes}", "edges that are deleted", "seconds", lines)
        yield Table(f"Closure of {nodes:,} nodes and {len(edges):,} edges", columns, rows, remark, plot)


EXPERIMENTS = (
    Experiment(
        "dyre-rivals",
        "DYRE, 5",
        "How does kgreason compare with other systems?",
        "Up to almost 10 times faster than DDlog and 2 times faster than Soufflé for incremental updates.",
        beside,
    ),
)
