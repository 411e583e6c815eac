"""`SavedState`: the state of a materializer as arrays, and the graph that it stands for.

Law: `triples`, `graphs` and `facts_of_relations` return what the graph had when the state was saved. Cost: a look at
each fact; if terms have representatives, `triples` also lists all images.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.records import Snapshot, are_asserted, fact_columns, fact_tables
from kgreason.materialize.literals.visible_triples import visible_rows
from kgreason.materialize.quads.documents import merge_documents, quads_of_named
from kgreason.materialize.same_as.cliques import Cliques, fill_cliques, in_primaries
from kgreason.materialize.same_as.images import rows_without
from kgreason.materialize.same_as.images import visible_triples as shown_triples
from kgreason.materialize.schema.rows import are_axioms
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32, UInt32

_PART = 1 << 20
"""So many records are looked at together, so that a look at all of them takes little memory."""


class Flags(NamedTuple):
    """Three conditions of the data. If at least one of them holds, generic rules run beside the translated rules.

    - `same_as`: an owl:sameAs fact links a term of the schema. If this flag is set, the other two are not.
    - `exceeded`: some fact is a schema triple that the closed schema lacks. Only set if the graph translates its schema
      to rules.
    - `restricted`: such a schema triple describes a restriction, or declares a class or a property. Only set if the
      graph replaces twins by one representative.
    """

    same_as: bool = False
    exceeded: bool = False
    restricted: bool = False


class SavedState(NamedTuple):
    """The state of a materializer as arrays.

    - `records`: a row for each present fact, int32[n, 3 + w]: state, stamp, support, and w columns.
    - `tables`: for each table, by its number: whether it is the table of triples, and its width.
    - `quads`: the asserted quads, int32[m, 4]; None while all asserted triples are in the default graph.
    - `same_as`, `exceeded`, `restricted`: the flags of the materializer (`Flags`).
    - `work`: the engine's measure of the work that a Bootstrap takes.
    - `rep`: the id of the relation eq_rep; 0 if equal terms have no representatives.
    - `aliases`: the budget of a clique (`cliques`).
    - `preferred`: the primaries of the cliques that have several representatives.
    - `hashed`: the hash table of the records, uint32[2**k], or None (`FactTable.hash_table`).
    - `snapshot`: the records with what the engine knows of them, or None (`Circuit.snapshot`).
    - `others`: the numbers of the records that are not triples, int32[k], ascending; None if they were not listed.
    - `axioms`: the asserted triples that `schema.rows.are_axioms` names, int32[k, 3]; None if they were not listed.
    - `spelled`: the id of the relation dt_value; 0 if users see all spellings of a value (`literals.visible_triples`).
    - `counts`: the counts of the graph by name; empty if nobody has counted.
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
    snapshot: Snapshot | None = None
    axioms: Int32 | None = None
    others: Int32 | None = None
    spelled: int = 0
    counts: Mapping[str, int] = MappingProxyType({})

    def triples(self, dictionary: Dictionary, *, asserted: bool | None = None) -> Int32:
        """Return the triples of the graph that users see, int32[n, 3], also those with a literal as subject.

        All triples if `asserted` is None, the asserted triples if it is True, and the inferred triples if it is False.
        """
        if asserted or not len(pairs := self.spellings()):
            return self._triples_in_all_spellings(asserted)
        told = self.facts(True)
        found = visible_rows(dictionary, self._triples_in_all_spellings(None), told, pairs)
        return found if asserted is None else rows_without(found, told)

    def spellings(self) -> Int32:
        """Return the rows of dt_value, int32[n, 2], of literal and value, if users see one spelling of a value."""
        return self._pairs(self.spelled)

    def _triples_in_all_spellings(self, asserted: bool | None) -> Int32:
        """Return the triples as `triples` does, but with all spellings of a value."""
        if asserted or not len(pairs := self.representative_rows()):
            return self.facts(asserted)
        cliques = Cliques(self.aliases)
        fill_cliques(cliques, pairs, self._preferred(), lambda: self.facts(None))
        asserted_rows = self.facts(True)
        shown = shown_triples(cliques, self.facts(None), asserted_rows)
        return shown if asserted is None else rows_without(shown, asserted_rows)

    def facts(self, asserted: bool | None = None) -> Int32:
        """Return the triples that rules see, int32[n, 3]. They have representatives in place of equal terms.

        `asserted`: as for `triples`.
        """
        kept = self.are_triples()
        if asserted is not None:
            kept &= self.are_asserted() == asserted
        return np.ascontiguousarray(fact_columns(self.records)[kept, :3])

    def pairs_of(self, dictionary: Dictionary, predicate: int, *, asserted: bool | None = None) -> Int32:
        """Return the subjects and objects of the triples with a predicate, int32[n, 2]; literals in all spellings.

        `asserted`: as for `triples`. Cost: a look at each fact; memory for the rows of the result.
        """
        if not asserted and len(self.representative_rows()):
            triples = self.triples(dictionary, asserted=asserted)
            found: Int32 = triples[triples[:, 1] == predicate][:, [0, 2]]
            return found
        parts = [np.empty((0, 2), dtype=np.int32)]
        for low in range(0, len(self.records), _PART):
            records = self.records[low : low + _PART]
            part = self._replace(records=records[fact_columns(records)[:, 1] == predicate]).facts(asserted)
            parts.append(part[:, [0, 2]])
        return np.concatenate(parts)

    def asserted_axioms(self) -> Int32:
        """Return the asserted triples that `are_axioms` names, int32[n, 3].

        Cost: a look at each fact, unless the triples are listed.
        """
        if self.axioms is not None:
            return self.axioms
        parts = [np.empty((0, 3), dtype=np.int32)]
        for low in range(0, len(self.records), _PART):
            part = self._replace(records=self.records[low : low + _PART]).facts(True)
            parts.append(part[are_axioms(part)])
        return np.concatenate(parts)

    def numbers_of_others(self) -> Int32:
        """Return the numbers of the records that are not triples, int32[n], ascending.

        Cost: a look at each fact, unless the numbers are listed.
        """
        if self.others is not None:
            return self.others
        parts = [np.empty(0, dtype=np.int32)]
        for low in range(0, len(self.records), _PART):
            is_triple = self._replace(records=self.records[low : low + _PART]).are_triples()
            parts.append((np.flatnonzero(~is_triple) + low).astype(np.int32))
        return np.concatenate(parts)

    def are_triples(self) -> NDArray[np.bool_]:
        """Return for each record whether it is a triple, and not a fact of a relation: bool[n]."""
        found: NDArray[np.bool_] = fact_tables(self.records) == self.tables.index((True, 3))
        return found

    def are_asserted(self) -> NDArray[np.bool_]:
        """Return for each record whether its fact is asserted: bool[n]."""
        return are_asserted(self.records)

    @property
    def has_other_triples(self) -> bool:
        """Whether a term has a representative, or a value several spellings: users see other triples than rules."""
        return len(self.representative_rows()) > 0 or len(self.spellings()) > 0

    def representative_rows(self) -> Int32:
        """Return the rows of eq_rep: int32[n, 2] of term and representative."""
        return self._pairs(self.rep)

    def _pairs(self, relation: int) -> Int32:
        """Return the facts of a relation with two places, int32[n, 2]; none if `relation` is 0."""
        if not relation or (False, 3) not in self.tables:
            return np.empty((0, 2), dtype=np.int32)
        return self.facts_of_relations(np.array([relation], dtype=np.int32))[:, 1:3]

    def in_primaries(self, ids: Int32) -> Int32:
        """Return `ids` with the members of cliques replaced by the primaries of their cliques.

        (The primary of a clique is the representative that stands for all members.)
        """
        return in_primaries(ids, self.representative_rows(), self._preferred())

    def _preferred(self) -> Int32:
        return np.array(self.preferred, dtype=np.int32)

    def graphs(self, dictionary: Dictionary, asserted: bool | None) -> list[Int32]:
        """Return the graph as arrays: triples int32[n, 3] are in the default graph, quads int32[m, 4] say their graph.

        `asserted`: as for `triples`. The inferred triples, and those of imported documents, are in the default graph.
        """
        if asserted is False or self.quads is None:
            return [self.triples(dictionary, asserted=asserted)]
        if asserted is None:
            return [self.triples(dictionary), self.named_quads(dictionary)]
        return [merge_documents(dictionary, self.quads)]

    def named_quads(self, dictionary: Dictionary) -> Int32:
        """Return the asserted quads of named graphs: int32[n, 4]."""
        if self.quads is None:
            return np.empty((0, 4), dtype=np.int32)
        return quads_of_named(dictionary, self.quads)

    def facts_of_relations(self, names: Int32) -> Int32:
        """Return the facts of the relations with the ids `names`, as rows int32[n, w].

        A row has the relation's id, then the terms, then zeros.
        """
        numbers = self.numbers_of_others()
        kept = numbers[np.isin(self.relation_ids(), names)]
        return np.ascontiguousarray(fact_columns(self.records[kept]))

    def relation_ids(self) -> Int32:
        """Return the ids of the relations of the facts that are not triples, int32[n], as `numbers_of_others` does.

        The records are not copied: there may be many more of them than triples.
        """
        found: Int32 = fact_columns(self.records)[self.numbers_of_others(), 0]
        return found
