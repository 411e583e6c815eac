"""`Individuals`: which names stand for individuals, so that an aggregate counts each individual once.

With representatives, a name is *replaced* if it is not the primary of its clique. Where rules alone make names equal
(`same_as="rules"`), it is replaced if an equal name comes before it: IRIs first, then by text.

Cost: nothing while no names are equal. Else a look at the owl:sameAs facts of the names that are asked for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Changes, Engine
from kgreason.engine.memory.layout import ABSENT, Int32
from kgreason.materialize.same_as.representatives import Equality
from kgreason.materialize.schema_rows import SAME_AS
from kgreason.terms.dictionary import Dictionary

_NONE = np.empty(0, dtype=np.int32)


class Individuals:
    """The names of individuals in the open commit. Called under the graph's lock: one thread at a time."""

    def __init__(self, engine: Engine, dictionary: Dictionary, equality: Equality | None) -> None:
        self._engine, self._dictionary, self._equality = engine, dictionary, equality
        self._triples = engine.table(True, 3)

    def are_equal(self) -> bool:
        """Whether some names may be equal."""
        return bool(self._equality.cliques.live) if self._equality else len(self._pairs()) > 0

    def moved(self, changes: Changes) -> Int32:
        """The names for which the commit so far has changed what they are equal to, ascending: int32[n]."""
        if self._equality:
            return self._equality.moved(changes)
        links = changes.rows[(changes.tables == self._triples) & (changes.rows[:, 1] == SAME_AS)]
        moved: Int32 = np.unique(links[:, [0, 2]]) if len(links) else _NONE
        return moved

    def are_replaced(self, keys: Int32, changes: Changes) -> NDArray[np.bool_]:
        """For each row of `keys`, int32[n, k], whether it has a name that is replaced: bool[n]."""
        if not keys.size:
            return np.zeros(len(keys), dtype=np.bool_)
        if self._equality:
            return np.asarray(self._equality.is_secondary(keys, changes).any(axis=1))
        pairs = self._pairs()
        pairs = pairs[np.isin(pairs[:, 0], keys)]
        terms, places = np.unique(pairs[:, 0], return_inverse=True)
        firsts = self._dictionary.firsts(
            np.concatenate([pairs[:, 1], terms]), np.concatenate([places, np.arange(len(terms))])
        )
        return np.asarray(np.isin(keys, terms[firsts != terms]).any(axis=1))

    def _pairs(self) -> Int32:
        """Pairs of equal names: int32[n, 2]."""
        found = self._engine.rows_with(self._triples, {1: SAME_AS})
        if found is None:
            return np.empty((0, 2), dtype=np.int32)
        facts = self._engine.circuit.facts
        rows = np.ascontiguousarray(found[:, :3])
        rows = rows[facts.kinds(facts.find(rows)) != ABSENT]
        return np.ascontiguousarray(rows[:, [0, 2]])
