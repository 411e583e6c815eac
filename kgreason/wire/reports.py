"""`to_json`, `report_of`: validation reports as JSON.

    {"data": "inferred", "conforms": false, "shapes": [[term, term, term], ...], "facts": [[term, ...], ...]}

A term is an N-Triples text. Cost: linear in the shapes graph and the results.
"""

from __future__ import annotations

from typing import Any

from kgreason.graph.input.terms import term_of
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.report import Report


def to_json(report: Report) -> dict[str, Any]:
    """Turn a report into an object that `json.dumps` takes."""
    facts = [list(map(str, each.fact)) for each in report.results]
    return {"data": report.data, "conforms": report.conforms, "shapes": report.shapes.triples, "facts": facts}


def report_of(found: dict[str, Any]) -> Report:
    """Turn the result of `to_json` back into the report."""
    shapes = ShapesGraph((subject, predicate, object_) for subject, predicate, object_ in found["shapes"])
    return Report(shapes, (tuple(map(term_of, fact)) for fact in found["facts"]), found["data"], found["conforms"])
