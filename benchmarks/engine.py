"""The time of a Bootstrap, divided by its floor (see `floor`): how much of a Bootstrap is search.

Four inputs: transitive closures of a dense and of a sparse random graph, Andersen's points-to analysis, and LUBM(5,0)
under OWL 2 RL. Both sides start from rows of ids that are in memory, and end with the facts, their stamps and their
supports in the fact table. Facts of an earlier round are dropped first, so a Bootstrap need not compare with them. The
Bootstrap uses one thread, as hashing does; `lubm10` also says what two threads take.

`two_threads` measures a Bootstrap on two threads over one on one thread. Beside it stands a bound that no division of
the work can pass: two processes that run the same Bootstrap on one thread each, at the same time and each for itself,
take longer than one of them alone, because they share caches and memory. `bound` is half of their time over that of
one alone.

Cost: some seconds each; 1.5 GB for the sparse graph, whose 31 million heads are kept.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from statistics import median

from benchmarks.completion import COMPLETION, GALEN, ontology
from benchmarks.floor import Recording, empty, hash_all, record
from benchmarks.lubm import asserted, materialize
from benchmarks.model import Measurement
from benchmarks.programs import POINTS_TO, TRANSITIVE_CLOSURE, Input, Statements, pointers, random_graph, relational
from benchmarks.timing import Pairs, alternate, timed
from benchmarks.workspace import SkippedError, Workspace

_ROUNDS, _ROUNDS_OF_THREADS = 5, 15
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


def lubm10(workspace: Workspace) -> Measurement:
    """LUBM(10,0) under OWL 2 RL; also two threads over the floor on one."""
    start = universities(workspace)
    recording = record(*start)
    one, two = (_beside_floor(start, recording, 9, threads) for threads in (1, 2))
    return Measurement(one.ratio, _how(one, recording), {"two-threads": (two.ratio, "x")})


def two_threads(make: Callable[[Workspace], Input], workspace: Workspace) -> Measurement:
    """Bootstrap on two threads over Bootstrap on one thread."""
    start = make(workspace)
    pairs = alternate(lambda: bootstrap(start, 2), lambda: bootstrap(start, 1), _ROUNDS_OF_THREADS)
    bound = at_once(start, _ROUNDS) / 2
    return Measurement(pairs.ratio, f"two threads {pairs}", {"bound": (bound, "x")})


def at_once(start: Input, rounds: int) -> float:
    """The time of two equal Bootstraps on one thread each, in two processes at the same time, over one alone.

    The other process is a fork of this one, so that both start with the same facts. It runs Bootstraps until it is
    told to stop. Raises SkippedError where processes cannot be forked.
    """
    if not hasattr(os, "fork"):
        raise SkippedError("processes cannot be forked here")
    bootstrap(start)
    alone = [bootstrap(start) for _ in range(rounds)]
    child = os.fork()
    if child == 0:
        try:
            while True:
                bootstrap(start)
        finally:
            os._exit(0)
    try:
        bootstrap(start)
        beside = [bootstrap(start) for _ in range(rounds)]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return median(beside) / median(alone)


def completion(_: Workspace) -> Input:
    """The rules and the axioms of an EL ontology of 2,000 classes."""
    return relational(COMPLETION, ontology(2_000, GALEN))


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
    pairs = _beside_floor(start, recording, rounds)
    others = {
        "rewrites": (float(recording.rewrites), "rewrites"),
        "derivations": (float(len(recording.heads)), "derivations"),
    }
    return Measurement(pairs.ratio, _how(pairs, recording), others if counts else {})


def _beside_floor(start: Input, recording: Recording, rounds: int, threads: int = 1) -> Pairs:
    """The seconds of Bootstraps on so many threads, and of their floor."""
    return alternate(lambda: bootstrap(start, threads), lambda: timed(lambda: hash_all(recording)), rounds)


def bootstrap(start: Input, threads: int = 1) -> float:
    """The seconds of a Bootstrap on so many threads; the engine is empty again afterwards."""
    start.engine.threads = threads
    seconds = timed(lambda: start.engine.bootstrap(start.facts))
    empty(start.engine)
    return seconds


def _how(pairs: Pairs, recording: Recording) -> str:
    return f"engine {pairs}; {len(recording.heads):,} derivations, {recording.rewrites:,} rewrites"
