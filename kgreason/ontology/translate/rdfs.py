"""The rows of the RDFS and rho-df tables whose premises are one axiom and one triple of data.

RDFS: the entailment patterns of RDF 1.1 Semantics, section 9.2.1. rho-df: Munoz, Perez, Gutierrez, Simple and Efficient
Minimal RDFS, Table 1. Both tables have the same four rows of this kind, under different names. The other rows are not
here. Some derive schema from schema, so they close the schema before it is translated (rdfs5, rdfs11, rho-2a, ...).
Some have no schema premise (rdfs4a). rho-5a and rho-5b join two axioms at a property that is a blank node. They are
superfluous: kgreason allows blank nodes as predicates, so rho-2b with rho-4a or rho-4b derives the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.ontology.read.axioms import Pair
from kgreason.ontology.read.rows import RowTable, X, Y, rule
from kgreason.rules.model import Rule, triple, type_atom
from kgreason.terms import vocabulary as v


def rdfs2(axiom: Pair, name: str = "rdfs2") -> Iterator[Rule]:
    """If a property has a domain, every subject of the property is an instance of the domain."""
    yield rule(name, axiom, type_atom(X, axiom.right), triple(X, axiom.left, Y))


def rdfs3(axiom: Pair, name: str = "rdfs3") -> Iterator[Rule]:
    """If a property has a range, every object of the property is an instance of the range."""
    yield rule(name, axiom, type_atom(Y, axiom.right), triple(X, axiom.left, Y))


def rdfs7(axiom: Pair, name: str = "rdfs7") -> Iterator[Rule]:
    """If a property relates x to y, its superproperties relate x to y."""
    yield rule(name, axiom, triple(X, axiom.right, Y), triple(X, axiom.left, Y))


def rdfs9(axiom: Pair, name: str = "rdfs9") -> Iterator[Rule]:
    """An instance of a class is an instance of its superclasses."""
    yield rule(name, axiom, type_atom(X, axiom.right), type_atom(X, axiom.left))


def rho_2b(axiom: Pair) -> Iterator[Rule]:
    """Yield the rule of rdfs7 under the name that rho-df has for it: rho-2b."""
    return rdfs7(axiom, "rho-2b")


def rho_3b(axiom: Pair) -> Iterator[Rule]:
    """Yield the rule of rdfs9 under the name that rho-df has for it: rho-3b."""
    return rdfs9(axiom, "rho-3b")


def rho_4a(axiom: Pair) -> Iterator[Rule]:
    """Yield the rule of rdfs2 under the name that rho-df has for it: rho-4a."""
    return rdfs2(axiom, "rho-4a")


def rho_4b(axiom: Pair) -> Iterator[Rule]:
    """Yield the rule of rdfs3 under the name that rho-df has for it: rho-4b."""
    return rdfs3(axiom, "rho-4b")


ROWS: RowTable = {
    v.RDFS_DOMAIN: (rdfs2,),
    v.RDFS_RANGE: (rdfs3,),
    v.RDFS_SUB_PROPERTY_OF: (rdfs7,),
    v.RDFS_SUB_CLASS_OF: (rdfs9,),
}
"""The rows of RDFS by kind of axiom."""

RHODF_ROWS: RowTable = {
    v.RDFS_SUB_PROPERTY_OF: (rho_2b,),
    v.RDFS_SUB_CLASS_OF: (rho_3b,),
    v.RDFS_DOMAIN: (rho_4a,),
    v.RDFS_RANGE: (rho_4b,),
}
"""The rows of rho-df by kind of axiom."""
