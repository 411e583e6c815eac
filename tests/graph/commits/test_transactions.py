"""Transactions: what they take, what they commit as one, and what an exception leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from kgreason.errors import InputError, RdfSyntaxError, StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.graph.commits.test_edits import delta_of_what_if
from tests.graph.dog_graph import (
    ANIMAL,
    ONTOLOGY,
    PREFIX,
    REX,
    InjectedError,
    add,
    add_rules,
    asserted,
    remove,
)
from tests.graph.histories import Edit
from tests.graph.views import lines, rows, view


def test_text_rows_and_values_of_pyoxigraph_say_the_same(graph: KnowledgeGraph) -> None:
    a, b, name = NamedNode("http://e/a"), NamedNode("http://e/p"), Literal("x", language="en")
    said: list[tuple[object, ...]] = [
        ('<http://e/a> <http://e/p> "x"@en .',),
        (("<http://e/a>", "<http://e/p>", '"x"@en'),),
        ((a, b, name),),
        (Triple(a, b, name),),
        (Quad(a, b, name),),
        (["<http://e/a>", b, name, ""],),
    ]
    for items in said:
        assert add(graph, *items).appeared() == [("<http://e/a>", "<http://e/p>", '"x"@en')]
        assert remove(graph, *items).disappeared() == [("<http://e/a>", "<http://e/p>", '"x"@en')]


def test_named_graphs_hold_triples_on_their_own(graph: KnowledgeGraph) -> None:
    name = "<http://e/g>"
    delta = add(graph, PREFIX + ":g { :rex a :Dog . :tom a :Cat }", (*REX[:2], "<http://e/Pet>", name))
    assert sorted(delta.appeared(), key=lambda triple: triple[2]) == [
        ("<http://e/tom>", REX[1], "<http://e/Cat>"),
        (*REX[:2], "<http://e/Pet>"),
    ]
    assert len(delta.quads(added=True)) == 3
    assert (*REX, name) in delta.quads(added=True)
    assert not remove(graph, REX).disappeared()
    assert graph.query(f"ASK {{ GRAPH {name} {{ ?x a <http://e/Dog> }} ?x a <http://e/Animal> }}")
    gone = remove(
        graph,
        Quad(NamedNode("http://e/rex"), NamedNode(REX[1][1:-1]), NamedNode("http://e/Dog"), NamedNode("http://e/g")),
    )
    assert sorted(gone.disappeared()) == [ANIMAL, REX]
    assert gone.quads(added=False) == [(*REX, name)]


def test_blank_nodes_of_a_text_are_new_and_go_by_the_labels_of_the_graph(graph: KnowledgeGraph) -> None:
    text = PREFIX + "_:x a :Dog ; :owner [ :name 'Ann' ] ."
    labels = {triple[0] for _ in range(2) for triple in add(graph, text).appeared()}
    assert len(labels) == 4
    kept = ("_:mine", REX[1], "<http://e/Dog>")
    assert kept in add(graph, kept).appeared()
    assert len(add(graph, (BlankNode("mine"), NamedNode("http://e/p"), BlankNode("mine"))).appeared()) == 1
    for label in sorted(labels):
        remove(graph, *(row for row in asserted(graph) if row[0] == label))
    remove(graph, "_:mine a <http://e/Dog> . _:mine <http://e/p> _:mine .")
    assert len(asserted(graph)) == 2


BAD_ITEMS = [
    ("<http://e/a> <http://e/b> .", RdfSyntaxError, "<text>:1"),
    ("@prefix : <http://e/> .\n:a :b :c .\n:d :e", RdfSyntaxError, "<text>:3"),
    (("<http://e/a>", "<http://e/b>"), InputError, "a tuple of 2 terms; pass three terms"),
    (("<http://e/a>", "<http://e/b>", "c"), RdfSyntaxError, "row 1: the object"),
    (
        ("<http://e/a>", "<http://e/b>", "<http://e/c> .\n<http://e/d> <http://e/e> <http://e/f>"),
        InputError,
        "not a single term",
    ),
    (7, InputError, "pass Turtle text, or a tuple"),
    (7, TypeError, "or four terms .*; got 7"),
    ((7, "<http://e/b>", "<http://e/c>"), TypeError, r"the subject has to be an IRI or a blank node; got 7 \(int\)"),
    (("<http://e/a>", "<http://e/b>", None), TypeError, "the object has to be"),
]


@pytest.mark.parametrize(("item", "error", "message"), BAD_ITEMS)
def test_a_value_that_is_no_triple_is_refused(
    graph: KnowledgeGraph, item: object, error: type[Exception], message: str
) -> None:
    before = view(graph)
    for ask in (add, remove):
        with pytest.raises(error, match=message):
            ask(graph, PREFIX + ":new a :New .", item)
        assert view(graph) == before


def test_the_last_wish_wins(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx:
        tx.add(ANIMAL).remove(ANIMAL).remove(REX).add(REX, REX)
    assert not tx.delta
    with graph.transaction() as tx:
        tx.remove(REX, REX).add(ANIMAL, ANIMAL)
    assert (tx.delta.disappeared(), tx.delta.turned(asserted=True), tx.delta.missed) == ([REX], [ANIMAL], 0)
    assert len(tx.delta.quads(added=True)) == 1


def test_facts_axioms_and_rules_are_one_commit(graph: KnowledgeGraph) -> None:
    told_of: list[Delta] = []
    graph.subscribe(told_of.append)
    with graph.transaction() as tx:
        tx.add(PREFIX + ":Animal rdfs:subClassOf :Being . :rex :likes :tom .").remove(REX).add(ANIMAL)
        tx.add_rules(PREFIX + "[?y, :likedBy, ?x] :- [?x, :likes, ?y] .")
        assert not graph.query("ASK { ?x <http://e/likes> ?y }")
    assert told_of == [tx.delta]
    assert ("<http://e/tom>", "<http://e/likedBy>", "<http://e/rex>") in tx.delta.appeared(asserted=False)
    assert tx.delta.turned(asserted=True) == [ANIMAL]
    assert graph.query("ASK { <http://e/rex> a <http://e/Being> }")


def test_nothing_is_emitted_for_no_change(graph: KnowledgeGraph) -> None:
    told_of: list[Delta] = []
    graph.subscribe(told_of.append)
    before, number = view(graph), graph._home.last
    unknown = ("<http://e/no>", "<http://e/such>", "<http://e/thing>")
    for delta in (add(graph, REX), remove(graph, unknown), remove(graph, ANIMAL), add(graph), remove(graph, "")):
        assert (bool(delta), delta.commit, len(delta)) == (False, 0, 0)
    assert remove(graph, unknown, ANIMAL).missed == 2
    assert told_of == []
    assert view(graph) == before
    assert graph._home.last == number
    assert graph.stats()["rules_added"]
    work = {"strategy": "update", "switched": False, "rewrites": 0, "rules_added": 0, "rules_removed": 0}
    others = {"retranslated": 0, "missed": 0, "seconds": 0}
    assert graph.unload() | {"seconds": 0} == graph.stats() | work | others


FIRSTS: dict[str, Callable[[KnowledgeGraph], object]] = {
    "rules alone": lambda graph: add_rules(graph, "p(<http://e/a>) . [?x, <http://e/is>, ?x] :- p(?x) ."),
    "an update": lambda graph: graph.update("INSERT DATA { <http://e/a> <http://e/is> <http://e/a> }"),
    "nothing, then something": lambda graph: (add(graph), add(graph, "<http://e/a> <http://e/is> <http://e/a> .")),
    "a mistake, then something": lambda graph: (
        graph.update("INSERT { ?x ?y ?z } WHERE { ?x ?y ?z }"),
        remove(graph, REX),
        add(graph, "<http://e/a> <http://e/is> <http://e/a> ."),
    ),
}


@pytest.mark.parametrize("is_on_disk", [True, False])
@pytest.mark.parametrize("name", FIRSTS)
def test_a_graph_may_begin_with_anything(tmp_path: Path, name: str, is_on_disk: bool) -> None:
    path = tmp_path / "store" if is_on_disk else None
    with KnowledgeGraph.open(path) as graph:
        FIRSTS[name](graph)
        assert graph._home.last == 1
        assert lines(graph.dump()) == rows(graph) == {"<http://e/a> <http://e/is> <http://e/a> ."}
        before = view(graph)
    if is_on_disk:
        with KnowledgeGraph.open(path) as graph:
            assert view(graph) == before
            assert add(graph, REX).appeared() == [REX]


def test_contradictions_come_and_go(graph: KnowledgeGraph) -> None:
    disjoint = PREFIX + "@prefix owl: <http://www.w3.org/2002/07/owl#> . :Animal owl:disjointWith :Plant ."
    add(graph, disjoint)
    for removed in ((*REX[:2], "<http://e/Plant>"), REX):
        add(graph, (*REX[:2], "<http://e/Plant>"), REX)
        assert {each.rule for each in graph.contradictions()} == {"cax-dw"}
        assert graph.stats()["contradictions"] == 1
        proof = graph.prove_contradictions()[0]
        assert {step.fact.terms for step in proof.steps() if step.is_asserted} == {REX, (*REX[:2], "<http://e/Plant>")}
        remove(graph, removed)
        assert graph.contradictions() == []
    add(graph, (*REX[:2], "<http://e/Plant>"), REX)
    remove(graph, disjoint)
    assert graph.contradictions() == []
    assert graph.prove_contradictions() == []


def test_an_exception_in_the_block_leaves_the_graph_as_it_was(graph: KnowledgeGraph) -> None:
    before = view(graph)
    tx = graph.transaction()
    tx.add(PREFIX + ':tom a :Dog ; :age "03"^^<http://www.w3.org/2001/XMLSchema#integer> .').remove(REX)
    with pytest.raises(InjectedError), tx:
        raise InjectedError
    assert view(graph) == before
    with pytest.raises(StoreError, match="no delta"):
        _ = tx.delta
    with pytest.raises(StoreError, match="has ended"):
        tx.add(PREFIX + ":tom a :Dog .")
    assert view(graph) == before
    assert len(add(graph, PREFIX + ":rex :age 3 .").appeared()) == 1


def test_one_transaction_at_a_time(graph: KnowledgeGraph) -> None:
    with graph.transaction() as tx:
        for begin in (graph.transaction, graph.what_if, graph.load, lambda: graph.update("CLEAR ALL")):
            with pytest.raises(StoreError, match="open already"):
                begin()
        tx.add(PREFIX + ":tom a :Dog .")
    assert len(tx.delta) == 2
    with graph.what_if(), pytest.raises(StoreError, match="open already"):
        graph.transaction()


def test_a_what_if_on_a_graph_that_is_empty_or_read_only(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        with graph.what_if() as tx:
            tx.add(ONTOLOGY)
        assert ANIMAL in tx.delta.appeared(asserted=False)
        assert not rows(graph)
        add(graph, ONTOLOGY)
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        with graph.what_if() as tx:
            tx.remove(REX)
        assert sorted(tx.delta.disappeared()) == [ANIMAL, REX]
        with pytest.raises(StoreError, match="reading only"):
            graph.transaction()


def test_the_delta_of_a_what_if_can_be_read_after_its_terms_have_gone(graph: KnowledgeGraph) -> None:
    with graph.what_if() as tx:
        tx.add(PREFIX + ":g { :supposed a :Dog }")
    add(graph, PREFIX + ":a :completely :different .")
    assert ("<http://e/supposed>", *ANIMAL[1:]) in tx.delta.appeared()
    assert tx.delta.quads(added=True) == [("<http://e/supposed>", *REX[1:], "<http://e/g>")]
    assert "A <http://e/supposed>" in tx.delta.to_patch()


def test_files_come_and_go(graph: KnowledgeGraph, tmp_path: Path) -> None:
    """Blank nodes of a file are the same when it is unloaded."""
    (tmp_path / "a.ttl").write_text(PREFIX + "[] a :Dog ; :friend [ a :Dog ] . :rex a :Dog .")
    before = view(graph)._replace(stats={})
    stats = graph.load(tmp_path / "a.ttl")
    assert stats["facts"] == 3 + 2 + 2 + 1
    stats = graph.unload(tmp_path / "a.ttl")
    assert (stats["missed"], stats["asserted"]) == (0, 1)
    assert graph.unload(tmp_path / "a.ttl")["missed"] == 4
    add(graph, REX)
    assert view(graph)._replace(stats={}) == before


def test_statistics_are_those_of_the_last_commit(graph: KnowledgeGraph) -> None:
    delta = add(graph, PREFIX + ":Animal rdfs:subClassOf :Being .")  # and so :Dog, which is no axiom of its own
    stats = graph.stats()
    assert {name: stats[name] for name in delta.work._fields} == delta.work._asdict()
    assert (delta.work.strategy, delta.work.retranslated, delta.work.rules_added) == ("update", 1, 1)
    assert delta.work.rewrites > 0
    supposed = delta_of_what_if(graph, Edit(added=((*ANIMAL[:2], "<http://e/Cat>", None),)))
    assert supposed.work.retranslated == 0
    assert graph.stats() == stats
    stats["facts"] = -1
    assert graph.stats()["facts"] > 0
