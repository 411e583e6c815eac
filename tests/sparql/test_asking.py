"""What Oxigraph does not take, or does otherwise, is asked in another way; what fails is an error of kgreason."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest
from pyoxigraph import QueryResultsFormat

from kgreason.errors import QueryError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.sparql.parser import parse
from kgreason.sparql.query.columns import with_columns
from kgreason.sparql.query.evaluation import for_oxigraph
from tests.tables import table

DATA = '<e:s> <e:p> 1 , 2 ; <e:q> <e:a> , <e:b> ; <e:r> "x"@en , "y"@en .'


@pytest.fixture(scope="module")
def graph() -> KnowledgeGraph:
    """A subject with numbers, IRIs and tagged strings."""
    opened = KnowledgeGraph.open(rules=["none"])
    opened.add(DATA)
    return opened


REPEATED = {
    "SELECT ?s ?s { ?s <e:p> 1 }": "s s",
    "SELECT DISTINCT ?s # ?s\n (COUNT(*) AS ?n) $n?s { ?s <e:p> ?v } GROUP BY ?s": "s n n s",
    "SELECT ?s { { SELECT ?s ?v ?s { ?s <e:p> ?v } } FILTER(?v = 1) }": "s",
    "SELECT (1 AS ?a) (?a + 1 AS ?b) ?b FROM <e:g> WHERE { }": "a b b",
}


@pytest.mark.parametrize("query", REPEATED)
def test_a_variable_may_be_selected_twice(graph: KnowledgeGraph, query: str) -> None:
    names = REPEATED[query].split()
    [row] = found = list(graph.select(query))
    assert [variable.value for variable in graph.select(query).variables] == names
    assert (len(row), list(row)) == (len(names), [row[name] for name in names])
    assert [row[place] for place in range(len(names))] == list(row)
    assert graph.select(query).to_arrow(ntriples=True).num_columns == len(names)
    shown = graph.select(query)
    assert shown._repr_html_()
    for answer in (graph.select(query), shown):
        written = answer.serialize(format=QueryResultsFormat.CSV) or b""
        head, line = written.decode().splitlines()
        assert (head.split(","), len(line.split(","))) == (names, len(names))
    for syntax in (QueryResultsFormat.TSV, QueryResultsFormat.JSON, QueryResultsFormat.XML):
        assert len(graph.select(query).serialize(format=syntax) or b"") > len(found)


CONCATENATED = {
    "GROUP_CONCAT(?v) { ?s <e:p> ?v }": '"1 2"',
    "group_concat(DISTINCT (?v); SEPARATOR = ')') { ?s <e:q> ?v }": '"e:a)e:b"',
    "GROUP_CONCAT # (\n(?v # )\n) { ?s <e:r> ?v }": '"x y"@en',
    "GROUP_CONCAT(?v + 1) { ?s <e:p> ?v }": '"2 3"',
    "GROUP_CONCAT(?none) { ?s <e:p> ?v }": "None",
}


@pytest.mark.parametrize("query", CONCATENATED)
def test_terms_of_every_kind_are_joined(graph: KnowledgeGraph, query: str) -> None:
    call, pattern = query.rsplit("{", 1)
    within = f"{{ SELECT ?v {{ {pattern} ORDER BY ?v }}"
    [[value]] = graph.select(f"SELECT ({call} AS ?c) {{ {within} }}")
    assert str(value) == CONCATENATED[query]
    with KnowledgeGraph.open(rules=["none"]) as other:
        other.add(DATA)
        other.update(f"INSERT {{ <e:c> <e:is> ?c }} WHERE {{ SELECT ({call} AS ?c) ?c {{ {within} }} }}")
        assert [str(quad.object) for quad in other.match("<e:c>", None, None)] == [str(value)] * (value is not None)
    heard: list[Any] = []
    graph.standing(f"SELECT ({call} AS ?c) {{ {within} }}", heard.append).close()
    assert heard[0].appeared == [(None if value is None else str(value),)]


@table(
    "text",
    [
        "SELECT ?s { ?s ?p ?o }",
        "SELECT ('GROUP_CONCAT(?v)' AS ?x) { ?x <http://e/SELECT?s> ?s }",
        "ASK { ?x GROUP_CONCAT:p 1 } # SELECT ?s ?s",
        "SELECT (GROUP_CONCAT(?v",
        "SELECT (GROUP_CONCAT() AS ?v) {}",
        "CONSTRUCT { ?s ?p ?s } { ?s ?p ?s }",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert for_oxigraph(text) == text


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("SELECT ?s ?s (GROUP_CONCAT(?s) AS ?n) { ?s ?p }", "line 1, column 47: "),
        ("SELECT ?s ?s { ?s e:p ?o }", "line 1, column 19: the prefix e: is not declared"),
        ("SELECT (GROUP_CONCAT(?s) AS ?n) ?n { ?s ?p <x> }", "line 1, column 44: the IRI <x> is relative"),
        ("SELECT ?s (1 AS ?s) { ?s ?p ?o }", "line 1, column 33"),
    ],
)
def test_mistakes_are_found_in_the_text_of_the_user(graph: KnowledgeGraph, query: str, place: str) -> None:
    with pytest.raises(QueryError, match=place):
        graph.query(query)
    with pytest.raises(QueryError, match=r"<update>:1:\d+: (?!.*parser came)"):
        graph.update(f"INSERT {{}} WHERE {{ {query} }}")


UNKNOWN = "FILTER(<e:f>(?o) = 1)"
LATE = "{ ?s ?p ?o } UNION { ?s ?p 2 SERVICE ?nobody { ?s ?p ?o } }"
FAILING: dict[str, Callable[[KnowledgeGraph], object]] = {
    "SELECT": lambda graph: list(graph.select(f"SELECT * {{ ?s ?p ?o {UNKNOWN} }}")),
    "SELECT, short": lambda graph: list(graph.select("SELECT (<e:f>(1) AS ?x) {}")),
    "SELECT, late": lambda graph: list(graph.select(f"SELECT * {{ {LATE} }}")),
    "SELECT, written": lambda graph: graph.select(f"SELECT * {{ {LATE} }}").serialize(format=QueryResultsFormat.CSV),
    "ASK": lambda graph: graph.ask(f"ASK {{ ?s ?p ?o {UNKNOWN} }}"),
    "CONSTRUCT": lambda graph: list(graph.construct(f"CONSTRUCT {{ ?s ?p ?o }} {{ ?s ?p ?o {UNKNOWN} }}")),
    "update": lambda graph: graph.update(f"INSERT {{ ?s <e:x> 1 }} WHERE {{ ?s ?p ?o {UNKNOWN} }}"),
    "update, late": lambda graph: graph.update(f"INSERT {{ ?s <e:x> 1 }} WHERE {{ {LATE} }}"),
    "update, second": lambda graph: graph.update(
        f"INSERT DATA {{ <e:z> <e:p> 3 }} ; INSERT {{ ?s <e:x> 1 }} WHERE {{ ?s ?p ?o {UNKNOWN} }}"
    ),
    "update, subselect": lambda graph: graph.update(
        "INSERT { ?x <e:x> 1 } WHERE { SELECT (MAX(<e:f>(?o)) AS ?x) { ?s ?p ?o } }"
    ),
    "standing": lambda graph: graph.standing(f"SELECT ?s {{ ?s ?p ?o {UNKNOWN} }}", print),
    "standing, late": lambda graph: graph.standing(f"SELECT ?s {{ {LATE} }}", print),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_failure_of_the_evaluation_is_a_query_error(graph: KnowledgeGraph, name: str) -> None:
    before = b"".join(graph.dump())
    with pytest.raises(QueryError, match=r"the query cannot be evaluated: The (custom function <e:f>|variable)"):
        FAILING[name](graph)
    assert b"".join(graph.dump()) == before


class _FullError(OSError):
    pass


class _FullFile:
    def write(self, piece: bytes) -> int:
        raise _FullError("the disk is full")

    def flush(self) -> None:
        pass


def test_an_error_of_the_file_that_is_written_is_no_query_error(graph: KnowledgeGraph) -> None:
    many = (
        "SELECT ?a { VALUES ?a { 1 2 3 4 5 6 7 8 9 } VALUES ?b { 1 2 3 4 5 6 7 8 9 } VALUES ?c { 1 2 3 4 5 6 7 8 9 } }"
    )
    with pytest.raises(OSError, match="the disk is full"):
        graph.select(many).serialize(_FullFile(), QueryResultsFormat.CSV)  # type: ignore[arg-type]


def test_parsing_asks_no_service_and_evaluates_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        service = f"SERVICE <http://127.0.0.1:{listening.getsockname()[1]}/> {{ ?s ?p ?o }}"
        parse(f"INSERT {{ ?s ?p ?o }} WHERE {{ {service} }}")
        assert with_columns(f"SELECT * {{ {service} }}", {}, None) == f"SELECT ?s ?p ?o {{ {service} }}"
        with pytest.raises(BlockingIOError):
            listening.accept()
    values = " ".join(f"VALUES ?a{place} {{ {' '.join('123456789')} }}" for place in range(12))
    parse(f"INSERT {{ ?a0 <e:p> ?n }} WHERE {{ SELECT ?a0 (COUNT(*) AS ?n) {{ {values} }} GROUP BY ?a0 }}")
    assert with_columns(f"SELECT * {{ {values} }} ORDER BY ?a0", {}, None).startswith("SELECT ?a0 ?a1 ")


OURS = "tag:kgreason,2025:"


def test_no_iri_of_a_text_has_a_meaning_of_its_own() -> None:
    """A text of kgreason for Oxigraph has IRIs for variables, unbound values, graphs and functions."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.update(f"INSERT DATA {{ <e:s> <{OURS}?s> <{OURS}unbound> GRAPH <{OURS}nowhere> {{ <e:s> <e:p> 1 }} }}")
        graph.update(f"INSERT {{ ?s <{OURS}?s> <{OURS}?o> }} WHERE {{ ?s <{OURS}?s> ?o }}")
        assert ("<e:s>", f"<{OURS}?s>", f"<{OURS}?o>") in graph
        graph.update(f"INSERT DATA {{ <e:t> <e:q> 1 }} ; INSERT {{ ?s <e:o> ?o }} WHERE {{ ?s <{OURS}?s> ?o }}")
        assert ("<e:s>", "<e:o>", f"<{OURS}unbound>") in graph
        with pytest.raises(QueryError, match="custom function"):
            graph.update(f"CLEAR ALL ; INSERT {{ ?s <e:p> 1 }} WHERE {{ BIND(<{OURS}collect>(1) AS ?s) }}")
        assert ("<e:t>", "<e:q>", 1) in graph
        assert graph.ask("ASK { <e:t> <e:q> 1 }")
        heard: list[Any] = []
        graph.standing(f"SELECT ?x {{ ?x <{OURS}?s> ?o }}", heard.append)
        graph.add(f"<e:n> <{OURS}?s> 5 .")
        assert heard[-1].appeared == [("<e:n>",)]
