"""Plain axioms of functional syntax are read without horned-owl, and as horned-owl reads them."""

from __future__ import annotations

from random import Random

import pytest

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.lines.functional_syntax import separate_axioms
from kgreason.rdf.owl import to_rdf_xml, translation
from tests.oracle.vocabulary import OWL, RDFS, XSD
from tests.rdf.reading import isomorphic, lines_read
from tests.tables import table
from tests.volume import many_seeds

pytest.importorskip("pyhornedowl")

HEAD = f"""Prefix(:=<http://e/>)
Prefix(go:=<http://go/>) Prefix(owl:=<{OWL}>) Prefix(rdfs:=<{RDFS}>) Prefix(xsd:=<{XSD}>)
Ontology(<http://e/o>
"""
NAMES = [":A", ":B", "go:G_0001", "<http://e/C>", "owl:Thing"]
ROLES = [":p", "<http://e/q>"]


def lines_by_horned_owl(document: str) -> bytes:
    """What horned-owl alone makes of a document."""
    return lines_read(to_rdf_xml(document.encode(), "ofn", "here", None), "rdf")


def expression(random: Random, depth: int) -> str:
    kind = random.choice(["name", "some", "all", "and", "or", "not", "max", "inverse"]) if depth else "name"
    inner = [expression(random, depth - 1) for _ in range(random.randint(2, 3))] if kind in ("and", "or") else []
    role = random.choice(ROLES)
    match kind:
        case "some":
            return f"ObjectSomeValuesFrom({role} {expression(random, depth - 1)})"
        case "all":
            return f"ObjectAllValuesFrom( {role}\n{expression(random, depth - 1)} )"
        case "and":
            return f"ObjectIntersectionOf({' '.join(inner)})"
        case "or":
            return f"ObjectUnionOf({' '.join(inner)})"
        case "not":
            return f"ObjectComplementOf({expression(random, depth - 1)})"
        case "max":
            return f"ObjectMaxCardinality(1 {role})"
        case "inverse":
            return f"ObjectSomeValuesFrom(ObjectInverseOf({role}) {expression(random, depth - 1)})"
        case _:
            return random.choice(NAMES)


def axiom(random: Random) -> str:
    one, other = expression(random, random.randint(0, 2)), expression(random, random.randint(0, 2))
    note = random.choice(["", "", 'Annotation(rdfs:comment "why (not)") '])
    return random.choice(
        [
            f"SubClassOf({note}{one} {other})",
            f"EquivalentClasses({note}{random.choice(NAMES)} {one})",
            f"DisjointClasses({random.choice(NAMES)} {one})",
            f"Declaration({random.choice(['Class', 'ObjectProperty', 'NamedIndividual'])}({random.choice(NAMES[:4])}))",
            f'AnnotationAssertion({note}rdfs:label {random.choice(NAMES)} "{random.choice(LABELS)}',
            f"AnnotationAssertion(:seeAlso {random.choice(NAMES)} {random.choice(NAMES)})",
            f"ClassAssertion({one} :i)",
            f"TransitiveObjectProperty({random.choice(ROLES)})",
            "# a comment ( with a bracket\n",
            f"SubClassOf({one}#why )\n{other} )# and = so\n",
        ]
    )


LABELS = ['plain")', 'say \\"so\\"")', 'a\\\\b")', 'hand"@en)', '1"^^xsd:integer)', 'caf\u00e9 # 1")']


@pytest.mark.parametrize("seed", many_seeds(0, 40))
def test_plain_axioms_are_read_as_the_library_reads_them(seed: int) -> None:
    random = Random(seed)
    said = [axiom(random) for _ in range(9)]
    document = HEAD + "".join(each + random.choice(["", " ", "\n"]) for each in [*said, *said[:3]]) + ")"
    assert isomorphic(lines_read(document.encode(), "ofn"), lines_by_horned_owl(document))


@table(
    ("text", "is_plain"),
    [
        ("SubClassOf(:A ObjectSomeValuesFrom(:p ObjectIntersectionOf(:B :C)))", True),
        ('AnnotationAssertion(rdfs:label :A "x")', True),
        ('AnnotationAssertion(rdfs:label :A "x"@en)', False),
        ('AnnotationAssertion(rdfs:label :A "two\nlines")', False),
        ("SubClassOf(Class(:A) :B)", False),
        ("SubClassOf(:A other:B)", False),
        ("SubClassOf(:A :B :C)", False),
        ("EquivalentClasses(:A :B :C)", False),
        ("SubClassOf(:A <relative>)", False),
        ('SubClassOf(:A "x")', False),
        ("Declaration(Datatype(:d))", False),
        ('Declaration(Class("x"))', False),
        ("SubClassOf(:A = :B)", False),
        ("SubClassOf(:-A :B)", False),
        ("SubClassOf(:A <x:>)", False),
        ("SubClassOf(:A <http://e:x/B>)", False),
        ("SubClassOf(:A <http://e/%zz>)", False),
        ("SubClassOf(:A <http://e/[B]>)", False),
        ("SubClassOf(:A <http://e/B#c#d>)", False),
    ],
)
def test_only_plain_axioms_are_taken(text: str, is_plain: bool) -> None:
    lines, rest = separate_axioms(f"{HEAD}{text})")
    assert (bool(lines), text in rest) == (is_plain, not is_plain)


