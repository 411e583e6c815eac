"""Reads facts of the user's relations from a saved state, without an engine.

A fact is a row of ids: the id of the text of its relation (`rules/relations/names`), then the ids of its terms. One
array has the rows of several relations; shorter rows end in zeros.

Cost: a look at the rows, and decoding the text of each relation that occurs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgreason.engine.records import fact_columns
from kgreason.materialize.state import Saved
from kgreason.rules.relations.names import name_and_width
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct


class Relation(NamedTuple):
    """A relation of the user: its name, its number of terms, and the id of its text."""

    name: str
    arity: int
    number: int


def relations(rows: Int32, dictionary: Dictionary) -> list[Relation]:
    """Return the user's relations that occur in facts `rows`, int32[n, w], in the order of their names."""
    numbers = distinct(rows[:, 0])
    texts = zip(numbers.tolist(), map(name_and_width, dictionary.decode(numbers)), strict=True)
    return sorted(Relation(*found, number) for number, found in texts if found)


def rows_of(saved: Saved, number: int, arity: int, *, asserted: bool | None = None) -> Int32:
    """Return the facts of the relation with id `number` as rows of their terms: int32[n, arity].

    `asserted`: only asserted facts if True, only inferred facts if False, all if None.
    """
    found = saved.records[saved.numbers_of_others()]
    rows = fact_columns(found)
    kept = rows[:, 0] == number
    if asserted is not None:
        kept &= saved._replace(records=found).are_asserted() == asserted
    return np.ascontiguousarray(rows[kept, 1 : 1 + arity])


def all_of(saved: Saved, dictionary: Dictionary) -> list[Relation]:
    """Return the user's relations that have facts in a saved state, in the order of their names."""
    return relations(np.ascontiguousarray(fact_columns(saved.records[saved.numbers_of_others()])), dictionary)


def count(saved: Saved, dictionary: Dictionary) -> int:
    """Return how many facts of the user's relations a saved state has."""
    numbers = fact_columns(saved.records[saved.numbers_of_others()])[:, 0]
    found, counts = np.unique(numbers, return_counts=True)
    texts = dictionary.decode(found)
    return sum(number for text, number in zip(texts, counts.tolist(), strict=True) if name_and_width(text))


def texts_of(rows: Int32, dictionary: Dictionary) -> list[tuple[str, ...]]:
    """Convert rows int32[n, w] of ids to tuples of texts."""
    if not rows.shape[1]:
        return [()] * len(rows)
    texts = iter(dictionary.decode(rows.ravel()))
    return list(zip(*[texts] * rows.shape[1], strict=True))
