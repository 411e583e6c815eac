"""Axioms as values: the schema triples that a rule of the W3C tables reads, with lists and class expressions unfolded.

`kind` is the vocabulary term that names the kind of axiom (`rdfs:subClassOf`, `owl:TransitiveProperty`,
`owl:someValuesFrom`, ...). A profile says how axioms of each kind are translated. Seven classes cover all kinds.
`sources` are the schema triples that an axiom was read from, in the order in which they were read, also those of list
cells and restrictions. The rules of the axiom get the same sources, and proofs show them.

Invariant: an axiom holds everything that its rules need, so that translating it is a pure function of this one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kgreason.rules.model import Atom, Computed, Constant, Triple
from kgreason.terms import vocabulary as v

PAIRS = (
    v.RDFS_SUB_CLASS_OF,
    v.RDFS_SUB_PROPERTY_OF,
    v.RDFS_DOMAIN,
    v.RDFS_RANGE,
    v.OWL_EQUIVALENT_CLASS,
    v.OWL_EQUIVALENT_PROPERTY,
    v.OWL_INVERSE_OF,
    v.OWL_DISJOINT_WITH,
    v.OWL_COMPLEMENT_OF,
    v.OWL_PROPERTY_DISJOINT_WITH,
)
"""The kinds of axioms that are one triple, whose predicate is the kind."""
COLLECTIONS = (v.OWL_INTERSECTION_OF, v.OWL_UNION_OF, v.OWL_ONE_OF, v.OWL_HAS_KEY, v.OWL_PROPERTY_CHAIN_AXIOM)
"""The predicates that lead from a node to the list of a `Collection`. (From a node with a type, owl:members does.)"""


@dataclass(frozen=True, slots=True)
class Pair:
    """One triple that relates two classes or two properties: `left kind right`."""

    kind: Constant
    left: Constant
    right: Constant
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A characteristic of a property, such as transitive: the triple `property_ rdf:type kind`."""

    kind: Constant
    property_: Constant
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """A node with a list, such as a union. `members` are the members of the list in order, at least one.

    `kind` is the predicate that leads from the node to the list. If this is `owl:members`, `kind` is the class of the
    node: `owl:AllDifferent`, `owl:AllDisjointClasses` or `owl:AllDisjointProperties`.
    """

    kind: Constant
    node: Constant
    members: tuple[Constant, ...]
    sources: tuple[Triple, ...]

    @property
    def link(self) -> tuple[Triple, ...]:
        """The sources without those of the list cells: the triples that lead to the list."""
        return self.sources[: -2 * len(self.members)]

    def cells(self, first: int, end: int) -> tuple[Triple, ...]:
        """Return the triples of the list cells with the numbers from `first` to `end - 1`, two for each cell."""
        start = len(self.sources) - 2 * len(self.members)
        return self.sources[start + 2 * first : start + 2 * end]


@dataclass(frozen=True, slots=True)
class Restriction:
    """A restriction: the class `node` has the things whose values of `property_` fit `filler`.

    `kind` says how: `owl:someValuesFrom` or `owl:allValuesFrom` (the filler is a class), `owl:hasValue` (a value), or
    `owl:hasSelf` (the filler is the literal true).
    """

    kind: Constant
    node: Constant
    property_: Constant
    filler: Constant
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Maximum:
    """A maximum cardinality: the class `node` has the things with at most `limit` values of `property_`.

    Only values in the class `on_class` count; if `on_class` is None, all values count. The limit is 0 or 1, because the
    W3C tables have no rows for larger limits.
    """

    kind: Constant
    node: Constant
    property_: Constant
    limit: int
    on_class: Constant | None
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class NegativeAssertion:
    """A negative property assertion: the triple `denied` must not hold.

    `kind` is the predicate that leads from `node` to the object of this triple: `owl:targetIndividual` or
    `owl:targetValue`.
    """

    kind: Constant
    node: Constant
    denied: Triple
    sources: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Implication:
    """A SWRL rule: if the atoms of `body` and the built-ins hold, the atoms of `head` hold.

    `computed` has the built-ins, as expressions. If `head` is empty, the rule derives `false`. `reads` are all nodes
    that were visited to read the rule.
    """

    kind: Constant
    node: Constant
    head: tuple[Atom, ...]
    body: tuple[Atom, ...]
    reads: tuple[Constant, ...]
    sources: tuple[Triple, ...]
    computed: tuple[Computed, ...] = ()


Axiom: TypeAlias = Pair | Characteristic | Collection | Restriction | Maximum | NegativeAssertion | Implication
