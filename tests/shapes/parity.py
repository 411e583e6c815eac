"""The results of a graph beside those of the naive validator over the same triples and the same shapes graph."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from rdflib.graph import Graph

from kgreason import KnowledgeGraph
from kgreason.graph.shapes.validation import DataMode
from tests.oracle.shacl import report
from tests.oracle.shacl.drawn import Pair
from tests.oracle.shacl.result import Result
from tests.oracle.shacl.turtle import graph as parsed
from tests.oracle.shacl.validator import Validator


class Difference(NamedTuple):
    """The results that only one side has, and how often."""

    missing: Counter[Result]
    needless: Counter[Result]


def difference(graph: KnowledgeGraph, data: DataMode) -> Difference | None:
    """Return in which results a graph differs from the naive validator; None for equal results."""
    mine = report.read(graph.validate(data).to_graph())
    naive = Counter(Validator(triples(graph, data), shapes(graph)).report())
    return None if mine == naive else Difference(naive - mine, mine - naive)


def difference_of(pair: Pair, data: DataMode = "inferred") -> Difference | None:
    """Return in which results a graph without rules differs from the naive validator."""
    with KnowledgeGraph.open() as graph:
        graph.add(pair.data_text)
        graph.shapes.load(pair.shapes_text)
        return difference(graph, data)


def triples(graph: KnowledgeGraph, data: DataMode) -> Graph:
    """Return the data graph that is validated."""
    return parsed(b"".join(graph.dump(asserted=True) if data == "asserted" else graph.dump()))


def shapes(graph: KnowledgeGraph) -> Graph:
    return parsed("\n".join(" ".join(triple) + " ." for triple in graph.shapes.triples()))
