"""`values_of`: computes the value of an aggregate for each group of terms.

    COUNT          the number of terms
    SAMPLE         the term whose text comes first
    SUM, MIN, ...  as in SPARQL, by Oxigraph; GROUP_CONCAT joins what STR returns for the terms
    others         what a Python function gives for the terms, in the order of their texts

Law: the value depends on the terms of the group alone, not on the order in which they came. A sum of doubles and
GROUP_CONCAT depend on the order, so the terms of a group are sorted by their texts before Oxigraph reads them. For MIN
and MAX, a blank node comes before every other term. SUM, AVG and GROUP_CONCAT of a blank node are errors, so they have
no value for a group with a blank node. Groups with numbers that are too long for Oxigraph are computed by
`exact_groups`, so that they are exact. Oxigraph returns literals in normal form: MAX of `"01"^^xsd:integer` is 1.

Cost: COUNT and SAMPLE are array operations; the other aggregates take 3 to 6 microseconds a term. A Python function
takes its own time, and a call for each group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import pyoxigraph as ox
from numpy.typing import NDArray

from kgreason.materialize.expressions.exact_groups import EXACT_FUNCTIONS, are_long_numbers, exact_value
from kgreason.materialize.operators.evaluation import text_of
from kgreason.rules.model import Aggregate
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.quoting import quote
from kgreason.terms.vocabulary import XSD_INTEGER
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct

_PIECE = 20_000
"""How many terms a query has, about."""
Numbers = NDArray[np.int64]
Call: TypeAlias = Callable[[int, Sequence[str]], str | None]
"""Gives the value of a group from its number and its terms."""


def values_of(
    aggregate: Aggregate,
    numbers: Numbers,
    terms: Int32,
    dictionary: Dictionary,
    check: Callable[[], object],
    call: Call | None = None,
) -> tuple[Numbers, Int32]:
    """Return the groups that have a value, int64[g], ascending, and the ids of their values, int32[g].

    `numbers`, int64[n]: the group of each term of `terms`, int32[n]. New values get ids of the dictionary. `check` is
    called from time to time, and may raise an error to stop the work. `call` computes an aggregate that is none of
    SPARQL's.
    """
    if aggregate.function == "COUNT":
        totals = np.bincount(numbers)
        groups = np.flatnonzero(totals)
        return groups, ids_of_counts(totals[groups], dictionary)
    groups, places = np.unique(numbers, return_inverse=True)
    if aggregate.function == "SAMPLE":
        return groups, dictionary.first_terms(np.ascontiguousarray(terms), places)
    if call is None:
        found = list(_values(aggregate, places, terms, dictionary, check))
    else:
        found = list(_values_by_call(groups, places, terms, dictionary, check, call))
    kept = np.array([place for place, _ in found], dtype=np.int64)
    ids = dictionary.intern([text for _, text in found]).astype(np.int32)
    order = np.argsort(kept)
    return groups[kept[order]], ids[order]


def ids_of_counts(numbers: Numbers, dictionary: Dictionary) -> Int32:
    """Return for each non-negative integer of `numbers`, int64[n], the id of its literal: int32[n]."""
    different, places = np.unique(numbers, return_inverse=True)
    ids: Int32 = dictionary.intern([f'"{number}"^^{XSD_INTEGER}' for number in different.tolist()]).astype(np.int32)
    return ids[places]


def _values_by_call(
    groups: Numbers,
    places: Numbers,
    terms: Int32,
    dictionary: Dictionary,
    check: Callable[[], object],
    call: Call,
) -> Iterator[tuple[int, str]]:
    """Compute an aggregate by `call`. Parameters and results are as for `_values`; `groups` are the groups' numbers."""
    ids, where = np.unique(terms, return_inverse=True)
    texts = dictionary.decode(ids)
    members: list[list[str]] = [[] for _ in groups]
    for place, term in zip(places.tolist(), where.tolist(), strict=True):
        members[place].append(texts[term])
    for place, (group, found) in enumerate(zip(groups.tolist(), members, strict=True)):
        check()
        if (value := call(group, sorted(found))) is not None:
            yield place, value


def _values(
    aggregate: Aggregate, places: Numbers, terms: Int32, dictionary: Dictionary, check: Callable[[], object]
) -> Iterator[tuple[int, str]]:
    """Compute the aggregate by Oxigraph. Yields the number of each group that has a value, and the text of the value.

    `places`: for each term of `terms` the number of its group.
    """
    ids, where = np.unique(terms, return_inverse=True)
    texts = dictionary.decode(ids)
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[np.array(sorted(range(len(ids)), key=texts.__getitem__), dtype=np.int64)] = np.arange(len(ids))
    order = np.lexsort([ranks[where], places])
    is_blank = np.array(["_:" in text and text.startswith(("_:", "<<(")) for text in texts], dtype=np.bool_)[where]
    blank = distinct(places[is_blank])
    if aggregate.function == "MIN":
        first = order[is_blank[order]]
        firsts = np.unique(places[first], return_index=True)[1]
        yield from ((int(places[row]), texts[where[row]]) for row in first[firsts])
    if aggregate.function == "MAX":
        only = np.setdiff1d(blank, places[~is_blank])
        last = order[is_blank[order] & np.isin(places[order], only)]
        lasts = len(last) - 1 - np.unique(places[last][::-1], return_index=True)[1]
        yield from ((int(places[row]), texts[where[row]]) for row in last[lasts])
        order = order[~is_blank[order]]
    else:
        order = order[~np.isin(places[order], blank)]
    if aggregate.function in EXACT_FUNCTIONS and (long := are_long_numbers(ids, dictionary, len(terms))).any():
        is_exact = np.isin(places[order], places[long[where]])
        rows, order = order[is_exact], order[~is_exact]
        for part in np.split(rows, np.flatnonzero(np.diff(places[rows])) + 1):
            check()
            if len(part) and (value := exact_value(aggregate, [texts[term] for term in where[part].tolist()])):
                yield int(places[part[0]]), value
    lines = [
        f"({place} {texts[term]})" for place, term in zip(places[order].tolist(), where[order].tolist(), strict=True)
    ]
    starts = np.flatnonzero(np.diff(places[order], prepend=-1)).tolist()
    while starts:
        check()
        low = starts[0]
        starts = [start for start in starts if start >= low + _PIECE]
        yield from _sparql_values(aggregate, lines[low : starts[0] if starts else len(lines)])


def _sparql_values(aggregate: Aggregate, lines: list[str]) -> Iterator[tuple[int, str]]:
    word = "DISTINCT " if aggregate.is_distinct else ""
    call = f"{aggregate.function}({word}?term)"
    if aggregate.function == "GROUP_CONCAT":
        call = f"GROUP_CONCAT({word}STR(?term); SEPARATOR = {quote(aggregate.separator or '')})"
    values = "\n".join(lines)
    query = f"SELECT ?group ({call} AS ?value) {{ VALUES (?group ?term) {{\n{values}\n}} }} GROUP BY ?group"
    for group, value in cast(Any, ox.Store().query(query)):
        if value is not None:
            yield int(group.value), text_of(value)
