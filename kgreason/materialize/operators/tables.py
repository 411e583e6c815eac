"""`Table`: finds the rows that match an atom, and reads the values of its variables, the *key* of a row.

Many atoms look at the same rows: the changes of a commit, or all facts. `FactIndex` sorts these rows once, by the
constants of atoms, so that an atom looks at few others.

Law: `matching_keys` of `rows_with_keys(keys)` are the keys. Cost: a pass over the rows of the table with the first
constant of the atom, for each column; for a `FactIndex`, a sort of its rows for each column in which an atom has its
first constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Engine
from kgreason.engine.facts.matching import LINE, LINE_COLUMNS, LINE_TABLE
from kgreason.engine.program.encoding import terms_of_row
from kgreason.rules.lowering import Waiting
from kgreason.rules.model import Atom, Variable
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from kgreason.zset.order import group_rows

Marks: TypeAlias = frozenset[tuple[int, int, int]] | None
"""The values in the first columns of rows, as (table, column, value), and (table, -1, 0) for each of their tables.

None stands for all rows.
"""
IsHere: TypeAlias = Callable[[Waiting, Int32], NDArray[np.bool_]]
"""Says of the keys of an operator, int32[n, k], which ones are decided here: bool[n]."""
_MARKED, _FEW = 2, 1 << 10


def always_here(_: Waiting, keys: Int32) -> NDArray[np.bool_]:
    """Say of all keys that they are decided here (`IsHere`)."""
    return np.ones(len(keys), dtype=np.bool_)


def marks(rows: Int32, tables: Int32) -> Marks:
    """Return what a few rows int32[n, w] of `tables`, int32[n], have in their first columns. Many rows have None."""
    if len(rows) > _FEW:
        return None
    found = {(number, -1, 0) for number in tables.tolist()}
    for column in range(min(_MARKED, rows.shape[1])):
        found |= {
            (number, column, value) for number, value in zip(tables.tolist(), rows[:, column].tolist(), strict=True)
        }
    return frozenset(found)


class Table(NamedTuple):
    """An atom as a filter of rows.

    `number`: the number of the table that has the rows. `constants`: column -> the constant of the atom. `keys`: for
    each column, its place in the key of a row; -1 for a column with a constant.
    """

    number: int
    constants: Mapping[int, int]
    keys: Sequence[int]

    def matching_keys(self, register: FactIndex) -> Int32:
        """Find the rows that match the atom. Returns their keys, int32[m, k]."""
        return self.keys_of(register.rows[self.places(register)])

    def keys_of(self, rows: Int32) -> Int32:
        """Return the keys, int32[m, k], of rows int32[m, w] that match the atom."""
        firsts: dict[int, int] = {}
        for column, key in enumerate(self.keys):
            firsts.setdefault(key, column)
        columns = np.array([firsts[key] for key in sorted(firsts) if key >= 0], dtype=np.int64)
        found: Int32 = rows[:, columns]
        return found

    def places(self, register: FactIndex) -> NDArray[np.int64]:
        """Find the rows that match the atom. Returns their places in the register, ascending: int64[m]."""
        first, *others = sorted(self.constants) or (-1,)
        rows, found = register.rows, register.places(self.number, first, self.constants.get(first, 0))
        for column in others:
            found = found[rows[found, column] == self.constants[column]]
        firsts: dict[int, int] = {}
        for column, key in enumerate(self.keys):
            if key >= 0 and firsts.setdefault(key, column) != column:
                found = found[rows[found, column] == rows[found, firsts[key]]]
        return found

    @property
    def mark(self) -> tuple[int, int, int]:
        """One of the `marks` that rows must have among which there is one that matches the atom."""
        first = ((self.number, column, value) for column, value in self.constants.items() if column < _MARKED)
        return next(first, (self.number, -1, 0))

    def rows_with_keys(self, keys: Int32) -> Int32:
        """Make the rows int32[n, w] that match the atom and have the keys `keys`, int32[n, k]."""
        rows = np.empty((len(keys), len(self.keys)), dtype=np.int32)
        for column, key in enumerate(self.keys):
            rows[:, column] = keys[:, key] if key >= 0 else self.constants[column]
        return rows


class FactIndex:
    """Rows `rows`, int32[n, w], of the tables `tables`, int32[n], to be found by table and by one constant."""

    def __init__(self, rows: Int32, tables: Int32) -> None:
        self.rows, self._tables = rows, tables
        self._places: dict[int, NDArray[np.int64]] = {}
        self._sorted: dict[tuple[int, int], tuple[Int32, NDArray[np.int64]]] = {}
        """By table and column: the values of the column, ascending, and their places in `rows`."""

    def places(self, table: int, column: int, constant: int) -> NDArray[np.int64]:
        """Return the places, ascending, of the rows of a table with a constant in a column; of all rows if it is -1."""
        found = self._places.get(table)
        if found is None:
            found = self._places[table] = np.flatnonzero(self._tables == table)
        if column < 0:
            return found
        if len(found) <= _FEW:
            few: NDArray[np.int64] = found[self.rows[found, column] == constant]
            return few
        known = self._sorted.get((table, column))
        if known is None:
            values = self.rows[found, column]
            order = np.argsort(values)
            known = self._sorted[table, column] = values[order], found[order]
        low, high = (
            np.searchsorted(known[0], np.int32(constant)),
            np.searchsorted(known[0], np.int32(constant), "right"),
        )
        return np.sort(known[1][low:high])


def tables_of(
    atoms: Sequence[Atom], keys: Sequence[object], engine: Engine, dictionary: Dictionary
) -> tuple[Table, ...]:
    """Return the `Table` of each atom. `keys`: the variables whose values make the key, in order. Constants get ids."""
    rows = list(map(terms_of_row, atoms))
    texts = [column for columns in rows for column in columns if not isinstance(column, Variable)]
    ids = dict(zip(texts, dictionary.intern(texts).tolist(), strict=True))
    kinds = [(atom.relation is None, len(columns)) for atom, columns in zip(atoms, rows, strict=True)]
    numbers = {kind: engine.table(*kind) for kind in dict.fromkeys(kinds)}
    return tuple(
        [
            Table(
                numbers[kind],
                {place: ids[column] for place, column in enumerate(columns) if not isinstance(column, Variable)},
                [keys.index(column) if isinstance(column, Variable) else -1 for column in columns],
            )
            for kind, columns in zip(kinds, rows, strict=True)
        ]
    )


def lines_of(tables: Sequence[Table]) -> Int32:
    """Return the lines of atoms for the kernels that match facts (`engine/facts/matching.py`): int32[n, LINE + w]."""
    lines = np.zeros((len(tables), LINE + max((len(table.keys) for table in tables), default=0)), dtype=np.int32)
    for line, table in zip(lines, tables, strict=True):
        line[LINE_TABLE], line[LINE_COLUMNS] = table.number, len(table.keys)
        for column, key in enumerate(table.keys):
            line[LINE + column] = key if key >= 0 else ~table.constants[column]
    return lines


def unique_rows(parts: Sequence[Int32]) -> Int32:
    """Join several arrays int32[n, k]. Returns each row once."""
    rows = np.concatenate(parts)
    if rows.shape[1] == 0:
        return rows[:1]
    found: Int32 = np.ascontiguousarray(rows[group_rows(rows).firsts()]) if len(rows) else rows
    return found


def are_among(rows: Int32, others: Int32) -> NDArray[np.bool_]:
    """Return for each row of `rows`, int32[n, w], whether it is a row of `others`, int32[m, w]: bool[n]. w > 0."""
    if not len(rows) or not len(others):
        return np.zeros(len(rows), dtype=np.bool_)
    width = rows.shape[1]
    record = np.int32 if width == 1 else np.int64 if width == 2 else [("", np.int32)] * width  # numbers sort faster
    one, other = (np.ascontiguousarray(each).view(record).ravel() for each in (rows, others))
    return np.isin(one, other)
