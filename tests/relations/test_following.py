"""Facts of relations for others: followers, readers, and the texts of the journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.graph.changes.follower import Follower
from kgreason.store.journal.facts import fact_text, read_fact

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


@pytest.mark.parametrize(
    "text", ["", "edge", "[<urn:a>, <urn:b>, <urn:c>]", "edge(?x)", "edge(<urn:a>,", "p(1) :- q(1)"]
)
def test_another_text_is_no_fact(text: str) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - of the journal, which names the record
        read_fact(text)
