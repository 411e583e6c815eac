"""The floor of a Bootstrap: the time to hash the asserted rows and the head of every derivation into the fact table.

An engine that counts derivations must look up every head, duplicates included. It must also find the derivations. So
`Bootstrap / floor` says on every machine how much of the time is search. Both sides use the same kernel, start with the
same room and pay the same for every growth of the table.

`record` runs one Bootstrap that keeps the heads it meets, in order. Its circuit claims to keep an undo log, and the log
has no room: so every batch of heads stops the kernels and comes by `_make_room`.

Cost of recording: one Bootstrap, and 4 w + 4 bytes for each derivation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from kgreason.engine.circuit import Circuit
from kgreason.engine.engine import Engine
from kgreason.engine.level.distinct import take_heads
from kgreason.engine.limits import Check
from kgreason.engine.memory import layout as at
from kgreason.engine.program.planner import Planner
from kgreason.zset.columns import Int32


class Recording(NamedTuple):
    """What a Bootstrap hashed: the asserted rows by table, then heads int32[n, w] with their tables int32[n].

    `room` is the number of rows that the fact table had room for at first.
    """

    planner: Planner
    asserted: dict[int, Int32]
    heads: Int32
    tables: Int32
    room: int
    rewrites: int


class _Recorder(Circuit):
    """A circuit that keeps every head it takes in."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(
            *arguments[:3]
        )  # without a number of threads: several threads drop heads before they come here
        self.room = self.memory["rows"].shape[0]
        self.heads: list[Int32] = []
        self.tables: list[Int32] = []
        self._reserve = self.facts.reserve
        self.facts.reserve = self._make_room  # type: ignore[method-assign]

    def derive(self, table: int, rows: Int32) -> None:
        self.heads.append(self.facts.pad(rows))
        self.tables.append(np.full(len(rows), table, dtype=np.int32))
        super().derive(table, rows)

    def run(self, check: Check) -> None:
        self.memory["undo"] = np.zeros((0, 1 + at.FIRST), dtype=np.int32)
        self.block[at.LOGGING] = 1
        super().run(check)

    def _make_room(self, more: int) -> None:
        is_logging, self.block[at.LOGGING] = bool(self.block[at.LOGGING]), 0  # so that the log stays empty
        self._reserve(more)
        if is_logging:
            self._take()

    def _take(self) -> None:
        """Keep the heads that wait, and take them into the fact table without the log."""
        n = int(self.block[at.N_HEADS])
        self.heads.append(self.memory["heads"][:n].copy())
        self.tables.append(self.memory["tables"][:n].copy())
        self.block[at.LOGGING] = 0
        take_heads(self.block)
        self.block[at.LOGGING] = 1


def record(engine: Engine, facts: Mapping[int, Int32]) -> Recording:
    """Bootstrap the engine from these facts and say what was hashed; it keeps none of them."""
    with patch("kgreason.engine.engine.Circuit", _Recorder):
        changes = engine.bootstrap(facts)
    circuit = engine._circuit
    assert isinstance(circuit, _Recorder)
    empty(engine)
    heads, tables = np.concatenate(circuit.heads), np.concatenate(circuit.tables)
    return Recording(engine._planner, dict(facts), heads, tables, circuit.room, changes.rewrites)


def empty(engine: Engine) -> None:
    """Leave an engine with its rules and no facts."""
    engine._circuit = Circuit(engine._planner)


def hash_all(recording: Recording) -> Circuit:
    """The floor: a circuit that has taken in all rows of a recording, and has evaluated nothing."""
    circuit = Circuit(recording.planner, recording.room)
    circuit.begin(is_update=False)
    for table, rows in recording.asserted.items():
        circuit.assert_rows(table, rows, lambda: None)
    memory, batch = circuit.memory, circuit.memory["ranks"].size
    for low in range(0, len(recording.heads), batch):
        n = len(part := recording.heads[low : low + batch])
        circuit.facts.reserve(n)
        memory["heads"][:n] = part
        memory["tables"][:n] = recording.tables[low : low + batch]
        circuit.block[at.N_HEADS] = n
        take_heads(circuit.block)
    return circuit
