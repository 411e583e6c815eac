"""`Spellings`: which terms of the dictionary Oxigraph cannot tell apart.

Oxigraph shows each literal in a *normal form*. `"01"` and `"1"` of type xsd:integer are two *spellings*, and Oxigraph
shows both as `"1"`. In the same way `1.50` is shown as `1.5`, `PT24H` as `P1D`, `"300"^^xsd:byte` as the xsd:integer
300, and `"colour"@en-GB` as `"colour"@en-gb`. So one row of the store stands for one or more facts. The row is removed
with the last of these facts. To find the normal form of a literal, kgreason stores the literal in Oxigraph and reads it
back.

Law: take two facts that differ only in their objects. Oxigraph has one row for both facts exactly if the two objects
have the same normal form.

Cost: a few microseconds for each literal with a datatype, or with a capital letter in its language tag. `Spellings`
pays it once, at the first question after the dictionary got the literal. Other terms cost nothing. Only literals that
differ from their normal form are remembered. If terms leave the dictionary, each of these literals is looked at,
without Oxigraph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
from pyoxigraph import DefaultGraph, RdfFormat, Store, parse

from kgreason.terms.dictionary import Dictionary, Ids, Kind

_CHUNK = 30_000
_FEW = 1_000


def normal_forms(texts: Sequence[str]) -> list[str]:
    """Return the normal form of each term: the text that Oxigraph returns for the term."""
    store, lines = Store(), "".join(f"<row:{i}> <row:> {text} .\n" for i, text in enumerate(texts))
    store.bulk_extend(parse(lines.encode(), RdfFormat.N_TRIPLES, lenient=True))
    normal = [""] * len(texts)
    for line in (store.dump(format=RdfFormat.N_TRIPLES, from_graph=DefaultGraph()) or b"").split(b"\n")[:-1]:
        row, _, text = line.decode().split(" ", 2)
        normal[int(row[5:-1])] = text[:-2]
    return normal


def may_have_spellings(text: str) -> bool:
    """Whether the term with this text may have several spellings.

    It may if it is or contains a literal with a datatype or a language tag.

    >>> [may_have_spellings(text) for text in ('"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"1"@en', '"1"')]
    [True, True, False]
    """
    return '"^^<' in text or '"@' in text


class SmallTags:
    """Says whether a dictionary never had a literal with a capital letter in its language tag.

    The caller of `read_new_terms` holds the lock of the dictionary. It looks before others see literals with the new
    terms. Cost:
    a look at each tag of a new term, until the first capital letter.
    """

    def __init__(self, dictionary: Dictionary, *, are_small: bool) -> None:
        """`are_small`: whether it is known that all tags of the dictionary are small."""
        self._dictionary = dictionary
        self._seen = len(dictionary) if are_small else 0
        self.are_all = are_small
        """Whether all tags are small, as of the last `read_new_terms`. Any thread may read this."""
        self._has_other = False
        dictionary.notify_of_truncation(self)

    def read_new_terms(self) -> None:
        """Look at the new terms."""
        known, self._seen = self._seen, len(self._dictionary)
        if not self._has_other:
            self._has_other = bool(len(self._dictionary.literals_with_capitals(known)))
            self.are_all = not self._has_other

    def forget(self, count: int) -> None:
        """Forget the terms with ids above `count`, but not that one of them had a capital letter."""
        self._seen = min(self._seen, count)


class Spellings:
    """Says which terms of a dictionary have the same normal form. It follows the dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._seen = 0
        self._is_grouped = True
        self._others: defaultdict[str, list[int]] = defaultdict(list)  # a normal form -> its other spellings
        self._alike: dict[int, list[int]] = {}
        dictionary.notify_of_truncation(self)

    def forget(self, count: int) -> None:
        """Forget the terms with ids above `count`."""
        self._is_grouped, self._seen = False, min(self._seen, count)
        kept = ((form, [term for term in others if term <= count]) for form, others in self._others.items())
        self._others = defaultdict(list, ((form, others) for form, others in kept if others))

    def of_term(self, term: int) -> list[int]:
        """Return the ids of all terms that have the normal form of this term, the term itself included."""
        self._catch_up()
        return self._alike.get(term, [term])

    def have_other_spellings(self, forms: Sequence[str]) -> list[bool]:
        """For each normal form in `forms`, whether the dictionary has the term in another spelling."""
        self._catch_up()
        return [form in self._others for form in forms]

    def are_shared(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """For each term, whether another term has the same normal form: bool[n]."""
        self._catch_up()
        if len(ids) < _FEW:
            return np.array([number in self._alike for number in ids.tolist()], dtype=np.bool_)
        return np.isin(ids, np.fromiter(self._alike, np.int32, len(self._alike)))

    def of_forms(self, forms: Sequence[str]) -> list[list[int]]:
        """For each normal form in `forms`, return the ids of all terms with this normal form.

        `forms` are texts of terms as Oxigraph shows them.
        """
        self._catch_up()
        ids = self._dictionary.find(forms).tolist()
        return [
            [*([number] if number else ()), *self._others.get(form, ())]
            for form, number in zip(forms, ids, strict=True)
        ]

    def _catch_up(self) -> None:
        if self._seen == len(self._dictionary) and self._is_grouped:
            return
        found = self._candidates()
        parts = [self._forms_of(found[first : first + _CHUNK]) for first in range(0, len(found), _CHUNK)]
        for form, term in chain.from_iterable(parts):
            self._others[form].append(term)
        self._seen, self._alike = len(self._dictionary), {}
        groups = list(self._others.values())
        for canonical, others in zip(self._dictionary.find(self._others).tolist(), groups, strict=True):
            alike = [canonical, *others] if canonical else others
            if len(alike) > 1:
                self._alike.update(dict.fromkeys(alike, alike))
        self._is_grouped = True

    def _candidates(self) -> Ids:
        ids = np.arange(self._seen + 1, len(self._dictionary) + 1, dtype=np.int32)
        literals = np.union1d(
            self._dictionary.typed_literals(self._seen), self._dictionary.literals_with_capitals(self._seen)
        )
        return np.union1d(literals, ids[self._dictionary.kinds(ids) == Kind.TRIPLE])

    def _forms_of(self, ids: Ids) -> list[tuple[str, int]]:
        """Return the normal form and the id of each of the terms `ids` that differs from its normal form."""
        typed = [
            (i, text)
            for i, text in zip(ids.tolist(), self._dictionary.decode(ids), strict=True)
            if may_have_spellings(text)
        ]
        forms = normal_forms([text for _, text in typed])
        return [(form, i) for (i, text), form in zip(typed, forms, strict=True) if form != text]
