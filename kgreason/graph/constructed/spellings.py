"""`of_engine`, `OfState`: how a graph writes the triples that a query has constructed.

    Oxigraph's triple    :b :n 7
    written              :b :n "07"^^xsd:int

Law: a triple of the graph is given in the spellings in which it is asserted. If it is only inferred, it is given in all
spellings that users see. A triple that the graph does not have is given in none (`renamed` looks for it elsewhere).

Cost: with the engine, some microseconds for each literal with another spelling; at the first question also some for
each literal of the dictionary that has a datatype. Without the engine, a look at the subject of each fact for each
batch of triples, in NumPy; if terms have representatives, all triples are listed once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Triple

from kgreason.engine.records import fact_columns
from kgreason.graph.input.terms import term_of, text_of
from kgreason.materialize.literals.visible import without_others
from kgreason.materialize.state import Saved
from kgreason.store.spellings import stored, varies
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

if TYPE_CHECKING:  # reading a store does not need the engine
    from kgreason.graph.state.running import Running
    from kgreason.store.journal.record import Record

_PART = 1 << 20
"""So many facts are looked at together."""
_LITERAL = re.compile(r'^(\S+) (\S+) ("(?:[^"\\]|\\.)*"(?:\^\^<[^>]*>|@[\w-]+)?|<<\(.*\)>>) ', re.MULTILINE)
"""The triple of a line of a record whose object is a literal or a triple term."""
_NO_ROWS = np.empty((0, 3), dtype=np.int32)


def of_engine(state: Running, triples: Sequence[Triple]) -> list[list[Triple]]:
    """Return for each of `triples` what the graph has in its place. The caller has the graph's lock."""
    from kgreason.graph.sparql_update.as_written import others

    forms = others(state, (triple.object for triple in triples))
    asked = [forms.get(text_of(triple.object), []) for triple in triples]
    if not any(asked):
        return [[triple] for triple in triples]
    dictionary, counts = state.materializer.dictionary, list(map(len, asked))
    owners = np.repeat(np.arange(len(triples)), counts)
    objects = np.fromiter(chain.from_iterable(asked), np.int32)
    texts = chain.from_iterable((text_of(triple.subject), text_of(triple.predicate)) for triple in triples)
    ends = dictionary.find(texts).astype(np.int32).reshape(-1, 2)
    rows = np.column_stack([np.repeat(ends, counts, axis=0), objects])
    is_known = rows.all(axis=1)
    owners, rows = owners[is_known], np.ascontiguousarray(rows[is_known])
    found = _Found()
    for kind in (state.materializer.shows(rows), state.materializer.engine.facts.are_asserted(rows)):
        found.note(zip(owners[kind].tolist(), dictionary.decode(rows[kind, 2]), strict=True))
    return found.triples(triples)


