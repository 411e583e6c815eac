"""Without rules an update does what Oxigraph's own does."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, Store

from kgreason.sparql.evaluate import carry_out
from kgreason.sparql.parser import parse
from tests.sparql.graphs import PlainGraph, lines_of

Texts: TypeAlias = st.SearchStrategy[str]

_NODES = [":a", ":b", "<http://e/c>"]
_LITERALS = ["1", "2.5", "true", '"x"', "'y'@en", '"z}"^^:d', '"""#"""', "<<( :a :p 1 )>>"]
_GRAPHS = [":g", ":h"]
_VARIABLES = ["?x", "?y", "$z"]

_subjects = st.sampled_from(_NODES)
_predicates = st.sampled_from([":p", ":q", "a"])
_objects = st.sampled_from(_NODES + _LITERALS)
_blanks = st.sampled_from(["_:n", "[]", "[ :p :a ]", "( :a 1 )"])
_variables = st.sampled_from(_VARIABLES)


def _triples(nodes: Texts, verbs: Texts, values: Texts) -> Texts:
    listed = st.lists(values, min_size=1, max_size=2).map(" , ".join)
    pairs = st.lists(st.builds("{} {}".format, verbs, listed), min_size=1, max_size=2).map(" ; ".join)
    subjects = st.lists(st.builds("{} {}".format, nodes, pairs), min_size=1, max_size=2).map(" . ".join)
    return st.builds("{}{}".format, subjects, st.sampled_from(["", " ."]))


def _quads(triples: Texts, graphs: Texts) -> Texts:
    named = st.builds("GRAPH {} {{ {} }}{}".format, graphs, triples, st.sampled_from(["", " ."]))
    around = st.tuples(st.just("") | triples, named, st.just("") | triples).map(" # }\n ".join)
    return st.builds("{{ {} }}".format, st.just("") | triples | around)


_names = st.sampled_from(_GRAPHS)
_data = _quads(_triples(_subjects, _predicates, _objects), _names)
_inserted = _quads(_triples(_subjects | _blanks, _predicates, _objects | _blanks), _names)
_deleted = _quads(
    _triples(_subjects | _variables, _predicates | _variables, _objects | _variables), _names | _variables
)
_added = _quads(
    _triples(_subjects | _variables | _blanks, _predicates | _variables, _objects | _variables | _blanks),
    _names | _variables,
)
_patterns = st.sampled_from(
    [
        "{}",
        "{ ?x ?y $z }",
        "{ ?x :p ?y OPTIONAL { ?y :q ?z } }",
        "{ GRAPH ?z { ?x ?y ?o } }",
        "{ { ?x :p 1 } UNION { ?x a ?y FILTER(?x < 5 || ?x != '}') } # }\n }",
        "{ ?x ?y :a FILTER NOT EXISTS { GRAPH :g { ?x ?y :a } } }",
        "{ VALUES (?x ?y) { (:a 1) (UNDEF :b) ('}' :p) } }",
        "{ SELECT ?x (COUNT(*) AS ?y) WHERE { ?x ?p ?o } GROUP BY ?x }",
    ]
)
_with = st.just("") | st.builds("WITH {} ".format, _names)
_using = st.lists(st.builds("{} {}".format, st.sampled_from(["USING", "using named"]), _names), max_size=2).map(
    " ".join
)
_templates = st.one_of(
    st.builds("DELETE {} ".format, _deleted),
    st.builds("INSERT {} ".format, _added),
    st.builds("DELETE {} INSERT {} ".format, _deleted, _added),
)
_place = st.sampled_from(["DEFAULT", ":g", "GRAPH :h"])
_operations = st.one_of(
    st.builds("INSERT DATA {}".format, _inserted),
    st.builds("DELETE DATA {}".format, _data),
    st.builds("DELETE WHERE {}".format, _deleted),
    st.builds("{}{}{} WHERE {}".format, _with, _templates, _using, _patterns),
    st.sampled_from(["CLEAR ALL", "CLEAR DEFAULT", "DROP NAMED", "DROP SILENT GRAPH :g", "CREATE SILENT GRAPH :h"]),
    st.builds("{} SILENT {} TO {}".format, st.sampled_from(["ADD", "COPY", "MOVE"]), _place, _place),
)
_seeds = st.lists(st.builds("INSERT DATA {}".format, _data), min_size=1, max_size=3)
_requests = st.builds(lambda seeds, rest: seeds + rest, _seeds, st.lists(_operations, min_size=1, max_size=5))
_prologue = "PREFIX : <http://e/> BASE <http://e/> PREFIX unused: <#> "


def _canonical(quads: list[Quad]) -> set[Quad]:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return set(dataset)


def _apart(operations: list[str]) -> str:
    """Labels of one operation are not those of another."""
    texts = (text.replace("_:n", f"_:n{number}") for number, text in enumerate(operations))
    return _prologue + " ;\n".join(texts)


@given(_requests)
def test_an_update_does_what_oxigraphs_does(operations: list[str]) -> None:
    text = _apart(operations)
    store, graph = Store(), PlainGraph()
    store.update(text)
    graph.update(text)
    assert _canonical(list(graph.quads)) == _canonical(list(store))


@given(_requests)
def test_edits_handed_over_together_do_what_they_do_one_by_one(operations: list[str]) -> None:
    parsed = parse(_apart(operations))
    together, one_by_one = PlainGraph(), PlainGraph()
    outcome = carry_out(parsed, together)
    outcomes = [carry_out([operation], one_by_one) for operation in parsed]
    assert _canonical(list(together.quads)) == _canonical(list(one_by_one.quads))
    assert outcome.unasserted == sum(step.unasserted for step in outcomes)
    assert len(together.steps) <= len(one_by_one.steps)


@given(_requests)
def test_the_steps_are_the_difference(operations: list[str]) -> None:
    graph = PlainGraph()
    graph.update(_apart(operations))
    twin = PlainGraph()
    for removed, added in graph.steps:
        twin.apply(removed, added)
    assert lines_of(sorted(twin.quads, key=str)) == lines_of(sorted(graph.quads, key=str))
