"""CONSTRUCT queries as rules: the same as the query where every row makes the whole head, refused elsewhere."""

from __future__ import annotations

import random

import pyoxigraph
import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import RuleError
from kgreason.rules.formatter import format_program
from kgreason.rules.parser import parse
from tests.tables import table

E = "http://example.org/"
HEADER = f"PREFIX : <{E}>\n"


def as_rule(text: str) -> str:
    return " ".join(format_program(parse(HEADER + text, syntax="rq")).partition("\n\n")[2].split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "CONSTRUCT { ?x :p ?y } WHERE { FILTER(?z > 1) ?x :q/:r ?y ; :s ?z }",
            "[?x, :p, ?y] :- [?x, :q, ?step], [?step, :r, ?y], [?x, :s, ?z], FILTER(?z > 1) .",
        ),
        ("CONSTRUCT WHERE { ?x :p ?y . ?y :q 1 }", "[?x, :p, ?y], [?y, :q, 1] :- [?x, :p, ?y], [?y, :q, 1] ."),
        (
            "CONSTRUCT { ?x :p 1 } { FILTER NOT EXISTS { FILTER(?z > ?y) ?x :r ?z } ?x :q ?y }",
            "[?x, :p, 1] :- [?x, :q, ?y], NOT EXISTS ?z IN ([?x, :r, ?z], FILTER(?z > ?y)) .",
        ),
        (
            "CONSTRUCT { ?x :p ?z } { ?x :q ?y BIND(?y + 1 AS ?z) FILTER(BOUND(?z)) }",
            "[?x, :p, ?z] :- [?x, :q, ?y], BIND(?y + 1 AS ?z), FILTER(BOUND(?z)) .",
        ),
        (
            "CONSTRUCT { ?x :p 1 } { ?x :q ?y BIND(1 / ?y AS ?z) FILTER(?z > 1 || ?y = 0) }",
            "[?x, :p, 1] :- [?x, :q, ?y], FILTER((1 / ?y) > 1 || ?y = 0) .",
        ),
        ("CONSTRUCT { ?x :p 1 } { ?x :q ?y BIND(1 / ?y AS ?z) }", "[?x, :p, 1] :- [?x, :q, ?y] ."),
    ],
)
def test_queries_become_rules(text: str, expected: str) -> None:
    assert as_rule(text) == expected
    assert {rule.dialect for rule in parse(HEADER + text, syntax="rq").rules} == {"rq"}


@table(
    ("text", "problem"),
    [
        ("CONSTRUCT { ?x :p ?z } { ?x :q ?y OPTIONAL { ?x :r ?z } }",
         "2:35: OPTIONAL may leave variables without a value"),
        ("CONSTRUCT { ?x :p ?y } { { ?x :q ?y } UNION { ?y :r ?x } }",
         "2:26: UNION may leave variables without a value"),
        ("CONSTRUCT { ?x :p ?z } { ?x :q ?y }", r"2:16: rule rule-1: \?z is in the head, but nothing in the body"),
        ("CONSTRUCT { ?x :p 1 ; :r ?z } { ?x :q ?y BIND(1 / ?y AS ?z) }",
         r"2:42: .*if this BIND fails, .* without \?z"),
        ("CONSTRUCT { ?x :p ?z } { ?x :q ?y BIND(1 / ?y AS ?z) ?x :r ?z }",
         r"2:57: .*\?z is the result of a BIND, which may fail"),
        ("CONSTRUCT { ?x :p 1 } { ?x :q ?y BIND(1 / ?y AS ?z) FILTER(BOUND(?z)) }", r"cannot evaluate BOUND\(\?z"),
        (
            "CONSTRUCT { ?x :p 1 } { ?x :q ?y BIND(1 / ?y AS ?z) FILTER NOT EXISTS { ?x :r ?z } }",
            r"\?z is the result of a BIND, which may fail",
        ),
        ("CONSTRUCT { ?x :p ?y } { ?x :q+ ?y }", r"a path has only / and \^ in a rule, not \+"),
        ("CONSTRUCT { ?x :p ?y } { GRAPH :g { ?x :q ?y } }", "GRAPH is not supported"),
        ("CONSTRUCT { ?x :p ?y } FROM :g { ?x :q ?y }", "FROM is not supported"),
        ("CONSTRUCT { ?x :p ?y } { ?x :q ?y } ORDER BY ?x", "ORDER BY selects among all rows"),
        ("CONSTRUCT { ?x :p ?y } { ?x :q ?y MINUS { ?x :r ?y } }", "MINUS is not supported"),
        ("CONSTRUCT { ?x :p ?y } { ?x :q ?y VALUES ?x { :a } }", "VALUES is not supported"),
        ("CONSTRUCT { ?x :p ?y } { { SELECT ?x ?y { ?x :q ?y } } }", "SELECT is not supported"),
        ("CONSTRUCT { ?x :p ?y } { ?x :q ?y FILTER EXISTS { ?x :r ?y } }", "FILTER has no EXISTS"),
        ("CONSTRUCT { ?x :p ?y } { ?x :q ?y SET(?z := 1) }", "a query writes BIND"),
        ("CONSTRUCT { } { ?x :q ?y }", "the query has no triples to construct"),
        ("SELECT * { ?x :q ?y }", "SELECT is not supported: a rule is a CONSTRUCT query"),
        ("INSERT DATA { :a :p 1 }", "only a CONSTRUCT query is a rule"),
        ("RULE { ?x :p 1 } WHERE { ?x :q 1 }", "this is a rule set"),
    ],
)  # fmt: skip
def test_a_query_that_is_no_rule_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(RuleError, match=rf"^<text>:.*{problem}"):
        parse(HEADER + text, syntax="rq")