@table("document", [f"{HEAD}SubClassOf(:A :B)", f"{HEAD}SubClassOf(:A :B)))", f"{HEAD}SubClassOf(:A !)", "Ontology"])
def test_a_document_that_is_not_balanced_is_left_to_the_library(document: str) -> None:
    assert separate_axioms(document) == ("", document)


@table(
    "text",
    [
        "SubClassOf(:A = :B)",
        "SubClassOf(:A :B) Import(<http://i>)",
        'SubClassOf(:A :B) Annotation(rdfs:label "x")',
        "SubClassOf(:A :B) <http://e/version>",
        "SubClassOf(:A :B) :version",
        "SubClassOf(:-A :B)",
        "SubClassOf(:A\u00a0:B)",
        "SubClassOf(:A\f:B)",
        "SubClassOf(:A <x:>)",
        '\nDeclaration(Class("x"))',
        "\nSubClassOf(<http://e/a%zz> :B)",
        "\nSubClassOf(:B <http://e/[a]>)",
    ],
)
def test_a_wrong_document_gets_the_error_of_the_library(text: str) -> None:
    document = f"{HEAD}SubClassOf(:C :D)\n{text})".encode()
    with pytest.raises(RdfSyntaxError) as expected:
        to_rdf_xml(document, "ofn", "here", None)
    with pytest.raises(RdfSyntaxError) as error:
        translation(document, "ofn", "here", None)
    assert str(error.value) == str(expected.value)
    assert f"here:{HEAD.count(chr(10)) + 2 + text.count(chr(10))}:" in str(error.value)


@table("prefix", ["Prefix(:=<http://f/>)", "Prefix(:=# why\n<http://f/>)"])
def test_a_document_whose_prefixes_are_not_simple_is_left_to_the_library(prefix: str) -> None:
    document = f"{prefix}{HEAD}SubClassOf(:A :B))"
    assert separate_axioms(document) == ("", document)


def test_an_axiom_behind_a_comment_stays() -> None:
    document = f"{HEAD}# classes\nSubClassOf(:A :B) TransitiveObjectProperty(:p)\n)"
    assert lines_read(document.encode(), "ofn").count(b"\n") == 3


@table(
    ("again", "nodes"),
    [
        ("SubClassOf(:A  ObjectSomeValuesFrom( :p\n:B ))", 1),
        ("SubClassOf(<http://e/A> ObjectSomeValuesFrom(:p <http://e/B>))", 1),
        ("SubClassOf(:A ObjectAllValuesFrom(:p :B))", 2),
        ("EquivalentClasses(:A ObjectSomeValuesFrom(:p :B))", 2),
    ],
)
def test_an_axiom_that_is_written_twice_is_one(again: str, nodes: int) -> None:
    document = f"{HEAD}SubClassOf(:A ObjectSomeValuesFrom(:p :B)) {again})"
    lines = lines_read(document.encode(), "ofn")
    assert lines.count(b"#onProperty>") == nodes
    assert isomorphic(lines, lines_by_horned_owl(document))


def test_brackets_tell_axioms_of_the_same_names_apart() -> None:
    one = "SubClassOf(:A ObjectIntersectionOf(:B ObjectUnionOf(:C :D) :E))"
    other = "SubClassOf(:A ObjectIntersectionOf(:B ObjectUnionOf(:C :D :E)))"
    document = f"{HEAD}{one}{other})"
    assert isomorphic(lines_read(document.encode(), "ofn"), lines_by_horned_owl(document))


def test_the_library_gets_little_of_a_large_ontology() -> None:
    said = "\n".join(f"SubClassOf(:C{n} ObjectSomeValuesFrom(:p :C{n + 1}))" for n in range(100))
    lines, rest = translation(f"{HEAD}{said})".encode(), "ofn", "here", None)
    assert lines.count(b"\n") == 400
    assert rest.count(b"Restriction") == 0
