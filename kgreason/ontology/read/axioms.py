"""Axioms as values: the schema half of a row of the W3C tables, with lists and class expressions unfolded.

`kind` is the vocabulary term that makes the axiom what it is (`rdfs:subClassOf`, `owl:TransitiveProperty`,
`owl:someValuesFrom`, ...); a profile finds its rows by the kind. Seven classes cover all kinds. `sources` are the
schema triples that an axiom was read from, with list cells and restriction triples, in the order in which they were
read. They are handed on to the rules and from there to proofs.

Invariant: an axiom holds all that its rules need, so that translating it is a pure function of this one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kgreason.rules.model import Atom, Constant, Triple
from kgreason.terms.vocabulary import RDFS_SUB_CLASS_OF, RDFS_SUB_PROPERTY_OF


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

    The kind is the predicate that leads to the list. But `owl:members` belongs to three axioms; there the kind is the
    class of the node (`owl:AllDifferent`, `owl:AllDisjointClasses`, `owl:AllDisjointProperties`).
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

    The limit is 0 or 1, as the tables have no rows for more. `on_class` is None if the cardinality is not qualified.
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


@dataclass(frozen=True, slots=True)
class Implication:
    """A SWRL rule: where `body` matches, `head` holds. An empty head means `false`. `reads`: the nodes visited."""

    kind: Constant
    node: Constant
    head: tuple[Atom, ...]
    body: tuple[Atom, ...]
    reads: tuple[Constant, ...]
    sources: tuple[Triple, ...]


Axiom: TypeAlias = Pair | Characteristic | Collection | Restriction | Maximum | NegativeAssertion | Implication
Place: TypeAlias = tuple[bool, tuple[Triple, ...]]
"""The sort key of an axiom. A rule that several axioms yield gets the name of the first."""
_TAXONOMY = (RDFS_SUB_CLASS_OF, RDFS_SUB_PROPERTY_OF)


def place(axiom: Axiom) -> Place:
    """The place of an axiom: by its sources, with the taxonomy last.

    Most of the taxonomy in the closed schema follows from other axioms. Those say more about why a rule is there.
    """
    return axiom.kind in _TAXONOMY, axiom.sources
