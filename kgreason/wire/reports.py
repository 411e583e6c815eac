"""`encoded`, `decoded`: validation reports as JSON.

    {"data": "inferred", "conforms": false, "shapes": [[term, term, term], ...], "facts": [[term, ...], ...]}

A term is an N-Triples text. Cost: linear in the shapes graph and the results.
"""

from __future__ import annotations

from typing import Any

from kgreason.graph.input.terms import term_of
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.report import Report


def encoded(report: Report) -> dict[str, Any]:
    """Turn a report into an object that `json.dumps` takes."""
    facts = [list(map(str, each.fact)) for each in report.results]
    return {"data": report.data, "conforms": report.conforms, "shapes": report.shapes.triples, "facts": facts}


def decoded(found: dict[str, Any]) -> Report:
    """Turn the result of `encoded` back into the report."""
    shapes = ShapesGraph((subject, predicate, object_) for subject, predicate, object_ in found["shapes"])
    return Report(shapes, (tuple(map(term_of, fact)) for fact in found["facts"]), found["data"], found["conforms"])
