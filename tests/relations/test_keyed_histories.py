"""Random histories of keyed relations, owl:sameAs and rules, in stores that are opened again, against the definition.

The definition: a key is about names, so asserted facts are those of a dict. Rules are about individuals, so every term
is replaced by the first name of its individual, and then the perfect model is taken.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import get_args

import pytest

from kgreason import KnowledgeGraph
from kgreason.engine.changes import Strategy
from kgreason.errors import InputError
from kgreason.graph.transaction import Transaction
from kgreason.materialize.options import SameAsMode
from kgreason.rules.parser import parse
from tests.oracle.aggregates import number
from tests.oracle.stratified import perfect
from tests.volume import many_seeds

QUICK, SLOW = 24, 125
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
NAMES = [f"<urn:{name}>" for name in "abcde"]
DECLARED = """
@relation edge(from, to, weight: xsd:integer) key(from, to) .
@relation score(who, points: xsd:integer) key(who) .
"""
RULES = [
    "reach(?x, ?y) :- edge(?x, ?y, ?w) .",
    "reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z, ?w) .",
    "alone(?x) :- score(?x, ?n), NOT EXISTS ?y, ?w IN (edge(?x, ?y, ?w)) .",
    "total(?x, ?n) :- AGGREGATE(edge(?x, ?y, ?w) ON ?x BIND SUM(?w) AS ?n) .",
    "degree(?x, ?n) :- AGGREGATE(reach(?x, ?y) ON ?x BIND COUNT(DISTINCT ?y) AS ?n) .",
    "best(?n) :- AGGREGATE(score(?x, ?m) BIND MAX(?m) AS ?n) .",
    "few(?x, ?n) :- AGGREGATE(edge(?x, ?y, ?w), score(?y, ?m) ON ?x BIND COUNT(*) AS ?n) .",
    "[?x, <urn:heavy>, ?y] :- edge(?x, ?y, ?w), total(?x, ?w), NOT alone(?y) .",
    "winner(?x) :- score(?x, ?n), best(?n), NOT reach(?x, ?x) .",
    "score(?y, 3) :- [?x, <urn:p>, ?y], NOT [?y, <urn:p>, ?y] .",
    "edge(?x, ?y, 1) :- [?x, <urn:p>, ?y], NOT [?y, <urn:p>, ?x] .",
]
_HEADS = ("reach", "alone", "total", "degree", "best", "few", "winner", "edge", "score")


@pytest.mark.parametrize("mode", get_args(SameAsMode))
def test_every_commit_is_as_over_individuals(mode: SameAsMode, tmp_path: Path) -> None:
    for seed in range(QUICK // 3):
        follow(seed, mode, tmp_path / str(seed))


@pytest.mark.parametrize("part", range(5))
def test_every_commit_of_many_histories_is_as_over_individuals(part: int, tmp_path: Path) -> None:
    modes = get_args(SameAsMode)
    for seed in many_seeds(QUICK, SLOW, part, 5):
        follow(seed, modes[seed % 3], tmp_path / str(seed))


def follow(seed: int, mode: SameAsMode, path: Path) -> None:
    """Follow a history in a store that is opened again at random; every fourth one in memory."""
    random = Random(seed)
    strategy: Strategy = random.choice(["auto", "update", "update", "bootstrap"])
    place = None if seed % 4 == 0 else path
    history = _History(random)
    graph = KnowledgeGraph.open(place, same_as=mode, strategy=strategy)
    with graph.transaction() as tx:
        tx.add_rules(DECLARED)
    for step in range(6):
        said = f"history {seed}, {mode}, {strategy}, commit {step}"
        with graph.transaction() as tx:
            history.edit(tx)
        assert asserted(graph) == history.asserted(), said
        assert derived(graph, history.firsts()) == history.derived(), said
        if place and random.random() < 0.3:
            graph.close()
            graph = KnowledgeGraph.open(place, strategy=strategy)
            assert derived(graph, history.firsts()) == history.derived(), f"{said}, opened again"
    graph.close()


class _History:
    """What was asserted so far, by definition."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._tables: dict[str, dict[tuple[str, ...], int]] = {"edge": {}, "score": {}}
        self._links: set[tuple[str, str]] = set()
        self._triples: set[tuple[str, str]] = set()
        self._rules: set[str] = set()

    def edit(self, tx: Transaction) -> None:
        """Make random edits in a transaction and here."""
        random = self._random
        for rule in RULES:
            if random.random() < (0.1 if rule in self._rules else 0.4):
                (tx.remove_rules if rule in self._rules else tx.add_rules)(rule)
                self._rules ^= {rule}
        for _ in range(random.randrange(4)):
            self._edit(tx, random.choice(["edge", "edge", "score"]))
        for predicate, pairs, often in ((SAME, self._links, 0.4), ("<urn:p>", self._triples, 0.5)):
            if random.random() < often:
                pair = random.choice(NAMES), random.choice(NAMES)
                pair = random.choice(sorted(pairs)) if pairs and random.random() < 0.4 else pair
                (tx.remove if pair in pairs else tx.add)((pair[0], predicate, pair[1]))
                pairs ^= {pair}

    def _edit(self, tx: Transaction, name: str) -> None:
        """Insert, delete or upsert a fact."""
        random, table, relation = self._random, self._tables[name], tx.relation(name)
        key: tuple[str, ...] = tuple(random.choices(NAMES, k=2 if name == "edge" else 1))
        value, kind = random.randrange(1, 4), random.choice(["insert", "upsert", "upsert", "delete"])
        if kind == "insert" and table.get(key, value) != value:
            with pytest.raises(InputError, match="has the same key as"):
                relation.insert([(*key, value)])
            return
        if kind == "delete":
            key, value = random.choice(sorted(table.items())) if table and random.random() < 0.8 else (key, value)
            relation.delete([(*key, value)])
            if table.get(key) == value:
                del table[key]
            return
        getattr(relation, kind)([(*key, value)])
        table[key] = value

    def asserted(self) -> set[tuple[str, ...]]:
        """The asserted facts, with the names of their relations."""
        return {(name, *key, number(value)) for name, table in self._tables.items() for key, value in table.items()}

    def firsts(self) -> dict[str, str]:
        """The first name of the individual of each name."""
        groups = {name: {name} for name in NAMES}
        for one, other in self._links:
            joined = groups[one] | groups[other]
            groups |= dict.fromkeys(joined, joined)
        return {name: min(group) for name, group in groups.items()}

    def derived(self) -> set[tuple[str | None, tuple[str, ...]]]:
        """The perfect model over individuals, by their first names."""
        firsts = self.firsts()
        facts: list[tuple[str | None, tuple[str, ...]]] = [
            (name, tuple(firsts.get(term, term) for term in terms)) for name, *terms in self.asserted()
        ]
        facts += [(None, (firsts[one], "<urn:p>", firsts[other])) for one, other in self._triples]
        rules = parse("".join(sorted(self._rules))).rules
        return {(name, terms) for name, terms in perfect(facts, rules) if name in (None, *_HEADS)}


def asserted(graph: KnowledgeGraph) -> set[tuple[str, ...]]:
    return {(name, *map(str, row)) for name in ("edge", "score") for row in graph.relation(name).facts(asserted=True)}


def derived(graph: KnowledgeGraph, firsts: dict[str, str]) -> set[tuple[str | None, tuple[str, ...]]]:
    """The facts of a graph, with first names in place of all names."""
    found = {(each.name, tuple(map(str, row))) for each in graph.relations() for row in each}
    triples = {(None, tuple(map(str, quad.triple))) for quad in graph.match()}
    told = {(None, terms) for _, terms in triples if terms[1].startswith("<urn:")}
    return {(name, tuple(firsts.get(term, term) for term in terms)) for name, terms in found | told}
