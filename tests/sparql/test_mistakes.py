"""Where a query goes wrong, and how: one row for each typical mistake."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph
import pytest

from kgreason.errors import QueryError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.sparql.trees.mistakes import mistake, open_brackets
from tests.tables import table
from tests.w3c.shared import IS_THERE, archive

PREFIXES = {"": "http://x/"}
_TABLE = Path(__file__).with_name("mistakes.tsv").read_text("utf-8").splitlines()[1:]
MISTAKES = [tuple(line.split("\t")) for line in _TABLE]

TAKEN = [
    "SELECT (GROUP_CONCAT(DISTINCT ?y; SEPARATOR=', ') AS ?all) { ?x :p ?y } GROUP BY ?x HAVING(COUNT(*) > 1)",
    "SELECT * FROM <http://g/> FROM NAMED :g { GRAPH ?g { ?x (:p|^:q)+/!(a|^:r)? ?y } MINUS { ?x a :Cat } }",
    "SELECT ?x { { ?x a :Cat } UNION { ?x a :Dog } ?x :p [ :q (1 -2 'a'@en '1'^^:t) ] FILTER NOT EXISTS { ?x :r [] } }",
    "ASK { <<( :a :b :c )>> :p ?x . << :a :b ?y >> :q ?z {| :r 1 |} ; :s 2 }",
    "CONSTRUCT WHERE { ?s ?p ?o . } LIMIT 3 OFFSET 4",
    "CONSTRUCT { ?s :p [ :q ?o ] } { ?s ?p ?o BIND(IF(?o IN (1, 2), STR(?o), -?o * 2) AS ?x) } ORDER BY DESC(?o) ?s",
    "DESCRIBE ?x :a WHERE { ?x :p true, .5, 1e3 ; :q ?y ; . OPTIONAL { VALUES (?x ?y) { (1 UNDEF) } } }",
    "BASE <http://x/> SELECT DISTINCT ?x { ?x <p> ?y { SELECT ?y (MAX(?z) AS ?m) { ?y :q ?z } GROUP BY ?y } }",
    "SELECT ?x { ?x :p ?y FILTER(?x<?y && ?y>2 || !BOUND(?z)) # a comment }\n } VALUES ?x { :a }",
]


@table(("query", "words"), MISTAKES)
def test_a_mistake_is_told_with_its_place(query: str, words: str) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with pytest.raises(QueryError) as caught:
            graph.query(query.encode("latin-1", "backslashreplace").decode("unicode_escape"), prefixes=PREFIXES)
        assert str(caught.value) == f"the query does not parse: {words}"


def test_the_pattern_of_an_update_is_told_alike() -> None:
    update = "INSERT {} WHERE {\n ?s :p ?o FILTER ?o > 3 }"
    with KnowledgeGraph.open(rules=["none"]) as graph, pytest.raises(QueryError) as caught:
        graph.update(update, prefixes=PREFIXES)
    words = "found '?o', expected a condition in brackets: FILTER(?x > 3)"
    assert str(caught.value) == f"<update>:2:18: {words}"


def test_every_query_that_oxigraph_takes_has_a_tree() -> None:
    for query in TAKEN:
        pyoxigraph.Store().query(query, prefixes=PREFIXES, base_iri="http://b/")
        assert mistake(query) is None, query


@pytest.mark.skipif(not IS_THERE, reason="no shared test data")
def test_every_query_of_the_w3c_that_oxigraph_takes_has_a_tree() -> None:
    queries = {path: text.decode() for path, text in archive("sparql11.tar.gz").items() if path.endswith(".rq")}
    assert queries
    for path, query in queries.items():
        try:
            pyoxigraph.Store().query(query, base_iri="http://b/")
        except SyntaxError:
            continue
        except (OSError, RuntimeError):
            pass
        assert mistake(query) is None, path


def test_brackets_in_strings_iris_and_comments_do_not_count() -> None:
    text = "{ '(' \"[\" <http://e/(> # (\n '''[''' ( ) ["
    assert [text[at] for at in open_brackets(text, len(text))] == ["{", "["]
