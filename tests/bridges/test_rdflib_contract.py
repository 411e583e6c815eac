"""The contract of rdflib's stores: the same tests for rdflib's own store and for a kgreason without rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, BatchAddGraph
from rdflib.plugins.stores.memory import Memory
from rdflib.store import Store

from kgreason import KnowledgeGraph
from kgreason.bridges.rdflib import KGReasonStore
from tests.volume import many

E = Namespace("http://e/")
NODES = [E.a, E.b, BNode("b1")]
OBJECTS = [*NODES, Literal("x"), Literal("x", lang="en-GB"), Literal(1), Literal("1.0", datatype=XSD.double)]
TRIPLES = list(product(NODES, [E.p, E.q], OBJECTS))
Triple: TypeAlias = tuple[object, object, object]
pytestmark = pytest.mark.filterwarnings("ignore:(Dataset|ConjunctiveGraph):DeprecationWarning")
"""rdflib itself still uses what it deprecates."""


@pytest.fixture(params=["rdflib", "kgreason"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "rdflib":
        yield Memory()
        return
    with KnowledgeGraph.open(rules=["none"]) as graph:
        yield KGReasonStore(graph)


def test_an_added_triple_is_there_once(store: Store) -> None:
    graph = Graph(store)
    for triple in [*TRIPLES, *TRIPLES]:
        graph.add(triple)
    assert set(graph) == set(TRIPLES)
    assert len(graph) == len(list(graph)) == len(TRIPLES)


@pytest.mark.parametrize("mask", list(product([True, False], repeat=3)))
def test_every_pattern(store: Store, mask: tuple[bool, bool, bool]) -> None:
    graph = Graph(store)
    graph.addN((*triple, graph) for triple in TRIPLES)
    for triple in TRIPLES[::5]:
        pattern = tuple(term if is_given else None for term, is_given in zip(triple, mask, strict=True))
        found = list(graph.triples(pattern))  # type: ignore[arg-type]
        matching = [each for each in TRIPLES if all(m is None or m == t for m, t in zip(pattern, each, strict=True))]
        assert set(found) == set(matching)
        assert len(found) == len(matching)


@pytest.mark.parametrize("mask", list(product([True, False], repeat=3)))
def test_removing_by_every_pattern(store: Store, mask: tuple[bool, bool, bool]) -> None:
    graph = Graph(store)
    graph.addN((*triple, graph) for triple in TRIPLES)
    pattern = tuple(term if is_given else None for term, is_given in zip(TRIPLES[8], mask, strict=True))
    graph.remove(pattern)  # type: ignore[arg-type]
    left = [each for each in TRIPLES if any(m is not None and m != t for m, t in zip(pattern, each, strict=True))]
    assert set(graph) == set(left)


def test_a_triple_that_is_no_rdf_is_not_there(store: Store) -> None:
    graph = Graph(store).add(TRIPLES[0])
    assert (Literal("x"), E.p, None) not in graph
    assert (None, BNode("b1"), None) not in graph
    assert (URIRef("relative"), None, None) not in graph
    graph.remove((URIRef("relative"), None, None)).remove((Literal("x"), E.p, E.a))
    assert len(graph) == 1


@pytest.mark.parametrize("place", [0, 1, 2])
def test_choices(store: Store, place: int) -> None:
    graph = Graph(store)
    graph.addN((*triple, graph) for triple in TRIPLES)
    choices: list[object] = [E.a, E.p, Literal("x")]
    choices[place] = [NODES[:2], [E.p, E.q], OBJECTS[:4]][place]
    found = list(graph.triples_choices(tuple(choices)))  # type: ignore[arg-type]
    assert len(found) == len(set(found)) == len(choices[place])  # type: ignore[arg-type]


def test_editing_while_reading(store: Store) -> None:
    graph = Graph(store)
    graph.addN((*triple, graph) for triple in TRIPLES)
    for subject, predicate, object_ in graph:
        graph.remove((subject, predicate, object_))
        graph.add((subject, E.new, object_))
    assert set(graph.predicates()) == {E.new}


def test_set_replaces_the_value(store: Store) -> None:
    graph = Graph(store).add((E.a, E.p, E.b)).add((E.a, E.p, E.c))
    graph.set((E.a, E.p, Literal(5)))
    assert list(graph) == [(E.a, E.p, Literal(5))]


def test_operators_of_graphs(store: Store) -> None:
    graph = Graph(store)
    graph += TRIPLES[:10]
    graph -= TRIPLES[:5]
    assert set(graph) == set(TRIPLES[5:10])


def test_collections(store: Store) -> None:
    graph = Graph(store)
    collection = graph.collection(BNode("list"))
    collection += [E.a, Literal(2), E.b]
    collection.append(E.c)
    del collection[1]
    assert list(graph.collection(BNode("list"))) == [E.a, E.b, E.c]


@pytest.mark.parametrize("size", [2, 7, 1000])
def test_batches(store: Store, size: int) -> None:
    graph = Graph(store)
    with BatchAddGraph(graph, batch_size=size) as batch:
        for triple in TRIPLES:
            batch.add(triple)
    assert set(graph) == set(TRIPLES)


DOCUMENTS = {
    "nt": "<http://e/a> <http://e/p> _:x .\n_:x <http://e/p> 'é'@en .\n".replace("'", '"'),
    "turtle": "@prefix : <http://e/> . :a :p [ :p 'é'@en ] .",
    "xml": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://e/">
        <rdf:Description rdf:about="http://e/a"><p rdf:parseType="Resource"><p xml:lang="en">é</p></p></rdf:Description>
        </rdf:RDF>""",
    "json-ld": """{"@context": {"@vocab": "http://e/"}, "@id": "http://e/a",
        "p": {"p": {"@value": "é", "@language": "en"}}}""",
    "trig": "@prefix : <http://e/> . :a :p [ :p 'é'@en ] .",
    "nquads": '<http://e/a> <http://e/p> _:x .\n_:x <http://e/p> "é"@en .\n',
    "hext": '["http://e/a", "http://e/p", "_:x", "localId", "", ""]\n'
    '["_:x", "http://e/p", "é", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en", ""]',
}


