"""`Stated`: makes the facts that the rules of owl2el.dl read beside the triples of an ontology.

    asserted triples, removed and added  ->  rows of el_stated/3, el_is/2, el_iri/1, el_blank/1

    el_stated(c, p, d)         the triple [c, p, d] is asserted, and p is one of `PREDICATES`
    el_is(x, y)                y stands for the class expression or term x (`Expressions`)
    el_iri(x), el_blank(x)     what kind of term x is, if it stands for itself

Rules derive triples with these predicates too. An axiom is what somebody stated: rules that took each derived
subsumption for an axiom would derive it again and again. Law: el_stated depends only on the asserted triples, and so
does the y of each el_is(x, y). The facts about a term may stay when its triples go, and they change nothing that
follows. Cost: a look at each triple that an edit asserts or retracts, and that of `Expressions`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.schema.expressions import Expressions
from kgreason.materialize.schema.rows import TYPE, flagged, flags_of, is_schema, related
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.zset.columns import Int32

PREDICATES = (v.RDFS_SUB_CLASS_OF, v.OWL_EQUIVALENT_CLASS, v.RDFS_DOMAIN, v.RDFS_RANGE)
"""The predicates of axioms that rules derive as well."""
_CELLS = flags_of(frozenset((v.RDF_FIRST, v.RDF_REST)))
_LISTS = flags_of(frozenset((v.RDF_REST, v.OWL_INTERSECTION_OF)))
"""The predicates whose subject, and those whose object, is a cell of a list. Rules do not ask what a cell is."""
STATED, STANDS = "el_stated", "el_is"
Relations: TypeAlias = tuple[dict[int, Int32], dict[int, Int32]]
"""Facts to retract and facts to assert: the width of rows -> the rows."""
_PREDICATES = flags_of(frozenset(PREDICATES))
_OTHERS = flags_of(frozenset((v.OWL_ANNOTATED_SOURCE, v.OWL_ANNOTATED_TARGET, v.OWL_DISJOINT_UNION_OF)))
"""Predicates of axioms that are no schema for other rule sets."""


class Stated:
    """Makes facts about the triples that edits assert and retract. Any thread may use it while it holds the graph.

    `facts` are the present facts.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary, self.expressions = dictionary, Expressions(dictionary)
        names = [(STATED, 3), ("el_iri", 1), ("el_blank", 1), (STANDS, 2)]
        self._stated, self._iri, self._blank, self._is = dictionary.intern(
            relation_text(*name) for name in names
        ).tolist()

    def change(self, removed: Int32, added: Int32) -> Relations:
        """Take the triples that an edit retracts and asserts, int32[n, 3] each.

        Returns the facts to retract and the facts to assert. A fact to retract may be absent. `accept` or `rollback`
        must follow.
        """
        moved = self.expressions.change(removed, added)
        nodes = moved[:, 0]
        axioms = added[is_schema(added) | flagged(added[:, 1], _OTHERS)]
        subjects, objects = (axioms[~flagged(axioms[:, 1], flags), n] for flags, n in ((_CELLS, 0), (_LISTS, 2)))
        types = added[added[:, 1] == TYPE]
        classes = np.unique(np.concatenate([subjects, objects, types[:, 2], nodes]))
        terms = np.unique(np.concatenate([classes, types[:, 0]]))
        kinds, standing = self._dictionary.kinds(terms), terms.copy()
        is_blank = kinds == Kind.BLANK
        standing[is_blank] = self.expressions.standing(terms[is_blank])
        blank = terms[is_blank & (standing == terms)]
        copies = nodes[moved[:, 2] != nodes]
        stated = (related(self._stated, rows[flagged(rows[:, 1], _PREDICATES)]) for rows in (removed, added))
        gone, come = stated
        return (
            {4: gone, 3: related(self._is, moved[:, :2]), 2: related(self._blank, copies)},
            {
                4: come,
                3: related(self._is, np.column_stack([classes, standing[np.searchsorted(terms, classes)]])),
                2: np.concatenate([related(self._iri, terms[kinds == Kind.IRI]), related(self._blank, blank)]),
            },
        )

    def adopt(self, asserted: Int32) -> None:
        """Take the asserted triples of a graph that is opened, int32[n, 3]. Its facts are there already."""
        self.expressions.change(asserted[:0], asserted)
        self.accept()

    def triples(self, node: str) -> tuple[Triple, ...]:
        """Return the asserted triples that describe a class expression."""
        found = [term for triple in self.expressions.triples(int(self._dictionary.find([node])[0])) for term in triple]
        texts = iter(self._dictionary.decode(np.array(found, dtype=np.int32)))
        return tuple(zip(texts, texts, texts, strict=True))

    def accept(self) -> None:
        """Make the changes since the last `accept` final."""
        self.expressions.accept()

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        self.expressions.rollback()
