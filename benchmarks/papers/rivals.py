"""kgreason beside differential dataflow, for the closure of a random graph: a load, then edges that go and come back.

`benchmarks/rivals/differential` is a small program that cargo builds; where cargo is missing, the row says so. Both get
the same edges, and the numbers of facts must agree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.papers.model import Cell, Experiment, Table
from benchmarks.papers.workloads import closure
from benchmarks.programs import random_graph
from benchmarks.workspace import SkippedError, Workspace
from kgreason.zset.columns import Int32

_SOURCE = Path(__file__).parents[1] / "rivals/differential"
_ROUNDS = 5


def beside(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """The closure of a graph by each system."""
    for nodes, count in ((1_000, 10_000), (5_000, 10_000)) if is_full else ((300, 1_500),):
        edges = random_graph(nodes, count)
        rows = list(_kgreason(edges, workspace))
        facts = rows[0][1]
        try:
            rows += _differential(edges, workspace)
        except SkippedError as reason:
            rows.append(("differential dataflow", str(reason), *[""] * 5))
        assert all(isinstance(row[1], str) or row[1] == facts for row in rows), "the systems disagree"
        columns = ("system", "facts", "load, s", "1 % deleted, s", "added, s", "one edge deleted, s", "added, s")
        remark = f"medians of {_ROUNDS} rounds, from numbers"
        yield Table(f"Closure of {nodes:,} nodes and {len(edges):,} edges", columns, rows, remark)


def _batches(edges: Int32) -> tuple[int, int]:
    return max(1, len(edges) // 100), 1


def _kgreason(edges: Int32, workspace: Workspace) -> Iterator[tuple[Cell, ...]]:
    loaded = closure(edges)(workspace, 1)
    cells: list[Cell] = ["kgreason", loaded.facts - len(edges), median(loaded.bootstrap() for _ in range(_ROUNDS))]
    for size in _batches(edges):
        taken = []
        for number in range(_ROUNDS + 1):  # the first Update makes plans that a Bootstrap does not need
            part = np.arange(number * size, (number + 1) * size)
            taken.append([loaded.change(part, side, "update") for side in (False, True)])
        cells += [median(side) for side in zip(*taken[1:], strict=True)]
    yield tuple(cells)


def _differential(edges: Int32, workspace: Workspace) -> Iterator[tuple[Cell, ...]]:
    cargo = shutil.which("cargo")
    if cargo is None:
        raise SkippedError("cargo is not installed")
    source = workspace.folder / "differential"
    if not source.exists():
        shutil.copytree(_SOURCE, source)
    command = [cargo, "build", "--release", "--quiet"]
    built = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    if built.returncode:
        raise SkippedError(f"cargo cannot build it: {built.stderr.strip().splitlines()[-1]}")
    file = _file(edges, workspace)
    for workers in (1, 2)[: os.cpu_count() or 1]:
        cells: list[Cell] = []
        for size in _batches(edges):
            words = [source / "target/release/differential", file, size, _ROUNDS, "-w", workers]
            told = _output(words)
            rounds = [tuple(map(float, line.split()[1:])) for line in told if line.startswith("round")]
            if not cells:
                facts = sum(int(line.split()[1]) for line in told if line.startswith("facts"))
                cells = [f"differential dataflow, {workers} workers", facts]
                cells += [float(line.split()[1]) for line in told if line.startswith("load")]
            cells += [median(side) for side in zip(*rounds, strict=True)]
        yield tuple(cells)


def _file(edges: Int32, workspace: Workspace) -> Path:
    path = workspace.folder / "edges.txt"
    np.savetxt(path, edges, fmt="%d")
    return path


def _output(words: Sequence[object]) -> list[str]:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


EXPERIMENTS = (
    Experiment(
        "dyre-rivals",
        "DYRE, 5",
        "How does kgreason compare with differential dataflow?",
        "Up to almost 10 times faster than DDlog and 2 times faster than Soufflé for incremental updates.",
        beside,
    ),
)
