"""Section 5 of *Incremental Evaluation of Dynamic Datalog Programs as a Higher-order DBSP Program* (DYRE).

5.1   materialization by the share of the data: the three circuits at sizes that they can do, and the engine
5.2   99 % + 1 % and 50 % + 50 % of the facts, added and deleted
5.3   peak memory of whole processes, by workload and by reasoner
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Literal

import pyoxigraph

from benchmarks.closures import RIVALS
from benchmarks.papers.alone import alone, peak
from benchmarks.papers.model import Cell, Experiment, Lines, Plot, Table
from benchmarks.papers.workloads import Loaded, Workload, closure, lubm, parts, rmat
from benchmarks.process import run
from benchmarks.programs import TRANSITIVE_CLOSURE, random_graph
from benchmarks.states import seconds as timed
from benchmarks.workspace import Workspace
from kgreason.circuit import ReferenceCircuit
from kgreason.rules.model import Atom
from kgreason.rules.parser import parse

_SHARES = 0.25, 0.5, 0.75, 1.0
KINDS: tuple[Literal["naive", "incremental", "indexed"], ...] = ("naive", "incremental", "indexed")
_SETS = 3
_KGREASON = str(Path(sys.executable).with_name("kgreason"))


def workloads(is_full: bool) -> list[Workload]:
    """The paper's workloads: LUBM under two sets of rules, and closures of an even and of a skewed graph."""
    universities, nodes, edges, scale = (10, 1_000, 10_000, 10) if is_full else (1, 300, 1_500, 8)
    return [
        Workload(f"LUBM({universities}), RDFS", lubm(universities, "rdfs")),
        Workload(f"LUBM({universities}), OWL 2 RL", lubm(universities, "owl2rl")),
        Workload(f"closure, RAND{nodes}", closure(random_graph(nodes, edges))),
        Workload(f"closure, RMAT{1 << scale}", closure(rmat(scale, edges))),
    ]


def circuits(_: Workspace, is_full: bool) -> Iterator[Table]:
    """Materialization of a growing share of a small graph by the three circuits, which are plain Python."""
    rules = dict.fromkeys(parse(TRANSITIVE_CLOSURE).rules, 1)
    pairs = random_graph(*((60, 120) if is_full else (25, 40)))
    facts = [Atom("edge", (f"<{x}>", f"<{y}>")) for x, y in pairs.tolist()]
    rows: list[tuple[Cell, ...]] = []
    lines: Lines = {kind: [] for kind in KINDS}
    for share in _SHARES:
        taken = []
        for kind in KINDS:
            circuit, part = ReferenceCircuit(kind), dict.fromkeys(facts[: round(share * len(facts))], 1)
            taken.append(timed(partial(circuit.commit, part, rules)))
            lines[kind].append((len(part), taken[-1]))
        rows.append((f"{share:.0%}", len(part), *taken))
    plot = Plot("circuits", "edges", "seconds", lines)
    columns = ("share", "edges", *(f"{kind}, s" for kind in KINDS))
    yield Table("Three circuits: closure of a random graph", columns, rows, "one commit of everything", plot)


