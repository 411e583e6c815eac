"""The time of a Bootstrap, divided by its floor (see `floor`): how much of a Bootstrap is search.

Four inputs: transitive closures of a dense and of a sparse random graph, Andersen's points-to analysis, and LUBM(5,0)
under OWL 2 RL. Both sides start from rows of ids that are in memory, and end with the facts, their stamps and their
supports in the fact table. Facts of an earlier round are dropped first, so a Bootstrap need not compare with them. The
Bootstrap uses one thread, as hashing does.

`two_threads` measures a Bootstrap on two threads over one on one thread.

Cost: some seconds each; 1.5 GB for the sparse graph, whose 31 million heads are kept.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.floor import Recording, empty, hash_all, record
from benchmarks.lubm import asserted, materialize
from benchmarks.model import Measurement
from benchmarks.programs import POINTS_TO, TRANSITIVE_CLOSURE, Input, Statements, pointers, random_graph, relational
from benchmarks.timing import Pairs, alternate, timed
from benchmarks.workspace import Workspace

_ROUNDS = 5
_VARIABLES, _STATEMENTS, _SKEW = 5_000, Statements(addr=2_000, copy=3_500, load=500, store=500), 0.8


def closure_of_dense_graph(workspace: Workspace) -> Measurement:
    """Transitive closure, 1,000 nodes and 10,000 edges: 10 million derivations."""
    return over_floor(dense(workspace))


def closure_of_sparse_graph(workspace: Workspace) -> Measurement:
    """Transitive closure, 5,000 nodes and 10,000 edges: 31 million derivations."""
    return over_floor(sparse(workspace))


def points_to(workspace: Workspace) -> Measurement:
    """Andersen's analysis of a skewed program of 5,000 variables: 21 million derivations."""
    return over_floor(pointers_of(workspace), counts=True)


def lubm(workspace: Workspace) -> Measurement:
    """LUBM(5,0) under OWL 2 RL."""
    materializer = materialize(workspace, 5)
    return over_floor(Input(materializer.engine, asserted(materializer)), rounds=9)


def two_threads(make: Callable[[Workspace], Input], workspace: Workspace) -> Measurement:
    """Bootstrap on two threads over Bootstrap on one thread."""
    start = make(workspace)
    pairs = alternate(lambda: bootstrap(start, 2), lambda: bootstrap(start, 1), _ROUNDS)
    return Measurement(pairs.ratio, f"two threads {pairs}")


def dense(_: Workspace) -> Input:
    """The rules and edges of `closure_of_dense_graph`."""
    return relational(TRANSITIVE_CLOSURE, {"edge": random_graph(1_000, 10_000)})


def sparse(_: Workspace) -> Input:
    """The rules and edges of `closure_of_sparse_graph`."""
    return relational(TRANSITIVE_CLOSURE, {"edge": random_graph(5_000, 10_000)})


def pointers_of(_: Workspace) -> Input:
    """The rules and statements of `points_to`."""
    return relational(POINTS_TO, pointers(_VARIABLES, _STATEMENTS, _SKEW))


def universities(workspace: Workspace) -> Input:
    """The rules and asserted triples of LUBM(10,0)."""
    materializer = materialize(workspace, 10)
    return Input(materializer.engine, asserted(materializer))


def over_floor(start: Input, *, rounds: int = _ROUNDS, counts: bool = False) -> Measurement:
    """Bootstrap over its floor; with `counts` the rewrites and derivations as figures of their own."""
    recording = record(*start)
    pairs = alternate(lambda: bootstrap(start), lambda: timed(lambda: hash_all(recording)), rounds)
    others = {
        "rewrites": (float(recording.rewrites), "rewrites"),
        "derivations": (float(len(recording.heads)), "derivations"),
    }
    return Measurement(pairs.ratio, _how(pairs, recording), others if counts else {})


def bootstrap(start: Input, threads: int = 1) -> float:
    """The seconds of a Bootstrap on so many threads; the engine is empty again afterwards."""
    start.engine.threads = threads
    seconds = timed(lambda: start.engine.bootstrap(start.facts))
    empty(start.engine)
    return seconds


def _how(pairs: Pairs, recording: Recording) -> str:
    return f"engine {pairs}; {len(recording.heads):,} derivations, {recording.rewrites:,} rewrites"
