"""`Closure`: premises, materialized in memory. Assumptions can be added until the end of a `with` block.

An assumption is a commit, and at the end of the block another commit takes the assumption back. The cost of both is
proportional to what they change, so refutation is cheap (docs/architecture/commit.md). Assumptions may be nested.

Invariant: after a block the closure is as before, except for unused terms of the dictionary. Generalised triples (with
a literal as a subject) are part of the closure here, because a blank node may stand for a literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import compress

import numpy as np

from kgreason.entailment.goals import Binding
from kgreason.entailment.matching import solutions
from kgreason.entailment.values import Values
from kgreason.graph.opening.options import Documents, catalogue_of
from kgreason.interrupts import as_one
from kgreason.materialize.edit import NO_QUADS, Edit
from kgreason.materialize.imports import Imports
from kgreason.materialize.materializer import File, Materializer
from kgreason.materialize.quads.asserted_quads import default_graph_quads
from kgreason.materialize.schema.rows import decode_triples
from kgreason.materialize.selection import select
from kgreason.ontology.read.axioms import Collection
from kgreason.ontology.read.schema import Schema
from kgreason.ontology.read.schema_axioms import collect
from kgreason.options import LETTER
from kgreason.proofs.contradictions import is_contradictory
from kgreason.rdf.reader import read_files
from kgreason.rules.model import Atom, Constant, Triple, Variable, triple
from kgreason.terms import vocabulary as v
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct

_PROPERTY = Variable("property")


class Closure:
    """The closure of premises and of the documents that these premises import.

    `rules` and `catalogue` are as for `KnowledgeGraph.open`. `datatypes` are the recognized datatypes: only literals of
    these types are compared by value. xsd:string and rdf:langString are always recognized.
    """

    def __init__(
        self, rules: Sequence[str], catalogue: Documents | None = None, datatypes: Iterable[Constant] = ()
    ) -> None:
        named = (f"{name}+{LETTER}" if name.split("+")[0] == "owl2rl" else name for name in rules)
        selection = select([*named], same_as="rules")  # so that every triple is a fact, without representatives
        self._materializer = Materializer(replace(selection, datatypes=()))  # `Values` reads literals here
        documents = catalogue_of(catalogue)
        self._imports, self._find = Imports(self._materializer, documents), documents.find if documents else None
        self._values = Values(self._materializer.dictionary, datatypes)
        self._rows: Int32 | None = None
        self._is_absurd: bool | None = None

    def load(self, paths: Sequence[File]) -> None:
        """Add premises from files. Raises InputError, RdfSyntaxError, LimitError."""
        edit = self._imports.with_imports(Edit(added=self._quads(paths)))
        self._change(edit._replace(added=self._values.with_first_literals(edit.added)))

    def read(self, paths: Sequence[File]) -> list[Triple]:
        """Read the triples of files. The triples do not become premises. Raises InputError, RdfSyntaxError."""
        return decode_triples(
            self._materializer.dictionary, self._values.with_first_literals(self._quads(paths)[:, :3])
        )

    def _quads(self, paths: Sequence[File]) -> Int32:
        return read_files(paths, self._materializer.dictionary, find=self._find)

    def ill_typed(self, triples: Sequence[Triple]) -> list[Triple]:
        """Return those of `triples` whose object is an ill-typed literal. All `triples` must come from `read`."""
        objects = self._materializer.dictionary.find([object_ for _, _, object_ in triples])
        return list(compress(triples, self._values.are_ill_typed(objects)))

    def assume_values(self, terms: Iterable[Constant], *, are_classes: bool) -> None:
        """Add premises that say which literals belong to which of the datatypes in `terms`.

        For each recognized datatype T in `terms` and each literal read so far whose value belongs to T, this adds
        `literal rdf:type T`. With `are_classes` (OWL), it also adds premises which say that one of these datatypes
        contains another, contains the intersection of two others, or is disjoint with another.
        """
        terms = frozenset(terms)
        self.assume([*self._values.types(terms), *(self._values.classes(terms) if are_classes else ())])

    def assume(self, triples: Sequence[Triple]) -> None:
        """Add triples to the premises for good."""
        self._change(Edit(added=default_graph_quads(self._intern(triples))))

    def datatypes(self) -> frozenset[Constant]:
        """Return the datatypes of all literals that were read so far, without datatypes that are not recognized."""
        return self._values.datatypes

    def recognized_datatypes(self, terms: Iterable[Constant]) -> frozenset[Constant]:
        """Return those of `terms` that are recognized datatypes."""
        return self._values.recognized_datatypes(terms)

    def terms(self) -> list[Constant]:
        """Return every term that occurs in the closure."""
        return self._materializer.dictionary.decode(distinct(self._triples()))

    @property
    def is_absurd(self) -> bool:
        """Whether the closure has a contradiction or a clash.

        A clash is an ill-typed literal, a literal with a type that does not contain its value, or an owl:sameAs between
        two different values.
        """
        if self._is_absurd is None:
            self._is_absurd = is_contradictory(
                self._materializer.save(), self._materializer.dictionary
            ) or self._values.clash(self._triples())
        return self._is_absurd

    def holds(self, triple: Triple) -> bool:
        """Whether the closure has a triple."""
        ids = self._materializer.dictionary.find(triple)
        return bool(ids.all()) and bool(self._materializer.holds(ids[None].astype(np.int32))[0])

    def solutions(self, patterns: tuple[Atom, ...]) -> Iterator[Binding]:
        """Yield each binding under which all triple patterns are in the closure."""
        variables = sorted({term for atom in patterns for term in atom.variables()})
        constants = sorted({term for atom in patterns for term in atom.terms if not isinstance(term, Variable)})
        ids = self._materializer.dictionary.find(constants)
        if not ids.all():
            return
        number = dict(zip(constants, ids.tolist(), strict=True)) | {each: -1 - n for n, each in enumerate(variables)}
        wanted = [(number[s], number[p], number[o]) for s, p, o in (atom.terms for atom in patterns)]
        for binding in solutions(self._triples(), wanted):
            texts = self._materializer.dictionary.decode([binding[number[each]] for each in variables])
            yield dict(zip(variables, texts, strict=True))

    def enumerations(self) -> dict[Constant, Collection]:
        """Return a dict from each class that is enumerated (owl:oneOf) in the closure to one of its enumerations."""
        predicates = self._materializer.dictionary.find((v.OWL_ONE_OF, v.RDF_FIRST, v.RDF_REST))
        rows = self._triples()
        schema = Schema(decode_triples(self._materializer.dictionary, rows[np.isin(rows[:, 1], predicates)]))
        axioms = (axiom for each in collect(schema) for axiom in each.axioms)
        return {axiom.node: axiom for axiom in axioms if isinstance(axiom, Collection)}

    def annotations(self, triples: Sequence[Triple]) -> frozenset[Constant]:
        """Return the annotation properties that the closure or `triples` declare."""
        wanted = (triple(_PROPERTY, v.RDF_TYPE, v.OWL_ANNOTATION_PROPERTY),)
        declared = (subject for subject, *rest in triples if rest == [v.RDF_TYPE, v.OWL_ANNOTATION_PROPERTY])
        return frozenset((*declared, *(found[_PROPERTY] for found in self.solutions(wanted))))

    @contextmanager
    def suppose(self, triples: tuple[Triple, ...]) -> Iterator[None]:
        """A context in which `triples` are asserted as well."""
        rows = np.unique(self._intern(triples), axis=0)
        asserted = self._materializer.engine.facts.are_asserted(rows)
        new = default_graph_quads(np.ascontiguousarray(rows[~asserted]))
        before = self._rows, self._is_absurd
        self._change(Edit(added=new))
        try:
            yield
        finally:
            self._change(Edit(removed=new))
            self._rows, self._is_absurd = before

    def _intern(self, triples: Sequence[Triple]) -> Int32:
        if not triples:
            return np.ascontiguousarray(NO_QUADS[:, :3])
        ids = self._materializer.dictionary.intern([term for triple in triples for term in triple])
        return np.asarray(ids, dtype=np.int32).reshape(-1, 3)

    @as_one
    def _change(self, edit: Edit) -> None:
        try:
            self._materializer.change(edit)
        except BaseException:
            self._materializer.rollback()
            raise
        self._materializer.accept()
        self._rows = self._is_absurd = None

    def _triples(self) -> Int32:
        if self._rows is None:
            self._rows = self._materializer.save().triples(self._materializer.dictionary)
        return self._rows