def shares(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """Bootstrap of a growing share of the facts by the engine."""
    lines: Lines = {}
    rows: list[tuple[Cell, ...]] = []
    for workload in workloads(is_full):
        for share in _SHARES:
            loaded = workload.load(workspace, share)
            taken = median(loaded.bootstrap() for _ in range(_SETS))
            rows.append((workload.name, f"{share:.0%}", loaded.asserted, loaded.facts, taken))
            lines.setdefault(workload.name, []).append((loaded.asserted, taken))
    columns = ("workload", "share", "changing facts", "facts when closed", "Bootstrap, s")
    yield Table("The engine", columns, rows, f"medians of {_SETS}", Plot("shares", "facts", "seconds", lines))


def changes(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """1 % and 50 % of the facts, deleted and added again."""
    rows: list[tuple[Cell, ...]] = []
    lines: Lines = {}
    for workload in workloads(is_full):
        loaded = workload.load(workspace, 1)
        bootstrap = median(loaded.bootstrap() for _ in range(_SETS))
        for share in (0.01, 0.5):
            deleted, added = (_median(loaded, share, is_added=side) for side in (False, True))
            rows.append((workload.name, f"{share:.0%}", deleted, added, deleted / bootstrap, added / bootstrap))
            for side, taken in (("deleted", deleted), ("added", added)):
                lines.setdefault(f"{workload.name}, {side}", []).append((share * loaded.asserted, taken))
    columns = ("workload", "of the facts", "deleted, s", "added, s", "deleted / Bootstrap", "added / Bootstrap")
    remark = f"medians of {_SETS} sets of facts, strategy auto; the facts that are deleted are added again afterwards"
    plot = Plot("changes", "facts in the update set", "seconds", lines)
    yield Table("1 % and 50 % of the facts", columns, rows, remark, plot)


def _median(loaded: Loaded, share: float, *, is_added: bool) -> float:
    """The median seconds to delete such a share of the facts, or to add them."""
    found = []
    for numbers in parts(loaded.asserted, max(1, round(share * loaded.asserted)), _SETS):
        taken = loaded.change(numbers, False, "auto"), loaded.change(numbers, True, "auto")
        found.append(taken[is_added])
    return median(found)


def memory(workspace: Workspace, is_full: bool) -> Iterator[Table]:
    """Peak memory of processes: of the engine by workload, and of reasoners that read LUBM, close it and write it."""
    taken = [(each.name, *alone(_peak, place, is_full)) for place, each in enumerate(workloads(is_full))]
    remark = "a Bootstrap, then 1 % of the facts deleted and added; one process each, with Python and its packages"
    plot = Plot("memory", "facts when closed", "MiB", {name: [(facts, most)] for name, facts, most in taken})
    yield Table("The engine", ("workload", "facts when closed", "peak memory, MiB"), [*taken], remark, plot)
    universities = 1
    file = workspace.folder / "both.ttl"
    with file.open("wb") as out:
        for source in (workspace.lubm(universities), workspace.ontology("univ-bench.ttl")):
            pyoxigraph.serialize(pyoxigraph.parse(path=source), out, pyoxigraph.RdfFormat.N_TRIPLES)
    rows: list[tuple[Cell, ...]] = []
    for name, command in _reasoners(file.name).items():
        if isinstance(command, str):
            rows.append((name, command, ""))
        elif name.startswith("owlrl") and not is_full:
            rows.append((name, "left out: it takes minutes", ""))
        else:
            outcome = run(command, workspace.folder, {"PYTHONPATH": str(Path(__file__).parents[2])})
            rows.append((name, outcome.seconds, outcome.peak / (1 << 20)))
    columns = ("reasoner", "seconds", "peak memory, MiB")
    yield Table(f"LUBM({universities}) from file to file", columns, rows, "one process each, from its start to its end")


def _peak(place: int, is_full: bool) -> tuple[int, float]:
    """The facts of a workload when it is closed, and the peak memory of this process in MiB."""
    with Workspace() as workspace:
        loaded = workloads(is_full)[place].load(workspace, 1)
    _median(loaded, 0.01, is_added=True)
    return loaded.facts, peak() / (1 << 20)


_RUN = """
import sys
from pathlib import Path
from benchmarks.closures import RIVALS
rival = RIVALS[sys.argv[1]]
Path("closed.nt").write_text(" .\\n".join(rival.lines(rival.close(Path(sys.argv[2])))))
"""


def _reasoners(file: str) -> dict[str, list[str] | str]:
    """The command of each reasoner for a file, or why it does not run."""
    found: dict[str, list[str] | str] = {}
    for name, rules in (("RDFS", "rdfs"), ("OWL 2 RL", "owl2rl")):
        command = [_KGREASON, "materialize", file, "--rules", rules, "-o", "closed.nt"]
        found[f"kgreason, {name}"] = command
    for name, rival in RIVALS.items():
        is_there = importlib.util.find_spec(rival.module) is not None
        found[f"{name}, OWL 2 RL"] = [sys.executable, "-c", _RUN, name, file] if is_there else "not installed"
    return found


EXPERIMENTS = (
    Experiment("dyre-circuits", "DYRE, 5.1", "What does the index operator save?", "", circuits),
    Experiment("dyre-shares", "DYRE, 5.1", "How does materialization grow with the data?", "", shares),
    Experiment(
        "dyre-changes",
        "DYRE, 5.2",
        "What do additions and deletions of 1 % and of 50 % cost?",
        "Up to almost 10 times faster than DDlog and 2 times faster than Soufflé for incremental updates.",
        changes,
    ),
    Experiment("dyre-memory", "DYRE, 5.3", "How much memory does each reasoner need?", "", memory),
)
