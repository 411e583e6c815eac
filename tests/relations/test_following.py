"""Facts of relations for others: followers, readers, and the texts of the journal."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kgreason import KnowledgeGraph
from kgreason.graph.changes.follower import Follower
from kgreason.store.journal.facts import fact_text, read_fact
from kgreason.store.journal.patch import read_patch
from tests.cli.calling import succeed
from tests.tables import table

REACH = "@relation internal inner(x) . reach(?x, ?y) :- edge(?x, ?y) . inner(?x) :- edge(?x, ?y) ."
A, B = "<urn:a>", "<urn:b>"


def test_a_follower_gives_the_facts_that_came_and_went(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(REACH)
        follower = Follower(tmp_path / "s")
        graph.relation("edge").insert([(A, B)])
        (record,) = follower.read()
        assert sorted(record.facts) == [(1, f"edge({A}, {B}) ."), (1, f"reach({A}, {B}) .")]
        graph.relation("edge").delete([(A, B)])
        (record,) = follower.read()
        assert sorted(record.facts) == [(-1, f"edge({A}, {B}) ."), (-1, f"reach({A}, {B}) .")]


def test_a_follower_from_the_beginning_gives_all_facts(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph, graph.transaction() as tx:
        tx.add_rules(REACH)
        tx.relation("edge").insert([(A, B)])
    (record,) = Follower(tmp_path / "s", after=0).read()
    assert sorted(record.facts) == [(1, f"edge({A}, {B}) ."), (1, f"reach({A}, {B}) .")]


def test_patches_carry_facts_from_one_graph_to_another() -> None:
    """Facts and triples of a graph without rules follow the deltas of a graph with rules."""
    text = f"{REACH} [?x, <urn:p>, ?y] :- reach(?x, ?y) . @relation row(x, n: xsd:integer) key(x) ."
    with KnowledgeGraph.open(rules=["none"]) as graph, KnowledgeGraph.open(rules=["none"]) as copy:
        with graph.transaction() as tx:
            tx.add_rules(text)
        for seed in range(12):
            random = Random(seed)
            with graph.transaction() as tx:
                edge = random.choice([A, B, "<urn:c>"]), random.choice(['"a \\"b\\""', B])
                getattr(tx.relation("edge", 2), random.choice(["insert", "delete"]))([edge])
                tx.relation("row").upsert([(random.choice([A, B]), random.randrange(3))])
                tx.add((A, "<urn:q>", seed))
            patch = read_patch(tx.delta.to_patch().encode(), "patch")
            with copy.transaction() as tx:
                tx.remove_lines(patch.removed).add_lines(patch.added)
                for rule in patch.rules:
                    name, terms = read_fact(rule.text)
                    relation = tx.relation(name, len(terms))
                    (relation.insert if rule.sign > 0 else relation.delete)([terms])
            assert sorted(copy.dump_relations()) == sorted(graph.dump_relations())
            assert set(copy) == set(graph)
        assert not any("inner(" in text for text in copy.dump_relations())


def test_diff_prints_facts(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph, graph.transaction() as tx:
        tx.add_rules("edge(?x, ?y) :- [?x, <urn:p>, ?y] .")
    update = f"INSERT DATA {{ {A} <urn:p> {B} }}"
    patch = succeed("diff", "-l", tmp_path / "s", "--update", update)
    assert patch.splitlines()[1:] == [f'H add-fact "edge({A}, {B}) ." .', "TX .", f"A {A} <urn:p> {B} .", "TC ."]


@pytest.mark.parametrize(
    "terms",
    [
        (),
        ("<urn:a>",),
        ("_:b0", '"a, \\"b\\")"', '"x\\n"@en', '"5"^^<urn:t>'),
        ('<<( <urn:a> <urn:b> "c, <" )>>', "<urn:a>"),
    ],
)
def test_the_text_of_a_fact_is_read_back(terms: tuple[str, ...]) -> None:
    assert read_fact(fact_text("edge", terms)) == ("edge", terms)


@table("text", ["", "edge", "[<urn:a>, <urn:b>, <urn:c>]", "edge(?x)", "edge(<urn:a>,", "p(1) :- q(1)"])
def test_another_text_is_no_fact(text: str) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - of the journal, which names the record
        read_fact(text)
