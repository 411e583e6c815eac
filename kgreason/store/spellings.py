"""Which terms the store cannot tell apart.

Oxigraph normalises literals: `"01"` and `"1"` of type xsd:integer become one row, so do `1.50` and `1.5`, `PT24H` and
`P1D`, and `"300"^^xsd:byte` becomes the xsd:integer 300. So a row of the store is the *image* of one or more facts,
and goes with the last of them. Oxigraph itself says what the image of a literal is: it is stored and read back.

Law: two terms are alike exactly if a row with one as its object is the same row of the store as with the other.

Cost: a few microseconds for each literal with a datatype, once, when `Images` is first asked after the dictionary got
it; nothing for other terms. Only literals that are not their own image are remembered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pyoxigraph import DefaultGraph, RdfFormat, Store, parse

from kgreason.terms.dictionary import Dictionary, Ids, Kind

_CHUNK = 30_000
_FEW = 1_000


def stored(texts: Sequence[str]) -> list[str]:
    """The image of each term: its text as Oxigraph gives it back."""
    store, lines = Store(), "".join(f"<row:{i}> <row:> {text} .\n" for i, text in enumerate(texts))
    store.bulk_extend(parse(lines.encode(), RdfFormat.N_TRIPLES, lenient=True))
    images = [""] * len(texts)
    for line in (store.dump(format=RdfFormat.N_TRIPLES, from_graph=DefaultGraph()) or b"").split(b"\n")[:-1]:
        row, _, text = line.decode().split(" ", 2)
        images[int(row[5:-1])] = text[:-2]
    return images


class Images:
    """The terms of a dictionary that have more than one spelling in it, as the store sees them.

    It follows the dictionary as that grows; after a `truncate` that took away terms it has seen, make a new one.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._seen = 0
        self._written: defaultdict[str, list[int]] = defaultdict(list)  # an image -> other spellings of it
        self._alike: dict[int, list[int]] = {}

    def spellings(self, term: int) -> list[int]:
        """The ids of all terms that the store cannot tell from this one, itself included."""
        self._catch_up()
        return self._alike.get(term, [term])

    def shared(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """Whether a term has other spellings: bool[n]."""
        self._catch_up()
        if len(ids) < _FEW:
            return np.array([number in self._alike for number in ids.tolist()], dtype=np.bool_)
        return np.isin(ids, np.fromiter(self._alike, np.int32, len(self._alike)))

    def forms(self, images: Sequence[str]) -> list[list[int]]:
        """For each image, as the store shows it, the ids of the terms that are stored as this."""
        self._catch_up()
        as_shown = self._dictionary.find(images).tolist()
        return [
            [*([number] if number else ()), *self._written.get(image, ())]
            for image, number in zip(images, as_shown, strict=True)
        ]

    def _catch_up(self) -> None:
        if self._seen == len(self._dictionary):
            return
        for first in range(self._seen + 1, len(self._dictionary) + 1, _CHUNK):
            self._look_at(np.arange(first, min(first + _CHUNK, len(self._dictionary) + 1)))
        self._seen = len(self._dictionary)
        groups = list(self._written.values())
        for canonical, others in zip(self._dictionary.find(self._written).tolist(), groups, strict=True):
            alike = [canonical, *others] if canonical else others
            if len(alike) > 1:
                self._alike.update(dict.fromkeys(alike, alike))

    def _look_at(self, ids: npt.NDArray[np.int64]) -> None:
        """Note the terms among these that are not their own image."""
        ids = ids[np.isin(self._dictionary.kinds(ids), [Kind.LITERAL, Kind.TRIPLE])]
        typed = [
            (i, text) for i, text in zip(ids.tolist(), self._dictionary.decode(ids), strict=True) if '"^^<' in text
        ]
        for (i, text), image in zip(typed, stored([text for _, text in typed]), strict=True):
            if image != text:
                self._written[image].append(i)
