"""`unsatisfiable_classes` finds what asking about one class after the other finds, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.cli.calling import call, succeed
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


CAT_DOG = " :Cat owl:disjointWith :Dog . :CatDog a owl:Class ; rdfs:subClassOf :Cat , :Dog . "


def names(graph: KnowledgeGraph) -> list[str]:
    return [each.name.removeprefix("<http://e/").rstrip(">") for each in graph.unsatisfiable_classes()]


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
        (found,) = graph.unsatisfiable_classes()
        assert "(a member of <http://e/A>)" in found.proof.to_text()
        assert len(graph.contradictions()) == 1


@pytest.mark.parametrize("rules", [["owl2rl"], ["owl2rl", "owl2el"], ["owl2el"]], ids="+".join)
def test_a_class_below_nothing(rules: list[str]) -> None:
    with KnowledgeGraph.open(rules=rules) as graph:
        graph.add(PREFIXES + ":A rdfs:subClassOf :B . :B rdfs:subClassOf owl:Nothing . :C a owl:Class .")
        assert names(graph) == ["A", "B"]


def test_a_graph_that_refuses_contradictions() -> None:
    with KnowledgeGraph.open(on_contradiction="refuse") as graph:
        graph.add(PREFIXES + CAT_DOG)
        assert names(graph) == ["CatDog"]


def test_a_graph_that_is_open_for_reading(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(PREFIXES + CAT_DOG)
        before = graph.stats()
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert names(graph) == ["CatDog"]
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert names(graph) == ["CatDog"]
        assert {**graph.stats(), "seconds_by_part": {}, "peak_bytes": 0} == {
            **before,
            "seconds_by_part": {},
            "peak_bytes": 0,
        }


@pytest.mark.parametrize("space", ["http://e/", "zzz:"])
def test_a_known_contradiction_says_nothing_of_a_class(space: str) -> None:
    """The member of :Only is :tom, who is a :Cat and a :Dog without it. But no other :CatDog has a member."""
    text = "{} :tom a :Cat , :Dog . :Only owl:equivalentClass [ owl:oneOf ( :tom ) ] . :Only a owl:Class ."
    with KnowledgeGraph.open() as graph:
        graph.add(PREFIXES.replace("http://e/", space) + text.format(CAT_DOG))
        found = graph.unsatisfiable_classes()
        assert [each.name.removeprefix(f"<{space}") for each in found] == ["CatDog>"]
        assert len(graph.contradictions()) == 1


@pytest.mark.parametrize("space", ["http://e/", "zzz:"])
def test_a_known_contradiction_hides_none(space: str) -> None:
    """The members of :Sad and :Tom are one individual with :tom, whose contradiction is known."""
    text = """ :p a owl:InverseFunctionalProperty . :tom a :Cat , :Dog .
        :Tom a owl:Class ; rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :v ] . :tom :p :w .
        :Sad rdfs:subClassOf :CatDog , [ owl:onProperty :p ; owl:hasValue :v ] .
        :Tom rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :w ] ."""
    with KnowledgeGraph.open() as graph:
        graph.add(PREFIXES.replace("http://e/", space) + CAT_DOG + text)
        found = graph.unsatisfiable_classes()
        assert [each.name.removeprefix(f"<{space}") for each in found] == ["CatDog>", "Sad>"]


def test_a_name_that_the_graph_has_is_no_member() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(PREFIXES + CAT_DOG + "<urn:a-member-of:CatDog> a :Cat . <urn:a-member-of:Cat> a :Dog , :Cow .")
        before = set(graph.match())
        assert names(graph) == ["CatDog"]
        assert set(graph.match()) == before


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
    file.write_text(PREFIXES + CAT_DOG)
    found = call("check", file)
    lines = found.stdout.splitlines()
    assert (found.exit_code, lines[0]) == (1, "nothing can be in :CatDog")
    assert lines[-1] == "no contradictions; nothing can be in 1 class"
    assert succeed("check", "--no-classes", file) == "no contradictions\n"
    (told,) = json.loads(call("check", "--json", file).stdout)
    assert (told["message"], told["class"]) == ("nothing can be in <http://e/CatDog>", "<http://e/CatDog>")
    succeed("load", "-l", store, "-f", file)
    assert succeed("check", "-l", store) == "no contradictions\n"
    assert call("check", "-l", store, "--classes").stdout.splitlines()[-1] == lines[-1]
    assert succeed("check", "-l", store) == "no contradictions\n"


def test_check_asks_a_store_that_refuses_contradictions(tmp_path: Path) -> None:
    file, store = tmp_path / "zoo.ttl", tmp_path / "store"
    file.write_text(PREFIXES + CAT_DOG)
    succeed("load", "-l", store, "-f", file, "--on-contradiction", "refuse")
    found = call("check", "-l", store, "--classes")
    assert (found.exit_code, found.stdout.splitlines()[0]) == (1, "nothing can be in :CatDog")


def test_check_proves_as_many_classes_as_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "zoo.ttl"
    file.write_text(PREFIXES + CAT_DOG + " ".join(f":C{n} rdfs:subClassOf :CatDog ." for n in range(4)))
    lines = call("check", file).stdout.splitlines()
    assert [line for line in lines if line.startswith("nothing")][3:] == [f"nothing can be in :C{n}" for n in (3,)] + [
        "nothing can be in :CatDog"
    ]
    assert "2 classes are shown without a proof; `--limit 0` shows all" in lines
    assert "without a proof" not in call("check", "--limit", "0", file).stdout
