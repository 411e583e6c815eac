"""What must hold of a circuit between commits, checked against its facts one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgreason.engine.circuit import Circuit
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.hashing import MULTIPLIERS
from kgreason.zset.columns import Int32


def check(circuit: Circuit) -> None:
    """Every present row is MET: counted for its keys, and once in each arrangement that a live ask of theirs names."""
    rows = circuit.memory["rows"][: int(circuit.block[at.N_ROWS])]
    ages = rows[:, at.STATE] & at.AGE
    present, dead = np.flatnonzero(ages == at.OLD).tolist(), np.flatnonzero(ages == at.DEAD).tolist()
    assert set(ages.tolist()) <= {at.FREE, at.OLD, at.DEAD}
    assert not (rows[:, at.STATE] & at.LOGGED).any()
    assert (rows[present, at.STATE] & at.MET).all()
    assert not (rows[dead, at.STATE] & at.MET).any()
    assert len(dead) == circuit.block[at.N_DEAD]
    free = circuit.memory["free"][: int(circuit.block[at.N_FREE])].tolist()
    assert sorted(free) == np.flatnonzero(ages == at.FREE).tolist()
    held = _held(circuit)
    assert {(a, r) for a, r in held if r not in dead} == _wanted(circuit, present)
    named = [r for _, r in held if r in dead]
    assert {r: named.count(r) for r in dead} == {r: rows[r, at.SUPPORT] for r in dead}
    check_postings(circuit)
    check_hashes(circuit)


def check_hashes(circuit: Circuit) -> None:
    """Each group keeps the upper half of its key's hash. From there, a search finds the group before a free entry."""
    memory, block = circuit.memory, circuit.block
    entries, signs = memory["group_entries"], memory["signs"]
    bits = int(block[at.GROUP_ENTRIES + 2])
    for g, group in enumerate(memory["groups"][: int(block[at.N_ARRANGED])]):
        if not group[at.GROUP_LENGTH]:
            continue
        row, arranged = memory["rows"][group[at.GROUP_FIRST]], memory["arranged"][group[at.GROUP_ARRANGEMENT]]
        columns = arranged[at.ARRANGED_COLUMNS : at.ARRANGED_COLUMNS + arranged[at.ARRANGED_COUNT]].tolist()
        h = _hash(int(group[at.GROUP_ARRANGEMENT]), {column: int(row[at.FIRST + column]) for column in columns})
        assert int(group[at.GROUP_HASH]) % (1 << 32) == h >> 32
        here = h >> (64 - bits)
        while int(entries[here]) % (1 << bits) != g + 1:
            assert entries[here], "a free entry stands between a group and its place"
            here = (here + 1) % len(entries)
        sign = (h >> 32 << 32) >> (61 - bits)
        assert int(signs[sign // 32]) >> sign % 32 & 1


def _hash(salt: int, values: dict[int, int]) -> int:
    """The hash of a group, by the formula of `hashing`."""
    h = 0x9E3779B97F4A7C15 + int(MULTIPLIERS[63]) * salt
    h = (h + sum(int(MULTIPLIERS[column]) * value for column, value in values.items())) % (1 << 64)
    return (h ^ (h >> 29)) * 0xD6E8FEB86659FD93 % (1 << 64)


def check_postings(circuit: Circuit) -> None:
    """Every posting is in one run: of a group of several rows, or free. The last free run of a length is known."""
    memory, end = circuit.memory, int(circuit.block[at.N_POSTINGS])
    groups, free = memory["groups"][: int(circuit.block[at.N_ARRANGED])], memory["free_runs"]
    runs = [
        (int(group[at.GROUP_START]), int(group[at.GROUP_DEAD]) % at.ONE_DEAD)
        for group in groups
        if group[at.GROUP_LENGTH] > 1
    ]
    for k in range(at.LENGTHS):
        here = last = int(free[k])
        while here:
            runs.append((here - 1, k))
            here, last = int(memory["postings"][here - 1]), here
        assert not last or last == free[at.LENGTHS + k]
    places = [place for start, k in runs for place in range(start, start + (1 << k))]
    assert sorted(places) == list(range(end))


def groups_of(circuit: Circuit) -> Iterator[tuple[Int32, list[int]]]:
    """The groups, each with its rows in their order."""
    memory = circuit.memory
    for group in memory["groups"][: int(circuit.block[at.N_ARRANGED])]:
        start, length = int(group[at.GROUP_START]), int(group[at.GROUP_LENGTH])
        if length:
            yield group, [start] if length == 1 else memory["postings"][start : start + length].tolist()


def _held(circuit: Circuit) -> list[tuple[int, int]]:
    """The (arrangement, row) pairs that stand in the groups; no pair stands there twice."""
    rows = circuit.memory["rows"]
    found: list[tuple[int, int]] = []
    for group, run in groups_of(circuit):
        assert group[at.GROUP_FIRST] in run
        assert sum(not rows[r, at.STATE] & at.MET for r in run) == group[at.GROUP_DEAD] // at.ONE_DEAD
        assert len(run) == 1 or len(run) <= 1 << group[at.GROUP_DEAD] % at.ONE_DEAD
        found += [(int(group[at.GROUP_ARRANGEMENT]), r) for r in run]
    assert len(set(found)) == len(found)
    return found


def _wanted(circuit: Circuit, present: list[int]) -> set[tuple[int, int]]:
    """The pairs that the asks of the keys call for; the count of each key is checked on the way."""
    planner, memory = circuit.planner, circuit.memory
    live = np.flatnonzero(memory["live_asks"][: planner.asks.n])
    asks = list(zip(planner.asks.array[live, 0].tolist(), planner.asks.array[live, 2].tolist(), strict=True))
    wanted: set[tuple[int, int]] = set()
    for key in planner.triggers():
        constants, table = planner.constants_of(key), planner.table_of(key)
        rows = [
            r
            for r in present
            if memory["rows"][r, at.STATE] >> at.TABLE & at.LAST_TABLE == table
            and all(memory["rows"][r, at.FIRST + c] == value for c, value in constants.items())
        ]
        assert memory["key_count"][key] == len(rows)
        wanted |= {(a, r) for a, asking in asks if asking == key for r in rows}
    return wanted
