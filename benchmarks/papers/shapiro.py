"""*A Back-to-basics Empirical Study of Datalog Materialization* (Shapiro).

    evaluation   evaluation again at each commit, semi-naive by derivatives, and with an index: three circuits that
                 substitute; and the engine, which joins columns of numbers
    sizes        update sets of growing size, in both directions (Figure 3)
    programs     points-to, CSPA, CSDA and RhoDF on several inputs (Figure 4)
    threads      Bootstrap by threads and on Spark, beside a plain program of one thread for the same closure (COST)

Left out, because kgreason has one way only: interning switched off. Terms are numbers everywhere in the engine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from itertools import count, takewhile
from statistics import median

import numpy as np
from numba import njit

from benchmarks.engine import bootstrap
from benchmarks.papers.dyre import KINDS
from benchmarks.papers.model import Cell, Experiment, Lines, Plot, Table
from benchmarks.papers.workloads import Workload, closure, lubm, parts, pointers
from benchmarks.programs import TRANSITIVE_CLOSURE, Input, random_graph, relational
from benchmarks.spark import closing
from benchmarks.states import seconds as timed
from benchmarks.workspace import SkippedError, Workspace
from kgreason.circuit import ReferenceCircuit
from kgreason.rules.model import Atom
from kgreason.rules.parser import parse
from kgreason.zset.columns import Int32

CSPA = """
    flow(?y, ?x) :- assign(?y, ?x) .
    flow(?x, ?x) :- assign(?x, ?y) .
    flow(?x, ?x) :- assign(?y, ?x) .
    memory(?x, ?x) :- assign(?y, ?x) .
    memory(?x, ?x) :- assign(?x, ?y) .
    flow(?x, ?y) :- assign(?x, ?z), memory(?z, ?y) .
    flow(?x, ?y) :- flow(?x, ?z), flow(?z, ?y) .
    memory(?x, ?w) :- dereference(?y, ?x), alias(?y, ?z), dereference(?z, ?w) .
    alias(?x, ?y) :- flow(?z, ?x), flow(?z, ?y) .
    alias(?x, ?y) :- flow(?z, ?x), memory(?z, ?w), flow(?w, ?y) .
"""
CSDA = """
    null(?x, ?y) :- start(?x, ?y) .
    null(?x, ?y) :- null(?x, ?w), arc(?w, ?y) .
"""
_CLOSURE = """
    [?x, <e:path>, ?y] :- [?x, <e:edge>, ?y] .
    [?x, <e:path>, ?z] :- [?x, <e:path>, ?y], [?y, <e:edge>, ?z] .
