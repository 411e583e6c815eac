"""`StateSpeller`: how a graph writes triples, from its saved state, without the engine. See `spellings` for the law.

The spellings of all objects of one subject and predicate are a *group*: normal form -> spellings. A batch of triples
reads the groups that it needs. Groups with many objects are kept for the next batches, so that the objects of a hub are
read once.

Cost: some microseconds for each literal of a group; see `keyed_rows` for finding the rows. If terms have
representatives, all triples are listed once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Triple

from kgreason.engine.records import fact_columns
from kgreason.graph.constructed.keyed_rows import KeyedRows, keys_of
from kgreason.graph.constructed.spellings import respell
from kgreason.graph.input.terms import text_of
from kgreason.materialize.literals.visible_triples import visible_rows
from kgreason.materialize.same_as.images import rows_without
from kgreason.materialize.state import SavedState
from kgreason.store.spellings import may_have_spellings, normal_forms
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

if TYPE_CHECKING:
    from kgreason.store.journal.record import Record

_Check: TypeAlias = Callable[[], None]
_Ends: TypeAlias = tuple[str, str]
"""Subject and predicate as text."""
_Group: TypeAlias = Mapping[str, Collection[str]]

_CHUNK = 10_000
"""So many literals are looked at together."""
_SMALL = 8
"""A group with at most so many objects is read again when it is needed again."""
_MOST = 200_000
"""When the kept groups have more objects than this, all are forgotten except those of the present batch."""
_LITERAL = re.compile(
    r'^(\S+) (\S+) ("(?:[^"\\]|\\.)*"(?:\^\^<[^>]*>|@[\w-]+)?|<<\(.*\)>>) (?:(\S+) )?\.$', re.MULTILINE
)
"""The quad of a line of a record whose object is a literal or a triple term."""


class StateSpeller:
    """Spells triples from the saved state of a graph. Nothing of it changes later. Any thread may ask.

    With the `records` of the commits after the saved state, triples that these commits assert are spelled as well. A
    triple that is only inferred since then stays as Oxigraph gives it.
    """

    def __init__(
        self, commit: int, saved: SavedState | None, dictionary: Dictionary, records: Iterable[Record] = ()
    ) -> None:
        """The state `saved` and the `records` end with the commit `commit`. Without `saved` the state is empty."""
        self.commit, self._saved, self._dictionary = commit, saved, dictionary
        self._changes = _last_edits(records)
        self._kept: dict[tuple[str | None, _Ends], _Group] = {}
        self._size = 0

    def spell(
        self, triples: Sequence[Triple], graph: str | None = None, check: _Check = lambda: None
    ) -> list[list[Triple]]:
        """Return for each of `triples` what the closure, or a named `graph`, has in its place.

        `check` is called several times a second, and may raise.
        """
        ends = [(text_of(triple.subject), text_of(triple.predicate)) for triple in triples]
        groups = self._groups(dict.fromkeys(ends), graph, check)
        return [
            respell(triple, text, groups[each].get(text, ()))
            for triple, each, text in zip(triples, ends, (text_of(triple.object) for triple in triples), strict=True)
        ]

    def _groups(self, ends: Iterable[_Ends], graph: str | None, check: _Check) -> dict[_Ends, _Group]:
        kept = self._kept
        found = {each: kept[graph, each] for each in ends if (graph, each) in kept}
        read = self._read_groups([each for each in ends if each not in found], graph, check)
        found |= read
        large = {(graph, each): group for each, group in read.items() if len(group) > _SMALL}
        self._size += sum(map(len, large.values()))
        if self._size > _MOST:
            large |= {(graph, each): group for each, group in found.items() if len(group) > _SMALL}
            self._kept, self._size = large, sum(map(len, large.values()))
        else:
            kept.update(large)
        return found

    def _read_groups(self, ends: Sequence[_Ends], graph: str | None, check: _Check) -> dict[_Ends, _Group]:
        """Read the groups of some subjects and predicates."""
        check()
        ids = self._dictionary.find(chain.from_iterable(ends)).astype(np.int32).reshape(-1, 2)
        keys = keys_of(ids[:, 0], ids[:, 1])
        names = dict(zip(keys.tolist(), ends, strict=True))
        shown, quads = self._rows(np.unique(keys[ids.all(axis=1)]), graph, check)
        if not self._changes:  # an asserted triple is given as such
            shown = rows_without(shown[:, :3], np.ascontiguousarray(quads[:, :3]))
        inferred = [(names[key], text) for key, text, _ in self._literals(shown, check)]
        asserted = list(self._asserted_objects(ends, names, quads, graph, check))
        forms = _forms({text for _, text in chain(inferred, asserted)}, check)
        before, found = _texts_by_form(inferred, forms), _texts_by_form(asserted, forms)
        for each, group in before.items():
            found[each] = group | found.get(each, {})  # asserted spellings go before inferred ones
        return {each: found.get(each, {}) for each in ends}

    def _asserted_objects(
        self, ends: Iterable[_Ends], names: Mapping[int, _Ends], quads: Int32, graph: str | None, check: _Check
    ) -> Iterator[tuple[_Ends, str]]:
        """Yield the objects that are asserted for some subjects and predicates, after the last commits.

        `quads` are those of the saved state, and `names` the subject and predicate of each key in `quads`.
        """
        changed = {each: set[tuple[str, str]]() for each in ends if each in self._changes}
        for key, text, name in self._literals(quads, check):
            each = names[key]
            if each in changed:
                changed[each].add((text, name))
            elif graph in (None, name):
                yield each, text
        for each, pairs in changed.items():
            for pair, is_added in self._changes[each].items():
                (pairs.add if is_added else pairs.discard)(pair)
            yield from ((each, text) for text, name in pairs if graph in (None, name))

    def _rows(self, keys: NDArray[np.int64], graph: str | None, check: _Check) -> tuple[Int32, Int32]:
        """Return the triples that users see, int32[n, 3], and the asserted quads, int32[m, 4].

        The triples are not needed for a named graph, which has nothing inferred.
        """
        saved, nothing = self._saved, np.empty((0, 4), dtype=np.int32)
        if saved is None:
            return nothing, nothing
        quads = nothing if self._quads is None else self._quads.rows_with(keys, check)
        if graph is not None:
            return nothing, quads
        if self._visible_triples is not None and self._quads is not None:
            return self._visible_triples.rows_with(keys, check), quads
        some = saved._replace(records=self._facts.rows_with(keys, check))
        asserted = some.facts(True)
        if self._quads is None:
            quads = np.column_stack([asserted, np.zeros(len(asserted), np.int32)])
        if self._visible_triples is not None:
            return self._visible_triples.rows_with(keys, check), quads
        return visible_rows(self._dictionary, some.facts(), asserted, self._spelling_pairs), quads

    @cached_property
    def _spelling_pairs(self) -> Int32:
        assert self._saved
        return self._saved.spellings()

    @cached_property
    def _facts(self) -> KeyedRows:
        assert self._saved
        records = self._saved.records
        return KeyedRows(records, records.shape[1] - fact_columns(records).shape[1], self._dictionary)

    @cached_property
    def _quads(self) -> KeyedRows | None:
        """The asserted quads; None if all are in the default graph."""
        assert self._saved
        quads = self._saved.quads
        return None if quads is None else KeyedRows(quads, 0, self._dictionary)

    @cached_property
    def _visible_triples(self) -> KeyedRows | None:
        """The triples that users see, if facts have representatives in place of equal terms."""
        assert self._saved
        if not len(self._saved.representative_rows()):
            return None
        return KeyedRows(self._saved.triples(self._dictionary), 0, self._dictionary)

    def _literals(self, rows: Int32, check: _Check) -> Iterator[tuple[int, str, str]]:
        """Yield key, object and graph of those `rows` whose object may have several spellings."""
        for low in range(0, len(rows), _CHUNK):
            check()
            part = rows[low : low + _CHUNK]
            objects, places = np.unique(part[:, 2], return_inverse=True)
            texts = [text if may_have_spellings(text) else "" for text in self._dictionary.decode(objects)]
            keys = keys_of(part[:, 0], part[:, 1]).tolist()
            names = self._dictionary.decode(part[:, 3]) if part.shape[1] > 3 and part[:, 3].any() else [""] * len(part)
            for key, place, name in zip(keys, places.ravel().tolist(), names, strict=True):
                if text := texts[place]:
                    yield key, text, name


def _forms(texts: Iterable[str], check: _Check) -> dict[str, str]:
    """Return the normal form of each of the `texts`."""
    some, forms = list(texts), dict[str, str]()
    for low in range(0, len(some), _CHUNK):
        check()
        part = some[low : low + _CHUNK]
        forms.update(zip(part, normal_forms(part), strict=True))
    return forms


def _texts_by_form(
    pairs: Iterable[tuple[_Ends, str]], forms: Mapping[str, str]
) -> dict[_Ends, dict[str, dict[str, None]]]:
    """Return the texts of each subject and predicate by their normal forms. Several graphs may assert a text."""
    found = dict[_Ends, dict[str, dict[str, None]]]()
    for ends, text in pairs:
        found.setdefault(ends, {}).setdefault(forms[text], {})[text] = None
    return found


def _last_edits(records: Iterable[Record]) -> dict[_Ends, dict[tuple[str, str], bool]]:
    """Return the objects that commits asserted (True) or retracted last, with their graphs, by subject and predicate.

    Only objects that may have several spellings are there.
    """
    found = defaultdict[_Ends, dict[tuple[str, str], bool]](dict)
    for record in records:
        for lines, is_added in ((record.removed, False), (record.added, True)):
            for subject, predicate, text, name in _LITERAL.findall(lines.decode()):
                if may_have_spellings(text):
                    found[subject, predicate][text, name] = is_added
    return dict(found)
