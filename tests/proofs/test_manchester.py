"""Class expressions and axioms in Manchester syntax."""

from __future__ import annotations

from collections.abc import Sequence

import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

from kgreason.ontology.manchester import MOST, Manchester, about_of, describing_triples
from kgreason.rules.formatter import format_term
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v

PREFIXES = {"": "http://e/", "rdfs": v.RDFS, "xsd": v.XSD, "owl": v.OWL, "rdf": v.RDF}
HEAD = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in PREFIXES.items())


def triples(text: str) -> list[Triple]:
    quads = pyoxigraph.parse((HEAD + text).encode(), format=RdfFormat.TURTLE)
    return [(str(quad.subject), str(quad.predicate), str(quad.object)) for quad in quads]


def name(term: str) -> str:
    return format_term(term, PREFIXES)


def axioms(text: str) -> list[str]:
    found = triples(text)
    return Manchester(about_of(found), name).axioms(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ]", ":A SubClassOf :p some :B"),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom [ owl:complementOf :B ] ]",
         ":A SubClassOf :p only (not :B)"),
        (":A owl:equivalentClass [ owl:intersectionOf ( :B [ owl:onProperty :p ; owl:hasValue :x ] ) ]",
         ":A EquivalentTo :B and (:p value :x)"),
        (":A owl:disjointWith [ owl:unionOf ( :B [ owl:oneOf ( :x :y ) ] ) ]", ":A DisjointWith :B or {:x, :y}"),
        (":A owl:intersectionOf ( :B :C )", ":A EquivalentTo :B and :C"),
        (":A rdfs:subClassOf [ owl:onProperty [ owl:inverseOf :p ] ; owl:minCardinality 2 ]",
         ":A SubClassOf inverse :p min 2"),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:maxQualifiedCardinality 3 ; owl:onClass :B ]",
         ":A SubClassOf :p max 3 :B"),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:hasSelf true ]", ":A SubClassOf :p Self"),
        (":n rdfs:range [ owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 3 ] ) ]",
         ":n Range xsd:integer[>= 3]"),
        ("[ owl:onProperty :p ; owl:someValuesFrom :B ] rdfs:subClassOf :A", "(:p some :B) SubClassOf :A"),
        (":p owl:propertyChainAxiom ( :q [ owl:inverseOf :r ] )", ":q o inverse :r SubPropertyOf :p"),
        (":A owl:disjointUnionOf ( :B :C )", ":A DisjointUnionOf :B, :C"),
        (":A owl:hasKey ( :p )", ":A HasKey :p"),
        (":p a owl:TransitiveProperty", "Transitive: :p"),
        (":p owl:inverseOf :q", ":p InverseOf :q"),
        (":x a :A", ":x Type :A"),
        (":x a owl:NamedIndividual", "Individual: :x"),
        (":x :p 3", ":x :p 3"),
        ("[] a owl:AllDisjointClasses ; owl:members ( :A :B )", "DisjointClasses: :A, :B"),
        ("[] a owl:AllDifferent ; owl:distinctMembers ( :x :y )", "DifferentIndividuals: :x, :y"),
        ("[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :x ; owl:assertionProperty :p ;"
         " owl:targetValue 3", "not (:x :p 3)"),
        ('[] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B ;'
         ' rdfs:comment "so"', '[:A SubClassOf :B] rdfs:comment "so"'),
    ],
)  # fmt: skip
def test_each_kind_of_axiom(text: str, expected: str) -> None:
    assert axioms(f"{text} .") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        ":A rdfs:subClassOf _:b . _:b owl:onProperty :p .",
        ":A rdfs:subClassOf _:b . _:b owl:someValuesFrom :B .",
        ":A rdfs:subClassOf _:b . _:b owl:onProperty :p , :q ; owl:someValuesFrom :B .",
        ":A rdfs:subClassOf _:b . _:b owl:onProperty :p ; owl:someValuesFrom :B ; owl:allValuesFrom :C .",
        ":A rdfs:subClassOf _:b . _:b owl:unionOf ( :B ) ; owl:intersectionOf ( :C ) .",
        ":A rdfs:subClassOf _:b . _:b owl:unionOf _:c . _:c rdf:first :B .",
        ":A rdfs:subClassOf _:b . _:b owl:unionOf _:c . _:c rdf:first :B ; rdf:rest _:c .",
        ":A rdfs:subClassOf _:b . _:b owl:unionOf _:c . _:c rdf:first :B , :C ; rdf:rest rdf:nil .",
    ],
)
def test_a_node_that_says_no_expression_keeps_its_triples(text: str) -> None:
    """Nothing is guessed and nothing is lost: each triple of the node is shown."""
    found = axioms(text)
    assert len(found) == len(triples(text))
    assert any(line.startswith(":A SubClassOf _:") for line in found)


