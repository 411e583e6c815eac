"""SHACL-AF: what the rules of a shapes graph make is what the naive `Inference` makes, after each commit."""

from __future__ import annotations

from pathlib import Path
from random import Random
from threading import Thread
from typing import NamedTuple

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import StratificationError
from kgreason.options import SameAsMode
from tests.oracle.shacl.drawn import PREFIXES, Knobs, triples
from tests.oracle.shacl.drawn_rules import shapes_with_rules
from tests.oracle.shacl.inference import (
    AnyCondition,
    Inference,
    NeverOff,
    SeesItsOrder,
    WithoutCondition,
    WithoutOrder,
)
from tests.oracle.shacl.turtle import graph as parsed
from tests.shapes.drawn import ONE_SPELLING, follow, history
from tests.shapes.parity import difference, shapes
from tests.shapes.test_live import NAMES as _NAMES
from tests.tables import table
from tests.volume import many_seeds

NAMES = {**_NAMES, "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#"}
_KNOBS = Knobs(
    shapes=2, depth=1, constraints=2, sparql=0, blank_nodes=False, literals=ONE_SPELLING, triples=14, empty_lists=False
)
_DECLARED = '<http://e/> sh:declare [ sh:prefix "" ; sh:namespace "http://e/" ] .'


class Case(NamedTuple):
    """A misreading, and a small pair that gives it away."""

    misreading: type[Inference]
    data: str
    shapes: str


_RULE = "sh:rule [ sh:subject sh:this ; sh:predicate"
MISREADINGS = (
    Case(
        SeesItsOrder,
        ":a a :C ; :p :b . :b a :C .",
        f":S sh:targetClass :C ; {_RULE} :q ; sh:object [ sh:path :p ] ] , [ sh:subject sh:this ; sh:predicate :r ;"
        " sh:object [ sh:path :q ] ] .",
    ),
    Case(
        WithoutOrder,
        ":a a :C .",
        f":S sh:targetClass :C ; {_RULE} :q ; sh:object 1 ] ; {_RULE} :r ; sh:object [ sh:path :q ] ; sh:order 1 ] .",
    ),
    Case(
        WithoutCondition,
        ":a a :C .",
        f":S sh:targetClass :C ; {_RULE} :q ; sh:object 1 ; sh:condition [ sh:nodeKind sh:Literal ] ] .",
    ),
    Case(
        AnyCondition,
        ":a a :C .",
        f":S sh:targetClass :C ; {_RULE} :q ; sh:object 1 ; sh:condition [ sh:nodeKind sh:IRI ] ,"
        " [ sh:nodeKind sh:Literal ] ] .",
    ),
    Case(NeverOff, ":a a :C .", f":S sh:targetClass :C ; {_RULE} :q ; sh:object 1 ; sh:deactivated true ] ."),
    Case(NeverOff, ":a a :C .", f":S sh:targetClass :C ; sh:deactivated true ; {_RULE} :q ; sh:object 1 ] ."),
)


def _check(graph: KnowledgeGraph) -> None:
    """The graph has what the rules make of the asserted triples; its results are those over all triples."""
    made = set(parsed(b"".join(graph.dump())))
    assert made == set(Inference(parsed(b"".join(graph.dump(asserted=True))), shapes(graph)).run())
    assert difference(graph, "inferred") is None


@table("case", MISREADINGS)
def test_a_graph_does_not_misread_the_rules_of_shapes(case: Case) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(PREFIXES + case.data)
        graph.shapes.load(PREFIXES + case.shapes)
        _check(graph)
        made = set(parsed(b"".join(graph.dump())))
        assert made != set(case.misreading(parsed(PREFIXES + case.data), shapes(graph)).run())


@table("seed", many_seeds(0, 3))
def test_a_graph_has_what_the_rules_of_its_shapes_make(seed: int) -> None:
    drawn = Random(seed)
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(PREFIXES + "\n".join(triples(drawn, _KNOBS)))
        graph.shapes.load(PREFIXES + "\n".join(shapes_with_rules(drawn, _KNOBS)))
        _check(graph)


@table("seed", many_seeds(1000, 3))
def test_after_each_commit_a_graph_has_what_the_rules_make_from_scratch(seed: int) -> None:
    drawn = Random(seed)
    same_as: SameAsMode = drawn.choice(("aliases", "representatives", "rules"))
    with KnowledgeGraph.open(rules=["none"], same_as=same_as, threads=drawn.choice((1, 2))) as graph:
        follow(graph, history(drawn, 4, _KNOBS, shapes_with_rules), _check)


@table("seed", many_seeds(2000, 2))
def test_a_store_that_is_opened_again_goes_on_with_what_its_rules_make(seed: int, tmp_path: Path) -> None:
    drawn = Random(seed)
    for commit in history(drawn, 3, _KNOBS, shapes_with_rules):
        with KnowledgeGraph.open(tmp_path / str(seed), rules=["none"]) as graph:
            follow(graph, iter([commit]), _check)


