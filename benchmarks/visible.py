"""The time until SPARQL sees a change: whole transactions at LUBM(5,0) and on a transitive closure.

    one triple   compared with Oxigraph's own update of one quad, on a store of the same rows; on disk also with a sync,
                 since a commit is in a synced journal before the store has it
    1 %, axioms  compared with a Bootstrap of the engine alone, from the same facts in the same run

One triple is measured after the load, and again after a thousand single commits. On disk every commit is an Update. In
memory `auto` chooses the strategy, and the figures say how often it chose which one. The closure of the sparse graph is
left out: with 15 million triples, most of the time would be Oxigraph's.

Cost: loading, and bulk loading once more, some ten seconds each; 1.5 GB in memory.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice, repeat
from pathlib import Path
from statistics import median

import pyoxigraph

from benchmarks import axioms, states
from benchmarks.lubm import NAMESPACE, ONTOLOGY
from benchmarks.model import Measurement
from benchmarks.programs import random_graph
from benchmarks.states import GROWN, SIDES, Series, Start
from benchmarks.transactions import Rival, commit, new_lines, samples, turn
from benchmarks.workspace import Workspace
from kgreason.graph.knowledge_graph import KnowledgeGraph

_SINGLES, _ROUNDS = 300, 3
_COURSES = f"<{NAMESPACE}takesCourse>"
_EDGE = "<http://example.org/{}> <http://example.org/edge> <http://example.org/{}> .\n"
_CLOSURE = """
    [?x, <http://example.org/reach>, ?y] :- [?x, <http://example.org/edge>, ?y] .
    [?x, <http://example.org/reach>, ?z] :- [?x, <http://example.org/reach>, ?y], [?y, <http://example.org/edge>, ?z] .
"""


def in_memory(workspace: Workspace) -> Measurement:
    """One triple in memory at LUBM(5,0), beside Oxigraph's update."""
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        graph.load(workspace.lubm(5), workspace.ontology(ONTOLOGY))
        return _lubm(workspace, graph, Rival(pyoxigraph.Store(), None))


def on_disk(workspace: Workspace) -> Measurement:
    """One triple on disk at LUBM(5,0), beside Oxigraph's update and a sync."""
    path = workspace.fresh("visible")
    with KnowledgeGraph.open(path, rules=["owl2rl"]) as graph:
        graph.load(workspace.lubm(5), workspace.ontology(ONTOLOGY))
    with (
        KnowledgeGraph.open(path, strategy="update") as graph,
        appended(workspace.fresh("rival-journal")) as journal,
    ):
        return _lubm(workspace, graph, Rival(pyoxigraph.Store(workspace.fresh("rival")), journal))


def _lubm(workspace: Workspace, graph: KnowledgeGraph, rival: Rival) -> Measurement:
    found = one_triple(graph, rival, _COURSES, _SINGLES)
    changes = {"1pct": hundredths(workspace.lubm(5))}
    for name, axiom in (("low", axioms.LOW), ("top", axioms.TOP), ("transitive", axioms.TRANSITIVE)):
        changes[f"axiom-{name}"] = repeat(f"{' '.join(axiom)} .\n".encode())
    others = over_bootstrap(graph, changes, states.lubm(workspace, 5), _ROUNDS)
    return Measurement(found.value, f"{found.how}; beside it {others.how}", found.others | others.others)


def dense(workspace: Workspace) -> Measurement:
    """1 % of the edges of the dense graph."""
    return closure(workspace, 1_000, 10_000, _ROUNDS)


def closure(workspace: Workspace, nodes: int, edges: int, rounds: int) -> Measurement:
    """1 % of the edges of a random graph, on disk, until SPARQL sees what follows, over a Bootstrap of the engine."""
    path, data, rules = (workspace.fresh(name) for name in ("visible", "edges.nt", "closure.dl"))
    data.write_text("".join(map(_EDGE.format, *random_graph(nodes, edges).T.tolist())))
    rules.write_text(_CLOSURE)
    with KnowledgeGraph.open(path, rules=[str(rules)]) as graph:
        graph.load(data)
    with KnowledgeGraph.open(path, strategy="update") as graph:
        changes = {"1pct": hundredths(data), "edge": samples(_lines(data), 1)}
        return over_bootstrap(graph, changes, states.closure(nodes, edges), rounds)


def hundredths(path: Path) -> Iterator[bytes]:
    """Samples of 1 % of the lines of a file."""
    lines = _lines(path)
    return samples(lines, max(1, len(lines) // 100))


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def one_triple(graph: KnowledgeGraph, rival: Rival, predicate: str, count: int) -> Measurement:
    """`count` new rows added and deleted on both sides in turns, and as many again once the graph has grown."""
    rival.copy(graph)
    rows = new_lines(graph, predicate)
    others: dict[str, tuple[float, str]] = {}
    ours, theirs = Series(turn(graph, next(rows))), Series(rival.turn(next(rows)))
    others |= {f"{side}-first": (1e6 * getattr(ours.first, side), "us") for side in SIDES}
    ratios = []
    for state, more in (("fresh", 0), ("grown", GROWN)):
        for row in islice(rows, more):
            commit(graph, row, added=True)
        pairs = [(turn(graph, row), rival.turn(row)) for row in islice(rows, count)]
        ours.turns, theirs.turns = [mine for mine, _ in pairs], [other for _, other in pairs]
        for side in SIDES:
            ratios.append(ours.median(side) / theirs.median(side))
            others[f"{side}-{state}"] = ratios[-1], "x"
            others[f"{side}-{state}-time"] = 1e6 * ours.median(side), "us"
    how = f"medians of {count} rows in turns, as loaded (fresh) and after {GROWN:,} single commits (grown)"
    return Measurement(max(ratios), how, others)


def over_bootstrap(
    graph: KnowledgeGraph, changes: Mapping[str, Iterator[bytes]], start: Start, rounds: int
) -> Measurement:
    """Every change over a Bootstrap of the same facts, medians of rounds; the value is the worse side of the first."""
    bootstrap = median(start.bootstrap() for _ in range(rounds))
    strategies: Counter[str] = Counter()
    unsubscribe = graph.subscribe(lambda delta: strategies.update([delta.work.strategy]))
    found = {
        name: Series(turn(graph, next(parts)), [turn(graph, next(parts)) for _ in range(rounds)])
        for name, parts in changes.items()
    }
    unsubscribe()
    others = {f"{side}-{name}": (each.median(side) / bootstrap, "x") for name, each in found.items() for side in SIDES}
    chosen = " and ".join(f"{number} by {strategy}" for strategy, number in strategies.items())
    how = f"{', '.join(changes)}: medians of {rounds} rounds over a Bootstrap of {bootstrap:.3g} s; commits {chosen}"
    return Measurement(max(others[f"{side}-{next(iter(changes))}"][0] for side in SIDES), how, others)


@contextmanager
def appended(path: Path) -> Iterator[int]:
    """A new file to append to."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        yield file
    finally:
        os.close(file)
