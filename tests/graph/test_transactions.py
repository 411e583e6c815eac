"""Transactions: what they take, what they commit as one, and what an exception, a budget or Ctrl-C leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from kgreason.engine.engine import Strategy
from kgreason.errors import InputError, LimitError, RdfSyntaxError, RuleError, RuleSyntaxError, StoreError
from kgreason.graph import live, repository
from kgreason.graph.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from kgreason.store.record import Record

from .histories import PREFIXES, RULES, Edit, Model, histories
from .test_edits import check, commit, told, tried
from .views import lasting, lines, rows, view

PREFIX = "@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
ONTOLOGY = PREFIX + ":Dog rdfs:subClassOf :Animal . :rex a :Dog ."
REX = ("<http://e/rex>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e/Dog>")
ANIMAL = (*REX[:2], "<http://e/Animal>")
CLOSURE = (
    PREFIX
    + """
@group paths .
@rule step path(?x, ?y) :- [?x, :to, ?y] .
@rule "and on" path(?x, ?z) :- path(?x, ?y), [?y, :to, ?z] .
@rule shown [?x, :reaches, ?y] :- path(?x, ?y) ."""
)


class InjectedError(Exception):
    """What the tests inject."""


@pytest.fixture(params=["memory", "disk"])
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    """A graph of a dog, in memory or on disk."""
    with KnowledgeGraph.open(None if request.param == "memory" else tmp_path / "store") as opened:
        add(opened, ONTOLOGY)
        yield opened


def add(graph: KnowledgeGraph, *items: object) -> Delta:
    with graph.transaction() as tx:
        tx.add(*items)  # type: ignore[arg-type]
    return tx.delta


def remove(graph: KnowledgeGraph, *items: object) -> Delta:
    with graph.transaction() as tx:
        tx.remove(*items)  # type: ignore[arg-type]
    return tx.delta


def add_rules(graph: KnowledgeGraph, text: str) -> Delta:
    with graph.transaction() as tx:
        tx.add_rules(text)
    return tx.delta


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


def asserted(graph: KnowledgeGraph) -> list[tuple[str, ...]]:
    return [tuple(line.removesuffix(" .").split(" ", 2)) for line in lines(graph.dump(asserted=True))]


BAD_ITEMS = [
    ("<http://e/a> <http://e/b> .", RdfSyntaxError, "<text>:1"),
    ("@prefix : <http://e/> .\n:a :b :c .\n:d :e", RdfSyntaxError, "<text>:3"),
    (("<http://e/a>", "<http://e/b>"), InputError, "neither text nor a row"),
    (("<http://e/a>", "<http://e/b>", "c"), RdfSyntaxError, "row:1"),
    (("<http://e/a>", "<http://e/b>", "<http://e/c> .\n<http://e/d> <http://e/e> <http://e/f>"), InputError, "single"),
    (7, InputError, "7: neither text"),
]


@pytest.mark.parametrize(("item", "error", "message"), BAD_ITEMS)
def test_what_is_no_triple_is_refused(
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
    assert graph.unload() | {"seconds": 0} == graph.stats() | {"missed": 0, "seconds": 0}


def test_a_commit_of_helper_relations_alone_is_a_commit(graph: KnowledgeGraph) -> None:
    told_of: list[Delta] = []
    graph.subscribe(told_of.append)
    before = lines(graph.dump())
    for text in ("likes(<http://e/a>, <http://e/b>) .", "likes(?y, ?x) :- likes(?x, ?y) .", "false :- likes(?x, ?x) ."):
        delta = add_rules(graph, text)
        assert delta.commit == graph._home.last
        assert (len(delta), delta.to_patch()) == (0, "TX .\nTC .\n")
        assert told_of.pop() is delta
    assert not graph.contradictions()
    add_rules(graph, "likes(<http://e/a>, <http://e/a>) .")
    assert [each.terms for each in graph.contradictions()] == [("<http://e/a>",)]
    assert lines(graph.dump()) == before


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


def test_rules_keep_names_and_groups(tmp_path: Path) -> None:
    """Through journal and snapshot; they go by name, or by text whatever the variables are called."""
    path = tmp_path / "store"
    with KnowledgeGraph.open(path) as graph:
        add(graph, PREFIX + ":a :to :b . :b :to :c .")
        add_rules(graph, CLOSURE)
        own = graph._engine().materializer.own
        assert [(rule.name, rule.group) for rule in own] == [(name, "paths") for name in ("step", "and on", "shown")]
    for _ in range(2):
        with KnowledgeGraph.open(path) as graph:
            assert graph._engine().materializer.own == own
            assert graph.query("ASK { <http://e/a> <http://e/reaches> <http://e/c> }")
            graph._engine().checkpoint()
    with KnowledgeGraph.open(path) as graph:
        with graph.transaction() as tx:
            tx.remove_rules("and on")
        assert tx.delta.disappeared() == [("<http://e/a>", "<http://e/reaches>", "<http://e/c>")]
        with graph.transaction() as tx:
            tx.remove_rules(PREFIX + "path(?a, ?b) :- [?a, :to, ?b] .")
        assert len(tx.delta.disappeared()) == 2
        assert [rule.name for rule in graph._engine().materializer.own] == ["shown"]


def test_rules_of_files_come_and_go(graph: KnowledgeGraph, tmp_path: Path) -> None:
    (tmp_path / "closure.dl").write_text(CLOSURE)
    before = lasting(view(graph))
    with graph.transaction() as tx:
        tx.load_rules(tmp_path / "closure.dl").add_rules(CLOSURE)
    assert tx.delta.work.rules_added == 3
    with graph.transaction() as tx:
        tx.unload_rules(tmp_path / "closure.dl")
    assert tx.delta.work.rules_removed == 3
    assert lasting(view(graph)) == before
    with graph.transaction() as tx:
        tx.load_rules(tmp_path / "closure.dl").unload_rules(tmp_path / "closure.dl")
    assert not tx.delta.commit


def test_removing_a_rule_removes_it_under_every_name(graph: KnowledgeGraph) -> None:
    text = PREFIX + "[?y, :has, ?x] :- [?x, a, ?y] ."
    add_rules(graph, text + "\n@rule other [?b, :has, ?a] :- [?a, a, ?b] .")
    with graph.transaction() as tx:
        tx.remove_rules(text)
    assert ("<http://e/Dog>", "<http://e/has>", "<http://e/rex>") in tx.delta.disappeared()
    assert not graph._engine().materializer.own


BAD_RULES: list[tuple[Callable[[Transaction], object], type[Exception], str]] = [
    (lambda tx: tx.add_rules("p(?x) :- q(?x)\n oh"), RuleSyntaxError, "<rules>:2"),
    (lambda tx: tx.add_rules("p(?x) :- q(?y) .", "mine"), RuleError, "mine:1"),
    (lambda tx: tx.remove_rules("nobody"), RuleError, "nobody: no rule of this name"),
    (lambda tx: tx.remove_rules("p(?x) :- q(?x) ."), RuleError, "no rule like this"),
    (lambda tx: tx.load_rules("missing.dl"), InputError, "missing"),
    (lambda tx: tx.add_rules(f"p({', '.join(f'?x{n}' for n in range(40))}) :- q(?x0) ."), RuleError, "x1"),
    (lambda tx: tx.add_rules(f"p({', '.join('1' for _ in range(40))}) ."), LimitError, "terms"),
]


@pytest.mark.parametrize(("ask", "error", "message"), BAD_RULES)
def test_a_rule_text_with_an_error_changes_nothing(
    graph: KnowledgeGraph, ask: Callable[[Transaction], object], error: type[Exception], message: str
) -> None:
    before = view(graph)
    tx = graph.transaction().add("<http://e/new> a <http://e/New> .")
    with pytest.raises(error, match=message), tx:
        ask(tx)
    assert view(graph) == before
    assert add(graph, ANIMAL).turned(asserted=True) == [ANIMAL]


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


def test_what_if_on_a_graph_that_is_empty_or_read_only(tmp_path: Path) -> None:
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


def test_what_was_supposed_can_be_read_after_the_terms_have_gone(graph: KnowledgeGraph) -> None:
    with graph.what_if() as tx:
        tx.add(PREFIX + ":g { :supposed a :Dog }")
    add(graph, PREFIX + ":a :completely :different .")
    assert ("<http://e/supposed>", *ANIMAL[1:]) in tx.delta.appeared()
    assert tx.delta.quads(added=True) == [("<http://e/supposed>", *REX[1:], "<http://e/g>")]
    assert "A <http://e/supposed>" in tx.delta.to_patch()


EXPLODING = PREFIX + "@rule boom pair(?x, ?y) :- [?x, :p, ?v], [?y, :p, ?w] . [?x, :with, ?y] :- pair(?x, ?y) ."


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
def test_rules_that_explode_stop_at_a_budget(tmp_path: Path, strategy: Strategy) -> None:
    many = PREFIX + "".join(f":x{n} :p {n} .\n" for n in range(200))
    with KnowledgeGraph.open(tmp_path / "store", strategy=strategy, budget=20_000) as graph:
        add(graph, many)
        before = view(graph)
        for begin in (graph.transaction, graph.what_if):
            with pytest.raises(LimitError, match=r"20,000 rewrites: the budget ran out in rule boom"), begin() as tx:
                tx.add_rules(EXPLODING)
            assert view(graph) == before
        assert add(graph, REX).appeared() == [REX]
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert len(add_rules(graph, EXPLODING).appeared()) == 40_000


def test_subscribers_hear_of_every_commit_in_order(graph: KnowledgeGraph) -> None:
    told_of: list[Delta] = []
    stop = graph.subscribe(told_of.append)
    for text in (":a a :Dog .", ":b a :Dog ."):
        add(graph, PREFIX + text)
    with graph.what_if() as tx:
        tx.add(PREFIX + ":c a :Dog .")
    graph.update("INSERT DATA { <http://e/d> a <http://e/Dog> } ; DELETE WHERE { ?x a <http://e/Dog> }")
    stop()
    add(graph, PREFIX + ":e a :Dog .")
    assert [delta.commit for delta in told_of] == list(range(2, 2 + len(told_of)))
    assert [len(delta) for delta in told_of] == [2, 2, 2, 8]


def test_a_subscriber_that_raises(graph: KnowledgeGraph) -> None:
    """The commit stands, the others are told, and whoever made the commit gets the error."""
    told_of: list[Delta] = []

    def fails(delta: Delta) -> None:
        raise InjectedError(delta.commit)

    stop = graph.subscribe(fails)
    graph.subscribe(told_of.append)
    with pytest.raises(InjectedError, match="2"), graph.transaction() as tx:
        tx.add(PREFIX + ":a a :Dog .")
    assert told_of == [tx.delta]
    graph.subscribe(fails)
    with pytest.raises(ExceptionGroup) as caught:
        graph.update("INSERT DATA { <http://e/b> a <http://e/Dog> }")
    assert [str(error) for error in caught.value.exceptions] == ["3", "3"]
    assert [delta.commit for delta in told_of] == [2, 3]
    stop()
    assert graph.query("ASK { <http://e/a> a <http://e/Animal> . <http://e/b> a <http://e/Animal> }")


def test_a_subscriber_may_edit(graph: KnowledgeGraph) -> None:
    numbers: list[int] = []

    def answer(delta: Delta) -> None:
        if delta.appeared() and len(numbers) < 4:
            add(graph, PREFIX + f":a{delta.commit} a :Dog .")

    graph.subscribe(answer)
    graph.subscribe(lambda delta: numbers.append(delta.commit))
    add(graph, PREFIX + ":a a :Dog .")
    assert numbers == [2, 3, 4, 5, 6]


def test_a_journal_that_has_outgrown_its_share_becomes_a_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ahead of the subscribers; where that fails the commit stands, and closing says what is wrong."""
    monkeypatch.setattr(repository, "_SMALLEST", 300)
    monkeypatch.setattr(repository, "_SHARE", 1 << 40)
    path, sizes = tmp_path / "store", list[int]()
    graph = KnowledgeGraph.open(path)
    add(graph, ONTOLOGY)
    graph.subscribe(lambda _: sizes.append((path / "journal").stat().st_size))
    for number in range(9):
        add(graph, f"<http://e/{number}> <http://e/p> <http://e/o> .")
    assert max(sizes) <= 300
    assert 0 in sizes
    before = view(graph)
    with monkeypatch.context() as patched:
        patched.setattr(repository, "_SMALLEST", 0)
        patched.setattr(graph._home, "_limit", 0)
        patched.setattr(graph._engine(), "write", fails)
        add(graph, "<http://e/last> <http://e/p> <http://e/o> .")
        with pytest.raises(StoreError, match="the disk is full"):
            graph.close()
    with KnowledgeGraph.open(path) as graph:
        assert len(lines(graph.dump())) == len(before.asserted | before.inferred) + 1


