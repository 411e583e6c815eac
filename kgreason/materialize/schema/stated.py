"""`Stated`: makes the facts that the rules of owl2el.dl read beside the triples of an ontology.

    asserted triples, removed and added  ->  rows of el_stated/3, el_iri/1, el_blank/1

    el_stated(c, p, d)         the triple [c, p, d] is asserted, and p is one of `PREDICATES`
    el_iri(x), el_blank(x)     what kind of term x is

Rules derive triples with these predicates too. An axiom is what somebody stated: rules that took each derived
subsumption for an axiom would derive it again and again. Law: el_stated depends only on the asserted triples. The other
two relations say what is always so of a term. So they may stay when triples go, and they change nothing that follows.

Nothing is remembered here, so there is nothing to undo. Cost: a look at each triple that an edit asserts or retracts.
"""

from __future__ import annotations

import numpy as np

from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.schema.rows import TYPE, flagged, flags_of, is_schema, related
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.zset.columns import Int32

PREDICATES = (v.RDFS_SUB_CLASS_OF, v.OWL_EQUIVALENT_CLASS, v.RDFS_DOMAIN, v.RDFS_RANGE)
"""The predicates of axioms that rules derive as well."""
STATED = "el_stated"
_PREDICATES = flags_of(frozenset(PREDICATES))
_OTHERS = flags_of(frozenset((v.OWL_ANNOTATED_SOURCE, v.OWL_ANNOTATED_TARGET, v.OWL_DISJOINT_UNION_OF)))
"""Predicates of axioms that are no schema for other rule sets."""


class Stated:
    """Makes facts about the triples that edits assert and retract. Any thread may use it while it holds the graph."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        names = [(STATED, 3), ("el_iri", 1), ("el_blank", 1)]
        self._stated, self._iri, self._blank = dictionary.intern(relation_text(*name) for name in names).tolist()

    def gone(self, removed: Int32) -> dict[int, Int32]:
        """Return the facts to retract because the triples `removed`, int32[n, 3], are retracted: width -> rows."""
        rows = removed[flagged(removed[:, 1], _PREDICATES)]
        return {4: related(self._stated, rows)} if len(rows) else {}

    def come(self, added: Int32) -> dict[int, Int32]:
        """Return the facts to assert because the triples `added`, int32[n, 3], are asserted: width -> rows."""
        found = {}
        rows = added[flagged(added[:, 1], _PREDICATES)]
        if len(rows):
            found[4] = related(self._stated, rows)
        axioms = added[is_schema(added) | (added[:, 1] == TYPE) | flagged(added[:, 1], _OTHERS)]
        terms = np.unique(axioms[:, [0, 2]])
        kinds = self._dictionary.kinds(terms)
        named = [(self._iri, terms[kinds == Kind.IRI]), (self._blank, terms[kinds == Kind.BLANK])]
        rows = np.concatenate([related(relation, each) for relation, each in named])
        return found | {2: rows} if len(rows) else found
