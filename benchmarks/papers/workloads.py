"""`Workload`: data and rules whose facts are deleted and added again; `Loaded` is one that an engine holds.

    rand, rmat    the transitive closure of a random graph: all edges alike, or skewed as in the web (R-MAT)
    lubm          LUBM under RDFS or OWL 2 RL; the ontology stays
    pointers      Andersen's analysis of a random program
    completion    the completion of an EL ontology
    crdt          the text of a document that many people edit: a public trace, with NOT

Cost: a Bootstrap for each `Loaded`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import states
from benchmarks.completion import GALEN
from benchmarks.lubm import ONTOLOGY
from benchmarks.programs import TRANSITIVE_CLOSURE, Statements, relational
from benchmarks.states import Start, of_triples
from benchmarks.states import seconds as timed
from benchmarks.workspace import Workspace
from kgreason.engine.changes import Strategy
from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.edit import Edit, Facts
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.rules.parser import parse
from kgreason.zset.columns import Int32

_EDITOR = Path(__file__).parents[2] / "examples/rules/text-editor/program.dl"
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_QUADRANTS = (0.57, 0.19, 0.19, 0.05)
"""The usual shares of the quadrants of R-MAT, as Graph500 has them."""


class Loaded(NamedTuple):
    """A closed workload: `asserted` facts may change, and there are `facts` in all.

    `change(numbers, is_added, strategy)` deletes or adds the facts of these numbers, and returns the seconds.
    `bootstrap()` returns the seconds of a Bootstrap of all facts, and leaves the state as it was. `rewrites()` returns
    how many rewrites all changes so far have extended.
    """

    asserted: int
    facts: int
    change: Callable[[NDArray[np.int64], bool, Strategy], float]
    bootstrap: Callable[[], float]
    rewrites: Callable[[], int]


class Workload(NamedTuple):
    """A name, and what loads it. With `share`, only this share of the facts that may change is loaded."""

    name: str
    load: Callable[[Workspace, float], Loaded]


def closure(edges: Int32) -> Callable[[Workspace, float], Loaded]:
    """The transitive closure of edges int32[n, 2]."""

    def load(_: Workspace, share: float) -> Loaded:
        engine, facts = relational(TRANSITIVE_CLOSURE, {"edge": edges})
        ((table, rows),) = facts.items()
        return of_start(Start(engine, table, rows, len(rows)), share)

    return load


def rmat(scale: int, count: int, seed: int = 0) -> Int32:
    """At most `count` distinct edges int32[n, 2] of a graph of 2 ** scale nodes, by R-MAT (Chakrabarti et al. 2004).

    Each bit of the two ends is drawn with the shares of the four quadrants.
    """
    draw = np.random.default_rng(seed).random((count, scale))
    quadrant = np.searchsorted(np.cumsum(_QUADRANTS), draw)
    bits = 1 << np.arange(scale)[::-1]
    pairs = np.column_stack([(quadrant >> 1) @ bits, (quadrant & 1) @ bits])
    return np.unique(pairs, axis=0).astype(np.int32)


def lubm(universities: int, rules: str) -> Callable[[Workspace, float], Loaded]:
    """LUBM(universities, 0) under a set of rules that kgreason ships."""

    def load(workspace: Workspace, share: float) -> Loaded:
        materializer = Materializer(select([rules]))
        files = [workspace.lubm(universities), workspace.ontology(ONTOLOGY)]
        materializer.change(Edit(added=read_files(files, materializer.dictionary)))
        materializer.accept()
        return of_start(of_triples(materializer), share)

    return load


def pointers(variables: int) -> Callable[[Workspace, float], Loaded]:
    """Andersen's analysis of a random program of so many variables."""
    share = variables // 10
    statements = Statements(addr=4 * share, copy=7 * share, load=share, store=share)
    return lambda _, part: of_start(states.pointers(variables, statements, 0.8), part)


def completion(classes: int) -> Callable[[Workspace, float], Loaded]:
    """The completion of a random EL ontology of so many classes."""
    return lambda _, part: of_start(states.completion(classes, GALEN), part)


