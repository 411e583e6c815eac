"""Reads the facts of one relation: from the engine (`EngineRelations`), or from a snapshot alone (`SavedRelations`).

Law: both give the same facts. Cost: from the engine, what the relation holds (`keys`), and for a single fact a look-up;
from a snapshot, a look at all facts.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.relations.facts import relation_rows, relations_with_facts
from kgreason.materialize.relations.keys import KeyIndexes
from kgreason.materialize.state import SavedState
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32


class RelationReader(Protocol):
    """Reads the facts of relations. Threads: use it only while you hold the lock of the graph."""

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary with the terms of the facts."""

    def arities(self, name: str) -> set[int]:
        """Return the numbers of terms of the relations `name` that have facts."""

    def rows(self, name: str, arity: int, *, asserted: bool | None = None) -> Int32:
        """Return the facts of a relation: int32[n, arity].

        `asserted`: True for asserted facts only, False for inferred ones.
        """

    def has(self, name: str, terms: Int32) -> bool:
        """Whether the relation `name` has the fact with the terms `terms`, int32[arity]."""


class EngineRelations:
    """Reads the facts of a running engine. No commit may be open."""

    def __init__(self, engine: Engine, keys: KeyIndexes, dictionary: Dictionary) -> None:
        self._engine, self._keys, self._dictionary = engine, keys, dictionary

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary with the terms of the facts."""
        return self._dictionary

    def arities(self, name: str) -> set[int]:
        """Return the numbers of terms of the relations `name` that have facts."""
        widths = {width for is_triple, width in self._engine.tables if not is_triple}
        return {width - 1 for width in widths if len(self._facts(name, width - 1))}

    def rows(self, name: str, arity: int, *, asserted: bool | None = None) -> Int32:
        """Return the facts of a relation: int32[n, arity].

        `asserted`: True for asserted facts only, False for inferred ones.
        """
        rows = self._facts(name, arity)
        if asserted is not None:
            rows = rows[self._engine.facts.are_asserted(rows) == asserted]
        return np.ascontiguousarray(rows[:, 1:])

    def _facts(self, name: str, arity: int) -> Int32:
        number = int(self.dictionary.find([relation_text(name, arity)])[0])
        return self._keys.all_facts(number, arity) if number else np.empty((0, 1 + arity), dtype=np.int32)

    def has(self, name: str, terms: Int32) -> bool:
        """Whether the relation `name` has the fact with the terms `terms`, int32[arity]."""
        number = self.dictionary.find([relation_text(name, len(terms))])
        row = np.concatenate([number, terms]).astype(np.int32)
        return bool(row.all() and self._keys.are_facts(row[None])[0])


class SavedRelations:
    """Reads the facts of a saved state."""

    def __init__(self, saved: SavedState, dictionary: Dictionary) -> None:
        self._saved, self._dictionary = saved, dictionary

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary with the terms of the facts."""
        return self._dictionary

    def arities(self, name: str) -> set[int]:
        """Return the numbers of terms of the relations `name` that have facts."""
        return {each.arity for each in relations_with_facts(self._saved, self.dictionary) if each.name == name}

    def rows(self, name: str, arity: int, *, asserted: bool | None = None) -> Int32:
        """Return the facts of a relation: int32[n, arity].

        `asserted`: True for asserted facts only, False for inferred ones.
        """
        number = int(self.dictionary.find([relation_text(name, arity)])[0])
        if not number:
            return np.empty((0, arity), dtype=np.int32)
        return relation_rows(self._saved, number, arity, asserted=asserted)

    def has(self, name: str, terms: Int32) -> bool:
        """Whether the relation `name` has the fact with the terms `terms`, int32[arity]."""
        rows = self.rows(name, len(terms))
        return bool((rows == terms).all(axis=1).any())
