"""`Cliques`: which terms owl:sameAs makes equal, and which triples a row over representatives stands for.

A clique has two or more members. One of them is its *primary*: the representative that stands for all members. A
clique may have further representatives; all its representatives are its *roots*. A row is *plain* if each
term in it that belongs to a clique is the primary of the clique. A plain row stands for its *images*: the rows with any
members of the cliques in place of the primaries. If a clique would need more images than the budget, it is *folded*: in
the images of rows, no other member takes the place of its primary.

    slots       id -> the number of the term's clique, or 0
    cliques     number -> primary, members, roots, weight, whether the clique is folded

A clique is never changed: a new clique takes its place. So a commit can look at the cliques before and after it.
`rollback` undoes all changes since the last `accept`. Invariant: a clique is folded exactly if (number of members)^2 +
weight is above the budget. The weight of a clique is the number of images of all plain rows that mention the clique,
counted as if no clique were folded.

Cost: 4 bytes for each id of the dictionary, once there is a clique. The time for a change is in proportion to the
change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.interrupts import let_out
from kgreason.zset.order import distinct, group_rows

_MANY = 1 << 20
"""About so many images are made between two calls of `let_out`."""

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Replacements(NamedTuple):
    """For each cell of n rows: the terms that may replace the term in this cell. They are `pool[start:start + length]`.

    `start` and `length` are int64[n, 3]. If `start` is -1, the term in the cell stays.
    """

    start: Int64
    length: Int64
    pool: Int32


class Members(NamedTuple):
    """Several cliques, as two arrays int32[m, 2] of pairs, ascending.

    `members` has a pair (primary, member) for each member; `roots` a pair (primary, root) for each representative.
    """

    members: Int32
    roots: Int32


_Change = tuple[NDArray[Any], NDArray[Any]]
"""Positions in an array, and the former values at these positions."""
_SPARE = 1_000
"""If the number of replaced cliques exceeds that of present cliques by more than 1,000, all cliques get new numbers."""


class _Column:
    """An array that grows: values are added at its end."""

    def __init__(self, dtype: type[np.generic], *values: int) -> None:
        self._data: NDArray[Any] = np.zeros(16, dtype=dtype)
        self.size = len(values)
        self._data[: self.size] = values

    @property
    def values(self) -> NDArray[Any]:
        """All values that were added, as a view."""
        return self._data[: self.size]

    def add(self, values: NDArray[Any]) -> int:
        """Add values at the end. Returns the position of the first one."""
        start, self.size = self.size, self.size + len(values)
        if self.size > len(self._data):
            data = np.zeros(2 * self.size, dtype=self._data.dtype)
            data[:start] = self._data[:start]
            self._data = data
        self._data[start : self.size] = values
        return start


class Cliques:
    """Keeps the cliques of a graph, by numbers from 1. The docstring of the module explains the terms."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._clear()

    def _clear(self) -> None:
        """Remove all cliques. Number 0 stands for "no clique"."""
        self._slots = np.zeros(1, dtype=np.int32)
        self._primary, self._start, self._length = _Column(np.int32, 0), _Column(np.int64, -1), _Column(np.int64, 1)
        self._root_start, self._root_length = _Column(np.int64, 0), _Column(np.int64, 0)
        self._folded, self._weight = _Column(np.bool_, 0), _Column(np.int64, 0)
        self._members, self._roots = _Column(np.int32), _Column(np.int32)
        self.live = 0
        """The number of cliques."""
        self._forget_changes()

    @property
    def _columns(self) -> tuple[_Column, ...]:
        heads = self._primary, self._start, self._length, self._root_start, self._root_length
        return *heads, self._folded, self._weight, self._members, self._roots

    def _forget_changes(self) -> None:
        self._moves: list[_Change] = []
        self._weighed: list[_Change] = []
        self._kept = tuple(column.size for column in self._columns), self.live

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        if not self._moves and not self._weighed:
            return
        self._forget_changes()
        if self._primary.size > 2 * self.live + _SPARE:
            self._compact()

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        for changes, array in ((self._weighed, self._weight.values), (self._moves, self._slots)):
            for places, values in reversed(changes):
                array[places] = values
        sizes, self.live = self._kept
        for column, size in zip(self._columns, sizes, strict=True):
            column.size = size
        self._forget_changes()

    def _compact(self) -> None:
        """Give new numbers to the present cliques, and forget the replaced cliques."""
        numbers = self.numbers()
        members, roots = self.members(numbers), self.roots(numbers)
        order, of_roots = np.argsort(members[:, 0], kind="stable"), np.argsort(roots[:, 0], kind="stable")
        primaries = self._primary.values[numbers]
        kept = numbers[np.argsort(primaries, kind="stable")]
        weights, folded, terms = self._weight.values[kept], self._folded.values[kept], len(self._slots) - 1
        self._clear()
        self.reserve_slots(terms)
        new = self.replace(np.zeros(0, dtype=np.int32), Members(members[order], roots[of_roots]))
        self._weight.values[new], self._folded.values[new] = weights, folded
        self._forget_changes()

    def reserve_slots(self, terms: int) -> None:
        """Make the array `slots` long enough for every id up to `terms`."""
        if len(self._slots) <= terms:
            slots = np.zeros(max(terms + 1, len(self._slots) * 3 // 2), dtype=np.int32)
            slots[: len(self._slots)] = self._slots
            self._slots = slots

    def slots(self, ids: Int32) -> Int32:
        """Return for each id the number of its term's clique, or 0. The result has the shape of `ids`.

        Call `reserve_slots` first.
        """
        found: Int32 = self._slots[ids]
        return found

    def primaries(self, ids: Int32, slots: Int32) -> Int32:
        """Return `ids` with the members of cliques replaced by their primaries.

        `slots`: for each id the number of its clique, or 0.
        """
        return np.where(slots > 0, self._primary.values[slots], ids)

    def is_plain(self, rows: Int32, slots: Int32) -> Mask:
        """Return for each row of `rows`, int32[n, 3], whether it is plain: bool[n].

        `slots`, int32[n, 3]: for each cell the number of its term's clique, or 0.
        """
        plain: Mask = (self.primaries(rows, slots) == rows).all(axis=1)
        return plain

    def is_open(self, ids: Int32, slots: Int32) -> Mask:
        """Return for each term whether it may occur in images: its clique is not folded, or the term is the primary.

        `slots`: for each term the number of its clique, or 0.
        """
        shown: Mask = ~self._folded.values[slots] | (self._primary.values[slots] == ids)
        return shown

    def primary_of(self, numbers: Int32) -> Int32:
        """Return the primaries of the cliques with these numbers."""
        found: Int32 = self._primary.values[numbers]
        return found

    def are_folded(self, numbers: Int32) -> Mask:
        """Return for each number of a clique whether this clique is folded."""
        found: Mask = self._folded.values[numbers]
        return found

    def members(self, numbers: Int32) -> Int32:
        """Return pairs int32[m, 2] of primary and member, for all members of the cliques with these numbers."""
        return self._pairs(numbers, self._start, self._length, self._members)

    def roots(self, numbers: Int32) -> Int32:
        """Return pairs (primary, root), int32[m, 2], one for each root (representative) of these cliques."""
        return self._pairs(numbers, self._root_start, self._root_length, self._roots)

    def _pairs(self, numbers: Int32, start: _Column, length: _Column, pool: _Column) -> Int32:
        lengths = length.values[numbers]
        at = np.repeat(start.values[numbers], lengths) + _counts_of(lengths)
        primaries = np.repeat(self._primary.values[numbers], lengths)
        return np.column_stack([primaries, pool.values[at]]).astype(np.int32)

    def roots_of(self, terms: Int32) -> Int32:
        """Return pairs int32[m, 2]: each term of `terms` with each root (representative) of its clique."""
        slots = self.slots(terms)
        lengths = self._root_length.values[slots]
        at = np.repeat(self._root_start.values[slots], lengths) + _counts_of(lengths)
        return np.column_stack([np.repeat(terms, lengths), self._roots.values[at]]).astype(np.int32)

    def numbers(self) -> Int32:
        """Return the numbers of all cliques."""
        numbers: Int32 = distinct(self._slots)
        return numbers[numbers > 0]

    def preferred(self) -> Int32:
        """Return the primaries of those cliques that have several roots, ascending: int32[n]."""
        numbers = np.flatnonzero(self._root_length.values > 1)
        primaries = self._primary.values[numbers]
        found: Int32 = np.sort(primaries[self._slots[primaries] == numbers])  # the other cliques were replaced
        return found

    def replacements(self, slots: Int32, *, folding: bool = True) -> Replacements:
        """Return for each cell of n rows the terms that may replace its term in the images of the row.

        `slots`, int32[n, 3]: for each cell the number of its term's clique, or 0. If `folding` is False, folded cliques
        count as not folded.
        """
        start, length = self._start.values[slots], self._length.values[slots]
        if folding:
            folded = self._folded.values[slots]
            start, length = np.where(folded, -1, start), np.where(folded, 1, length)
        return Replacements(start, length, self._members.values)

    def weigh(self, slots: Int32, sign: int) -> None:
        """Add the number of images of each plain row to the weights of its cliques (`sign` 1), or subtract it (-1).

        `slots`, int32[n, 3]: for each cell of the rows the number of its term's clique, or 0.
        """
        images = self._length.values[slots].prod(axis=1)
        touched, weights = distinct(slots), self._weight.values
        self._weighed.append((touched, weights[touched]))
        for column in range(slots.shape[1]):  # a row that mentions a clique twice counts once
            repeated = (slots[:, :column] == slots[:, column : column + 1]).any(axis=1)
            np.add.at(weights, slots[~repeated, column], sign * images[~repeated])

    def cliques_to_refold(self, numbers: Int32) -> Int32:
        """Return those cliques of `numbers` whose flag `folded` is wrong for their present weight."""
        wrong = self._folded.values[numbers] != self._is_heavy(numbers)
        found: Int32 = numbers[wrong & (numbers > 0)]
        return found

    def _is_heavy(self, numbers: Int32) -> Mask:
        heavy: Mask = self._length.values[numbers] ** 2 + self._weight.values[numbers] > self._budget
        return heavy

    def past_budget(self) -> list[tuple[int, int, int]]:
        """Return for each folded clique its primary, its number of members and its number of images.

        The images are counted as if the clique was not folded, and with its owl:sameAs triples. The cliques are in any
        order. If the budget is 0, the list is empty.
        """
        numbers = self.numbers()[self.are_folded(self.numbers())] if self._budget else np.empty(0, dtype=np.int32)
        rows = self._length.values[numbers] ** 2 + self._weight.values[numbers]
        return list(
            zip(self.primary_of(numbers).tolist(), self._length.values[numbers].tolist(), rows.tolist(), strict=True)
        )

    def fold(self, numbers: Int32) -> None:
        """Set the flag `folded` of the new cliques `numbers`.

        Call this only after `weigh` has counted every plain row that mentions these cliques.
        """
        self._folded.values[numbers] = self._is_heavy(numbers)

    def replace(self, numbers: Int32, others: Members) -> Int32:
        """Remove the cliques `numbers` and add the cliques `others`. Returns the numbers of the added cliques.

        The weights of the added cliques start at 0.
        """
        gone = self.members(numbers)[:, 1]
        self._move_terms(gone, np.zeros(len(gone), dtype=np.int32))
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
        self._move_terms(others.members[:, 1], np.repeat(new, lengths))
        self.live += len(new) - len(numbers)
        return new

    def _move_terms(self, terms: Int32, numbers: Int32) -> None:
        """Move each term of `terms` to the clique whose number stands at the same place of `numbers`."""
        if not len(terms):
            return
        self._moves.append((terms, self._slots[terms]))
        self._slots[terms] = numbers

    def slots_before(self, ids: Int32) -> Int32:
        """Return for each id the number of the clique that its term was in at the last `accept`.

        The shape is that of `ids`.
        """
        slots = self.slots(ids)
        if not self._moves:
            return slots
        places, values = (np.concatenate(parts) for parts in zip(*self._moves, strict=True))
        moved, first = np.unique(places, return_index=True)  # the first move of a term has its former clique
        at = np.minimum(np.searchsorted(moved, ids), len(moved) - 1)
        before: Int32 = np.where(moved[at] == ids, values[first[at]], slots).astype(np.int32)
        return before


def expand_rows(rows: Int32, parts: Replacements) -> Int32:
    """Return all rows that arise if each cell of `rows` takes a term that `parts` has for this cell: int32[m, 3].

    There may be very many, so they are made in pieces, and the work can be ended between two of them.
    """
    counts = parts.length.prod(axis=1)
    ends = np.cumsum(counts)
    cuts = np.searchsorted(ends, np.arange(_MANY, ends[-1] if len(ends) else 0, _MANY))
    if not len(cuts):
        return _expand(rows, parts, counts)
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        let_out()
        piece = Replacements(parts.start[start:end], parts.length[start:end], parts.pool)
        found.append(_expand(rows[start:end], piece, counts[start:end]))
    return np.concatenate(found)


def _expand(rows: Int32, parts: Replacements, counts: Int64) -> Int32:
    source, left = np.repeat(np.arange(len(rows)), counts), _counts_of(counts)
    images = rows[source]
    for column in range(rows.shape[1]):
        length, start = parts.length[source, column], parts.start[source, column]
        others = np.flatnonzero(start >= 0)
        images[others, column] = parts.pool[start[others] + left[others] % length[others]]
        left //= length
    return images


def _counts_of(lengths: Int64) -> Int64:
    """Return, one after the other, the numbers from 0 to n - 1 for each length n: [2, 3] gives [0, 1, 0, 1, 2]."""
    ends = np.cumsum(lengths)
    counted: Int64 = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    return counted


def fill_cliques(cliques: Cliques, pairs: Int32, preferred: Int32, facts: Callable[[], Int32]) -> None:
    """Make the cliques of a graph that has none yet.

    `pairs`, int32[n, 2]: the rows of eq_rep, each with a term and a root (representative) of its clique. `preferred`:
    the primaries of the cliques with several roots. `facts` returns all triples.
    """
    if not len(pairs):
        return
    pairs = sort_pairs(pairs)
    terms, primary = _with_primaries(pairs, preferred)
    of_pair = primary[np.searchsorted(terms, pairs[:, 0])]
    members = sort_pairs(np.column_stack([primary, terms]))
    rows = facts()
    cliques.reserve_slots(max(int(terms.max()), int(rows.max(initial=0))))
    new = cliques.replace(
        np.empty(0, dtype=np.int32), Members(members, sort_pairs(np.column_stack([of_pair, pairs[:, 1]])))
    )
    slots = cliques.slots(rows)
    cliques.weigh(slots[slots.any(axis=1) & cliques.is_plain(rows, slots)], 1)
    cliques.fold(new)
    cliques.accept()


def in_primaries(ids: Int32, pairs: Int32, preferred: Int32) -> Int32:
    """Return `ids` with the members of cliques replaced by the primaries of their cliques.

    `pairs` and `preferred` give the cliques, as for `fill_cliques`.
    """
    if not len(pairs):
        return ids
    terms, primary = _with_primaries(pairs, preferred)
    places = np.minimum(np.searchsorted(terms, ids), len(terms) - 1)
    return np.where(terms[places] == ids, primary[places], ids)


def _with_primaries(pairs: Int32, preferred: Int32) -> tuple[Int32, Int32]:
    """Return the terms of `pairs` (term, root), each once, and their primaries: the only root or the preferred one."""
    is_preferred = np.isin(pairs[:, 1], preferred)
    terms, first = np.unique(np.concatenate([pairs[is_preferred, 0], pairs[:, 0]]), return_index=True)
    return terms, np.concatenate([pairs[is_preferred, 1], pairs[:, 1]])[first]


def sort_pairs(pairs: Int32) -> Int32:
    """Return the pairs int32[n, 2] in ascending order, each once."""
    return pairs[group_rows(np.ascontiguousarray(pairs, dtype=np.int32)).firsts()]


def components(links: Int32) -> tuple[Int32, NDArray[np.int64]]:
    """Find the connected components of links int32[m, 2].

    Returns the linked terms, ascending, and a label for each term.

    Terms of one component have the same label: the position of the smallest of them among the returned terms. Cost: a
    few passes over the links for each doubling of the longest path.
    """
    terms, places = np.unique(links, return_inverse=True)
    ends = places.reshape(-1, 2)
    labels = np.arange(len(terms))
    while True:
        low = labels[ends].min(axis=1)
        hooked = labels.copy()
        for column in range(2):
            np.minimum.at(hooked, labels[ends[:, column]], low)
        while (hooked != (nearer := hooked[hooked])).any():
            hooked = nearer
        if (hooked == labels).all():
            return terms.astype(np.int32), labels
        labels = hooked
