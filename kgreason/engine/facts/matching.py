"""`find_matches`: which of the facts that a commit added match which atoms. An atom is a *line* of an array here.

A line has a word for the table of the atom and one for its number of columns, then a word for each column: the place of
the column's value in the *key* of a fact, or `~constant`. The key has the values of the variables.

`decide_antijoins`, the antijoin of rules: for values that rules ask for, whether a pattern has no match. It has three
lines:

    asks(keys)      rules ask whether the pattern has no match for these values: the keys
    pattern(keys)   a match
    none(keys)      asserted if `asks(keys)` is a fact and `pattern(keys)` is not

A changed fact that matches one of them gives keys; the three facts with these keys are looked up.

Law: the result is a set of rows, the same in whatever order the changed facts come. Cost: one kernel call for all atoms
and all antijoins; for each fact a look at the first words of each line, and for `decide_antijoins` three look-ups a
match.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.facts.hash_table import find_row, kind
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import entries, matrix, vector
from kgreason.engine.memory.hashing import hash_row, table_bits
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import ABSENT, Int32, Int32s

LINE_TABLE, LINE_COLUMNS, LINE = range(3)
ROOM = 1 << 14
"""How many rows one kernel call may find, about."""


def arrived_keys(block: Block, lines: Int32, start: int, end: int, *, is_update: bool) -> Int32:
    """Return the keys of the facts that the commit added and that match a line: int32[n, 1 + w].

    A row of the result has the number of the line, and then the key of the fact; further columns are undefined. In an
    Update, the rows from `start` to `end` of the undo log are looked at; otherwise, all rows are.
    """
    start, end = (start, end) if is_update else (0, int(block[at.N_ROWS]))
    found = np.empty((min(ROOM, end - start) + len(lines), 1 + lines.shape[1] - LINE), dtype=np.int32)
    return all_rows_of(lambda start: find_matches(block, lines, is_update, start, end, found), start, end, found)


def all_rows_of(find: Callable[[int], tuple[int, int]], start: int, end: int, found: Int32) -> Int32:
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
def find_matches(
    m: Block, lines: Int32s, is_update: Flag, start: Number, end: Number, found: Int32s
) -> tuple[Number, Number]:
    """Write the lines and keys of new facts to `found`: see `arrived_keys`.

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


PATTERN, ASKS, NONE, LINES = range(4)
"""The lines of an antijoin."""
RETRACTED, MADE, REFUTED = range(3)
"""The decisions of the kernel about a row of `none`. RETRACTED: the row goes. MADE: the row comes. REFUTED: this commit
had decided that the row has no match, and now the row has one."""
GIVEN, QUEUED, TOUCHED = range(3)
"""Where changed facts are: in arrays, in the queue, or in the undo log, where only facts whose kind changed count."""
_SPREAD = 0x9E3779B1
_NO_ROWS = np.empty((0, 1), dtype=np.int32)
_NONE = np.empty(0, dtype=np.int32)


class ChangedFacts(NamedTuple):
    """Changed facts: GIVEN as columns int32[n, w] and tables int32[n], or in the engine, from `start` to `end`."""

    source: int
    start: int
    end: int
    rows: Int32 = _NO_ROWS
    tables: Int32 = _NONE


def given_facts(rows: Int32, tables: Int32) -> ChangedFacts:
    """Return changed facts as columns int32[n, w] and tables int32[n]."""
    return ChangedFacts(GIVEN, 0, len(rows), np.ascontiguousarray(rows), np.ascontiguousarray(tables))


def antijoin_results(
    block: Block, lines: Int32, first: int, last: int, facts: ChangedFacts, others: Int32, *, was_decided: bool
) -> Int32:
    """Decide the antijoins `first` to `last`, without `last`, for the keys of changed facts.

    `others`: terms, ascending; keys with one of them do not count as asked for. `was_decided`: whether the antijoins
    were decided before in this commit; then a match for a row of `none` refutes this row, and otherwise it retracts the
    row.

    Returns int32[m, 2 + w]: RETRACTED, MADE or REFUTED, the number of the antijoin, and the row of `none`. If there are
    very many rows, a row may occur twice.
    """
    source, start, end, rows, tables = facts
    room = min(ROOM, max(16, 2 * (end - start))) + LINES * (last - first)
    found = np.empty((room, lines.shape[1]), dtype=np.int32)
    keys = np.zeros((LINES + 1, lines.shape[1] - LINE), dtype=np.int32)

    def find(start: int) -> tuple[int, int]:
        seen = np.zeros(2 << room.bit_length(), dtype=np.int32)
        return decide_antijoins(
            block, lines, first, last, was_decided, source, start, end, rows, tables, others, seen, keys, found
        )

    return all_rows_of(find, start, end, found)


