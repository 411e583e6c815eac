"""The results of a graph are those of the naive validator: W3C's suite, misreadings, random pairs, random histories."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest

from kgreason import KnowledgeGraph
from kgreason.graph.shapes.validation import DataMode
from kgreason.shapes.result import Result
from tests.oracle.shacl.drawn import Knobs, Pair, pair
from tests.oracle.shacl.misreadings import MISREADINGS, Misreading
from tests.oracle.shacl.suite import cases
from tests.oracle.shacl.test_suite import needs_suite
from tests.shapes.counterexamples import COUNTEREXAMPLES
from tests.shapes.drawn import ONE_SPELLING, follow, history
from tests.shapes.parity import difference, difference_of
from tests.tables import table
from tests.volume import many_seeds

_PAIRS = Knobs(sparql=0)
_QUERIES = Knobs(shapes=2, depth=1, constraints=2, sparql=60, more_queries=True)
_HISTORIES = Knobs(sparql=0, literals=ONE_SPELLING, triples=12)
_RULES: tuple[list[str], ...] = ([], ["rhodf"], ["rdfs"])


@needs_suite
@pytest.mark.parametrize("data", ["asserted", "inferred"])
def test_a_graph_passes_the_core_suite_of_w3c(data: DataMode) -> None:
    failing = []
    for case in cases("core"):
        with KnowledgeGraph.open() as graph:
            graph.add(case.data)
            graph.shapes.load(case.shapes)
            if not case.is_passed_by(graph.validate(data).to_graph()):
                failing.append(case.name)
    assert not failing


@table("misreading", MISREADINGS)
def test_a_graph_does_not_misread_the_specification(misreading: Misreading) -> None:
    assert difference_of(misreading.pair, "asserted") is None


@table("found", COUNTEREXAMPLES)
def test_a_counterexample_stays_mended(found: Pair) -> None:
    assert difference_of(found, "asserted") is None


@table("seed", many_seeds(1000, 100))
def test_a_random_graph_has_the_results_of_the_naive_validator(seed: int) -> None:
    assert difference_of(pair(seed, _PAIRS), "asserted") is None


@table("seed", many_seeds(1000, 30))
def test_after_each_commit_the_results_are_those_of_validation_from_scratch(seed: int) -> None:
    _follow(seed, 6)


@table("seed", many_seeds(3000, 20))
def test_results_of_queries_are_those_of_the_naive_validator(seed: int) -> None:
    assert difference_of(pair(seed, _QUERIES), "asserted") is None


@table("seed", many_seeds(4000, 3))
def test_results_that_came_and_went_add_up_to_the_report(seed: int) -> None:
    drawn, sum_ = Random(seed), Counter[Result]()
    with KnowledgeGraph.open(rules=drawn.choice(_RULES)) as graph:
        for commit in history(drawn, 4, _HISTORIES):
            with graph.transaction() as transaction:
                commit.make(transaction)
            sum_.update(transaction.delta.results())
            sum_.subtract(transaction.delta.results(appeared=False))
            assert +sum_ == Counter(replace(each, messages=()) for each in graph.validate())
            assert min(sum_.values(), default=0) >= 0


@table("seed", many_seeds(2000, 4))
def test_a_store_that_is_opened_again_goes_on_with_its_results(seed: int, tmp_path: Path) -> None:
    drawn = Random(seed)
    rules = drawn.choice(_RULES)
    for commit in history(drawn, 4, _HISTORIES):
        with KnowledgeGraph.open(tmp_path / str(seed), rules=rules) as graph:
            follow(graph, iter([commit]), partial(_check, data="inferred"))


def test_a_node_that_rules_put_into_a_class_is_a_focus_node() -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        prefixes = {
            "": "http://e/",
            "sh": "http://www.w3.org/ns/shacl#",
            "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        }
        graph.add(":p rdfs:domain :C . :a :p :b .", prefixes=prefixes)
        graph.shapes.add(":s sh:targetClass :C ; sh:nodeKind sh:Literal .", prefixes=prefixes)
        assert [str(each.focus) for each in graph.validate("inferred")] == ["<http://e/a>"]
        assert graph.validate("asserted").conforms


def _follow(seed: int, commits: int) -> None:
    drawn = Random(seed)
    with KnowledgeGraph.open(rules=drawn.choice(_RULES)) as graph:
        follow(graph, history(drawn, commits, _HISTORIES), partial(_check, data="inferred"))


def _check(graph: KnowledgeGraph, data: DataMode) -> None:
    assert difference(graph, data) is None
