"""Restrictions that say the same: of named classes and of individuals follows what all rules of the tables say."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.options import SchemaMode
from tests.graph.named import LOUD as OF_THE_GROUP
from tests.graph.named import is_coherent, named
from tests.graph.states import in_default, materialize, new_materializer, rows_of, triples_of
from tests.oracle import owl2rl
from tests.oracle.graph import Triple
from tests.oracle.vocabulary import CLASS, ON_PROPERTY, OWL, RDFS, SAME_AS, SOME_VALUES_FROM, SUB_CLASS_OF, TYPE
from tests.strategies.twins import twin_ontologies
from tests.volume import many

MODES: tuple[SchemaMode, SchemaMode] = ("axioms", "data")
LOUD = "owl2rl+scm-reflexive"


def compare(materializer: Materializer, graph: set[Triple]) -> None:
    """Of named things follows what all rules say; of others, nothing that they do not say."""
    found, loud = triples_of(materializer), triples_of(materialize(graph, LOUD, "data"))
    assert found <= loud
    assume(is_coherent(loud))
    assert named(found, loud) == named(loud, loud)


def check_edits(data: st.DataObject, graph: set[Triple], schema: SchemaMode) -> None:
    """Triples come and go at random; in the end, and after what is undone, the graph is the one of those left."""
    materializer, held = new_materializer(schema=schema), set[Triple]()
    some = st.sets(st.sampled_from(sorted(graph)))
    for _ in range(data.draw(st.integers(1, 4))):
        removed, added = data.draw(some) & held, data.draw(some) - held
        materializer.change(Edit(rows_of(materializer, in_default(removed)), rows_of(materializer, in_default(added))))
        if data.draw(st.integers(0, 4)) == 0:
            materializer.rollback()
            continue
        materializer.accept()
        held = held - removed | added
        scratch = materialize(held, schema=schema)
        assert triples_of(materializer) == triples_of(scratch)
        assert materializer.rules == scratch.rules
    compare(materializer, held)


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=many(30))
@given(graph=twin_ontologies())
def test_named_things_are_told_what_all_rules_say(schema: SchemaMode, graph: set[Triple]) -> None:
    compare(materialize(graph, schema=schema), graph)


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=many(30))
@given(data=st.data(), graph=twin_ontologies())
def test_edits_end_where_loading_does(schema: SchemaMode, data: st.DataObject, graph: set[Triple]) -> None:
    check_edits(data, graph, schema)


@settings(max_examples=7)
@given(graph=twin_ontologies())
def test_the_tables_by_the_book_say_the_same(graph: set[Triple]) -> None:
    loud, _ = owl2rl.close(graph, noise=OF_THE_GROUP)
    assume(is_coherent(loud))
    assert named(triples_of(materialize(graph)), loud) == named(loud, loud)


PREFIXES = f"@prefix : <http://e/> . @prefix rdfs: <{RDFS}> . @prefix owl: <{OWL}> ."
ONTOLOGY = f"""{PREFIXES} :C a owl:Class . :p a owl:ObjectProperty . :x a :A .
:A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :C ] .
[ owl:onProperty :p ; owl:someValuesFrom :C ] rdfs:subClassOf :B .
:D owl:equivalentClass [ owl:intersectionOf ( :A [ owl:onProperty :p ; owl:someValuesFrom :C ] ) ] ."""


@pytest.mark.parametrize("schema", MODES)
def test_a_subsumption_through_twins_has_a_proof_down_to_what_was_loaded(schema: SchemaMode) -> None:
    with KnowledgeGraph.open(schema=schema) as graph:
        with graph.transaction() as tx:
            tx.add(ONTOLOGY)
        proof = graph.explain(("<http://e/A>", SUB_CLASS_OF, "<http://e/B>"))
        leaves = {step.fact.terms for step in proof.steps() if step.rule is None}
        assert {(p, o) for _, p, o in leaves} >= {(ON_PROPERTY, "<http://e/p>"), (SOME_VALUES_FROM, "<http://e/C>")}
        assert len({s for s, p, _ in leaves if p == ON_PROPERTY}) == 2
        assert all(step.fact.relation is None for step in proof.steps())
        for name in "BD":
            assert not graph.explain(("<http://e/x>", TYPE, f"<http://e/{name}>")).is_asserted


def test_classes_that_are_the_same_are_below_each_other() -> None:
    graph = {(s, TYPE, CLASS) for s in ("<http://e/A>", "<http://e/B>")} | {("<http://e/A>", SAME_AS, "<http://e/B>")}
    assert ("<http://e/A>", SUB_CLASS_OF, "<http://e/B>") in triples_of(materialize(graph))
