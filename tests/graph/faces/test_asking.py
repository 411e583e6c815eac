"""Asking by form, adding and removing in one call, and the graph as a collection of triples."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, QueryResultsFormat, RdfFormat, Store, Triple, Variable

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, QueryError, StoreError
from kgreason.graph.results import answers
from kgreason.graph.results.answers import Matches, Solutions, Triples
from kgreason.store.oxigraph.update import parse_quads
from tests.volume import many

EX = {"": "http://e/"}
A, B, P = (NamedNode(f"http://e/{name}") for name in "abp")
TEXT = """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Cat rdfs:subClassOf :Animal . :tom a :Cat ; :age 01 ; :name "To\\tm\\n\\"x\\""@en .
    GRAPH :g { :tom :likes _:b }"""
EVERYTHING = "SELECT ?s ?p ?o ?u { ?s ?p ?o }"


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.add(TEXT)
        yield graph


def test_solutions(graph: KnowledgeGraph) -> None:
    found = graph.select("SELECT ?x ?y { ?x :likes ?y ; a :Animal }", prefixes=EX)
    assert isinstance(found, Solutions)
    assert found.variables == [Variable("x"), Variable("y")]
    row = next(found)
    assert row["x"] == row[0] == row[Variable("x")] == NamedNode("http://e/tom")
    assert list(found) == []


def test_a_small_answer_is_read_as_often_as_one_likes(graph: KnowledgeGraph) -> None:
    found = graph.select("SELECT ?x ?y { ?x ?p ?y }", prefixes=EX)
    first = next(found)
    rest = list(found)
    assert list(found) == [*found] == [first, *rest]
    assert found.to_arrow() == found.to_arrow()
    assert found.to_arrow().num_rows == len(rest) + 1
    html = found._repr_html_()
    assert f"{len(rest) + 1} rows" in html
    assert found.serialize(format=QueryResultsFormat.TSV).count(b"\n") == len(rest) + 2  # type: ignore[union-attr]
    assert list(found) == [first, *rest]
    triples = graph.construct("CONSTRUCT WHERE { ?s ?p ?o }")
    assert list(triples) == list(triples)
    assert len(triples.serialize(format=RdfFormat.N_TRIPLES).splitlines()) == len(list(triples))  # type: ignore[union-attr]
    empty = graph.select("SELECT ?x { ?x a ?x }")
    assert list(empty) == list(empty) == []
    with pytest.raises(StopIteration):
        next(empty)


def test_a_long_answer_that_was_read_is_not_taken_for_an_empty_one(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "KEPT", 2)
    found = graph.select("SELECT ?x ?p ?y { ?x ?p ?y }", prefixes=EX)
    assert len(list(found)) > 2
    assert repr(found) == "<Solutions: x, p, y; all rows were read>"
    reads: list[Callable[[], object]] = [
        lambda: list(found),
        found.to_arrow,
        lambda: [*found],
        lambda: found.serialize(format=QueryResultsFormat.CSV),
    ]
    for read in reads:
        with pytest.raises(
            QueryError, match=r"were read already, .* keep the rows with rows = list\(answer\), or ask again"
        ):
            read()
    with pytest.raises(StopIteration):
        next(found)


def test_an_answer_that_was_written_is_not_taken_for_an_empty_one(graph: KnowledgeGraph) -> None:
    for found in (graph.select("SELECT ?x { ?x a ?y }"), graph.construct("CONSTRUCT WHERE { ?s ?p ?o }")):
        form: Any = QueryResultsFormat.CSV if isinstance(found, Solutions) else RdfFormat.N_TRIPLES
        assert found.serialize(format=form)
        with pytest.raises(QueryError, match="one that was written, is read once"):
            list(found)


def test_ask_is_a_boolean(graph: KnowledgeGraph) -> None:
    assert graph.ask("ASK { :tom a :Animal }", prefixes=EX) is True
    assert graph.ask("ASK { <tom> a <Dog> }", base="http://e/") is False


def test_construct_and_describe_are_triples(graph: KnowledgeGraph) -> None:
    wanted = [Triple(NamedNode("http://e/tom"), P, NamedNode("http://e/Animal"))]
    found = graph.construct("CONSTRUCT { ?x :p :Animal } WHERE { ?x a :Animal }", prefixes=EX)
    assert isinstance(found, Triples)
    assert list(found) == wanted
    assert len(list(graph.construct("DESCRIBE :tom", prefixes=EX))) == 5
    named = graph.construct("CONSTRUCT WHERE { ?s ?p ?o }", default_graph=NamedNode("http://e/g"))
    assert len(list(named)) == 1


QUERIES = {"select": "SELECT * { ?s ?p ?o }", "ask": "ASK {}", "construct": "CONSTRUCT WHERE { ?s ?p ?o }"}


@pytest.mark.parametrize("asked", QUERIES)
@pytest.mark.parametrize("form", QUERIES)
def test_a_query_of_another_form(graph: KnowledgeGraph, asked: str, form: str) -> None:
    call: Callable[[str], object] = getattr(graph, asked)
    if asked == form:
        assert call(QUERIES[form])
    else:
        with pytest.raises(QueryError, match=rf"^{asked}\(\) takes an? .*, and this query is an? .*: use {form}\(\)$"):
            call(QUERIES[form])


def test_errors_and_unknown_options_are_those_of_query(graph: KnowledgeGraph) -> None:
    with pytest.raises(QueryError, match="the prefix ex: is not declared"):
        graph.select("SELECT * { ?x a ex:Foo }")
    with pytest.raises(TypeError, match="colour"):
        graph.ask("ASK {}", colour="red")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "syntax", [QueryResultsFormat.CSV, QueryResultsFormat.TSV, QueryResultsFormat.JSON, QueryResultsFormat.XML]
)
@pytest.mark.parametrize("looks", [False, True])
def test_solutions_are_serialized_as_pyoxigraph_does(graph: KnowledgeGraph, syntax: Any, looks: bool) -> None:
    lines = b"".join(graph.dump())
    store = Store()
    store.extend(parse_quads(lines))
    query = EVERYTHING + " ORDER BY ?p ?o"
    found = graph.select(query)
    if looks:
        found._repr_html_()
    assert found.serialize(format=syntax) == store.query(query).serialize(format=syntax)


@pytest.mark.parametrize("looks", [False, True])
def test_triples_are_serialized(graph: KnowledgeGraph, tmp_path: Path, looks: bool) -> None:
    found = graph.construct("CONSTRUCT WHERE { ?s :age ?o }", prefixes=EX)
    if looks:
        found._repr_html_()
    found.serialize(tmp_path / "out.nt")
    assert (
        tmp_path / "out.nt"
    ).read_text() == '<http://e/tom> <http://e/age> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'


def test_a_query_that_fails_on_the_way(graph: KnowledgeGraph) -> None:
    with pytest.raises(QueryError, match="cannot be evaluated"):
        list(graph.select("SELECT * { SERVICE <http://localhost:1/> { ?s ?p ?o } }"))


@pytest.mark.parametrize("query", ["SELECT * { ?s ?p ?o }", "SELECT * { :tom ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }"])
def test_any_thread_may_take_the_rows(graph: KnowledgeGraph, query: str) -> None:
    """Results of pyoxigraph belong to the thread that made them, which may have ended."""
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(graph.query, query, prefixes=EX).result()
    assert len(list(found)) == len(list(graph.query(query, prefixes=EX))) > 0  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [5, 5_000])
def test_any_thread_may_take_the_quads(count: int) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph, ThreadPoolExecutor(1) as pool:
        graph.add(*((f"http://e/s{number}", "http://e/p", number) for number in range(count)))
        assert len(list(pool.submit(graph.match, None, "http://e/p").result())) == count


def test_add_and_remove_are_commits_of_their_own(graph: KnowledgeGraph) -> None:
    added = graph.add((":rex", "a", ":Cat"), (":rex", ":age", 3), prefixes=EX)
    assert (added.commit, len(added.appeared(asserted=True)), len(added.appeared(asserted=False))) == (2, 2, 1)
    removed = graph.remove((":rex", "a", ":Cat"), (":rex", ":age", 3), prefixes=EX)
    assert (removed.commit, len(removed.disappeared())) == (3, 3)
    with pytest.raises(InputError):
        graph.add((":rex", "a", ":Cat"), ("rex", "a", ":Cat"), prefixes=EX)
    assert not graph.add()
    with graph.transaction(), pytest.raises(StoreError, match="has a transaction open already"):
        graph.add((":rex", "a", ":Cat"), prefixes=EX)


def test_a_query_inside_a_transaction_sees_the_last_commit(graph: KnowledgeGraph) -> None:
    row, before = ("http://e/rex", "a", "http://e/Cat"), len(graph)
    with graph.transaction() as tx:
        tx.add(row)
        assert not graph.ask("ASK { :rex ?p ?o }", prefixes=EX)
        assert list(graph.match("http://e/rex")) == []
        assert row not in graph
        assert len(graph) == len(list(graph)) == before
    assert graph.ask("ASK { :rex a :Animal }", prefixes=EX)
    assert row in graph


def test_the_graph_is_a_collection_of_triples(graph: KnowledgeGraph) -> None:
    triples = list(graph)
    assert len(graph) == len(triples) == len(set(triples)) == 6
    assert {type(triple) for triple in triples} == {Triple}
    assert all(triple in graph for triple in triples)
    ages = [text for triple in triples if (text := str(triple.object)).endswith("integer>")]
    assert ages == ['"01"^^<http://www.w3.org/2001/XMLSchema#integer>']


def test_in_takes_triples_and_terms(graph: KnowledgeGraph) -> None:
    assert ("http://e/tom", "a", "http://e/Animal") in graph
    assert "<http://e/tom> a <http://e/Cat>" in graph
    assert ("http://e/tom", "http://e/age", 1) in graph
    assert ("http://e/tom", "http://e/age", 2) not in graph
    [quad] = graph.match(graph="http://e/g")
    assert quad in graph
    assert (*quad.triple, "http://e/g") in graph
    assert (*quad.triple, "") in graph
    assert (*quad.triple, "http://e/h") not in graph
    assert Quad(A, P, B) not in graph
    with pytest.raises(InputError, match="cannot be the subject"):
        ('"x"', "a", "http://e/Cat") in graph  # noqa: B015
    with pytest.raises(InputError, match=r"three terms .* or four terms"):
        ("http://e/tom", "a") in graph  # noqa: B015


def test_a_graph_is_true_even_if_it_is_empty() -> None:
    with KnowledgeGraph.open() as graph:
        assert len(graph) == 0
        assert graph
        assert list(graph) == []


@settings(max_examples=many(5))
@given(st.sets(st.tuples(*[st.sampled_from([A, B, P])] * 2, st.sampled_from([A, B, Literal(1), Literal("01")]))))
def test_len_in_and_iteration_agree(rows: set[Any]) -> None:
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        graph.add(*rows)
        found = set(graph)
        assert len(graph) == len(found)
        assert {Triple(*row) for row in rows} <= found
        assert all(triple in graph for triple in found)
        graph.remove(*rows)
        assert len(graph) == len(list(graph)) == 0


def test_matches_show_their_first_rows(graph: KnowledgeGraph) -> None:
    found = graph.match(None, ":age", prefixes=EX)
    assert isinstance(found, Matches)
    assert "<td>" in found._repr_html_()
    assert len(list(found)) == len(list(found)) == 1


@pytest.mark.parametrize("copying", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_graph_cannot_be_copied(graph: KnowledgeGraph, copying: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match="a KnowledgeGraph can be neither copied nor pickled"):
        copying(graph)
