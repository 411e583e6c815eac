"""Standing queries: the rows that were told, added up, are the rows of the query after every commit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from kgreason.errors import QueryError
from kgreason.graph.input.terms import text_of
from kgreason.graph.standing.reading import plan_of
from kgreason.graph.standing.standing import RowChange
from tests.volume import many

EX = {"": "http://e/"}
FROM_DELTAS = [
    "SELECT ?x { ?x a :C }",
    "SELECT * { ?x :p ?y . ?y :p ?z }",
    "SELECT ?x { ?x :p ?y . ?y :p ?z }",
    "SELECT DISTINCT ?x { ?x :p ?y . ?y :q ?z }",
    "SELECT REDUCED ?x { ?x :p ?y }",
    "SELECT ?y { ?x :p ?y ; :q 7 . }",
    "SELECT * { ?x :p ?x }",
    "SELECT * { ?x ?p ?y . ?p a :C }",
    "SELECT * { ?x a :C OPTIONAL { ?x :p ?y OPTIONAL { ?y :q ?z } } }",
    "SELECT ?x ?z { ?x :p ?y OPTIONAL { ?y :q ?z FILTER(?z > 3) } FILTER(?x != :a) }",
    "SELECT * { ?x a :C OPTIONAL { ?y :p ?z } }",
    "SELECT ?x { ?x a :C FILTER NOT EXISTS { ?x :p ?y } }",
    "SELECT ?x { ?x a :C FILTER EXISTS { ?y :p ?x FILTER(?y != ?x) } }",
    "SELECT ?n { ?x :q ?n . FILTER(isLiteral(?n)) }",
    "SELECT ?x { ?x :p [ :p ?y ] }",
    "SELECT ?x # all { of them }\n { ?x a :C . # here\n ?x :p :b }",
]
IN_FULL = [
    "SELECT (COUNT(*) AS ?n) { ?x :p ?y }",
    "SELECT ?x { { ?x a :C } UNION { ?x :p ?y } }",
    "SELECT ?x ?z { ?x :p+ ?z }",
    "SELECT ?x { ?x a :C MINUS { ?x :p ?y } }",
    "SELECT ?x ?b { ?x :q ?n BIND(?n + 1 AS ?b) }",
    "SELECT ?x { ?x a :C } ORDER BY ?x LIMIT 2",
    "SELECT ?g { GRAPH ?g { ?x :p ?y } }",
    "SELECT ?x { ?x a :C FILTER(EXISTS { ?x :p ?y } || ?x = :a) }",
    "ASK { ?x :p :a }",
    "SELECT DISTINCT ?p { ?s ?p ?o } ORDER BY ?p",
]


@pytest.mark.parametrize("sparql", FROM_DELTAS)
def test_these_queries_are_answered_from_deltas(sparql: str) -> None:
    assert plan_of(sparql, EX, None) is not None


@pytest.mark.parametrize("sparql", IN_FULL)
def test_these_queries_are_evaluated_in_full(sparql: str) -> None:
    assert plan_of(sparql, EX, None) is None


NAMES = st.sampled_from([":a", ":b", ":c", ":C", "_:n"])
TRIPLES = st.one_of(
    st.tuples(NAMES, st.sampled_from([":p", ":q"]), st.one_of(NAMES, st.sampled_from(["7", '"07"^^xsd:integer', "2"]))),
    st.tuples(NAMES, st.just("a"), st.sampled_from([":C", ":D"])),
    st.tuples(st.just(":p"), st.sampled_from(["rdfs:subPropertyOf", "owl:inverseOf"]), st.just(":q")),
    st.tuples(st.just(":p"), st.just("a"), st.sampled_from(["owl:TransitiveProperty", ":C"])),
    st.tuples(st.just(":D"), st.just("rdfs:subClassOf"), st.just(":C")),
    st.tuples(st.sampled_from([":a", ":b"]), st.just("owl:sameAs"), st.sampled_from([":b", ":c"])),
)
COMMITS = st.lists(st.tuples(st.lists(TRIPLES, max_size=4), st.lists(TRIPLES, max_size=3)), min_size=1, max_size=7)
ALL = EX | {
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
}


INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
LITERALS = {"7": 7, "2": 2, '"07"^^xsd:integer': f'"07"^^<{INTEGER}>'}


def terms(triple: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(LITERALS.get(each, each) for each in triple)


def rows_of(graph: KnowledgeGraph, sparql: str) -> Counter[tuple[str | None, ...]]:
    found = graph.query(sparql, prefixes=EX)
    if not hasattr(found, "variables"):
        return Counter([()] if found else [])
    return Counter(tuple(None if term is None else text_of(term) for term in row) for row in found)  # type: ignore[union-attr]


@given(COMMITS, st.sampled_from(["aliases", "representatives", "rules"]))
@settings(max_examples=3, deadline=None)
def test_rows_add_up_after_every_commit(commits: Any, same_as: Any) -> None:
    follow(commits, same_as)


@given(COMMITS, st.sampled_from(["aliases", "representatives", "rules"]))
@settings(max_examples=many(25), deadline=None)
def test_rows_add_up_after_every_commit_of_many_histories(commits: Any, same_as: Any) -> None:
    follow(commits, same_as)


def follow(commits: Any, same_as: Any) -> None:
    with KnowledgeGraph.open(same_as=same_as) as graph:
        rows: list[Counter[tuple[str | None, ...]]] = []
        queries = [*FROM_DELTAS, *IN_FULL]
        for sparql in queries:
            counts: Counter[tuple[str | None, ...]] = Counter()
            rows.append(counts)

            def tell(change: RowChange, counts: Counter[tuple[str | None, ...]] = counts) -> None:
                assert change.error is None
                counts.subtract(change.disappeared)
                assert all(count >= 0 for count in counts.values())
                counts.update(change.appeared)

            assert graph.standing(sparql, tell, prefixes=EX).is_incremental == (sparql in FROM_DELTAS)
        for added, removed in commits:
            with graph.transaction() as tx:
                tx.remove(*map(terms, removed), prefixes=ALL).add(*map(terms, added), prefixes=ALL)
            for sparql, counts in zip(queries, rows, strict=True):
                expected = rows_of(graph, sparql)
                assert +counts == (Counter(set(expected)) if "REDUCED" in sparql else expected), sparql


def test_a_standing_query_ends() -> None:
    told: list[RowChange] = []
    with KnowledgeGraph.open() as graph:
        query = graph.standing("SELECT ?x { ?x a :C }", told.append, prefixes=EX)
        graph.add((":a", "a", ":C"), prefixes=EX)
        assert query.rows == [("<http://e/a>",)]
        query.close()
        graph.add((":b", "a", ":C"), prefixes=EX)
        assert [change.commit for change in told] == [0, 1]
        with pytest.raises(QueryError, match="does not parse"):
            graph.standing("SELECT {", told.append)
        with pytest.raises(QueryError, match="SELECT or an ASK"):
            graph.standing("CONSTRUCT { ?x a ?y } WHERE { ?x a ?y }", told.append)


def test_a_query_that_takes_too_long_ends_without_an_error_of_the_commit() -> None:
    told: list[RowChange] = []
    many = " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(12))
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.standing(f"SELECT (COUNT(*) AS ?n) {{ {many} }}", told.append, timeout=0.5)
        graph.add(*[(f"http://e/{n}", "http://e/p", n) for n in range(50)])
        graph.add(("http://e/x", "http://e/p", 1))
        assert len(graph) == 51
    assert "longer than" in str(told[-1].error)
    assert len(told) == 2
