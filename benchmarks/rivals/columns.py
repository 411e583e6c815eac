"""The same work by all systems, in turns in one run: the table that opens docs/benchmarks.md.

    | work | kgreason, 1 / 2 threads | differential dataflow, 1 / 2 threads | ...
    | closure of 1,000 nodes and 10,000 edges | 0.44 / 0.31 s | 1.68 / 0.94 s | ...
    | 1 % of the edges deleted | 37 / 37 ms | ...

A cell has the median of the turns for each number of threads. A system that is missing has no column; the reason stands
below the table. Law: all systems that run find the same number of facts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from benchmarks.programs import random_graph
from benchmarks.report import number
from benchmarks.rivals.systems import SYSTEMS, Outcome, Run, System, Task
from benchmarks.workspace import SkippedError, Workspace

SIZES = (1_000, 10_000), (5_000, 10_000)
"""The nodes and edges of the graphs."""
REASONERS = "closure-lubm1-reasonable", "closure-lubm1-owlrl", "validate-pyshacl", "el-classify-20000"
"""The benchmarks whose other side is a reasoner or a validator."""


class Measured(NamedTuple):
    """The outcomes of each system in a task, one for each turn, and for each skipped system the reason."""

    outcomes: dict[System, list[Outcome]]
    skipped: dict[str, str]


def measure(task: Task, turns: int, workspace: Workspace, systems: Sequence[System] = SYSTEMS) -> Measured:
    """Run all systems in turns. Raises AssertionError where two of them find another number of facts."""
    cores, runs, skipped = os.cpu_count() or 1, dict[System, Run](), dict[str, str]()
    for system in systems:
        if system.threads > cores or system.name in skipped:
            continue
        try:
            runs[system] = system.ready(workspace)
        except SkippedError as reason:
            skipped[system.name] = str(reason)
    outcomes: dict[System, list[Outcome]] = {system: [] for system in runs}
    for _ in range(turns):
        for system, run in list(runs.items()):
            try:
                outcomes[system].append(run(task))
            except SkippedError as reason:
                skipped[system.name] = str(reason)
                del runs[system], outcomes[system]
    found = {each.facts for taken in outcomes.values() for each in taken}
    if len(found) > 1:
        numbers = ", ".join(f"{system.name} {taken[0].facts:,}" for system, taken in outcomes.items())
        raise AssertionError(f"the systems find different numbers of facts: {numbers}")
    return Measured(outcomes, skipped)


def table(title: str, batches: dict[str, int], measured: Measured) -> Iterator[str]:
    """Yield the lines of a table in Markdown. `batches` has the number of edges of each batch by its name."""
    systems: dict[str, list[System]] = {}
    for system in measured.outcomes:
        systems.setdefault(system.name, []).append(system)
    heads = [_head(name, each) for name, each in systems.items()]
    yield f"| work | {' | '.join(heads)} |"
    yield f"|---{'|---' * len(heads)}|"
    rows = [[[each.load for each in measured.outcomes[one]] for one in group] for group in systems.values()]
    yield f"| {title} | {' | '.join(map(_cell, rows))} |"
    for place, name in enumerate(batches):
        for side, what in enumerate(("deleted", "added")):
            rows = [
                [[each.changes[place][side] for each in measured.outcomes[one] if each.changes] for one in group]
                for group in systems.values()
            ]
            yield f"| - {name} {what} | {' | '.join(map(_cell, rows))} |"
    yield ""
    yield from (f"- {name}: skipped, {reason}." for name, reason in measured.skipped.items())


def _head(name: str, systems: list[System]) -> str:
    threads = " / ".join(str(system.threads) for system in systems)
    return f"{name}, {threads} thread{'s' if threads != '1' else ''}"


def _cell(taken: list[list[float]]) -> str:
    """The medians of the turns, for each number of threads."""
    if not all(taken):
        return "from scratch"
    seconds = [median(each) for each in taken]
    unit, factor = ("s", 1) if max(seconds) >= 1 else ("ms", 1_000)
    return f"{' / '.join(number(each * factor) for each in seconds)} {unit}"


def run(sizes: Sequence[tuple[int, int]], workspace: Workspace, turns: int = 3) -> Iterator[str]:
    """Yield the lines of a table for each graph of so many nodes and edges."""
    for nodes, count in sizes:
        edges = random_graph(nodes, count)
        batches = {"1 % of the edges": max(1, len(edges) // 100), "one edge": 1}
        task = Task(edges, tuple(batches.values()), 5)
        title = f"closure of {nodes:,} nodes and {len(edges):,} edges"
        yield from table(title, batches, measure(task, turns, workspace))
        yield ""
