"""SPARQL through rdflib: what Oxigraph and kgreason answer, and what is left to rdflib."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.processor import prepareUpdate

from kgreason import KnowledgeGraph
from kgreason.bridges.rdflib import KGReasonStore
from kgreason.errors import InputError, QueryError

E = Namespace("http://e/")
DATA = """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Cat rdfs:subClassOf :Animal . :tom a :Cat ; :age 7 ; :name "Tom"@en ; :owner [ :name "Ann" ] . :kim a :Cat ."""


@pytest.fixture
def graph(live: KnowledgeGraph) -> Graph:
    graph = Graph(KGReasonStore(live))
    graph.parse(data=DATA).bind("e", E)
    return graph


@pytest.fixture
def asked(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """The same, where rdflib's own evaluation would fail."""

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("rdflib evaluates")

    monkeypatch.setattr("rdflib.plugins.sparql.processor.evalQuery", fail)
    monkeypatch.setattr("rdflib.plugins.sparql.processor.evalUpdate", fail)
    return graph


def test_select(asked: Graph) -> None:
    result = asked.query("SELECT ?x ?age { ?x a e:Animal OPTIONAL { ?x e:age ?age } } ORDER BY ?x")
    assert result.type == "SELECT"
    assert [str(variable) for variable in result.vars or []] == ["x", "age"]
    rows: list[Any] = list(result)
    assert [(row.x, row.age) for row in rows] == [(E.kim, None), (E.tom, Literal(7))]
    assert len(result) == 2


def test_ask_and_construct(asked: Graph) -> None:
    assert asked.query("ASK { e:tom a e:Animal }").askAnswer is True
    assert not asked.query("ASK { e:tom a e:Dog }")
    made = asked.query("CONSTRUCT { ?x e:is ?c } WHERE { ?x a ?c }").graph
    assert made is not None
    assert set(made) == {(x, E["is"], c) for x in (E.tom, E.kim) for c in (E.Cat, E.Animal)}
    assert set(asked.query("DESCRIBE e:kim")) == {(E.kim, RDF.type, E.Cat), (E.kim, RDF.type, E.Animal)}


def test_terms_are_those_of_the_graph(asked: Graph) -> None:
    owner = asked.value(E.tom, E.owner)
    assert isinstance(owner, BNode)
    rows: list[Any] = list(asked.query("SELECT ?o { ?x e:owner|e:name ?o FILTER(?x = e:tom) }"))
    assert {row.o for row in rows} == {owner, Literal("Tom", lang="en")}


def test_results_are_serialized(asked: Graph) -> None:
    answer = json.loads(asked.query("SELECT ?a { ?x e:age ?a }").serialize(format="json") or b"")
    assert answer["results"]["bindings"][0]["a"]["value"] == "7"


def test_a_query_sees_edits_that_wait(asked: Graph) -> None:
    asked.add((E.zoe, RDF.type, E.Cat))
    assert asked.query("ASK { e:zoe a e:Animal }")


def test_prefixes_and_base(asked: Graph) -> None:
    assert asked.query("ASK { f:tom a f:Animal }", initNs={"f": E})
    assert asked.query("PREFIX e: <http://other/> ASK { <http://e/tom> ?p ?o FILTER NOT EXISTS { ?s e:age ?o } }")
    assert asked.query("ASK { <tom> a <Animal> }", base="http://e/")
    asked.bind("odd", "not an IRI")
    assert asked.query("ASK { e:tom a e:Animal }")


def test_prepared_queries(asked: Graph) -> None:
    assert asked.query(prepareQuery("ASK { f:tom a <Animal> }", initNs={"f": E}, base="http://e/"))


def test_bindings_of_rdflib_reach_every_part_of_a_query(graph: Graph) -> None:
    """Bindings reach every part of a query; a query without text, and what rdflib is asked to do itself."""
    text = "SELECT ?c { ?x a ?c FILTER(BOUND(?x)) }"
    bound: list[Any] = list(graph.query(text, initBindings={"x": E.tom}))
    assert {row.c for row in bound} == {E.Cat, E.Animal}
    assert set(graph.query(prepareQuery(text), initBindings={"x": E.tom})) == set(bound)
    translated = translateQuery(parseQuery("SELECT ?c { <http://e/tom> a ?c }"))
    assert len(graph.query(translated)) == 2
    assert len(graph.query(text, use_store_provided=False)) == 4


@pytest.mark.parametrize("text", ["SELECT ?x { ?x ", "SELECT ?x { nobody:x ?p ?x }"])
def test_errors(graph: Graph, text: str) -> None:
    with pytest.raises(QueryError):
        graph.query(text)
    with pytest.raises(QueryError, match="<update>:1:"):
        graph.update(text.replace("SELECT ?x", "DELETE WHERE"))


@pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")
@pytest.mark.parametrize("default_union", [False, True])
def test_a_dataset(live: KnowledgeGraph, default_union: bool) -> None:
    dataset = Dataset(KGReasonStore(live), default_union=default_union)
    named = dataset.graph(E.g).parse(data=DATA)
    query = "SELECT ?g { ?x a <http://e/Animal> OPTIONAL { GRAPH ?g { ?x a <http://e/Cat> } } }"
    assert [tuple(row) for row in dataset.query(query)] == [(E.g,), (E.g,)]  # type: ignore[arg-type]
    assert not named.query("ASK { ?x a <http://e/Animal> }")
    assert named.query("ASK { ?x a <http://e/Cat> }")
    dataset.update("INSERT { GRAPH <http://e/h> { ?x a <http://e/Pet> } } WHERE { ?x a <http://e/Animal> }")
    assert set(dataset.graph(E.h)) == {(E.tom, RDF.type, E.Pet), (E.kim, RDF.type, E.Pet)}


def test_update(asked: Graph, live: KnowledgeGraph) -> None:
    deltas: list[object] = []
    live.subscribe(deltas.append)
    asked.add((E.zoe, RDF.type, E.Cat))
    asked.update("DELETE { ?x a e:Cat } INSERT { ?x a e:Dog } WHERE { ?x a e:Animal }")
    assert len(deltas) == 2
    assert set(asked.subjects(RDF.type, E.Dog)) == {E.tom, E.kim, E.zoe}
    assert set(asked.subjects(RDF.type, E.Animal)) == set()


def test_prefixes_of_an_update_go_before_those_of_the_graph(asked: Graph) -> None:
    asked.update("PREFIX e: <http://other/> INSERT DATA { e:a e:b e:c } ; DELETE WHERE { ?x e:none ?y }")
    asked.update("INSERT DATA { e:a f:b e:c }", initNs={"e": E, "f": "http://other/"})
    other = Namespace("http://other/")
    assert set(asked.triples((None, other.b, None))) == {(other.a, other.b, other.c), (E.a, other.b, E.c)}


def test_prepared_updates(asked: Graph) -> None:
    asked.update(prepareUpdate("INSERT DATA { f:tom f:eats <mouse> }", initNs={"f": E}, base="http://e/"))
    assert (E.tom, E.eats, E.mouse) in asked


def test_bindings_of_rdflib_reach_an_update(live: KnowledgeGraph, graph: Graph) -> None:
    graph.update("INSERT { ?x e:eats e:mouse } WHERE { ?x a e:Cat }", initBindings={"x": E.kim})
    assert set(graph.subjects(E.eats)) == {E.kim}
    named = Graph(graph.store, E.g)
    named.update("INSERT DATA { <http://e/a> <http://e/p> <http://e/b> }")
    assert set(named) == {(E.a, E.p, E.b)}
    assert (E.a, E.p, E.b) in graph
    assert [str(row[0]) for row in live.query("SELECT ?g { GRAPH ?g { ?s ?p ?o } }")] == [f"<{E.g}>"]  # type: ignore[union-attr]


def test_terms_that_rdflib_does_not_have(live: KnowledgeGraph, graph: Graph) -> None:
    graph.commit()
    with live.transaction() as tx:
        tx.add_lines(b'<http://e/a> <http://e/says> <<( <http://e/a> <http://e/p> "x" )>> .\n')
        tx.add_lines(b'<http://e/b> <http://e/says> "x"@en--ltr .\n')
    for subject in (E.a, E.b):
        with pytest.raises(InputError, match="rdflib does not support this kind of term"):
            list(graph.query("SELECT ?o { ?s e:says ?o }", initBindings={"s": subject}))


def test_literals_come_as_oxigraph_has_them(graph: Graph) -> None:
    graph.add((E.tom, E.weight, Literal("07", datatype=XSD.integer, normalize=False)))
    rows: list[Any] = list(graph.query("SELECT ?w { ?x e:weight ?w }"))
    assert rows[0].w == Literal("7", datatype=URIRef(XSD.integer))


def test_a_construct_gives_the_terms_of_the_graph(asked: Graph) -> None:
    size = Literal("7", datatype=XSD.unsignedLong)
    asked.add((E.tom, E.size, size))
    found = asked.query("CONSTRUCT WHERE { ?x e:size ?size }").graph
    assert found is not None
    assert found.value(E.tom, E.size) == asked.value(E.tom, E.size) == size
