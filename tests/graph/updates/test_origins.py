"""Where a WHERE gets the values of its variables, and that the wider SELECT has the same solutions."""

from __future__ import annotations

from typing import cast

import pytest
from pyoxigraph import QuerySolutions, RdfFormat, Store

from kgreason.graph.sparql_update.origins import Origin, origins_of
from kgreason.sparql.where_clause import Select
from tests.tables import table

PREFIX = "PREFIX : <http://e/> "
P, Q = "<http://e/p>", "<http://e/q>"
FIRST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
SEVEN = '"07"^^<http://www.w3.org/2001/XMLSchema#integer>'
DATA = """PREFIX : <http://e/> :a :p 7, "x" ; :q 8 ; :to :b . :b :p 7 ; :q :a, true ; :to :a . :g { :a :q 7 . :b :p 9 }
    :c :list (7 8) ; :p [ :q 7 ] ."""

BLOCKS = {
    "{ ?s :p ?o }": [Origin((), "?s", P)],
    "{ $s ?p ?o ; :r 1 }": [Origin((), "?s", "?p")],
    "{ ?o ^:p :a }": [Origin((), "<http://e/a>", P)],
    "{ :a :p|:q ?o }": [Origin((), "<http://e/a>", P), Origin((), "<http://e/a>", Q)],
    "{ ?s :to/:q ?o }": [Origin((), "?between0", Q)],
    "{ ?o ^:q/^:to ?s }": [Origin((), "?between0", Q)],
    "{ ?s :to/:q ?o ; :to ?t }": [Origin((), None, Q)],
    "{ ?s :to/:q ?o, ?t . }": [Origin((), None, Q)],
    "{ ?s (:to/:q)|:p ?o }": [Origin((), None, Q), Origin((), "?s", P)],
    "{ ?s :p+ ?o }": [Origin((), None, P)],
    "{ ?s !(:q|^:p) ?o }": [Origin((), "?s", None)],
    "{ _:x :p ?o . ?s :to _:x }": [Origin((), "?node0", P)],
    "{ [ :q ?o ] ^:p ?s }": [Origin((), None, Q)],
    "{ ?s :list (?o 8) }": [Origin((), None, FIRST)],
    "{ GRAPH :g { ?s :q ?o } }": [Origin((), "?s", Q, "<http://e/g>")],
    "{ GRAPH ?g { ?s :q ?o } }": [Origin((), "?s", Q, "?g")],
    "{ ?s :to ?t OPTIONAL { ?s :q ?o } }": [Origin(("mark0",), "?s", Q)],
    "{ { ?s :q ?o } UNION { SELECT ?o { ?s :p ?o } } }": [Origin(("mark0",), "?s", Q), Origin(("mark1",), None, P)],
    "{ ?s :p ?x BIND(IF(?x > 7, ?x, 07) AS ?o) }": [Origin((), "?s", P), Origin(text=SEVEN)],
    "{ ?s :p ?x BIND(?x + 1 AS ?o) }": [],
    "{ VALUES (?o ?u) { (07 1) (UNDEF 2) } }": [Origin(text=SEVEN)],
    "{ { SELECT ?s (MIN(?x) AS ?o) { ?s :p ?x } GROUP BY ?s } }": [Origin((), "?s", P, is_single=True)],
    "{ ?s :to ?t MINUS { ?s :p ?o } FILTER NOT EXISTS { ?t :none ?o } }": [],
    "{ ?s :p ?o } # a comment }": [Origin((), "?s", P)],
}


@pytest.mark.parametrize("block", BLOCKS)
def test_origins(block: str) -> None:
    """The wider SELECT has the same solutions, each as often."""
    narrow = Select(PREFIX, False, ("o", "s"), (), None, block)
    origins = origins_of(narrow, ["o"])
    assert origins.by_variable.get("o", []) == BLOCKS[block]
    store = Store()
    store.load(DATA, format=RdfFormat.TRIG)
    solutions = [store.query(select.query) for select in (narrow, origins.select)]
    counts = []
    for each in solutions:
        assert isinstance(each, QuerySolutions)
        counts.append(sorted(str((row["o"], row["s"])) for row in each))
    assert counts[0] == counts[1]


ODD = [
    "VALUES ?z { -1 }",
    "VALUES ?z { -1.5 +.5 -1e3 }",
    "VALUES (?k ?z) { (1 -1) (-1 UNDEF) }",
    "OPTIONAL { ?s :q << :a :b ?z >> }",
    "OPTIONAL { << ?s :q << :a :b ?z >> ~ ?r >> :q [ :q <<:a :b ?y>> ] }",
    "FILTER(?o<9&&?o>3 || true)",
    "FILTER(3<?o&&?o>3 || ?s<:f(?o)&&?s>?o || true)",
    "FILTER(true || ?s<<http://e/x>)",
    "FILTER(true || <http://e/x><9)",
    "BIND(<<( ?s :q -1 )>> AS ?t)",
    "BIND(<<( ?s a <<( :a ?q 'x'@en )>> )>> AS ?t)",
]


@table("odd", ODD)
def test_a_block_that_oxigraph_takes_is_taken(odd: str) -> None:
    select = Select(PREFIX, True, ("s", "o"), (), None, f"{{ ?s :p ?o {odd} }}")
    origins = origins_of(select, ["o"])
    assert origins.by_variable["o"] == [Origin((), "?s", P)]
    found = [set(map(str, cast(QuerySolutions, Store().query(each.query)))) for each in (select, origins.select)]
    assert found[0] == found[1]
