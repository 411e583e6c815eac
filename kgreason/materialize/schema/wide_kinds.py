"""`WideKinds`: the kinds of axioms with so many triples that one generic rule reads them, in place of a rule for each.

    closed schema, removed and added  ->  the triples to translate, and the kinds that are wide

    up to `LIMIT` triples of a kind     [?x, a, :D] :- [?x, a, :C]                                 a rule for each
    more                                [?x, a, ?d] :- [?c, rdfs:subClassOf, ?d], [?x, a, ?c]      one rule, cax-sco

An axiom that is translated is read by Python, reduced, encoded and planned, which costs fifty times a fact. A *wide*
kind costs what its facts cost, and these are in the graph anyway. But a rule for each axiom of the reduced hierarchy
derives a fact less often than a join with the closed hierarchy. So a small ontology is translated.

Only kinds that are one triple can be wide. Three sorts of triples are read apart:

- Triples about the vocabulary are translated always: `:Path rdfs:subClassOf owl:TransitiveProperty` may call for other
  generic rules, and a datatype is asked for by its name. owl:Thing and owl:Nothing call for nothing.
- Disjointness of a blank node is translated always: of restrictions that say the same, only one has instances
  (`twins`), and the translation asks for these.
- Nothing is translated from the declaration of a class or a property.

An equivalence is two axioms of a hierarchy in the closed schema. So nothing is translated from the equivalences of
classes while rdfs:subClassOf is wide, and no rule for a member of an intersection or union (`owl2rl.IMPLIED`).

Law: which kinds are wide, and which triples are translated, depends only on the closed schema. The closure does not
depend on it. Cost: a look at the triples that an edit adds to the closed schema or removes from it. If a kind becomes
wide, or stops being wide, a look at the closed schema.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kgreason.materialize.schema.closure import ClosureChange
from kgreason.materialize.schema.rows import TYPE, Mask, flags_of, have_flag
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.columns import Int32
from kgreason.zset.zset import ZSet

KINDS = (
    v.RDFS_SUB_CLASS_OF,
    v.RDFS_SUB_PROPERTY_OF,
    v.RDFS_DOMAIN,
    v.RDFS_RANGE,
    v.OWL_INVERSE_OF,
    v.OWL_DISJOINT_WITH,
)
"""The kinds that can be wide: the predicates of their triples."""
LIMIT = 1024
"""A kind with more triples in the closed schema is wide."""
_FOLLOWING = ((v.RDFS_SUB_CLASS_OF, v.OWL_EQUIVALENT_CLASS), (v.RDFS_SUB_PROPERTY_OF, v.OWL_EQUIVALENT_PROPERTY))
"""Pairs of kinds. While the first kind is wide, no axiom of the second kind is translated: the closed schema repeats
each of these axioms as axioms of the first kind (scm-eqc1, scm-eqp1)."""
_SIZE = len(VOCABULARY) + 1
_FOLLOWED, _FOLLOWERS = (
    np.array([VOCABULARY.index(kind) + 1 for kind in side]) for side in zip(*_FOLLOWING, strict=True)
)
_DISJOINT = VOCABULARY.index(v.OWL_DISJOINT_WITH) + 1
_DECLARED = flags_of(
    frozenset((v.OWL_CLASS, v.RDFS_CLASS, v.OWL_OBJECT_PROPERTY, v.OWL_DATATYPE_PROPERTY, v.RDF_PROPERTY))
)
"""A type with one of these classes declares a term. No rule is made from a declaration."""
_IDS = np.array([VOCABULARY.index(kind) + 1 for kind in KINDS])
_CALLING = np.array([False, *(text not in (v.OWL_THING, v.OWL_NOTHING) for text in VOCABULARY)])
"""For each id of the vocabulary whether a triple about it is translated always."""


class WideKinds:
    """Says which kinds are wide, and which triples are to be translated. The graph's lock must be held.

    `limit`: so many triples may a kind have that is not wide.
    """

    def __init__(self, dictionary: Dictionary, limit: int) -> None:
        self._dictionary, self._limit = dictionary, limit
        self._counts: NDArray[np.int64] = np.zeros(_SIZE, dtype=np.int64)
        self._before: NDArray[np.int64] | None = None

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds that are wide now."""
        return frozenset(VOCABULARY[number - 1] for number in np.flatnonzero(self._counts > self._limit).tolist())

    def _flags(self) -> Mask:
        """Return a flag for each id of the vocabulary. A kind has the flag if its triples are not translated."""
        flags: Mask = self._counts > self._limit
        flags[_FOLLOWERS] = flags[_FOLLOWED]
        return flags

    def follow(self, change: ClosureChange, closure: Callable[[], Int32]) -> ClosureChange:
        """Take a change of the closed schema. Returns how the triples to translate change.

        `closure` returns the closed schema after the change, int32[n, 3]. `accept` or `rollback` must follow.
        """
        removed, added = change
        if not (len(removed) or len(added)):
            return change
        if self._before is None:
            self._before = self._counts
        then = self._flags()
        self._counts = self._counts + _count_kinds(added) - _count_kinds(removed)
        now = self._flags()
        told = ClosureChange(removed[~self._are_read(removed, then)], added[~self._are_read(added, now)])
        if (then == now).all():
            return told
        present = self._rows_of_wide_kinds(closure(), then ^ now)
        before = (
            ZSet.of(present)
            + ZSet.of(self._rows_of_wide_kinds(removed, now))
            - ZSet.of(self._rows_of_wide_kinds(added, now))
        )
        gone, come = (
            self._rows_of_wide_kinds(before.positive().columns, now & ~then),
            self._rows_of_wide_kinds(present, then & ~now),
        )
        return ClosureChange(np.concatenate([told.removed, gone]), np.concatenate([told.added, come]))

    def untranslated_rows(self, closure: Int32) -> Int32:
        """Return the triples of the closed schema `closure`, int32[n, 3], that are not translated."""
        found: Int32 = closure[self._are_read(closure, self._flags())]
        return found

    def _rows_of_wide_kinds(self, rows: Int32, flags: Mask) -> Int32:
        """Return those of `rows`, int32[n, 3], that are not translated only because the kinds `flags` are wide."""
        found: Int32 = rows[have_flag(rows[:, 1], flags)]
        return found[self._are_read(found, flags)]

    def _are_read(self, rows: Int32, flags: Mask) -> Mask:
        """Return for each of `rows`, int32[n, 3], whether generic rules alone read it if the kinds `flags` are wide."""
        found: Mask = np.zeros(len(rows), dtype=np.bool_)
        if not len(rows):
            return found
        if flags.any():
            found = have_flag(rows[:, 1], flags)
            some = np.flatnonzero(found)
            found[some] = ~have_flag(rows[some][:, [0, 2]], _CALLING).any(axis=1)
            disjoint = np.flatnonzero(found & (rows[:, 1] == _DISJOINT))
            kinds = self._dictionary.kinds(rows[disjoint][:, [0, 2]].ravel()).reshape(-1, 2)
            found[disjoint] = (kinds != Kind.BLANK).all(axis=1)
        types = np.flatnonzero(rows[:, 1] == TYPE)
        found[types] = have_flag(rows[types, 2], _DECLARED)
        return found

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self._before = None

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        if self._before is not None:
            self._counts, self._before = self._before, None


def _count_kinds(rows: Int32) -> NDArray[np.int64]:
    """Return how many of `rows`, int32[n, 3], have each kind: int64[the ids of the vocabulary]."""
    kinds = rows[np.isin(rows[:, 1], _IDS), 1]
    return np.bincount(kinds, minlength=_SIZE).astype(np.int64)
