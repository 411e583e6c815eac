"""Readings: what they depend on, and what an edit touches."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from kgreason.ontology.change import Change
from kgreason.ontology.read.schema import SCHEMA_CLASSES, SCHEMA_PREDICATES, Schema, is_schema
from kgreason.ontology.read.schema_axioms import LiveReadings, collect, read_node
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Triple
from kgreason.terms.vocabulary import RDF_TYPE, VOCABULARY
from tests.strategies.axioms import axioms

from .reading import turtle

UNION = turtle(":N owl:unionOf _:l . _:l rdf:first :A ; rdf:rest _:m . _:m rdf:first :B ; rdf:rest rdf:nil .")


def test_a_reading_knows_its_cells() -> None:
    (reading,) = collect(Schema(UNION))
    assert reading.node == "<http://e/N>"
    assert reading.reads == {"<http://e/N>", "_:l", "_:m"}
    (axiom,) = reading.axioms
    assert set(axiom.sources) == UNION


def readings(schema: Iterable[Triple]) -> LiveReadings:
    found = LiveReadings(UndoLog())
    found.change(Change((), tuple(schema)))
    return found


def test_an_edit_of_a_cell_touches_the_axiom() -> None:
    found = readings(UNION)
    assert found.readers_of({"_:m"}) == {"_:m", "<http://e/N>"}
    assert found.readers_of({"<http://e/K>"}) == {"<http://e/K>"}


def test_a_broken_axiom_waits_for_its_repair() -> None:
    found = readings(turtle(":N owl:unionOf _:l . _:l rdf:first :A ; rdf:rest _:m ."))
    assert "<http://e/N>" in found.readers_of({"_:m"})


def test_axioms_of_a_node_are_in_the_order_of_their_sources() -> None:
    text = ":N owl:unionOf _:l , _:m ; rdfs:subClassOf :B , :A ; a owl:TransitiveProperty ; owl:hasValue 1 . "
    (reading, *_) = collect(Schema(UNION | turtle(text + ":N owl:onProperty :p .")))
    sources = [axiom.sources for axiom in reading.axioms]
    assert sources == sorted(set(sources))
    assert len(sources) == 6


pieces = st.lists(axioms().map(lambda axiom: frozenset(axiom.triples)), max_size=4).map(
    lambda triples: frozenset[Triple]().union(*triples)
)


@given(pieces, pieces, st.randoms(use_true_random=False))
def test_only_touched_nodes_read_differently(
    before: frozenset[Triple], more: frozenset[Triple], random: object
) -> None:
    """Any edit, half-way through an axiom too."""
    pool = sorted(before | more)
    after = set(random.sample(pool, len(pool) // 2))  # type: ignore[attr-defined]
    old, new = Schema(before), Schema(after)
    nodes = readings(before).readers_of({subject for subject, _, _ in before ^ after})
    for node in {*old.subjects(), *new.subjects()} - nodes:
        assert read_node(old, node) == read_node(new, node)


@given(pieces)
def test_sources_are_schema_triples(graph: frozenset[Triple]) -> None:
    for reading in collect(Schema(graph)):
        for axiom in reading.axioms:
            assert set(axiom.sources) <= graph
            assert all(map(is_schema, axiom.sources))
            assert {subject for subject, _, _ in axiom.sources} <= reading.reads


def test_what_is_schema() -> None:
    assert all(map(is_schema, UNION))
    assert is_schema(("_:x", RDF_TYPE, min(SCHEMA_CLASSES)))
    assert not any(map(is_schema, turtle(":i a :C , owl:Restriction ; owl:sameAs :j ; rdfs:label 'i' .")))
    assert set(VOCABULARY) >= SCHEMA_CLASSES | SCHEMA_PREDICATES