@inline
def _row_of_line(m: Block, lines: Int32, here: Number, keys: Int32, line: Number) -> Number:
    """Return the number of the row that holds the fact of line `at` with the keys, or a negative number.

    The fact is written to `keys[line]`.
    """
    rows, slots = matrix(m, at.ROWS), entries(m, at.ENTRIES)
    last = keys.shape[0] - 1
    for c in range(keys.shape[1]):
        value = np.int32(0)
        if c < lines[here, LINE_COLUMNS]:
            code = lines[here, LINE + c]
            value = keys[last, code] if code >= 0 else ~code
        keys[line, c] = value
    bits = table_bits(m, at.ENTRIES)
    r = find_row(rows, slots, bits, keys, line, hash_row(keys, line, 0, keys.shape[1]))
    return r if r >= 0 and rows[r, at.STATE] & at.AGE != at.GONE else np.int64(-1)


@inline
def _has_one_of(keys: Int32, width: Number, others: Int32) -> Flag:
    """Whether one of the first `width` words of `keys[ASKS]` is among `others`, ascending."""
    for c in range(width):
        here = np.searchsorted(others, keys[ASKS, c])
        if here < others.size and others[here] == keys[ASKS, c]:
            return True
    return False


@inline
def _is_new(seen: Int32, r: Number) -> Flag:
    """Note row `r` in the hash table `seen`, of 2**k entries. Returns whether the row was not there yet."""
    mask = seen.size - 1
    here = (np.int64(r) * _SPREAD >> 7) & mask
    while seen[here] != 0:
        if seen[here] == r + 1:
            return False
        here = (here + 1) & mask
    seen[here] = r + 1
    return True


@kernel
def decide_antijoins(
    m: Block,
    lines: Int32s,
    first: Number,
    last: Number,
    was_decided: Flag,
    source: Number,
    start: Number,
    end: Number,
    given: Int32s,
    tables: Int32,
    others: Int32,
    seen: Int32,
    keys: Int32s,
    found: Int32s,
) -> tuple[Number, Number]:
    """Write to `found` what becomes of rows of `none`: see `antijoin_results`.

    `start`, `end`: which changed facts to look at. `given`, `tables`: the facts if they are GIVEN. `seen`: zeros, more
    than twice as many as `found` has rows. `keys`: int32[LINES + 1, w], scratch. Returns the number of the next changed
    fact, and how many rows were found.
    """
    rows, queue, undo = matrix(m, at.ROWS), vector(m, at.QUEUE), matrix(m, at.UNDO)
    n = np.int64(0)
    for i in range(start, end):
        if n + LINES * (last - first) > found.shape[0]:
            return np.int64(i), n
        r = np.int64(queue[i] if source == QUEUED else undo[i, 0] if source == TOUCHED else 0)
        if source == TOUCHED and kind(undo[i, 1]) == kind(rows[r, at.STATE]):
            continue
        table = tables[i] if source == GIVEN else rows[r, at.STATE] >> at.TABLE & at.LAST_TABLE
        for here in range(LINES * first, LINES * last):
            if lines[here, LINE_TABLE] != table:
                continue
            if source == GIVEN:
                if not matches(lines, here, given, i, 0, keys, LINES):
                    continue
            elif not matches(lines, here, rows, r, at.FIRST, keys, LINES):
                continue
            antijoin = here // LINES
            low = LINES * antijoin
            said = _row_of_line(m, lines, low + NONE, keys, NONE)
            asked = _row_of_line(m, lines, low + ASKS, keys, ASKS)
            if asked >= 0 and others.size > 0 and _has_one_of(keys, lines[low + ASKS, LINE_COLUMNS], others):
                asked = np.int64(-1)
            if asked < 0:
                if said < 0:
                    continue
                becomes = RETRACTED
            elif _row_of_line(m, lines, low + PATTERN, keys, PATTERN) >= 0:
                if said < 0:
                    continue
                becomes = REFUTED if was_decided else RETRACTED
            elif said < 0:
                becomes = MADE
            else:
                continue
            if _is_new(seen, asked if becomes == MADE else said):
                found[n, 0], found[n, 1] = becomes, antijoin
                for c in range(keys.shape[1]):
                    found[n, LINE + c] = keys[NONE, c]
                n += 1
    return np.int64(end), n
