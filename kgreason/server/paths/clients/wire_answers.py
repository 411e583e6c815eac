"""Answers as values of the library (`wire`) for clients of kgreason (`kgreason.connect`). Other clients get plain JSON.

Accept: application/vnd.kgreason+json    ->    the value        application/json, */*    ->    plain JSON
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.errors import LimitError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.formats import Types, required_format
from kgreason.server.paths.commits import headers
from kgreason.shapes.graph import ShapesGraph
from kgreason.wire import EXACT, deltas, values

_FORMS: Types = {"json": ("application/json",), "exact": (EXACT,)}
DELTAS: Types = {**_FORMS, "patch": ("application/rdf-patch", "text/x-rdf-patch")}

_MOST = 1_000_000
"""An answer to a what-if has at most this many triples: to write them takes a second or two."""


def wants_library_value(request: Request) -> bool:
    """Whether a request accepts a value of the library. Raises Problem if it accepts neither a value nor plain JSON."""
    return required_format(request.headers.get("accept"), _FORMS) == "exact"


def response_of(request: Request, value: Callable[[], Any], plain: Callable[[], Any]) -> Response:
    """Answer with `value()` if the request accepts a value of the library, otherwise with `plain()` as plain JSON.

    Raises Problem if the request accepts neither.
    """
    if wants_library_value(request):
        return JSONResponse(values.to_json(value()), media_type=EXACT)
    return JSONResponse(plain())


def writer_of_delta(request: Request, delta: Delta, commit: int, **more: int) -> Callable[[], Response]:
    """Return a function that answers with the delta of an edit: as a value of the library, as RDF Patch or as JSON.

    Call this in the thread of the writer, which has the terms of the delta, and the function that it returns in any
    thread. `commit` is the number of the last commit. `more` are further members of a JSON answer. Raises Problem if
    the request accepts none of these forms.
    """
    return _writer(request, delta, delta.to_json, headers(delta, commit), more)


def writer_of_what_if(
    request: Request, delta: Delta, limit: int | None, graph: KnowledgeGraph, **more: int
) -> Callable[[], Response]:
    """Return a function that answers with the delta of a what-if: as a value of the library, as RDF Patch or as JSON.

    Call this in the thread of the writer, and the function that it returns in any thread. In plain JSON, each list of
    triples or quads has at most `limit` elements; None is no limit. `more` are further members of a JSON answer. Raises
    Problem if the request accepts none of these forms, and LimitError if the answer would have very many triples.
    """
    is_short = limit is not None and limit < _MOST and required_format(request.headers.get("accept"), DELTAS) == "json"
    if len(delta) > _MOST and not is_short:
        raise LimitError(f"the what-if changes {len(delta):,} triples, too many for an answer; give a limit for JSON")
    return _writer(request, delta, lambda: _what_if_json(delta, limit, graph), {}, more)


def _writer(
    request: Request,
    delta: Delta,
    plain: Callable[[], dict[str, Any]],
    of_commit: Mapping[str, str],
    more: dict[str, int],
) -> Callable[[], Response]:
    match required_format(request.headers.get("accept"), DELTAS):
        case "patch":
            return partial(Response, delta.to_patch(), headers={**of_commit, "Content-Type": "application/rdf-patch"})
        case "exact":
            return partial(JSONResponse, deltas.to_json(delta) | more, headers=of_commit, media_type=EXACT)
        case _:
            return partial(JSONResponse, plain() | more, headers=of_commit)


def _what_if_json(delta: Delta, limit: int | None, graph: KnowledgeGraph) -> dict[str, Any]:
    """Return the delta of a what-if as plain JSON. Each list of triples or quads has at most `limit` elements.

    The member `counts` has the lengths of the lists without the limit, and `commit` is the number of the last commit.
    """
    counts = delta.counts()
    shapes = ShapesGraph(graph.shapes.triples()) if any(counts["results"].values()) else None
    told = delta.to_json(limit, shapes) | {"commit": graph.commit, "counts": counts}
    told |= {"contradictions": [str(each) for each in delta.contradictions]}
    told |= {"ended": [str(each) for each in delta.ended]}
    told["reasons"] = [
        {"triple": triple, "rule": why.rule, "text": why.text, "axioms": why.axioms}
        for triple, why in delta.reasons.items()
    ]
    return told
