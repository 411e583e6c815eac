"""The time to delete and add facts, in the engine alone: 1 % of the asserted facts, one triple, or one edge.

1 % and one edge are compared with a Bootstrap in the same run. One triple of LUBM has an aim in microseconds, since its
cost should not depend on the size of the data. The value is that of the worse of two states (see `states`). Further
figures are the values of each state, the seconds of its first commit and the seconds of a Bootstrap.

Cost: two Bootstraps and one for each round. For the sparse graph a Bootstrap takes seconds; three states are in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from benchmarks import closures, states
from benchmarks.completion import GALEN
from benchmarks.model import Measurement
from benchmarks.programs import Statements
from benchmarks.states import GROWN, SIDES, Measured, Side, Start, closure, lubm, measure, of_triples, pointers
from benchmarks.workspace import Workspace
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files

_ROUNDS, _PARTS, _SINGLES = 3, 2, 100

Scene: TypeAlias = Callable[[Workspace], Start]


def lubm1(workspace: Workspace) -> Start:
    """LUBM(1,0) under OWL 2 RL."""
    return lubm(workspace, 1)


def lubm5(workspace: Workspace) -> Start:
    """LUBM(5,0) under OWL 2 RL."""
    return lubm(workspace, 5)


def dense(_: Workspace) -> Start:
    """The transitive closure of 1,000 nodes and 10,000 edges."""
    return closure(1_000, 10_000)


def sparse(_: Workspace) -> Start:
    """The transitive closure of 5,000 nodes and 10,000 edges."""
    return closure(5_000, 10_000)


def points_to(_: Workspace) -> Start:
    """Andersen's points-to analysis of a random program of 3,000 variables."""
    return pointers(3_000, Statements(addr=1_200, copy=2_100, load=300, store=300), 0.8)


def completion(_: Workspace) -> Start:
    """The completion of an EL ontology of 2,000 classes."""
    return states.completion(2_000, GALEN)


def brick(workspace: Workspace) -> Start:
    """Brick and a building under OWL 2 RL. Raises SkippedError where the shared data are missing."""
    materializer = Materializer(select(["owl2rl"]))
    materializer.change(
        Edit(added=read_files([closures.file_of("brick", workspace)], materializer.dictionary, syntax="nt"))
    )
    materializer.accept()
    return of_triples(materializer)


def hundredth(scene: Scene, side: Side, workspace: Workspace) -> Measurement:
    """1 % of the asserted facts, deleted or added in one commit, over Bootstrap."""
    start = scene(workspace)
    size = max(1, len(start.rows) // 100)
    return over_bootstrap(measure(start, size, _ROUNDS, _PARTS), side, size)


def single(scene: Scene, side: Side, workspace: Workspace) -> Measurement:
    """One asserted fact, deleted or added, over Bootstrap."""
    return over_bootstrap(measure(scene(workspace), 1, _ROUNDS, _SINGLES), side, 1)


def over_bootstrap(measured: Measured, side: Side, size: int) -> Measurement:
    """One side over Bootstrap, medians: the worse of both states."""
    ratios = {name: series.median(side) / measured.bootstrap for name, series in measured.series.items()}
    others = {name: (ratio, "x") for name, ratio in ratios.items()}
    others |= {f"{name}-first": (getattr(series.first, side), "s") for name, series in measured.series.items()}
    others["bootstrap"] = measured.bootstrap, "s"
    return Measurement(max(ratios.values()), _how(measured, f"{side} in one commit: {size:,} of the facts"), others)


def triple(scene: Scene, workspace: Workspace) -> Measurement:
    """Microseconds of one triple: the worst median of deleting and adding, in both states."""
    measured = measure(scene(workspace), 1, _ROUNDS, 2 * _SINGLES)
    each = [(f"{side}-{name}", side, series) for side in SIDES for name, series in measured.series.items()]
    medians = {name: (1e6 * series.median(side), "us") for name, side, series in each}
    firsts = {f"{name}-first": (1e6 * getattr(series.first, side), "us") for name, side, series in each}
    worst = max(value for value, _ in medians.values())
    return Measurement(worst, _how(measured, "a triple deleted or added"), medians | firsts)


def _how(measured: Measured, what: str) -> str:
    turns = {name: len(series.turns) for name, series in measured.series.items()}
    assert len(set(turns.values())) == 1
    return (
        f"{what}: median of {turns['fresh']:,} turns on a state from Bootstrap (fresh) and as many on one that grew by "
        f"{GROWN:,} single commits; {len(measured.bootstraps)} Bootstraps in turns with them"
    )
