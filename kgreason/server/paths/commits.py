"""Headers of the answer to an edit, which say what the commit did; and `If-Match`, which guards an edit.

ETag: "12.ttl"               the state of commit 12, in Turtle; If-Match takes "12" as well
Kgreason-Commit: 13          the number of the last commit after the edit
Kgreason-Asserted: 1         quads that were asserted; Kgreason-Retracted: quads that were retracted
Kgreason-Appeared: 7         triples that appeared, asserted or inferred; Kgreason-Disappeared
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.paths.served import parameters, served, single
from kgreason.server.problems import Problem
from kgreason.sparql.operations import Operation

_TAG = re.compile(r'(?:W/)?"(\d+)(?:\.\w+)?"')
Found = TypeVar("Found")
Result = TypeVar("Result")
Check = Callable[[KnowledgeGraph], Any]


async def carried_out(request: Request, operations: tuple[Operation, ...], before: Check) -> tuple[Any, Response]:
    """Carry out operations as one commit. Returns the result of `before`, which runs first, and the answer.

    Nobody changes the graph between `before` and the operations. Raises Problem if If-Match does not hold.
    """

    def edit(graph: KnowledgeGraph) -> tuple[Any, Delta]:
        found = before(graph)
        return found, graph.carry_out(operations).delta

    return await edited(request, edit, lambda found, delta, commit: (found, done(delta, commit)))


async def edited(
    request: Request,
    edit: Callable[[KnowledgeGraph], tuple[Found, Delta]],
    answer: Callable[[Found, Delta, int], Result],
) -> Result:
    """Edit the graph, and make the answer before anybody else edits it; `answer` gets the number of the last commit.

    Raises Problem if If-Match does not hold, and the errors of the edit.
    """
    condition, how = request.headers.get("if-match"), _means(request)
    state, asked = served(request), time.perf_counter()

    def run(graph: KnowledgeGraph) -> tuple[Result, int, float]:
        begun = time.perf_counter()
        check_match(condition, graph.commit)
        with graph.evaluating(**how):
            found, delta = edit(graph)
        return answer(found, delta, graph.commit), delta.commit, begun

    result, commit, begun = await state.writer.run(run)
    if commit:
        state.recent.committed(commit, time.perf_counter() - asked, begun - asked)
    return result


def done(delta: Delta, commit: int) -> Response:
    """The answer to an edit without a body."""
    return Response(status_code=204, headers=headers(delta, commit))


def _means(request: Request) -> dict[str, Any]:
    """The parameters `strategy` and `budget`, which say how the commit is evaluated. Raises Problem."""
    given = parameters(request)
    strategy, budget = single(given, "strategy"), single(given, "budget")
    if strategy not in (None, "auto", "update", "bootstrap"):
        raise Problem(400, f"strategy={strategy}: write auto, update or bootstrap")
    if budget is not None and not (budget.isascii() and budget.isdigit() and int(budget[:18]) > 0):
        raise Problem(400, f"budget={budget}: write a number, at least 1")
    return {"strategy": strategy, "budget": None if budget is None else int(budget[:18])}


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
