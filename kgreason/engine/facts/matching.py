"""`match`: which of the facts that a commit added match which atoms. An atom is a *line* of an array here.

A line has a word for the table of the atom and one for its number of columns, then a word for each column: the place of
the column's value in the *key* of a fact, or `~constant`. The key has the values of the variables.

Cost: one kernel call for all atoms; for each fact, a look at the first words of each line.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.facts.hash_table import kind
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import matrix
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import ABSENT, Int32, Int32s

LINE_TABLE, LINE_COLUMNS, LINE = range(3)
ROOM = 1 << 14
"""How many rows one kernel call may find, about."""


def arrived(block: Block, lines: Int32, start: int, end: int, *, is_update: bool) -> Int32:
    """Return the keys of the facts that the commit added and that match a line: int32[n, 1 + w].

    A row of the result has the number of the line, and then the key of the fact; further columns are undefined. In an
    Update, the rows from `start` to `end` of the undo log are looked at; otherwise, all rows are.
    """
    start, end = (start, end) if is_update else (0, int(block[at.N_ROWS]))
    found = np.empty((min(ROOM, end - start) + len(lines), 1 + lines.shape[1] - LINE), dtype=np.int32)
    return gathered(lambda start: match(block, lines, is_update, start, end, found), start, end, found)


def gathered(find: Callable[[int], tuple[int, int]], start: int, end: int, found: Int32) -> Int32:
    """Return all rows that a kernel finds for the facts from `start` to `end`.

    `find(start)` calls the kernel. The kernel writes rows to `found` until the array is full. `find` returns the number
    of the next fact and how many rows were written.
    """
    parts = []
    while start < end:
        start, n = find(start)
        parts.append(found[:n].copy() if start < end else found[:n])
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else found[:0]


@inline
def matches(lines: Int32, here: Number, rows: Int32, r: Number, first: Number, keys: Int32, k: Number) -> Flag:
    """Whether the fact in row `r` of `rows`, from word `first` on, matches line `at`.

    If it matches, its key is in row `k` of `keys`, from word `keys.shape[1] - (lines.shape[1] - LINE)` on.
    """
    low = keys.shape[1] - lines.shape[1] + LINE
    for c in range(lines[here, LINE_COLUMNS]):
        code = lines[here, LINE + c]
        if code < 0:
            if rows[r, first + c] != ~code:
                return False
        else:
            keys[k, low + code] = rows[r, first + c]
    for c in range(lines[here, LINE_COLUMNS]):  # a variable that occurs twice
        code = lines[here, LINE + c]
        if code >= 0 and keys[k, low + code] != rows[r, first + c]:
            return False
    return True


@kernel
def match(m: Block, lines: Int32s, is_update: Flag, start: Number, end: Number, found: Int32s) -> tuple[Number, Number]:
    """Write the lines and keys of new facts to `found`: see `arrived`.

    Returns where to go on, and how many matches were written.
    """
    rows, undo = matrix(m, at.ROWS), matrix(m, at.UNDO)
    n = np.int64(0)
    for i in range(start, end):
        if n + lines.shape[0] > found.shape[0]:
            return np.int64(i), n
        r = np.int64(undo[i, 0]) if is_update else np.int64(i)
        if kind(rows[r, at.STATE]) == ABSENT or (is_update and kind(undo[i, 1]) != ABSENT):
            continue
        table = rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE
        for here in range(lines.shape[0]):
            if lines[here, LINE_TABLE] == table and matches(lines, here, rows, r, at.FIRST, found, n):
                found[n, 0] = here
                n += 1
    return np.int64(end), n
