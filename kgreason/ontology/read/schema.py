"""Decide which triples are schema, and index these triples by subject and predicate.

A triple is *schema* if the W3C tables for RDFS or OWL 2 RL, or SWRL rules, have it as an axiom or a part of an axiom:
its predicate is in `SCHEMA_PREDICATES`, or it is `x rdf:type C` with C in `SCHEMA_CLASSES`. RDF lists are schema, since
axioms are written with them. Triples with owl:sameAs and owl:differentFrom are data: the generic eq-* rules read them.
Triples that no rule set reads (owl:minCardinality, owl:Restriction, annotations) are data too, so that an edit of them
changes no axiom.

Invariant of `Schema`: objects are sorted, whatever the order of the triples, so that a translation is deterministic.
Cost: one pass over the schema triples, and memory in proportion to them. An edit of a `LiveSchema` reads and writes all
objects of each pair (subject, predicate) that an edited triple has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Constant, Triple
from kgreason.terms import vocabulary as v

Constants: TypeAlias = tuple[Constant, ...]

SCHEMA_PREDICATES: frozenset[Constant] = frozenset(
    {
        v.RDF_FIRST,
        v.RDF_REST,
        v.RDFS_SUB_CLASS_OF,
        v.RDFS_SUB_PROPERTY_OF,
        v.RDFS_DOMAIN,
        v.RDFS_RANGE,
        v.OWL_EQUIVALENT_CLASS,
        v.OWL_DISJOINT_WITH,
        v.OWL_COMPLEMENT_OF,
        v.OWL_INTERSECTION_OF,
        v.OWL_UNION_OF,
        v.OWL_ONE_OF,
        v.OWL_ON_PROPERTY,
        v.OWL_ON_CLASS,
        v.OWL_SOME_VALUES_FROM,
        v.OWL_ALL_VALUES_FROM,
        v.OWL_HAS_VALUE,
        v.OWL_HAS_SELF,
        v.OWL_MAX_CARDINALITY,
        v.OWL_MAX_QUALIFIED_CARDINALITY,
        v.OWL_HAS_KEY,
        v.OWL_MEMBERS,
        v.OWL_DISTINCT_MEMBERS,
        v.OWL_EQUIVALENT_PROPERTY,
        v.OWL_INVERSE_OF,
        v.OWL_PROPERTY_DISJOINT_WITH,
        v.OWL_PROPERTY_CHAIN_AXIOM,
        v.OWL_SOURCE_INDIVIDUAL,
        v.OWL_ASSERTION_PROPERTY,
        v.OWL_TARGET_INDIVIDUAL,
        v.OWL_TARGET_VALUE,
        v.SWRL_BODY,
        v.SWRL_HEAD,
        v.SWRL_CLASS_PREDICATE,
        v.SWRL_PROPERTY_PREDICATE,
        v.SWRL_ARGUMENT1,
        v.SWRL_ARGUMENT2,
        v.SWRL_BUILTIN,
        v.SWRL_ARGUMENTS,
    }
)
"""A triple with one of these predicates is schema."""

SCHEMA_CLASSES: frozenset[Constant] = frozenset(
    {
        v.RDF_PROPERTY,
        v.RDFS_CLASS,
        v.RDFS_DATATYPE,
        v.RDFS_CONTAINER_MEMBERSHIP_PROPERTY,
        v.OWL_CLASS,
        v.OWL_OBJECT_PROPERTY,
        v.OWL_DATATYPE_PROPERTY,
        v.OWL_FUNCTIONAL_PROPERTY,
        v.OWL_INVERSE_FUNCTIONAL_PROPERTY,
        v.OWL_TRANSITIVE_PROPERTY,
        v.OWL_SYMMETRIC_PROPERTY,
        v.OWL_ASYMMETRIC_PROPERTY,
        v.OWL_IRREFLEXIVE_PROPERTY,
        v.OWL_ALL_DISJOINT_CLASSES,
        v.OWL_ALL_DISJOINT_PROPERTIES,
        v.OWL_ALL_DIFFERENT,
        v.SWRL_IMP,
        v.SWRL_VARIABLE,
        v.SWRL_CLASS_ATOM,
        v.SWRL_INDIVIDUAL_PROPERTY_ATOM,
        v.SWRL_DATAVALUED_PROPERTY_ATOM,
        v.SWRL_SAME_INDIVIDUAL_ATOM,
        v.SWRL_DIFFERENT_INDIVIDUALS_ATOM,
        v.SWRL_BUILTIN_ATOM,
        v.SWRL_DATA_RANGE_ATOM,
    }
)
"""`[x rdf:type C]` is schema for these classes C."""


def is_schema(triple: Triple) -> bool:
    """Whether a triple is schema: an axiom, or a part of an axiom."""
    _, predicate, object_ = triple
    return predicate in SCHEMA_PREDICATES or (predicate == v.RDF_TYPE and object_ in SCHEMA_CLASSES)


class Schema:
    """An index of schema triples by subject and predicate. Other triples are left out."""

    def __init__(self, triples: Iterable[Triple] = ()) -> None:
        found: dict[Constant, dict[Constant, set[Constant]]] = defaultdict(lambda: defaultdict(set))
        for subject, predicate, object_ in filter(is_schema, triples):
            found[subject][predicate].add(object_)
        self._objects: dict[Constant, dict[Constant, Constants]] = {
            subject: {predicate: tuple(sorted(objects)) for predicate, objects in predicates.items()}
            for subject, predicates in found.items()
        }

    def subjects(self) -> Iterable[Constant]:
        """Return every subject of a schema triple, sorted."""
        return sorted(self._objects)

    def properties_of(self, subject: Constant) -> Mapping[Constant, Constants]:
        """Return the predicates of the schema triples of a subject, each with its objects, sorted."""
        return self._objects.get(subject, {})

    def objects(self, subject: Constant, predicate: Constant) -> Constants:
        """Return the objects of the schema triples with this subject and predicate, sorted."""
        found = self._objects.get(subject)
        return found.get(predicate, ()) if found else ()


class LiveSchema(Schema):
    """A schema that can be edited; empty at first."""

    def __init__(self, log: UndoLog) -> None:
        super().__init__()
        self._log = log

    def change(self, removed: Iterable[Triple], added: Iterable[Triple]) -> set[Constant]:
        """Remove triples, then add others. Returns the subjects whose triples changed.

        Triples that are not schema are ignored. To remove an absent triple or to add a present one changes nothing.
        """
        wanted: dict[tuple[Constant, Constant], dict[Constant, bool]] = {}
        fresh: dict[Constant, dict[Constant, dict[Constant, None]]] = {}
        for subject, predicate, object_ in filter(is_schema, removed):
            if subject in self._objects:
                wanted.setdefault((subject, predicate), {})[object_] = False
        for subject, predicate, object_ in filter(is_schema, added):
            if subject in self._objects:
                wanted.setdefault((subject, predicate), {})[object_] = True
            else:
                fresh.setdefault(subject, {}).setdefault(predicate, {})[object_] = None
        sets = {
            subject: {each: tuple(sorted(objects)) for each, objects in predicates.items()}
            for subject, predicates in fresh.items()
        }
        self._log.put_all(self._objects, sets)
        changed = set(fresh)
        for end, objects in wanted.items():
            if self._edit(*end, objects):
                changed.add(end[0])
        return changed

    def _edit(self, subject: Constant, predicate: Constant, wanted: Mapping[Constant, bool]) -> bool:
        """Add or remove triples with this subject and predicate. Returns whether anything changed.

        `wanted` maps an object to True if its triple must be present afterwards, and to False if it must be absent.
        """
        before = self.objects(subject, predicate)
        kept = [object_ for object_ in before if wanted.get(object_, True)]
        after = tuple(sorted({*kept, *[object_ for object_, present in wanted.items() if present]}))
        if after != before:
            self._replace(subject, predicate, after)
        return after != before

    def _replace(self, subject: Constant, predicate: Constant, objects: Constants) -> None:
        predicates = self._objects.get(subject)
        if predicates is None:
            self._log.put(self._objects, subject, {predicate: objects})
            return
        if objects:
            self._log.put(predicates, predicate, objects)
        else:
            self._log.drop(predicates, predicate)
        if not predicates:
            self._log.drop(self._objects, subject)
