"""Random histories of facts, triples and rules in a store: every way to read it again gives the same facts."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kgreason import KnowledgeGraph
from kgreason.graph import recovery
from kgreason.graph.changes.follower import Follower
from kgreason.store import folder
from kgreason.store.folder import FORMAT, read_manifest
from kgreason.store.homes import disk
from tests.graph.views import view

NAMES = [f"urn:{name}" for name in "abcd"]
KEYED = "@relation score(who, points: xsd:integer) key(who) ."
RULES = [
    "reach(?x, ?y) :- edge(?x, ?y) .",
    "reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z) .",
    "[?x, <urn:best>, ?n] :- AGGREGATE(score(?x, ?n0) ON ?x BIND MAX(?n0) AS ?n) .",
    "[?x, <urn:alone>, ?x] :- score(?x, ?n), NOT EXISTS ?y IN (edge(?x, ?y)) .",
    "edge(?x, ?y) :- [?x, <urn:p>, ?y], NOT score(?y, 3) .",
]


def test_a_store_that_is_opened_again_is_the_graph_in_memory(tmp_path: Path) -> None:
    for seed in range(12):
        follow(seed, tmp_path / str(seed))


def follow(seed: int, path: Path) -> None:
    """Make the same commits in a store, which is opened again at random, and in memory."""
    random = Random(seed)
    memory = KnowledgeGraph.open(rules=["none"])
    disk = KnowledgeGraph.open(path, rules=["none"])
    follower: Follower | None = None
    told: set[str] = set()
    for step in range(8):
        edits = random.randrange(1 << 30)
        for graph in (memory, disk):
            commit(graph, Random(edits), is_first=step == 0)
        assert content(disk) == content(memory), f"history {seed}, commit {step}"
        follower = follower or Follower(path, after=0)
        for record in follower.read():
            for sign, text in record.facts:
                (told.add if sign > 0 else told.remove)(text)
        assert told == set(memory.dump_relations()), f"history {seed}, commit {step}"
        if random.random() < 0.4:
            disk.close()
            disk = KnowledgeGraph.open(path)
            assert content(disk) == content(memory), f"history {seed}, after commit {step}"
    assert view(disk) == view(memory)
    memory.close()
    disk.close()


def commit(graph: KnowledgeGraph, random: Random, *, is_first: bool) -> None:
    with graph.transaction() as tx:
        if is_first:
            tx.add_rules(KEYED)
        for rule in RULES:
            if random.random() < 0.3:
                has = any(rule == text for text in _texts(graph))
                (tx.remove_rules if has else tx.add_rules)(rule)
        edge, score = tx.relation("edge", 2), tx.relation("score")
        for _ in range(random.randint(0, 4)):
            row = [(random.choice(NAMES), random.choice(NAMES))]
            (edge.insert if random.random() < 0.6 else edge.delete)(row)
        for _ in range(random.randint(0, 2)):
            score.upsert([(random.choice(NAMES), random.randrange(4))])
        triple = random.choice(NAMES), "urn:p", random.choice(NAMES)
        (tx.add if random.random() < 0.6 else tx.remove)(triple)


def _texts(graph: KnowledgeGraph) -> list[str]:
    from kgreason.rules.formatter import format_rule

    return [format_rule(rule) for rule in graph.own_rules()]


def content(graph: KnowledgeGraph) -> tuple[list[str], list[str], list[str]]:
    return sorted(graph.dump_relations()), sorted(graph.dump_relations(asserted=True)), sorted(map(str, graph))


def test_a_store_of_an_older_format_keeps_its_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(KEYED + RULES[0])
            tx.relation("edge").insert([("urn:a", "urn:b")])
            tx.relation("score").insert([("urn:a", 1)])
        before = content(graph)
    for module in (folder, disk, recovery):
        monkeypatch.setattr(module, "FORMAT", FORMAT + 1)
    with KnowledgeGraph.open(tmp_path / "s") as graph:
        assert content(graph) == before
    manifest = read_manifest(tmp_path / "s")
    assert manifest is not None
    assert manifest.format == FORMAT + 1
