"""Reads facts of the user's relations, and pairs of IRIs, from a saved state, without an engine.

A fact is a row of ids: the id of the text of its relation (`rules/relations/names`), then the ids of its terms. One
array has the rows of several relations; shorter rows end in zeros.

Cost: a look at the rows, and decoding the text of each relation that occurs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgreason.engine.records import are_asserted, fact_columns
from kgreason.materialize.state import SavedState
from kgreason.rules.relations.names import name_and_width
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct


class Relation(NamedTuple):
    """A relation of the user: its name, its number of terms, and the id of its text."""

    name: str
    arity: int
    number: int


def user_relations(ids: Int32, dictionary: Dictionary) -> list[Relation]:
    """Return the user's relations among the relations with the `ids`, int32[n], in the order of their names."""
    numbers = distinct(ids)
    texts = zip(numbers.tolist(), map(name_and_width, dictionary.decode(numbers)), strict=True)
    return sorted(Relation(*found, number) for number, found in texts if found)


def relation_rows(saved: SavedState, number: int, arity: int, *, asserted: bool | None = None) -> Int32:
    """Return the facts of the relation with id `number` as rows of their terms: int32[n, arity].

    `asserted`: only asserted facts if True, only inferred facts if False, all if None.
    """
    found = saved.records[saved.numbers_of_others()[saved.relation_ids() == number]]
    if asserted is not None:
        found = found[are_asserted(found) == asserted]
    return np.ascontiguousarray(fact_columns(found)[:, 1 : 1 + arity])


def relations_with_facts(saved: SavedState, dictionary: Dictionary) -> list[Relation]:
    """Return the user's relations that have facts in a saved state, in the order of their names."""
    return user_relations(saved.relation_ids(), dictionary)


def count_facts(saved: SavedState, dictionary: Dictionary) -> int:
    """Return how many facts of the user's relations a saved state has."""
    counts = np.bincount(saved.relation_ids())
    found = np.flatnonzero(counts)
    texts = zip(dictionary.decode(found), counts[found].tolist(), strict=True)
    return sum(number for text, number in texts if name_and_width(text))


def linked_pairs(
    state: tuple[SavedState, Dictionary] | None, predicate: str, *, asserted: bool | None = None
) -> tuple[list[str], Int32]:
    """Return the IRIs that a predicate links, sorted, and the links as rows of numbers in this list: int32[n, 2].

    `asserted`: see `SavedState.triples`. Nothing of the result belongs to `state`.
    """
    if state is None:
        return [], np.empty((0, 2), np.int32)
    saved, dictionary = state
    [link] = dictionary.find([predicate])
    rows = saved.pairs_of(dictionary, link, asserted=asserted)
    rows = rows[(dictionary.kinds(rows) == Kind.IRI).all(axis=1)]
    ids = distinct(rows)
    texts = dictionary.decode(ids)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    numbers = np.empty(len(texts), np.int32)
    numbers[order] = np.arange(len(texts), dtype=np.int32)
    return [texts[place] for place in order], numbers[np.searchsorted(ids, rows)]


def texts_of(rows: Int32, dictionary: Dictionary) -> list[tuple[str, ...]]:
    """Convert rows int32[n, w] of ids to tuples of texts."""
    if not rows.shape[1]:
        return [()] * len(rows)
    texts = iter(dictionary.decode(rows.ravel()))
    return list(zip(*[texts] * rows.shape[1], strict=True))
