"""How histories of equal individuals are checked: rules are about individuals, not about their names.

The definition: every term is replaced by the first name of its individual, and then the perfect model is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import TypeAlias

from kgreason import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from kgreason.options import SameAsMode
from kgreason.rules.formatter import format_program
from kgreason.rules.model import Atom, Rule, Term
from kgreason.rules.program import Program
from tests.histories.drawn import SAME, Feature, history
from tests.histories.history import History, granted
from tests.oracle.datalog import Fact, FactLike
from tests.oracle.stratified import perfect

MODES: tuple[SameAsMode, ...] = ("aliases", "representatives", "rules")
Firsts: TypeAlias = dict[str, str]
"""The first name of the individual of each name that owl:sameAs links."""


class FailedError(Exception):
    """What the block of a transaction fails with."""


def run(seed: int, mode: SameAsMode, *features: Feature, path: Path | None = None) -> None:
    """Follow a random history."""
    follow(history(seed, "not", "same", *features), mode, Random(seed), path, f"seed {seed}, {mode}")


def follow(commits: History, mode: SameAsMode, random: Random, path: Path | None = None, said: str = "") -> None:
    """Follow a history of a graph. If it has a path, the graph is opened again at random.

    Every third commit is tried before it is made: in a what-if, or in a block that fails.
    """
    asserted, rules = dict[Atom, None](), dict[Rule, None]()
    graph = KnowledgeGraph.open(path, rules=["owl2rl"], same_as=mode)
    for step, commit in enumerate(commits):
        after, rules_after = granted(asserted, commit.facts), granted(rules, commit.rules)
        blocks = ["commit"] if step % 3 else [random.choice(["what if", "fails"]), "commit"]
        for tx in transactions(graph, blocks):
            change(tx, asserted, after)
            change_rules(tx, rules, rules_after)
        asserted, rules = after, rules_after
        if path and random.random() < 0.3:
            graph.close()
            graph = KnowledgeGraph.open(path)
        check(graph, model(asserted, rules), firsts_of(asserted), mode, f"{said}, step {step}")
    graph.close()


def transactions(graph: KnowledgeGraph, kinds: Iterable[str]) -> Iterator[Transaction]:
    """Yield a transaction of each of these kinds, of which only a commit changes the graph."""
    for kind in kinds:
        with suppress(FailedError), graph.what_if() if kind == "what if" else graph.transaction() as tx:
            yield tx
            if kind == "fails":
                raise FailedError


def change(tx: Transaction, before: Iterable[Atom], after: Iterable[Atom]) -> None:
    """Remove the facts that are gone, and add all facts of `after`."""
    for facts, triples, relations in ((set(before) - set(after), tx.remove, "delete"), (after, tx.add, "insert")):
        for relation, terms in facts:
            if relation is None:
                triples(tuple(map(str, terms)))
            else:
                getattr(tx.relation(relation, len(terms)), relations)([terms])


def change_rules(tx: Transaction, before: Iterable[Rule], after: Iterable[Rule]) -> None:
    """Remove all rules, and add those of `after`."""
    for edit, rules in ((tx.remove_rules, before), (tx.add_rules, after)):
        if text := format_program(Program(tuple(rules))):
            edit(text)


def check(graph: KnowledgeGraph, expected: set[Fact], firsts: Firsts, mode: SameAsMode, said: str) -> None:
    """Compare the facts of a graph with a model over first names. Unless representatives are shown, all names are."""
    found = facts_of(graph)
    assert {over(firsts, fact) for fact in found} == expected, said
    if mode != "representatives":
        names: dict[str, list[str]] = {}
        for name, first in firsts.items():
            names.setdefault(first, []).append(name)
        terms = [[names.get(term, [term]) for term in terms] for relation, terms in expected if relation is None]
        shown = {terms for relation, terms in found if relation is None}
        assert shown == {each for row in terms for each in product(*row)}, said


def facts_of(graph: KnowledgeGraph) -> set[Fact]:
    """The facts of relations, and the triples without those of OWL."""
    facts: set[Fact] = {(each.name, tuple(map(str, row))) for each in graph.relations() for row in each}
    triples = (tuple(map(str, quad.triple)) for quad in graph.match())
    return facts | {(None, terms) for terms in triples if "w3.org" not in terms[1]}


def model(asserted: Iterable[FactLike], rules: Iterable[Rule]) -> set[Fact]:
    """The perfect model over first names: facts of relations, and triples that RDF allows, without owl:sameAs."""
    firsts = firsts_of(asserted)
    facts = [over(firsts, (relation, terms)) for relation, terms in asserted if SAME not in terms]
    found = perfect(facts, [_renamed(rule, firsts) for rule in rules])
    return {(relation, terms) for relation, terms in found if relation or not terms[0].startswith('"')}


def firsts_of(asserted: Iterable[FactLike]) -> Firsts:
    groups: dict[str, set[str]] = {}
    for _, terms in asserted:
        if SAME in terms:
            one, _, other = terms
            joined = groups.get(one, {one}) | groups.get(other, {other})
            groups |= dict.fromkeys(joined, joined)
    return {name: min(group) for name, group in groups.items()}


def over(firsts: Firsts, fact: FactLike) -> Fact:
    """The fact about the individuals that its terms name."""
    return fact[0], tuple(firsts.get(str(term), str(term)) for term in fact[1])


def _renamed(rule: Rule, firsts: Firsts) -> Rule:
    """The rule about the individuals that its constants name."""

    def term(each: Term) -> Term:
        return firsts.get(each, each) if isinstance(each, str) else each

    def all_of(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(atom._replace(terms=tuple(map(term, atom.terms))) for atom in atoms)

    return replace(
        rule,
        heads=all_of(rule.heads),
        body=all_of(rule.body),
        negated=tuple(each._replace(atoms=all_of(each.atoms)) for each in rule.negated),
        computed=tuple(each._replace(parts=tuple(map(term, each.parts))) for each in rule.computed),
        aggregates=tuple(each._replace(atoms=all_of(each.atoms)) for each in rule.aggregates),
    )
