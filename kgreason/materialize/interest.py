"""`Interest`: the facts that a part of the materializer reads, so that a commit of other facts leaves the part alone.

    atom                          facts of interest
    [?x, :knows, ?y]              triples with the predicate :knows
    [?x, a, :Person]              triples with the object :Person
    edge(?x, ?y)                  facts of edge
    [?x, ?p, ?y]                  all triples

One constant stands for an atom, so an interest may have more facts than match the atom, but never fewer.

Cost: a few array operations for each table, but only if a commit has at most `_MOST` facts. Larger commits are always
of interest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from kgreason.materialize.schema.rows import TYPE
from kgreason.zset.columns import Int32

_MOST = 10_000
"""The most facts that are looked at."""
_EVERY = -1
"""In place of a column: all facts of the table are of interest."""


class Pattern(Protocol):
    """An atom as a filter of rows: the number of the table that has the rows, and the atom's constants by column."""

    @property
    def number(self) -> int:
        """The number of the table."""

    @property
    def constants(self) -> Mapping[int, int]:
        """Column -> the constant of the atom in this column."""


class PlainPattern(NamedTuple):
    """A pattern that is nothing else."""

    number: int
    constants: Mapping[int, int]


class Interest:
    """The facts that match one of the patterns, and maybe others. A value: it never changes.

    `triples`: the number of the table of triples.
    """

    def __init__(self, patterns: Iterable[Pattern] = (), triples: int = 0) -> None:
        ids: defaultdict[int, defaultdict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for pattern in patterns:
            table, constants = pattern.number, pattern.constants
            columns = (0,) if table != triples else (2, 1) if constants.get(1) == TYPE else (1, 2, 0)
            column = next((each for each in columns if each in constants), _EVERY)
            ids[table][column].add(constants.get(column, 0))
        self._ids = {
            table: [(column, np.array(sorted(found), dtype=np.int32)) for column, found in columns.items()]
            for table, columns in ids.items()
        }

    def may_concern(self, rows: Int32, tables: Int32) -> bool:
        """Whether one of the facts `rows`, int32[n, w], of the tables `tables`, int32[n], may be of interest."""
        return len(rows) > _MOST or any(self.may_concern_table(table, rows[tables == table]) for table in self._ids)

    def may_concern_table(self, table: int, rows: Int32) -> bool:
        """Whether one of the facts `rows`, int32[n, w], of one table may be of interest."""
        if len(rows) > _MOST:
            return True
        columns = self._ids.get(table, ()) if len(rows) else ()
        return any(column == _EVERY or bool(np.isin(rows[:, column], ids).any()) for column, ids in columns)
