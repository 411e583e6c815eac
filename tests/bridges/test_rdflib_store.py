"""The Store plugin over a graph that infers: what is read, and what becomes a commit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import rdflib
from rdflib import OWL, RDF, RDFS, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.graph import BatchAddGraph, QuotedGraph
from rdflib.store import NO_STORE, VALID_STORE, TripleAddedEvent, TripleRemovedEvent
from rdflib.term import Node

from kgreason import KnowledgeGraph
from kgreason.bridges.rdflib import KGReasonStore
from kgreason.errors import InputError, LimitError, RuleError, StoreError
from kgreason.graph.changes.delta import Delta
from tests.graph.commits.threads import hasty

E = Namespace("http://e/")
PREFIXES = "@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
ANIMALS = PREFIXES + ":Cat rdfs:subClassOf :Animal . :tom a :Cat . :kim a :Cat ."
TOM_IS_ANIMAL = (E.tom, RDF.type, E.Animal)


@pytest.fixture
def deltas(live: KnowledgeGraph) -> list[Delta]:
    heard: list[Delta] = []
    live.subscribe(heard.append)
    return heard


@pytest.fixture
def graph(live: KnowledgeGraph) -> Graph:
    return Graph(KGReasonStore(live))


def test_the_plugin_is_registered() -> None:
    for made in (Graph(store="kgreason"), Dataset(store="kgreason")):
        assert isinstance(made.store, KGReasonStore)
        assert len(made) == 0


def test_a_graph_is_the_closure(graph: Graph) -> None:
    graph.parse(data=ANIMALS)
    assert TOM_IS_ANIMAL in graph
    assert set(graph.subjects(RDF.type, E.Animal)) == {E.tom, E.kim}
    assert len(graph) == len(list(graph)) == 5


def test_a_dataset_is_the_closure_and_what_named_graphs_assert(live: KnowledgeGraph) -> None:
    dataset = Dataset(KGReasonStore(live))
    dataset.graph(E.g).parse(data=ANIMALS)
    assert TOM_IS_ANIMAL in dataset.default_graph
    assert TOM_IS_ANIMAL not in dataset.graph(E.g)
    assert len(dataset) == 5
    assert len(dataset.graph(E.g)) == 3
    assert {graph.identifier for graph in dataset.graphs(TOM_IS_ANIMAL)} == {dataset.default_graph.identifier}
    asserted = set(dataset.graphs((E.tom, RDF.type, E.Cat)))
    assert {graph.identifier for graph in asserted} == {dataset.default_graph.identifier, E.g}
    assert (*TOM_IS_ANIMAL, dataset.default_graph.identifier) in set(dataset.quads())


def test_parsing_is_one_commit(graph: Graph, deltas: list[Delta]) -> None:
    graph.parse(data=ANIMALS)
    graph.commit()
    assert [len(delta.quads(added=True)) for delta in deltas] == [3]


def _add(graph: Graph) -> None:
    for name in "abc":
        graph.add((E[name], RDF.type, E.Cat))


def _add_n(graph: Graph) -> None:
    graph.addN((E[name], RDF.type, E.Cat, graph) for name in "abc")


def _batch(graph: Graph) -> None:
    with BatchAddGraph(graph, batch_size=2) as batch:
        for name in "abc":
            batch.add((E[name], RDF.type, E.Cat))


@pytest.mark.parametrize("write", [_add, _add_n, _batch])
@pytest.mark.parametrize("read", [len, list, Graph.commit, lambda graph: graph.query("ASK {}"), Graph.all_nodes])
def test_a_run_of_edits_is_one_commit_once_it_is_asked_for(
    graph: Graph, deltas: list[Delta], write: Callable[[Graph], None], read: Callable[[Graph], object]
) -> None:
    write(graph)
    assert deltas == []
    read(graph)
    read(graph)
    assert [len(delta) for delta in deltas] == [3]


def test_autocommit(live: KnowledgeGraph, deltas: list[Delta]) -> None:
    graph = Graph(KGReasonStore(live, autocommit=True))
    graph.add((E.a, RDF.type, E.Cat)).add((E.b, RDF.type, E.Cat))
    graph.addN((E[name], RDF.type, E.Cat, graph) for name in "cde")
    graph.remove((None, RDF.type, E.Cat))
    assert [(len(each.quads(added=True)), len(each.quads(added=False))) for each in deltas] == [
        (1, 0),
        (1, 0),
        (3, 0),
        (0, 5),
    ]


def test_the_last_of_several_edits_wins(graph: Graph, deltas: list[Delta]) -> None:
    graph.add(TOM_IS_ANIMAL).remove(TOM_IS_ANIMAL).add((E.a, E.p, E.b)).remove((E.a, E.p, E.b)).add((E.a, E.p, E.b))
    assert set(graph) == {(E.a, E.p, E.b)}
    assert len(deltas) == 1


def test_rollback_drops_what_waits(graph: Graph, live: KnowledgeGraph, deltas: list[Delta]) -> None:
    graph.parse(data=ANIMALS).commit()
    terms = live.stats()["terms"]
    graph.add((E.new, RDF.type, E.Cat)).remove((E.tom, RDF.type, E.Cat)).rollback()
    assert len(graph) == 5
    assert len(deltas) == 1
    assert live.stats()["terms"] == terms
    graph.rollback().commit()


def test_waiting_triples_keep_nobody_from_editing(graph: Graph, live: KnowledgeGraph) -> None:
    graph.add((E.a, RDF.type, E.Cat))
    live.update("INSERT DATA { <e:a> <e:b> <e:c> }")
    with live.transaction() as tx:
        tx.add("<e:x> <e:b> <e:c> .")
        with pytest.raises(StoreError, match="a transaction open already"):
            len(graph)
    assert len(graph) == 3
    live.update("DELETE DATA { <http://e/a> a <http://e/Cat> }")
    assert len(graph) == 2


def test_threads_that_write_and_read() -> None:
    """Nothing that was added is lost, and each thread reads what it has added."""
    graph = Graph(store="kgreason")
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(40):
                graph.add((E[f"{name}{number}"], E.p, E.o))
                if number % 7 == 3:
                    assert (E[f"{name}{number}"], E.p, E.o) in graph
                if number % 11 == 5:
                    graph.update(f"INSERT DATA {{ <{E}{name}> <{E}q> {number} }}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=[name]) for name in "abcd"]
    with hasty():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors
    assert len(list(graph.subjects(E.p, E.o))) == 160
    assert len(list(graph.objects(None, E.q))) == 16
    graph.close()


def test_inferred_triples_stay(graph: Graph, deltas: list[Delta]) -> None:
    graph.parse(data=ANIMALS).commit()
    graph.remove(TOM_IS_ANIMAL)
    assert TOM_IS_ANIMAL in graph
    assert len(deltas) == 1
    graph.add(TOM_IS_ANIMAL).commit()
    graph.remove(TOM_IS_ANIMAL)
    assert TOM_IS_ANIMAL in graph
    assert len(deltas) == 3


def test_a_pattern_takes_the_asserted_ones(graph: Graph) -> None:
    graph.parse(data=ANIMALS)
    graph.remove((None, RDF.type, E.Animal))
    assert TOM_IS_ANIMAL in graph
    graph.remove((E.tom, None, None))
    assert list(graph.predicate_objects(E.tom)) == []
    assert (E.kim, RDF.type, E.Animal) in graph


def test_axioms_are_edited_like_data(graph: Graph) -> None:
    graph.parse(data=ANIMALS)
    graph.remove((E.Cat, RDFS.subClassOf, None))
    assert TOM_IS_ANIMAL not in graph
    graph.add((E.tom, OWL.sameAs, E.thomas))
    assert (E.thomas, RDF.type, E.Cat) in graph
    assert len(graph) == len(list(graph))


NOT_RDF: list[tuple[Node, Node, Node]] = [
    (URIRef("relative"), E.p, E.b),
    (E.a, BNode(), E.b),
    (Literal("a"), E.p, E.b),
    (E.a, E.p, URIRef("http://e/a b")),
    (E.a, E.p, BNode("a b")),
    (E.a, E.p, Literal("\ud800")),
    (E.a, E.p, Literal("a", datatype=URIRef("relative"))),
    (E.a, E.p, Literal("a", datatype=RDF.langString)),
    (E.a, E.p, rdflib.Variable("x")),
    (E.a, E.p, Graph()),
]


@pytest.mark.parametrize("triple", NOT_RDF)
def test_a_triple_that_is_no_rdf_is_refused_at_once_and_as_a_whole(
    graph: Graph, triple: tuple[Node, Node, Node]
) -> None:
    graph.add((E.a, E.p, E.b))
    with pytest.raises(InputError):
        graph.add(triple)
    with pytest.raises(InputError):
        graph.addN([(E.c, E.p, E.c, graph), (*triple, graph)])
    assert set(graph) == {(E.a, E.p, E.b)}


def test_a_graph_opened_for_reading(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "zoo") as live, live.transaction() as tx:
        tx.add(ANIMALS)
    with KnowledgeGraph.open(tmp_path / "zoo", read_only=True) as live:
        graph = Graph(KGReasonStore(live))
        assert TOM_IS_ANIMAL in graph
        with pytest.raises(StoreError, match="reading"):
            graph.add((E.a, E.p, E.b))
        assert len(graph) == 5


def test_formulas_are_refused(graph: Graph) -> None:
    formula = QuotedGraph(graph.store, BNode())
    with pytest.raises(InputError):
        formula.add((E.a, E.p, E.b))
    with pytest.raises(InputError):
        list(formula)
    with pytest.raises(rdflib.exceptions.ParserError):
        graph.parse(data="{ <e:a> <e:b> <e:c> } => { <e:a> <e:b> <e:d> } .", format="n3")


def test_an_error_of_a_commit_drops_the_edits() -> None:
    with KnowledgeGraph.open(rules=["owl2rl"], budget=1_000) as poor:
        graph = Graph(KGReasonStore(poor))
        graph.add((E.p, RDF.type, OWL.TransitiveProperty)).commit()
        graph.addN((E[str(i)], E.p, E[str(i + 1)], graph) for i in range(200))
        with pytest.raises(LimitError):
            len(graph)
        assert len(graph) == 1


def test_blank_nodes_keep_their_labels(graph: Graph, live: KnowledgeGraph) -> None:
    graph.parse(data=PREFIXES + ":tom :owner [ :name 'Ann' ] .")
    owner = graph.value(E.tom, E.owner)
    assert isinstance(owner, BNode)
    assert [str(row[0]) for row in live.query("SELECT ?o { ?s <http://e/owner> ?o }")] == [f"_:{owner}"]  # type: ignore[union-attr]
    assert graph.value(owner, E.name) == Literal("Ann")
    graph.remove((owner, E.name, None))
    assert set(graph) == {(E.tom, E.owner, owner)}


def test_literals_keep_their_forms(graph: Graph) -> None:
    forms = [Literal(text, datatype=XSD.integer, normalize=False) for text in ("1", "01", "+1")]
    others = [Literal("300", datatype=XSD.byte), Literal("1.50", datatype=XSD.decimal, normalize=False)]
    graph.add((E.p, RDFS.subPropertyOf, E.q))
    graph.addN((E.a, E.p, literal, graph) for literal in [*forms, *others])
    assert set(graph.objects(E.a, E.p)) == {*forms, *others}
    assert set(graph.objects(E.a, E.q)) == {forms[2], *others}  # of an inferred value, the first spelling by its text
    assert len(graph) == len(list(graph)) == 9
    assert list(graph.triples((None, E.p, forms[1]))) == [(E.a, E.p, forms[1])]
    graph.remove((None, None, forms[1]))
    assert set(graph.objects(E.a, E.q)) == {forms[2], *others}


def test_lexical_forms_are_those_of_the_document(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    graph.parse(data=PREFIXES + f":a :p '01'^^<{XSD.integer}> , 1 .")
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", True)
    assert {str(literal) for literal in graph.objects()} == {"01", "1"}


def test_graphs_of_one_store_share_their_prefixes(live: KnowledgeGraph) -> None:
    store = KGReasonStore(live)
    Graph(store).parse(data=ANIMALS)
    assert dict(Graph(store).namespaces())[""] == URIRef(E)


def test_events(graph: Graph) -> None:
    events: list[object] = []
    for kind in (TripleAddedEvent, TripleRemovedEvent):
        graph.store.dispatcher.subscribe(  # type: ignore[no-untyped-call]
            kind, lambda event: events.append((type(event), event.triple))
        )
    graph.add(TOM_IS_ANIMAL).remove((None, RDF.type, None))
    assert events == [(TripleAddedEvent, TOM_IS_ANIMAL), (TripleRemovedEvent, (None, RDF.type, None))]


def test_removing_the_default_graph_leaves_it(live: KnowledgeGraph) -> None:
    dataset = Dataset(KGReasonStore(live))
    dataset.default_graph.add((E.a, E.p, E.b))
    dataset.remove_graph(dataset.default_graph)
    assert len(dataset) == 1


def test_a_store_on_disk(tmp_path: Path) -> None:
    path = str(tmp_path / "zoo")
    graph = Graph(store="kgreason")
    assert graph.open(path) == NO_STORE
    with pytest.raises(StoreError, match="there is no store"):
        len(graph)
    assert graph.open(path, create=True) == VALID_STORE
    graph.parse(data=ANIMALS)
    graph.close()
    with pytest.raises(StoreError, match="closed"):
        len(graph)
    assert graph.open(path) == VALID_STORE
    assert len(graph) == 5
    with pytest.raises(StoreError, match="already open"):
        graph.open(path)
    with pytest.raises(StoreError):
        graph.destroy(path)
    graph.close()
    again = Graph(KGReasonStore(path))
    assert len(again) == 5
    again.close()


def test_destroying_a_store(tmp_path: Path) -> None:
    path = tmp_path / "zoo"
    graph = Graph(store="kgreason")
    graph.open(str(path), create=True)
    graph.close()
    graph.destroy(str(path))
    assert not path.exists()
    with pytest.raises(StoreError, match="no store"):
        graph.destroy(str(tmp_path))
    assert tmp_path.exists()


def test_rules_and_schema_by_configuration(tmp_path: Path) -> None:
    own = tmp_path / "own.dl"
    own.write_text("[?y, <http://e/eats>, ?x] :- [?x, <http://e/eatenBy>, ?y] .")
    path = tmp_path / "zoo"
    graph = Graph(KGReasonStore())
    graph.open(f"{path}?rules=rdfs&rules={own}&schema=data", create=True)
    graph.parse(data=ANIMALS + ":mouse :eatenBy :tom .")
    assert TOM_IS_ANIMAL in graph
    assert (E.tom, E.eats, E.mouse) in graph
    graph.close()
    with pytest.raises(StoreError, match="made with"):
        graph.open(f"{path}?rules=owl2rl")
    assert graph.open(f"{path}?schema=data") == VALID_STORE
    assert (E.tom, E.eats, E.mouse) in graph
    graph.close()


def test_a_configuration_without_a_path_is_in_memory() -> None:
    graph = Graph(KGReasonStore("?rules=none"))
    graph.parse(data=ANIMALS)
    assert len(graph) == 3


@pytest.mark.parametrize("text", ["?schema=none", "?schema=data&schema=data", "zoo?rule=rdfs", "zoo?autocommit"])
def test_a_configuration_that_says_nothing_known(text: str) -> None:
    with pytest.raises(StoreError, match="unknown or wrong option after"):
        KGReasonStore(text)


def test_errors_of_opening() -> None:
    with pytest.raises(RuleError):
        Graph(KGReasonStore("?rules=owl3")).add((E.a, E.p, E.b))
    with pytest.raises(StoreError, match="string"):
        KGReasonStore().open(("zoo", "owl2rl"))


def test_closing_commits_and_leaves_the_graph_of_others_open(live: KnowledgeGraph) -> None:
    graph = Graph(KGReasonStore(live))
    graph.parse(data=ANIMALS)
    graph.close()
    assert live.stats()["facts"] == 5
    with pytest.raises(StoreError, match="closed"):
        graph.add((E.a, E.p, E.b))


def test_language_tags_keep_their_letters_and_are_found_in_any(graph: Graph) -> None:
    tagged, small = Literal("colour", lang="en-GB"), Literal("colour", lang="en-gb")
    graph.add((E.a, E.p, tagged))
    (found,) = graph.objects(E.a, E.p)
    assert found.n3() == '"colour"@en-GB'
    assert (E.a, E.p, small) in graph
    assert list(graph.subjects(None, small)) == [E.a]
    graph.add((E.b, E.p, small))  # rdflib takes both literals for one, but they are two
    assert {each.n3() for each in graph.objects(None, E.p)} == {'"colour"@en-GB', '"colour"@en-gb'}
    graph.remove((E.a, None, small))
    assert list(graph.subjects(E.p, tagged)) == [E.b]
    graph.remove((E.b, E.p, tagged))
    assert not list(graph.subjects(E.p, None))
