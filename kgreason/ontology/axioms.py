"""Axioms as values: the schema half of a row of the W3C tables, lists and class expressions unfolded.

`kind` is the vocabulary term that makes the axiom what it is (`rdfs:subClassOf`, `owl:TransitiveProperty`,
`owl:someValuesFrom`, ...); the rows of a profile are looked up by it. Six shapes cover all kinds.
`sources` are the schema triples an axiom was read from, list cells and restriction triples included, in the order
they were read; they travel on into the rules and from there into proofs.

Invariant: an axiom holds all that its rules need, so that translating it is a pure function of the one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kgreason.rules.model import Constant, Triple


@dataclass(frozen=True, slots=True)
class Pair:
    """One triple that relates two classes or two properties: `left kind right`."""

    kind: Constant
    left: Constant
    right: Constant
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A property of a property: `property_ rdf:type kind`."""

    kind: Constant
    property_: Constant
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """A node and the members of its list, in order, at least one.

    The kind is the predicate that leads to the list, but `owl:members` stands for three axioms: there it is the class
    of the node (`owl:AllDifferent`, `owl:AllDisjointClasses`, `owl:AllDisjointProperties`).
    """

    kind: Constant
    node: Constant
    members: tuple[Constant, ...]
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Restriction:
    """A class `node` of the things whose `property_` has some, all or one given value: the filler."""

    kind: Constant
    node: Constant
    property_: Constant
    filler: Constant
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Maximum:
    """A class `node` of the things with at most `limit` values of `property_`, counted in `on_class`.

    The limit is 0 or 1 (there are no rows for more); `on_class` is None if the cardinality is not qualified.
    """

    kind: Constant
    node: Constant
    property_: Constant
    limit: int
    on_class: Constant | None
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class NegativeAssertion:
    """A triple that must not hold; the kind is `owl:targetIndividual` or `owl:targetValue`."""

    kind: Constant
    node: Constant
    denied: Triple
    sources: tuple[Triple, ...]


Axiom: TypeAlias = Pair | Characteristic | Collection | Restriction | Maximum | NegativeAssertion
