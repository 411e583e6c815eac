"""Memory after a million pairs of single commits, divided by the memory before; a pair adds a fact and deletes it.

The facts are new facts of known terms, and almost all are different. So rows, hash entries and postings are made and
given back a million times. The memory is that of all arrays of the kernels, with scratch and undo log; if the system
tells the memory of the process, it counts too. The first commits make arrangements and backward plans once. These
belong to the memory before; a second figure says how much memory they add.

Cost: about a minute at LUBM(1,0).
"""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import NamedTuple

from benchmarks.model import Measurement
from benchmarks.states import Start, lubm, recombined
from benchmarks.workspace import Workspace
from kgreason.engine.engine import Engine
from kgreason.engine.memory import layout as at
from kgreason.zset.columns import Int32

_PAIRS, _FIRST = 1_000_000, 1_000
_STATUS = Path("/proc/self/statm")


class Bytes(NamedTuple):
    """Bytes of the engine's arrays and of the process; 0 where the system does not say."""

    arrays: int
    process: int


def memory(workspace: Workspace) -> Measurement:
    """A million pairs at LUBM(1,0)."""
    return after_pairs(lubm(workspace, 1), _PAIRS)


def after_pairs(start: Start, count: int) -> Measurement:
    """Bytes after `count` pairs over bytes before; of arrays and process the worse."""
    engine = start.fresh()
    cold = _bytes(engine)
    rows = recombined(engine, start.rows[: start.changed], count)
    _churn(engine, start.table, rows, min(count, _FIRST))
    before = _bytes(engine)
    _churn(engine, start.table, rows, count)
    after = _bytes(engine)
    ratios = {name: now / was for name, now, was in zip(Bytes._fields, after, before, strict=True) if was}
    others = {name: (ratio, "x") for name, ratio in ratios.items()}
    others["first"] = before.arrays / cold.arrays, "x"
    how = f"{count:,} pairs of {len(rows):,} triples; arrays {after.arrays:,} over {before.arrays:,} bytes"
    return Measurement(max(ratios.values()), how, others)


def _churn(engine: Engine, table: int, rows: Int32, count: int) -> None:
    """Add and delete `count` rows, one after the other, from the first on again where there are fewer."""
    for number in range(count):
        facts = {table: rows[number % len(rows)][None]}
        engine.commit(facts, strategy="update")
        engine.commit({}, facts, strategy="update")


def _bytes(engine: Engine) -> Bytes:
    gc.collect()
    circuit = engine._circuit
    arrays = (
        sum(circuit.memory[name].nbytes for name in at.ARRAYS if circuit.memory.room(name)) + circuit.catalogue.nbytes
    )
    pages = int(_STATUS.read_text().split()[1]) if _STATUS.exists() else 0
    return Bytes(arrays, pages * os.sysconf("SC_PAGE_SIZE") if pages else 0)
