"""`validate`: the validation results of a graph as a report.

    inferred     the materialized graph: what the rules of the graph derive counts. The results are facts already.
    asserted     the quads as users wrote them. They are loaded into a graph in memory without rules but those of the
                 shapes, so terms count as they are written, and only rdfs:subClassOf is followed, as SHACL says.

Cost: inferred, reading the results; asserted, loading the asserted quads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

from kgreason.options import check_choice
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.report import Report
from kgreason.shapes.vocabulary import COLUMNS, RESULT

if TYPE_CHECKING:
    from kgreason.graph.knowledge_graph import KnowledgeGraph

DataMode: TypeAlias = Literal["inferred", "asserted"]


def validate(graph: KnowledgeGraph, data: DataMode, empty: Callable[[], KnowledgeGraph]) -> Report:
    """Return the report about a graph. `empty` makes a graph in memory without rules. Raises InputError."""
    check_choice("data", data, DataMode)
    if data == "inferred":
        return _report(graph, data)
    with empty() as copy:
        with graph.turn(), copy.transaction() as transaction:
            for chunk in graph.dump(asserted=True):
                transaction.add_lines(chunk)
            transaction.shapes.take(graph.shapes.triples())
        return _report(copy, data)


def _report(graph: KnowledgeGraph, data: DataMode) -> Report:
    with graph.turn():
        return Report(ShapesGraph(graph.shapes.triples()), graph.relation(RESULT, len(COLUMNS)), data)