@pytest.mark.parametrize(
    "body",
    [
        "?x :q ?y BIND(twice(?y) AS ?v) FILTER(?v > 4)",
        "?x :q ?y BIND(twice(?y) AS ?v) BIND(?v + 1 AS ?w) FILTER(?w > 5)",
        "?x :q ?y BIND(?y + 1 AS ?z) BIND(twice(?z) AS ?v) FILTER(?v > 6)",
        "?x :q ?y BIND(?y + 1 AS ?z) FILTER(above(?z))",
    ],
)
def test_a_filter_reads_the_result_of_a_python_function(body: str) -> None:
    def twice(number: int) -> int:
        return 2 * number

    def above(number: int) -> bool:
        return number > 3

    with KnowledgeGraph.open(rules=[], functions=[twice, above]) as graph:
        graph.add(":a :q 1 . :b :q 3 . :c :q 'three' .", prefixes={"": E})
        with graph.transaction() as tx:
            tx.add_rules(f"{HEADER}CONSTRUCT {{ ?x a :Large }} WHERE {{ {body} }}", syntax="rq")
        found = graph.select("SELECT ?x { ?x a :Large }", prefixes={"": E})
        assert [str(row["x"]) for row in found] == [f"<{E}b>"]


def test_whether_a_python_function_has_a_result_cannot_be_told() -> None:
    text = "CONSTRUCT { ?x :p 1 } { ?x :q ?y BIND(twice(?y) AS ?z) FILTER(!BOUND(?z)) }"
    with pytest.raises(RuleError, match=r"a rule cannot evaluate BOUND\(\?z\)"):
        parse(HEADER + text, "<text>", None, syntax="rq")


_PARTS = [
    "?x :q ?y",
    "?x :q/:r ?y",
    "?y ^:q ?x . ?x :r ?z",
    "?x :q ?y FILTER(?y > 1)",
    "?x :q ?y BIND(?y + 1 AS ?w) FILTER(?w > 2 || ?y < 1)",
    "?x :q ?y FILTER NOT EXISTS { ?x :r ?z }",
    "?x :q ?y FILTER NOT EXISTS { ?x :r ?z FILTER(?z > ?y) }",
    "FILTER(?y IN (1, 2)) ?x :q ?y . ?u :r ?y",
    "?x :q ?y FILTER NOT EXISTS { FILTER(?y > 1) }",
]


@pytest.mark.parametrize("seed", range(10))
def test_a_query_and_its_rule_make_the_same_triples(seed: int) -> None:
    drawn = random.Random(seed)
    data = [
        f"<{E}{drawn.choice('abc')}> <{E}{drawn.choice('qr')}> "
        + drawn.choice([f"<{E}{drawn.choice('abc')}>", f'"{drawn.randrange(4)}"^^<http://www.w3.org/2001/XMLSchema#integer>'])
        + " ."
        for _ in range(12)
    ]  # fmt: skip
    store = pyoxigraph.Store()
    store.load("\n".join(data), pyoxigraph.RdfFormat.N_TRIPLES)
    queries = {
        f"<{E}made{number}>": f"{HEADER}CONSTRUCT {{ ?x :made{number} ?y }} WHERE {{ {part} }}"
        for number, part in enumerate(_PARTS)
    }
    with KnowledgeGraph.open(rules=[]) as graph:
        graph.add("\n".join(data))
        with graph.transaction() as tx:
            for query in queries.values():
                tx.add_rules(query, syntax="rq")
        for predicate, query in queries.items():
            made = {str(triple) for triple in graph.construct(f"CONSTRUCT WHERE {{ ?x {predicate} ?y }}")}
            assert made == {str(triple) for triple in store.query(query)}, query  # type: ignore[union-attr]
