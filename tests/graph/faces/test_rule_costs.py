"""The costs of rules as a graph tells them: added up for each rule, kept with the store, exact after every commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kgreason.errors import ContradictionError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.terms.vocabulary import OWL, RDFS

HEAD = f"@prefix : <http://e/> . @prefix owl: <{OWL}> . @prefix rdfs: <{RDFS}> .\n"
DATA = HEAD + ":Siamese rdfs:subClassOf :Cat . :to a owl:TransitiveProperty . :a :to :b . :b :to :c . :c :to :d ."
RULES = """@prefix : <http://e/> .
@rule stray [?x, a, :Stray] :- [?x, a, :Cat], NOT EXISTS ?y IN ([?x, :owner, ?y]) .
@rule old [?x, a, :Old] :- [?x, :age, ?n], FILTER(?n > 10) .
@rule end end(?y) :- [?x, :to, ?y] ."""
CATS = HEAD + ":tom a :Siamese ; :age 11 . :kim a :Cat ; :age 3 ; :owner :ann ."
COSTS = "rewrites", "derivations", "last_rewrites", "last_derivations"


def fill(path: Path | None = None, **options: Any) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(path, **options)
    with graph.transaction() as tx:
        tx.add(DATA).add_rules(RULES)
    graph.add(CATS)
    return graph


def costs(graph: KnowledgeGraph, **options: Any) -> dict[tuple[str, str], tuple[int, ...]]:
    rows = graph.rules(costs=True, **options)
    return {(row["name"], row["rule"]): tuple(row[name] for name in COSTS) for row in rows}


def named(graph: KnowledgeGraph, name: str, **options: Any) -> dict[str, Any]:
    (row,) = (row for row in graph.rules(costs=True, **options) if row["name"] == name)
    return row


def test_the_costs_of_all_rules_add_up() -> None:
    with fill() as graph:
        rows = graph.rules(costs=True)
        assert {tuple(row[key] for key in ("name", "rule", "why", "stratum")) for row in rows} == {
            tuple(row.values()) for row in graph.rules()
        }
        assert sum(row["last_rewrites"] for row in rows) == graph.stats()["rewrites"] > 0
        assert sum(row["share"] for row in rows) == pytest.approx(1)
        assert [row["rewrites"] for row in rows] == sorted((row["rewrites"] for row in rows), reverse=True)
        assert "rewrites" not in graph.rules()[0]


def test_a_rule_with_hidden_parts_has_their_work() -> None:
    with fill() as graph:
        stray, old, end = (named(graph, name) for name in ("stray", "old", "end"))
        assert stray["derivations"] == 4  # it asks for two cats, finds one owner, and derives one stray
        assert old["derivations"] == 3  # it asks for two ages
        assert (end["derivations"], end["last_derivations"]) == (6, 0)  # three edges, three paths
        trans = named(graph, "prp-trp")
        assert trans["why"].startswith("<http://e/to>")
        assert trans["derivations"] == 4  # of a to c, of b to d, and two of a to d


def test_a_rollback_costs_nothing() -> None:
    with fill(on_contradiction="refuse") as graph:
        graph.add(HEAD + ":Cat owl:disjointWith :Dog .")
        before = costs(graph)
        with graph.what_if() as tx:
            tx.add(HEAD + ":d :to :a .")
        with pytest.raises(ContradictionError):
            graph.add(HEAD + ":tom a :Dog . :d :to :a .")
        assert costs(graph) == before
        graph.rules(alone=True)
        graph.explain(HEAD + ":a :to :d .")
        assert costs(graph) == before


@pytest.mark.parametrize("same_as", ["aliases", "rules"])
def test_costs_anew_are_those_of_a_new_graph(same_as: Any) -> None:
    with fill(same_as=same_as) as graph, KnowledgeGraph.open(same_as=same_as) as other:
        graph.add(HEAD + ":x :to :a .")
        graph.remove(HEAD + ":x :to :a .")
        before = costs(graph)
        anew = costs(graph, anew=True)
        assert costs(graph) == before
        with other.transaction() as tx:
            tx.add(DATA).add(CATS).add_rules(RULES)
        new = costs(other)
        assert {rule: each[1] for rule, each in anew.items()} == {rule: each[1] for rule, each in new.items()}
        hidden = {rule for rule in new if rule[0] in ("old", "stray")}  # what they ask for is known now
        assert all(anew[rule][0] == new[rule][0] for rule in new if rule not in hidden)


def test_facts_that_a_rule_alone_supports() -> None:
    with fill() as graph:
        assert named(graph, "stray", alone=True)["alone"] == 1
        assert named(graph, "end", alone=True)["alone"] == 3
        graph.add(HEAD + ":tom a :Stray .")
        assert named(graph, "stray", alone=True)["alone"] == 0
        with graph.transaction() as tx:
            tx.add_rules("@prefix : <http://e/> . @rule d end(?y) :- [?y, :to, ?z] .")
        assert named(graph, "end", alone=True)["alone"] == 1


def test_a_store_keeps_the_costs(tmp_path: Path) -> None:
    with fill(tmp_path / "store") as graph, fill() as other:
        kept = costs(graph)
        assert kept == costs(other)
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert costs(graph) == kept
    with KnowledgeGraph.open(tmp_path / "store") as graph, fill() as other:
        assert costs(graph) == kept
        with graph.what_if() as tx:
            tx.add(HEAD + ":d :to :a .")
        assert costs(graph) == kept
        for each in (graph, other):
            each.add(HEAD + ":d :to :e .")
        assert costs(graph) == costs(other)
        graph._committer().checkpoint()
        assert costs(graph) == costs(other)
        for each in (graph, other):
            each.remove(HEAD + ":d :to :e .")
        assert costs(graph) == costs(other)
        kept = costs(other)
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert costs(graph) == kept
        graph._committer().checkpoint()
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert costs(graph) == kept
        assert not graph._state.is_running


def test_a_snapshot_of_an_older_version_has_no_costs(tmp_path: Path) -> None:
    with fill(tmp_path) as graph:
        graph._committer().checkpoint()
    (file,) = tmp_path.glob("snapshot-*/costs.npy")
    file.unlink()
    with KnowledgeGraph.open(tmp_path) as graph:
        assert set(costs(graph).values()) == {(0, 0, 0, 0)}
        graph.add(HEAD + ":d :to :e .")
        assert named(graph, "end")["derivations"] == 4


def test_a_bootstrap_begins_the_counts_anew(tmp_path: Path) -> None:
    with fill(tmp_path) as graph:
        graph._committer().checkpoint()
    with KnowledgeGraph.open(tmp_path, strategy="bootstrap") as graph:
        graph.add(HEAD + ":d :to :e .")
        assert named(graph, "end")["derivations"] == 10
        assert named(graph, "end")["last_derivations"] == 10


def test_costs_outlive_a_snapshot_that_is_removed() -> None:
    """The graph of a past commit in memory begins with a snapshot that is gone afterwards."""
    with KnowledgeGraph.open(rules=["rdfs"], history="all") as graph:
        graph.add("<http://e/a> a <http://e/C> .")
        with graph.as_of(1) as past:
            assert past.rules(costs=True)
