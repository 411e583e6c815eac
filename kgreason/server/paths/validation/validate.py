"""`/validate`: the validation report.

    GET  /validate                                    over the materialized graph
    GET  /validate?data=asserted                      over what users asserted
    GET  /validate?severity=Violation&shape=IRI       a part of the report
    POST /validate                                    against the shapes in the body, in place of the graph's own

The answer is W3C's report in a format of RDF, JSON, text or Markdown. JSON has the fact of each result, of which
`/explain?relation=shacl_result` gives a proof. With `shapes=true` JSON also says how many focus nodes and results each
shape of the graph's own has over the materialized graph; with other shapes or other data it is a 400. `conforms` is
that of the whole report.

A report is a question like others: the engine makes it in the thread of the writer, and another thread writes it. Both
have the limits of questions. To validate against other shapes is a what-if, and needs the role of a what-if. Clients of
kgreason send N-Triples whose blank nodes keep their labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.errors import InputError
from kgreason.graph.input.terms import term_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.shapes.validation import DataMode
from kgreason.options import check_choice
from kgreason.server.formats import REPORTS, content_type, required_format
from kgreason.server.guard import check_role
from kgreason.server.paths.server_parts import (
    Parameters,
    engine_answer,
    flag,
    number,
    parameters,
    parse_shapes,
    prefixes_of,
    server_parts,
    single,
)
from kgreason.server.paths.validation.documents import documents
from kgreason.server.problems import Problem
from kgreason.server.queries.nesting import check_terms
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.report import Report
from kgreason.wire import EXACT, reports

_PARAMETERS = {"data", "severity", "shape", "focus", "limit", "language", "prefix", "shapes"}


async def validate(request: Request) -> Response:
    """Return the validation report. The shapes are the graph's own, or those in the body of a POST."""
    given = parameters(request)
    if unknown := set(given) - _PARAMETERS:
        raise Problem(400, f"/validate has no parameter {min(unknown)}; it has {', '.join(sorted(_PARAMETERS))}")
    find, write = _reader(request, given), _writer(request, given)
    if request.method != "POST":
        return await engine_answer(request, lambda graph: find(graph, None), write)
    settings = server_parts(request).settings
    check_role(request.scope, settings.what_if_role)
    is_exact = required_format(request.headers.get("accept"), REPORTS) == "exact"
    found = await documents(request)

    def parse() -> ShapesGraph:
        parts = (each.triples(str(place), keeps_labels=is_exact) for place, each in enumerate(found))
        return ShapesGraph(triple for part in parts for triple in part)

    shapes = await parse_shapes(request, parse)

    def report_of_trial(graph: KnowledgeGraph) -> _CommitReport:
        with graph.evaluating(budget=settings.what_if_budget):
            return find(graph, shapes)

    return await engine_answer(request, report_of_trial, write)


class _CommitReport(NamedTuple):
    """A report, with the commit and the prefixes of its graph, and the members that the JSON has for each shape."""

    report: Report
    commit: int
    prefixes: Mapping[str, str]
    counts: dict[str, Any]


def _reader(request: Request, given: Parameters) -> Callable[[KnowledgeGraph, ShapesGraph | None], _CommitReport]:
    """Return a function that validates a graph, against other shapes than its own if they are given."""
    mode, with_shapes = cast(DataMode, single(given, "data") or "inferred"), flag(given, "shapes")
    check_choice("data", mode, DataMode)
    if with_shapes and (request.method == "POST" or mode != "inferred"):
        raise Problem(400, "shapes=true counts the results of the graph's own shapes over inferred data: GET, no data=")

    def read(graph: KnowledgeGraph, shapes: ShapesGraph | None) -> _CommitReport:
        whole = graph.validate(mode, shapes=shapes)
        return _CommitReport(whole, graph.commit, graph.prefixes, _counts(graph, with_shapes))

    return read


def _writer(request: Request, given: Parameters) -> Callable[[_CommitReport], Response]:
    """Return a function that answers with a report, or with the part of it that the parameters name."""
    form, prefixes, limit = (
        required_format(request.headers.get("accept"), REPORTS),
        prefixes_of(given),
        number(given, "limit"),
    )
    language, shape, focus = single(given, "language"), _term(given, "shape"), _term(given, "focus")

    def write(read: _CommitReport) -> Response:
        report = read.report.part(shape=shape, focus=focus, severities=given.get("severity", []))
        headers = {"Vary": "Accept", "Kgreason-Commit": str(read.commit)}
        names = {**read.prefixes, **prefixes}
        match form:
            case "json":
                return JSONResponse(_json(report, limit, language) | read.counts, headers=headers)
            case "exact":
                return JSONResponse(reports.to_json(report), headers=headers, media_type=EXACT)
            case "txt":
                text = f"{report.to_text(names, language)}\n"
            case "md":
                text = f"{report.to_markdown(names)}\n"
            case _:
                text = report.to_rdf(form, names)
        return Response(text, headers=headers | {"Content-Type": content_type(REPORTS[form][0])})

    return write


def _json(report: Report, limit: int | None, language: str | None) -> dict[str, Any]:
    """Return a report as JSON, with at most `limit` of its results; `count` is how many it has."""
    results = [each.to_json(language) for each in report.results[:limit]]
    return {"conforms": report.conforms, "data": report.data, "count": len(report), "results": results}


def _counts(graph: KnowledgeGraph, is_wanted: bool) -> dict[str, Any]:
    if not is_wanted:
        return {}
    names = {"is_deactivated": "deactivated"}
    return {
        "shapes": [
            {names.get(name, name): value for name, value in each._asdict().items()} for each in graph.shapes.counts()
        ]
    }


def _term(given: Parameters, name: str) -> str | None:
    """Return a parameter that is a term, as N-Triples text: an IRI may be without its angle brackets."""
    if (text := single(given, name)) is None:
        return None
    check_terms(name, text)
    try:
        return str(term_of(text if text[:1] in '<"_' else f"<{text}>"))
    except InputError as error:
        raise Problem(400, f"{name}={text}: {error}") from error