"""
"""`TRANSITIVE_CLOSURE` for triples."""
_SETS = 3


def evaluation(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """A first commit of a closure, then one edge more, by substitution (three circuits) and by joins (the engine)."""
    rows: list[tuple[Cell, ...]] = []
    lines: Lines = {}
    rules = dict.fromkeys(parse(TRANSITIVE_CLOSURE).rules, 1)
    for nodes, edges in ((15, 20), (25, 40), (60, 120))[: 3 if is_full else 2]:
        pairs, title = random_graph(nodes, edges), f"closure, {nodes} nodes, {edges} edges"
        facts = [Atom("edge", (f"<{x}>", f"<{y}>")) for x, y in pairs.tolist()]
        for kind in KINDS:
            circuit = ReferenceCircuit(kind)
            first = timed(partial(circuit.commit, dict.fromkeys(facts[1:], 1), rules))
            second = timed(partial(circuit.commit, {facts[0]: 1}, {}))
            rows.append((title, f"substitution, {kind}", first, second))
            lines.setdefault(f"substitution, {kind}", []).append((edges, first))
        loaded = closure(pairs)(workspace, 1)
        one = np.arange(1)
        loaded.change(one, False, "update")
        first = loaded.bootstrap()
        rows.append((title, "joins, the engine", first, loaded.change(one, True, "update")))
        lines.setdefault("joins, the engine", []).append((edges, first))
    columns = ("program", "evaluation", "first commit, s", "one edge more, s")
    yield Table("Ways of evaluation", columns, rows, plot=Plot("evaluation", "edges", "seconds", lines))


def sizes(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """Update sets of a thousandth of the facts to all of them, deleted and added."""
    nodes, edges = (1_000, 10_000) if is_full else (300, 1_500)
    for workload in (
        Workload(f"closure of {nodes:,} nodes and {edges:,} edges", closure(random_graph(nodes, edges))),
        Workload("LUBM(1), RDFS", lubm(1, "rdfs")),
    ):
        loaded = workload.load(workspace, 1)
        rows: list[tuple[Cell, ...]] = []
        lines: Lines = {"deleted": [], "added": []}
        for share in (0.001, 0.01, 0.1, 0.25, 0.5, 1):
            size = max(1, round(share * loaded.asserted))
            sets = parts(loaded.asserted, size, _SETS)
            taken = [[loaded.change(part, side, "update") for side in (False, True)] for part in sets]
            both = [median(side) for side in zip(*taken, strict=True)]
            rows.append((f"{share:.1%}", size, *both))
            for line, seconds in zip(lines.values(), both, strict=True):
                line.append((size, seconds))
        columns = ("of the facts", "facts", "deleted, s", "added, s")
        name = re.sub(r"\W.*", "", workload.name).lower()
        plot = Plot(f"sizes-{name}", "facts in the update set", "seconds", lines)
        yield Table(workload.name, columns, rows, f"Updates, medians of {_SETS} sets", plot)


def programs(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """Points-to, CSPA and CSDA on generated programs, RhoDF on LUBM."""
    rows: list[tuple[Cell, ...]] = []
    for size in (1_000, 2_000, 5_000)[: 3 if is_full else 2]:
        loaded = pointers(size)(workspace, 1)
        rows.append((f"points-to, {size:,} variables", loaded.asserted, loaded.facts, loaded.bootstrap()))
    for size in (1_000, 2_000, 4_000)[: 3 if is_full else 2]:
        draw = np.random.default_rng(size).random
        assigned, read = (np.unique((draw((n, 2)) * size).astype(np.int32), axis=0) for n in (size // 2, size // 4))
        start = relational(CSPA, {"assign": assigned, "dereference": read})
        rows.append((f"CSPA, {size:,} variables", len(assigned) + len(read), *_bootstrapped(start)))
    for size in (10_000, 100_000, 1_000_000)[: 3 if is_full else 2]:
        arcs = random_graph(size, size)
        first = np.column_stack([np.arange(size // 1_000), arcs[: size // 1_000, 0]]).astype(np.int32)
        start = relational(CSDA, {"arc": arcs, "start": first})
        rows.append((f"CSDA, {size:,} arcs", len(arcs) + len(first), *_bootstrapped(start)))
    for universities in (1, 2, 5, 10)[: 4 if is_full else 2]:
        loaded = lubm(universities, "rhodf")(workspace, 1)
        rows.append((f"RhoDF, LUBM({universities})", loaded.asserted, loaded.facts, loaded.bootstrap()))
    lines: Lines = {}
    for title, _, facts, seconds in rows:
        lines.setdefault(str(title).partition(",")[0], []).append((float(facts), float(seconds)))
    columns = ("program", "asserted facts", "facts", "Bootstrap, s")
    yield Table("Programs", columns, rows, "inputs are generated", Plot("programs", "facts", "seconds", lines))


def _bootstrapped(start: Input) -> tuple[int, float]:
    """The number of facts, and the seconds of a Bootstrap."""
    taken = timed(lambda: start.engine.bootstrap(start.facts))
    return len(start.engine.facts), taken


def threads(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """Closures by the engine on 1, 2, 4 threads and so on, on Spark (the first), and by a plain program on one."""
    for place, (nodes, edges) in enumerate([(1_000, 10_000), (5_000, 10_000)] if is_full else [(300, 1_500)]):
        yield _cost(random_graph(nodes, edges), workspace if place == 0 else None)


def _cost(edges: Int32, workspace: Workspace | None) -> Table:
    """The closure of edges by a plain program, by the engine, and in a workspace by Spark."""
    nodes = int(edges.max()) + 1
    pairs = reached(*neighbours(edges, nodes))
    plain = median(timed(lambda: reached(*neighbours(edges, nodes))) for _ in range(_SETS))
    rows: list[tuple[Cell, ...]] = [("plain program", 1, pairs, plain, 1.0)]
    numbers = [*takewhile(lambda each: each <= (os.cpu_count() or 1), (2**power for power in count()))]
    start = relational(TRANSITIVE_CLOSURE, {"edge": edges})
    for number in numbers:
        taken = median(bootstrap(start, number) for _ in range(_SETS))
        rows.append(("kgreason", number, pairs, taken, taken / plain))
    rows += [_on_spark(workspace, edges, number, pairs, plain) for number in numbers] if workspace else []
    lines: Lines = {}
    for program, threads, *_, seconds, ratio in rows:
        if ratio:
            lines.setdefault(str(program), []).append((float(threads), float(seconds)))
    columns = ("program", "threads", "pairs", "seconds", "over the plain program")
    remark = (
        f"medians of {_SETS}; the plain program searches from each node, and keeps its pairs and nothing else"
        + "; Spark works once, from file to files, in a session that has closed ten edges before" * bool(workspace)
    )
    plot = Plot(f"threads-{nodes}", "threads", "seconds", lines)
    return Table(f"Closure of {nodes:,} nodes and {len(edges):,} edges", columns, rows, remark, plot)


def _on_spark(workspace: Workspace, edges: Int32, threads: int, pairs: int, plain: float) -> tuple[Cell, ...]:
    """The row of a closure on Spark, where the plain program takes `plain` seconds."""
    lines = [f"<e:{x}> <e:edge> <e:{y}> .\n" for x, y in edges.tolist()]
    (workspace.folder / "edges.nt").write_text("".join(lines))
    (workspace.folder / "first.nt").write_text("".join(lines[:10]))
    (workspace.folder / "closure.dl").write_text(_CLOSURE)
    try:
        taken = closing(workspace, threads, "closure.dl", "edges.nt", "first.nt")["files"]
    except SkippedError as reason:
        return "kgreason on Spark", threads, str(reason), "", ""
    return "kgreason on Spark", threads, pairs, taken, taken / plain


def neighbours(edges: Int32, nodes: int) -> tuple[Int32, Int32]:
    """For each node the first of its edges int32[nodes + 1], and the targets of the ordered edges int32[n]."""
    ordered = edges[np.argsort(edges[:, 0], kind="stable")]
    return np.searchsorted(ordered[:, 0], np.arange(nodes + 1)).astype(np.int32), np.ascontiguousarray(ordered[:, 1])


@njit  # type: ignore[untyped-decorator]
def reached(firsts: Int32, targets: Int32) -> int:
    """The number of pairs of the closure, which are written into an array as they are found."""
    nodes = len(firsts) - 1
    seen, stack = np.full(nodes, -1, dtype=np.int32), np.empty(nodes, dtype=np.int32)
    pairs, found = np.empty((1024, 2), dtype=np.int32), 0
    for node in range(nodes):
        depth, current, is_first = 0, node, True
        while is_first or depth:
            if not is_first:
                depth -= 1
                current = stack[depth]
            is_first = False
            for place in range(firsts[current], firsts[current + 1]):
                target = targets[place]
                if seen[target] == node:
                    continue
                seen[target] = node
                stack[depth] = target
                depth += 1
                if found == len(pairs):
                    larger = np.empty((2 * found, 2), dtype=np.int32)
                    larger[:found] = pairs
                    pairs = larger
                pairs[found, 0], pairs[found, 1] = node, target
                found += 1
    return found


EXPERIMENTS = (
    Experiment(
        "shapiro-evaluation",
        "Shapiro",
        "What do derivatives, an index and joins save?",
        "Joins are fastest by far; substitution alone gains most from an index.",
        evaluation,
    ),
    Experiment(
        "shapiro-sizes",
        "Shapiro, Figure 3",
        "How does the cost of an update grow with its size, in both directions?",
        "All evaluations grow linearly with the data; large deletions become far slower without differential dataflow.",
        sizes,
    ),
    Experiment(
        "shapiro-programs",
        "Shapiro, Figure 4",
        "How long do points-to, CSPA, CSDA and RhoDF take?",
        "Differential dataflow is the fastest for CSDA only.",
        programs,
    ),
    Experiment(
        "shapiro-threads",
        "Shapiro, COST",
        "How many threads does the engine need to be as fast as a plain program of one thread?",
        "Differential dataflow is on a par with substitution on one thread.",
        threads,
    ),
)
