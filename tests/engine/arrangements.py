"""What must hold of a circuit between commits, checked against its facts one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgreason.engine.circuit import Circuit
from kgreason.engine.memory.hashing import MULTIPLIERS
from kgreason.engine.memory.layout import (
    AGE,
    ARRANGED_COLUMNS,
    ARRANGED_COUNT,
    DEAD,
    FIRST,
    FREE,
    GROUP_ARRANGEMENT,
    GROUP_DEAD,
    GROUP_ENTRIES,
    GROUP_FIRST,
    GROUP_HASH,
    GROUP_LENGTH,
    GROUP_START,
    LAST_TABLE,
    LENGTHS,
    LOGGED,
    MET,
    N_ARRANGED,
    N_DEAD,
    N_FREE,
    N_POSTINGS,
    N_ROWS,
    OLD,
    ONE_DEAD,
    STATE,
    SUPPORT,
    TABLE,
    Int32,
)


def check(circuit: Circuit) -> None:
    """Every present row is MET: counted for its keys, and once in each arrangement that a live ask of theirs names."""
    rows = circuit.memory["rows"][: int(circuit.block[N_ROWS])]
    ages = rows[:, STATE] & AGE
    present, dead = np.flatnonzero(ages == OLD).tolist(), np.flatnonzero(ages == DEAD).tolist()
    assert set(ages.tolist()) <= {FREE, OLD, DEAD}
    assert not (rows[:, STATE] & LOGGED).any()
    assert (rows[present, STATE] & MET).all()
    assert not (rows[dead, STATE] & MET).any()
    assert len(dead) == circuit.block[N_DEAD]
    free = circuit.memory["free"][: int(circuit.block[N_FREE])].tolist()
    assert sorted(free) == np.flatnonzero(ages == FREE).tolist()
    held = _held(circuit)
    assert {(a, r) for a, r in held if r not in dead} == _wanted(circuit, present)
    named = [r for _, r in held if r in dead]
    assert {r: named.count(r) for r in dead} == {r: rows[r, SUPPORT] for r in dead}
    check_postings(circuit)
    check_hashes(circuit)


def check_hashes(circuit: Circuit) -> None:
    """Each group keeps the upper half of its key's hash. From there, a search finds the group before a free entry."""
    memory, block = circuit.memory, circuit.block
    entries, signs = memory["group_entries"], memory["signs"]
    bits = int(block[GROUP_ENTRIES + 2])
    for g, group in enumerate(memory["groups"][: int(block[N_ARRANGED])]):
        if not group[GROUP_LENGTH]:
            continue
        row, arranged = memory["rows"][group[GROUP_FIRST]], memory["arranged"][group[GROUP_ARRANGEMENT]]
        columns = arranged[ARRANGED_COLUMNS : ARRANGED_COLUMNS + arranged[ARRANGED_COUNT]].tolist()
        h = _hash(int(group[GROUP_ARRANGEMENT]), {column: int(row[FIRST + column]) for column in columns})
        assert int(group[GROUP_HASH]) % (1 << 32) == h >> 32
        at = h >> (64 - bits)
        while int(entries[at]) % (1 << bits) != g + 1:
            assert entries[at], "a free entry stands between a group and its place"
            at = (at + 1) % len(entries)
        sign = (h >> 32 << 32) >> (61 - bits)
        assert int(signs[sign // 32]) >> sign % 32 & 1


def _hash(salt: int, values: dict[int, int]) -> int:
    """The hash of a group, by the formula of `hashing`."""
    h = 0x9E3779B97F4A7C15 + int(MULTIPLIERS[63]) * salt
    h = (h + sum(int(MULTIPLIERS[column]) * value for column, value in values.items())) % (1 << 64)
    return (h ^ (h >> 29)) * 0xD6E8FEB86659FD93 % (1 << 64)


def check_postings(circuit: Circuit) -> None:
    """Every posting is in one run: of a group of several rows, or free. The last free run of a length is known."""
    memory, end = circuit.memory, int(circuit.block[N_POSTINGS])
    groups, free = memory["groups"][: int(circuit.block[N_ARRANGED])], memory["free_runs"]
    runs = [(int(group[GROUP_START]), int(group[GROUP_DEAD]) % ONE_DEAD) for group in groups if group[GROUP_LENGTH] > 1]
    for k in range(LENGTHS):
        at = last = int(free[k])
        while at:
            runs.append((at - 1, k))
            at, last = int(memory["postings"][at - 1]), at
        assert not last or last == free[LENGTHS + k]
    places = [place for start, k in runs for place in range(start, start + (1 << k))]
    assert sorted(places) == list(range(end))


def groups_of(circuit: Circuit) -> Iterator[tuple[Int32, list[int]]]:
    """The groups, each with its rows in their order."""
    memory = circuit.memory
    for group in memory["groups"][: int(circuit.block[N_ARRANGED])]:
        start, length = int(group[GROUP_START]), int(group[GROUP_LENGTH])
        if length:
            yield group, [start] if length == 1 else memory["postings"][start : start + length].tolist()


def _held(circuit: Circuit) -> list[tuple[int, int]]:
    """The (arrangement, row) pairs that stand in the groups; no pair stands there twice."""
    rows = circuit.memory["rows"]
    found: list[tuple[int, int]] = []
    for group, run in groups_of(circuit):
        assert group[GROUP_FIRST] in run
        assert sum(not rows[r, STATE] & MET for r in run) == group[GROUP_DEAD] // ONE_DEAD
        assert len(run) == 1 or len(run) <= 1 << group[GROUP_DEAD] % ONE_DEAD
        found += [(int(group[GROUP_ARRANGEMENT]), r) for r in run]
    assert len(set(found)) == len(found)
    return found


def _wanted(circuit: Circuit, present: list[int]) -> set[tuple[int, int]]:
    """The pairs that the asks of the keys call for; the count of each key is checked on the way."""
    planner, memory = circuit.planner, circuit.memory
    live = np.flatnonzero(memory["live_asks"][: planner.asks.n])
    asks = list(zip(planner.asks.array[live, 0].tolist(), planner.asks.array[live, 2].tolist(), strict=True))
    wanted: set[tuple[int, int]] = set()
    for key in filter(planner.is_trigger, range(planner.key_info.n)):
        constants, table = planner.constants_of(key), planner.table_of(key)
        rows = [
            r
            for r in present
            if memory["rows"][r, STATE] >> TABLE & LAST_TABLE == table
            and all(memory["rows"][r, FIRST + c] == value for c, value in constants.items())
        ]
        assert memory["key_count"][key] == len(rows)
        wanted |= {(a, r) for a, asking in asks if asking == key for r in rows}
    return wanted
