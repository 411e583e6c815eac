"""`LiteralValues`: which literals of a dictionary share a value, and which have none. `read_new_terms` reads new terms.

    "1"^^xsd:integer    "01"^^xsd:integer    "1.0"^^xsd:decimal    the same value; the literal that was read first
                                                                   stands for the value
    "x"                 "x"^^xsd:token                             the same value
    "x"@en-GB           "x"@en-gb                                  the same value
    "abc"^^xsd:integer                                             ill-typed

Each plain string has a value of its own, and so has each string with a small language tag. So these strings are read
only if another literal, such as an xsd:token or one with a capital letter in its tag, has a string as its value.

Invariant: `rollback` undoes all reading since the last `accept`. After `adopt`, reading begins with the next new term.
Cost: a check of the kind of each new term. For each literal with a datatype or such a tag, also a few microseconds, and
some hundred bytes of memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.datatypes.datatype_map import values
from kgreason.datatypes.value import DIR_LANG_STRING, LANG_STRING, STRING, Reading, Value, are_known_different
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.terms.quoting import quote
from kgreason.zset.columns import Int32

_STRINGS = (STRING, LANG_STRING, DIR_LANG_STRING)
_NO_PAIRS = np.empty((0, 2), dtype=np.int32)


def maybe_equal_pairs(dictionary: Dictionary, pairs: Int32) -> Int32:
    """Return `pairs`, int32[n, 2], without the pairs of two literals that are known to have different values.

    Cost: a look at the kinds of the terms, and at the texts if both terms of a pair are literals.
    """
    is_followed = ~(dictionary.kinds(pairs) == Kind.LITERAL).all(axis=1)
    found = np.flatnonzero(~is_followed)
    if len(found):
        literals, places = np.unique(pairs[found], return_inverse=True)
        readings = values(dictionary.decode(literals))
        both = places.reshape(-1, 2).tolist()
        is_followed[found] = [not are_known_different(readings[one], readings[other]) for one, other in both]
    kept: Int32 = pairs[is_followed]
    return kept


class NewTerms(NamedTuple):
    """The result of reading new terms.

    - `equal`: pairs int32[n, 2] of a literal and the literal that stands for its value. The latter is also paired with
      itself.
    - `ill`: the ill-typed literals, int32[m].
    - `since`: the id of the last term that was read before.
    """

    equal: Int32
    ill: Int32
    since: int


class _ReadTerms(NamedTuple):
    """Which terms of the dictionary were read. A term is new if its id is larger than `old`.

    `read`: the id of the last term that was read. `old`: the id of the last term that counts as known; after `adopt`,
    terms count as known before they are read. `strings`: how many of the known values are strings.
    """

    read: int = 0
    old: int = 0
    strings: int = 0


class LiteralValues:
    """Keeps the values of those literals of a dictionary that were read so far."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._first: dict[Value, int] = {}
        self._added: list[Value] = []
        self._place = self._before = _ReadTerms()

    def adopt(self) -> None:
        """Treat all terms of the dictionary as known."""
        self._place = self._before = _ReadTerms(old=len(self._dictionary))

    def accept(self) -> None:
        """Keep what was read since the last `accept`."""
        self._before, self._added = self._place, []

    def rollback(self) -> None:
        """Forget what was read since the last `accept`."""
        for value in self._added:
            self._first.pop(value, None)
        self._place, self._added = self._before, []

    def read_new_terms(self) -> NewTerms | None:
        """Read the new terms of the dictionary. Returns None if there are no new terms."""
        last = len(self._dictionary)
        if last == self._place.old:
            return None
        since, strings = self._place.read, self._place.strings
        typed, known = self.comparable_literals(since), len(self._added)
        if not len(typed) and not strings:
            self._place = _ReadTerms(last, last)
            return NewTerms(_NO_PAIRS, typed, since)
        equal = self._pairs_of_plain(since) if strings else []
        ill = [*self._read(typed, equal)]
        fresh = [value for value in self._added[known:] if value.space in _STRINGS]
        equal += self._pairs_of_strings(fresh)
        self._place = _ReadTerms(last, last, strings + len(fresh))
        pairs = {pair for literal, first in equal for pair in ((literal, first), (first, first))}
        return NewTerms(np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2), np.array(ill, dtype=np.int32), since)

    def _read(self, typed: Int32, equal: list[tuple[int, int]]) -> Iterable[int]:
        """Read the literals `typed`. Yields those literals that are ill-typed.

        If a value is known already, the pair (literal, literal that stands for the value) is appended to `equal`.
        """
        for literal, reading in zip(typed.tolist(), self.values_of(typed), strict=True):
            if not isinstance(reading, Value):
                if reading is not None:
                    yield literal
            elif reading in self._first:
                equal.append((literal, self._first[reading]))
            else:
                self._added.append(reading)
                self._first[reading] = literal

    def _pairs_of_plain(self, since: int) -> list[tuple[int, int]]:
        """Pair each plain string whose id is above `since` with the literal that stands for its value.

        A plain string is a literal without a datatype, and without a capital letter in its tag. The string is left out
        if no literal stands for its value yet.
        """
        ids = self.literals(since)
        ids = ids[~np.isin(ids, self.comparable_literals(since))]
        readings = zip(ids.tolist(), self.values_of(ids), strict=True)
        return [(literal, self._first[value]) for literal, value in readings if value in self._first]

    def _pairs_of_strings(self, strings: list[Value]) -> list[tuple[int, int]]:
        """Pair the plain literal of each string value of `strings` with the literal that stands for the value.

        The plain literal of a value is its literal without a datatype. A value is left out if the dictionary has no
        such literal.
        """
        found = self._dictionary.find(_plain_literal(value) for value in strings).tolist()
        return [(literal, self._first[value]) for literal, value in zip(found, strings, strict=True) if literal]

    def literals(self, since: int) -> Int32:
        """Return the literals with a greater id than `since`: int32[n]."""
        ids = np.arange(since + 1, len(self._dictionary) + 1, dtype=np.int32)
        return ids[self.is_literal(ids)]

    def comparable_literals(self, since: int) -> Int32:
        """Return the literals whose id is above `since` and whose value another literal may have too: int32[n].

        These are literals whose text names a datatype, as `"1"^^<...>`, or whose language tag has a capital letter.
        """
        return np.union1d(self._dictionary.typed_literals(since), self._dictionary.literals_with_capitals(since))

    def is_literal(self, ids: Int32) -> NDArray[np.bool_]:
        """Return for each id of `ids`, whether the term is a literal: bool, in the shape of `ids`."""
        found: NDArray[np.bool_] = self._dictionary.kinds(ids) == Kind.LITERAL
        return found

    def values_of(self, ids: Int32) -> list[Reading]:
        """Return the `Value` of each literal of `ids`.

        An ill-typed literal gets an `IllTyped`, a literal of an unknown datatype gets None.
        """
        return values(self._dictionary.decode(ids))


def _plain_literal(value: Value) -> str:
    """Return the text of the plain literal (without a datatype) that has this string value."""
    if value.space == STRING:
        return quote(value.data)
    text, tag = value.data
    return f"{quote(text)}@{tag}"
