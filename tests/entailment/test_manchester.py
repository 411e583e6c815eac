"""`turtle` reads class expressions as the OWL 2 Manchester Syntax has them."""

from __future__ import annotations

import pytest
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, parse

from kgreason.entailment.dl_query.manchester import turtle
from kgreason.errors import InputError
from kgreason.terms import vocabulary as v
from tests.tables import table

PREFIXES = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . """
RESTRICTION = "[ a owl:Restriction ; owl:onProperty :p ; {} ]"
COUNT = "[ a owl:Restriction ; owl:onProperty :p ; owl:{} '2'^^xsd:nonNegativeInteger {} ]"
SAME = {
    "A": ":A",
    "( ( A ) )": ":A",
    "not A": "[ a owl:Class ; owl:complementOf :A ]",
    "A and B and C": "[ a owl:Class ; owl:intersectionOf ( :A :B :C ) ]",
    "A that p some B": f"[ a owl:Class ; owl:intersectionOf ( :A {RESTRICTION.format('owl:someValuesFrom :B')} ) ]",
    "A or B and not C": "[ a owl:Class ; owl:unionOf ( :A [ a owl:Class ; owl:intersectionOf ( :B"
    " [ a owl:Class ; owl:complementOf :C ] ) ] ) ]",
    "p some B": RESTRICTION.format("owl:someValuesFrom :B"),
    "p some B and C": f"[ a owl:Class ; owl:intersectionOf ( {RESTRICTION.format('owl:someValuesFrom :B')} :C ) ]",
    "p some (B and C)": RESTRICTION.format("owl:someValuesFrom [ a owl:Class ; owl:intersectionOf ( :B :C ) ]"),
    "p only not B": RESTRICTION.format("owl:allValuesFrom [ a owl:Class ; owl:complementOf :B ]"),
    "p value x": RESTRICTION.format("owl:hasValue :x"),
    "p value 7": RESTRICTION.format("owl:hasValue 7"),
    "p value -7.5": RESTRICTION.format("owl:hasValue -7.5"),
    "p value 1.5e3f": RESTRICTION.format("owl:hasValue '1.5e3'^^xsd:float"),
    'p value "a \\"b\\"\nc"@en-GB': RESTRICTION.format("owl:hasValue '''a \"b\"\nc'''@en-GB"),
    'p value "7"^^<http://www.w3.org/2001/XMLSchema#byte>': RESTRICTION.format("owl:hasValue '7'^^xsd:byte"),
    "p Self": RESTRICTION.format("owl:hasSelf true"),
    "p min 2": COUNT.format("minCardinality", ""),
    "p max 2 B": COUNT.format("maxQualifiedCardinality", "; owl:onClass :B"),
    "p exactly 2": COUNT.format("cardinality", ""),
    "p exactly 2 (B or C)": COUNT.format(
        "qualifiedCardinality", "; owl:onClass [ a owl:Class ; owl:unionOf ( :B :C ) ]"
    ),
    "p min 2 <http://www.w3.org/2001/XMLSchema#int>": COUNT.format(
        "minQualifiedCardinality", "; owl:onDataRange xsd:int"
    ),
    "{x, y}": "[ a owl:Class ; owl:oneOf ( :x :y ) ]",
    "p some {1, 2}": RESTRICTION.format("owl:someValuesFrom [ a rdfs:Datatype ; owl:oneOf ( 1 2 ) ]"),
    "inverse p some B": RESTRICTION.replace(":p", "[ owl:inverseOf :p ]").format("owl:someValuesFrom :B"),
    "inverse (p) some B": RESTRICTION.replace(":p", "[ owl:inverseOf :p ]").format("owl:someValuesFrom :B"),
    "someThing some onlyThis": RESTRICTION.replace(":p", ":someThing").format("owl:someValuesFrom :onlyThis"),
    "GO_1 and 2_cells": "[ a owl:Class ; owl:intersectionOf ( :GO_1 <http://e/2_cells> ) ]",
    "'p' some 'left'": RESTRICTION.replace(":p", "<http://e/'p'>").format("owl:someValuesFrom <http://e/'left'>"),
}


def iri(name: str) -> str:
    return name[1:-1] if name.startswith("<") else f"http://e/{name}"


def graph(node: str) -> set[Quad]:
    found = Dataset(parse(f"{PREFIXES} :asked owl:equivalentClass {node} .", RdfFormat.TURTLE))
    found.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return set(found)


@table(("expression", "expected"), [*SAME.items()])
def test_an_expression_is_its_triples(expression: str, expected: str) -> None:
    assert graph(turtle(expression, iri)) == graph(expected)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it ends too early"),
        ("p some", "it ends too early"),
        ("(A", "it ends too early"),
        ("A B", r"B is not expected \(character 3\)"),
        ("A and or B", r"or B is not expected \(character 7\)"),
        ("p some <http://www.w3.org/2001/XMLSchema#int>[> 5]", "facets of datatypes are not read"),
        ("p min A", "A is not expected"),
        ("p min -1 A", "-1: a cardinality is not negative"),
        ("{x, 1}", "individuals and literals"),
        ("{1, 2}", "not a class"),
        ("not {1}", "`and`, `or` and `not` of datatypes and literals are not read"),
        ('p value "a"@abcdefghijk', '"a": this is not a literal: '),
        (f'p value "a"^^<{v.RDF}langString>', "a literal of this datatype has a language"),
        (f'p value "a"^^<{v.RDF}dirLangString>', "a literal of this datatype has a language"),
        ("A" * 100 + " some", "A{57}..."),
    ],
)
def test_a_text_that_is_no_expression_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        turtle(text, iri)


def test_depth_is_no_limit() -> None:
    deep = "p some (" * 400 + "A" + ")" * 400
    assert turtle(deep, iri).count("someValuesFrom") == 400
