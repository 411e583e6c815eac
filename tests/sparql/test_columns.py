"""The columns of a query are in the order in which it names them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import QuerySolutions, Store

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.sparql.query.columns import declarations, with_ordered_columns
from tests.tables import table

STARS = {
    "SELECT * { ?s ?p ?o }": "s p o",
    "select distinct * where { ?z ?p ?a . ?a ?b ?z }": "z p a b",
    "SELECT REDUCED\n# ?no *\n* { GRAPH ?zz { ?a ?b ?c } }": "zz a b c",
    "PREFIX select: <http://e/?x*> SELECT*{ ?z select:p '?no', ?a # ?not\n }": "z a",
    "SELECT * { ?z ?y ?x MINUS { ?z ?hidden ?x } FILTER EXISTS { ?other ?y ?z } }": "z y x",
    "SELECT * { VALUES (?y ?x) { (1 2) } { SELECT ?m (1 AS ?c) { ?m ?n ?o } } BIND(?y AS ?b) }": "y x m c b",
    "SELECT * { ?s ?p ?o OPTIONAL { ?o $q [ ?r ?s0 ] } }": "s p o q r s0",
    "SELECT * { ?b ?a ?b0 . ?a0 ?b ?a }": "b a b0 a0",
}
AS_THEY_ARE = (
    "SELECT ?z ?a { ?a ?p ?z }",
    "SELECT (COUNT(*) AS ?n) ?s { ?s ?p ?o } GROUP BY ?s",
    "SELECT ?s { { SELECT * { ?s ?p ?o } } }",
    "SELECT * {}",
)


def names(query: str) -> list[str]:
    with KnowledgeGraph.open() as graph:
        return [variable.value for variable in graph.select(query).variables]


@table("query", STARS)
def test_a_star_gives_the_variables_in_the_order_of_the_text(query: str) -> None:
    assert names(query) == STARS[query].split()


@pytest.mark.parametrize("query", AS_THEY_ARE)
def test_other_queries_are_asked_as_they_are(query: str) -> None:
    assert with_ordered_columns(query, ["a", "z", "s"][: 0 if query.endswith("{}") else None]) == query


OTHERS = "CONSTRUCT WHERE { ?s ?p ?o }", "ASK { { SELECT * { ?s ?p ?o } } }", "DESCRIBE * { ?s ?p ?o }"


@pytest.mark.parametrize("query", OTHERS)
def test_only_a_select_has_columns(query: str) -> None:
    assert with_ordered_columns(query, ["o", "p", "s"]) == query


@given(st.permutations("abcdefg"), st.sampled_from(["", "DISTINCT", "reduced # ?x *\n"]))
def test_the_solutions_are_the_same(order: list[str], how: str) -> None:
    query = f"SELECT {how} * {{ VALUES ({' '.join(f'?{name}' for name in order)}) {{ (1 2 3 4 5 6 7) }} }}"
    ordered = with_ordered_columns(query, sorted(order))
    one, other = Store().query(query), Store().query(ordered)
    assert isinstance(one, QuerySolutions)
    assert isinstance(other, QuerySolutions)
    assert [variable.value for variable in other.variables] == order
    (before,), (after,) = one, other
    assert {name: before[name] for name in order} == {name: after[name] for name in order}


def test_declared_prefixes() -> None:
    query = "# PREFIX no: <http://no/>\nBASE <http://b/> prefix : <http://e/> PREFIX x:<http://x/> ASK { ?s :p 'no' }"
    assert declarations(query) == {"": "http://e/", "x": "http://x/"}
    assert declarations("ASK { }") == {}
