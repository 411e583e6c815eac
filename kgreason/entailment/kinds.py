"""An additional condition of OWL 2 RDF-Based Semantics: the names in an axiom must denote classes, or properties.

In this semantics `A rdfs:subClassOf B` holds if A and B are classes, and every instance of A is an instance of B. So
not even `A rdfs:subClassOf A` follows if nothing is known of A. A name denotes a class or a property if the closure
says so, or if a triple of the closure has the name in a place where only classes or properties occur.

Source: OWL 2 RDF-Based Semantics, tables 5.3 and 5.8. Cost: a few passes over the closure for each name of an axiom.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.entailment.goals import TRUE, Every, Exists, Goal, Holds, Some
from kgreason.ontology.read.axioms import Characteristic, Pair
from kgreason.rules.model import Atom, Constant, Variable, triple
from kgreason.terms import vocabulary as v

_KNOWN = tuple(f"<{namespace}" for namespace in (v.OWL, v.RDF, v.RDFS, v.XSD))
"""For a name in one of these vocabularies, nothing needs to be shown."""
_OF_CLASSES = (v.RDFS_SUB_CLASS_OF, v.OWL_EQUIVALENT_CLASS, v.OWL_DISJOINT_WITH, v.OWL_COMPLEMENT_OF)
_CLASS_LEFT = (*_OF_CLASSES, v.OWL_INTERSECTION_OF, v.OWL_UNION_OF, v.OWL_ONE_OF, v.OWL_ON_PROPERTY)
_CLASS_RIGHT = (v.RDF_TYPE, *_OF_CLASSES, v.RDFS_DOMAIN, v.RDFS_RANGE, v.OWL_SOME_VALUES_FROM, v.OWL_ALL_VALUES_FROM)
_CLASS_TYPES = (v.OWL_CLASS, v.RDFS_CLASS, v.RDFS_DATATYPE)
_OF_PROPERTIES = (v.RDFS_SUB_PROPERTY_OF, v.OWL_EQUIVALENT_PROPERTY, v.OWL_INVERSE_OF, v.OWL_PROPERTY_DISJOINT_WITH)
_PROPERTY_LEFT = (*_OF_PROPERTIES, v.RDFS_DOMAIN, v.RDFS_RANGE, v.OWL_PROPERTY_CHAIN_AXIOM)
_PROPERTY_RIGHT = (*_OF_PROPERTIES, v.OWL_ON_PROPERTY)
_PROPERTY_TYPES = (
    v.RDF_PROPERTY,
    v.OWL_OBJECT_PROPERTY,
    v.OWL_DATATYPE_PROPERTY,
    v.OWL_FUNCTIONAL_PROPERTY,
    v.OWL_INVERSE_FUNCTIONAL_PROPERTY,
    v.OWL_SYMMETRIC_PROPERTY,
    v.OWL_TRANSITIVE_PROPERTY,
)
_ONE, _OTHER = Variable("one"), Variable("other")


def are_of_their_kinds(axiom: Pair | Characteristic) -> Goal:
    """Return the goal to show that each name in an axiom denotes a class, or a property, as the axiom needs it."""
    match axiom:
        case Characteristic(_, property_):
            return _is_property(property_)
        case Pair(kind, left, right) if kind in (v.RDFS_DOMAIN, v.RDFS_RANGE):
            return Every((_is_property(left), _is_class(right)))
        case Pair(kind, left, right):
            is_one = _is_class if kind in _OF_CLASSES else _is_property
            return Every((is_one(left), is_one(right)))


def _is_class(name: Constant) -> Goal:
    typed = (Holds((name, v.RDF_TYPE, each)) for each in _CLASS_TYPES)
    return TRUE if name.startswith(_KNOWN) else Some((*typed, *_place_goals(name, _CLASS_LEFT, _CLASS_RIGHT)))


def _is_property(name: Constant) -> Goal:
    typed = (Holds((name, v.RDF_TYPE, each)) for each in _PROPERTY_TYPES)
    used = _occurrence_goal(triple(_ONE, name, _OTHER))
    return (
        TRUE if name.startswith(_KNOWN) else Some((*typed, used, *_place_goals(name, _PROPERTY_LEFT, _PROPERTY_RIGHT)))
    )


def _place_goals(name: Constant, left: tuple[Constant, ...], right: tuple[Constant, ...]) -> Iterator[Goal]:
    yield from (_occurrence_goal(triple(name, predicate, _ONE)) for predicate in left)
    yield from (_occurrence_goal(triple(_ONE, predicate, name)) for predicate in right)


def _occurrence_goal(pattern: Atom) -> Goal:
    return Exists((pattern,), lambda _: TRUE)
