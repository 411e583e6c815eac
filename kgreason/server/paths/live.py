"""What only a live reasoner can say: /what-if, /explain, /why-not, /rules, /contradictions, /stats, /changes, /health.

All of them but /health and /changes ask the engine, in the thread of the writer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server import body
from kgreason.server.feed import described
from kgreason.server.formats import TRIPLES, Types, media_type, wanted
from kgreason.server.paths.commits import check_match, headers
from kgreason.server.paths.documents import brought
from kgreason.server.paths.served import address, flag, number, parameters, served, single
from kgreason.server.paths.update import requested
from kgreason.server.problems import Problem
from kgreason.server.queries.nesting import may_be_deep

RULES = "text/x-kgreason-rules"
"""The media type of rules in the rule language of kgreason."""
_DELTAS: Types = {"json": ("application/json",), "patch": ("application/rdf-patch", "text/x-rdf-patch")}
_REASONS = 1000
"""For how many triples of a kind an answer of /what-if says the reasons at most."""


async def what_if(request: Request) -> Response:
    """The delta that an update, a document or rules would have, with the contradictions that would come and go."""
    form, given = wanted(request.headers.get("accept"), _DELTAS), parameters(request)
    limit, reasons = number(given, "limit"), _REASONS if flag(given, "why") else 0
    most = reasons if limit is None else min(limit, reasons)
    media = media_type(request.headers.get("content-type"))

    async def told(tried: Callable[[KnowledgeGraph], Delta]) -> Response:
        return await served(request).writer.run(lambda graph: _told(tried(graph), form, limit, graph.commit))

    if media == RULES:
        text = await body.text(request, served(request).settings)
        return await told(lambda graph: _with_rules(graph, text, most))
    if any(media in medias for medias in TRIPLES.values()):
        async with brought(request, None, address(request), several=False) as loads:
            return await told(lambda graph: graph.carry_out(loads, keep=False, reasons=most).delta)
    operations = await requested(request)
    return await told(lambda graph: graph.carry_out(operations, keep=False, reasons=most).delta)


def _with_rules(graph: KnowledgeGraph, text: str, reasons: int) -> Delta:
    with graph.what_if(reasons=reasons) as tx:
        tx.add_rules(text, "the body")
    return tx.delta


def _told(delta: Delta, form: str, limit: int | None, commit: int) -> Response:
    """A delta as an answer: at most `limit` triples of each kind, and how many there are of all kinds."""
    if form == "patch":
        return Response(delta.to_patch(), headers={"Content-Type": "application/rdf-patch"})
    told = described(delta)
    lists = [told["asserted"], told["retracted"], *told["appeared"].values(), *told["disappeared"].values()]
    counts = {
        name: {kind: len(found) for kind, found in told[name].items()} for name in ("appeared", "disappeared")
    } | {name: len(told[name]) for name in ("asserted", "retracted")}
    for each in lists if limit is not None else ():
        del each[limit:]
    told |= {"commit": commit, "counts": counts}
    told |= {"contradictions": [str(each) for each in delta.contradictions[:limit]]}
    told |= {"ended": [str(each) for each in delta.ended[:limit]]}
    told["reasons"] = [
        {"triple": triple, "rule": why.rule, "text": why.text, "axioms": why.axioms}
        for triple, why in delta.reasons.items()
    ]
    return JSONResponse(told)


async def explain(request: Request) -> Response:
    """The proof of a triple, which the parameter `triple` gives as Turtle text."""
    triple = _triple(request)
    return JSONResponse(await served(request).writer.run(lambda graph: graph.explain(triple).to_json()))


async def why_not(request: Request) -> Response:
    """Why a triple does not hold."""
    triple = _triple(request)
    return JSONResponse(await served(request).writer.run(lambda graph: graph.why_not(triple).to_json()))


def _triple(request: Request) -> str:
    text = single(parameters(request), "triple")
    if text is None:
        raise Problem(400, "the parameter triple is missing; it is Turtle text: <http://e/tom> a <http://e/Cat>")
    if may_be_deep(text):
        raise Problem(400, "the triple has too many brackets")
    return text


async def rules(request: Request) -> Response:
    """The rules in force; POST adds rules, and DELETE removes the rules of a `name` or of a text."""
    given, state = parameters(request), served(request)
    if request.method in ("GET", "HEAD"):
        costs = flag(given, "costs")
        return JSONResponse(await state.writer.run(lambda graph: graph.rules(costs=costs)))
    name, condition = single(given, "name"), request.headers.get("if-match")
    is_text = name is None or request.method == "POST"
    if is_text and media_type(request.headers.get("content-type")) != RULES:
        raise Problem(415, f"send rules as {RULES}")
    text = await body.text(request, state.settings) if is_text else name
    adds = request.method == "POST"

    def edit(graph: KnowledgeGraph) -> dict[str, str]:
        check_match(condition, graph.commit)
        with graph.transaction() as tx:
            if adds:
                tx.add_rules(text or "", "the body")
            else:
                tx.remove_rules(text or "", "the body")
        return headers(tx.delta, graph.commit)

    return Response(status_code=204, headers=await state.writer.run(edit))


async def contradictions(request: Request) -> Response:
    """The contradictions, each with its rule, its terms and a line for a person; with `proofs=true` their proofs."""
    given = parameters(request)
    with_proofs, limit = flag(given, "proofs"), number(given, "limit")

    def read(graph: KnowledgeGraph) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [
            {"message": str(each), "rule": each.rule, "terms": each.terms, "axioms": each.axioms}
            for each in graph.contradictions()[:limit]
        ]
        if with_proofs:
            proofs = {tuple(map(str, proof.fact.terms)): proof.to_json() for proof in graph.prove_contradictions()}
            for each in found:
                each["proof"] = proofs.get((f'"{each["rule"]}"', *each["terms"]))
        return found

    return JSONResponse(await served(request).writer.run(read))


async def stats(request: Request) -> Response:
    """The counts of the graph, its last commit and its warnings."""
    read = await served(request).writer.run(lambda graph: (graph.stats(), graph.commit, graph.warnings))
    return JSONResponse(read[0] | {"commit": read[1], "warnings": read[2]})


async def health(request: Request) -> Response:
    """That the server is there."""
    return JSONResponse({"status": "ok", "commit": served(request).writer.commit})


async def changes(request: Request) -> Response:
    """Every commit from now on, or after the commit of Last-Event-ID, as server-sent events."""
    after = request.headers.get("last-event-id") or single(parameters(request), "after")
    if after is not None and not (after.isascii() and after.isdigit()):
        raise Problem(400, f"{after} is not the number of a commit")
    feed = served(request).feed
    begin = feed.check(None if after is None else int(after[:20]))
    kind = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
    return StreamingResponse(feed.follow(begin), headers=kind)
