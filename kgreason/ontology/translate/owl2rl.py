"""The rows of OWL 2 RL/RDF that read an axiom, in the order of the tables (OWL 2 Profiles, section 4.3).

There is one function for each of these rows of the W3C tables: the rows of table 4 (equality) that read an
owl:AllDifferent, and the rows of the tables 5 (properties), 6 (classes) and 7 (class axioms) that read an axiom. The
functions for rows that read a list are in `lists`. Rows without a premise about schema (the other eq-* rows, prp-ap,
cls-thing, cls-nothing1, cls-nothing2, the dt-* rows of table 8) are generic rules. The scm-* rows of table 9 close the
schema before it is translated.

Law: for a schema closed under the scm-* rows, the rules of all axioms together with the generic rules derive the same
facts from the data as the W3C tables. Anonymous classes are kept: a blank node is a constant like any other.

If the filler of a restriction is owl:Thing, two rows apply. Only the one that needs fewer premises (cls-svf2,
cls-maxqc2, cls-maxqc4) yields a rule. Rows that conclude `false` have the head `FALSE`. A row that makes terms equal
(prp-fp, prp-ifp, prp-key, cls-maxc2, cls-maxqc3, cls-maxqc4) yields a second rule, whose name ends in `-literals`. This
rule derives `false` if the terms are literals of different values.
Cost: one rule for each axiom and row, or some rules for each member of a list.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.ontology.read.axioms import (
    Characteristic,
    Maximum,
    NegativeAssertion,
    Pair,
    Restriction,
)
from kgreason.ontology.read.rows import X1, X2, Y1, Y2, RowTable, U, V, X, Y, Z, equality_rules, rule
from kgreason.ontology.translate.lists import (
    cax_adc,
    cls_int1,
    cls_int2,
    cls_oo,
    cls_uni,
    eq_diff2,
    eq_diff3,
    prp_adp,
    prp_key,
    prp_spo2,
)
from kgreason.rules.model import FALSE, Rule, triple, type_atom
from kgreason.terms import vocabulary as v

# Table 5: the semantics of axioms about properties


def prp_dom(axiom: Pair) -> Iterator[Rule]:
    """If a property has a domain, every subject of the property is an instance of the domain."""
    yield rule("prp-dom", axiom, type_atom(X, axiom.right), triple(X, axiom.left, Y))


def prp_rng(axiom: Pair) -> Iterator[Rule]:
    """If a property has a range, every object of the property, also a literal, is an instance of the range."""
    yield rule("prp-rng", axiom, type_atom(Y, axiom.right), triple(X, axiom.left, Y))


def prp_fp(axiom: Characteristic) -> Iterator[Rule]:
    """If a property is functional, all its values for the same subject are the same."""
    p = axiom.property_
    yield from equality_rules("prp-fp", axiom, (Y1, Y2), triple(X, p, Y1), triple(X, p, Y2))


def prp_ifp(axiom: Characteristic) -> Iterator[Rule]:
    """If a property is inverse functional, all subjects with the same value are the same."""
    p = axiom.property_
    yield from equality_rules("prp-ifp", axiom, (X1, X2), triple(X1, p, Y), triple(X2, p, Y))


def prp_irp(axiom: Characteristic) -> Iterator[Rule]:
    """Nothing is related to itself by an irreflexive property."""
    yield rule("prp-irp", axiom, FALSE, triple(X, axiom.property_, X))


def prp_symp(axiom: Characteristic) -> Iterator[Rule]:
    """If a symmetric property relates x to y, it relates y to x."""
    yield rule("prp-symp", axiom, triple(Y, axiom.property_, X), triple(X, axiom.property_, Y))


def prp_asyp(axiom: Characteristic) -> Iterator[Rule]:
    """It is `false` that an asymmetric property relates x to y and y to x."""
    yield rule("prp-asyp", axiom, FALSE, triple(X, axiom.property_, Y), triple(Y, axiom.property_, X))


def prp_trp(axiom: Characteristic) -> Iterator[Rule]:
    """If a transitive property relates x to y and y to z, it relates x to z."""
    p = axiom.property_
    yield rule("prp-trp", axiom, triple(X, p, Z), triple(X, p, Y), triple(Y, p, Z))


def prp_spo1(axiom: Pair) -> Iterator[Rule]:
    """If a property relates x to y, its superproperties relate x to y."""
    yield rule("prp-spo1", axiom, triple(X, axiom.right, Y), triple(X, axiom.left, Y))


def prp_eqp1(axiom: Pair) -> Iterator[Rule]:
    """If the left one of two equivalent properties relates x to y, so does the right one."""
    yield rule("prp-eqp1", axiom, triple(X, axiom.right, Y), triple(X, axiom.left, Y))


def prp_eqp2(axiom: Pair) -> Iterator[Rule]:
    """If the right one of two equivalent properties relates x to y, so does the left one."""
    yield rule("prp-eqp2", axiom, triple(X, axiom.left, Y), triple(X, axiom.right, Y))


def prp_pdw(axiom: Pair) -> Iterator[Rule]:
    """Two disjoint properties never relate the same subject to the same object."""
    yield rule("prp-pdw", axiom, FALSE, triple(X, axiom.left, Y), triple(X, axiom.right, Y))


def prp_inv1(axiom: Pair) -> Iterator[Rule]:
    """If the left one of two inverse properties relates x to y, the right one relates y to x."""
    yield rule("prp-inv1", axiom, triple(Y, axiom.right, X), triple(X, axiom.left, Y))


def prp_inv2(axiom: Pair) -> Iterator[Rule]:
    """If the right one of two inverse properties relates x to y, the left one relates y to x."""
    yield rule("prp-inv2", axiom, triple(Y, axiom.left, X), triple(X, axiom.right, Y))


def prp_npa1(axiom: NegativeAssertion) -> Iterator[Rule]:
    """It is `false` that the denied triple holds, if its object is given by owl:targetIndividual."""
    yield rule("prp-npa1", axiom, FALSE, triple(*axiom.denied))


def prp_npa2(axiom: NegativeAssertion) -> Iterator[Rule]:
    """It is `false` that the denied triple holds, if its object is given by owl:targetValue."""
    yield rule("prp-npa2", axiom, FALSE, triple(*axiom.denied))


# Table 6: the semantics of classes


def cls_com(axiom: Pair) -> Iterator[Rule]:
    """Nothing is in a class and in its complement."""
    yield rule("cls-com", axiom, FALSE, type_atom(X, axiom.left), type_atom(X, axiom.right))


def cls_svf1(axiom: Restriction) -> Iterator[Rule]:
    """For `some p C`: a thing with a p-value in C is in the restriction (C is not owl:Thing)."""
    if axiom.filler != v.OWL_THING:
        has_value = triple(U, axiom.property_, V)
        yield rule("cls-svf1", axiom, type_atom(U, axiom.node), has_value, type_atom(V, axiom.filler))


def cls_svf2(axiom: Restriction) -> Iterator[Rule]:
    """For `some p owl:Thing`: a thing with any p-value is in the restriction."""
    if axiom.filler == v.OWL_THING:
        yield rule("cls-svf2", axiom, type_atom(U, axiom.node), triple(U, axiom.property_, V))


def cls_avf(axiom: Restriction) -> Iterator[Rule]:
    """For `only p C`: the p-values of a thing in the restriction are in C."""
    yield rule("cls-avf", axiom, type_atom(V, axiom.filler), type_atom(U, axiom.node), triple(U, axiom.property_, V))


def cls_hv1(axiom: Restriction) -> Iterator[Rule]:
    """For `p value v`: a thing in the restriction has the p-value v."""
    yield rule("cls-hv1", axiom, triple(U, axiom.property_, axiom.filler), type_atom(U, axiom.node))


def cls_hv2(axiom: Restriction) -> Iterator[Rule]:
    """For `p value v`: a thing with the p-value v is in the restriction."""
    yield rule("cls-hv2", axiom, type_atom(U, axiom.node), triple(U, axiom.property_, axiom.filler))


def cls_maxc1(axiom: Maximum) -> Iterator[Rule]:
    """For `max 0 p`: it is `false` that a thing in the restriction has a p-value."""
    if axiom.limit == 0:
        yield rule("cls-maxc1", axiom, FALSE, type_atom(U, axiom.node), triple(U, axiom.property_, Y))


def cls_maxc2(axiom: Maximum) -> Iterator[Rule]:
    """For `max 1 p`: all p-values of a thing in the restriction are the same."""
    if axiom.limit == 1:
        values = (triple(U, axiom.property_, y) for y in (Y1, Y2))
        yield from equality_rules("cls-maxc2", axiom, (Y1, Y2), type_atom(U, axiom.node), *values)


def cls_maxqc1(axiom: Maximum) -> Iterator[Rule]:
    """For `max 0 p C`: it is `false` that a thing in the restriction has a p-value in C."""
    if axiom.limit == 0 and axiom.on_class not in (None, v.OWL_THING):
        value = (triple(U, axiom.property_, Y), type_atom(Y, axiom.on_class))
        yield rule("cls-maxqc1", axiom, FALSE, type_atom(U, axiom.node), *value)


def cls_maxqc2(axiom: Maximum) -> Iterator[Rule]:
    """For `max 0 p owl:Thing`: it is `false` that a thing in the restriction has a p-value."""
    if axiom.limit == 0 and axiom.on_class == v.OWL_THING:
        yield rule("cls-maxqc2", axiom, FALSE, type_atom(U, axiom.node), triple(U, axiom.property_, Y))


def cls_maxqc3(axiom: Maximum) -> Iterator[Rule]:
    """For `max 1 p C`: all p-values in C of a thing in the restriction are the same."""
    if axiom.limit == 1 and axiom.on_class not in (None, v.OWL_THING):
        values = (atom for y in (Y1, Y2) for atom in (triple(U, axiom.property_, y), type_atom(y, axiom.on_class)))
        yield from equality_rules("cls-maxqc3", axiom, (Y1, Y2), type_atom(U, axiom.node), *values)


def cls_maxqc4(axiom: Maximum) -> Iterator[Rule]:
    """For `max 1 p owl:Thing`: all p-values of a thing in the restriction are the same."""
    if axiom.limit == 1 and axiom.on_class == v.OWL_THING:
        values = (triple(U, axiom.property_, y) for y in (Y1, Y2))
        yield from equality_rules("cls-maxqc4", axiom, (Y1, Y2), type_atom(U, axiom.node), *values)


# Table 7: the semantics of class axioms


def cax_sco(axiom: Pair) -> Iterator[Rule]:
    """An instance of a class is an instance of its superclasses."""
    yield rule("cax-sco", axiom, type_atom(X, axiom.right), type_atom(X, axiom.left))


def cax_eqc1(axiom: Pair) -> Iterator[Rule]:
    """An instance of the left one of two equivalent classes is an instance of the right one."""
    yield rule("cax-eqc1", axiom, type_atom(X, axiom.right), type_atom(X, axiom.left))


def cax_eqc2(axiom: Pair) -> Iterator[Rule]:
    """An instance of the right one of two equivalent classes is an instance of the left one."""
    yield rule("cax-eqc2", axiom, type_atom(X, axiom.left), type_atom(X, axiom.right))


def cax_dw(axiom: Pair) -> Iterator[Rule]:
    """Nothing is in two disjoint classes."""
    yield rule("cax-dw", axiom, FALSE, type_atom(X, axiom.left), type_atom(X, axiom.right))


# Beyond the tables


def has_self1(axiom: Restriction) -> Iterator[Rule]:
    """For `p Self`: a thing in the restriction has itself as a p-value."""
    yield rule("has-self1", axiom, triple(X, axiom.property_, X), type_atom(X, axiom.node))


def has_self2(axiom: Restriction) -> Iterator[Rule]:
    """For `p Self`: a thing with itself as a p-value is in the restriction."""
    yield rule("has-self2", axiom, type_atom(X, axiom.node), triple(X, axiom.property_, X))


ROWS: RowTable = {
    v.OWL_ALL_DIFFERENT: (eq_diff2,),
    v.OWL_DISTINCT_MEMBERS: (eq_diff3,),
    v.RDFS_DOMAIN: (prp_dom,),
    v.RDFS_RANGE: (prp_rng,),
    v.OWL_FUNCTIONAL_PROPERTY: (prp_fp,),
    v.OWL_INVERSE_FUNCTIONAL_PROPERTY: (prp_ifp,),
    v.OWL_IRREFLEXIVE_PROPERTY: (prp_irp,),
    v.OWL_SYMMETRIC_PROPERTY: (prp_symp,),
    v.OWL_ASYMMETRIC_PROPERTY: (prp_asyp,),
    v.OWL_TRANSITIVE_PROPERTY: (prp_trp,),
    v.RDFS_SUB_PROPERTY_OF: (prp_spo1,),
    v.OWL_PROPERTY_CHAIN_AXIOM: (prp_spo2,),
    v.OWL_EQUIVALENT_PROPERTY: (prp_eqp1, prp_eqp2),
    v.OWL_PROPERTY_DISJOINT_WITH: (prp_pdw,),
    v.OWL_ALL_DISJOINT_PROPERTIES: (prp_adp,),
    v.OWL_INVERSE_OF: (prp_inv1, prp_inv2),
    v.OWL_HAS_KEY: (prp_key,),
    v.OWL_TARGET_INDIVIDUAL: (prp_npa1,),
    v.OWL_TARGET_VALUE: (prp_npa2,),
    v.OWL_INTERSECTION_OF: (cls_int1, cls_int2),
    v.OWL_UNION_OF: (cls_uni,),
    v.OWL_COMPLEMENT_OF: (cls_com,),
    v.OWL_SOME_VALUES_FROM: (cls_svf1, cls_svf2),
    v.OWL_ALL_VALUES_FROM: (cls_avf,),
    v.OWL_HAS_VALUE: (cls_hv1, cls_hv2),
    v.OWL_MAX_CARDINALITY: (cls_maxc1, cls_maxc2),
    v.OWL_MAX_QUALIFIED_CARDINALITY: (cls_maxqc1, cls_maxqc2, cls_maxqc3, cls_maxqc4),
    v.OWL_ONE_OF: (cls_oo,),
    v.RDFS_SUB_CLASS_OF: (cax_sco,),
    v.OWL_EQUIVALENT_CLASS: (cax_eqc1, cax_eqc2),
    v.OWL_DISJOINT_WITH: (cax_dw,),
    v.OWL_ALL_DISJOINT_CLASSES: (cax_adc,),
}
"""The rows of OWL 2 RL by kind of axiom, in the order of the tables."""

IMPLIED: RowTable = {
    v.RDFS_SUB_CLASS_OF: (cls_int2, cls_uni, cax_eqc1, cax_eqc2),
    v.RDFS_SUB_PROPERTY_OF: (prp_eqp1, prp_eqp2),
}
"""Rows whose rules follow from subclass or subproperty axioms: the closed schema has these axioms, by scm-int, scm-uni,
scm-eqc1 and scm-eqp1. If one generic rule reads all axioms of such a kind, the rows have no rules of their own."""

HAS_SELF: RowTable = {v.OWL_HAS_SELF: (has_self1, has_self2)}
"""The rows of the group `has-self`, which is no part of the tables."""
