"""Two states to measure changes in: right after a Bootstrap, and grown to the same facts by single commits.

A `Start` has facts and rules. `fresh` and `grown` make an engine from it in the two ways. Both engines have the same
facts and asserted flags, but not the same stamps and supports. A change is measured as a `Turn`: some asserted facts
are deleted and then added again, so that the next turn finds the same facts. Changes are Updates unless another
strategy is asked for. The first deletion after a Bootstrap also makes plans and arrangements that a Bootstrap does not
need. `Series.first` is this turn; the medians leave it out.

Cost: a Bootstrap for each engine; a series is as long as its turns, and one Bootstrap a round.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from benchmarks.completion import COMPLETION, Axioms, ontology
from benchmarks.floor import empty
from benchmarks.lubm import asserted, materialize
from benchmarks.programs import POINTS_TO, TRANSITIVE_CLOSURE, Statements, random_graph, relational
from benchmarks.programs import pointers as random_program
from benchmarks.timing import timed
from benchmarks.workspace import Workspace
from kgreason.engine.changes import Strategy
from kgreason.engine.engine import Engine
from kgreason.engine.memory import layout as at
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.schema.rows import is_schema
from kgreason.zset.columns import Int32

GROWN = 1_000
"""How many of its facts a grown state got by commits of their own."""

Side: TypeAlias = Literal["deleted", "added"]
SIDES: tuple[Side, ...] = get_args(Side)


class Turn(NamedTuple):
    """The seconds of a deletion, and of the addition that takes it back."""

    deleted: float
    added: float


@dataclass
class Series:
    """The turns of one state: the first, and those that count."""

    first: Turn
    turns: list[Turn] = field(default_factory=list)

    def median(self, side: Side) -> float:
        """The median seconds of one side."""
        return median(turn.deleted if side == "deleted" else turn.added for turn in self.turns)


class Measured(NamedTuple):
    """The result of `measure`: the series of both states, and the seconds of the Bootstraps in between."""

    series: dict[str, Series]
    bootstraps: list[float]

    @property
    def bootstrap(self) -> float:
        """The median seconds of a Bootstrap."""
        return median(self.bootstraps)


class Start(NamedTuple):
    """Rules and asserted facts: `rules` is an engine without facts, `rows` int32[n, w] are the facts of `table`.

    Changes are drawn from the first `changed` rows. `others` are facts of other tables, which do not change.
    """

    rules: Engine
    table: int
    rows: Int32
    changed: int
    others: Mapping[int, Int32] = MappingProxyType({})

    @property
    def facts(self) -> dict[int, Int32]:
        """All asserted facts, by table."""
        return {self.table: self.rows, **self.others}

    def bootstrap(self) -> float:
        """The seconds of a Bootstrap that has nothing to compare with."""
        seconds = timed(lambda: self.rules.bootstrap(self.facts))
        empty(self.rules)
        return seconds

    def fresh(self) -> Engine:
        """An engine right after a Bootstrap."""
        engine = twin(self.rules)
        engine.bootstrap(self.facts)
        return engine

    def grown(self) -> Engine:
        """An engine that was given its last `GROWN` facts, drawn from those that change, one by one."""
        late = np.sort(np.argsort(np.random.default_rng(1).random(self.changed))[:GROWN])
        engine = twin(self.rules)
        engine.bootstrap({**self.others, self.table: np.delete(self.rows, late, axis=0)})
        add_singly(engine, self.table, self.rows[late])
        return engine

    def parts(self, size: int) -> Iterator[Int32]:
        """Samples int32[size, w] of the facts that change, in random order, without end."""
        draw = np.random.default_rng(size).random
        while True:
            shuffled = self.rows[np.argsort(draw(self.changed))]
            for low in range(0, self.changed - size + 1, size):
                yield shuffled[low : low + size]


def lubm(workspace: Workspace, universities: int) -> Start:
    """LUBM(universities, 0) under OWL 2 RL."""
    return of_triples(materialize(workspace, universities))


def of_triples(materializer: Materializer) -> Start:
    """The asserted triples and the rules of a graph; its data change, its ontology stays."""
    rows = asserted(materializer)[materializer.triples]
    is_axiom = is_schema(rows)
    ordered = np.concatenate([rows[~is_axiom], rows[is_axiom]])
    return Start(twin(materializer.engine), materializer.triples, ordered, int((~is_axiom).sum()))


def closure(nodes: int, edges: int) -> Start:
    """The transitive closure of a random graph."""
    engine, facts = relational(TRANSITIVE_CLOSURE, {"edge": random_graph(nodes, edges)})
    ((table, rows),) = facts.items()
    return Start(engine, table, rows, len(rows))


def pointers(variables: int, statements: Statements, skew: float) -> Start:
    """Andersen's points-to analysis of a random program."""
    engine, facts = relational(POINTS_TO, random_program(variables, statements, skew))
    ((table, rows),) = facts.items()
    return Start(engine, table, rows, len(rows))


