"""Messages that say what to do: the right method, how a graph is opened, transactions that nobody can end."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kgreason.errors import GraphBusyError, InputError, InputTypeError, QueryError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph

EX = {"ex": "http://e/"}


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open() as graph:
        yield graph


@pytest.mark.parametrize(
    "text",
    [
        "INSERT DATA { <http://e/a> <http://e/p> 1 }",
        "# a comment\nPREFIX insert: <http://e/> BASE <http://e/> delete where { ?s ?p ?o }",
        "CLEAR ALL",
    ],
)
def test_a_query_that_is_an_update_names_update(graph: KnowledgeGraph, text: str) -> None:
    for ask in (graph.query, graph.select, graph.ask, graph.construct):
        with pytest.raises(QueryError, match=r"^this is a SPARQL Update, not a query: use `update` for it$"):
            ask(text)


@pytest.mark.parametrize("text", ["SELECT * { ?s ?p ?o }", "PREFIX select: <http://e/> ask { ?s select:p ?o }"])
def test_an_update_that_is_a_query_names_query(graph: KnowledgeGraph, text: str) -> None:
    with pytest.raises(QueryError, match=r"^<update>:1:\d+: this is a SPARQL query, not an update: use `query`"):
        graph.update(text)


def test_an_empty_text_is_said_to_be_empty(graph: KnowledgeGraph) -> None:
    with pytest.raises(QueryError, match=r"^the query is empty$"):
        graph.query(" \n")
    with pytest.raises(QueryError, match=r"^<update>: the update is empty$"):
        graph.update("")
    assert not graph.update("# nothing to do").delta


@pytest.mark.parametrize("name", ["query", "select", "ask", "construct", "update"])
def test_a_wrong_type_names_the_method_that_was_called(graph: KnowledgeGraph, name: str) -> None:
    wrong: Any = 5
    with pytest.raises(TypeError, match=rf"^{name}\(\) takes an? .* as text; got 5 \(int\)"):
        getattr(graph, name)(wrong)


def test_an_update_takes_prefixes_and_a_base(graph: KnowledgeGraph) -> None:
    graph.update("INSERT DATA { ex:a ex:p <b> }", prefixes=EX, base="http://e/")
    graph.update("INSERT { ?s ex:q ?o } WHERE { ?s ex:p ?o }", prefixes=EX)
    graph.update("PREFIX ex: <http://f/> DELETE WHERE { ?s ex:p ?o }", prefixes=EX)
    assert {str(triple.predicate) for triple in graph} == {"<http://e/p>", "<http://e/q>"}
    with pytest.raises(QueryError, match="ex:"):
        graph.update("INSERT DATA { ex:a ex:p 1 }")
    with pytest.raises(InputError, match="not a prefix"):
        graph.update("INSERT DATA { ex:a ex:p 1 }", prefixes={"ex:": "http://e/"})


def test_the_constructor_names_open() -> None:
    wrong: list[tuple[Any, ...]] = [(), ("store",)]
    for arguments in wrong:
        with pytest.raises(InputTypeError, match=r"use KnowledgeGraph\.open\(path\)"):
            KnowledgeGraph(*arguments)


def test_a_transaction_that_no_variable_holds_does_not_keep_its_thread_from_writing(graph: KnowledgeGraph) -> None:
    graph.transaction().add("<http://e/lost> <http://e/p> 1 .")
    gc.collect()
    graph.add(("http://e/a", "http://e/p", 2))
    assert len(graph) == 1
    assert "lost" not in b"".join(graph.dump()).decode()
    written = threading.Thread(target=lambda: graph.add(("http://e/a", "http://e/p", 3), timeout=5))
    written.start()
    written.join()
    assert len(graph) == 2


def test_a_lost_transaction_inside_of_a_turn_gives_the_lock_back(graph: KnowledgeGraph) -> None:
    with graph.turn():
        graph.transaction()
        gc.collect()
        graph.add(("http://e/a", "http://e/p", 1))
        with pytest.raises(GraphBusyError):
            in_thread(lambda: graph.add(("http://e/a", "http://e/p", 2), timeout=0.01))
    in_thread(lambda: graph.add(("http://e/a", "http://e/p", 2), timeout=5))
    assert len(graph) == 2


def test_a_transaction_that_a_variable_holds_says_how_it_is_ended(graph: KnowledgeGraph) -> None:
    kept = graph.transaction()
    with pytest.raises(StoreError, match=r"call `end\(False\)` on it"):
        graph.transaction()
    kept.end(False)
    assert graph.add(("http://e/a", "http://e/p", 2))


def in_thread(work: Any) -> None:
    """Do some work in another thread; what it raises is raised here."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
