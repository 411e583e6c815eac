"""What a shapes graph becomes, and what is refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import RuleError, ShapesError
from tests.cli.calling import call
from tests.shapes.test_live import NAMES, SHAPES

_PREFIXES = "@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
_INTEGER, _DOUBLE = (f"<http://www.w3.org/2001/XMLSchema#{name}>" for name in ("integer", "double"))
_RULE_TO = "sh:subject sh:this ; sh:predicate :p ; sh:object"
_RULE = f"{_RULE_TO} :b"
REFUSED = {
    ":S sh:targetNode :a ; sh:path :p ; sh:minCount 1, 2 .": "sh:minCount has 2 values",
    ":S sh:targetNode :a ; sh:path :p ; sh:minCount 1.5 .": "sh:minCount needs an xsd:integer",
    ":S sh:targetNode :a ; sh:minLength 'two' .": "sh:minLength needs an xsd:integer",
    ":S sh:targetNode :a ; sh:maxLength 1.5 .": "sh:maxLength needs an xsd:integer",
    **{
        f":S sh:targetNode :a ; sh:minLength {number} .": "e/S>: sh:minLength needs an xsd:integer"
        for number in (f"'+-5'^^{_INTEGER}", f"'1_0'^^{_INTEGER}", f"'{'9' * 5000}'^^{_INTEGER}")
    },
    **{
        f":S sh:targetNode :a ; sh:rule [ sh:order {order} ; {_RULE} ] .": "e/S>: _:"
        for order in (f"'1_0'^^{_INTEGER}", f"'NaN'^^{_DOUBLE}", f"'INF'^^{_DOUBLE}", "1e999", "sh:order")
    },
    **{
        f":S sh:targetNode :a ; {place} .": message
        for expression, message in {
            "[ sh:intersection () ]": "e/S>: sh:intersection of the expression _:",
            "_:e . _:e sh:nodes :a ; sh:minus _:e": "contains itself",
            "_:e . _:e sh:union ( :a [ sh:count _:e ] )": "contains itself",
        }.items()
        for place in (f"sh:expression {expression}", f"sh:rule _:r . _:r {_RULE_TO} {expression}")
    },
    ":S sh:targetNode :a ; sh:datatype [ ] .": "sh:datatype needs an IRI",
    ":S sh:targetNode :a ; sh:disjoint 'p' .": "sh:disjoint needs an IRI",
    ":S sh:targetSubjectsOf 'p' ; sh:nodeKind sh:IRI .": "sh:targetSubjectsOf needs an IRI",
    ":S sh:targetNode :a ; sh:severity 'high' .": "sh:severity needs an IRI",
    ":S sh:targetNode :a ; sh:minCount 1 .": "a node shape cannot have sh:minCount",
    ":S sh:targetNode :a ; sh:property :P .": "a value of sh:property must have a sh:path",
    ":S sh:targetNode :a ; sh:pattern '(' .": "is not a valid pattern",
    ":S sh:targetNode :a ; sh:pattern 'a' ; sh:flags 'z' .": "'z' is not a flag of a pattern",
    ":S sh:targetNode :a ; sh:nodeKind :Thing .": "is not a value of sh:nodeKind",
    ":S sh:targetNode :a ; sh:in :list .": "not a well-formed list",
    ":S sh:targetNode :a ; sh:node 5 .": "a literal is not a shape",
    ":S sh:targetNode :a ; sh:not :S .": "sh:not leads back to the shape",
    ":S sh:targetNode :a ; sh:not :T . :T sh:node :S .": "sh:not leads back to the shape",
    ":S sh:targetNode :a ; sh:property :P . :P sh:path :p ; sh:property :P .": "sh:property leads back to the shape",
    ":S sh:targetNode :a ; sh:path [ sh:inversePath _:x ] . _:x sh:inversePath _:x .": "the path contains itself",
    ":S sh:targetNode :a ; sh:rule [ ] .": "a rule needs a sh:construct, or sh:subject, sh:predicate and sh:object",
    ":S sh:target [ ] ; sh:targetNode :a .": "sh:target needs a sh:select, or a sh:SPARQLTargetType",
    ":S sh:targetNode :a ; sh:rule [ sh:construct 'SELECT ?x { ?x ?y ?z }' ] .": "must be a CONSTRUCT query",
    **{
        f":S sh:targetNode :a ; sh:rule [ {subject} ; sh:predicate {predicate} ; sh:object {value} ] .": message
        for subject, predicate, value, message in (
            ("sh:subject 5", ":p", "sh:this", "cannot be the subject"),
            ("sh:subject sh:this", "'p'", "sh:this", '"p" cannot be the predicate'),
            ("sh:subject sh:this ; sh:order 'first'", ":p", "sh:this", "sh:order needs a number"),
            ("sh:subject sh:this", ":p", "[ sh:limit 1 ; sh:nodes sh:this ]", "sh:limit is not supported"),
            ("sh:subject sh:this", ":p", "[ :concat ( 'a' 'b' ) ]", "functions are not"),
        )
    },
    ":S sh:targetNode :a ; sh:property [ sh:path :p ; sh:values sh:this ] .": "sh:values is not supported",
    ":S sh:targetNode :a ; sh:sparql [ sh:select 'SELECT $this { $this :p ?x }' ] .": "the prefix : is not declared",
    **{
        f":S sh:targetNode :a ; sh:sparql [ sh:select 'SELECT {query}' ] .": message
        for query, message in {
            "$this { $this ?p ?x MINUS { ?x ?p $this } }": "SHACL forbids MINUS",
            "$this { $this ?p ?x } LIMIT 1": "LIMIT is not supported",
            "?x { $this ?p ?x }": "must project $this",
            "$this (COUNT(?x) AS ?n) { $this ?p ?x }": "needs GROUP BY",
            "$this ?x (COUNT(?p) AS ?n) { $this ?p ?x } GROUP BY $this": "?x is not in GROUP BY",
            "$this { { SELECT ?x { ?x ?p $this } } }": "must project $this",
            "$this { GRAPH ?g { $this ?p ?x } }": "GRAPH is supported with $shapesGraph alone",
            "$this { $this !a ?x }": "! in a path is not supported",
            "$this { ?x <urn:p>* ?y }": "a path needs a start or an end",
            "$this { $this ?p ?x ": "a bracket of the query is not closed",
            "$this { $this ?p ?x } }": "is not supported in a query",
        }.items()
    },
    ":S sh:targetNode :a ; sh:sparql [ sh:select 'ASK { $this :p ?x }' ] .": "must be a SELECT query",
    "<http://e/> sh:entailment <http://www.w3.org/ns/entailment/RIF> .": "is not what the rules of the graph give",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_shapes_graph_that_cannot_be_used_is_refused_by_name(text: str) -> None:
    with KnowledgeGraph.open() as graph:
        with pytest.raises(ShapesError) as caught:
            graph.shapes.load(_PREFIXES + text)
        assert REFUSED[text] in str(caught.value)
        assert not graph.own_rules()


def results(shapes: str, data: str) -> list[str]:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.shapes.load(_PREFIXES + shapes)
        graph.add(data, prefixes=NAMES)
        return graph.validate().to_text(NAMES).splitlines()[:-1]


def test_the_iri_of_a_shape_may_contain_a_variable() -> None:
    for iri in ("<http://e/P?x=1>", "<http://e/P?v=?w>"):
        node = f"{iri} sh:targetNode :a ; sh:expression [ sh:exists [ sh:path :p ] ] ."
        value = (
            f":S sh:targetNode :a ; sh:property {iri} . {iri} sh:path :p ; sh:expression [ sh:exists [ sh:path :p ] ] ."
        )
        assert (len(results(node, "")), len(results(node, ":a :p :b ."))) == (1, 0)
        assert (len(results(value, ":a :p :b .")), len(results(value, ":a :p :b . :b :p :c ."))) == (1, 0)


def test_shapes_may_ask_each_other_in_a_circle() -> None:
    shapes = ":S sh:targetClass :A ; sh:node :T . :T sh:property [ sh:path :p ; sh:node :T ; sh:class :A ] ."
    assert not results(shapes, ":x a :A ; :p :y . :y a :A ; :p :x .")
    found = results(shapes, ":x a :A ; :p :y . :y a :A ; :p :z .")
    assert found == ["Violation: :x: :x does not conform to :T (:S)", "Violation: :y: :y does not conform to :T (:S)"]


def test_messages_of_core_are_copied_and_those_of_a_query_are_filled() -> None:
    core = ":S sh:targetNode :a ; sh:nodeKind sh:Literal ; sh:message '{?value} is bad' ."
    assert results(core, "") == ["Violation: :a: {?value} is bad (:S)"]
    query = "SELECT $this ?value { $this <http://e/p> ?value }"
    sparql = f":S sh:targetNode :a ; sh:sparql [ sh:select '{query}' ; sh:message '{{?value}} is bad' ] ."
    assert results(sparql, ":a :p :b .") == ["Violation: :a: http://e/b is bad (:S)"]


def test_two_solutions_are_two_results_unless_they_are_distinct() -> None:
    for distinct, count in (("", 2), ("DISTINCT ", 1)):
        query = f"SELECT {distinct}$this {{ $this <http://e/p> ?other }}"
        assert len(results(f":S sh:targetNode :a ; sh:sparql [ sh:select '{query}' ] .", ":a :p :b, :c .")) == count


def test_literals_are_read_as_they_are_written() -> None:
    shapes = ":S sh:targetObjectsOf :p ; sh:datatype <http://www.w3.org/2001/XMLSchema#byte> ; sh:minLength 2 ."
    byte = "^^<http://www.w3.org/2001/XMLSchema#byte>"
    assert not results(shapes, f':a :p "01"{byte} .')
    assert len(results(shapes, f':a :p "300"{byte}, 10 .')) == 2
    assert len(results(shapes, f':a :p "1"{byte} .')) == 1


def test_rules_of_the_shapes_graph_are_not_removed_as_rules() -> None:
    with KnowledgeGraph.open() as graph:
        graph.shapes.load(SHAPES)
        for how in ({"text": "sh-minCount"}, {"file": "shapes graph"}):
            with graph.transaction() as tx, pytest.raises(RuleError, match="go with its triples"):
                tx.remove_rules(**how)  # type: ignore[arg-type]


def test_the_command_has_a_status_for_each_answer(tmp_path: Path) -> None:
    data, shapes, store = tmp_path / "data.ttl", tmp_path / "shapes.ttl", tmp_path / "store"
    data.write_text("@prefix : <http://e/> . :tom a :Cat .", encoding="utf-8")
    shapes.write_text(SHAPES, encoding="utf-8")
    assert call("validate", data, "--shapes", shapes).exit_code == 1
    assert call("validate", shapes, "--shapes", shapes).exit_code == 0
    assert call("validate", data, "--shapes", data.with_suffix(".nt")).exit_code == 2
    assert call("validate", data).exit_code == 2
    assert call("load", "-l", store, "-f", data, "--on-violation", "refuse-all").exit_code == 0
    told = call("validate", "-l", store, "--shapes", shapes, "--format", "json")
    assert (told.exit_code, '"conforms": false' in told.stdout) == (1, True)
    refused = call("shapes", "load", "-l", store, shapes)
    assert (refused.exit_code, "the commit makes a validation result" in refused.stderr) == (1, True)
    assert call("validate", "-l", store).exit_code == 0


def test_the_command_counts_derived_triples_where_its_option_says_so(tmp_path: Path) -> None:
    data, shapes = tmp_path / "data.ttl", tmp_path / "shapes.ttl"
    domain = "<http://www.w3.org/2000/01/rdf-schema#domain>"
    data.write_text(f"@prefix : <http://e/> . :tom :owner :ann . :owner {domain} :Cat .", encoding="utf-8")
    shapes.write_text(SHAPES, encoding="utf-8")
    for mode, status in {"inferred": 1, "asserted": 0, "inferred-targets": 1}.items():
        assert call("validate", data, "--shapes", shapes, "--data", mode).exit_code == status
    assert call("validate", data, "--shapes", shapes, "--data", "inferred", "--rules", "none").exit_code == 0


def test_a_materialized_file_has_its_report_beside_it(tmp_path: Path) -> None:
    data, shapes, out = tmp_path / "data.ttl", tmp_path / "shapes.ttl", tmp_path / "out.nt"
    data.write_text("@prefix : <http://e/> . :tom a :Cat ; :owner :ann .", encoding="utf-8")
    rule = ":Owners sh:targetSubjectsOf :owner ; sh:rule [ sh:subject sh:this ; sh:predicate :name ; sh:object 5 ] ."
    shapes.write_text(SHAPES + rule, encoding="utf-8")
    done = call("materialize", data, "--shapes", shapes, "-o", out)
    assert (done.exit_code, "1 result" in done.stderr) == (0, True)
    assert "<http://e/tom> <http://e/name>" in out.read_text("utf-8")
    with KnowledgeGraph.open() as graph:
        graph.load(data)
        expected = graph.validate(shapes=shapes).to_json()
    assert json.loads(out.with_name("out.nt.report.json").read_text("utf-8")) == expected
    assert expected["results"]
    assert call("materialize", data, "--shapes", shapes, "-o", "-").exit_code == 2


def test_shapes_that_many_ways_reach_are_read_once() -> None:
    below = "".join(f":{kind}{n} sh:property :A{n + 1}, :B{n + 1} ." for kind in "AB" for n in range(60))
    shapes = "".join(f":{kind}{n} sh:path :p ." for kind in "AB" for n in range(61))
    with KnowledgeGraph.open(rules="none") as graph:
        graph.shapes.add(f":A0 sh:targetClass :C . {below}{shapes}", prefixes=NAMES)


def test_shapes_that_are_nested_too_deeply_are_refused_by_name() -> None:
    chain = "".join(f":A{n} sh:path :p ; sh:property :A{n + 1} ." for n in range(3000))
    with KnowledgeGraph.open(rules="none") as graph, pytest.raises(ShapesError, match="nested too deeply"):
        graph.shapes.add(f":A0 sh:targetClass :C . {chain} :A3000 sh:path :p .", prefixes=NAMES)
