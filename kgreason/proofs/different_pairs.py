"""`DifferentPairs`: the pairs of terms that were asserted to be different (owl:differentFrom) and are equal.

The engine derives one contradiction for all terms of a clique: their representative is different from itself. But users
assert pairs of terms, so the pairs are reported. Cost: one pass over the asserted triples. If the graph works without
representatives, also one pass over all triples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.state import SavedState
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import OWL_DIFFERENT_FROM
from kgreason.zset.columns import Int32

Pair = tuple[str, str]


class DifferentPairs:
    """The pairs of terms that are equal in a state of the graph and were asserted to be different."""

    def __init__(self, saved: SavedState, dictionary: Dictionary) -> None:
        self._saved, self._dictionary = saved, dictionary
        (predicate,) = dictionary.find([OWL_DIFFERENT_FROM]).tolist()
        asserted = saved.facts(True)
        pairs = asserted[asserted[:, 1] == predicate][:, [0, 2]]
        links = np.empty((0, 2), dtype=np.int32)
        if not saved.rep:
            facts = saved.facts()
            links = np.ascontiguousarray(facts[facts[:, 1] == SAME_AS][:, [0, 2]])
        self._first = np.arange(len(dictionary) + 1, dtype=np.int32)
        np.minimum.at(self._first, links[:, 0], links[:, 1])
        pairs = pairs[(pairs[:, 0] != pairs[:, 1]) & self._are_equal(pairs, links)]
        self._found: dict[int, list[Pair]] = {}
        texts = iter(dictionary.decode(pairs.ravel()))
        told: set[frozenset[str]] = set()
        for place, x, y in sorted(zip(self._class_of(pairs[:, 0]).tolist(), texts, texts, strict=True)):
            if frozenset((x, y)) not in told:
                told.add(frozenset((x, y)))
                self._found.setdefault(place, []).append((x, y))

    def pairs(self, term: str) -> list[Pair] | None:
        """Return the pairs whose two terms are both equal to `term`, or None if there are no such pairs.

        Each pair is returned once: a second call with `term`, or with an equal term, returns an empty list.
        """
        (place,) = self._class_of(self._dictionary.find([term]).astype(np.int32)).tolist()
        pairs = self._found.get(place)
        self._found[place] = []
        return pairs

    def _are_equal(self, pairs: Int32, links: Int32) -> NDArray[np.bool_]:
        """Return, for each of `pairs` (int32[n, 2]), whether its two terms are equal: bool[n].

        If the graph works without representatives, `links` (int32[m, 2]) has all pairs of equal terms.
        """
        if self._saved.rep:
            left, right = self._saved.in_primaries(pairs).T
            equal: NDArray[np.bool_] = left == right
            return equal
        one, other = (rows[:, 0].astype(np.int64) << 32 | rows[:, 1] for rows in (pairs, links))
        found: NDArray[np.bool_] = np.isin(one, other)
        return found

    def _class_of(self, ids: Int32) -> Int32:
        """Return a number for each term of `ids` (int32[n]): int32[n]. Equal terms have the same number."""
        return self._saved.in_primaries(ids) if self._saved.rep else self._first[ids]
