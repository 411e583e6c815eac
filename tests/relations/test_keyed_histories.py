"""Random histories of keyed relations, owl:sameAs and rules, in stores that are opened again, against the definition.

The definition: a key is about names, so asserted facts are those of a dict. Rules are about individuals, so every term
is replaced by the first name of its individual, and then the perfect model is taken.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from kgreason import KnowledgeGraph
from kgreason.engine.changes import Strategy
from kgreason.errors import InputError
from kgreason.graph.transaction import Transaction
from kgreason.options import SameAsMode
from kgreason.rules.parser import parse
from tests.histories.drawn import SAME
from tests.histories.individuals import facts_of, firsts_of, model, over, transactions
from tests.oracle.aggregates import number
from tests.volume import many_seeds

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
    "bonus(?y, 3) :- [?x, <urn:p>, ?y], NOT [?y, <urn:p>, ?y] .",
    "hint(?x, ?y, 1) :- [?x, <urn:p>, ?y], NOT [?y, <urn:p>, ?x] .",
]


@pytest.mark.parametrize("part", range(5))
def test_every_commit_is_as_over_individuals(part: int, tmp_path: Path) -> None:
    modes = get_args(SameAsMode)
    for seed in many_seeds(0, 149, part, 5):
        follow(seed, modes[seed % 3], tmp_path / str(seed))


def follow(seed: int, mode: SameAsMode, path: Path) -> None:
    """Follow a history in a store that is opened again at random; every fourth one in memory.

    Every third transaction is a what-if or fails, and changes nothing.
    """
    random = Random(seed)
    strategy: Strategy = random.choice(["auto", "update", "update", "bootstrap"])
    place = None if seed % 4 == 0 else path
    history = _History(random)
    graph = KnowledgeGraph.open(place, same_as=mode, strategy=strategy)
    with graph.transaction() as tx:
        tx.add_rules(DECLARED)
    for step in range(6):
        said = f"history {seed}, {mode}, {strategy}, commit {step}"
        kind = random.choice(["commit", "commit", "what if", "fails", "commit", "commit"])
        before = deepcopy(history.state)
        for tx in transactions(graph, [kind]):
            history.edit(tx)
        if kind != "commit":
            history.state = before
        assert asserted(graph) == history.asserted(), said
        history.check(graph, said)
        if place and random.random() < 0.3:
            graph.close()
            graph = KnowledgeGraph.open(place, strategy=strategy)
            history.check(graph, f"{said}, opened again")
    graph.close()


class _State:
    """What is asserted, by definition."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[tuple[str, ...], int]] = {"edge": {}, "score": {}}
        self.pairs: dict[str, set[tuple[str, str]]] = {SAME: set(), "<urn:p>": set()}
        self.rules: set[str] = set()


class _History:
    """Random edits of a graph and of what it asserts."""

    def __init__(self, random: Random) -> None:
        self._random, self.state = random, _State()

    def edit(self, tx: Transaction) -> None:
        """Make random edits in a transaction and here."""
        random = self._random
        for rule in RULES:
            if random.random() < (0.1 if rule in self.state.rules else 0.4):
                (tx.remove_rules if rule in self.state.rules else tx.add_rules)(rule)
                self.state.rules ^= {rule}
        for _ in range(random.randrange(4)):
            self._edit(tx, random.choice(["edge", "edge", "score"]))
        for predicate, pairs in self.state.pairs.items():
            if random.random() < 0.45:
                pair = random.choice(NAMES), random.choice(NAMES)
                pair = random.choice(sorted(pairs)) if pairs and random.random() < 0.4 else pair
                (tx.remove if pair in pairs else tx.add)((pair[0], predicate, pair[1]))
                pairs ^= {pair}

    def _edit(self, tx: Transaction, name: str) -> None:
        """Insert, delete or upsert a fact."""
        random, table, relation = self._random, self.state.tables[name], tx.relation(name)
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
        return {
            (name, *key, number(value)) for name, table in self.state.tables.items() for key, value in table.items()
        }

    def check(self, graph: KnowledgeGraph, said: str) -> None:
        """Compare the facts of a graph with the perfect model over individuals."""
        triples = [
            (None, (one, predicate, other)) for predicate, pairs in self.state.pairs.items() for one, other in pairs
        ]
        facts = [*triples, *((name, tuple(terms)) for name, *terms in self.asserted())]
        firsts = firsts_of(facts)
        found = {over(firsts, fact) for fact in facts_of(graph)}
        assert found == model(facts, parse("".join(sorted(self.state.rules))).rules), said


def asserted(graph: KnowledgeGraph) -> set[tuple[str, ...]]:
    return {(name, *map(str, row)) for name in ("edge", "score") for row in graph.relation(name).facts(asserted=True)}
