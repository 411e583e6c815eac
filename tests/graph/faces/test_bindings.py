"""`bindings=`: terms in the place of variables of queries and updates, as if somebody had written them there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Variable

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, InputTypeError, QueryError

DATA = """@prefix : <http://e/> . :tom :age 7 ; :knows :kim ; :says "hi?x" . :kim :age 9 ; :knows :tom , _:b .
    _:b :age "07"^^<http://www.w3.org/2001/XMLSchema#integer> ."""
E = {"": "http://e/"}
TOM = NamedNode("http://e/tom")


@pytest.fixture(scope="module")
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(DATA)
        yield graph


def rows(graph: KnowledgeGraph, query: str, **bindings: Any) -> list[list[str]]:
    return sorted([str(term) for term in row] for row in graph.select(query, bindings=bindings, prefixes=E))


BY_HAND = [
    ("SELECT ?o { ?x :age ?o }", "SELECT ?o { :tom :age ?o }"),
    ("SELECT ?x ?o { ?x :age ?o }", "SELECT (:tom AS ?x) ?o { :tom :age ?o }"),
    ("SELECT * { ?x :age ?o }", "SELECT (:tom AS ?x) ?o { :tom :age ?o }"),
    ("SELECT DISTINCT $x { $x ?p ?o }", "SELECT DISTINCT (:tom AS ?x) { :tom ?p ?o }"),
    ("SELECT (COUNT(?o) AS ?n) { ?x ?p ?o } GROUP BY ?x HAVING(BOUND(?x))", "SELECT (COUNT(?o) AS ?n) { :tom ?p ?o }"),
    ("SELECT ?o { ?s :knows ?o FILTER(?s=?x) }", "SELECT ?o { :tom :knows ?o }"),
    ("SELECT ?o { ?s :knows ?o FILTER(?o<?x||?o=?x) }", "SELECT ?o { ?s :knows ?o FILTER(?o = :tom) }"),
    ("SELECT ?o { { ?x :age ?o } UNION { ?o :age 9 FILTER(?o != ?x) } }", "SELECT ?o { VALUES ?o { 7 :kim } }"),
    ("SELECT ?s { ?s :age ?a MINUS { ?x :age ?a } }", "SELECT ?s { ?s :age 9 }"),
    ("SELECT ?s { ?s :age ?a FILTER NOT EXISTS { ?s :knows ?x } } ORDER BY ?x", "SELECT ?s { ?s :age 7 }"),
    ('SELECT ("?x" AS ?t) { ?x :age 7 } # ?x', 'SELECT ("?x" AS ?t) {}'),
]


def test_the_term_stands_wherever_the_variable_stood(graph: KnowledgeGraph) -> None:
    for query, by_hand in BY_HAND:
        assert rows(graph, query, x=TOM) == rows(graph, by_hand), query


INNER = [  # the text, and the same text with VALUES ?x { :tom } at the place of @ and a head without ?x
    "SELECT ?o { @ { SELECT ?x ?o { ?x :age ?o } } }",
    "SELECT ?x ?o { @ { SELECT ?x ?o { ?x :age ?o } } }",
    "SELECT * { @ { SELECT * { ?x :age ?o } } }",
    "SELECT * { @ ?x :knows ?z { SELECT ?o { ?x :age ?o } } }",
    "SELECT ?x ?n { @ { SELECT ?x (COUNT(?o) AS ?n) { ?x ?p ?o } GROUP BY ?x HAVING(COUNT(?o) > 1) ORDER BY ?x } }",
    "SELECT ?x ?n { @ ?x :age ?a { SELECT (COUNT(?x) AS ?n) { ?x ?p ?o } } }",
    "SELECT ?x ?n { @ ?x :age ?a { SELECT (COUNT(?o) AS ?n) { VALUES ?x { :kim } ?x ?p ?o } LIMIT 1 } }",
    "SELECT * { @ ?x :age ?a { SELECT * { ?s :age ?o FILTER(!BOUND(?x)) } } }",
    "SELECT * { @ ?x :age ?a { SELECT ?s { { SELECT ?x ?s { ?x :knows ?s } } } } }",
    "SELECT * { @ ?x :age ?a { SELECT ?x { { SELECT * { ?x :knows ?s } } } } }",
    "PREFIX e: <http://e/> SELECT * { @ { SELECT DISTINCT * { ?x e:age ?o } } UNION { { SELECT (1 AS ?o) { } } } }",
    "SELECT * { @ ?x :age ?a MINUS { ?x :knows ?z } }",
    "SELECT * { @ ?x :age ?a MINUS { ?z :age ?q FILTER(?q = ?x) } }",
    "SELECT * { @ ?x :age ?a MINUS { SELECT ?x { ?x :knows ?z } } MINUS { SELECT ?z { ?x :age ?z } } }",
    "SELECT * { @ ?x :age ?a FILTER EXISTS { { SELECT ?z { ?x :age ?z } } FILTER(?z = 9) } }",
]


def test_an_inner_select_has_the_term_if_it_selects_the_variable(graph: KnowledgeGraph) -> None:
    for query in INNER:
        by_hand = rows(graph, query.replace("@", "VALUES ?x { :tom }"))
        assert rows(graph, query.replace("@", ""), x=TOM) == by_hand, query