@pytest.mark.parametrize("syntax", list(DOCUMENTS))
def test_every_syntax(store: Store, syntax: str) -> None:
    graph = Graph(store).add((E.a, E.q, E.b))
    graph.parse(data=DOCUMENTS[syntax], format=syntax)
    assert len(graph) == 3
    assert (E.a, E.q, E.b) in graph
    assert list(graph.objects(E.a, E.p / E.p)) == [Literal("é", lang="en")]


@pytest.mark.parametrize("syntax", ["turtle", "xml", "json-ld", "nt"])
def test_a_written_graph_is_read_again(store: Store, syntax: str) -> None:
    graph = Graph(store)
    graph.addN((*triple, graph) for triple in TRIPLES)
    again = Graph().parse(data=graph.serialize(format=syntax), format=syntax)
    assert again.isomorphic(graph)


def test_prefixes(store: Store) -> None:
    graph = Graph(store)
    graph.bind("e", E)
    assert dict(graph.namespaces())["e"] == URIRef(E)
    assert graph.store.prefix(URIRef(E)) == "e"
    assert graph.store.namespace("e") == URIRef(E)
    assert graph.qname(E.a) == "e:a"
    graph.bind("f", E, override=True, replace=True)
    assert graph.store.prefix(URIRef(E)) == "f"
    assert Graph(store).store.namespace("f") == URIRef(E)


def test_named_graphs(store: Store) -> None:
    dataset = Dataset(store)
    for name, triple in zip([E.g, E.h], TRIPLES, strict=False):
        dataset.graph(name).add(triple)
    assert [set(dataset.graph(name)) for name in (E.g, E.h)] == [{TRIPLES[0]}, {TRIPLES[1]}]
    assert {graph.identifier for graph in dataset.graphs()} == {DATASET_DEFAULT_GRAPH_ID, E.g, E.h}
    assert E.g in {graph.identifier for graph in dataset.graphs(TRIPLES[0])}
    assert E.h not in {graph.identifier for graph in dataset.graphs(TRIPLES[0])}
    assert set(dataset.quads((None, None, None, dataset.graph(E.g)))) == {(*TRIPLES[0], E.g)}
    assert len(dataset) == 2


