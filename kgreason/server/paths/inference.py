"""Questions about inference: /what-if, /explain, /why-not, /rules, /contradictions; and /stats, /changes, /health.

/health and /changes do not ask the engine. All other paths ask the engine, in the thread of the writer. There edits go
first, and a question may use only so much time and memory (`server.writer`). To write a proof may take long, so
another thread does that (`served.engine_answer`), with the same limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.errors import KgreasonError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.input.quads import Item
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.user_rules import journal_text
from kgreason.interrupts import let_out
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.proof import Proof, Unsatisfiable
from kgreason.proofs.why_not.answer import WhyNot
from kgreason.server import body
from kgreason.server.formats import TRIPLES, Types, media_type, required_format
from kgreason.server.guard import check_role
from kgreason.server.paths.clients.reads import asserted_parameter
from kgreason.server.paths.clients.transactions import LINES, answer_what_if, check_depth
from kgreason.server.paths.clients.wire_answers import response_of, wants_library_value, writer_of_what_if
from kgreason.server.paths.commits import check_conditions, headers
from kgreason.server.paths.documents import load_operations
from kgreason.server.paths.server_parts import (
    Parameters,
    address,
    ask_engine,
    engine_answer,
    flag,
    iri,
    number,
    parameters,
    server_parts,
    single,
)
from kgreason.server.paths.update import update_of
from kgreason.server.problems import Problem, problem_of
from kgreason.server.queries.nesting import check_terms
from kgreason.server.queries.steps import terms_of
from kgreason.server.session import author_of, reader_of
from kgreason.server.streams.feed import Stream
from kgreason.server.streams.views import View, pattern_of

Found = TypeVar("Found")
RULES = "text/x-kgreason-rules"
"""The media type of rules in the rule language of kgreason."""
_STREAMS: Types = {"json": ("text/event-stream",), "patch": ("application/rdf-patch", "text/x-rdf-patch")}
_REASONS = 1000
"""An answer of /what-if has the reasons of at most this many triples of each kind."""


async def what_if(request: Request) -> Response:
    """Return the delta that an edit would have, with the contradictions that it would cause and end.

    The edit is an update, a document, rules, or several edits (`transactions`). The triples of a document go into the
    graph that the parameter `graph` names, or into the default graph.
    """
    settings, given = server_parts(request).settings, parameters(request)
    check_role(request.scope, settings.what_if_role)
    limit, reasons = number(given, "limit"), _REASONS if flag(given, "why") else 0
    most = reasons if limit is None else min(limit, reasons)
    media = media_type(request.headers.get("content-type"))

    async def answer(attempt: Callable[[KnowledgeGraph], tuple[Delta, dict[str, int]]]) -> Response:
        def call(graph: KnowledgeGraph) -> Callable[[], Response]:
            with graph.evaluating(budget=settings.what_if_budget):
                delta, more = attempt(graph)
            return writer_of_what_if(request, delta, limit, graph, **more)

        return await engine_answer(request, call, lambda write: write())

    if media == LINES:
        return await answer_what_if(request, lambda attempt: answer(lambda graph: (attempt(graph, most), {})))
    if media == RULES:
        text = await body.body_text(request, settings)
        await check_depth(request, text)
        return await answer(lambda graph: (_delta_of_rules(graph, text, most), {}))
    if any(media in medias for medias in TRIPLES.values()):
        name, here = single(given, "graph"), address(request)
        graph_name = None if name is None else f"<{iri(name, here)}>"
        async with load_operations(request, graph_name, here, several=False) as loads:
            return await answer(lambda graph: (graph.carry_out(loads, keep=False, reasons=most).delta, {}))
    asked = await update_of(request)

    def update(graph: KnowledgeGraph) -> tuple[Delta, dict[str, int]]:
        found = graph.carry_out(asked.operations, keep=False, reasons=most, wheres=asked.wheres)
        return found.delta, {"unasserted": found.unasserted, "entailed": found.entailed}

    return await answer(update)


def _delta_of_rules(graph: KnowledgeGraph, text: str, reasons: int) -> Delta:
    with graph.what_if(reasons=reasons) as tx:
        tx.add_rules(text, "the body")
    return tx.delta


async def explain(request: Request) -> Response:
    """Return a proof of a triple, or of a fact of a relation. With `all=true`: one proof for each derivation.

    With `folded=true` steps that only take lists and expressions apart are left out.
    """
    given = parameters(request)
    is_folded = flag(given, "folded")

    def plain(proof: Proof) -> dict[str, Any]:
        return _proof_json(proof, is_folded=is_folded)

    if (name := single(given, "relation")) is not None:
        terms = terms_of(given.get("term", []))
        return await _answer(request, lambda graph: graph.relation(name).explain(terms), plain)
    triple = _triple(given)
    if flag(given, "all"):
        return await _answer(request, lambda graph: graph.explain_all(triple), lambda proofs: list(map(plain, proofs)))
    return await _answer(request, lambda graph: graph.explain(triple), plain)


async def _answer(request: Request, find: Callable[[KnowledgeGraph], Found], plain: Callable[[Found], Any]) -> Response:
    """Answer with `find(graph)`, or with what `plain` makes of it."""
    return await engine_answer(request, find, lambda found: response_of(request, lambda: found, lambda: plain(found)))


def _proof_json(proof: Proof, *, is_folded: bool) -> dict[str, Any]:
    return (proof.folded() if is_folded else proof).to_json()


async def why_not(request: Request) -> Response:
    """Return why a triple, or a fact of a relation, does not hold. The answer has at most `limit` rules."""
    given = parameters(request)
    limit, name = single(given, "limit") or "10", single(given, "relation")
    if not (limit.isascii() and limit.isdigit() and int(limit[:9]) > 0):
        raise Problem(400, f"limit={limit}: write a number, at least 1")
    most = int(limit[:9])
    if name is None:
        triple = _triple(given)
        return await _answer(request, lambda graph: graph.why_not(triple, limit=most), WhyNot.to_json)
    row = terms_of(given.get("term", []))
    return await _answer(request, lambda graph: graph.relation(name).why_not(row, limit=most), WhyNot.to_json)


def _triple(given: Parameters) -> Item:
    """Return the triple in the parameters: Turtle text in `triple`, or three parameters `term`. Raises Problem."""
    text, terms = single(given, "triple"), given.get("term", [])
    check_terms("triple", text, *terms)
    if text is None and len(terms) == 3:
        return tuple(terms)
    if text is None:
        raise Problem(
            400,
            "the parameter 'triple' is missing; give a triple in Turtle, for example <http://e/tom> a <http://e/Cat>",
        )
    return text


async def rules(request: Request) -> Response:
    """GET lists the rules in force. POST adds rules. DELETE removes the rules called `name`, or those in its body."""
    given, state = parameters(request), server_parts(request)
    if request.method in ("GET", "HEAD"):
        if flag(given, "own"):
            return await _answer(request, KnowledgeGraph.own_rules, lambda own: list(map(journal_text, own)))
        how = {name: flag(given, name) for name in ("costs", "alone", "anew")}
        return JSONResponse(await ask_engine(request, lambda graph: graph.rules(**how)))
    name = single(given, "name")
    is_text = name is None or request.method == "POST"
    if is_text and media_type(request.headers.get("content-type")) != RULES:
        raise Problem(415, f"send rules as {RULES}")
    text = (await body.body_text(request, state.settings) if is_text else name) or ""
    if is_text:
        await check_depth(request, text)
    adds = request.method == "POST"

    def edit(graph: KnowledgeGraph) -> dict[str, str]:
        check_conditions(request, graph)
        with graph.transaction(author=author_of(request.scope)) as tx:
            if adds:
                tx.add_rules(text, "the body")
            else:
                tx.remove_rules(text, "the body")
        return headers(tx.delta, graph.commit)

    return Response(status_code=204, headers=await state.writer.run(edit))


async def contradictions(request: Request) -> Response:
    """List the contradictions: the rule, the terms and a line of text for each; with `proofs=true` also a proof.

    With `each` only so many contradictions with one cause have a proof. With `folded=true` steps of a proof that only
    take lists and expressions apart are left out, and `words` is the line with class expressions for blank nodes. With
    `classes=true` the list has, in place of the contradictions, the classes that nothing can be in.
    """
    given = parameters(request)
    is_folded = flag(given, "folded")
    if flag(given, "classes"):
        return await _answer_classes(request, given, is_folded=is_folded)
    with_proofs, limit, each_cause = flag(given, "proofs"), number(given, "limit"), number(given, "each")

    def prove(graph: KnowledgeGraph) -> list[Proof]:
        return graph.prove_contradictions(limit, each=each_cause)

    if wants_library_value(request):
        return await _answer(
            request, lambda graph: prove(graph) if with_proofs else graph.contradictions()[:limit], list
        )

    def find(graph: KnowledgeGraph) -> tuple[Sequence[Contradiction], list[Proof] | None]:
        return graph.contradictions()[:limit], prove(graph) if with_proofs else None

    return await engine_answer(
        request, find, lambda found: JSONResponse(_contradictions_json(*found, is_folded=is_folded))
    )


def _contradictions_json(
    lines: Sequence[Contradiction], proofs: list[Proof] | None, *, is_folded: bool
) -> list[dict[str, Any]]:
    """Return contradictions as JSON, each with its proof if there are `proofs`."""
    by_terms = {tuple(map(str, proof.fact.terms)): proof for proof in proofs or ()}
    objects = list[dict[str, Any]]()
    for line in lines:
        let_out()
        objects.append({"message": str(line), "rule": line.rule, "terms": line.terms, "axioms": line.axioms})
        if proofs is not None:
            proof = by_terms.get((f'"{line.rule}"', *line.terms))
            objects[-1]["proof"] = None if proof is None else _proof_json(proof, is_folded=is_folded)
            if is_folded and proof is not None:
                objects[-1]["words"] = line.to_text(proof.names())
    return objects


async def _answer_classes(request: Request, given: Parameters, *, is_folded: bool) -> Response:
    limit, with_proofs = number(given, "limit"), flag(given, "proofs")
    check_role(request.scope, server_parts(request).settings.what_if_role)

    def plain(found: list[Unsatisfiable]) -> list[dict[str, Any]]:
        objects = list[dict[str, Any]]()
        for each in found:
            let_out()
            objects.append({"message": str(each), "class": each.name})
            if with_proofs:
                objects[-1]["proof"] = _proof_json(each.proof, is_folded=is_folded)
        return objects

    def find(graph: KnowledgeGraph) -> list[Unsatisfiable]:
        with graph.evaluating(budget=server_parts(request).settings.what_if_budget):
            return graph.unsatisfiable_classes()[:limit]

    return await _answer(request, find, plain)


async def stats(request: Request) -> Response:
    """Return counts of the graph, the number of its last commit, its warnings and its options."""

    def read(graph: KnowledgeGraph) -> dict[str, Any]:
        told = {
            "commit": graph.commit,
            "warnings": graph.warnings,
            "streams": graph.streams(),
            "prefixes": graph.prefixes,
        }
        return graph.stats() | told | {"options": graph.options}

    return JSONResponse(await ask_engine(request, read))


async def health(request: Request) -> Response:
    """Answer that the server runs, with the number of the last commit.

    The status is 503, with the reason, while the disk takes no commit. Reads are served all the same, so with
    `live=true` the status is 200.
    """
    writer = server_parts(request).writer
    try:
        if not flag(parameters(request), "live"):
            await run_in_threadpool(writer.graph.check_room)
    except KgreasonError as error:
        reason = problem_of(error).detail
        return JSONResponse({"status": "not writable", "reason": reason, "commit": writer.commit}, 503)
    return JSONResponse({"status": "ok", "commit": writer.commit})


async def changes(request: Request) -> Response:
    """Send each new commit as server-sent events or RDF Patch. With Last-Event-ID, begin after that commit."""
    given = parameters(request)
    after = request.headers.get("last-event-id") or single(given, "after")
    if after is not None and not (after.isascii() and after.isdigit()):
        raise Problem(400, f"{after} is not the number of a commit")
    feed = server_parts(request).feed
    view = _view(request, given)
    sent = {"Content-Type": view.media, "Cache-Control": "no-store", "Vary": "Accept"}
    reader = reader_of(request.scope)
    begin = await feed.enter(None if after is None else int(after[:20]), reader)
    return Stream(feed, reader, feed.follow(begin, view), sent)


def _view(request: Request, given: Parameters) -> View:
    """Return the `View` that a request asks for: its Accept header, and the parameters `match` and `asserted`."""
    form = required_format(request.headers.get("accept"), _STREAMS)
    if form == "json" and single(given, "form") == "exact":
        form = "exact"
    pattern = single(given, "match")
    check_terms("pattern", pattern)
    return View(form, (None, None, None) if pattern is None else pattern_of(pattern), asserted_parameter(given))
