"""owlrl and pySHACL over the store, which make generalised triples; and copies, which a store cannot have."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import DroppedWarning

rdflib = pytest.importorskip("rdflib", reason="the extra rdflib is not installed")

from rdflib import OWL, RDF, RDFS, XSD, Dataset, Graph, Literal, Namespace  # noqa: E402

from kgreason.bridges.rdflib import KGReasonStore  # noqa: E402

E = Namespace("http://e/")
DATA = [
    (E.p, RDF.type, OWL.SymmetricProperty),
    (E.p, RDF.type, OWL.FunctionalProperty),
    (E.A, RDFS.subClassOf, E.B),
    (E.a, RDF.type, E.A),
    (E.a, E.p, Literal(1)),
    (E.a, E.p, Literal("01", datatype=XSD.integer, normalize=False)),
]
SHAPES = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://e/> .
    :S a sh:NodeShape ; sh:targetClass :B ; sh:property [ sh:path :name ; sh:minCount 1 ] ."""


def fill(graph: Graph) -> Graph:
    for triple in DATA:
        graph.add(triple)
    return graph


@pytest.fixture(params=["none", "owl2rl"])
def graph(request: pytest.FixtureRequest) -> Iterator[Graph]:
    with KnowledgeGraph.open(rules=[request.param]) as live:
        yield fill(Graph(KGReasonStore(live)))


def test_owlrl_adds_what_it_adds_elsewhere_but_for_generalised_triples(graph: Graph) -> None:
    owlrl = pytest.importorskip("owlrl", reason="owlrl is not installed")
    with pytest.warns(DroppedWarning, match="in RDF a subject must not be a literal") as caught:
        owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    assert len(caught) == 1
    elsewhere = fill(Graph())
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(elsewhere)
    wanted = {triple for triple in elsewhere if not isinstance(triple[0], Literal)}
    assert wanted <= set(graph)
    assert len(wanted) < len(elsewhere)


def test_pyshacl_infers_in_place(graph: Graph) -> None:
    pyshacl = pytest.importorskip("pyshacl", reason="pySHACL is not installed")
    shapes = Graph().parse(data=SHAPES, format="turtle")
    with pytest.warns(DroppedWarning) as caught:
        conforms, _, text = pyshacl.validate(graph, shacl_graph=shapes, inplace=True, inference="owlrl")
    assert len(caught) == 1
    assert not conforms
    assert "Focus Node: <http://e/a>" in text
    assert (E.a, RDF.type, E.B) in graph


def test_a_dropped_triple_is_in_no_pattern(graph: Graph) -> None:
    generalised = Literal("x"), E.p, E.a
    before = set(graph)
    with pytest.warns(DroppedWarning, match=r'^"x" <http://e/p> <http://e/a>: in RDF a subject must'):
        graph.add(generalised)
    graph.addN([(Literal("y"), E.p, E.a, graph), (E.c, rdflib.BNode(), E.a, graph), (E.c, E.p, E.a, graph)])
    assert set(graph) - before >= {(E.c, E.p, E.a)}
    assert not any(isinstance(subject, Literal) for subject, _, _ in graph)
    assert list(graph.triples((Literal("x"), None, None))) == []
    assert generalised in graph
    graph.remove((Literal("x"), None, None))
    assert generalised not in graph
    assert (Literal("y"), E.p, E.a) in graph


def test_a_rollback_forgets_what_was_dropped() -> None:
    with KnowledgeGraph.open() as live:
        graph = Graph(KGReasonStore(live))
        with pytest.warns(DroppedWarning):
            graph.add((Literal("x"), E.p, E.a))
        graph.rollback()
        assert (Literal("x"), E.p, E.a) not in graph


@pytest.mark.parametrize("copying", [copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("kind", [Graph, Dataset])
def test_a_graph_over_the_store_cannot_be_copied(copying: Callable[[object], object], kind: Any) -> None:
    with KnowledgeGraph.open() as live:
        graph = kind(KGReasonStore(live))
        for each in (graph, graph.store):
            with pytest.raises(TypeError, match="a graph over kgreason cannot be deep-copied or pickled"):
                copying(each)


def test_a_copy_in_memory(graph: Graph) -> None:
    assert set(Graph() + graph) == set(graph)
