"""`query` answers what the taxonomy of a graph with the expression as a named class says, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from kgreason.entailment.classification.taxonomy import taxonomy_of
from kgreason.entailment.dl_query.query import ClassAnswer, query
from kgreason.errors import InputError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from tests.el.body import BODY, PREFIXES
from tests.volume import many_seeds

LABELLED = (
    BODY
    + """
:Finger rdfs:label "finger"@en . :Hand rdfs:label "left hand" . :Arm owl:disjointWith :Hand .
:BodyPart rdfs:subClassOf :Part . :f a :Finger .
<http://f/Arm> rdfs:label "arm" . <http://f/Lung> rdfs:subClassOf <http://g/Lung> .
"""
)


@pytest.fixture(scope="module")
def body() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(LABELLED)
        yield graph


def short(answer: ClassAnswer) -> list[list[str]]:
    return [[name.strip("<>").removeprefix("http://e/") for name in names] for names in answer[:4]]


def test_a_query_finds_classes_above_beside_and_below_and_individuals(body: KnowledgeGraph) -> None:
    before = set(body.match())
    found = query(body, "partOf some Body")
    assert short(found) == [["BodyPart"], ["Part"], ["Arm", "Finger", "Hand"], ["f"]]
    every = query(body, "partOf some Body", indirect=True)
    assert short(every) == [["BodyPart"], ["Part"], ["Arm", "Finger", "Hand", "Thumb"], ["f"]]
    assert short(query(body, "partOf some Hand")) == [[], ["BodyPart"], ["Finger"], ["f"]]
    assert short(query(body, "partOf some Hand", indirect=True))[1] == ["BodyPart", "Part"]
    assert (found.contradiction, found.unread) == ("", ())
    assert set(body.match()) == before


def test_a_name_is_a_prefixed_name_an_iri_a_label_or_an_end(body: KnowledgeGraph) -> None:
    names = ("Hand", "'left hand'", "<http://e/Hand>", "e:Hand", ":Hand")
    answers = {query(body, name, prefixes={"e": "http://e/", "": "http://e/"}) for name in names}
    assert [short(each)[0] for each in answers] == [["Hand"]]
    assert query(body, "arm").equivalent == ("<http://f/Arm>",)
    assert query(body, "Arm", prefixes={"": "http://e/"}).equivalent == ("<http://e/Arm>",)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Fingr", "no class, property or individual with this label or name"),
        ("Lung", "this may be <http://f/Lung>, <http://g/Lung>; write the IRI in <>"),
        ("and", "not expected"),
        ("e:Hand", "the prefix e: is not known"),
        ("<http://e/Fingr>", "the graph does not mention it"),
        ("<http://e/a|b>", "not a class expression"),
        ("obo:", "the graph does not mention it"),
    ],
)
def test_a_name_that_is_not_known_is_refused(body: KnowledgeGraph, name: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        query(body, name, prefixes={"obo": "http://o/"})


@pytest.mark.parametrize("rules", [["owl2el"], ["owl2rl"], ["owl2rl", "owl2el"]], ids="+".join)
def test_nothing_can_be_in_it(rules: list[str]) -> None:
    with KnowledgeGraph.open(rules=rules) as graph:
        graph.add(LABELLED)
        found = query(graph, "Hand and <http://e/Arm>")
        assert found.contradiction
        assert found[:4] == ((), (), (), ())
        assert not graph.contradictions()


def test_the_graph_knows_nothing_of_the_class_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody may have seen the name in an earlier query, and say something of it."""
    seen: set[str] = set()
    add = Transaction.add

    def watched(tx: Transaction, text: str, **options: Any) -> Transaction:
        seen.update(re.findall(r"<urn:[^>]*>", text))
        return add(tx, text, **options)

    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(PREFIXES + ":A rdfs:subClassOf :B .")
        with monkeypatch.context() as patch:
            patch.setattr(Transaction, "add", watched)
            before = query(graph, "A")
        assert len(seen) == 2
        graph.add(PREFIXES + " ".join(f"{name} rdfs:subClassOf :B ; a :Seen ." for name in seen))
        assert query(graph, "A").superclasses == before.superclasses == ("<http://e/B>",)


def test_axioms_that_the_rules_do_not_read_are_told(body: KnowledgeGraph) -> None:
    (told,) = query(body, "Hand or Finger").unread
    assert "union as a superclass" in told
    assert "of the expression" in told


def test_only_axioms_are_unread(body: KnowledgeGraph) -> None:
    assert query(body, f"partOf value 1{'0' * 100}").unread == ()


@pytest.mark.parametrize("name", ["x" * 1000, f"<{'x' * 1000}>", f"<http://e/{'x' * 1000}>", f"{'x' * 1000}:a"])
def test_a_message_has_no_long_name(body: KnowledgeGraph, name: str) -> None:
    with pytest.raises(InputError) as caught:
        query(body, name)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("seed", many_seeds(0, 6))
def test_random_expressions(seed: int) -> None:
    random = Random(seed)

    def expression(depth: int) -> str:
        if not depth or random.random() < 0.3:
            return random.choice("ABCD")
        if random.random() < 0.5:
            return f"(p some {expression(depth - 1)})"
        return f"({expression(depth - 1)} and {expression(depth - 1)})"

    def node(text: str) -> str:
        from kgreason.entailment.dl_query.manchester import turtle

        return turtle(text, lambda name: f"http://e/{name}")

    axioms = [f"<http://e/{random.choice('ABCD')}> rdfs:subClassOf {node(expression(2))} ." for _ in range(6)]
    axioms += [f"{node(expression(1))} rdfs:subClassOf <http://e/{random.choice('ABCD')}> ." for _ in range(2)]
    asked = expression(2)
    text = (
        PREFIXES + ":A a owl:Class . :B a owl:Class . :C a owl:Class . :D a owl:Class . :x :p :x . " + " ".join(axioms)
    )
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.add(text)
        answer = query(graph, asked)
        graph.add(f"{PREFIXES} :Asked owl:equivalentClass {node(asked)} .")
        taxonomy = taxonomy_of(graph)
    groups = {name: group for group in taxonomy.equal for name in group}
    mine = groups.get("<http://e/Asked>", ("<http://e/Asked>",))
    assert set(answer.equivalent) == set(mine) - {"<http://e/Asked>"}
    above = {each for low, high in taxonomy.links if low == mine[0] for each in groups.get(high, (high,))}
    below = {each for low, high in taxonomy.links if high == mine[0] for each in groups.get(low, (low,))}
    assert (set(answer.superclasses), set(answer.subclasses)) == (above, below)
