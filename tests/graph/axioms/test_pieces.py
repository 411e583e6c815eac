"""Data piece by piece: the closure and the asserted flags do not depend on how it was cut, nor on the order."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kgreason.materialize.materializer import Materializer
from kgreason.options import SchemaMode
from kgreason.proofs.contradictions import contradictions
from tests.graph.axioms.test_closure import MODES, compare, firsts, sample_graphs, without_datatypes
from tests.graph.named import LOUD
from tests.graph.states import add, checks_that_failed, materialize, new_materializer, quads_of, triples_of
from tests.oracle import owl2rl
from tests.oracle.notation import triples
from tests.strategies.ontologies import Quad, datasets, union
from tests.volume import many


@st.composite
def histories(draw: DrawFn) -> list[list[Quad]]:
    """A dataset in two to four pieces, in any order; axioms and lists are cut anywhere."""
    quads = draw(datasets(max_axioms=10))
    cuts = sorted(draw(st.lists(st.integers(0, len(quads)), min_size=1, max_size=3)))
    return [quads[low:high] for low, high in zip([0, *cuts], [*cuts, len(quads)], strict=True)]


def compare_pieces(pieces: list[list[Quad]], rules: str, schema: SchemaMode) -> None:
    """Facts and asserted flags do not depend on the pieces, nor do contradictions, equal terms aside."""
    quads = [quad for piece in pieces for quad in piece]
    grown, whole = new_materializer(rules, schema), new_materializer(rules, schema)
    for piece in pieces:
        add(grown, piece)
    add(whole, quads)
    assert without_datatypes(triples_of(grown)) == without_datatypes(triples_of(whole))
    assert triples_of(grown, asserted=True) == union(quads)
    assert quads_of(grown) == quads_of(whole) == set(quads)
    assert checks_that_failed(whole) <= checks_that_failed(grown) <= checks_of_the_tables(quads)
    if grown.rules == whole.rules:
        assert contradictions_of(grown) == contradictions_of(whole)


def contradictions_of(materializer: Materializer) -> set[tuple[str, ...]]:
    """The contradictions, of the first of equal terms."""
    first = firsts(triples_of(materializer))
    found = contradictions(materializer.save(), materializer.dictionary, materializer.false_rules)
    return {(each.rule, *(first.get(name, name) for name in each.terms)) for each in found}


def checks_of_the_tables(quads: list[Quad]) -> set[str]:
    """Those of all rules: restrictions that say the same are compared by what scm-cls says of them, too."""
    return {each.rule for each in owl2rl.close(union(quads), noise=LOUD)[1]}


def default_quads(text: str) -> list[Quad]:
    """The triples of the notation, all of the default graph."""
    return [(s, p, o, None) for s, p, o in sorted(triples(text))]


@pytest.mark.parametrize("rules", ["rdfs", "rhodf"])
@settings(max_examples=10)
@given(pieces=histories())
def test_pieces_are_the_whole_under_rdfs(rules: str, pieces: list[list[Quad]]) -> None:
    compare_pieces(pieces, rules, "axioms")


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=many(50))
@given(pieces=histories())
def test_pieces_are_the_whole(schema: SchemaMode, pieces: list[list[Quad]]) -> None:
    compare_pieces(pieces, "owl2rl", schema)


PIECES = {
    "axioms after data": ["i rdf:type A . i p j", "A rdfs:subClassOf B . p rdfs:domain C", "C rdfs:subClassOf A"],
    "an axiom that makes shortcuts": [
        "A rdfs:subClassOf C . i rdf:type A",
        "A rdfs:subClassOf B . B rdfs:subClassOf C",
    ],
    "equal classes after their axioms": ["A rdfs:subClassOf B . i rdf:type C", "A owl:sameAs C"],
    "equal classes before their axioms": ["A owl:sameAs C . i rdf:type C", "A rdfs:subClassOf B"],
    "equal properties before one is transitive": [
        "p owl:sameAs q . i q j . j q k",
        "p rdf:type owl:TransitiveProperty",
    ],
    "equal properties before a characteristic of neither name": [
        "p owl:sameAs q . i p j",
        "r rdfs:subPropertyOf q",
        "i r k . p rdf:type owl:SymmetricProperty",
    ],
    "equality that is inferred before the axioms": [
        "f rdf:type owl:FunctionalProperty . i f A . i f B",
        "A rdfs:subClassOf C . j rdf:type B",
    ],
    "equality that is inferred after the axioms": [
        "f rdf:type owl:FunctionalProperty . A rdfs:subClassOf C . j rdf:type B . i f A",
        "i f B",
    ],
    "a schema triple that is inferred, then its consequence": [
        "Kind rdfs:subClassOf owl:TransitiveProperty . p rdf:type Kind",
        "i p j . j p k",
    ],
    "what makes an inferred axiom arrives last": [
        "i p j . j p k . p rdf:type Kind",
        "Kind rdfs:subClassOf owl:TransitiveProperty",
    ],
    "an inferred axiom that is asserted later": [
        "p rdfs:subPropertyOf rdfs:subClassOf . A p B",
        "A rdfs:subClassOf B . i rdf:type A",
        "B rdfs:subClassOf C",
    ],
    "a list that is completed": ["A owl:unionOf _:l . _:l rdf:first B . i rdf:type B", "_:l rdf:rest rdf:nil"],
    "a list that is given before its axiom": ["LIST _:l p q . i p j . j q k", "r owl:propertyChainAxiom _:l"],
    "a long list, cut in two": [
        "A owl:intersectionOf _:a . _:a rdf:first B . _:a rdf:rest _:b . _:b rdf:first C . _:b rdf:rest _:c",
        "i rdf:type B . i rdf:type C . i rdf:type D",
        "_:c rdf:first D . _:c rdf:rest rdf:nil",
    ],
    "equality joins two halves of a restriction": [
        "r owl:sameAs s",
        "r owl:someValuesFrom B . s owl:onProperty p . i p j . j rdf:type B",
    ],
    "inferred equality joins two halves of a restriction": [
        "f rdf:type owl:FunctionalProperty . k f r . k f s",
        "r owl:someValuesFrom B . s owl:onProperty p . i p j . j rdf:type B",
    ],
    "equality joins two halves of a list": [
        "_:m owl:sameAs _:n",
        "A owl:unionOf _:l . _:l rdf:first B . _:l rdf:rest _:m . LIST _:n C . i rdf:type C",
    ],
    "another name for a keyword": ["below owl:sameAs rdfs:subClassOf", "A below B . i rdf:type A"],
    "the equality of list items": ["A owl:oneOf _:l . LIST _:l i", "i owl:sameAs j", "j p k"],
    "a limit that is the same as an individual": [
        'A rdfs:subClassOf _:r . _:r owl:onProperty p . _:r owl:maxCardinality "1"^^xsd:nonNegativeInteger',
        'i rdf:type A . i p "1"^^xsd:integer . i p j . i p k',
    ],
    "a limit below all classes": [
        "r rdfs:subClassOf c . c rdf:type owl:Class . i rdf:type r . i p j . j rdf:type r . A owl:hasKey _:k",
        "LIST _:k p",
        'i rdf:type A . j rdf:type A . i p k . j p k . r owl:maxQualifiedCardinality "0"^^xsd:nonNegativeInteger'
        " . r owl:onClass owl:Thing . r owl:onProperty p",
    ],
    "an asserted triple that was inferred": ["A rdfs:subClassOf B . i rdf:type A", "i rdf:type B", "i rdf:type B"],
    "contradictions": ["A owl:disjointWith B . i rdf:type A", "C rdfs:subClassOf B . i rdf:type C", "j rdf:type Z"],
}


@pytest.mark.parametrize(("name", "schema"), [*product(PIECES, MODES)])
def test_pieces_in_either_order(name: str, schema: SchemaMode) -> None:
    pieces = [default_quads(text) for text in PIECES[name]]
    compare_pieces(pieces, "owl2rl", schema)
    compare_pieces(pieces[::-1], "owl2rl", schema)
    compare({triple for piece in pieces for triple in union(piece)}, schema)


@pytest.mark.parametrize("schema", MODES)
def test_adding_everything_again_changes_nothing(schema: SchemaMode) -> None:
    for graph in sample_graphs()[::20]:
        materializer = materialize(graph, schema=schema)
        before = triples_of(materializer)
        change = add(materializer, [(*triple, None) for triple in graph])
        assert [len(rows) for rows in (change.rows, change.removed_quads, change.added_quads)] == [0, 0, 0]
        assert triples_of(materializer) == before
