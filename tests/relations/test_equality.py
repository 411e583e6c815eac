"""Facts of relations under owl:sameAs: rules read them about individuals, whatever their names."""

from __future__ import annotations

from random import Random
from typing import get_args

import pytest

from kgreason import KnowledgeGraph
from kgreason.materialize.options import SameAsMode
from tests.oracle.stratified import perfect

SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
NAMES = [f"<urn:{name}>" for name in "abcde"]
RULES = """
[?x, <urn:near>, ?y] :- edge(?x, ?y) .
[?x, <urn:far>, ?z] :- edge(?x, ?y), edge(?y, ?z) .
[?x, <urn:loop>, ?x] :- edge(?x, ?x) .
[?x, <urn:end>, ?x] :- node(?x), NOT EXISTS ?y IN (edge(?x, ?y)) .
"""


@pytest.mark.parametrize("mode", get_args(SameAsMode))
def test_a_rule_finds_a_fact_by_an_equal_term(mode: SameAsMode) -> None:
    with KnowledgeGraph.open(same_as=mode) as graph:
        with graph.transaction() as tx:
            tx.add_rules("[?x, <urn:q>, ?y] :- edge(?x, ?y), [?y, a, <urn:C>] .")
            tx.relation("edge").insert([("urn:x", "urn:z")])
            tx.add(("urn:a", "a", "urn:C"))
        delta = graph.add(("urn:z", "http://www.w3.org/2002/07/owl#sameAs", "urn:a"))
        assert any(predicate == "<urn:q>" for _, predicate, _ in delta.appeared())
        delta = graph.remove(("urn:z", "http://www.w3.org/2002/07/owl#sameAs", "urn:a"))
        assert any(predicate == "<urn:q>" for _, predicate, _ in delta.disappeared())


@pytest.mark.parametrize("mode", ["aliases", "rules"])
def test_random_commits_are_as_over_individuals(mode: SameAsMode) -> None:
    for seed in range(12):
        follow(seed, mode)


def follow(seed: int, mode: SameAsMode) -> None:
    """After each commit the derived triples are those of the rules over all names of all individuals."""
    random = Random(seed)
    links: set[tuple[str, str]] = set()
    facts: set[tuple[str, tuple[str, ...]]] = {("node", (name,)) for name in NAMES}
    with KnowledgeGraph.open(same_as=mode) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
            tx.relation("node").insert([(name,) for name in NAMES])
        for _ in range(6):
            link = random.choice(NAMES), random.choice(NAMES)
            fact = "edge", (random.choice(NAMES), random.choice(NAMES))
            with graph.transaction() as tx:
                (tx.remove if link in links else tx.add)((link[0], SAME, link[1]))
                edge = tx.relation("edge")
                (edge.delete if fact in facts else edge.insert)([fact[1]])
            links ^= {link}
            facts ^= {fact}
            found = {
                (str(quad.subject), str(quad.predicate), str(quad.object))
                for quad in graph.match()
                if str(quad.predicate).startswith("<urn:")
            }
            assert found == wanted(links, facts), f"history {seed}"


def wanted(links: set[tuple[str, str]], facts: set[tuple[str, tuple[str, ...]]]) -> set[tuple[str, str, str]]:
    """The derived triples by definition: the facts with every term replaced by each of its equals, then the rules."""
    from kgreason.rules.parser import parse

    group = {name: {name} for name in NAMES}
    for one, other in links:
        joined = group[one] | group[other]
        for name in joined:
            group[name] = joined
    every = [(relation, row) for relation, terms in facts for row in _rows([group[term] for term in terms])]
    model = perfect(every, parse(RULES, "<rules>", None).rules)
    triples = {terms for relation, terms in model if relation is None}
    return {(s, p, o) for x, p, y in triples for s in group[x] for o in group[y]}


def _rows(choices: list[set[str]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [()]
    for choice in choices:
        rows = [(*row, term) for row in rows for term in choice]
    return rows
