"""The cost of a change in larger input: one more triple in five times the data, and many more rules that never fire.

A change should cost only what it touches. The time to add a triple should not depend on the size of the data (except
through the caches of the machine). The time of a Bootstrap should not depend on rules that no fact meets.

Cost: LUBM(5,0) and LUBM(1,0) in memory, then microseconds.
"""

from __future__ import annotations

import time
from itertools import chain
from statistics import median

import numpy as np

from benchmarks.lubm import NAMESPACE, asserted, materialize
from benchmarks.model import Measurement
from benchmarks.programs import idle_rules
from benchmarks.timing import alternate, timed
from benchmarks.workspace import Workspace
from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import encode
from kgreason.materialize.materializer import Materializer
from kgreason.zset.columns import Int32

_TRIPLES, _TURN = 1_000, 100
_RULES = 10_000


def one_triple(workspace: Workspace) -> Measurement:
    """The median time of one added triple at LUBM(5,0) over that at LUBM(1,0)."""
    large, small = materialize(workspace, 5), materialize(workspace, 1)
    turns = [_turns(materializer) for materializer in (large, small)]
    seconds: tuple[list[float], list[float]] = ([], [])
    for pair in zip(*turns, strict=True):
        for materializer, rows, found in zip((large, small), pair, seconds, strict=True):
            found += [_assert(materializer, row) for row in rows]
    micro = [1e6 * median(found) for found in seconds]
    how = f"{micro[0]:.1f} us over {micro[1]:.1f} us; {_TRIPLES:,} triples each, in turns of {_TURN}"
    return Measurement(micro[0] / micro[1], how, {"lubm5": (micro[0], "us"), "lubm1": (micro[1], "us")})


def _turns(materializer: Materializer) -> list[Int32]:
    """Add new triples in turns. A first triple, not measured, makes the arrangements that a Bootstrap does not need."""
    rows = new_triples(materializer, _TRIPLES + 1)
    _assert(materializer, rows[0])
    return [rows[low : low + _TURN] for low in range(1, len(rows), _TURN)]


def new_triples(materializer: Materializer, count: int) -> Int32:
    """New triples int32[count, 3]: students who take one more course, or have one more advisor."""
    rows, rng = asserted(materializer)[materializer.triples], np.random.default_rng(0)
    facts = materializer.engine.facts
    parts = []
    for predicate in materializer.dictionary.find(f"<{NAMESPACE}{name}>" for name in ("takesCourse", "advisor")):
        there = rows[rows[:, 1] == predicate]
        drawn = [column[(rng.random(2 * count) * len(there)).astype(np.int64)] for column in (there[:, 0], there[:, 2])]
        made = np.unique(np.column_stack([drawn[0], np.full(2 * count, predicate), drawn[1]]), axis=0).astype(np.int32)
        parts.append(made[facts.find(made) < 0])
    fresh = np.concatenate(parts)
    return fresh[np.argsort(rng.random(len(fresh)))][:count]


def _assert(materializer: Materializer, row: Int32) -> float:
    facts = {materializer.triples: row[None]}
    start = time.perf_counter()
    materializer.engine.commit(facts)
    return time.perf_counter() - start


def idle(workspace: Workspace) -> Measurement:
    """Bootstrap of LUBM(1,0) with 10,000 more rules that never fire, over without them."""
    burdened, plain = materialize(workspace, 1), materialize(workspace, 1)
    rules = [encode(rule, burdened.engine._planner, burdened.dictionary.intern) for rule in idle_rules(_RULES)]
    facts = asserted(burdened), asserted(plain)
    burdened.engine.bootstrap(facts[0], list(chain(burdened.engine.rules, rules)))
    pairs = alternate(lambda: _bootstrap(burdened.engine, facts[0]), lambda: _bootstrap(plain.engine, facts[1]), 15)
    return Measurement(pairs.ratio, f"with {pairs} without")


def _bootstrap(engine: Engine, facts: dict[int, Int32]) -> float:
    return timed(lambda: engine.bootstrap(facts))
