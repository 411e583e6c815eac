"""CONSTRUCT and DESCRIBE give the triples of the graph as the graph writes them."""

from __future__ import annotations

from pathlib import Path

from kgreason.graph.fork import fork
from kgreason.graph.knowledge_graph import KnowledgeGraph

from .test_updates import PREFIXES

XSD = "http://www.w3.org/2001/XMLSchema#"
EVERYTHING = "CONSTRUCT WHERE { ?s ?p ?o }"
DATA = ':a :n "1"^^xsd:unsignedLong . :b :n "07"^^xsd:int . :c :n 7 , "x"@en , :d .'


def constructed(graph: KnowledgeGraph, sparql: str, **options: object) -> list[str]:
    return sorted(map(str, graph.construct(PREFIXES + sparql, **options)))


def test_a_constructed_triple_is_written_as_in_the_graph(tmp_path: Path) -> None:
    written = [
        '<http://e/a> <http://e/n> "1"^^<http://www.w3.org/2001/XMLSchema#unsignedLong>',
        '<http://e/b> <http://e/n> "07"^^<http://www.w3.org/2001/XMLSchema#int>',
        '<http://e/c> <http://e/n> "7"^^<http://www.w3.org/2001/XMLSchema#integer>',
        '<http://e/c> <http://e/n> "x"@en',
        "<http://e/c> <http://e/n> <http://e/d>",
    ]
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph:
        graph.update(PREFIXES + f"INSERT DATA {{ {DATA} }}")
        assert constructed(graph, EVERYTHING) == written
        assert constructed(graph, EVERYTHING, timeout=60) == written
        assert constructed(graph, "DESCRIBE :b") == written[1:2]
    with KnowledgeGraph.open(tmp_path / "s", read_only=True) as graph:
        assert constructed(graph, EVERYTHING) == written
    with fork(tmp_path / "s") as graph:
        assert constructed(graph, EVERYTHING) == written


def test_a_renamed_property_keeps_the_spelling_and_a_computed_value_does_not() -> None:
    integer = f'"7"^^<{XSD}integer>'
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.update(PREFIXES + f"INSERT DATA {{ {DATA} }}")
        for where, written in {
            ":b :n ?o": f'"07"^^<{XSD}int>',
            ":b :n ?o FILTER(?o > 6)": f'"07"^^<{XSD}int>',
            ":b :n ?n BIND(?n + 0 AS ?o)": integer,
            "VALUES ?o { 7 }": integer,
            "{ :b :n ?o } UNION { BIND(3 + 4 AS ?o) }": integer,
            ":b :n ?n BIND(STRDT(STR(?n), xsd:integer) AS ?o)": integer,
        }.items():
            assert constructed(graph, f"CONSTRUCT {{ :b :m ?o }} WHERE {{ {where} }}") == [
                f"<http://e/b> <http://e/m> {written}"
            ], where