def fails(_: object) -> None:
    raise StoreError("the disk is full")


def test_streams_say_how_far_they_have_come(tmp_path: Path) -> None:
    """Through journal, checkpoint and bulk load; a batch that changes nothing is noted as well."""
    path, texts = tmp_path / "store", iter(f"<http://e/a> <http://e/p> {n} ." for n in range(9))

    def batch(graph: KnowledgeGraph, stream: str, number: int, text: str = "") -> None:
        with graph.transaction({"stream": stream, "batch": str(number)}) as tx:
            tx.add(text or next(texts))
        assert graph.streams()[stream] == {"stream": stream, "batch": str(number)}

    with KnowledgeGraph.open(path) as graph:
        assert graph.streams() == {}
        batch(graph, "one", 1)
        batch(graph, "one", 2, "<http://e/a> <http://e/p> 0 .")
        batch(graph, "two", 7)
        add(graph, next(texts))
    with KnowledgeGraph.open(path) as graph:
        assert {name: headers["batch"] for name, headers in graph.streams().items()} == {"one": "2", "two": "7"}
        graph._engine().checkpoint()
        batch(graph, "two", 8)
        with pytest.raises(InjectedError), graph.transaction({"stream": "two", "batch": "9"}):
            raise InjectedError
        graph._home.close()
    with KnowledgeGraph.open(path) as graph, pytest.MonkeyPatch.context() as patched:
        patched.setattr(live, "SMALL", 0)
        batch(graph, "one", 3)
        patched.undo()
        with pytest.raises(ValueError, match="not a name"), graph.transaction({"stream": "two", "commit": "9"}) as tx:
            tx.add(next(texts))
    with KnowledgeGraph.open(path, read_only=True) as graph:
        assert {name: headers["batch"] for name, headers in graph.streams().items()} == {"one": "3", "two": "8"}


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