def of_start(start: Start, share: float) -> Loaded:
    """Load the share `share` of a workload into a fresh engine."""
    start = start._replace(rows=np.delete(start.rows, _spared(start.changed, share), axis=0))
    start = start._replace(changed=round(start.changed * share))
    engine = start.fresh()

    taken = list[int]()

    def change(numbers: NDArray[np.int64], is_added: bool, strategy: Strategy) -> float:
        part = {start.table: start.rows[numbers]}
        added, removed = (part, {}) if is_added else ({}, part)
        return timed(lambda: taken.append(engine.commit(added, removed, strategy=strategy).rewrites))

    return Loaded(start.changed, len(engine.facts), change, start.bootstrap, lambda: sum(taken))


def _spared(count: int, share: float) -> NDArray[np.int64]:
    """The numbers of the facts that are left out where only a share is loaded."""
    return np.argsort(np.random.default_rng(3).random(count))[round(count * share) :]


def sample(load: Callable[[Workspace, float], Loaded], part: float) -> Callable[[Workspace, float], Loaded]:
    """A part of the facts of a workload that may change."""
    return lambda workspace, share: load(workspace, part * share)


def crdt(workspace: Workspace, share: float) -> Loaded:
    """The replicated text: its insertions change. Raises SkippedError where the trace is missing."""
    tables = {name: _trace(workspace, name) for name in ("insert", "remove")}
    materializer = Materializer(select(["none"]))
    rules = parse(_EDITOR.read_text()).rules
    materializer.change(Edit(own=rules), strategy="bootstrap")
    materializer.accept()
    rows = {name: _rows(materializer, name, terms) for name, terms in tables.items()}
    kept = np.delete(np.arange(len(rows["insert"])), _spared(len(rows["insert"]), share))
    inserted = rows["insert"][kept]
    everything = {inserted.shape[1]: inserted, rows["remove"].shape[1]: rows["remove"]}
    _commit(materializer, Facts(everything, {}), "auto")

    taken = list[int]()

    def change(numbers: NDArray[np.int64], is_added: bool, strategy: Strategy) -> float:
        part = {inserted.shape[1]: inserted[numbers]}
        edit = Facts(part, {}) if is_added else Facts({}, part)
        return timed(lambda: taken.append(_commit(materializer, edit, strategy)))

    def bootstrap() -> float:
        other = Materializer(select(["none"]))
        other.change(Edit(own=rules), strategy="bootstrap")
        other.accept()
        made = [_rows(other, name, terms) for name, terms in tables.items()]
        made[0] = made[0][kept]
        return timed(partial(_commit, other, Facts({each.shape[1]: each for each in made}, {}), "auto"))

    return Loaded(len(inserted), len(materializer.engine.facts), change, bootstrap, lambda: sum(taken))


def _commit(materializer: Materializer, facts: Facts, strategy: Strategy) -> int:
    """Commit facts. Returns how many rewrites that extended."""
    change = materializer.change(Edit(facts=facts), strategy=strategy)
    materializer.accept()
    return change.work.rewrites


def _trace(workspace: Workspace, name: str) -> list[tuple[str, ...]]:
    lines = workspace.shared("datalog/crdt", f"{name}.txt.gz").read_text().splitlines()
    return [tuple(f'"{digits}"^^<{_INTEGER}>' for digits in line.split()) for line in lines]


def _rows(materializer: Materializer, name: str, rows: list[tuple[str, ...]]) -> Int32:
    """Facts of a relation, with its number: int32[n, w + 1]."""
    width, intern = len(rows[0]), materializer.dictionary.intern
    terms = intern([term for row in rows for term in row]).reshape(-1, width)
    number = intern([relation_text(name, width)])[0]
    return np.column_stack([np.full(len(rows), number), terms]).astype(np.int32)


def parts(count: int, size: int, sets: int) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of `size` facts of `count`, drawn anew for each of so many sets."""
    draw = np.random.default_rng(size)
    for _ in range(sets):
        yield np.sort(np.argsort(draw.random(count))[:size])
