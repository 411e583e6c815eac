"""Standing queries: the rows that were told, added up, are the rows of the query after every commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import QueryError
from kgreason.graph.standing.reading import plan_of
from kgreason.graph.standing.standing_query import RowChange
from tests.standing.histories import follow
from tests.tables import table
from tests.volume import many_seeds

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
    "SELECT * { OPTIONAL { ?y :p ?z } ?x a :C }",
    "SELECT * { ?x :p ?y OPTIONAL { ?y :q ?z } OPTIONAL { ?x :q ?w FILTER(?w != ?y) } FILTER(!BOUND(?z)) }",
    "SELECT ?x { ?x :p [ :p ?y ] }",
    "SELECT ?x # all { of them }\n { ?x a :C . # here\n ?x :p :b }",
]
NOT_WELL_DESIGNED = [
    "SELECT ?x ?y ?z { OPTIONAL { ?x :p ?y } ?x :q ?z }",
    "SELECT * { ?x :p ?y OPTIONAL { ?z :q ?w OPTIONAL { ?z :r ?x } } }",
    "SELECT * { ?x :p ?y OPTIONAL { ?y :q ?z } ?z :r ?w }",
    "SELECT * { ?x :p ?y OPTIONAL { ?z :q ?w OPTIONAL { ?z :r ?v FILTER(?v != ?x) } } }",
    "SELECT * { ?x :p ?y OPTIONAL { ?z :q ?w OPTIONAL { ?z :r ?v FILTER EXISTS { ?v :p ?x } } } }",
    "SELECT ?x { ?x :p ?y FILTER NOT EXISTS { ?z :q ?w OPTIONAL { ?z :r ?x } } }",
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
    "SELECT REDUCED ?x { { ?x :p ?y } UNION { ?x :q ?y } }",
    *NOT_WELL_DESIGNED,
]


@table("sparql", FROM_DELTAS)
def test_these_queries_are_answered_from_deltas(sparql: str) -> None:
    assert plan_of(sparql, EX, None) is not None


@table("sparql", IN_FULL)
def test_these_queries_are_evaluated_in_full(sparql: str) -> None:
    assert plan_of(sparql, EX, None) is None


@pytest.mark.parametrize("part", range(4))
def test_rows_add_up_after_every_step(part: int) -> None:
    for seed in many_seeds(0, 27, part, 4):
        follow(seed, [*FROM_DELTAS, *IN_FULL], 7)


@pytest.mark.parametrize("part", range(4))
def test_rows_of_random_queries_add_up(part: int, tmp_path: Path) -> None:
    found = [follow(seed, 5, 8) for seed in many_seeds(0, 30, part, 4)]
    found += [follow(seed, 5, 8, tmp_path / str(seed)) for seed in many_seeds(100, 10, part, 4)]
    assert sum(incremental for incremental, _ in found) > len(found)
    assert sum(told for _, told in found) > 6 * len(found)


def test_a_query_that_is_too_deep_to_read_is_evaluated_in_full() -> None:
    assert plan_of(f"SELECT ?x {{ ?x :p ?y {'OPTIONAL { ?x :p ?y ' * 600} {'}' * 600} }}", EX, None) is None


@pytest.mark.parametrize("word", ["DISTINCT", "REDUCED"])
@pytest.mark.parametrize("block", ["?x :p ?y", "?x :p|:q ?y"])
def test_a_row_of_a_set_is_told_and_listed_once(word: str, block: str) -> None:
    told: list[RowChange] = []
    with KnowledgeGraph.open(rules=["none"]) as graph:
        query = graph.standing(f"SELECT {word} ?x {{ {block} }}", told.append, prefixes=EX)
        graph.add(":a :p :b , :c . :b :q :a . :a :q :b .", prefixes=EX)
        graph.remove(":a :p :b .", prefixes=EX)
        assert ("<http://e/a>",) in query.rows
        assert len(query.rows) == len(set(query.rows)) == sum(len(change.appeared) for change in told)
        graph.remove(":a :p :c . :a :q :b .", prefixes=EX)
        assert told[-1].disappeared == [("<http://e/a>",)]


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
