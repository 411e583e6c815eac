"""Aggregates in a graph: deltas, what_if, proofs, contradictions, reopening, rollbacks, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import LimitError, StratificationError
from kgreason.graph.changes.follower import Follower
from kgreason.materialize.operators.groups import FactsByGroup
from kgreason.materialize.operators.tables import FactIndex
from tests.cli.calling import succeed

NAMES = {"": "http://e/"}
RULES = """@prefix : <http://e/> .
@rule size [?x, :size, ?n] :- AGGREGATE([?x, :has, ?y] ON ?x BIND COUNT(?y) AS ?n) .
@rule large :Large[?x] :- [?x, :size, ?n], FILTER(?n >= 3) .
@rule most false :- [?x, :size, ?n], FILTER(?n > 4) .
"""
LARGE = "ASK { <http://e/a> a <http://e/Large> }"


def open_graph(path: Path | None = None) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(path, rules=["owl2rl"]) if path else KnowledgeGraph.open(rules=["owl2rl"])
    with graph.transaction() as transaction:
        transaction.add_rules(RULES)
    graph.add(":a :has :b, :c .", prefixes=NAMES)
    return graph


def test_a_count_follows_its_group() -> None:
    graph = open_graph()
    assert not graph.query(LARGE)
    delta = graph.add(":a :has :d .", prefixes=NAMES)
    assert graph.query(LARGE)
    patch = delta.to_patch()
    assert 'A <http://e/a> <http://e/size> "3"' in patch
    assert 'D <http://e/a> <http://e/size> "2"' in patch
    graph.remove(":a :has :b, :c, :d .", prefixes=NAMES)
    assert not graph.query("ASK { <http://e/a> <http://e/size> ?n }")


def test_a_rule_that_goes_takes_its_values_along() -> None:
    graph = open_graph()
    with graph.transaction() as transaction:
        transaction.remove_rules(RULES)
    assert not graph.query("ASK { <http://e/a> <http://e/size> ?n }")
    assert not graph.stats()["hidden"]
    with graph.transaction() as transaction:
        transaction.add_rules(RULES)
    assert graph.query("ASK { <http://e/a> <http://e/size> 2 }")


def test_what_if_shows_counts_and_changes_nothing() -> None:
    graph = open_graph()
    with graph.what_if() as transaction:
        transaction.add(("<http://e/a>", "<http://e/has>", "<http://e/d>"))
    delta = transaction.delta
    assert "<http://e/Large>" in delta.to_patch()
    assert not graph.query(LARGE)
    assert graph.query("ASK { <http://e/a> <http://e/size> 2 }")


def test_equal_terms_count_once() -> None:
    graph = open_graph()
    graph.add(":b <http://www.w3.org/2002/07/owl#sameAs> :c .", prefixes=NAMES)
    assert graph.query("ASK { <http://e/a> <http://e/size> 1 }")
    graph.remove(":b <http://www.w3.org/2002/07/owl#sameAs> :c .", prefixes=NAMES)
    assert graph.query("ASK { <http://e/a> <http://e/size> 2 }")


NEAREST = """@rule from candidate(?y, 0) :- start(?y) .
@rule over candidate(?y, ?c) :- near(?x, ?d), edge(?x, ?y, ?w), BIND(?d + ?w AS ?c) .
@rule near near(?y, ?d) :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .
"""


def nearest(lines: Iterable[str]) -> set[str]:
    return {re.sub(r"<http://e/(.)>|\"(.)\"\S*(?=\))", r"\1\2", line) for line in lines if line.startswith("near")}


@pytest.mark.parametrize("weight", [0, 1])
def test_the_first_deletion_after_an_opening_ends_a_circle(tmp_path: Path, weight: int) -> None:
    path, there, back = tmp_path / "store", ("http://e/a", "http://e/b", weight), ("http://e/b", "http://e/a", weight)
    with KnowledgeGraph.open(path, rules=["none"], history="all") as graph, graph.transaction() as transaction:
        transaction.add_rules(NEAREST).relation("edge", 3).insert([there, back])
        transaction.relation("start", 1).insert([("http://e/a",)])
    follower, wanted = Follower(path), {"near(a, 0) .", f"near(b, {weight}) ."}
    with KnowledgeGraph.open(path, most_rounds=10, most_made_terms=100) as graph:
        graph.relation("edge", 3).delete([back])
        assert nearest(graph.dump_relations()) == wanted
        assert not any("near" in line for record in follower.read() for _, line in record.facts)
        graph.relation("edge", 3).insert([back])
    with KnowledgeGraph.open(path) as graph, graph.as_of(2) as past:
        assert nearest(graph.dump_relations()) == nearest(past.dump_relations()) == wanted


def test_a_store_opens_whose_last_commit_had_a_wrong_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, edges = tmp_path / "store", [("http://e/a", "http://e/b", 0), ("http://e/b", "http://e/a", 0)]
    with KnowledgeGraph.open(path, rules=["none"]) as graph, graph.transaction() as transaction:
        transaction.add_rules(NEAREST).relation("edge", 3).insert(edges)
        transaction.relation("start", 1).insert([("http://e/a",)])
    with KnowledgeGraph.open(path) as graph, monkeypatch.context() as patch:
        patch.setattr(
            FactsByGroup,
            "_held_keys",
            lambda self: self.table.matching_keys(FactIndex(*self._engine.facts.contents()[:2])),
        )
        graph.relation("edge", 3).delete(edges[1:])
        assert nearest(graph.dump_relations()) == {"near(a, 0) ."}
    with KnowledgeGraph.open(path, most_rounds=10, most_made_terms=100) as graph:
        graph.relation("edge", 3).insert(edges[1:])
        assert nearest(graph.dump_relations()) == {"near(a, 0) .", "near(b, 0) ."}


def test_a_sum_that_feeds_itself_through_equal_properties_is_refused() -> None:
    rules = """@prefix : <http://e/> .
