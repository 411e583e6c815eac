"""`of_engine`, `OfState`: how a graph writes the triples that a query has constructed.

    Oxigraph's triple    :b :n 7
    written              :b :n "07"^^xsd:int

Law: a triple of the graph is given in the spellings in which it is asserted. If it is only inferred, it is given in all
spellings that users see. A triple that the graph does not have stays as Oxigraph gives it. The values are those of
Oxigraph in each case.

Cost: with the engine, some microseconds for each literal with another spelling; at the first question also some for
each literal of the dictionary that has a datatype. Without the engine, a look at the subject of each fact for each
batch of triples, in NumPy; if terms have representatives, all triples are listed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Triple

from kgreason.engine.memory.layout import FIRST, Int32
from kgreason.graph.input.terms import term_of, text_of
from kgreason.materialize.literals.visible import without_others
from kgreason.materialize.state import Saved
from kgreason.store.spellings import stored, varies
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.order import distinct

if TYPE_CHECKING:  # reading a store does not need the engine
    from kgreason.graph.commits import LiveGraph

_PART = 1 << 20
"""So many facts are looked at together."""


def of_engine(live: LiveGraph, triples: Sequence[Triple]) -> list[list[Triple]]:
    """Return for each of `triples` what the graph has in its place. The caller has the graph's lock."""
    from kgreason.graph.sparql_update.as_written import others

    forms = others(live, (triple.object for triple in triples))
    asked = [forms.get(text_of(triple.object), []) for triple in triples]
    if not any(asked):
        return [[triple] for triple in triples]
    dictionary, counts = live.materializer.dictionary, list(map(len, asked))
    owners = np.repeat(np.arange(len(triples)), counts)
    objects = np.fromiter(chain.from_iterable(asked), np.int32)
    rows = np.column_stack([np.repeat(_ends(dictionary, triples), counts, axis=0), objects])
    is_known = rows.all(axis=1)
    owners, rows = owners[is_known], np.ascontiguousarray(rows[is_known])
    found = _Found(dictionary)
    for kind in (live.materializer.shows(rows), live.materializer.engine.circuit.facts.is_asserted_fact(rows)):
        found.note(zip(owners[kind].tolist(), rows[kind, 2].tolist(), strict=True))
    return found.triples(triples)


class OfState:
    """Spells triples from the saved state of a graph, without the engine. Any thread may ask."""

    def __init__(self, commit: int, saved: Saved, dictionary: Dictionary) -> None:
        """The state is that after the commit `commit`."""
        self.commit, self._saved, self._dictionary = commit, saved, dictionary
        self._pairs = saved.spellings()
        # Facts have representatives in place of equal terms. So the triples that users see are listed, once.
        self._shown = saved.triples(dictionary) if len(saved.represented()) else None

    def spell(self, triples: Sequence[Triple]) -> list[list[Triple]]:
        """Return for each of `triples` what the graph has in its place."""
        ends = _ends(self._dictionary, triples)
        shown, asserted = (self._typed(rows, _keys(ends)) for rows in self._rows(ends[:, 0]))
        askers = defaultdict[tuple[int, str], list[int]](list)
        for place, (key, triple) in enumerate(zip(_keys(ends).tolist(), triples, strict=True)):
            askers[key, text_of(triple.object)].append(place)
        texts = self._dictionary.decode(objects := distinct(np.concatenate([shown[:, 2], asserted[:, 2]])))
        forms = dict(zip(objects.tolist(), stored(texts), strict=True))
        found = _Found(self._dictionary)
        for rows in (shown, asserted):
            pairs = zip(_keys(rows).tolist(), rows[:, 2].tolist(), strict=True)
            found.note((place, number) for key, number in pairs for place in askers.get((key, forms[number]), ()))
        return found.triples(triples)

    def _rows(self, subjects: Int32) -> tuple[Int32, Int32]:
        """Return the triples with these subjects that users see, int32[n, 3], and those that are asserted."""
        wanted = np.zeros(len(self._dictionary) + 1, dtype=np.bool_)
        wanted[subjects] = True
        wanted[0] = False
        records = self._saved.records
        parts = (records[low : low + _PART] for low in range(0, len(records), _PART))
        some = [part[wanted[part[:, FIRST]]] for part in parts]
        saved = self._saved._replace(records=np.concatenate([records[:0], *some]))
        asserted = saved.facts(True)
        if self._shown is not None:
            return self._shown[wanted[self._shown[:, 0]]], asserted
        shown = saved.facts()
        if len(self._pairs):
            shown = without_others(self._dictionary, shown, asserted, self._pairs)
        return shown, asserted

    def _typed(self, rows: Int32, keys: NDArray[np.int64]) -> Int32:
        """Return those of the triples `rows` whose keys are among `keys`, and whose object may have spellings."""
        rows = rows[np.isin(_keys(rows), keys)]
        objects, places = np.unique(rows[:, 2], return_inverse=True)
        vary = np.fromiter(map(varies, self._dictionary.decode(objects)), np.bool_, len(objects))
        return rows[vary[places]]


class _Found:
    """Collects the spellings of the objects of some triples, which are numbered."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._numbers: dict[int, list[int]] = {}

    def note(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Note the spellings of triples, as pairs of the number of a triple and the id of its object.

        They take the place of those that were noted before.
        """
        numbers = defaultdict[int, list[int]](list)
        for place, number in pairs:
            numbers[place].append(number)
        self._numbers |= numbers

    def triples(self, triples: Sequence[Triple]) -> list[list[Triple]]:
        """Return each of `triples` in its spellings, in the order of their texts; unchanged if it has none."""
        ids = sorted({number for numbers in self._numbers.values() for number in numbers})
        texts = dict(zip(ids, self._dictionary.decode(ids), strict=True))
        terms = {text: term_of(text) for text in texts.values()}
        found = [[triple] for triple in triples]
        for place, numbers in self._numbers.items():
            subject, predicate, _ = triples[place]
            found[place] = [Triple(subject, predicate, terms[text]) for text in sorted(map(texts.__getitem__, numbers))]
        return found


def _ends(dictionary: Dictionary, triples: Sequence[Triple]) -> Int32:
    """Return the ids of the subjects and predicates, int32[n, 2]; 0 for a term that the dictionary does not have."""
    texts = chain.from_iterable((text_of(triple.subject), text_of(triple.predicate)) for triple in triples)
    return dictionary.find(texts).astype(np.int32).reshape(-1, 2)


def _keys(rows: Int32) -> NDArray[np.int64]:
    """Return a number for the subject and the predicate of each row: int64[n]."""
    found: NDArray[np.int64] = rows[:, 0].astype(np.int64) << 32 | rows[:, 1]
    return found
