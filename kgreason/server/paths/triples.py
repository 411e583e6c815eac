"""`/triples`: the triples that match a pattern, asserted and inferred ones told apart.

The parameters `subject`, `predicate` and `object` are terms in N-Triples text; a missing one matches any term. Only the
engine knows which triples are asserted, so the thread of the writer answers.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from pyoxigraph import DefaultGraph, Quad
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.paths.server_parts import ask_engine, flag, number, parameters, single
from kgreason.server.queries.nesting import check_terms

_MOST = 1_000


async def triples(request: Request) -> Response:
    """Return at most `limit` triples that match a pattern, each with a flag that says whether it is asserted.

    With `described=true` the answer also has the triples that say what its blank nodes stand for.
    """
    given = parameters(request)
    terms = [single(given, name) for name in ("subject", "predicate", "object")]
    check_terms("pattern", *terms)
    limit = number(given, "limit")
    most = _MOST if limit is None else min(limit, _MOST)
    is_described = flag(given, "described")
    return JSONResponse(await ask_engine(request, lambda graph: _answer(graph, terms, most, is_described)))


def _answer(graph: KnowledgeGraph, terms: list[str | None], most: int, is_described: bool) -> dict[str, Any]:
    subject, predicate, object_ = terms
    found = list(islice(graph.match(subject, predicate, object_, DefaultGraph()), most + 1))
    told: list[dict[str, Any]] = [
        {"triple": [*map(str, quad.triple)], "asserted": _is_asserted(graph, quad)} for quad in found[:most]
    ]
    answer: dict[str, Any] = {"commit": graph.commit, "triples": told, "complete": len(found) <= most}
    if is_described:
        answer["described"] = graph.described(term for each in told for term in each["triple"])
    return answer


def _is_asserted(graph: KnowledgeGraph, quad: Quad) -> bool:
    return next(iter(graph.match(quad.subject, quad.predicate, quad.object, asserted=True)), None) is not None
