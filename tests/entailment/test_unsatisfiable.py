"""`unsatisfiable` finds what asking about one class after the other finds, and leaves the graph as it was."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from kgreason.entailment.classification.unsatisfiable import unsatisfiable
from kgreason.errors import InputError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.cli.calling import call, done
from tests.volume import many_seeds

PREFIXES = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . """
SHARED_VALUE = """
    :p a owl:InverseFunctionalProperty .
    :A rdfs:subClassOf :Cat , [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :v ] .
    :B rdfs:subClassOf :Dog , [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :v ] .
    :Cat owl:disjointWith :Dog .
    :C rdfs:subClassOf :A , :B .
"""
"""The members of :A and :B are one individual, which is in :Cat and in :Dog; but each class alone may have a member."""


def names(graph: KnowledgeGraph) -> list[str]:
    return [each.name.removeprefix("<http://e/").rstrip(">") for each in unsatisfiable(graph)]


def test_members_that_become_equal_decide_nothing() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(PREFIXES + SHARED_VALUE)
        before = set(graph.match())
        assert names(graph) == ["C"]
        assert set(graph.match()) == before


def test_a_contradiction_about_another_individual_is_one_of_the_class() -> None:
    """The member is not named: it makes :v a :Cat, which is a :Dog. A graph that is contradictory can be asked, too."""
    with KnowledgeGraph.open() as graph:
        text = ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :v ] . :p rdfs:range :Cat ."
        graph.add(PREFIXES + text + ":v a :Dog . :Cat owl:disjointWith :Dog . :w a :Cat , :Dog .")
        assert names(graph) == ["A"]
        (found,) = unsatisfiable(graph)
        assert "<urn:a-member-of:A>" in found.proof.to_text()
        assert len(graph.contradictions()) == 1


@pytest.mark.parametrize("rules", [["owl2rl"], ["owl2rl", "owl2el"], ["owl2el"]], ids="+".join)
def test_a_class_below_nothing(rules: list[str]) -> None:
    with KnowledgeGraph.open(rules=rules) as graph:
        graph.add(PREFIXES + ":A rdfs:subClassOf :B . :B rdfs:subClassOf owl:Nothing . :C a owl:Class .")
        assert names(graph) == ["A", "B"]


def test_a_graph_that_refuses_contradictions() -> None:
    with KnowledgeGraph.open(on_contradiction="refuse") as graph, pytest.raises(InputError, match="refuses contradict"):
        unsatisfiable(graph)


def alone(text: str) -> list[str]:
    """The unsatisfiable classes, each asked about in a new graph."""
    found = []
    with KnowledgeGraph.open() as graph:
        graph.add(text)
        for name in "ABCDEF":
            with graph.what_if() as tx:
                tx.add(("<http://e/member>", "a", f"<http://e/{name}>"))
            if tx.delta.contradictions:
                found.append(name)
    return found


@pytest.mark.parametrize("seed", many_seeds(0, 12))
def test_random_ontologies(seed: int) -> None:
    random = Random(seed)
    pairs = [tuple(random.sample("ABCDEF", 2)) for _ in range(12)]
    restriction = "[ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :{} ]"
    kinds = [
        *[":{} rdfs:subClassOf :{} ."] * 4,
        ":{} owl:disjointWith :{} .",
        f":{{}} rdfs:subClassOf {restriction.format('v')} . :v a :{{}} .",
        ":{} owl:equivalentClass [ owl:intersectionOf ( :{} :A ) ] .",
    ]
    text = (
        PREFIXES
        + ":p a owl:InverseFunctionalProperty . "
        + " ".join(random.choice(kinds).format(*each) for each in pairs)
    )
    with KnowledgeGraph.open() as graph:
        graph.add(text)
        contradictions = len(graph.contradictions())
        assert names(graph) == alone(text)
        assert len(graph.contradictions()) == contradictions


def test_check_lists_them(tmp_path: Path) -> None:
    file, store = tmp_path / "zoo.ttl", tmp_path / "store"
    file.write_text(PREFIXES + ":Cat owl:disjointWith :Dog . :CatDog a owl:Class ; rdfs:subClassOf :Cat , :Dog .")
    found = call("check", file)
    lines = found.stdout.splitlines()
    assert (found.exit_code, lines[0]) == (1, "nothing can be in :CatDog")
    assert lines[-1] == "no contradictions; nothing can be in 1 class"
    assert done("check", "--no-classes", file) == "no contradictions\n"
    (told,) = json.loads(call("check", "--json", file).stdout)
    assert (told["message"], told["class"]) == ("nothing can be in <http://e/CatDog>", "<http://e/CatDog>")
    done("load", "-l", store, "-f", file)
    assert done("check", "-l", store) == "no contradictions\n"
    assert call("check", "-l", store, "--classes").stdout.splitlines()[-1] == lines[-1]
    assert done("check", "-l", store) == "no contradictions\n"