def test_an_update_keeps_the_variables_of_an_inner_select() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(DATA)
        update = "INSERT { ?x :total ?n } WHERE { ?x :age ?a { SELECT (SUM(?o) AS ?n) { ?x :age ?o } } }"
        graph.update(update, bindings={"x": TOM}, prefixes=E)
        assert rows(graph, "SELECT ?s ?n { ?s :total ?n }") == [[str(TOM), str(Literal(23))]]


def test_terms_are_given_as_for_match(graph: KnowledgeGraph) -> None:
    for term in ("http://e/tom", ":tom", "<http://e/tom>", TOM):
        assert graph.ask("ASK { ?x :age 7 }", bindings={"x": term}, prefixes=E)
    for name in ("x", "?x", "$x", Variable("x")):
        assert graph.ask("ASK { ?x :age 7 }", bindings={name: TOM}, prefixes=E)  # type: ignore[dict-item]
    assert len(rows(graph, "SELECT ?s { ?s :age ?a }", a=7)) == 2
    assert len(rows(graph, "SELECT ?s { ?s ?p ?o }", p=":age", o=Literal(9))) == 1


def test_other_forms(graph: KnowledgeGraph) -> None:
    how: Any = {"bindings": {"x": TOM}, "prefixes": E}
    assert [str(each) for each in graph.construct("CONSTRUCT { ?x a :Cat } WHERE { ?x :age ?y }", **how)] == [
        f"{TOM} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Cat>"
    ]
    assert len(list(graph.construct("DESCRIBE ?x", **how))) == 3
    assert graph.query("ASK { ?x :age 7 }", bindings={}, prefixes=E)


def test_no_term_is_read_as_sparql(graph: KnowledgeGraph) -> None:
    evil = 'x" } ; DROP ALL # \\ \n ?y } UNION { ?s ?p ?o'
    for term in (Literal(evil), Literal(evil, language="en")):
        assert rows(graph, "SELECT ?s { ?s :says ?t }", t=term) == []
        assert rows(graph, "SELECT (?t AS ?u) { }", t=term) == [[str(term)]]
    for text in ("http://e/a> ?p ?o } #", "<http://e/a> } #", "?y", '"a" . ?s ?p ?o', ":tom :age"):
        with pytest.raises(InputError):
            graph.query("ASK { ?x ?p ?o }", bindings={"x": text}, prefixes=E)
    with pytest.raises(InputError, match="is not the name of a variable"):
        graph.query("ASK { ?x ?p ?o }", bindings={"x } #": TOM})


def test_a_wrong_binding_is_an_error(graph: KnowledgeGraph) -> None:
    cases: list[tuple[str, Any, type[Exception], str]] = [
        ("ASK { ?x ?p ?o }", {"y": TOM}, QueryError, r"has no variable \?y"),
        ("ASK { BIND(1 AS ?x) }", {"x": 1}, QueryError, r"gives \?x a value itself \(AS\)"),
        ("SELECT ?x { VALUES (?x ?y) { (1 2) } }", {"y": 1}, QueryError, r"gives \?y a value itself \(VALUES\)"),
        ("ASK { { SELECT ?o { ?x ?p ?o } } }", {"x": TOM}, QueryError, "only in an inner SELECT"),
        ("ASK { { SELECT ?x { ?x ?p ?o } LIMIT 1 } }", {"x": TOM}, QueryError, "with LIMIT or OFFSET"),
        ("ASK { { SELECT (1 AS ?x) { } } }", {"x": 1}, QueryError, "value itself"),
        ("ASK { ?x ?p ?o }", {"x": BlankNode("b")}, InputError, "a blank node cannot stand in a query"),
        ("ASK { ?x ?p ?o }", {"x": object()}, InputTypeError, r"bindings, \?x"),
        ("ASK { ?x ?p ?o }", {"x": "just words"}, InputError, r"bindings, \?x"),
        ("ASK { ?x ?p ?o }", {1: TOM}, InputTypeError, "not the name"),
        ("ASK { ?x ?p ?o }", [("x", TOM)], InputTypeError, "have to be a mapping"),
        ("ASK { ?x ?p ?o }", {"p": "'a text'"}, InputError, r"bindings, \?p"),
        ("ASK { ?x ?p ?o }", {"p": '"a text"'}, QueryError, r"with the terms for \?p in their places"),
        ("ASK { ?x ?p }", {"x": TOM}, QueryError, "does not parse|expected"),
    ]
    for query, bindings, kind, message in cases:
        with pytest.raises(kind, match=message):
            graph.query(query, bindings=bindings)


def test_updates_take_them() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(DATA)
        graph.update(
            "DELETE { ?x :age ?a } INSERT { ?x :age ?new } WHERE { ?x :age ?a }",
            bindings={"x": TOM, "new": 8},
            prefixes=E,
        )
        assert rows(graph, "SELECT ?a { :tom :age ?a }") == [[str(Literal(8))]]
        with pytest.raises(QueryError, match='"a" cannot be the predicate of a triple'):
            graph.update("DELETE WHERE { ?x ?p ?o }", bindings={"p": Literal("a")})
        assert len(graph) == 7


def test_a_query_in_a_process_of_its_own_takes_them(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
        graph.add(DATA)
        found = graph.select("SELECT ?x ?a { ?x :age ?a }", bindings={"x": TOM}, prefixes=E, timeout=60)
        assert [[str(term) for term in row] for row in found] == [[str(TOM), str(Literal(7))]]
