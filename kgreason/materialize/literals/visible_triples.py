"""`VisibleTriples`: which triples with a literal users see: one spelling of a value for each subject and property.

Rules count a literal by its value, so `:tea :price 10` and the literal `10.0` elsewhere give `:tea :price 10.0`, by
dt-eq and eq-rep-o (OWL 2 Profiles, Tables 4 and 8). Rules and proofs need this triple. A query would count the price
twice. The *group* of a triple are the triples with its subject and predicate, and with any literal of the same value
as its object.

    asserted triples             seen, all of them
    an inferred triple           seen if no triple of its group is asserted, and if its object comes first by its text
                                 among the objects of the group

Law: what is seen depends only on the triples and on which of them are asserted. So it depends neither on the order of
edits nor on threads. With the rule group eq-spellings, or with eq-literals, everything is seen.

The literals of one value are those with the same v in the facts dt_value(x, v), which are never retracted. Cost: a look
at the object of each changed triple, once two literals have one value, and a look-up for each triple of the groups. New
literals with such values copy the table of these literals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.materialize.edit import KindChanges
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32
from kgreason.zset.order import group_rows

if TYPE_CHECKING:  # reading a store does not need the engine
    from kgreason.engine.changes import Changes

_VALUE = "dt_value/2"
_NO_PAIRS = np.empty((0, 2), dtype=np.int32)
Int8: TypeAlias = NDArray[np.int8]
Mask: TypeAlias = NDArray[np.bool_]
KindsOf: TypeAlias = Callable[[Int32], Int8]
"""A function that returns the kind (absent, inferred or asserted) of each triple in the graph with all spellings."""


class _Groups(NamedTuple):
    """The candidates of some groups: `rows`, int32[m, 3], and the numbers of their groups, int64[m]."""

    rows: Int32
    numbers: NDArray[np.int64]


class ValuePairs:
    """Which literals have the same value. `pairs`, int32[n, 2], has a row (literal, v) for each."""

    def __init__(self, pairs: Int32 = _NO_PAIRS) -> None:
        self.pairs = pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))]
        self._value = np.zeros(int(pairs[:, 0].max(initial=-1)) + 1, dtype=np.int32)
        self._value[pairs[:, 0]] = pairs[:, 1]

    def with_pairs(self, pairs: Int32) -> ValuePairs:
        """Return these values together with further pairs. Nothing is sorted again, but all is copied."""
        if not len(pairs):
            return self
        more, found = ValuePairs(pairs), ValuePairs()
        places = np.searchsorted(self.pairs[:, 1], more.pairs[:, 1], side="right")
        found.pairs = np.insert(self.pairs, places, more.pairs, axis=0)
        found._value = np.zeros(max(len(self._value), len(more._value)), dtype=np.int32)
        found._value[: len(self._value)] = self._value
        found._value[more.pairs[:, 0]] = more.pairs[:, 1]
        return found

    def first_of_value(self, ids: Int32) -> Int32:
        """Return for each term the v of its value; 0 if no other literal has its value."""
        found: Int32 = np.where(ids < len(self._value), self._value[np.minimum(ids, len(self._value) - 1)], 0)
        return found

    def groups(self, rows: Int32) -> _Groups:
        """Return the groups of `rows`, int32[n, 3], whose objects all have a value that other literals have."""
        keys = np.column_stack([rows[:, :2], self.first_of_value(rows[:, 2])])
        order = group_rows(keys)
        firsts = keys[order.firsts()]
        low, high = (np.searchsorted(self.pairs[:, 1], firsts[:, 2], side=side) for side in ("left", "right"))
        lengths = high - low
        numbers = np.repeat(np.arange(len(firsts)), lengths)
        places = np.arange(len(numbers)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + low[numbers]
        found = firsts[numbers]
        found[:, 2] = self.pairs[places, 0]
        return _Groups(np.ascontiguousarray(found), numbers)


def are_visible(dictionary: Dictionary, objects: Int32, groups: NDArray[np.int64], kinds: Int8) -> Mask:
    """Return which triples users see: bool[n]. All triples of their groups must be among them."""
    is_asserted, is_inferred = kinds == IS_ASSERTED, kinds == INFERRED
    has_asserted = np.bincount(groups[is_asserted], minlength=int(groups.max(initial=-1)) + 1) > 0
    found: Mask = is_asserted.copy()
    left = np.flatnonzero(is_inferred & ~has_asserted[groups])
    if len(left):
        places = np.unique(groups[left], return_inverse=True)[1].astype(np.int64)
        found[left] = dictionary.first_terms(np.ascontiguousarray(objects[left]), places)[places] == objects[left]
    return found


def visible_rows(dictionary: Dictionary, rows: Int32, asserted: Int32, pairs: Int32) -> Int32:
    """Return those of the triples `rows`, int32[n, 3], that users see.

    `rows` are all triples with all spellings, `asserted` those that are asserted, and `pairs` the facts dt_value.
    """
    values = ValuePairs(pairs)
    some = np.flatnonzero(values.first_of_value(rows[:, 2])) if len(values.pairs) else np.empty(0, np.int64)
    if not len(some):
        return rows
    told = asserted[values.first_of_value(asserted[:, 2]) > 0]
    numbers = group_rows(np.concatenate([told, rows[some]])).numbers()
    known = np.zeros(len(numbers), dtype=np.bool_)
    known[numbers[: len(told)]] = True
    kinds = np.where(known[numbers[len(told) :]], IS_ASSERTED, INFERRED).astype(np.int8)
    keys = np.column_stack([rows[some, :2], values.first_of_value(rows[some, 2])])
    kept = np.ones(len(rows), dtype=np.bool_)
    kept[some] = are_visible(dictionary, rows[some, 2], group_rows(keys).numbers(), kinds)
    return rows[kept]


class VisibleTriples:
    """Filters the triples of one graph."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self.relation = int(dictionary.intern([_VALUE])[0])
        self.values = self._before = ValuePairs()

    def adopt(self, pairs: Int32) -> None:
        """Take over the facts of dt_value, int32[n, 2]."""
        self.values = self._before = ValuePairs(pairs)

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self._before = self.values

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        self.values = self._before

    def follow(self, changes: Changes, table: int) -> None:
        """Note the facts of dt_value that the commit has added so far. They are in the table `table`."""
        rows = changes.rows
        is_new = (rows[:, 0] == self.relation) & (changes.tables == table) & (changes.before == ABSENT)
        self.values = self._before.with_pairs(rows[is_new & (changes.after != ABSENT)][:, 1:3])

    def change(self, changed: KindChanges, before: KindsOf, after: KindsOf) -> KindChanges:
        """Return how a commit changes the triples that users see. There must be `values`.

        `changed` has the same for the graph with all spellings, and `before` and `after` tell the kinds there.
        """
        values = self.values
        are_several = values.first_of_value(changed.rows[:, 2]) > 0
        if not are_several.any():
            return changed
        rows, numbers = values.groups(changed.rows[are_several])
        kinds = [self._kinds(rows, numbers, side(rows)) for side in (before, after)]
        differs = kinds[0] != kinds[1]
        rest = [part[~are_several] for part in changed]
        found = rows[differs], kinds[0][differs], kinds[1][differs]
        return KindChanges(*(np.concatenate(parts) for parts in zip(rest, found, strict=True)))

    def _kinds(self, rows: Int32, numbers: NDArray[np.int64], kinds: Int8) -> Int8:
        is_seen = are_visible(self._dictionary, rows[:, 2], numbers, kinds)
        return np.where(is_seen, kinds, ABSENT).astype(np.int8)

    def are_visible(self, rows: Int32, kinds_of: KindsOf) -> Mask:
        """Return which of the present triples `rows`, int32[n, 3], users see: bool[n]."""
        found = np.ones(len(rows), dtype=np.bool_)
        some = (
            np.flatnonzero(self.values.first_of_value(rows[:, 2])) if len(self.values.pairs) else np.empty(0, np.int64)
        )
        if len(some):
            groups = self.values.groups(rows[some])
            kinds = self._kinds(groups.rows, groups.numbers, kinds_of(groups.rows))
            shown = groups.rows[kinds != ABSENT]
            numbers = group_rows(np.concatenate([shown, rows[some]])).numbers()
            known = np.zeros(len(numbers), dtype=np.bool_)
            known[numbers[: len(shown)]] = True
            found[some] = known[numbers[len(shown) :]]
        return found
