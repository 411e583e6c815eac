"""Id columns -> R.csv: tab separated fields, one fact a line, in order.

Rows are sorted by their fields, first column first; numbers come before symbols. The order does not depend on ids, so
the same facts always make the same file. A file is written as a whole or not at all, in any layout (`layout`).

Cost: a sort of the rows, then 50 ns a field.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from kgreason.errors import InputError
from kgreason.files import whole_file
from kgreason.rules.model import Relation
from kgreason.rules.relations.declarations import columns_of
from kgreason.tables.fields import BREAKS, SortedFields
from kgreason.tables.layout import PLAIN, Layout
from kgreason.terms.dictionary import Ids
from kgreason.zset.order import group_rows

_ROWS = 100_000
"""Rows that are turned into text at a time."""


class Writer:
    """Writes tables. `Fields.sort` gives the order of their fields."""

    def __init__(self, fields: SortedFields, layout: Layout = PLAIN) -> None:
        self._ranks, self._texts, self._layout = fields.ranks, fields.texts, layout
        self._is_broken = np.array([bool(BREAKS.search(text)) for text in fields.texts], dtype=np.bool_)
        self._inner = np.array([text + "\t" for text in fields.texts], dtype=object)
        self._last = np.array([text + "\n" for text in fields.texts], dtype=object)

    def write(self, path: Path, rows: Ids, report: Callable[[int], object], relation: Relation | None = None) -> None:
        """Write facts int32[n, arity], which must be distinct. Calls `report` with the number of facts written.

        `relation` is the declaration of the relation, whose columns a header names. Raises OSError, and InputError for
        a field with a tab or a line break, which no table without quotation marks can have.
        """
        ranks = self._ranks[rows]
        broken = ranks[self._is_broken[ranks] & (not self._layout.is_quoted)]
        if len(broken):
            raise InputError(
                f"{path}: the text {self._texts[broken[0]]!r} has a tab or a line break; a field of a table cannot have"
                " one"
            )
        ranks = ranks[group_rows(ranks).order]
        with whole_file(path) as file:
            if self._layout.has_header and rows.shape[1]:
                file.write(self._layout.lines([columns_of(relation, rows.shape[1])]).encode())
            for low in range(0, len(ranks), _ROWS):
                part = ranks[low : low + _ROWS]
                file.write(self._lines(part))
                report(len(part))

    def _lines(self, ranks: Ids) -> bytes:
        if not ranks.shape[1]:
            return b"()\n" * len(ranks)
        if self._layout.is_quoted:
            return self._layout.lines([self._texts[rank] for rank in row] for row in ranks.tolist()).encode()
        words = np.empty(ranks.shape, dtype=object)
        words[:, :-1] = self._inner[ranks[:, :-1]]
        words[:, -1] = self._last[ranks[:, -1]]
        return "".join(words.ravel().tolist()).encode()