def test_writers_in_threads_make_what_one_would() -> None:
    made = f"{_DECLARED} :S sh:targetClass :C ; {_RULE} :q ; sh:object [ sh:count [ sh:path :p ] ] ] ."
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.shapes.add(made, prefixes=NAMES)
        threads = [
            Thread(target=lambda n=n: graph.add(f":a a :C ; :p {n} . :b{n} a :C .", prefixes=NAMES)) for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        _check(graph)


_NO_LABEL = f"""
    :S sh:targetClass :C ; {_RULE} :label ; sh:object "none" ;
        sh:condition [ sh:property [ sh:path :label ; sh:maxCount 0 ] ] ] .
"""


def _labels(graph: KnowledgeGraph) -> list[str]:
    return sorted(str(row["l"]) for row in graph.select("SELECT ?l { ?x :label ?l }", prefixes=NAMES))


def test_a_rule_may_add_what_is_missing_and_takes_it_back() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.shapes.add(_NO_LABEL, prefixes=NAMES)
        graph.add(":a a :C .", prefixes=NAMES)
        assert _labels(graph) == ['"none"']
        assert "sh-condition" in graph.explain((":a", ":label", '"none"'), prefixes=NAMES).to_text(NAMES)
        delta = graph.add(":a :label 'A' .", prefixes=NAMES)
        assert (len(delta.appeared()), len(delta.disappeared())) == (1, 1)
        assert _labels(graph) == ['"A"']


def test_a_rule_runs_for_nodes_whose_class_is_inferred() -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.shapes.add(f":S sh:targetClass :C ; {_RULE} rdf:type ; sh:object :D ] .", prefixes=NAMES)
        graph.add(":p rdfs:domain :C . :D rdfs:subClassOf :E . :a :p :b .", prefixes=NAMES)
        assert graph.ask("ASK { :a a :C, :D, :E }", prefixes=NAMES)
        assert graph.remove(":a :p :b .", prefixes=NAMES)
        assert not graph.ask("ASK { :a a ?c }", prefixes=NAMES)


def test_rules_are_one_fixpoint_if_the_shapes_graph_says_so() -> None:
    chain = f""":S sh:targetSubjectsOf :p ; {_RULE} :r ; sh:object [ sh:path ( :p :r ) ] ] ;
        {_RULE} :r ; sh:object [ sh:path :p ] ] ."""
    data = "".join(f":n{number} :p :n{number + 1} . " for number in range(6))
    iterated = "<http://e/shapes> sh:entailment <urn:kgreason:iterated-rules> ."
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(data, prefixes=NAMES)
        graph.shapes.add(chain, prefixes=NAMES)
        assert len(list(graph.select("SELECT * { ?x :r ?y }", prefixes=NAMES))) == 6
        graph.shapes.add(iterated, prefixes=NAMES)
        assert len(list(graph.select("SELECT * { ?x :r ?y }", prefixes=NAMES))) == 21
        with pytest.raises(StratificationError, match="sh-condition"):
            graph.shapes.add(_NO_LABEL, prefixes=NAMES)
        graph.shapes.remove(iterated, prefixes=NAMES)
        assert len(list(graph.select("SELECT * { ?x :r ?y }", prefixes=NAMES))) == 6


def test_blank_nodes_of_a_rule_are_made_once_for_each_solution() -> None:
    query = "CONSTRUCT { $this :has [ :of ?v ] } WHERE { $this :p ?v }"
    text = f"{_DECLARED} :S sh:targetClass :C ; sh:rule [ sh:prefixes <http://e/> ; sh:construct '{query}' ] ."
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.shapes.add(text, prefixes=NAMES)
        graph.add(":a a :C ; :p 1, 2 .", prefixes=NAMES)
        assert len(list(graph.select("SELECT * { ?x :has ?b . ?b :of ?v }", prefixes=NAMES))) == 2


def test_targets_of_sparql_have_types_with_parameters() -> None:
    text = f"""{_DECLARED} :In a sh:SPARQLTargetType ; sh:parameter [ sh:path :place ] ; sh:prefixes <http://e/> ;
        sh:select "SELECT ?this WHERE {{ ?this :at ?x . ?x :in* $place }}" .
        :S sh:target [ a :In ; :place :town ] ; sh:nodeKind sh:Literal ."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.shapes.add(text, prefixes=NAMES)
        graph.add(":a :at :house . :house :in :street . :street :in :town . :b :at :moon .", prefixes=NAMES)
        assert [str(each.focus) for each in graph.validate()] == ["<http://e/a>"]


def test_an_expression_is_true_for_each_value_node_or_there_is_a_result() -> None:
    text = """:S sh:targetClass :C ; sh:property [ sh:path :kid ; sh:expression [ sh:exists [ sh:filterShape :Named ;
        sh:nodes [ sh:path :friend ] ] ] ] . :Named sh:property [ sh:path :name ; sh:minCount 1 ] ."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.shapes.add(text, prefixes=NAMES)
        graph.add(":a a :C ; :kid :x, :y . :x :friend :u . :y :friend :v . :u :name 'U' .", prefixes=NAMES)
        assert [(str(each.value), each.component.value[-29:]) for each in graph.validate()] == [
            ("<http://e/y>", "ExpressionConstraintComponent")
        ]
