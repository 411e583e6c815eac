"""`/store`: the SPARQL 1.1 Graph Store Protocol, with the paths and parameters of Oxigraph's server.

    /store?default           the default graph: its asserted triples. So a client may get them, edit them and put them
                             back, and asserts no inferred triple. With inferred=true, GET gives the closure
    /store?graph=IRI         a named graph: its asserted triples
    /store/some/name         the named graph whose name is this address: its asserted triples
    /store                   all graphs as quads. A POST of triples makes a new graph, named in the header Location

A PUT is one commit, and so is a POST. A graph without triples does not exist. Named graphs and the closure are read by
a query process, with literals in the normal form that queries show. Asserted triples of the default graph are read from
the engine, with literals as they were written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import IO, NamedTuple, TypeVar
from uuid import uuid4

from pyoxigraph import NamedNode
from starlette.requests import Request
from starlette.responses import Response

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.writing import write
from kgreason.server.formats import QUADS, TRIPLES, content_type, media_type, required_format
from kgreason.server.http.conditions import check_read, etag
from kgreason.server.paths.commits import commit_edit, empty_response
from kgreason.server.paths.documents import StoredResponse, default_triples, load_operations, quads_of
from kgreason.server.paths.server_parts import (
    address,
    ask_engine,
    ask_process,
    flag,
    iri,
    parameters,
    response,
    server_parts,
    single,
)
from kgreason.server.problems import Problem
from kgreason.server.queries.pool import Request as Query
from kgreason.server.states import States, changed_graphs
from kgreason.sparql.operations import Clear, Operation

Found = TypeVar("Found")
_TRIES = 3
"""How often a graph is read again that is changed meanwhile."""
_PARAMETERS = {"graph", "default", "inferred", "strategy", "budget"}


class Target(NamedTuple):
    """What a request is about: one graph, or all graphs together (`is_all`).

    - `name`: the name of the one graph; None is the default graph
    - `base`: the base of relative IRIs in documents
    - `is_inferred`: whether the request asks for the closure
    """

    is_all: bool
    name: str | None
    base: str
    is_inferred: bool

    @property
    def term(self) -> str | None:
        """The name of the graph as N-Triples text."""
        return None if self.name is None else f"<{self.name}>"

    @property
    def clear_operation(self) -> Clear:
        """The operation of SPARQL Update that empties the target."""
        if self.is_all:
            return Clear(True, None)
        return Clear(self.name is None, () if self.term is None else (self.term,))

    @property
    def is_whole(self) -> bool:
        """Whether every commit may change the target: all graphs together, or the closure."""
        return self.is_all or (self.is_inferred and self.name is None)

    def state(self, states: States) -> int:
        """Return the number of the last commit that changed the target."""
        return states.commit if self.is_whole else states.state_of(self.term)

    def exists(self, graph: KnowledgeGraph) -> bool:
        """Whether the target exists. The default graph and all graphs together always exist.

        A named graph exists if it has a triple.
        """
        return self.name is None or next(graph.match(graph=NamedNode(self.name)), None) is not None


async def store(request: Request) -> Response:
    """GET reads a graph, PUT replaces it, POST adds triples to it, and DELETE empties it."""
    target = _target(request)
    match request.method:
        case "PUT":
            return await _put(request, target)
        case "POST":
            return await _post(request, target)
        case "DELETE":
            return await _delete(request, target)
        case _:
            return await _get(request, target)


def _target(request: Request) -> Target:
    """Return the target that a request names: one graph, or all graphs. Raises Problem."""
    given, here = parameters(request), address(request)
    graph, is_default = single(given, "graph"), "default" in given
    if unknown := set(given) - _PARAMETERS:  # DELETE /store?Graph=... would otherwise empty all graphs
        raise Problem(400, f"/store has no parameter {min(unknown)}; it has {', '.join(sorted(_PARAMETERS))}")
    inferred = flag(given, "inferred")
    if is_direct := bool(request.path_params.get("graph")):
        whole = request.url.replace(path="", query="", fragment="")
        here = f"{whole}{request.scope['raw_path'].decode('latin-1')}"
    if sum((graph is not None, is_default, is_direct)) > 1:
        raise Problem(400, "the graph is named twice: give only one of ?graph=, ?default and a path below /store")
    if is_default:
        return Target(False, None, here, inferred)
    if graph is None and not is_direct:
        return Target(True, None, here, inferred)
    name = iri("" if graph is None else graph, here)
    return Target(False, name, name, inferred)


async def _get(request: Request, target: Target) -> Response:
    types, writer = QUADS if target.is_all else TRIPLES, server_parts(request).writer
    form = required_format(request.headers.get("accept"), types)
    headers = {"Vary": "Accept", "Content-Type": content_type(types[form][0])}
    state = target.state(writer.states)
    same = check_read(request.headers, etag(state, form), state, writer.commit)
    if same is not None and (target.name is None or await ask_engine(request, target.exists)):
        return Response(status_code=304, headers=headers | {"ETag": same})
    if target.name is not None or (target.is_inferred and not target.is_all):
        return await _read(request, target, form, headers)
    asserted = None if target.is_inferred else True
    lines, state = await ask_engine(
        request, lambda graph: (graph.dump(asserted=asserted, graphs=True), target.state(writer.states))
    )
    headers["ETag"] = etag(state, form)
    return await StoredResponse.of(lambda file: _write(file, lines, form, is_all=target.is_all), headers)


async def _read(request: Request, target: Target, form: str, headers: dict[str, str]) -> Response:
    """Have a query process read the target, and return the answer with these headers.

    The process may see a commit that this process does not know yet. So the answer has an ETag only if the target was
    not changed from before the read until after it. Under edits of the target it is read again, a few times.
    """
    writer = server_parts(request).writer
    for left in reversed(range(_TRIES)):
        state = target.state(writer.states)
        answer = await ask_process(request, Query(None, writer.commit, graph=target.name, triples=form))
        try:
            is_known = await writer.wait_for_states()
        except BaseException:
            answer.close()
            raise
        if is_known and target.state(writer.states) == state:
            headers["ETag"] = etag(state, form)
        elif is_known and left:
            answer.close()
            continue
        break
    return response(answer, headers.pop("Content-Type"), headers)


def _write(file: IO[bytes], lines: Iterable[bytes], form: str, *, is_all: bool) -> None:
    """Read quads from N-Quads lines, and write them to a file in the format `form`."""
    quads = quads_of(lines)
    write(quads if is_all else default_triples(quads), file, form)


async def _put(request: Request, target: Target) -> Response:
    async with load_operations(request, target.term, target.base, several=target.is_all) as loads:
        return await _replace(request, target, (target.clear_operation, *loads))


async def _post(request: Request, target: Target) -> Response:
    media = media_type(request.headers.get("content-type"))
    if target.is_all and not any(media in medias for medias in QUADS.values()):
        name = f"{target.base}/{uuid4().hex}"
        async with load_operations(request, f"<{name}>", name, several=False) as loads:
            made = await _replace(request, Target(False, name, name, False), loads)
        made.headers["Location"] = name
        return made
    async with load_operations(request, target.term, target.base, several=target.is_all) as loads:
        return await _replace(request, target, loads)


async def _replace(request: Request, target: Target, operations: tuple[Operation, ...]) -> Response:
    """Carry out the operations as one commit. The answer has the status 201 if the target did not exist before."""
    was_there, answer = await _commit(request, target, operations, target.exists)
    if not was_there:
        answer.status_code = 201
        answer.headers["Content-Length"] = "0"
    return answer


async def _delete(request: Request, target: Target) -> Response:
    def check(graph: KnowledgeGraph) -> None:
        if not target.exists(graph):
            raise Problem(404, f"there is no graph {target.term}")

    return (await _commit(request, target, (target.clear_operation,), check))[1]


async def _commit(
    request: Request, target: Target, operations: tuple[Operation, ...], before: Callable[[KnowledgeGraph], Found]
) -> tuple[Found, Response]:
    """Call `before(graph)`, then carry out the operations as one commit.

    Returns the result of `before`, and the answer to the request. Nobody else changes the graph between the two steps.
    The answer has the ETag of the target, if the target still exists. Raises Problem, and the errors of `before`.
    """
    states = server_parts(request).writer.states

    def edit(graph: KnowledgeGraph) -> tuple[tuple[Found, bool], Delta]:
        found = before(graph)
        delta = graph.carry_out(operations).delta
        return (found, target.exists(graph)), delta

    def answer(found: tuple[Found, bool], delta: Delta, commit: int) -> tuple[Found, Response]:
        response = empty_response(delta, commit)
        is_changed = delta.commit and (target.is_whole or target.term in changed_graphs(delta))
        response.headers["ETag"] = etag(delta.commit if is_changed else target.state(states))
        if not found[1]:
            del response.headers["ETag"]
        return found[0], response

    return await commit_edit(request, edit, answer, target)
