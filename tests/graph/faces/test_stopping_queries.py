"""Queries that are stopped: by a timeout, by Ctrl-C, by dropping their results; and that the others are as ever."""

from __future__ import annotations

import gc
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from pyoxigraph import BlankNode, NamedNode, QueryBoolean, QueryResultsFormat, QuerySolutions, RdfFormat

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, QueryError, QueryTimeoutError
from kgreason.graph.results.answers import Solutions, Triples
from kgreason.sparql.query.columns import with_columns
from kgreason.store.oxigraph import worker
from tests.tables import table

ROWS = 90
ENDLESS = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i"
NEVER = f"{{ {ENDLESS} FILTER(STRLEN(CONCAT(STR(?a), STR(?f), STR(?i))) > 100000) }}"
LONG = {
    "count": f"SELECT (COUNT(*) AS ?count) {NEVER}",
    "no row": f"SELECT * {NEVER}",
    "ask": f"ASK {NEVER}",
    "construct": f"CONSTRUCT {{ ?a ?b ?c }} WHERE {NEVER}",
}
FORMATS = [QueryResultsFormat.CSV, QueryResultsFormat.TSV, QueryResultsFormat.JSON, QueryResultsFormat.XML]
ODD = r"""
    INSERT DATA { <http://e/odd> <http://e/p> <<( _:x <http://e/q> "v"@en--ltr )>>, _:x, "a\tb\n\u0001\"\\", 5.0,
        "x"@en-gb, true, "", "é€😀", 1e3, "2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date> }
"""