def test_nodes_that_contain_themselves_end() -> None:
    found = axioms(":A rdfs:subClassOf _:b . _:b owl:complementOf _:c . _:c owl:complementOf _:b .")
    assert len(found) == 3
    assert re_blank(found[0]) == ":A SubClassOf not (not _:)"


def re_blank(line: str) -> str:
    head, mark, rest = line.partition("_:")
    return head + mark + rest.lstrip("0123456789abcdefghijklmnopqrstuvwxyz")


def nest(depth: int) -> list[Triple]:
    """A restriction with as many others inside."""
    nodes = [(f"_:n{i}", f"_:n{i + 1}") for i in range(depth)]
    return [
        triple
        for node, inner in nodes
        for triple in ((node, v.OWL_ON_PROPERTY, "<http://e/p>"), (node, v.OWL_SOME_VALUES_FROM, inner))
    ]


def test_expressions_of_an_attacker_stay_short() -> None:
    deep = nest(100_000)
    text = Manchester(about_of(deep), name).expression("_:n0") or ""
    assert text.startswith(":p some (:p some (")
    assert len(text) < 1_000
    assert len(describing_triples(["_:n0"], about_of(deep))) <= 10 * MOST
    twice = [(f"_:n{i}", v.OWL_UNION_OF, f"_:l{i}") for i in range(60)]
    twice += [(f"_:l{i}", v.RDF_FIRST, f"_:n{i + 1}") for i in range(60)]
    twice += [(f"_:l{i}", v.RDF_REST, f"_:m{i}") for i in range(60)]
    twice += [(f"_:m{i}", v.RDF_FIRST, f"_:n{i + 1}") for i in range(60)]
    twice += [(f"_:m{i}", v.RDF_REST, v.RDF_NIL) for i in range(60)]
    assert len(Manchester(about_of(twice), name).expression("_:n0") or "") < 20 * MOST
    cells = [(f"_:c{i}", v.RDF_FIRST, f"<http://e/{i}>") for i in range(9_999)]
    cells += [(f"_:c{i}", v.RDF_REST, f"_:c{i + 1}") for i in range(9_998)] + [("_:c9998", v.RDF_REST, v.RDF_NIL)]
    long = Manchester(about_of([("_:n", v.OWL_ONE_OF, "_:c0"), *cells]), name).expression("_:n") or ""
    assert long.endswith(", ...}")
    assert long.count(",") == MOST


@pytest.mark.parametrize("last", [v.OWL_ONE_OF, v.OWL_UNION_OF])
def test_expressions_without_a_name_cannot_multiply(last: str) -> None:
    """Each level has the next one three times, and the last has no member: 3 to the power of 18 without a bound."""
    said: dict[str, list[tuple[str, str]]] = {}
    for level in range(18):
        said[f"_:n{level}"] = [(v.OWL_UNION_OF, f"_:a{level}")]
        for cell, rest in zip("abc", (f"_:b{level}", f"_:c{level}", v.RDF_NIL), strict=True):
            said[f"_:{cell}{level}"] = [(v.RDF_FIRST, f"_:n{level + 1}"), (v.RDF_REST, rest)]
    said["_:n18"] = [(last, v.RDF_NIL)]
    asked = 0

    def about(node: str) -> list[tuple[str, str]]:
        nonlocal asked
        asked += 1
        assert asked < 20 * MOST
        return said[node]

    assert "..." in (Manchester(about, name).expression("_:n0") or "")


@pytest.mark.parametrize(
    "kind",
    [
        ":A rdfs:subClassOf _:b . _:b owl:complementOf :B ",
        ":A rdfs:subClassOf _:b . _:b owl:complementOf :B , :C ",
        "_:b a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B",
    ],
)
def test_many_statements_about_one_blank_node_are_read_once(kind: str) -> None:
    found = triples(f"{kind} ; rdfs:comment {', '.join(map(repr, map(str, range(100))))} .")
    about, asked, named = about_of(found), list[str](), list[str]()

    def counted(node: str) -> Sequence[tuple[str, str]]:
        asked.append(node)
        return about(node)

    def noted(term: str) -> str:
        named.append(term)
        return name(term)

    assert Manchester(counted, noted).axioms(found)
    assert len(asked) < 5
    assert len(named) < 10 * len(found)