class Interrupting:
    """Progress that raises when it is told of for the n-th time, or else when the reasoning is done."""

    def __init__(self, after: int) -> None:
        self._left = after

    @contextmanager
    def __call__(self, stage: str, total: int | None = None, /) -> Iterator[Callable[[int], object]]:
        yield self._count
        raise InjectedError

    def _count(self, _done: int) -> None:
        self._left -= 1
        if self._left < 0:
            raise InjectedError


@pytest.mark.parametrize("strategy", ["auto", "update", "bootstrap"])
@settings(max_examples=8)
@given(edits=histories(), moments=st.lists(st.integers(0, 12), min_size=5, max_size=5))
def test_a_commit_that_is_interrupted_at_any_moment(strategy: Strategy, edits: list[Edit], moments: list[int]) -> None:
    """It leaves no trace: neither now, nor in what the next commits do."""
    model = Model()
    with KnowledgeGraph.open(strategy=strategy) as graph, KnowledgeGraph.open(strategy=strategy) as calm:
        for edit, moment in zip(edits, moments, strict=False):
            before = view(graph)
            for begin in (graph.transaction, graph.what_if):
                edit.tell(tx := begin())
                with pytest.raises(InjectedError):
                    tx.end(True, Interrupting(moment))
                assert view(graph) == before
            model = model.after(edit)
            assert told(commit(graph, edit)) == told(commit(calm, edit))
            check(graph, model)