def test_an_empty_graph_is_known_until_it_is_removed(store: Store) -> None:
    dataset = Dataset(store)
    dataset.add_graph(E.g)
    assert E.g in {graph.identifier for graph in dataset.graphs()}
    dataset.remove_graph(E.g)
    assert E.g not in {graph.identifier for graph in dataset.graphs()}


def test_a_graph_that_is_removed_is_empty(store: Store) -> None:
    dataset = Dataset(store)
    dataset.graph(E.g).add(TRIPLES[0])
    dataset.graph(E.h).add(TRIPLES[0])
    dataset.remove_graph(E.g)
    assert len(dataset.graph(E.h)) == 1
    assert E.g not in {graph.identifier for graph in dataset.graphs()}


def test_a_triple_goes_from_one_graph_or_from_all(store: Store) -> None:
    dataset = Dataset(store, default_union=True)
    for name in (E.g, E.h, DATASET_DEFAULT_GRAPH_ID):
        dataset.graph(name).add(TRIPLES[0]).add(TRIPLES[1])
    dataset.remove((*TRIPLES[0], E.g))  # type: ignore[arg-type]
    assert TRIPLES[0] in dataset
    dataset.remove(TRIPLES[0])
    assert TRIPLES[0] not in dataset
    dataset.remove((None, None, None))  # type: ignore[arg-type]
    assert list(dataset) == []


def test_blank_nodes_may_name_graphs_that_a_dataset_made(store: Store) -> None:
    dataset = Dataset(store)
    dataset.graph(BNode("g")).add(TRIPLES[0])
    assert set(dataset.graph(BNode("g"))) == {TRIPLES[0]}
    assert BNode("g") in {graph.identifier for graph in dataset.graphs()}


def _matches(triple: object, pattern: list[object]) -> bool:
    return all(wanted in (None, term) for term, wanted in zip(cast(Triple, triple), pattern, strict=True))


TERMS = st.sampled_from(TRIPLES)
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "read"]),
        TERMS,
        st.tuples(st.booleans(), st.booleans(), st.booleans()),
        st.sampled_from([DATASET_DEFAULT_GRAPH_ID, E.g, E.h, None]),
    ),
    max_size=25,
)


@settings(max_examples=many(5))
@given(EDITS)
def test_any_history_of_edits(edits: list[tuple[str, tuple[object, ...], tuple[bool, ...], URIRef | None]]) -> None:
    """What a store shows is what sets of triples show; the default graph has those of all graphs."""
    model: dict[object, set[object]] = {DATASET_DEFAULT_GRAPH_ID: set(), E.g: set(), E.h: set()}
    with KnowledgeGraph.open(rules=["none"]) as graph:
        dataset = Dataset(KGReasonStore(graph), default_union=True)
        for action, triple, mask, name in edits:
            context = None if name is None else dataset.get_context(name)
            if action == "add":
                dataset.store.add(triple, context)  # type: ignore[arg-type]
                model[name or DATASET_DEFAULT_GRAPH_ID].add(triple)
            elif action == "remove":
                pattern = [term if is_given else None for term, is_given in zip(triple, mask, strict=True)]
                dataset.store.remove(tuple(pattern), context)  # type: ignore[arg-type]
                for each in model if name is None else [name]:
                    model[each] -= {t for t in model[each] if _matches(t, pattern)}
            else:
                assert len(dataset) == len(set.union(*model.values()))
        assert set(dataset.triples((None, None, None))) == set.union(*model.values())
        assert [set(dataset.get_context(name)) for name in (E.g, E.h)] == [model[E.g], model[E.h]]
