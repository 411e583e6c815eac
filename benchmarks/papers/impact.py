"""Section 5 of *Towards Elastic Incrementalization for Datalog*: what the size of a change says about its cost.

    impact   update sets of growing size, five of each: an Update over a Bootstrap (Claim I: small changes are cheaper)
    epochs   13 epochs of changes under each strategy (Claim II: the choice is better than either strategy alone)

The workloads are the replicated text, which the paper calls a case that no incremental evaluation helps, points-to, and
the completion of an EL ontology.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from typing import get_args

from benchmarks.papers.alone import alone
from benchmarks.papers.model import Cell, Experiment, Lines, Plot, Points, Table
from benchmarks.papers.workloads import Workload, completion, crdt, parts, pointers, sample
from benchmarks.report import number
from benchmarks.workspace import SkippedError, Workspace
from kgreason.engine.changes import Strategy
from kgreason.memory import resident_bytes

_SETS, _EPOCHS = 5, 13
_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


def workloads(is_full: bool) -> list[Workload]:
    """The paper's three workloads; points-to and EL are generated."""
    return [
        Workload("replicated text", crdt if is_full else sample(crdt, 0.1)),
        Workload("points-to", pointers(5_000 if is_full else 1_000)),
        Workload("EL completion", completion(2_000 if is_full else 300)),
    ]


def _sizes(count: int) -> list[int]:
    """The sizes of the update sets: 1, 10, 100 and so on, up to half of the facts."""
    found = [10**power for power in range(9) if 10**power < count // 2]
    return [*found, count // 2]


def impact(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """The impact of an update set: the time of an Update over that of a Bootstrap of the same facts."""
    for workload in workloads(is_full):
        try:
            loaded = workload.load(workspace, 1)
        except SkippedError as reason:
            yield Table(workload.name, ("skipped",), [(str(reason),)])
            continue
        bootstrap = median(loaded.bootstrap() for _ in range(3))
        loaded.change(next(parts(loaded.asserted, 1, 1)), False, "update")  # makes plans that a Bootstrap does not need
        loaded.change(next(parts(loaded.asserted, 1, 1)), True, "update")
        rows: list[tuple[Cell, ...]] = []
        lines: Lines = {"deleted": [], "added": []}
        for size in _sizes(loaded.asserted):
            sets = parts(loaded.asserted, size, _SETS)
            taken = [tuple(loaded.change(part, side, "update") for side in (False, True)) for part in sets]
            cells: list[Cell] = [size]
            for side, seconds in zip(lines, zip(*taken, strict=True), strict=True):
                least, most = min(seconds), max(seconds)
                cells += [least, median(seconds), most, f"{number(least / bootstrap)} to {number(most / bootstrap)}"]
                lines[side].append((size, median(seconds) / bootstrap))
            rows.append(tuple(cells))
        each = ("least, s", "median, s", "most, s", "impact")
        columns = ("facts", *(f"{side}: {what}" for side in lines for what in each))
        remark = (
            f"{_SETS} update sets of each size; Bootstrap of {loaded.facts:,} facts: {bootstrap:.3g} s. {_claim(lines)}"
        )
        plot = Plot(workload.name.replace(" ", "-"), "facts in the update set", "Update over Bootstrap", lines)
        yield Table(workload.name, columns, rows, remark, plot)


def _claim(lines: Lines) -> str:
    """Claim I in this run: up to which size an Update is faster than a Bootstrap."""
    words = []
    for side, points in lines.items():
        sizes = [size for size, ratio in points if ratio < 1]
        words.append(f"facts {side}: {f'up to {max(sizes):,.0f}' if sizes else 'never'}")
    return f"An Update is faster than a Bootstrap, {', '.join(words)}"


def _choice(totals: Mapping[Strategy, float]) -> float:
    """Claim II in this run: `auto` over the better strategy."""
    return totals["auto"] / min(seconds for name, seconds in totals.items() if name != "auto")


def epochs(_: Workspace, is_full: bool) -> Iterator[Table]:
    """A first load and 13 epochs of changes, from 1 to half of the facts, under each strategy."""
    rows: list[tuple[Cell, ...]] = []
    lines: Lines = {}
    for place, workload in enumerate(workloads(is_full)):
        try:
            taken = {strategy: alone(_thirteen, place, strategy, is_full) for strategy in _STRATEGIES}
        except SkippedError as reason:
            rows.append((workload.name, str(reason), *[""] * 6))
            continue
        totals = {strategy: sum(seconds for _, seconds in found[0]) for strategy, found in taken.items()}
        choice = _choice(totals)
        for strategy, (points, rewrites, memory) in taken.items():
            lines[f"{workload.name}, {strategy}"] = points
            sizes = [each / (1 << 20) for each in (min(memory), sum(memory) / len(memory), max(memory))]
            last = choice if strategy == "auto" else ""
            rows.append((workload.name, strategy, totals[strategy], rewrites, *sizes, last))
    columns = (
        "workload",
        "strategy",
        "13 epochs, s",
        "rewrites",
        "memory, least, MiB",
        "mean, MiB",
        "most, MiB",
        "auto over the better strategy",
    )
    remark = "each epoch deletes facts and adds them again; memory is that of a process of its own, after each epoch"
    yield Table("13 epochs", columns, rows, remark, Plot("epochs", "facts in the update set", "seconds", lines))


def _thirteen(place: int, strategy: Strategy, is_full: bool) -> tuple[Points, int, list[int]]:
    """The size and the seconds of each of 13 epochs, the rewrites of all, and the memory in bytes after each."""
    with Workspace() as workspace:
        loaded = workloads(is_full)[place].load(workspace, 1)
    for way in _STRATEGIES:  # the first change of a process loads kernels
        for is_added in (False, True):
            loaded.change(next(parts(loaded.asserted, 1, 1)), is_added, way)
    points, before, memory = Points(), loaded.rewrites(), list[int]()
    for epoch in range(_EPOCHS):
        size = round((loaded.asserted / 2) ** (epoch / (_EPOCHS - 1)))
        part = next(parts(loaded.asserted, size, 1))
        points.append((size, loaded.change(part, False, strategy) + loaded.change(part, True, strategy)))
        memory.append(resident_bytes() or 0)
    return points, loaded.rewrites() - before, memory


EXPERIMENTS = (
    Experiment(
        "elastic-impact",
        "Elastic, 5, Claim I",
        "Up to which size of a change is an Update faster than a Bootstrap?",
        "For the replicated text incremental evaluation is not effective.",
        impact,
    ),
    Experiment(
        "elastic-epochs",
        "Elastic, 5, Claim II",
        "Is the choice of a strategy better than either strategy alone?",
        "For large changes recomputation can be cheaper than an incremental evaluation.",
        epochs,
    ),
)
