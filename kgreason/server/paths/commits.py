"""What a request that edits the graph says of its commit, and `If-Match`, which guards an edit.

ETag: "12.ttl"               the state of commit 12, in Turtle; If-Match takes "12" as well
Kgreason-Commit: 13          the number of the last commit after the edit
Kgreason-Asserted: 1         quads that were asserted; Kgreason-Retracted: quads that were retracted
Kgreason-Appeared: 7         triples that appeared, asserted or inferred; Kgreason-Disappeared
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.paths.served import served
from kgreason.server.problems import Problem
from kgreason.sparql.operations import Operation

_TAG = re.compile(r'(?:W/)?"(\d+)(?:\.\w+)?"')
Check = Callable[[KnowledgeGraph], Any]


async def carried_out(request: Request, operations: tuple[Operation, ...], before: Check) -> tuple[Any, Response]:
    """Carry out operations as one commit. The result is that of `before`, which runs first, and the answer.

    Nobody changes the graph between `before` and the operations. Raises Problem if If-Match does not hold.
    """
    condition = request.headers.get("if-match")

    state, asked = served(request), time.perf_counter()

    def edit(graph: KnowledgeGraph) -> tuple[Any, Delta, int, float]:
        begun = time.perf_counter()
        check_match(condition, graph.commit)
        found = before(graph)
        return found, graph.carry_out(operations).delta, graph.commit, begun

    found, delta, commit, begun = await state.writer.run(edit)
    if delta.commit:
        state.recent.committed(commit, time.perf_counter() - asked, begun - asked)
    return found, Response(status_code=204, headers=headers(delta, commit))


def headers(delta: Delta, commit: int) -> dict[str, str]:
    """The headers of the answer to an edit."""
    return {
        "ETag": tag(commit),
        "Kgreason-Commit": str(commit),
        "Kgreason-Asserted": str(len(delta.added_quads)),
        "Kgreason-Retracted": str(len(delta.removed_quads)),
        "Kgreason-Appeared": str(len(delta.appeared_rows)),
        "Kgreason-Disappeared": str(len(delta.disappeared_rows)),
    }


def tag(commit: int, form: str = "") -> str:
    """The ETag of a commit, in a format."""
    return f'"{commit}.{form}"' if form else f'"{commit}"'


def check_match(condition: str | None, commit: int) -> None:
    """Raise Problem if the header If-Match does not name the last commit."""
    if condition is None or condition.strip() == "*":
        return
    if str(commit) not in _TAG.findall(condition):
        raise Problem(412, f"the graph has commit {commit} now, and If-Match names another one", {"ETag": tag(commit)})