class OfState:
    """Spells triples from the saved state of a graph, without the engine. Any thread may ask.

    With the `records` of the commits after the saved state, triples that these commits assert are spelled as well. A
    triple that is only inferred since then stays as Oxigraph gives it.
    """

    def __init__(
        self, commit: int, saved: Saved | None, dictionary: Dictionary, records: Iterable[Record] = ()
    ) -> None:
        """The state `saved` and the `records` end with the commit `commit`. Without `saved` the state is empty."""
        self.commit, self._saved, self._dictionary = commit, saved, dictionary
        self._pairs = saved.spellings() if saved else _NO_ROWS
        # Facts have representatives in place of equal terms. So the triples that users see are listed, once.
        self._shown = saved.triples(dictionary) if saved and len(saved.represented()) else None
        self._changes = _changes(records)

    def spell(self, triples: Sequence[Triple]) -> list[list[Triple]]:
        """Return for each of `triples` what the graph has in its place."""
        askers = defaultdict[tuple[str, str], list[int]](list)
        for place, (subject, predicate, _) in enumerate(triples):
            askers[text_of(subject), text_of(predicate)].append(place)
        shown, asserted = (self._spellings(rows) for rows in self._rows(list(askers)))
        for ends in askers:
            for text, is_added in self._changes.get(ends, {}).items():
                (asserted[ends].add if is_added else asserted[ends].discard)(text)
        texts = list({text for found in (*shown.values(), *asserted.values()) for text in found})
        forms = dict(zip(texts, stored(texts), strict=True))
        found = _Found()
        for spellings in (shown, asserted):
            pairs = ((place, text) for ends, some in spellings.items() for text in some for place in askers[ends])
            found.note((place, text) for place, text in pairs if forms[text] == text_of(triples[place].object))
        return found.triples(triples)

    def _rows(self, ends: Sequence[tuple[str, str]]) -> tuple[Int32, Int32]:
        """Return the triples with these subjects and predicates that users see, int32[n, 3], and the asserted ones."""
        if self._saved is None:
            return _NO_ROWS, _NO_ROWS
        keys = self._dictionary.find(chain.from_iterable(ends)).astype(np.int32).reshape(-1, 2)
        keys = keys[keys.all(axis=1)]
        wanted = np.zeros(len(self._dictionary) + 1, dtype=np.bool_)
        wanted[keys[:, 0]] = True
        records = self._saved.records
        parts = (records[low : low + _PART] for low in range(0, len(records), _PART))
        some = [part[wanted[fact_columns(part)[:, 0]]] for part in parts]
        saved = self._saved._replace(records=np.concatenate([records[:0], *some]))
        asserted = saved.facts(True)
        if self._shown is not None:
            shown = self._shown[wanted[self._shown[:, 0]]]
        else:
            shown = without_others(self._dictionary, saved.facts(), asserted, self._pairs)
        return shown[np.isin(_keys(shown), _keys(keys))], asserted[np.isin(_keys(asserted), _keys(keys))]

    def _spellings(self, rows: Int32) -> defaultdict[tuple[str, str], set[str]]:
        """Return the objects of the triples `rows` that may have several spellings, by subject and predicate."""
        objects, places = np.unique(rows[:, 2], return_inverse=True)
        vary = np.fromiter(map(varies, self._dictionary.decode(objects)), np.bool_, len(objects))
        texts = self._dictionary.decode(rows[vary[places]].ravel())
        found = defaultdict[tuple[str, str], set[str]](set)
        for subject, predicate, text in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
            found[subject, predicate].add(text)
        return found


def _changes(records: Iterable[Record]) -> dict[tuple[str, str], dict[str, bool]]:
    """Return the objects that commits asserted (True) or retracted last, by subject and predicate.

    Only objects that may have several spellings are there.
    """
    found = defaultdict[tuple[str, str], dict[str, bool]](dict)
    for record in records:
        for lines, is_added in ((record.removed, False), (record.added, True)):
            for subject, predicate, text in _LITERAL.findall(lines.decode()):
                if varies(text):
                    found[subject, predicate][text] = is_added
    return dict(found)


class _Found:
    """Collects the spellings of the objects of some triples, which are numbered."""

    def __init__(self) -> None:
        self._texts: dict[int, list[str]] = {}

    def note(self, pairs: Iterable[tuple[int, str]]) -> None:
        """Note the spellings of triples, as pairs of the number of a triple and a spelling of its object.

        They take the place of those that were noted before.
        """
        texts = defaultdict[int, list[str]](list)
        for place, text in pairs:
            texts[place].append(text)
        self._texts |= texts

    def triples(self, triples: Sequence[Triple]) -> list[list[Triple]]:
        """Return each of `triples` in its spellings, in the order of their texts."""
        terms = {text: term_of(text) for texts in self._texts.values() for text in texts}
        found = [list[Triple]() for _ in triples]
        for place, texts in self._texts.items():
            subject, predicate, _ = triples[place]
            found[place] = [Triple(subject, predicate, terms[text]) for text in sorted(texts)]
        return found


def _keys(rows: Int32) -> NDArray[np.int64]:
    """Return a number for the subject and the predicate of each row: int64[n]."""
    found: NDArray[np.int64] = rows[:, 0].astype(np.int64) << 32 | rows[:, 1]
    return found
