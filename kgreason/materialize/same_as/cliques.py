"""`Cliques`: which terms owl:sameAs makes equal, and which triples a row over representatives stands for.

A clique has two members or more, and one of them is its *primary* representative. A row is *plain* if it mentions no
member of a clique but primaries. A plain row stands for its *images*: the row with each primary replaced by any member
of its clique. A clique is *folded* if its images would be more than the budget; then it stands for its primary alone.

    slots       id -> number of its clique, 0 for none
    cliques     primary, members, roots (all representatives that its members have), weight, is it folded?

A clique is never changed: a new clique takes its place. So a commit can look at the cliques before and after it.
`rollback` undoes what changed since the last `accept`. Invariant: a clique is folded exactly if members^2 + weight is
above the budget. Its weight is the number of images of the plain rows that mention it, if no clique were folded.

Cost: 4 bytes for each id of the dictionary once there is a clique; a change costs what it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.zset.order import grouped

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Parts(NamedTuple):
    """For each column of rows the terms that may stand there: `pool[start:start + length]`, int64[n, 3] each.

    A start of -1 is the row's own term.
    """

    start: Int64
    length: Int64
    pool: Int32


class Members(NamedTuple):
    """Cliques by their primaries, ascending: pairs int32[m, 2] of primary and member, and of primary and root."""

    members: Int32
    roots: Int32


_Change = tuple[NDArray[Any], NDArray[Any]]
"""Places in an array, and their former values."""
_SPARE = 1_000
"""How many cliques, beyond the live ones, may have lost their place before all are numbered anew."""


class _Column:
    """An array to whose end values are added."""

    def __init__(self, dtype: type[np.generic], *values: int) -> None:
        self._data: NDArray[Any] = np.zeros(16, dtype=dtype)
        self.size = len(values)
        self._data[: self.size] = values

    @property
    def values(self) -> NDArray[Any]:
        """The values that were added, as a view."""
        return self._data[: self.size]

    def add(self, values: NDArray[Any]) -> int:
        """Add values; returns the number of the first of them."""
        start, self.size = self.size, self.size + len(values)
        if self.size > len(self._data):
            data = np.zeros(2 * self.size, dtype=self._data.dtype)
            data[:start] = self._data[:start]
            self._data = data
        self._data[start : self.size] = values
        return start


class Cliques:
    """The cliques of a graph; see the module."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._clear()

    def _clear(self) -> None:
        """Remove all cliques; number 0 stands for no clique."""
        self._slots = np.zeros(1, dtype=np.int32)
        self._primary, self._start, self._length = _Column(np.int32, 0), _Column(np.int64, -1), _Column(np.int64, 1)
        self._root_start, self._root_length = _Column(np.int64, 0), _Column(np.int64, 0)
        self._folded, self._weight = _Column(np.bool_, 0), _Column(np.int64, 0)
        self._members, self._roots = _Column(np.int32), _Column(np.int32)
        self._live = 0
        self._forget_changes()

    @property
    def _columns(self) -> tuple[_Column, ...]:
        heads = self._primary, self._start, self._length, self._root_start, self._root_length
        return *heads, self._folded, self._weight, self._members, self._roots

    def _forget_changes(self) -> None:
        self._moves: list[_Change] = []
        self._weighed: list[_Change] = []
        self._kept = tuple(column.size for column in self._columns), self._live

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        if not self._moves and not self._weighed:
            return
        self._forget_changes()
        if self._primary.size > 2 * self._live + _SPARE:
            self._compact()

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        for changes, array in ((self._weighed, self._weight.values), (self._moves, self._slots)):
            for places, values in reversed(changes):
                array[places] = values
        sizes, self._live = self._kept
        for column, size in zip(self._columns, sizes, strict=True):
            column.size = size
        self._forget_changes()

    def _compact(self) -> None:
        """Number the cliques anew, without those that lost their place."""
        numbers = self.all()
        members, roots = self.members(numbers), self.roots(numbers)
        order, of_roots = np.argsort(members[:, 0], kind="stable"), np.argsort(roots[:, 0], kind="stable")
        primaries = self._primary.values[numbers]
        kept = numbers[np.argsort(primaries, kind="stable")]
        weights, folded, terms = self._weight.values[kept], self._folded.values[kept], len(self._slots) - 1
        self._clear()
        self.cover(terms)
        new = self.replace(np.zeros(0, dtype=np.int32), Members(members[order], roots[of_roots]))
        self._weight.values[new], self._folded.values[new] = weights, folded
        self._forget_changes()

    def __len__(self) -> int:
        """The number of cliques."""
        return self._live

    def cover(self, terms: int) -> None:
        """Make room for a slot of every id up to `terms`."""
        if len(self._slots) <= terms:
            slots = np.zeros(max(terms + 1, len(self._slots) * 3 // 2), dtype=np.int32)
            slots[: len(self._slots)] = self._slots
            self._slots = slots

    def slots(self, ids: Int32) -> Int32:
        """The cliques of terms, of any shape: 0 for a term without a clique. Call `cover` first."""
        found: Int32 = self._slots[ids]
        return found

    def primaries(self, ids: Int32, slots: Int32) -> Int32:
        """Each term, or the primary of its clique."""
        return np.where(slots > 0, self._primary.values[slots], ids)

    def is_plain(self, rows: Int32, slots: Int32) -> Mask:
        """Whether each of rows int32[n, 3] mentions no member of a clique but primaries: bool[n]."""
        plain: Mask = (self.primaries(rows, slots) == rows).all(axis=1)
        return plain

    def is_open(self, ids: Int32, slots: Int32) -> Mask:
        """Whether images may show a term: its clique is not folded, or it is the primary."""
        shown: Mask = ~self._folded.values[slots] | (self._primary.values[slots] == ids)
        return shown

    def primary_of(self, numbers: Int32) -> Int32:
        """The primaries of cliques."""
        found: Int32 = self._primary.values[numbers]
        return found

    def folded(self, numbers: Int32) -> Mask:
        """Whether cliques are folded."""
        found: Mask = self._folded.values[numbers]
        return found

    def members(self, numbers: Int32) -> Int32:
        """Pairs int32[m, 2]: the primary and each member of these cliques."""
        return self._pairs(numbers, self._start, self._length, self._members)

    def roots(self, numbers: Int32) -> Int32:
        """Pairs int32[m, 2]: the primary and each root of these cliques."""
        return self._pairs(numbers, self._root_start, self._root_length, self._roots)

    def _pairs(self, numbers: Int32, start: _Column, length: _Column, pool: _Column) -> Int32:
        lengths = length.values[numbers]
        at = np.repeat(start.values[numbers], lengths) + _counted(lengths)
        primaries = np.repeat(self._primary.values[numbers], lengths)
        return np.column_stack([primaries, pool.values[at]]).astype(np.int32)

    def roots_of(self, terms: Int32) -> Int32:
        """Pairs int32[m, 2]: each of these terms, and each root of its clique."""
        slots = self.slots(terms)
        lengths = self._root_length.values[slots]
        at = np.repeat(self._root_start.values[slots], lengths) + _counted(lengths)
        return np.column_stack([np.repeat(terms, lengths), self._roots.values[at]]).astype(np.int32)

    def all(self) -> Int32:
        """The numbers of all cliques."""
        numbers: Int32 = np.unique(self._slots)
        return numbers[numbers > 0]

    def preferred(self) -> Int32:
        """The primaries of the cliques with several roots, ascending: int32[n]."""
        numbers = np.flatnonzero(self._root_length.values > 1)
        primaries = self._primary.values[numbers]
        found: Int32 = np.sort(primaries[self._slots[primaries] == numbers])  # the other cliques were replaced
        return found

    def parts(self, slots: Int32, *, folding: bool = True) -> Parts:
        """The terms that may stand in each column of rows with these slots int32[n, 3].

        If `folding` is False, folded cliques show all their members, too.
        """
        start, length = self._start.values[slots], self._length.values[slots]
        if folding:
            folded = self._folded.values[slots]
            start, length = np.where(folded, -1, start), np.where(folded, 1, length)
        return Parts(start, length, self._members.values)

    def weigh(self, slots: Int32, sign: int) -> None:
        """Add the images of plain rows to the weights of their cliques (`sign` 1), or subtract them (-1).

        The rows are given by their slots int32[n, 3].
        """
        images = self._length.values[slots].prod(axis=1)
        touched, weights = np.unique(slots), self._weight.values
        self._weighed.append((touched, weights[touched]))
        for column in range(slots.shape[1]):  # a row that mentions a clique twice counts once
            repeated = (slots[:, :column] == slots[:, column : column + 1]).any(axis=1)
            np.add.at(weights, slots[~repeated, column], sign * images[~repeated])

    def misjudged(self, numbers: Int32) -> Int32:
        """The cliques among `numbers` that are folded and should not be, or that should be folded and are not."""
        wrong = self._folded.values[numbers] != self._is_heavy(numbers)
        found: Int32 = numbers[wrong & (numbers > 0)]
        return found

    def _is_heavy(self, numbers: Int32) -> Mask:
        heavy: Mask = self._length.values[numbers] ** 2 + self._weight.values[numbers] > self._budget
        return heavy

    def past_budget(self) -> list[tuple[int, int, int]]:
        """The folded cliques, in any order: primary, members, rows that all members would need; empty for budget 0."""
        numbers = self.all()[self.folded(self.all())] if self._budget else np.empty(0, dtype=np.int32)
        rows = self._length.values[numbers] ** 2 + self._weight.values[numbers]
        return list(
            zip(self.primary_of(numbers).tolist(), self._length.values[numbers].tolist(), rows.tolist(), strict=True)
        )

    def fold(self, numbers: Int32) -> None:
        """Decide for new cliques whether they are folded; all their rows must have been weighed."""
        self._folded.values[numbers] = self._is_heavy(numbers)

    def replace(self, numbers: Int32, others: Members) -> Int32:
        """Put other cliques in the place of `numbers`; returns the numbers of the others. Their weights begin at 0."""
        gone = self.members(numbers)[:, 1]
        self._move(gone, np.zeros(len(gone), dtype=np.int32))
        primaries, first = np.unique(others.members[:, 0], return_index=True)
        lengths = np.diff(np.append(first, len(others.members)))
        start = self._members.add(others.members[:, 1])
        number = self._primary.add(primaries)
        self._start.add(start + first)
        self._length.add(lengths)
        root_first = np.searchsorted(others.roots[:, 0], primaries)
        root_start = self._roots.add(others.roots[:, 1])
        self._root_start.add(root_start + root_first)
        self._root_length.add(np.diff(np.append(root_first, len(others.roots))))
        self._folded.add(np.zeros(len(primaries)))
        self._weight.add(np.zeros(len(primaries)))
        new = np.arange(number, number + len(primaries), dtype=np.int32)
        self._move(others.members[:, 1], np.repeat(new, lengths))
        self._live += len(new) - len(numbers)
        return new

    def _move(self, terms: Int32, numbers: Int32) -> None:
        """Move terms to other cliques."""
        if not len(terms):
            return
        self._moves.append((terms, self._slots[terms]))
        self._slots[terms] = numbers

    def slots_before(self, ids: Int32) -> Int32:
        """The cliques of terms, of any shape, as of the last `accept`."""
        slots = self.slots(ids)
        if not self._moves:
            return slots
        places, values = (np.concatenate(parts) for parts in zip(*self._moves, strict=True))
        moved, first = np.unique(places, return_index=True)  # the first move of a term has its former clique
        at = np.minimum(np.searchsorted(moved, ids), len(moved) - 1)
        before: Int32 = np.where(moved[at] == ids, values[first[at]], slots).astype(np.int32)
        return before


def expanded(rows: Int32, parts: Parts) -> Int32:
    """The images of rows: every row that has in each column a term of the column's part, int32[m, 3]."""
    counts = parts.length.prod(axis=1)
    source, left = np.repeat(np.arange(len(rows)), counts), _counted(counts)
    images = rows[source]
    for column in range(rows.shape[1]):
        length, start = parts.length[source, column], parts.start[source, column]
        others = np.flatnonzero(start >= 0)
        images[others, column] = parts.pool[start[others] + left[others] % length[others]]
        left //= length
    return images


def _counted(lengths: Int64) -> Int64:
    """For each length in turn the numbers 0, 1, ... below it."""
    ends = np.cumsum(lengths)
    counted: Int64 = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    return counted


def fill(cliques: Cliques, pairs: Int32, preferred: Int32, facts: Callable[[], Int32]) -> None:
    """Make the cliques for rows int32[n, 2] of eq_rep, where there is none yet; `facts` are the triples to weigh.

    preferred: the primaries of the cliques that have several roots.
    """
    if not len(pairs):
        return
    pairs = ordered(pairs)
    terms, primary = _with_primaries(pairs, preferred)
    of_pair = primary[np.searchsorted(terms, pairs[:, 0])]
    members = ordered(np.column_stack([primary, terms]))
    rows = facts()
    cliques.cover(max(int(terms.max()), int(rows.max(initial=0))))
    new = cliques.replace(
        np.empty(0, dtype=np.int32), Members(members, ordered(np.column_stack([of_pair, pairs[:, 1]])))
    )
    slots = cliques.slots(rows)
    cliques.weigh(slots[slots.any(axis=1) & cliques.is_plain(rows, slots)], 1)
    cliques.fold(new)
    cliques.accept()


def in_primaries(ids: Int32, pairs: Int32, preferred: Int32) -> Int32:
    """Ids, of any shape, each replaced by the primary of its clique; the cliques are the rows int32[n, 2] of eq_rep.

    preferred: as for `fill`.
    """
    if not len(pairs):
        return ids
    terms, primary = _with_primaries(pairs, preferred)
    places = np.minimum(np.searchsorted(terms, ids), len(terms) - 1)
    return np.where(terms[places] == ids, primary[places], ids)


def _with_primaries(pairs: Int32, preferred: Int32) -> tuple[Int32, Int32]:
    """The terms of pairs, each once, and the primary of each: its only root, or the preferred one."""
    is_preferred = np.isin(pairs[:, 1], preferred)
    terms, first = np.unique(np.concatenate([pairs[is_preferred, 0], pairs[:, 0]]), return_index=True)
    return terms, np.concatenate([pairs[is_preferred, 1], pairs[:, 1]])[first]


def ordered(pairs: Int32) -> Int32:
    """Pairs int32[n, 2], ascending, each once."""
    return pairs[grouped(np.ascontiguousarray(pairs, dtype=np.int32)).firsts()]
