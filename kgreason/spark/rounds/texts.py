"""`PartTexts`: the terms whose texts a part knows. Their ids were given elsewhere.

    learn      ids with their texts, which the driver has looked up
    intern     a new text gets an id of this part, above all others; the driver numbers it (`new`)

An engine in a part has ids alone. Its operators need some texts: those of the inputs of expressions, and of the terms
that are aggregated. So a part asks for these (`unknown`), and for no others.

Law: for terms that are known here, all methods give what a `Dictionary` with all terms gives. Cost: a binary search for
each id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from kgreason.terms.dictionary import MAX_ID, Dictionary, Ids
from kgreason.terms.interning import Table
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.columns import Int32

UNKNOWN = "\x01term number "
"""`decode` returns this and the id for a term whose text is not known here. Text of users hardly has its first sign."""


class PartTexts(Dictionary):
    """A dictionary with ids from elsewhere. It has the methods that operators call.

    It has no arrays of its own, so that any other method of a dictionary fails, and reads no wrong term.
    """

    def __init__(self, terms: Mapping[int, str]) -> None:
        self._inner = Dictionary(())
        self._outer = np.zeros(1, dtype=np.int32)
        """For each id of `_inner` the id from elsewhere, or 0 if the term is new."""
        self._order = np.zeros(1, dtype=np.int64)
        """The ids of `_inner` in the order of the ids from elsewhere."""
        self.learn(range(1, len(VOCABULARY) + 1), VOCABULARY)
        self.learn(terms.keys(), terms.values())

    def __len__(self) -> int:
        """Return the number of terms that are known here."""
        return len(self._inner)

    def learn(self, ids: Iterable[int], texts: Iterable[str]) -> None:
        """Take over terms with their ids."""
        inner = self._inner.intern(texts)
        self._reserve()
        self._outer[inner] = np.fromiter(ids, dtype=np.int32)
        self._order = np.argsort(self._outer, kind="stable")

    def unknown(self, ids: Int32) -> Int32:
        """Return those of some ids whose texts are not known here, each once."""
        different = np.unique(ids[ids > 0])
        found: Int32 = different[self._inside(different) == 0]
        return found

    def new(self, ids: Int32) -> npt.NDArray[np.bool_]:
        """Return for each id whether it is one of this part, for a new term: bool[n]."""
        return np.asarray(ids > MAX_ID - len(self._outer))

    def intern(self, texts: Iterable[str]) -> Ids:
        """See `Dictionary.intern`. A text that is not known here gets an id of this part."""
        return self._outside(self._inner.intern(texts))

    def find(self, texts: Iterable[str]) -> Ids:
        """See `Dictionary.find`."""
        return self._outside(self._inner.find(texts))

    def decode(self, ids: npt.ArrayLike) -> list[str]:
        """See `Dictionary.decode`. For a term whose text is not known here, the text is `UNKNOWN` and the id."""
        numbers = np.asarray(ids, np.int64)
        texts = self._inner.decode(self._inside(numbers))
        return [
            text if text or not number else f"{UNKNOWN}{number}" for text, number in zip(texts, numbers, strict=True)
        ]

    def first_terms(self, ids: Ids, groups: npt.NDArray[np.int64]) -> Ids:
        """See `Dictionary.first_terms`."""
        return self._outside(self._inner.first_terms(self._inside(ids), groups))

    def kinds(self, ids: npt.ArrayLike) -> npt.NDArray[np.uint8]:
        """See `Dictionary.kinds`."""
        return self._inner.kinds(self._inside(np.asarray(ids)))

    def typed_lengths(self, ids: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """See `Dictionary.typed_lengths`."""
        return self._inner.typed_lengths(self._inside(np.asarray(ids)))

    def table_of(self, ids: Ids) -> tuple[Table, Ids]:
        """See `Dictionary.table_of`."""
        return self._inner.table(), self._inside(ids)

    def _reserve(self) -> None:
        missing = len(self._inner) + 1 - len(self._outer)
        self._outer = np.concatenate([self._outer, np.zeros(missing, dtype=np.int32)])

    def _outside(self, inner: Ids) -> Ids:
        self._reserve()
        outer = self._outer[inner]
        return np.where((outer == 0) & (inner > 0), MAX_ID - inner, outer).astype(np.int32)

    def _inside(self, ids: npt.NDArray[np.integer]) -> Ids:
        """Return the ids of `_inner`; 0 for terms that are not known here."""
        known = self._outer[self._order]
        places = np.minimum(np.searchsorted(known, ids), len(known) - 1)
        found = np.where((known[places] == ids) & (ids > 0), self._order[places], 0)
        return np.where(ids > MAX_ID - len(self._outer), MAX_ID - ids, found).astype(np.int32)