def completion(classes: int, axioms: Axioms) -> Start:
    """The completion of an EL ontology. Its axioms about two or three classes change, told subsumptions do not."""
    engine, facts = relational(COMPLETION, ontology(classes, axioms))
    table = engine.table(False, 4)
    rows = facts.pop(table)
    return Start(engine, table, rows, len(rows), facts)


def twin(engine: Engine) -> Engine:
    """An engine of the same tables and rules, without facts."""
    made = Engine(int(engine._circuit.block[at.QUIET]))
    for is_triple, width in engine.tables:
        made.table(is_triple, width)
    made.set_rules(engine.rules)
    return made


def recombined(engine: Engine, rows: Int32, count: int) -> Int32:
    """At most `count` triples that are not there, in random order: int32[m, 3].

    Each has the subject and the predicate of one of rows int32[n, 3], and the object of another with that predicate.
    """
    draw = np.random.default_rng(2).random
    ordered = rows[np.argsort(rows[:, 1], kind="stable")]
    made = (draw(2 * count) * len(ordered)).astype(np.int64)
    low, high = (np.searchsorted(ordered[:, 1], ordered[made, 1], side=side) for side in ("left", "right"))
    others = low + (draw(2 * count) * (high - low)).astype(np.int64)
    mixed = np.unique(np.column_stack([ordered[made, :2], ordered[others, 2]]), axis=0).astype(np.int32)
    absent = mixed[engine.facts.find(mixed) < 0]
    return absent[np.argsort(draw(len(absent)))][:count]


def add_singly(engine: Engine, table: int, rows: Int32) -> None:
    """Assert each of rows int32[n, w] in a commit of its own."""
    for row in rows:
        engine.commit({table: row[None]}, strategy="update")


def turns(engine: Engine, table: int, parts: Sequence[Int32], strategy: Strategy = "update") -> list[Turn]:
    """Delete each part of the facts and add it again."""
    gc.collect()
    return [
        Turn(
            seconds(partial(engine.commit, {}, {table: part}, strategy=strategy)),
            seconds(partial(engine.commit, {table: part}, strategy=strategy)),
        )
        for part in parts
    ]


def seconds(work: Callable[[], object]) -> float:
    """The seconds that work takes, if they are too short to collect garbage ahead of them."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(start: Start, size: int, rounds: int, parts: int) -> Measured:
    """Rounds in turns: `parts` samples of `size` facts in the fresh state, then in the grown one, then a Bootstrap."""
    samples = start.parts(size)
    engines = {"fresh": start.fresh(), "grown": start.grown()}
    one = [next(samples)]
    measured = Measured({name: Series(turns(engine, start.table, one)[0]) for name, engine in engines.items()}, [])
    for _ in range(rounds):
        drawn = [next(samples) for _ in range(parts)]
        for name, engine in engines.items():
            measured.series[name].turns += turns(engine, start.table, drawn)
        measured.bootstraps.append(start.bootstrap())
    return measured
