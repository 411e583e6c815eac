"""Headers of the answer to an edit, which say what the commit did; and `If-Match`, which guards an edit.

ETag: "13-5f3a9c0d"          the state of the graph that was edited (`conditions`)
Kgreason-Commit: 13          the number of the last commit after the edit
Kgreason-Committed: true     whether the edit made a commit; false for an edit that changes nothing
Kgreason-Asserted: 1         quads that were asserted; Kgreason-Retracted: quads that were retracted
Kgreason-Appeared: 7         triples that appeared, asserted or inferred; Kgreason-Disappeared: triples that disappeared
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from pyoxigraph import BlankNode, NamedNode
from starlette.requests import Request
from starlette.responses import Response

from kgreason.errors import ViolationError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.guard import ROLE
from kgreason.server.http.conditions import check_edit, etag
from kgreason.server.paths.server_parts import parameters, server_parts, single
from kgreason.server.problems import Problem
from kgreason.server.session import author_of
from kgreason.server.settings import ROLES
from kgreason.server.states import States, changed_graphs
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.result import results_of
from kgreason.shapes.vocabulary import SHAPE
from kgreason.terms import vocabulary as v

_SWRL = tuple(text for text in vars(v).values() if isinstance(text, str) and text.startswith(f"<{v.SWRL}"))
"""The terms of SWRL."""
Found = TypeVar("Found")
Result = TypeVar("Result")


class EditTarget(Protocol):
    """The graph that an edit is about. The headers If-Match and If-None-Match speak of this graph."""

    def state(self, states: States) -> int:
        """Return the number of the last commit that changed the graph."""

    def exists(self, graph: KnowledgeGraph) -> bool:
        """Whether the graph exists."""


class WholeGraph:
    """All graphs and rules together."""

    def state(self, states: States) -> int:
        """Return the number of the last commit."""
        return states.commit

    def exists(self, _: KnowledgeGraph) -> bool:
        """Return True."""
        return True


WHOLE = WholeGraph()


async def commit_edit(
    request: Request,
    edit: Callable[[KnowledgeGraph], tuple[Found, Delta]],
    answer: Callable[[Found, Delta, int], Result],
    target: EditTarget = WHOLE,
) -> Result:
    """Edit the graph in the thread of the writer. Returns the result of `answer(found, delta, commit)`.

    `edit(graph)` makes the edit and returns `found`, which may be any value, and the delta. `commit` is the number of
    the last commit. Nobody else edits the graph before `answer` has returned. Raises the errors of `edit`, where a
    ViolationError gets the messages of the shapes, and Problem if If-Match or If-None-Match does not hold for `target`.
    """
    how = _strategy_and_budget(request) | {"author": author_of(request.scope)}
    state, asked = server_parts(request), time.perf_counter()

    def run(graph: KnowledgeGraph) -> tuple[Result, int, float]:
        begun = time.perf_counter()
        check_conditions(request, graph, target)
        try:
            with graph.evaluating(**how, check=rule_check(request, graph)):
                found, delta = edit(graph)
        except ViolationError as error:
            shapes = ShapesGraph(graph.shapes.triples())
            raise ViolationError(results_of((each.fact for each in error.results), shapes)) from error
        return answer(found, delta, graph.commit), delta.commit, begun

    result, commit, begun = await state.writer.run(run)
    if commit:
        state.recent.note_commit(commit, time.perf_counter() - asked, begun - asked)
    return result


def check_conditions(request: Request, graph: KnowledgeGraph, target: EditTarget = WHOLE) -> None:
    """Raise Problem if If-Match or If-None-Match of an edit does not hold for its target.

    Call this in the thread of the writer.
    """
    if "if-match" in request.headers or "if-none-match" in request.headers:
        states = server_parts(request).writer.states
        check_edit(request.headers, target.state(states), graph.commit, exists=target.exists(graph))


def rule_check(request: Request, graph: KnowledgeGraph) -> Callable[[Delta], None]:
    """Return a function that raises Problem for a commit that edits rules, unless the client may edit rules.

    Shapes are rules. They are edited as such (`check_role`), but a commit that takes back another may change them too.

    SWRL rules are triples, so each edit of triples could bring rules. The function refuses a commit with a changed
    triple that has a term of SWRL, and a commit that changes a cell of a list of a SWRL rule: a shorter list may be a
    rule with fewer conditions, and a list that forks is no rule.
    """
    if request.scope[ROLE] == ROLES[-1]:
        return lambda _: None
    cells = _swrl_cells(graph)

    def check(delta: Delta) -> None:
        if SHAPE in changed_graphs(delta):
            raise Problem(403, "the edit changes the shapes graph, and shapes need the role admin")
        ids = delta.dictionary.find(_SWRL)
        changes = (delta.rows, delta.added_quads[:, :3], delta.removed_quads[:, :3])
        is_rule = any(np.isin(each, ids[ids > 0]).any() for each in changes)
        of_lists, known = delta.dictionary.find((v.RDF_FIRST, v.RDF_REST)), delta.dictionary.find(cells)
        in_lists = (each[np.isin(each[:, 1], of_lists[of_lists > 0])] for each in changes[1:])
        if is_rule or any(np.isin(each[:, 0], known[known > 0]).any() for each in in_lists):
            raise Problem(403, "the edit changes SWRL rules or their lists, and rules need the role admin")

    return check


def _swrl_cells(graph: KnowledgeGraph) -> list[str]:
    lists = (v.SWRL_BODY, v.SWRL_HEAD, v.SWRL_ARGUMENTS)
    waiting = [quad.object for each in lists for quad in graph.match(predicate=NamedNode(each[1:-1]))]
    found: dict[str, None] = {}
    while waiting:
        cell = waiting.pop()
        if isinstance(cell, (NamedNode, BlankNode)) and str(cell) not in found:
            found[str(cell)] = None
            waiting += [quad.object for quad in graph.match(cell, NamedNode(v.RDF_REST[1:-1]))]
    found.pop(v.RDF_NIL, None)
    return list(found)


def empty_response(delta: Delta, commit: int) -> Response:
    """Return the answer to an edit: headers that say what the commit did, and no body."""
    return Response(status_code=204, headers=headers(delta, commit))


def _strategy_and_budget(request: Request) -> dict[str, Any]:
    """Return the parameters `strategy` and `budget` of a request, as arguments for `KnowledgeGraph.evaluating`."""
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
        "ETag": etag(commit),
        "Kgreason-Commit": str(commit),
        "Kgreason-Committed": "true" if delta.commit else "false",
        "Kgreason-Asserted": str(len(delta.added_quads)),
        "Kgreason-Retracted": str(len(delta.removed_quads)),
        "Kgreason-Appeared": str(len(delta.appeared_rows)),
        "Kgreason-Disappeared": str(len(delta.disappeared_rows)),
    }
