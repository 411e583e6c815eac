"""A query that may be wrong, because the graph has numbers too long for Oxigraph, says so."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from kgreason.errors import NumberWarning, QueryError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.literals.long_numbers import is_computable
from kgreason.sparql.query.numbers import depends_on_numbers
from kgreason.terms.vocabulary import XSD
from tests.cli.calling import call
from tests.tables import table

LONG = "123456789012345678901234567890"
PREFIX = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
COMPUTING = [
    "SELECT ?x { ?x :n ?v FILTER(?v > 6) }",
    "SELECT ?x { ?x :n ?v } ORDER BY ?v",
    "SELECT (MAX(?v) AS ?max) { ?x :n ?v }",
    "SELECT (SUM(?v) AS ?sum) { ?x :n ?v }",
    "SELECT ?x { ?x :n ?v FILTER(?v IN (5)) }",
    "SELECT ?w { ?x :n ?v BIND(?v + 1 AS ?w) }",
    "SELECT (xsd:integer(?v) AS ?w) { ?x :n ?v }",
    "ASK { ?x :n ?v FILTER(<http://www.w3.org/2001/XMLSchema#integer>(?v)) }",
]
OTHERS = [
    "SELECT ?x { ?x :n ?v }",
    "SELECT (COUNT(*) AS ?n) { ?x :n ?v FILTER(isIRI(?x)) }",
    "SELECT * { ?x :n ?v FILTER(isIRI(?x)) }",
    "ASK { ?x :n|:m* ?v }",
    f"ASK {{ ?x :n {LONG} }}",
]


@table("query", COMPUTING)
def test_a_query_that_computes(query: str) -> None:
    assert depends_on_numbers(PREFIX + query)


@pytest.mark.parametrize("query", OTHERS)
def test_a_query_that_does_not(query: str) -> None:
    assert not depends_on_numbers(PREFIX.split("PREFIX xsd", maxsplit=1)[0] + query)


@table(
    ("number", "is_short"),
    [
        *[(str(2**63 - 1), True), (str(-(2**63)), True), (str(2**63), False), (f"000{2**63}", False), ("0" * 40, True)],
        *[("0." + "0" * 17 + "1", True), ("0." + "0" * 18 + "1", False), ("1.5" + "0" * 30, True)],
        *[("170141183460469231731.0", True), ("170141183460469231732.0", False), ("-170141183460469231732.0", False)],
    ],
)
def test_which_numbers_are_too_long(number: str, is_short: bool) -> None:
    assert is_computable(f'"{number}"^^<{XSD}{"decimal" if "." in number else "integer"}>') == is_short
    assert is_computable(f'"{number}"^^<{XSD}double>')
    assert is_computable(f'"{number}"')


def test_a_number_of_millions_of_digits_is_too_long() -> None:
    for number in ("7" * 1_000_001, "7" * 1_000_001 + ".5", "0." + "0" * 1_000_001 + "7"):
        assert not is_computable(f'"{number}"^^<{XSD}{"decimal" if "." in number else "integer"}>')


def test_the_warning_comes_with_the_number_and_stays(tmp_path: Path) -> None:
    computing, other = PREFIX + COMPUTING[0], PREFIX + OTHERS[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph:
            graph.add("<http://e/a> <http://e/n> 5 .")
            graph.query(computing)
            with graph.what_if() as tx:
                tx.add(f"<http://e/b> <http://e/n> {LONG} .")
            graph.query(computing)
            assert not graph.warnings
            graph.update(f"INSERT DATA {{ <http://e/b> <http://e/n> {LONG} }}")
            graph.query(other)
            with pytest.raises(QueryError, match=rf"such as \"{LONG}\""):
                graph.query(computing)
            assert [LONG in each for each in graph.warnings] == [True]
        for read_only in (True, False):
            with KnowledgeGraph.open(tmp_path / "store", read_only=read_only) as graph:
                graph.query(other)
                with pytest.raises(NumberWarning):
                    graph.query(computing)
    found = call("query", "-l", tmp_path / "store", "-q", computing)
    assert found.exit_code == 0
    assert found.stderr.startswith("kgreason: warning: the graph has numbers that are too long for SPARQL queries")
    assert "kgreason: " not in call("query", "-l", tmp_path / "store", "-q", other).output
    told = call(
        "update", "-l", tmp_path / "store", "-u", PREFIX + "INSERT { ?x :m 1 } WHERE { ?x :n ?v FILTER(?v > 3) }"
    )
    assert told.exit_code == 0
    assert told.stderr.startswith("kgreason: warning: the graph has numbers that are too long for SPARQL queries")


def test_the_warning_stays_after_the_number_is_gone() -> None:
    """The dictionary keeps the number, so the warning says that the graph may only have had it."""
    with KnowledgeGraph.open(rules="none") as graph:
        graph.add(f"<http://e/a> <http://e/n> {LONG} .")
        graph.remove(f"<http://e/a> <http://e/n> {LONG} .")
        with pytest.warns(NumberWarning, match="or had some, such as"):
            graph.query(PREFIX + COMPUTING[0])


@pytest.mark.parametrize(
    "update",
    [
        "INSERT { ?x a :Large } WHERE { ?x :n ?v FILTER(?v > 3) }",
        "INSERT { :all :sum ?sum } WHERE { SELECT (SUM(?v) AS ?sum) { ?x :n ?v } }",
        "DELETE { ?x :n ?v } WHERE { ?x :n ?v FILTER(?v < 3) }",
    ],
)
def test_an_update_that_computes_warns_at_its_caller(update: str) -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        graph.add(f"<http://e/a> <http://e/n> 5 , {LONG} .")
        before = len(graph)
        graph.update(f"{PREFIX} INSERT {{ ?x :m ?v }} WHERE {{ ?x :none ?v }}")
        with pytest.raises(NumberWarning):
            graph.update(PREFIX + update)
        assert len(graph) == before
        with pytest.warns(NumberWarning, match=LONG) as told:
            graph.update(PREFIX + update)
        assert [each.filename for each in told] == [__file__]


def test_the_warning_names_the_line_that_asked() -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        graph.add(f"<http://e/a> <http://e/n> 5 , {LONG} .")
        for ask in (graph.query, graph.select):
            with pytest.warns(NumberWarning) as told:
                ask(PREFIX + COMPUTING[0])
            assert [each.filename for each in told] == [__file__]


def test_a_standing_query_warns_once() -> None:
    with KnowledgeGraph.open(rules="none") as graph:
        graph.add(f"<http://e/a> <http://e/n> {LONG} .")
        for query in COMPUTING[:4]:
            with pytest.warns(NumberWarning) as told:
                standing = graph.standing(PREFIX + query, lambda change: None)
            assert [each.filename for each in told] == [__file__]
            graph.add(f"<http://e/{len(graph)}> <http://e/n> 7 .")
            standing.close()
