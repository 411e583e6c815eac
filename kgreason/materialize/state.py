"""`Saved`: the state of a materializer as arrays, and the graph that it stands for.

Law: `triples`, `graphs` and `relation` return what the graph had when the state was saved. Cost: a look at each fact;
if terms have representatives, `triples` also lists all images.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.memory.layout import ASSERTED, FIRST, LAST_TABLE, STATE, TABLE, Int32, UInt32
from kgreason.materialize.quads.documents import merged, named
from kgreason.materialize.same_as.cliques import Cliques, fill, in_primaries
from kgreason.materialize.same_as.images import graph as shown_triples
from kgreason.materialize.same_as.images import without
from kgreason.terms.dictionary import Dictionary


class Saved(NamedTuple):
    """The state of a materializer as arrays.

    - `records`: a row for each present fact, int32[n, 3 + w]: state, stamp, support, and w columns.
    - `tables`: for each table, by its number: whether it is the table of triples, and its width.
    - `quads`: the asserted quads, int32[m, 4]; None while all asserted triples are in the default graph.
    - `same_as`, `exceeded`, `restricted`: the flags of the materializer (`Flags`).
    - `work`: the engine's measure of the work that a Bootstrap takes.
    - `rep`: the id of the relation eq_rep; 0 if equal terms have no representatives.
    - `aliases`: the budget of a clique (`cliques`).
    - `preferred`: the primaries of the cliques that have several representatives.
    - `hashed`: the hash table of the records, uint32[2**k], or None (`FactTable.hashed`).
    """

    records: Int32
    tables: list[tuple[bool, int]]
    quads: Int32 | None
    same_as: bool
    exceeded: bool
    work: int
    rep: int = 0
    aliases: int = 0
    preferred: Sequence[int] = ()
    restricted: bool = False
    hashed: UInt32 | None = None

    def triples(self, *, asserted: bool | None = None) -> Int32:
        """Return the triples of the graph that users see, int32[n, 3], also those with a literal as subject.

        All triples if `asserted` is None, the asserted triples if it is True, and the inferred triples if it is False.
        """
        if asserted or not len(pairs := self._represented()):
            return self.facts(asserted)
        cliques = Cliques(self.aliases)
        fill(cliques, pairs, self._preferred(), lambda: self.facts(None))
        asserted_rows = self.facts(True)
        shown = shown_triples(cliques, self.facts(None), asserted_rows)
        return shown if asserted is None else without(shown, asserted_rows)

    def facts(self, asserted: bool | None = None) -> Int32:
        """Return the triples that rules see, int32[n, 3]. They have representatives in place of equal terms.

        `asserted`: as for `triples`.
        """
        kept = self.are_triples()
        if asserted is not None:
            kept &= self.are_asserted() == asserted
        return np.ascontiguousarray(self.records[kept, FIRST : FIRST + 3])

    def are_triples(self) -> NDArray[np.bool_]:
        """Return for each record whether it is a triple, and not a fact of a relation: bool[n]."""
        found: NDArray[np.bool_] = self.records[:, STATE] >> TABLE & LAST_TABLE == self.tables.index((True, 3))
        return found

    def are_asserted(self) -> NDArray[np.bool_]:
        """Return for each record whether its fact is asserted: bool[n]."""
        found: NDArray[np.bool_] = (self.records[:, STATE] & ASSERTED) != 0
        return found

    @property
    def is_represented(self) -> bool:
        """Whether a term has a representative, so that users see other triples than rules see."""
        return len(self._represented()) > 0

    def _represented(self) -> Int32:
        """Return the rows of eq_rep: int32[n, 2] of term and representative."""
        if not self.rep or (False, 3) not in self.tables:
            return np.empty((0, 2), dtype=np.int32)
        tables = self.records[:, STATE] >> TABLE & LAST_TABLE
        rows = self.records[tables == self.tables.index((False, 3)), FIRST : FIRST + 3]
        return rows[rows[:, 0] == self.rep, 1:]

    def in_primaries(self, ids: Int32) -> Int32:
        """Return `ids` with the members of cliques replaced by the primaries of their cliques.

        (The primary of a clique is the representative that stands for all members.)
        """
        return in_primaries(ids, self._represented(), self._preferred())

    def _preferred(self) -> Int32:
        return np.array(self.preferred, dtype=np.int32)

    def graphs(self, dictionary: Dictionary, asserted: bool | None) -> list[Int32]:
        """Return the graph as arrays: triples int32[n, 3] are in the default graph, quads int32[m, 4] say their graph.

        `asserted`: as for `triples`. The inferred triples, and those of imported documents, are in the default graph.
        """
        if asserted is False or self.quads is None:
            return [self.triples(asserted=asserted)]
        if asserted is None:
            return [self.triples(), self.named(dictionary)]
        return [merged(dictionary, self.quads)]

    def named(self, dictionary: Dictionary) -> Int32:
        """Return the asserted quads of named graphs: int32[n, 4]."""
        if self.quads is None:
            return np.empty((0, 4), dtype=np.int32)
        return named(dictionary, self.quads)

    def relation(self, names: Int32) -> Int32:
        """Return the facts of the relations with the ids `names`, as rows int32[n, w].

        A row has the relation's id, then the terms, then zeros.
        """
        columns = self.records[~self.are_triples(), FIRST:]
        return np.ascontiguousarray(columns[np.isin(columns[:, 0], names)])
