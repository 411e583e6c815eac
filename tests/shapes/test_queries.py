"""Queries of shapes: an expression that errs leaves its variable without a value, and keeps the solution."""

from __future__ import annotations

import pytest

from kgreason import KnowledgeGraph
from kgreason.datatypes.literals import parts_of_literal

_SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://e/> .
e:o sh:declare [ sh:prefix "e" ; sh:namespace "http://e/" ] ,
    [ sh:prefix "xsd" ; sh:namespace "http://www.w3.org/2001/XMLSchema#" ] .
e:S sh:targetNode e:n ; sh:property [ sh:path e:p ; sh:sparql [ sh:prefixes e:o ; sh:select "SELECT %s" ] ] .
"""
_INTEGER = "xsd:integer(?o)"
_CHAIN = " ".join(f"BIND (?v{number} + 1 AS ?v{number + 1})" for number in range(11)) + " BIND (?v11 + 1 AS ?value)"
_QUERIES = {
    f"$this ?value {{ $this e:p ?o BIND ({_INTEGER} AS ?value) }}": ["7", None],
    f"$this ({_INTEGER} AS ?value) {{ $this e:p ?o }}": ["7", None],
    f"$this ({_INTEGER} AS ?value) (COUNT(*) AS ?n) {{ $this e:p ?o }} GROUP BY $this ?o": ["7", None],
    f"$this ?value {{ $this e:p ?o BIND ({_INTEGER} AS ?v0) {_CHAIN} }}": ["19", None],
    "$this (SUM(?o) AS ?value) { $this e:p ?o } GROUP BY $this ?o": [None, None],
    f"$this (SUM({_INTEGER}) AS ?value) {{ $this e:p ?o }} GROUP BY $this ?o": ["7", None],
    f"$this (MAX({_INTEGER}) AS ?value) {{ $this e:p ?o }} GROUP BY $this ?o": ["7", None],
    f"$this (SUM({_INTEGER}) AS ?s) (COUNT(?o) AS ?value) {{ $this e:p ?o }} GROUP BY $this": ["2"],
    f"$this (COUNT(?o) AS ?value) {{ $this e:p ?o }} GROUP BY $this HAVING (AVG({_INTEGER}) > 1)": [],
    f"$this (?o AS ?value) {{ $this e:p ?o }} GROUP BY $this ?o HAVING (COALESCE(AVG({_INTEGER}), 0) < 1)": ["abc"],
    f"$this (COALESCE(AVG({_INTEGER}), -1) AS ?value) {{ $this e:p ?o }} GROUP BY $this ?o": ["-1", "7"],
    f"$this {{ $this e:p ?o BIND ({_INTEGER} AS ?unread) }}": [None, None],
    "$this ?value { $this e:p ?o OPTIONAL { $this e:q ?none } BIND (?none AS ?value) }": [None, None],
    **{
        f"$this (?o AS ?value) {{ {group} FILTER ({test}BOUND(?i)) }}": values
        for test, values in (("!", ["abc"]), ("", ["7"]))
        for group in (
            f"$this e:p ?o BIND ({_INTEGER} AS ?i)",
            f"{{ SELECT $this ?o ({_INTEGER} AS ?i) {{ $this e:p ?o }} }}",
            f"{{ SELECT DISTINCT $this ?o ({_INTEGER} AS ?i) {{ $this e:p ?o }} }}",
        )
    },
    f"$this (?o AS ?value) {{ $this e:p ?o FILTER EXISTS {{ BIND ({_INTEGER} AS ?i) FILTER (!BOUND(?i)) }} }}": ["abc"],
    f"$this (?o AS ?value) {{ $this e:p ?o FILTER NOT EXISTS {{ BIND ({_INTEGER} AS ?i) FILTER (BOUND(?i)) }} }}": [
        "abc"
    ],
}


@pytest.mark.parametrize("query", _QUERIES)
def test_a_solution_whose_expression_errs_is_a_result(query: str) -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.add(_SHAPES % query)
        graph.add('<http://e/n> <http://e/p> "abc" , "7" .')
        values = [each.value and parts_of_literal(str(each.value)).lexical for each in graph.validate()]
        assert sorted(values, key=str) == _QUERIES[query]
