"""Functional syntax and OWL/XML say the same as RDF."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from kgreason.errors import InputError, RdfSyntaxError
from tests.rdf.reading import isomorphic, lines_of_file, lines_read
from tests.tables import table

HEAD = """Prefix(:=<http://e/>)
Prefix(owl:=<http://www.w3.org/2002/07/owl#>)
Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)
Ontology(<http://e/o>
"""
FUNCTIONAL = (
    HEAD
    + """Declaration(Class(:A))
SubClassOf(:A ObjectSomeValuesFrom(:p ObjectUnionOf(:B :C)))
SubObjectPropertyOf(ObjectPropertyChain(:p :q) :r)
DataPropertyAssertion(:d :i "01"^^xsd:integer)
ClassAssertion(:A _:x)
)"""
)
TURTLE = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:o a owl:Ontology . :A a owl:Class .
:A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ;
    owl:someValuesFrom [ a owl:Class ; owl:unionOf ( :B :C ) ] ] .
:r owl:propertyChainAxiom ( :p :q ) . :i :d 01 . _:x a :A .
"""
OWL_XML = """<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://e/o">
    <Prefix name="" IRI="http://e/"/>
    <Declaration><Class IRI="http://e/A"/></Declaration>
    <SubClassOf><Class abbreviatedIRI=":A"/><ObjectSomeValuesFrom><ObjectProperty IRI="http://e/p"/>
        <ObjectUnionOf><Class IRI="http://e/B"/><Class IRI="http://e/C"/></ObjectUnionOf></ObjectSomeValuesFrom></SubClassOf>
    <SubObjectPropertyOf><ObjectPropertyChain><ObjectProperty IRI="http://e/p"/><ObjectProperty IRI="http://e/q"/>
        </ObjectPropertyChain><ObjectProperty IRI="http://e/r"/></SubObjectPropertyOf>
    <DataPropertyAssertion><DataProperty IRI="http://e/d"/><NamedIndividual IRI="http://e/i"/>
        <Literal datatypeIRI="http://www.w3.org/2001/XMLSchema#integer">01</Literal></DataPropertyAssertion>
    <ClassAssertion><Class IRI="http://e/A"/><AnonymousIndividual nodeID="_:x"/></ClassAssertion>
</Ontology>
"""
DOCUMENTS = {"ofn": FUNCTIONAL, "owx": OWL_XML}


@pytest.mark.parametrize("syntax", DOCUMENTS)
def test_the_same_ontology_in_every_syntax(tmp_path: Path, syntax: str) -> None:
    lines = lines_read(DOCUMENTS[syntax].encode(), syntax)
    assert isomorphic(lines, lines_read(TURTLE.encode(), "ttl"))
    assert lines == lines_read(DOCUMENTS[syntax].encode(), syntax)
    path = tmp_path / "ontology.owl"
    path.write_text(DOCUMENTS[syntax])
    assert isomorphic(lines_of_file(path), lines)


def test_no_pair_of_disjoint_classes_is_lost() -> None:
    lines = lines_read((HEAD + "DisjointClasses(:A :B :C :D))").encode(), "ofn").decode()
    pairs = {(line[10], line.rstrip(" .\n>")[-1]) for line in lines.splitlines() if "disjointWith" in line}
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in ["AB", "AC", "AD", "BC", "BD", "CD"]}


def test_a_prefix_may_end_in_an_underscore() -> None:
    document = re.sub(r"(?<=[ (]):", "GO_:", FUNCTIONAL)
    assert document.count("GO_:") > 10
    assert isomorphic(lines_read(document.encode(), "ofn"), lines_read(TURTLE.encode(), "ttl"))


@table(
    ("syntax", "document", "line", "problem"),
    [
        ("ofn", "Ontology(<http://e/o>\n SubClassOf(<http://e/a> ) )", 2, "expected ClassExpression"),
        *(
            (
                "ofn",
                f"Ontology(<http://e/o>\n ClassAssertion(<http://e/C>\n _:{label}))",
                3,
                f"^here:3: _:{label} is no name",
            )
            for label in ("a/b", "a.", "-x", "")
        ),
        ("owx", "<Ontology\n", 1, "not well-formed XML: unclosed token"),
        ("owx", "", 1, "not well-formed XML: no element found"),
    ],
)
def test_a_syntax_error_names_its_place(syntax: str, document: str, line: int | None, problem: str) -> None:
    with pytest.raises(RdfSyntaxError, match=problem) as caught:
        lines_read(document.encode(), syntax, "here")
    assert (caught.value.source, caught.value.line) == ("here", line)


def test_without_the_library_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyhornedowl", None)
    with pytest.raises(InputError, match=r"pip install 'kgreason\[owl\]'"):
        lines_read(FUNCTIONAL.encode(), "ofn")


@pytest.mark.filterwarnings("error")
def test_a_panic_of_the_library_is_an_error_that_names_the_document(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"^here: py-horned-owl, which reads this format, cannot read this text: "):
        lines_read(b"Ontology(<http://e/o> DLSafeRule(Body() Head()))", "ofn", "here")
    assert "panicked" in capfd.readouterr().err  # Rust says so, whatever Python does
