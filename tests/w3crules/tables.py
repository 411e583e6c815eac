"""The rules that the specifications name, by table.

Sources: OWL 2 Profiles (Second Edition), section 4.3, Tables 4 to 9; RDF 1.1 Semantics, sections 8.1.1 and 9.2.1;
Munoz, Perez and Gutierrez, "Simple and Efficient Minimal RDFS", Table 1, of which a rule with several conclusions or
alternatives is several here, as in rulesets/rhodf.dl.
"""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A table of a specification: the rule set that realises it, its title and its rules in order."""

    ruleset: str
    title: str
    rules: tuple[str, ...]


def _table(ruleset: str, title: str, rules: str) -> Table:
    return Table(ruleset, title, tuple(rules.split()))


TABLES = (
    _table(
        "owl2rl",
        "Table 4: the semantics of equality",
        "eq-ref eq-sym eq-trans eq-rep-s eq-rep-p eq-rep-o eq-diff1 eq-diff2 eq-diff3",
    ),
    _table(
        "owl2rl",
        "Table 5: the semantics of axioms about properties",
        "prp-ap prp-dom prp-rng prp-fp prp-ifp prp-irp prp-symp prp-asyp prp-trp prp-spo1 prp-spo2 prp-eqp1 prp-eqp2 "
        "prp-pdw prp-adp prp-inv1 prp-inv2 prp-key prp-npa1 prp-npa2",
    ),
    _table(
        "owl2rl",
        "Table 6: the semantics of classes",
        "cls-thing cls-nothing1 cls-nothing2 cls-int1 cls-int2 cls-uni cls-com cls-svf1 cls-svf2 cls-avf cls-hv1 "
        "cls-hv2 cls-maxc1 cls-maxc2 cls-maxqc1 cls-maxqc2 cls-maxqc3 cls-maxqc4 cls-oo",
    ),
    _table("owl2rl", "Table 7: the semantics of class axioms", "cax-sco cax-eqc1 cax-eqc2 cax-dw cax-adc"),
    _table("owl2rl", "Table 8: the semantics of datatypes", "dt-type1 dt-type2 dt-eq dt-diff dt-not-type"),
    _table(
        "owl2rl",
        "Table 9: the semantics of schema vocabulary",
        "scm-cls scm-sco scm-eqc1 scm-eqc2 scm-op scm-dp scm-spo scm-eqp1 scm-eqp2 scm-dom1 scm-dom2 scm-rng1 "
        "scm-rng2 scm-hv scm-svf1 scm-svf2 scm-avf1 scm-avf2 scm-int scm-uni",
    ),
    _table(
        "rdfs",
        "RDF and RDFS entailment",
        "rdfD1 rdfD2 rdfs1 rdfs2 rdfs3 rdfs4a rdfs4b rdfs5 rdfs6 rdfs7 rdfs8 rdfs9 rdfs10 rdfs11 rdfs12 rdfs13 "
        "rdf-axiomatic rdfs-axiomatic-domain rdfs-axiomatic-range rdfs-axiomatic-hierarchy",
    ),
    _table(
        "rhodf",
        "Minimal RDFS (rho-df)",
        "rho-2a rho-2b rho-3a rho-3b rho-4a rho-4b rho-5a rho-5b rho-6a rho-6b rho-6c rho-6d-domain rho-6d-range "
        "rho-7a rho-7b-domain rho-7b-range rho-7b-type",
    ),
)

KNOWN = frozenset((table.ruleset, rule) for table in TABLES for rule in table.rules)
"""(rule set, rule) of every rule above."""
