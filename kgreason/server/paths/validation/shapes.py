"""`/shapes`: the shapes graph, as `/store` has a graph of triples.

    GET       its triples, in a format of RDF; If-None-Match       PUT       replaces it by the documents in the body
    POST      adds the documents                                   DELETE    empties it

Each edit is one commit, and changes only the rules of the shapes that it touches. Shapes are rules, so an edit needs
the role of an edit of rules. A blank node of a document that is PUT keeps its label: to PUT the same document again
changes nothing. POST makes new blank nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.writing import write
from kgreason.rules.model import Triple
from kgreason.server.formats import TRIPLES, content_type, required_format
from kgreason.server.http.conditions import check_read, etag
from kgreason.server.paths.commits import commit_edit, empty_response
from kgreason.server.paths.documents import StoredResponse
from kgreason.server.paths.server_parts import ask_engine, parameters, parse_shapes, server_parts
from kgreason.server.paths.validation.documents import ShapesDocument, documents
from kgreason.server.problems import Problem
from kgreason.server.states import States
from kgreason.shapes.vocabulary import SH, SHAPE
from kgreason.terms.tags import parse_quads

_PARAMETERS = {"strategy", "budget"}


class _ShapesGraph:
    """The target of a request, for If-Match. The shapes graph always exists; it may be empty."""

    def state(self, states: States) -> int:
        """Return the number of the last commit that changed the shapes graph."""
        return states.state_of(SHAPE)

    def exists(self, _: KnowledgeGraph) -> bool:
        """Return True."""
        return True


_TARGET = _ShapesGraph()


async def shapes(request: Request) -> Response:
    """GET reads the shapes graph, PUT replaces it, POST adds shapes to it, and DELETE empties it."""
    if unknown := set(parameters(request)) - _PARAMETERS:
        raise Problem(400, f"/shapes has no parameter {min(unknown)}; it has {', '.join(sorted(_PARAMETERS))}")
    match request.method:
        case "PUT" | "POST":
            return await _edit(request, await documents(request))
        case "DELETE":
            return await _edit(request, ())
        case _:
            return await _get(request)


async def _get(request: Request) -> Response:
    form, states = required_format(request.headers.get("accept"), TRIPLES), server_parts(request).writer.states
    headers = {"Vary": "Accept", "Content-Type": content_type(TRIPLES[form][0])}
    state = _TARGET.state(states)
    if (same := check_read(request.headers, etag(state, form), state, states.commit)) is not None:
        return Response(status_code=304, headers=headers | {"ETag": same})

    def read(graph: KnowledgeGraph) -> tuple[list[Triple], dict[str, str], int]:
        return sorted(graph.shapes.triples()), graph.prefixes, _TARGET.state(states)

    triples, prefixes, state = await ask_engine(request, read)

    def write_triples(file: IO[bytes]) -> None:
        lines = "".join(f"{' '.join(triple)} .\n" for triple in triples).encode()
        write((each.triple for each in parse_quads(lines, lenient=True)), file, form, {"sh": SH, **prefixes})

    return await StoredResponse.of(write_triples, headers | {"ETag": etag(state, form)})


async def _edit(request: Request, found: Sequence[ShapesDocument]) -> Response:
    """Edit the shapes graph as one commit. The answer has the ETag of the shapes graph."""
    states, adds = server_parts(request).writer.states, request.method == "POST"
    owner = uuid4().hex if adds else "the shapes graph"

    def parse() -> set[Triple]:
        return {triple for place, each in enumerate(found) for triple in each.triples(f"{owner} {place}")}

    come = await parse_shapes(request, parse)

    def edit(graph: KnowledgeGraph) -> tuple[None, Delta]:
        with graph.transaction() as tx:
            tx.shapes.replace(() if adds else tx.shapes.triples(), come)
        return None, tx.delta

    def answer(_: None, delta: Delta, commit: int) -> Response:
        response = empty_response(delta, commit)
        is_changed = delta.commit and len(delta.relation(SHAPE, 3))
        response.headers["ETag"] = etag(delta.commit if is_changed else _TARGET.state(states))
        return response

    return await commit_edit(request, edit, answer, _TARGET)
