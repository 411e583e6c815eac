"""`StatedFacts`: makes the facts that the rules of owl2el.dl read beside the triples of an ontology.

    asserted triples, removed and added  ->  rows of el_stated/3, el_is/2, el_iri/1, el_blank/1

    el_stated(c, p, d)         the triple [c, p, d] is asserted, and p is one of `PREDICATES`
    el_is(x, y)                y stands for the class expression or term x (`Expressions`)
    el_iri(x), el_blank(x)     what kind of term x is, if it stands for itself

Rules derive triples with these predicates too. An axiom is what somebody stated: rules that took each derived
subsumption for an axiom would derive it again and again. Law: the facts depend only on the asserted triples. So the
facts about a term go with the last triple that mentions the term: owl:sameAs may give the term the triples of another
one, and no rule may take these for an expression. Cost: a look at each triple that an edit asserts or retracts, and
that of `Expressions`; for the first edit that retracts triples, a look at each asserted triple, and then 8 bytes for
each term.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.schema.expressions import Expressions
from kgreason.materialize.schema.rows import TYPE, flags_of, have_flag, is_schema, make_rows
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


class StatedFacts:
    """Makes facts about the triples that edits assert and retract. Any thread may use it while it holds the graph.

    `facts` are the present facts.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary, self.expressions = dictionary, Expressions(dictionary)
        names = [(STATED, 3), ("el_iri", 1), ("el_blank", 1), (STANDS, 2)]
        self._stated, self._iri, self._blank, self._is = dictionary.intern(
            relation_text(*name) for name in names
        ).tolist()
        self._mentioned: Int32 | None = None
        """How many asserted triples mention each term as a class, and how many mention the term at all: int32[2, n].

        None before an edit retracts triples, and after an error of `_count`."""
        self._pending: list[tuple[Int32, Int32]] = []
        """The triples that `change` has taken since the last `accept`."""

    def change(self, removed: Int32, added: Int32, asserted: Callable[[], Int32]) -> Relations:
        """Take the triples that an edit retracts and asserts, int32[n, 3] each.

        `asserted` returns the asserted triples before the edit. Returns the facts to retract and the facts to assert. A
        fact to retract may be absent. `accept` or `rollback` must follow.
        """
        if len(removed) and self._mentioned is None:
            there = asserted()
            self._mentioned = np.zeros((2, 0), dtype=np.int32)
            self._count(there, 1)
        self._pending.append((removed, added))
        self._count(removed, -1)
        self._count(added, 1)
        moved = self.expressions.change(removed, added)
        nodes = moved[:, 0]
        classes, typed = _terms_in(added)
        classes = np.unique(np.concatenate([classes, nodes]))
        if self._mentioned is not None:
            classes = classes[self._mentioned[0, classes] > 0]
        terms = np.unique(np.concatenate([classes, typed]))
        kinds, standing = self._dictionary.kinds(terms), terms.copy()
        is_blank = kinds == Kind.BLANK
        standing[is_blank] = self.expressions.stand_ins(terms[is_blank])
        blank = terms[is_blank & (standing == terms)]
        copies = nodes[moved[:, 2] != nodes]
        no_classes, no_terms = self._terms_no_longer_mentioned(removed)
        stated = (make_rows(self._stated, rows[have_flag(rows[:, 1], _PREDICATES)]) for rows in (removed, added))
        gone, come = stated
        no_longer = np.concatenate([moved[:, :2], np.column_stack([no_classes, no_classes])])
        no_blank = np.concatenate([copies, no_terms])
        return (
            {
                4: gone,
                3: make_rows(self._is, no_longer),
                2: np.concatenate([make_rows(self._blank, no_blank), make_rows(self._iri, no_terms)]),
            },
            {
                4: come,
                3: make_rows(self._is, np.column_stack([classes, standing[np.searchsorted(terms, classes)]])),
                2: np.concatenate([make_rows(self._iri, terms[kinds == Kind.IRI]), make_rows(self._blank, blank)]),
            },
        )

    def _count(self, rows: Int32, sign: int) -> None:
        """Add `sign` for each triple of `rows`, int32[n, 3], that mentions a term, once the mentions are counted.

        After an error the mentions are not counted any more; the next edit that retracts triples counts them again.
        """
        mentioned, self._mentioned = self._mentioned, None
        if mentioned is None:
            return
        more = len(self._dictionary) + 1 - mentioned.shape[1]
        if more > 0:  # by a quarter more than now, so that the array is seldom copied
            mentioned = np.pad(mentioned, ((0, 0), (0, more + len(self._dictionary) // 4)))
        classes, typed = _terms_in(rows)
        np.add.at(mentioned[0], classes, sign)
        np.add.at(mentioned[1], np.concatenate([classes, typed]), sign)
        self._mentioned = mentioned

    def _terms_no_longer_mentioned(self, removed: Int32) -> tuple[Int32, Int32]:
        """Return the classes, and the terms, in `removed` that no asserted triple mentions any more."""
        if self._mentioned is None:
            return removed[:, 0], removed[:, 0]
        classes, typed = _terms_in(removed)
        classes, terms = np.unique(classes), np.unique(np.concatenate([classes, typed]))
        return classes[self._mentioned[0, classes] == 0], terms[self._mentioned[1, terms] == 0]

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
        self._pending.clear()
        self.expressions.accept()

    def rollback(self) -> None:
        """Undo the changes since the last `accept`."""
        while self._pending:
            removed, added = self._pending.pop()
            self._count(removed, 1)
            self._count(added, -1)
        self.expressions.rollback()


def _terms_in(rows: Int32) -> tuple[Int32, Int32]:
    """Return the terms that triples mention as classes or in axioms, and the terms that have a type, with repetitions.

    `rows`: the triples, int32[n, 3].
    """
    axioms = rows[is_schema(rows) | have_flag(rows[:, 1], _OTHERS)]
    subjects, objects = (axioms[~have_flag(axioms[:, 1], flags), n] for flags, n in ((_CELLS, 0), (_LISTS, 2)))
    types = rows[rows[:, 1] == TYPE]
    return np.concatenate([subjects, objects, types[:, 2]]), types[:, 0]