[?x, :total, ?n] :- AGGREGATE([?x, :val, ?v] ON ?x BIND SUM(?v) AS ?n) .
[?x, :other, "word"] :- [?x, :total, ?n] ."""
    graph = KnowledgeGraph.open(rules=["owl2rl"])
    with graph.transaction() as transaction:
        transaction.add_rules(rules)
    with pytest.raises(StratificationError, match=r"circular: AGGREGATE.*SUM.* was decided"):
        graph.add(":a :val 1, 2 . :other <http://www.w3.org/2002/07/owl#sameAs> :val .", prefixes=NAMES)
    assert not len(graph)
    graph.add(":a :val 1, 2 .", prefixes=NAMES)
    assert graph.query("ASK { <http://e/a> <http://e/total> 3 }")


def test_the_proof_shows_what_was_counted() -> None:
    graph = open_graph()
    proof = graph.explain(("<http://e/a>", "<http://e/size>", '"2"^^<http://www.w3.org/2001/XMLSchema#integer>'))
    assert proof is not None
    text = proof.to_text(NAMES)
    assert "2 = COUNT(?v1) over [:a, :has, ?v1]" in text
    assert "asserted" not in text
    assert {"computed": "2 = COUNT(?v1) over [:a, :has, ?v1]"}.items() <= _short(proof.to_json()["steps"][0]).items()


def test_the_proof_of_a_smallest_value_goes_on_with_its_row() -> None:
    graph = KnowledgeGraph.open(rules=["none"])
    with graph.transaction() as transaction:
        transaction.add_rules(
            """@prefix : <http://e/> .
            @rule start way(?y, 0) :- :Start[?y] .
            @rule step way(?y, ?c) :- [?x, :distance, ?d], [?x, :near, ?y], BIND(?d + 1 AS ?c) .
            @rule best [?y, :distance, ?d] :- AGGREGATE(way(?y, ?c) ON ?y BIND MIN(?c) AS ?d) ."""
        )
    graph.add(":a a :Start ; :near :b . :b :near :c, :a .", prefixes=NAMES)
    proof = graph.explain((":c", ":distance", 2), prefixes=NAMES)
    assert proof is not None
    lines = proof.to_text(NAMES).splitlines()
    assert [line.strip() for line in lines if "MIN(?v1) over" in line] == [
        "2 = MIN(?v1) over way(:c, ?v1)",
        "1 = MIN(?v1) over way(:b, ?v1)",
        "0 = MIN(?v1) over way(:a, ?v1)",
    ]
    assert ":a a :Start (asserted)" in map(str.strip, lines)
    assert "f0 --> " in proof.to_mermaid(NAMES)
    assert all(place < at for at, step in enumerate(proof.to_json()["steps"]) for place in step.get("premises", ()))


def test_a_smallest_value_that_two_rows_have_is_not_proved_in_a_circle() -> None:
    graph = KnowledgeGraph.open(rules=["none"])
    with graph.transaction() as transaction:
        transaction.add_rules(
            """@prefix : <http://e/> .
            [?y, :way, 0] :- :Start[?y] .
            [?y, :way, ?d] :- [?x, :distance, ?d], [?x, :same, ?y] .
            [?y, :distance, ?d] :- AGGREGATE([?y, :way, ?c], :Node[?y] ON ?y BIND MIN(?c) AS ?d) ."""
        )
    nodes = " . ".join(f":n{place} a :Node" for place in range(4))
    graph.add(
        f":n0 a :Start ; :same :n1 . :n1 :same :n2 . :n2 :same :n1, :n3 . :n3 :same :n2 . {nodes} .", prefixes=NAMES
    )
    for place in range(4):
        proof = graph.explain((f":n{place}", ":distance", 0), prefixes=NAMES)
        assert proof is not None
        assert ":n0 a :Start (asserted)" in proof.to_text(NAMES)


def _short(step: dict[str, object]) -> dict[str, object]:
    return {**step, "computed": str(step["computed"]).replace('"2"^^<http://www.w3.org/2001/XMLSchema#integer>', "2")
            .replace("<http://e/a>", ":a").replace("<http://e/has>", ":has")}  # fmt: skip


def test_a_contradiction_shows_the_value() -> None:
    graph = open_graph()
    graph.add(":a :has :d, :e, :f .", prefixes=NAMES)
    (contradiction,) = graph.contradictions()
    assert contradiction.to_text(NAMES) == "most: this cannot hold: :a :size 5, 5 > 4"


def test_a_store_that_is_opened_again_goes_on(tmp_path: Path) -> None:
    with open_graph(tmp_path / "g") as graph:
        graph.add(":z :has :y .", prefixes=NAMES)
    with KnowledgeGraph.open(tmp_path / "g") as graph:
        graph.add(":a :has :d .", prefixes=NAMES)
        assert graph.query(LARGE)
        graph.remove(":a :has :b, :c .", prefixes=NAMES)
    with KnowledgeGraph.open(tmp_path / "g") as graph:
        assert graph.query("ASK { <http://e/a> <http://e/size> 1 }")
        assert not graph.query("ASK { <http://e/a> <http://e/size> 2 }")


def test_a_failed_commit_leaves_the_counts() -> None:
    graph = open_graph()
    with graph.transaction() as transaction:
        transaction.add(("<http://e/a>", "<http://e/has>", "<http://e/d>"))
        transaction.add_rules(
            "@prefix : <http://e/> . [?x, :n, ?n] :- AGGREGATE([?x, :p, ?y] ON ?x BIND MIN(?y) AS ?n) ."
        )

    def close_a_circle() -> None:
        with graph.transaction() as transaction:
            transaction.add(("<http://e/a>", "<http://e/has>", "<http://e/f>"))
            transaction.add_rules("@prefix : <http://e/> . [?x, :has, ?n] :- [?x, :size, ?n] .")

    with pytest.raises(StratificationError):
        close_a_circle()
    graph.remove(":a :has :d .", prefixes=NAMES)
    graph.add(":a :has :e .", prefixes=NAMES)
    assert graph.query("ASK { <http://e/a> <http://e/size> 3 }")
    assert not graph.query("ASK { <http://e/a> <http://e/size> 2 }")


def test_a_commit_over_its_budget_leaves_the_counts() -> None:
    graph = KnowledgeGraph.open(rules=["none"], budget=200)
    with graph.transaction() as transaction:
        transaction.add_rules(RULES + "[?x, :near, ?z] :- [?x, :near, ?y], [?y, :near, ?z] .")
    graph.add(":a :has :b . :n :near :n .", prefixes=NAMES)
    edges = " . ".join(f":n{place} :near :n{place + 1}" for place in range(50))
    with pytest.raises(LimitError):
        graph.add(f":a :has :c . {edges} .", prefixes=NAMES)
    assert graph.query("ASK { <http://e/a> <http://e/size> 1 }")
    graph.add(":a :has :d .", prefixes=NAMES)
    assert graph.query("ASK { <http://e/a> <http://e/size> 2 }")


def test_a_program_on_tables_aggregates(tmp_path: Path) -> None:
    (tmp_path / "sales.facts").write_text("anna\t3\nanna\t4\nbert\t5\n")
    (tmp_path / "p.dl").write_text(
        "total(?who, ?sum) :- AGGREGATE(sales(?who, ?n) ON ?who BIND SUM(?n) AS ?sum) ."
        "best(?most) :- AGGREGATE(total(?who, ?n) BIND MAX(?n) AS ?most) ."
    )
    succeed("run", tmp_path / "p.dl", "-F", tmp_path, "-D", tmp_path / "out")
    assert sorted((tmp_path / "out" / "total.csv").read_text().splitlines()) == ["anna\t7", "bert\t5"]
    assert (tmp_path / "out" / "best.csv").read_text().split() == ["7"]


@pytest.mark.parametrize("call", ["MIN", "MAX", "SAMPLE"])
def test_a_proof_of_a_value_that_is_a_term_of_its_group(call: str) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as transaction:
            transaction.add_rules(
                f"@prefix : <http://e/> . [?x, :is, ?n] :- AGGREGATE([?x, :has, ?y] ON ?x BIND {call}(?x) AS ?n) ."
            )
        graph.add(":a :has :b .", prefixes=NAMES)
        assert ":a :has :b (asserted)" in graph.explain((":a", ":is", ":a"), prefixes=NAMES).to_text(NAMES)
