"""Wrong readings of the rules of owl2el.dl: each gives a wrong result for a small ontology that is kept here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize import selection
from kgreason.rules.model import Atom, Rule
from kgreason.rules.parser import ruleset
from kgreason.rules.program import Program
from tests.el.ontologies import triples_of
from tests.el.test_random import expected, present
from tests.oracle.el import Axiom, Expression

Reading = Callable[[Rule], Rule | None]
RULES = ruleset("owl2el")


def without(*names: str) -> Reading:
    """The reading that leaves rules out."""
    assert set(names) <= {rule.name for rule in RULES.rules}
    return lambda rule: None if rule.name in names else rule


def below_for_subs(rule: Rule) -> Rule:
    """The reading in which every body reads what still has to be taken apart."""
    if rule.name == "el-subs":
        return rule
    body = tuple(Atom("el_below", each.terms) if each.relation == "el_subs" else each for each in rule.body)
    return replace(rule, body=body)


def same_role(name: str) -> Reading:
    """The reading in which the rule `name` forgets the roles above a role."""
    assert any(atom.relation == "el_sub" for rule in RULES.rules if rule.name == name for atom in rule.body)

    def reading(rule: Rule) -> Rule:
        if rule.name != name:
            return rule
        body = tuple(replace_role(each) for each in rule.body)
        return replace(rule, body=body)

    def replace_role(atom: Atom) -> Atom:
        return atom if atom.relation != "el_sub" else Atom("el_sub", (atom.terms[0], atom.terms[0]))

    return lambda rule: _unified(reading(rule), rule)


def _unified(changed: Rule, rule: Rule) -> Rule:
    """The changed rule with the variable of the upper role replaced by that of the lower role."""
    if changed == rule:
        return rule
    (upper,) = (atom for atom in rule.body if atom.relation == "el_sub")
    low, high = upper.terms
    swap = {high: low}
    heads = tuple(Atom(each.relation, tuple(swap.get(term, term) for term in each.terms)) for each in changed.heads)
    body = tuple(Atom(each.relation, tuple(swap.get(term, term) for term in each.terms)) for each in changed.body)
    return replace(changed, heads=heads, body=body)


SOME: Expression = ("some", "r0", "C1")
OTHER: Expression = ("some", "r0", "C9")
BELOW: Axiom = ("sub", "C9", "C1")
"""Two restrictions, and an axiom by which the second is below the first. A copy of SOME is put together unasked."""
CASES: dict[str, tuple[Reading, list[Axiom]]] = {
    "bodies read below": (
        below_for_subs,
        [("same", "C0", ("and", "C1", "C2")), ("sub", "C3", "C1"), ("sub", "C3", "C2"), ("sub", "C0", "C4")],
    ),
    "a complement asks for nothing": (
        without("el-asked-complement"),
        [("sub", "C0", ("not", SOME)), ("sub", "C0", OTHER), BELOW],
    ),
    "disjoint classes ask for nothing": (
        without("el-asked-disjoint", "el-asked-disjoint-other"),
        [("disjoint", "C2", SOME), ("sub", "C0", "C2"), ("sub", "C0", OTHER), BELOW],
    ),
    "a filler is not asked for": (
        without("el-asked-some"),
        [("sub", ("some", "r1", SOME), "C2"), ("sub", "C0", ("some", "r1", "C3")), ("sub", "C3", OTHER), BELOW],
    ),
    "a member is not asked for": (
        without("el-asked-and"),
        [("sub", ("and", "C3", SOME), "C2"), ("sub", "C0", "C3"), ("sub", "C0", OTHER), BELOW],
    ),
    "a chain with a reflexive first role": (
        without("el-step-chain-left"),
        [("reflexive", "r0"), ("chain", "r0", "r1", "r2"), ("sub", "C0", ("some", "r1", "C1")),
         ("sub", ("some", "r2", "C1"), "C2")],
    ),
    "a chain with a reflexive second role": (
        without("el-step-chain-right"),
        [("reflexive", "r0"), ("chain", "r1", "r0", "r2"), ("sub", "C0", ("some", "r1", "C1")),
         ("sub", ("some", "r2", "C1"), "C2")],
    ),
    "a reflexive role asks its own class": (
        without("el-together-reflexive"),
        [("reflexive", "r0"), ("sub", SOME, "C2")],
    ),
    "a domain of a reflexive role": (
        without("el-reflexive-domain"),
        [("reflexive", "r0"), ("domain", "r0", "C1"), ("sub", "C0", "C2")],
    ),
    "ranges of a superproperty": (
        same_role("el-range-of"),
        [("role", "r0", "r1"), ("range", "r1", "C2"), ("sub", "C0", SOME),
         ("sub", ("some", "r0", ("and", "C1", "C2")), "C3")],
    ),
    "a range says nothing of the filler": (
        without("el-within-range"),
        [("range", "r0", "C2"), ("sub", "C0", SOME), ("sub", ("some", "r0", "C2"), "C3")],
    ),
    "domains of a superproperty": (
        same_role("el-domain-of"),
        [("role", "r0", "r1"), ("domain", "r1", "C2"), ("sub", "C0", SOME)],
    ),
    "an asked restriction of a superproperty": (
        same_role("el-together-some"),
        [("role", "r0", "r1"), ("sub", "C0", SOME), ("sub", ("some", "r1", "C1"), "C2")],
    ),
    "an empty filler": (
        without("el-bottom"),
        [("sub", "C1", "Nothing"), ("sub", "C0", SOME)],
    ),
    "a complement is not taken apart": (
        without("el-complement"),
        [("sub", "C0", ("not", "C1")), ("sub", "C0", "C1")],
    ),
    "links that a chain needs are not followed": (
        without("el-live-chain"),
        [("chain", "r0", "r1", "r2"), ("chain", "r2", "r1", "r3"), ("sub", "C0", ("some", "r0", "C1")),
         ("sub", "C1", ("some", "r1", "C2")), ("sub", "C2", ("some", "r1", "C3")), ("sub", ("some", "r3", "C3"), "C4")],
    ),
    "links over a role below are not followed": (
        without("el-live-sub"),
        [("chain", "r0", "r1", "r2"), ("role", "r2", "r3"), ("sub", "C0", ("some", "r0", "C1")),
         ("sub", "C1", ("some", "r1", "C2")), ("sub", ("some", "r3", "C2"), "C4")],
    ),
    "a domain keeps no role alive": (
        without("el-live-domain"),
        [("chain", "r0", "r1", "r2"), ("domain", "r2", "C4"), ("sub", "C0", ("some", "r0", "C1")),
         ("sub", "C1", ("some", "r1", "C2"))],
    ),
    "a nominal may be empty": (
        without("el-nominal-empty"),
        [("type", "i0", "C0"), ("sub", "C0", "Nothing"), ("sub", "C1", "C2")],
    ),
    "a range says nothing of an individual": (
        without("el-link-range"),
        [("range", "r0", "C2"), ("link", "i0", "r0", "i1"), ("type", "i0", "C0")],
    ),
}  # fmt: skip


def agrees(axioms: list[Axiom]) -> bool:
    """Whether a graph agrees with the oracle."""
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(*(triple for number, axiom in enumerate(axioms) for triple in triples_of(number, axiom)))
        return present(graph) == expected(axioms)


@pytest.mark.parametrize(("reading", "axioms"), CASES.values(), ids=CASES)
def test_wrong_readings(reading: Reading, axioms: list[Axiom], monkeypatch: pytest.MonkeyPatch) -> None:
    assert agrees(axioms)
    rules = tuple(changed for rule in RULES.rules if (changed := reading(rule)))

    def misread(name: str) -> Program:
        return replace(RULES, rules=rules) if name == "owl2el" else ruleset(name)

    monkeypatch.setattr(selection, "ruleset", misread)
    assert not agrees(axioms)
