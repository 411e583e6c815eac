"""Changes of the facts of the user's relations: those that an edit asks for, and those that a commit made.

Cost: a look at the rows, and decoding the text of each relation that occurs for the first time.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import filterfalse
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.edit import Facts
from kgreason.rules.model import FALSE
from kgreason.rules.relations.names import name_and_width
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct

Columns: TypeAlias = Mapping[tuple[str, int], Int32]
"""(Name of a relation, its number of terms) -> the terms of its facts, int32[n, arity]."""
_FEW = 16
"""Up to 16 relations are compared one by one."""
INNER, USER, CONTRADICTION = range(3)
"""Whose relation it is: kgreason's own, the user's, or `false`, whose facts are contradictions."""


class Owners:
    """Tells to whom relations belong, by the ids of their texts. It remembers what it has decoded."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._known: dict[int, int] = {}
        dictionary.notify_of_truncation(self)

    def forget(self, count: int) -> None:
        """Forget to whom the relations with ids above `count` belong."""
        self._known = {number: owner for number, owner in self._known.items() if number <= count}

    def owners_of(self, numbers: Int32) -> NDArray[np.int8]:
        """Return for each id of a relation's text whose relation it is: INNER, USER or CONTRADICTION; int8[n]."""
        begins = np.ones(len(numbers), dtype=np.bool_)  # facts of a relation come in runs, so little is sorted
        np.not_equal(numbers[1:], numbers[:-1], out=begins[1:])
        different = distinct(numbers[begins])
        ids = different.tolist()
        if new := list(filterfalse(self._known.__contains__, ids)):
            texts = self._dictionary.decode(np.array(new, dtype=np.int32))
            self._known |= zip(new, map(_owner, texts), strict=True)
        owners = np.array(list(map(self._known.__getitem__, ids)), dtype=np.int8)
        if len(ids) > _FEW:
            return owners[np.searchsorted(different, numbers)]
        found = np.full(len(numbers), owners[0] if len(ids) else INNER, dtype=np.int8)
        for number, owner in zip(ids[1:], owners[1:], strict=True):
            if owner != owners[0]:
                found[numbers == number] = owner
        return found


def _owner(text: str) -> int:
    return CONTRADICTION if text.startswith(f"{FALSE.relation}/") else USER if name_and_width(text) else INNER


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
