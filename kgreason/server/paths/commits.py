"""Headers of the answer to an edit, which say what the commit did; and `If-Match`, which guards an edit.

ETag: "12.ttl"               the state of commit 12, in Turtle; If-Match also accepts "12"
Kgreason-Commit: 13          the number of the last commit after the edit
Kgreason-Asserted: 1         quads that were asserted; Kgreason-Retracted: quads that were retracted
Kgreason-Appeared: 7         triples that appeared, asserted or inferred; Kgreason-Disappeared: triples that disappeared
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
from kgreason.server.session import author_of
from kgreason.sparql.operations import Operation

_TAG = re.compile(r'(?:W/)?"(\d+)(?:\.\w+)?"')
Found = TypeVar("Found")
Result = TypeVar("Result")
Check = Callable[[KnowledgeGraph], Any]


async def carried_out(request: Request, operations: tuple[Operation, ...], before: Check) -> tuple[Any, Response]:
    """Call `before(graph)`, then carry out the operations as one commit.

    Returns the result of `before`, and the answer to the request. Nobody else changes the graph between the two steps.
    Raises Problem if the header If-Match does not name the last commit, and the errors of `before`.
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
    """Edit the graph in the thread of the writer. Returns the result of `answer(found, delta, commit)`.

    `edit(graph)` makes the edit and returns `found`, which may be any value, and the delta. `commit` is the number of
    the last commit. Nobody else edits the graph before `answer` has returned. Raises Problem if the header If-Match
    does not name the last commit, and the errors of `edit`.
    """
    condition, how = request.headers.get("if-match"), _means(request) | {"author": author_of(request.scope)}
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
    """Return the answer to an edit: headers that say what the commit did, and no body."""
    return Response(status_code=204, headers=headers(delta, commit))


def _means(request: Request) -> dict[str, Any]:
    """Return the parameters `strategy` and `budget` of a request, as arguments for `KnowledgeGraph.evaluating`.

    Raises Problem for a value that is not allowed.
    """
    given = parameters(request)
    strategy, budget = single(given, "strategy"), single(given, "budget")
    if strategy not in (None, "auto", "update", "bootstrap"):
        raise Problem(400, f"strategy={strategy}: write auto, update or bootstrap")
    if budget is not None and not (budget.isascii() and budget.isdigit() and int(budget[:18]) > 0):
        raise Problem(400, f"budget={budget}: write a number, at least 1")
    return {"strategy": strategy, "budget": None if budget is None else int(budget[:18])}


def headers(delta: Delta, commit: int) -> dict[str, str]:
    """Return the headers of the answer to an edit."""
    return {
        "ETag": tag(commit),
        "Kgreason-Commit": str(commit),
        "Kgreason-Asserted": str(len(delta.added_quads)),
        "Kgreason-Retracted": str(len(delta.removed_quads)),
        "Kgreason-Appeared": str(len(delta.appeared_rows)),
        "Kgreason-Disappeared": str(len(delta.disappeared_rows)),
    }


def tag(commit: int, form: str = "") -> str:
    """Return the ETag of the graph after a commit. With `form` it is the ETag of the graph in this format."""
    return f'"{commit}.{form}"' if form else f'"{commit}"'


def check_match(condition: str | None, commit: int) -> None:
    """Raise Problem if the header If-Match does not name the last commit, `commit`.

    `condition` is the value of the header, None if there is no such header.
    """
    if condition is None or condition.strip() == "*":
        return
    if str(commit) not in _TAG.findall(condition):
        raise Problem(412, f"the graph has commit {commit} now, and If-Match names another one", {"ETag": tag(commit)})
