"""`scripts/bench --large`: LUBM of several sizes, loaded into a store, asked and edited: time and peak memory by phase.

Each phase is a process of its own, so its peak memory is its own, and each edit reopens the store. The data is made by
`kgreason lubm`, compressed. Before anything is made, the free space on the disk is checked. The result is a table in
Markdown, and the aims of issue 17: memory, and the cost of a triple.

Cost: for 800 universities (110 million triples) about an hour, 22 GB of memory and 45 GB of disk.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.lubm import NAMESPACE, ONTOLOGY
from benchmarks.process import Outcome, kgreason, run
from benchmarks.workspace import Workspace
from kgreason.lubm import queries

SIZES = (10, 100, 800)
_TRIPLES = 140_000
"""The triples of a university, rounded up."""
_DISK = 400
"""The bytes of disk that a triple takes: 8 for the data, 280 for the store, and room for a second snapshot."""
MOST_MEMORY = 22 << 30
MOST_GROWTH, MOST_GROWTH_FROM_TEN_MILLION = 2.0, 1.3

_SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
_EDITS = {
    "add a triple": "INSERT DATA { <http://example.org/bench/me> <http://xmlns.com/foaf/0.1/knows> <http://e.org/a> }",
    "take it back": "DELETE DATA { <http://example.org/bench/me> <http://xmlns.com/foaf/0.1/knows> <http://e.org/a> }",
    "add an axiom": f"INSERT DATA {{ <{NAMESPACE}Chair> {_SUBCLASS} <http://example.org/bench/Boss> }}",
    "take the axiom back": f"DELETE DATA {{ <{NAMESPACE}Chair> {_SUBCLASS} <http://example.org/bench/Boss> }}",
}


class FullDiskError(Exception):
    """The disk has too little free space; the message says how much is needed."""


@dataclass
class Run:
    """The results of all phases for one size of data, by the name of the phase."""

    universities: int
    triples: int = 0
    store: int = 0
    """The bytes of the store on the disk."""
    phases: dict[str, Outcome] = field(default_factory=dict)

    @property
    def peak(self) -> int:
        """The largest memory of a phase, in bytes."""
        return max(outcome.peak for outcome in self.phases.values())

    @property
    def cost(self) -> float:
        """The seconds of the load for each triple."""
        return self.phases["load"].seconds / self.triples


def measure(sizes: Sequence[int], workspace: Workspace) -> Iterator[Run]:
    """Measure one size after the other; the data and the store of a size are removed before the next size.

    Raises FullDiskError before anything is made.
    """
    check_disk(max(sizes), workspace.folder)
    for size in sizes:
        yield _measured(size, workspace)


def check_disk(universities: int, folder: Path) -> None:
    """Raise FullDiskError if the disk of `folder` has too little free space for so many universities."""
    needed, free = universities * _TRIPLES * _DISK, shutil.disk_usage(folder).free
    if free < needed:
        raise FullDiskError(
            f"{folder}: {universities} universities need {_gigabytes(needed)} of disk, and {_gigabytes(free)} are free;"
            " name fewer universities, or set TMPDIR to a folder on another disk"
        )


def _measured(size: int, workspace: Workspace) -> Run:
    done, folder = Run(size), workspace.folder
    data, store = workspace.fresh("data"), workspace.fresh("store")
    workspace.ontology(ONTOLOGY)

    def note(name: str, *arguments: str | Path) -> None:
        before = done.phases.get(name, Outcome(0, 0))
        outcome = run(kgreason(*arguments), folder)
        done.phases[name] = Outcome(before.seconds + outcome.seconds, max(before.peak, outcome.peak))

    note("make the data", "lubm", "--universities", str(size), "-o", "data", "--compress")
    files = sorted(Path("data", path.name) for path in data.iterdir())
    note("load", "load", "-l", "store", "-f", ONTOLOGY, *files, "--rules", "owl2rl", "--pipeline", "local")
    done.triples = _asserted(store)
    for text in queries().values():
        note("14 queries", "query", "-l", "store", "-q", text, "--results-format", "csv")
    for name, text in _EDITS.items():
        note(name, "update", "-l", "store", "--update", text)
    note("stats", "stats", "-l", "store")
    done.store = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    shutil.rmtree(data)
    shutil.rmtree(store)
    return done


def _asserted(store: Path) -> int:
    from kgreason.store.folder import read_manifest

    manifest = read_manifest(store)
    assert manifest is not None
    return int(manifest.stats["asserted"])


def table(runs: Sequence[Run]) -> Iterator[str]:
    """Yield the lines of a table in Markdown: a column for each size, a row for each phase."""
    yield _row("", (f"{each.universities} universities, {each.triples / 1e6:.1f} M triples" for each in runs))
    yield _row("---", ("---" for _ in runs))
    for phase in runs[0].phases:
        yield _row(phase, (_shown(each.phases[phase]) for each in runs))
    yield _row("load, for each triple", (f"{each.cost * 1e6:.1f} us" for each in runs))
    yield _row("peak of memory, for each triple", (f"{each.peak / each.triples:.0f} bytes" for each in runs))
    yield _row("store on disk", (_gigabytes(each.store) for each in runs))


def verdicts(runs: Sequence[Run]) -> Iterator[str]:
    """Yield a line for each aim: the memory of the largest size, and how the cost of a triple grows up to it."""
    last = max(runs, key=lambda each: each.triples)
    yield _verdict("peak of memory, GiB", last.peak / 2**30, MOST_MEMORY / 2**30)
    for least, aim in ((1e6, MOST_GROWTH), (1e7, MOST_GROWTH_FROM_TEN_MILLION)):
        smaller = [each for each in runs if least <= each.triples < last.triples]
        if smaller:
            first = min(smaller, key=lambda each: each.triples)
            name = f"cost of a triple at {last.triples / 1e6:.0f} M over {first.triples / 1e6:.1f} M triples"
            yield _verdict(name, last.cost / first.cost, aim)


def _verdict(name: str, value: float, aim: float) -> str:
    return f"{name}: {value:.2f}, at most {aim:g}: {'met' if value <= aim else 'MISSED'}"


def _row(name: str, cells: Iterable[str]) -> str:
    return f"| {' | '.join([name, *cells])} |"


def _shown(outcome: Outcome) -> str:
    return f"{outcome.seconds:.1f} s, {_gigabytes(outcome.peak)}"


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.2f} GB"
