"""The past of a graph that keeps its history: /commits, /commits/N, /revert.

    GET  /commits?limit=10            the last commits, the newest first
    GET  /commits/7                   what commit 7 changed; as RDF Patch, if the client asks for it
    GET  /commits/7?since=3           what changed from commit 3 to commit 7
    POST /revert?commit=7             takes commit 7 back, as a new commit; If-Match guards it

`/query?as_of=7` asks the graph as it was after commit 7 (`paths.query`). Reading the past waits for no edit. If a
commit edited rules, only a client that may edit rules can revert it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.interrupts import let_out
from kgreason.server.formats import required_format
from kgreason.server.guard import check_role
from kgreason.server.paths.clients.wire_answers import DELTAS, wants_library_value
from kgreason.server.paths.commits import commit_edit, headers
from kgreason.server.paths.server_parts import number, parameters, read_past, server_parts
from kgreason.server.problems import Problem
from kgreason.server.settings import ROLES
from kgreason.wire import EXACT, deltas

_FEW, _MOST = 100, 10_000


async def commits(request: Request) -> Response:
    """List the last commits, the newest first. Each has a time, the numbers of changes, its rules and its headers."""
    limit = number(parameters(request), "limit")
    graph = server_parts(request).writer.graph
    found = await read_past(request, lambda: _heads(graph, _FEW if limit is None else min(limit, _MOST)))
    return Response(found, media_type="application/json")


def _heads(graph: KnowledgeGraph, limit: int) -> bytes:
    return b"[" + b",".join([_json_object(head.to_json()) for head in graph.log(limit)]) + b"]"


def _json_object(members: Mapping[str, Any]) -> bytes:
    """Return a JSON object. The members may be large, so this calls `let_out` before each of them."""
    texts = []
    for name, value in members.items():
        let_out()
        texts.append(bytes(JSONResponse({name: value}).body)[1:-1])
    return b"{" + b",".join(texts) + b"}"


async def commit(request: Request) -> Response:
    """Return what a commit changed. With `since=N`, return what changed from commit N to this commit."""
    form = required_format(request.headers.get("accept"), DELTAS)
    after, graph = _commit_number(request), server_parts(request).writer.graph
    before = number(parameters(request), "since")
    answer = await read_past(request, lambda: _document(graph, before, after, form))
    return Response(answer[0], headers={"Content-Type": answer[1], "Vary": "Accept"})


def _document(graph: KnowledgeGraph, before: int | None, after: int, form: str) -> tuple[bytes, str]:
    """Return what changed from commit `before` to commit `after`, or in commit `after`, and its content type."""
    if before is None and not after:
        raise Problem(404, "there is no commit 0")
    delta = graph.changes(after - 1 if before is None else before, after)
    if form == "patch":
        return delta.to_patch().encode(), "application/rdf-patch"
    if form == "exact":
        return _json_object(deltas.to_json(delta)), EXACT
    head = {"log": graph.commit_head(after).to_json()} if before is None else {}
    return _json_object(delta.to_json() | head), "application/json"


async def revert(request: Request) -> Response:
    """Take back the commit with the number `commit`. The answer lists the conflicts: changes not taken back."""
    commit = number(parameters(request), "commit")
    if not commit:
        raise Problem(404, "the parameter commit is not the number of a commit")

    def edit(graph: KnowledgeGraph) -> tuple[list[str], Delta]:
        if graph.commit_head(commit).rules:
            check_role(request.scope, ROLES[-1])
        done = graph.revert(commit)
        return list(done.conflicts), done.delta

    def answer(conflicts: list[str], delta: Delta, last: int) -> Callable[[], Response]:
        result: dict[str, Any] = {"commit": last, "conflicts": conflicts}
        exact = {"delta": deltas.to_json(delta)} if wants_library_value(request) else {}
        media = EXACT if exact else None
        return partial(JSONResponse, result | exact, headers=headers(delta, last), media_type=media)

    return await run_in_threadpool(await commit_edit(request, edit, answer))


def _commit_number(request: Request) -> int:
    """Return the number of the commit that the path of a request names. Raises Problem."""
    found = number({"commit": [request.path_params["number"]]}, "commit")
    assert found is not None
    return found
