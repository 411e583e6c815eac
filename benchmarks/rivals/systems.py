"""`System`: something that computes the closure of a graph, and follows edges that go and come back.

    kgreason, in this process      threads
    a program built by cargo       differential dataflow, DYRE's crate: workers
    Soufflé, the user's binary     interpreted and compiled: threads; each closure from scratch, as a process

The programs of cargo speak one language: `PROGRAM EDGES BATCH ROUNDS [-w WORKERS]` prints `load SECONDS`, a line
`round DELETED ADDED` for each round, and `facts NUMBER` (one for each worker). Soufflé's seconds are those of a whole
process, with reading; its program is compiled before.

Law: all systems find the same number of facts. Cost: minutes to build a program of cargo for the first time.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeAlias

import numpy as np

from benchmarks.engine import bootstrap
from benchmarks.papers.workloads import of_start
from benchmarks.process import failed
from benchmarks.programs import TRANSITIVE_CLOSURE, relational
from benchmarks.states import Start
from benchmarks.workspace import SkippedError, Workspace
from kgreason.zset.columns import Int32

_HERE = Path(__file__).parent
BUILDS = _HERE.parents[1] / "build" / "rivals"
"""The folder for what cargo builds. It stays, as a build takes minutes."""
BUILD_SECONDS = 180
"""How long cargo may build a program. What it has built by then counts for the next run."""


class Task(NamedTuple):
    """Edges int32[n, 2] to close. For each size of `batches`, so many edges go and come back in `rounds` rounds."""

    edges: Int32
    batches: tuple[int, ...]
    rounds: int


class Outcome(NamedTuple):
    """The facts that were derived, the seconds of the load, and for each batch the median seconds (deleted, added).

    `changes` is empty for a system that evaluates from scratch.
    """

    facts: int
    load: float
    changes: tuple[tuple[float, float], ...] = ()


Run: TypeAlias = Callable[[Task], Outcome]


class System(NamedTuple):
    """A system with so many threads or workers. `ready(workspace)` builds what it needs, and returns what runs it.

    It raises SkippedError where the system is missing.
    """

    name: str
    threads: int
    ready: Callable[[Workspace], Run]


def _kgreason(threads: int, _: Workspace) -> Run:
    def run(task: Task) -> Outcome:
        start = relational(TRANSITIVE_CLOSURE, {"edge": task.edges})
        load = bootstrap(start, threads)
        ((table, rows),) = start.facts.items()
        loaded = of_start(Start(start.engine, table, rows, len(rows)), 1)
        changes = []
        for size in task.batches:
            taken = []
            for number in range(task.rounds + 1):  # the first Update makes plans that a Bootstrap does not need
                part = np.arange(number * size, (number + 1) * size)
                taken.append([loaded.change(part, side, "update") for side in (False, True)])
            changes.append(_medians(taken[1:]))
        return Outcome(loaded.facts - len(task.edges), load, tuple(changes))

    return run


def _medians(rounds: Iterable[Iterable[float]]) -> tuple[float, float]:
    deleted, added = (median(side) for side in zip(*rounds, strict=True))
    return deleted, added


def _built(project: str, program: str, threads: int, workspace: Workspace) -> Run:
    """Build a project of this folder with cargo. Returns a function that runs a task with the program."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise SkippedError("cargo is not installed")
    source = BUILDS / project
    shutil.copytree(_HERE / project, source, dirs_exist_ok=True)
    command = [cargo, "build", "--release", "--quiet"]
    try:
        built = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS)
    except subprocess.TimeoutExpired:
        raise SkippedError(f"cargo needs more than {BUILD_SECONDS} s to build it; the next run goes on") from None
    if built.returncode:
        raise SkippedError(f"cargo cannot build it: {_last(built.stderr)}")

    def run(task: Task) -> Outcome:
        file = _written(task.edges, workspace.folder / "edges.txt")
        outcomes = []
        for size in task.batches:
            workers = ["-w", threads] if threads > 1 else []
            lines = _lines(
                [source / "target" / "release" / program, file, size, task.rounds, *workers], workspace.folder
            )
            outcomes.append(_outcome(lines))
        first = outcomes[0]
        return first._replace(changes=tuple(change for each in outcomes for change in each.changes))

    return run


def _outcome(lines: Iterable[str]) -> Outcome:
    """Read what a program of cargo prints."""
    rounds, load, facts = list[list[float]](), 0.0, 0
    for word, *numbers in map(str.split, lines):
        if word == "round":
            rounds.append(list(map(float, numbers)))
        elif word == "load":
            load = float(numbers[0])
        elif word == "facts":
            facts += int(numbers[0])
    return Outcome(facts, load, (_medians(rounds),))


_SOUFFLE = """
.decl edge(x: number, y: number)
.input edge
.decl tc(x: number, y: number)
.printsize tc
tc(x, y) :- edge(x, y).
tc(x, z) :- tc(x, y), edge(y, z).
"""


def _souffle(threads: int, workspace: Workspace, *, is_compiled: bool) -> Run:
    """What runs Soufflé. It compiles the program before, or interprets it."""
    binary = shutil.which("souffle")
    if binary is None:
        raise SkippedError("souffle is not installed")
    program, compiled = workspace.folder / "closure.dl", workspace.folder / f"closure-{threads}"
    program.write_text(_SOUFFLE)
    command: list[object] = [binary, program]
    if is_compiled:
        _lines([binary, "-o", compiled, program, "-j", threads], workspace.folder)
        command = [compiled]

    def run(task: Task) -> Outcome:
        facts = workspace.folder / "souffle"
        facts.mkdir(exist_ok=True)
        _written(task.edges, facts / "edge.facts", "\t")
        begun = time.perf_counter()
        lines = _lines([*command, "-F", facts, "-D", facts, "-j", threads], workspace.folder)
        seconds = time.perf_counter() - begun
        sizes = dict(line.split("\t") for line in lines if line.count("\t") == 1)
        return Outcome(int(sizes["tc"]), seconds)

    return run


def _written(edges: Int32, path: Path, delimiter: str = " ") -> Path:
    np.savetxt(path, edges, fmt="%d", delimiter=delimiter)
    return path


def _lines(command: Sequence[object], folder: Path) -> list[str]:
    """The lines that a command prints. Raises SkippedError where it fails, as no rival is a dependency."""
    words = [*map(str, command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SkippedError(str(failed(words, done.returncode, done.stderr)))
    return done.stdout.splitlines()


def _last(text: str) -> str:
    return (text.strip() or "it said nothing").splitlines()[-1]


SYSTEMS = (
    *(System("kgreason", threads, partial(_kgreason, threads)) for threads in (1, 2)),
    *(
        System("differential dataflow", threads, partial(_built, "differential", "differential", threads))
        for threads in (1, 2)
    ),
    System("DYRE's crate", 1, partial(_built, "dyre", "dyre", 1)),
    *(
        System(f"Soufflé, {kind}", threads, partial(_souffle, threads, is_compiled=kind == "compiled"))
        for kind in ("compiled", "interpreted")
        for threads in (1, 2)
    ),
)
