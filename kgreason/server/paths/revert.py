"""`/revert`: takes a commit back, as a new commit, if the store keeps its history.

A commit that changed rules is taken back by an administrator alone, as rules are changed by administrators alone.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.guard import ROLE
from kgreason.server.paths.commits import edited, headers
from kgreason.server.paths.served import number, parameters, served
from kgreason.server.problems import Problem
from kgreason.server.settings import ROLES


async def revert(request: Request) -> Response:
    """Take back the commit with the number `commit`; the answer has the conflicts, which stay as they are."""
    commit = number(parameters(request), "commit")
    if not commit or commit > served(request).writer.commit:
        raise Problem(404, "the parameter commit is not the number of a commit")
    is_admin = request.scope[ROLE] == ROLES[-1]

    def edit(graph: KnowledgeGraph) -> tuple[list[str], Delta]:
        if not is_admin and graph.changes(commit - 1, commit).rules:
            raise Problem(403, f"commit {commit} has changed rules, and this needs the role {ROLES[-1]}")
        done = graph.revert(commit)
        return list(done.conflicts), done.delta

    def answer(conflicts: list[str], delta: Delta, last: int) -> Response:
        return JSONResponse({"commit": last, "conflicts": conflicts}, headers=headers(delta, last))

    return await edited(request, edit, answer)