@pytest.mark.parametrize("step", ["accept", "program.commit", "_home.commit"])
def test_ctrl_c_once_the_journal_has_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """It stands, and subscribers are told of it."""
    told_of: list[Delta] = []
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        add(graph, ONTOLOGY)
        graph.subscribe(told_of.append)
        side = graph._engine()
        owner, name = {
            "accept": (side.materializer, "accept"),
            "program.commit": (side.materializer.program, "commit"),
            "_home.commit": (side._home, "commit"),
        }[step]
        function = getattr(owner, name)
        left = iter([True])

        def stopped(*arguments: object) -> None:
            if name == "commit":
                function(*arguments)
            if next(left, False):
                raise KeyboardInterrupt
            if name == "accept":
                function(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(owner, name, stopped)
            with pytest.raises(KeyboardInterrupt):
                add(graph, PREFIX + ":tom a :Dog .")
        assert [delta.commit for delta in told_of] == [2]
        after = view(graph)
        assert "<http://e/tom>" in "".join(after.inferred)
        remove(graph, REX)
        assert len(told_of) == 2
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert len(asserted(graph)) == 2


def test_the_journal_is_text_that_says_what_was_asked(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        add(graph, ONTOLOGY)
        with graph.transaction() as tx:
            tx.remove(REX).add(ANIMAL).add_rules(PREFIXES + RULES["reach"])
        [record] = graph._home.pending()
    assert (record.removed, record.added) == tuple(f"{' '.join(row)} .\n".encode() for row in (REX, ANIMAL))
    assert [(sign, text.split("\n")[0]) for sign, text in record.rules] == [(1, "@group paths .")] * 3
    assert '@rule "reached at last"' in record.rules[2][1]
    assert Record.parse(record.patch()) == record


def test_statistics_are_those_of_the_last_commit(graph: KnowledgeGraph) -> None:
    delta = add(graph, PREFIX + ":Animal rdfs:subClassOf :Being .")  # and so :Dog, whose rule is a shortcut
    stats = graph.stats()
    assert {name: stats[name] for name in delta.work._fields} == delta.work._asdict()
    assert (delta.work.strategy, delta.work.retranslated, delta.work.rules_added) == ("update", 2, 1)
    assert delta.work.rewrites > 0
    supposed = tried(graph, Edit(added=((*ANIMAL[:2], "<http://e/Cat>", None),)))
    assert supposed.work.retranslated == 0
    assert graph.stats() == stats
    stats["facts"] = -1
    assert graph.stats()["facts"] > 0


def test_an_update_that_does_too_much_becomes_a_bootstrap() -> None:
    """Seen in the delta and in the statistics; the delta is that of an update."""
    chain = PREFIX + "".join(f":n{n} :to :n{n + 1} .\n" for n in range(60))
    deltas = []
    strategies: tuple[Strategy, Strategy] = ("auto", "update")
    for strategy in strategies:
        with KnowledgeGraph.open(rules=["none"], strategy=strategy) as graph:
            add(graph, chain)
            add_rules(graph, CLOSURE)
            deltas.append(remove(graph, PREFIX + "".join(f":n{n} :to :n{n + 1} .\n" for n in range(0, 60, 3))))
            assert graph.stats()["switched"] == deltas[-1].work.switched
    assert [(delta.work.strategy, delta.work.switched) for delta in deltas] == [("bootstrap", True), ("update", False)]
    assert told(deltas[0]) == told(deltas[1])
