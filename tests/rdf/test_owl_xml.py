"""OWL/XML says the same as functional syntax, however its XML is written; an error says what is missing, and where."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kgreason.errors import RdfSyntaxError
from tests.rdf.owl_documents import Ontology
from tests.rdf.reading import isomorphic, lines_of_file, lines_read
from tests.tables import table
from tests.volume import many_seeds

pytest.importorskip("pyhornedowl")

HEAD = '<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://e/o">\n'
BASE = "file:///folder/a.owx"


def _read(inside: str, head: str = HEAD) -> str:
    return lines_read(f"{head}{inside}\n</Ontology>".encode(), "owx", "a.owx", BASE).decode()


def _value(literal: str) -> str:
    """What the literal of an assertion says."""
    inside = f'<DataProperty IRI="http://e/d"/><NamedIndividual IRI="http://e/i"/>{literal}'
    (line,) = [
        line for line in _read(f"<DataPropertyAssertion>{inside}</DataPropertyAssertion>").splitlines() if "/d>" in line
    ]
    return line.removeprefix("<http://e/i> <http://e/d> ").removesuffix(" .")


@pytest.mark.parametrize("seed", many_seeds(0, 12))
def test_random_ontologies_are_the_same_in_both_syntaxes(seed: int) -> None:
    ontology = Ontology(Random(seed))
    document, functional = ontology.owl_xml(), ontology.functional()
    assert isomorphic(lines_read(document, "owx", base=BASE), lines_read(functional, "ofn", base=BASE)), document


@table(
    ("literal", "value"),
    [
        ("<Literal/>", '""'),
        ("<Literal></Literal>", '""'),
        ('<Literal xml:lang="en"/>', '""@en'),
        ('<Literal xml:lang="">x</Literal>', '"x"'),
        ("<Literal> a<!-- c -->b<?pi?><![CDATA[<]]>&amp;&#233; </Literal>", '" ab<&\u00e9 "'),
        ('<Literal datatypeIRI="#t">x</Literal>', '"x"^^<http://e/o#t>'),
    ],
)
def test_literals(literal: str, value: str) -> None:
    assert _value(literal) == value


@table(
    ("attributes", "used", "iri"),
    [
        ('ontologyIRI="http://e/o"', 'IRI="#A"', "http://e/o#A"),
        ('ontologyIRI="http://e/o"', 'IRI="A"', "http://e/A"),
        ('ontologyIRI="http://e/o" xml:base="http://b/c/d"', 'IRI="A"', "http://b/c/A"),
        ('ontologyIRI="o" xml:base="http://b/c/d"', 'IRI="#A"', "http://b/c/d#A"),
        ("", 'IRI="#A"', f"{BASE}#A"),
        ("", 'IRI="A" xml:base="urn:x:"', "urn:A"),
        ("", 'abbreviatedIRI="q:A"', "http://q/A"),
        ("", 'abbreviatedIRI="owl:A"', "http://www.w3.org/2002/07/owl#A"),
    ],
)
def test_the_base_of_relative_iris(attributes: str, used: str, iri: str) -> None:
    head = f'<Ontology xmlns="http://www.w3.org/2002/07/owl#" {attributes}><Prefix name="q" IRI="http://q/"/>\n'
    assert f"<{iri}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>" in _read(
        f"<Declaration><Class {used}/></Declaration>", head
    )


def test_relative_iris_in_texts_are_resolved() -> None:
    inside = (
        '<Import>other</Import><AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:seeAlso"/>'
        "<IRI>#A</IRI><AbbreviatedIRI>xsd:int</AbbreviatedIRI></AnnotationAssertion>"
    )
    read = _read(inside)
    assert "<http://www.w3.org/2002/07/owl#imports> <http://e/other> ." in read
    assert (
        "<http://e/o#A> <http://www.w3.org/2000/01/rdf-schema#seeAlso> <http://www.w3.org/2001/XMLSchema#int> ." in read
    )


@table(
    ("inside", "line", "problem"),
    [
        (
            '<ClassAssertion><Class IRI="http://e/A"/></ClassAssertion>',
            3,
            "ClassAssertion must have a class expression and an individual; this one has a class expression$",
        ),
        (
            '\n<SubClassOf>\n<Class IRI="a"/></SubClassOf>\n',
            4,
            "SubClassOf must have a class expression and a class exp",
        ),
        (
            '<EquivalentClasses><Class IRI="a"/></EquivalentClasses>',
            3,
            "a class expression, or several; this one has a",
        ),
        ("\n<Declaration/>", 4, "Declaration must have a class expression or a data range or .*; this one has nothing"),
        ("<DLSafeRule><Body/><Head/></DLSafeRule>", 3, "Body must have an atom, or several; this one has nothing"),
        ('<Declaration><Class IRI="a"><Class IRI="b"/></Class></Declaration>', 3, "Class must have nothing in it"),
        ("\n<Foo/>", 4, "Foo is no element of OWL/XML"),
        ('<x xmlns="http://e/"/>', 3, "x is no element of OWL/XML"),
        ("<Declaration>\n<Class/></Declaration>", 4, "Class has no attribute IRI"),
        (
            '<Declaration>\n<Class abbreviatedIRI="x:A"/></Declaration>',
            4,
            "the prefix x: is not declared; write <Prefix",
        ),
        ('<Declaration>\n<Class IRI="a b"/></Declaration>', 4, "the IRI 'a b' has a character that no IRI can have"),
        ('<Declaration>\n<Class IRI="http://[/"/></Declaration>', 4, "is invalid, or relative and without a base"),
        ("\n<Import/>", 4, "Import is empty"),
        ("<Import><!-- c --> </Import>", 3, "Import is empty"),
        ("<Literal>a<Literal/></Literal>", 3, "Literal is inside Literal, which can have text only"),
        ("\ntext", 4, "the text 'text' is not in a literal or an IRI"),
        ('<Declaration><Class IRI="&x;"/></Declaration>', 3, "the entity &x; is not declared"),
        ('<Declaration><Class IRI="a"/>', 4, "not well-formed XML: mismatched tag"),
        *(
            (
                f'<SubClassOf><Class IRI="a"/>\n<ObjectMinCardinality cardinality="{number}"/></SubClassOf>',
                4,
                f"the cardinality '{number}' is no number",
            )
            for number in ("-1", "\u0663", "99999999999999")
        ),
        (
            '<DataPropertyAssertion><DataProperty\nIRI="http://e/1"/><NamedIndividual IRI="i"/><Literal/>'
            "</DataPropertyAssertion>",
            4,
            "the IRI http://e/1 of a property or class does not end in a name, as RDF/XML needs it",
        ),
        *(
            (
                f'<ClassAssertion><Class IRI="#C"/>\n<AnonymousIndividual nodeID="{label}"/></ClassAssertion>',
                4,
                f"_:{label.removeprefix('_:')} is no name of an anonymous individual",
            )
            for label in ("a/b", "_:-x", "_:a.", "", "_:")
        ),
        ("<SubClassOf>" + "<ObjectComplementOf>" * 20_000, 3, "elements are nested deeper than 250"),
    ],
)
def test_an_error_names_its_line_and_what_is_wrong(inside: str, line: int, problem: str) -> None:
    with pytest.raises(RdfSyntaxError, match=problem) as caught:
        _read(inside)
    assert (caught.value.source, caught.value.line) == ("a.owx", line)


@pytest.mark.parametrize("syntax", ["owx", "ofn"])
def test_anonymous_individuals_in_a_circle(syntax: str) -> None:
    """horned-owl's writer of RDF/XML never ends with these, if they are anonymous for it."""
    if syntax == "owx":
        each = "<ObjectPropertyAssertion><ObjectProperty IRI='http://e/p'/>{}{}</ObjectPropertyAssertion>"
        x, y = "<AnonymousIndividual nodeID='x'/>", "<AnonymousIndividual nodeID='_:y'/>"
        comment = f"<AnnotationAssertion><AnnotationProperty IRI='http://e/a'/>{x}<Literal>_:no</Literal></AnnotationAssertion>"
        document = f"{HEAD}{each.format(x, y)}{each.format(y, x)}{comment}</Ontology>"
    else:
        document = (
            "Ontology(<http://e/o> # not _:this\n ObjectPropertyAssertion(<http://e/p> _:x _:y)"
            'ObjectPropertyAssertion(<http://e/p> _:y _:x) AnnotationAssertion(<http://e/a> _:x "_:no"))'
        )
    expected = '_:x <http://e/p> _:y . _:y <http://e/p> _:x . _:x <http://e/a> "_:no" . <http://e/o> a <x:O> .'
    expected = expected.replace(
        " a <x:O>", " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Ontology>"
    )
    assert isomorphic(lines_read(document.encode(), syntax), lines_read(expected.replace(" . ", " .\n").encode(), "nt"))


def test_cases_that_were_read_wrongly(shared_cases: Path) -> None:
    assert b'<http://e/i> <http://e/d> "" .' in lines_of_file(shared_cases / "10-owlxml-empty-literal-hangs" / "a.owx")
    with pytest.raises(RdfSyntaxError, match=r"a\.owx:3: ClassAssertion must have .* and an individual"):
        lines_of_file(shared_cases / "12-owlxml-messages" / "a.owx")
