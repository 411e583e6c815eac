"""Changes of the facts of the user's relations: those that an edit asks for, and those that a commit made.

Cost: a look at the rows, and decoding the text of each relation that occurs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Changes
from kgreason.engine.memory.layout import Int32
from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.edit import Facts
from kgreason.materialize.relations.facts import relations
from kgreason.terms.dictionary import Dictionary

Columns: TypeAlias = Mapping[tuple[str, int], Int32]
"""(Name of a relation, its number of terms) -> the terms of its facts, int32[n, arity]."""


def changed(changes: Changes, triples: int, dictionary: Dictionary) -> NDArray[np.intp]:
    """Return the places in `changes` that have facts of the user's relations.

    `triples` is the number of the table of triples.
    """
    others = np.flatnonzero(changes.tables != triples)
    if not len(others):
        return others
    firsts = changes.rows[others, :1]
    return others[np.isin(firsts[:, 0], [each.number for each in relations(firsts, dictionary)])]


def edit_of(removed: Columns, added: Columns, dictionary: Dictionary) -> Facts:
    """Convert the facts to retract, `removed`, and to assert, `added`, to `Facts`: rows by their width."""
    return Facts(_by_width(added, dictionary), _by_width(removed, dictionary))


def _by_width(parts: Columns, dictionary: Dictionary) -> dict[int, Int32]:
    found: dict[int, list[Int32]] = {}
    for (name, arity), rows in parts.items():
        if len(rows):
            number = int(dictionary.intern([relation_text(name, arity)])[0])
            found.setdefault(1 + arity, []).append(np.insert(rows, 0, number, axis=1).astype(np.int32))
    return {width: np.concatenate(rows) for width, rows in found.items()}
