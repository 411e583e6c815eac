"""Print rounds, copies and moved facts of closures by rounds of parts: `python -m benchmarks.parts [PARTS] [NAME...]`.

    facts      the asserted facts, with those about literals
    closure    all facts, with what operators read and make
    copies     how many parts a fact goes to before the first round
    rounds     until no part has a fact for another one, over all strata
    moved      facts that parts have sent to others, and results of operators, each for each part that gets it
    engine     processor seconds of one engine for the same facts and rules
    parts      processor seconds of all parts together, one after the other, and of what places facts

The parts run in this process (`benchmarks/rounds`): rounds, copies and moved facts are those of Spark. Spark asserts
facts about literals between rounds, so it needs a round more where links or new terms make such facts. Cost: some
minutes; the random graph has 15 million facts and takes most of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from time import process_time
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.rounds import close
from benchmarks.workspace import Workspace
from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.edit import Edit, Facts
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.resources import resource
from kgreason.rules.lowering import is_operator_result
from kgreason.rules.model import DATA, Atom
from kgreason.rules.parser import parse
from kgreason.spark.rounds.placement import placement
from kgreason.spark.rounds.plan import FIRST, FLAG, TABLE, operators_plan, plan
from kgreason.terms.vocabulary import XSD_INTEGER
from kgreason.zset.columns import IS_ASSERTED, Int32

_EXAMPLES = Path(__file__).parents[1] / "examples" / "rules"
Rows = Mapping[str, Sequence[tuple[object, ...]]]


class Workload(NamedTuple):
    """Rules (names of rule sets, files, or text), files of triples, and rows of relations."""

    name: str
    rules: tuple[str, ...]
    files: tuple[Path, ...] = ()
    rows: Rows = MappingProxyType({})
    text: str = ""


class Figures(NamedTuple):
    """The columns of a line."""

    facts: int
    closure: int
    copies: float
    rounds: int
    moved: int
    engine: float
    parts: float


def figures(workload: Workload, parts: int) -> Figures:
    """Close a workload in one engine and in parts, and count."""
    process = _closed(workload)
    engine, intern = process.engine, process.dictionary.intern
    columns, tables, kinds = engine.facts.contents()
    placed = placement(process.rules)
    needs = operators_plan(process.rules, process.closed_schema(), placed, engine, intern)
    quiet = 0 if process.selection.is_reflexive else SAME_AS
    made = plan(placed, parts, engine, intern, quiet, needs)
    rows = np.zeros((len(columns), FIRST + made.width), dtype=np.int32)
    rows[:, FLAG], rows[:, TABLE], rows[:, FIRST : FIRST + columns.shape[1]] = kinds == IS_ASSERTED, tables, columns
    asserted = rows[rows[:, FLAG] == 1]
    begun = process_time()
    alone = Engine(quiet, threads=1)
    for is_triple, width in engine.tables:
        alone.table(is_triple, width)
    widths = [width for _, width in engine.tables]
    by_table = {n: asserted[asserted[:, TABLE] == n, FIRST : FIRST + width] for n, width in enumerate(widths)}
    alone.commit(by_table, added=engine.rules, strategy="bootstrap")
    del alone
    own, begun = process_time() - begun, process_time()
    found = close(made, asserted[~_are_results(process, asserted)], process.dictionary, process.operators.registry)
    took, given = process_time() - begun, len(asserted) - int(_are_results(process, asserted).sum())
    copies, moved = found.received[0] / max(1, given), sum(found.received[1:])
    return Figures(given, len(found.facts), copies, len(found.received), moved, own, took)


def _are_results(process: Materializer, rows: Int32) -> NDArray[np.bool_]:
    """Whether facts are results of operators: bool[n]."""
    ids = np.unique(rows[rows[:, TABLE] != process.triples, FIRST])
    texts = [text.rpartition("/")[0] for text in process.dictionary.decode(ids)]
    made = [
        n for n, text in zip(ids.tolist(), texts, strict=True) if text == DATA or is_operator_result(Atom(text, ()))
    ]
    found: NDArray[np.bool_] = (rows[:, TABLE] != process.triples) & np.isin(rows[:, FIRST], made)
    return found


def _closed(workload: Workload) -> Materializer:
    """Close a workload in one process, without representatives of equal terms."""
    selection = select(workload.rules or ("none",), "axioms", "rules")
    own = (*selection.own, *parse(workload.text).rules)
    process = Materializer(replace(selection, own=own))
    rows: dict[int, list[Int32]] = {}
    for name, each in workload.rows.items():
        width = len(each[0])
        (number,) = process.dictionary.intern([relation_text(name, width)]).tolist()
        ids = process.dictionary.intern([_term(value) for row in each for value in row]).reshape(-1, width)
        rows.setdefault(width + 1, []).append(np.column_stack([np.full(len(ids), number), ids]).astype(np.int32))
    facts = Facts({width: np.concatenate(some) for width, some in rows.items()}, {})
    process.change(Edit(added=read_files(workload.files, process.dictionary), facts=facts))
    process.accept()
    return process


def _term(value: object) -> str:
    text = str(value)
    return f'"{text}"^^{XSD_INTEGER}' if text.lstrip("-").isdigit() else f'"{text}"'


def workloads(workspace: Workspace) -> Iterator[Workload]:
    """Yield all workloads, the largest last."""
    shared, lubm = workspace.shared, "lubm1.nt"
    university = resource("ontologies", "univ-bench.ttl")
    yield Workload("LUBM(1)", ("owl2rl",), (university, shared("lubm", f"{lubm}.gz")))
    brick = shared("ontologies", "Brick-1.1.n3.gz"), shared("ontologies", "brick_building_VM3A_v1.1.ttl.gz")
    yield Workload("Brick and its building", ("owl2rl",), brick)
    yield Workload("pizza", ("owl2rl",), (shared("ontologies", "pizza.owl.gz"),))
    yield Workload("PROV", ("owl2rl",), (shared("ontologies", "prov.nq.gz"),))
    for program in sorted(_EXAMPLES.glob("*/*.dl")):
        folder = program.parent
        tables = {
            path.stem: [tuple(line.split("\t")) for line in path.read_text().splitlines() if line]
            for path in sorted((folder / "facts").glob("*.facts"))
        }
        triples = tuple(sorted(folder.glob("*.ttl")))
        has_triples = "[?" in program.read_text() or ":-" not in program.read_text()
        files, rows = (triples, {}) if triples and (has_triples or not tables) else ((), tables)
        yield Workload(f"{folder.name}/{program.name}", ("rdfs", str(program)), files, rows)
    closure = "far(?x, ?y) :- edge(?x, ?y) . far(?x, ?z) :- far(?x, ?y), edge(?y, ?z) ."
    chain = {"edge": [(n, n + 1) for n in range(299)]}
    yield Workload("chain of 300, linear", (), (), chain, closure)
    doubled = closure.replace("far(?x, ?y), edge(?y, ?z)", "far(?x, ?y), far(?y, ?z)")
    yield Workload("chain of 300, doubled", (), (), chain, doubled)
    tree = {"parent": [(n, (n - 1) // 3) for n in range(1, 1_000)]}
    same = "same(?x, ?x) :- parent(?x, ?p) . same(?x, ?y) :- parent(?x, ?p), same(?p, ?q), parent(?y, ?q) ."
    yield Workload("same generation", (), (), tree, same + " same(?x, ?y) :- parent(?x, ?p), parent(?y, ?p) .")
    random = Random(0)
    edges = {"edge": list({(random.randrange(5_000), random.randrange(5_000)): 0 for _ in range(10_000)})}
    yield Workload("5,000 nodes, 10,000 edges", (), (), edges, closure)


def main(parts: int, names: list[str], take: Callable[[str], object]) -> None:
    """Print a line for each workload, or for those whose names have one of `names`."""
    take("| workload | facts | closure | copies | rounds | moved | engine | parts |")
    take("|---|---|---|---|---|---|---|---|")
    with Workspace() as workspace:
        for workload in workloads(workspace):
            if names and not any(name in workload.name for name in names):
                continue
            f = figures(workload, parts)
            take(
                f"| {workload.name} | {f.facts:,} | {f.closure:,} | {f.copies:.2f} | {f.rounds} | {f.moved:,} |"
                f" {f.engine:.2f} s | {f.parts:.2f} s |"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8, sys.argv[2:], lambda line: sys.stdout.write(f"{line}\n"))