@pytest.fixture(scope="module", params=["memory", "disk"])
def graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    path = tmp_path_factory.mktemp("stopped") / "store" if request.param == "disk" else None
    with KnowledgeGraph.open(path, rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add("".join(f"<http://e/{n}> <http://e/p> <http://e/{n + 1}> .\n" for n in range(ROWS)))
        graph.update(ODD)
        yield graph


@pytest.fixture(scope="module")
def on_disk(graph: KnowledgeGraph) -> bool:
    return graph._home.path is not None


def ask(graph: KnowledgeGraph, sparql: str, **options: Any) -> Any:
    """The results of a query, of whatever kind."""
    return graph.query(sparql, **options)


def everything(results: Any) -> Any:
    return bool(results) if isinstance(results, QueryBoolean) else list(results)


def children() -> list[str]:
    """The processes that this one has started and that have not ended."""
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return path.read_text().split() if path.exists() else []


def interrupting(after: float) -> threading.Timer:
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.parametrize("kind", LONG)
def test_a_timeout_ends_a_query(graph: KnowledgeGraph, kind: str) -> None:
    with pytest.raises(QueryTimeoutError, match=r"^the query took longer than 0\.3 s$"):
        everything(ask(graph, LONG[kind], timeout=0.3))


@pytest.mark.parametrize("timeout", [None, 60, math.inf])
@pytest.mark.parametrize("kind", ["count", "no row"])
@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
def test_an_interrupt_ends_a_query(graph: KnowledgeGraph, kind: str, timeout: float | None) -> None:
    before = children()
    timer = interrupting(0.3)
    with pytest.raises(KeyboardInterrupt):
        everything(ask(graph, LONG[kind], timeout=timeout))
    timer.join()
    assert children() == before
    assert len(list(ask(graph, "SELECT * { ?s ?p ?o } LIMIT 3"))) == 3


def test_rows_come_one_at_a_time(graph: KnowledgeGraph) -> None:
    slow = f"SELECT ?a {{ {{ ?a <http://e/p> <http://e/1> }} UNION {NEVER} }}"
    assert next(ask(graph, slow))["a"] == NamedNode("http://e/0")


@pytest.mark.skipif(not Path("/proc").exists(), reason="the system does not list processes in /proc")
def test_dropping_results_ends_their_process(graph: KnowledgeGraph, on_disk: bool) -> None:
    before = children()
    results = ask(graph, f"SELECT * {{ {ENDLESS} }}", timeout=60)
    next(results)
    assert (len(children()) > len(before)) == on_disk
    del results
    gc.collect()
    assert children() == before


@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize("limit", [0, 1, 63, 64, 65, 90])
def test_rows_and_documents_are_those_of_pyoxigraph(graph: KnowledgeGraph, limit: int, timeout: float | None) -> None:
    sparql = f"SELECT * {{ ?s ?p ?o OPTIONAL {{ ?o ?q ?z }} }} LIMIT {limit}"
    expected: list[Any] = []
    thread = threading.Thread(target=lambda: expected.extend(_by_oxigraph(graph, sparql)))
    thread.start()
    thread.join()
    rows, variables, documents = expected
    results = ask(graph, sparql, timeout=timeout)
    assert isinstance(results, Solutions)
    assert results.variables == variables
    assert list(map(list, results)) == rows
    for form, document in zip(FORMATS, documents, strict=True):
        assert ask(graph, sparql, timeout=timeout).serialize(format=form) == document


def _by_oxigraph(graph: KnowledgeGraph, sparql: str) -> list[Any]:
    """Rows, variables and documents as pyoxigraph itself gives them."""

    def asked() -> QuerySolutions:
        return cast(QuerySolutions, graph._home.store._store.query(with_columns(sparql, {}, None)))

    results = asked()
    return [list(map(list, results)), results.variables, [asked().serialize(format=form) for form in FORMATS]]


@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize("form", FORMATS)
def test_a_document_has_the_rows_that_were_not_taken(
    graph: KnowledgeGraph, form: QueryResultsFormat, timeout: float | None, tmp_path: Path
) -> None:
    sparql = "SELECT ?s ?o { ?s <http://e/p> ?o }"
    results = ask(graph, sparql, timeout=timeout)
    first = next(results)
    document = results.serialize(format=form)
    assert document is not None
    assert str(first["s"].value) or document.count(b"http://e/") > ROWS
    path = tmp_path / f"rows.{form.file_extension}"
    ask(graph, sparql, timeout=timeout).serialize(str(path))
    assert path.read_bytes() == ask(graph, sparql).serialize(format=form)
    assert len(path.read_bytes()) > len(document)


@pytest.mark.parametrize("timeout", [None, 60])
def test_terms_of_every_kind_survive(graph: KnowledgeGraph, timeout: float | None) -> None:
    sparql = "SELECT ?o { <http://e/odd> <http://e/p> ?o } ORDER BY ?o"
    results = ask(graph, sparql, timeout=timeout)
    objects = [row["o"] for row in results]
    assert len(objects) == 10
    assert objects == [quad.object for quad in _sorted(graph, objects)]
    assert [list(row) for row in ask(graph, sparql)] == [[term] for term in objects]


def _sorted(graph: KnowledgeGraph, objects: list[Any]) -> list[Any]:
    quads = {quad.object: quad for quad in graph._home.store.match(NamedNode("http://e/odd"), None, None, None)}
    return [quads[term] for term in objects]


@pytest.mark.parametrize("timeout", [None, 60])
def test_the_other_kinds_of_results(graph: KnowledgeGraph, timeout: float | None) -> None:
    answer = ask(graph, "ASK { ?s ?p ?o . ?o ?q ?z }", timeout=timeout)
    assert isinstance(answer, QueryBoolean)
    assert bool(answer)
    triples = ask(graph, "CONSTRUCT { ?o ?p ?s } WHERE { ?s ?p ?o FILTER(isIRI(?o)) }", timeout=timeout)
    assert isinstance(triples, Triples)
    document = triples.serialize(format=RdfFormat.N_TRIPLES)
    assert document is not None
    assert len(document.splitlines()) == ROWS


@pytest.mark.parametrize("timeout", [None, 60])
def test_all_arguments_survive(graph: KnowledgeGraph, timeout: float | None) -> None:
    graph.update("INSERT DATA { GRAPH <http://e/g> { <http://e/s> <http://e/in> <http://e/g> } }")
    found = ask(
        graph,
        "SELECT ?s { ?s e:in <g> }",
        prefixes={"e": "http://e/"},
        base="http://e/",
        default_graph=NamedNode("http://e/g"),
        timeout=timeout,
    )
    assert [row["s"] for row in found] == [NamedNode("http://e/s")]
    assert not list(ask(graph, "SELECT * { ?s ?p ?o }", default_graph=BlankNode("none"), timeout=timeout))


def test_a_query_sees_the_last_commit_and_no_later_one(graph: KnowledgeGraph) -> None:
    count = "SELECT (COUNT(*) AS ?n) { <http://e/new> ?p ?o }"
    for number in range(1, 4):
        with graph.transaction() as tx:
            tx.add(f"<http://e/new> <http://e/p{number}> <http://e/o> .")
        for timeout in (None, 60):
            [row] = ask(graph, count, timeout=timeout)
            assert int(row["n"].value) == number
    for timeout in (None, 60):
        rows = ask(graph, "SELECT ?p { ?s <http://e/p> ?o . <http://e/new> ?p ?z }", timeout=timeout)
        next(rows)
        with graph.transaction() as tx:
            tx.add(f"<http://e/new> <http://e/later> <http://e/{timeout}> .")
        assert NamedNode("http://e/later") not in {row["p"] for row in rows}
        graph.update("DELETE WHERE { <http://e/new> <http://e/later> ?o }")


@pytest.mark.parametrize("timeout", [None, 60])
def test_errors_are_the_same(graph: KnowledgeGraph, timeout: float | None) -> None:
    with pytest.raises(QueryError, match="does not parse"):
        ask(graph, "SELECT", timeout=timeout)
    with pytest.raises(QueryError, match=r"cannot be evaluated.*<x:y> is not supported"):
        list(ask(graph, "SELECT * { ?s ?p ?o FILTER(<x:y>(?s)) }", timeout=timeout))


@pytest.mark.parametrize("timeout", [0, -1, "1", True, math.nan])
def test_a_wrong_timeout_is_an_error(graph: KnowledgeGraph, timeout: Any) -> None:
    with pytest.raises(InputError, match=r"^timeout .*: it must be a number of seconds above 0$"):
        ask(graph, "ASK {}", timeout=timeout)


def test_many_threads_time_out_at_once(graph: KnowledgeGraph) -> None:
    met: list[str] = []

    def work(number: int) -> None:
        try:
            met.append(str(len(list(ask(graph, "SELECT * { ?s <http://e/p> ?o . ?o <http://e/p> ?z }", timeout=60)))))
            everything(ask(graph, LONG["ask"], timeout=0.2))
        except QueryTimeoutError:
            met.append("timeout")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(met) == sorted(["timeout"] * 4 + [str(ROWS - 1)] * 4)


@table(
    ("sparql", "is_short"),
    [
        ("SELECT ?o { <http://e/a> a ?o }", True),
        ("PREFIX : <http://e/> SELECT * WHERE { :a ?p ?o . }", True),
        ('ask { <http://e/a> <http://e/p> "v" }', True),
        ("SELECT ?s { ?s a ?o }", False),
        ("SELECT DISTINCT ?o { <http://e/a> a ?o }", False),
        ("SELECT ?o { <http://e/a> a ?o . ?x a ?y }", False),
        ("SELECT ?o { <http://e/a> <http://e/p>* ?o }", False),
        ("SELECT (COUNT(*) AS ?n) { <http://e/a> a ?o }", False),
        ("SELECT ?o { SERVICE <http://e/a> { ?s a ?o } }", False),
        ("SELECT ?o { GRAPH <http://e/a> { ?s a ?o } }", False),
    ],
)
def test_which_queries_need_no_thread(sparql: str, is_short: bool) -> None:
    assert worker.is_short(sparql) == is_short


def test_a_process_ends_that_has_an_endless_query(tmp_path: Path) -> None:
    code = f"""
import os, signal, threading
from kgreason import KnowledgeGraph
graph = KnowledgeGraph.open({str(tmp_path / "store")!r}, rules=["none"])
graph.update("INSERT DATA {{ " + "".join(f"<http://e/{{n}}> <http://e/p> <http://e/o> . " for n in range(90)) + "}}")
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    graph.query({LONG["count"]!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "interrupted\n"


def test_a_reader_goes_on_where_the_files_have_gone(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph, graph.transaction() as tx:
        tx.add("<http://e/a> <http://e/p> <http://e/b> .")
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as reader:
        assert bool(reader.query("ASK { ?s ?p ?o }"))
        (tmp_path / "store").rename(tmp_path / "moved")
        assert bool(reader.query("ASK { ?s ?p ?o }", timeout=60))
