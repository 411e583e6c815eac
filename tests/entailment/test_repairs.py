"""Repairs: after one of them the problem is gone; no other asserted axiom of the proof would have done that."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kgreason.entailment.repairs import repairs
from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.cli.calling import call
from tests.el.ontologies import Knobs, axioms_of, triples_of
from tests.oracle.el import Axiom
from tests.volume import many_seeds

PREFIXES = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . """
NAMES = {"": "http://e/"}
FIN = """:p a owl:ObjectProperty . :Fish owl:disjointWith :Limb . :Fin a owl:Class ; rdfs:subClassOf :Fish , :Limb ,
    [ owl:onProperty :p ; owl:someValuesFrom :Body ] . """


def texts(graph: KnowledgeGraph) -> dict[str, dict[str, int]]:
    """The repairs of each class that nothing can be in, with what each would cost."""
    return {
        each.name.removeprefix("<http://e/").rstrip(">"): {
            repair.to_text(NAMES): repair.lost for repair in repairs(graph, each, each.proof)
        }
        for each in graph.unsatisfiable_classes()
    }


def empty_of(axioms: list[tuple[int, Axiom]], rules: list[str]) -> set[str]:
    with KnowledgeGraph.open(rules=rules) as graph:
        with graph.transaction() as tx:
            for number, axiom in axioms:
                tx.add(*triples_of(number, axiom))
        return {each.name for each in graph.unsatisfiable_classes()}


@pytest.mark.parametrize("rules", [["owl2el"], ["owl2rl"], ["owl2rl", "owl2el"]], ids="+".join)
@pytest.mark.parametrize("seed", many_seeds(28, 2))
def test_the_removal_of_a_repair_is_enough_and_no_other_axiom_of_the_proof_is(rules: list[str], seed: int) -> None:
    """A class that is empty has all repairs of one axiom: an axiom that all proofs use is in the one that is shown."""
    weights = (("sub", 6), ("same", 2), ("disjoint", 4))
    axioms = list(enumerate(axioms_of(Random(seed), Knobs(depth=1, axioms=12, weights=weights))))
    empty = empty_of(axioms, rules)
    ended = {number: empty - empty_of([each for each in axioms if each[0] != number], rules) for number, _ in axioms}
    heads = {triples_of(*each)[-1]: each[0] for each in axioms}
    assert len(heads) == len(axioms)
    with KnowledgeGraph.open(rules=rules) as graph:
        with graph.transaction() as tx:
            for each in axioms:
                tx.add(*triples_of(*each))
        before = set(graph)
        for one in graph.unsatisfiable_classes():
            found = {heads[repair.axiom] for repair in repairs(graph, one, one.proof)}
            assert found == {number for number, names in ended.items() if one.name in names}
        assert set(graph) == before


def test_an_annotated_axiom_is_removed_with_its_annotation() -> None:
    annotation = """[] a owl:Axiom ; owl:annotatedSource :Fin ; owl:annotatedProperty rdfs:subClassOf ;
        owl:annotatedTarget {} ; rdfs:comment "by hand" ."""
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(PREFIXES + FIN + annotation.format(":Fish"))
        fish = ':Fin SubClassOf :Fish, annotated with <http://www.w3.org/2000/01/rdf-schema#comment> "by hand"'
        assert [*texts(graph)["Fin"]] == [fish, ":Fin SubClassOf :Limb", ":Fish DisjointWith :Limb"]
        (fin,) = graph.unsatisfiable_classes()
        (first, *_) = repairs(graph, fin, fin.proof)
        assert len(first.triples) == 6
        graph.remove(PREFIXES + ":Fin rdfs:subClassOf :Fish .")
        assert fish in texts(graph)["Fin"]  # the annotation says it


def test_annotations_of_other_axioms_stay_and_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nodes that annotate axioms with one property may be most of an ontology."""
    node = "<urn:{}> owl:annotatedSource {} ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget {} ."
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(PREFIXES + FIN + node.format("fish", ":Fin", ":Fish") + node.format("other", ":A", ":B"))
        matched: list[str] = []
        match = graph.match

        def noted(*terms: Any, **how: Any) -> list[Any]:
            quads = list(match(*terms, **how))
            matched.extend(str(quad.subject) for quad in quads)
            return quads

        monkeypatch.setattr(graph, "match", noted)
        (fin,) = graph.unsatisfiable_classes()
        removed = {each[0] for repair in repairs(graph, fin, fin.proof) for each in repair.triples}
        assert "<urn:fish>" in removed
        assert "<urn:other>" not in {*removed, *matched}


def test_two_proofs_have_no_repair_and_a_list_of_disjoint_classes_is_one_axiom(tmp_path: Path) -> None:
    (file := tmp_path / "fin.ttl").write_text(
        PREFIXES
        + FIN
        + "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) . :D a owl:Class ; rdfs:subClassOf :A , :B ."
    )
    with KnowledgeGraph.open() as graph:
        graph.load(file)
        graph.add(PREFIXES + ":Fin rdfs:subClassOf owl:Nothing .")
        found = texts(graph)
        assert found["Fin"] == {}
        assert found["D"] == {":D SubClassOf :A": 0, ":D SubClassOf :B": 0, "DisjointClasses: :A, :B, :C": 0}
    printed = call("check", file, "--repairs", "--rules", "owl2el").stdout
    assert "    repairs: it is enough to remove one of these\n        :D SubClassOf :A    (1 inferred" in printed
    told = json.loads(call("check", file, "--repairs", "--json").stdout)
    assert [len(each["repairs"]) for each in told] == [3, 3]
    assert "repairs" not in json.loads(call("check", file, "--json").stdout)[0]


def test_an_axiom_that_is_derived_is_proved(tmp_path: Path) -> None:
    """The rule of a contradiction may come from a subproperty that three axioms imply."""
    store = tmp_path / "store"
    text = ":a :p :b . :p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r . :r a owl:AsymmetricProperty . :b :r :a ."
    with KnowledgeGraph.open(store) as graph:
        graph.add(PREFIXES + text)
        (line,), (proof,) = graph.contradictions(), graph.prove_contradictions()
        found = {repair.to_text(NAMES) for repair in repairs(graph, line, proof)}
    axioms = {":p SubPropertyOf :q", ":q SubPropertyOf :r", "Asymmetric: :r"}
    assert found == {":a :p :b", ":b :r :a", *axioms}
    printed = call("check", "-l", store, "--repairs", "--prefix", "=http://e/").stdout
    assert all(f"\n    {each}    (" in printed for each in found)
