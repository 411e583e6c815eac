"""`spell_in_engine`: how a graph writes the triples that a query has constructed, as its engine tells.

    Oxigraph's triple    :b :n 7
    written              :b :n "07"^^xsd:int

Law: a triple of the graph is given in the spellings in which it is asserted. If it is only inferred, it is given in all
spellings that users see. A triple of a named graph is given in the spellings in which this graph asserts it. A triple
that the graph does not have is given in none (`query_speller` looks for it elsewhere).

Cost: some microseconds for each literal with another spelling; at the first question also some for each literal of the
dictionary that has a datatype.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Triple

from kgreason.graph.input.terms import term_of, text_of
from kgreason.zset.columns import Int32

if TYPE_CHECKING:  # reading a store does not need the engine
    from kgreason.graph.state.running import Running


def respell(triple: Triple, text: str, texts: Iterable[str]) -> list[Triple]:
    """Return a triple with each of `texts` as its object, in their order. `text` is the object that it has."""
    ordered = sorted(texts)
    return [triple if each == text else Triple(triple.subject, triple.predicate, term_of(each)) for each in ordered]


def spell_in_engine(state: Running, triples: Sequence[Triple], graph: str | None = None) -> list[list[Triple]]:
    """Return for each of `triples` what the closure, or a named `graph`, has in its place.

    The caller has the graph's lock.
    """
    from kgreason.graph.sparql_update.solution_speller import other_spellings

    forms = other_spellings(state, (triple.object for triple in triples))
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
    found: dict[int, list[str]] = {}
    for kind in _kinds(state, rows, graph):
        some = defaultdict[int, list[str]](list)
        for owner, text in zip(owners[kind].tolist(), dictionary.decode(rows[kind, 2]), strict=True):
            some[owner].append(text)
        found |= some
    return [
        respell(triple, text_of(triple.object), found.get(place, ()))
        if asked[place]
        else [triple]  # no other spelling is known
        for place, triple in enumerate(triples)
    ]


def _kinds(state: Running, rows: Int32, graph: str | None) -> list[NDArray[np.bool_]]:
    """Return which of the `rows` are there: bool[n]. Later ones go before."""
    materializer = state.materializer
    if graph is None:
        return [materializer.are_shown(rows), materializer.engine.facts.are_asserted(rows)]
    [name] = materializer.dictionary.find([graph]).tolist()
    if not name or not materializer.quads.is_explicit:
        return []
    quads = np.column_stack([rows, np.full(len(rows), name, np.int32)])
    return [materializer.quads.holds(np.ascontiguousarray(quads))]
