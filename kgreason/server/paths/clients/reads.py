"""Reads that SPARQL cannot express, so the engine answers them: /match, /dump, /relations.

    /match?s=IRI&p=IRI&o=TERM&g=IRI&asserted=true     quads as N-Quads lines; a term that is left out matches any term
    /dump?asserted=true&graphs=true                   the whole graph, with literals as they were written
    /relations, /relations/edge?arity=2               the user's relations, and the facts of one of them
    /dump?relations=true                              the facts of all relations as rule text

The thread of the writer asks the engine. Another thread then writes the lines of a whole graph to a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import IO, Any

import pyoxigraph
from pyoxigraph import DefaultGraph, RdfFormat
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.graph.input.terms import text_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.interrupts import let_out, letting_out
from kgreason.rdf.formats import writable_format
from kgreason.server.paths.documents import StoredResponse
from kgreason.server.paths.server_parts import Parameters, ask_engine, flag, parameters, prefixes_of, single
from kgreason.server.problems import Problem
from kgreason.server.queries.nesting import check_terms
from kgreason.server.queries.steps import terms_of

_PLACES = ("s", "p", "o", "g")
_SOME = 10_000
"""So many quads are written at a time."""
_QUADS = {"Content-Type": "application/n-quads"}


async def match(request: Request) -> Response:
    """Return the quads that match a pattern of terms. `g=` without a value means the default graph."""
    given = parameters(request)
    terms: list[Any] = [single(given, place) for place in _PLACES]
    check_terms("pattern", *terms)
    terms[3] = DefaultGraph() if terms[3] == "" else terms[3]
    asserted = flag(given, "asserted")

    def found(graph: KnowledgeGraph) -> bytes:
        quads, parts = iter(graph.match(*terms, asserted=asserted)), list[bytes]()
        while some := list(islice(quads, _SOME)):
            parts.append(pyoxigraph.serialize(some, format=pyoxigraph.RdfFormat.N_QUADS) or b"")
            let_out()
        return b"".join(parts)

    return Response(await ask_engine(request, found), headers=_QUADS)


async def dump(request: Request) -> Response:
    """Return the graph in the format `format` (N-Triples by default), or the facts of its relations as rule text."""
    given = parameters(request)
    asserted, graphs = asserted_parameter(given), flag(given, "graphs")
    run = partial(ask_engine, request)
    if flag(given, "relations"):
        text = await run(
            lambda graph: "".join(f"{line}\n" for line in letting_out(graph.dump_relations(asserted=asserted)))
        )
        return Response(text, headers={"Content-Type": "text/plain; charset=utf-8"})
    syntax, prefixes = writable_format(single(given, "format") or ("nq" if graphs else "nt")), prefixes_of(given)
    how: dict[str, Any] = {"asserted": asserted, "format": syntax, "prefixes": prefixes}
    how["graphs"] = graphs if "graphs" in given else None
    chunks = await run(lambda graph: graph.dump(**how))
    form = RdfFormat.from_extension(syntax)
    return await StoredResponse.of(_chunk_writer(chunks), {"Content-Type": form.media_type if form else "text/plain"})


def _chunk_writer(chunks: Iterator[bytes]) -> Callable[[IO[bytes]], object]:
    return lambda file: file.writelines(chunks)


def asserted_parameter(given: Parameters) -> bool | None:
    """Return the parameter `asserted` as True or False; None if it is missing. Raises Problem for other values."""
    return None if single(given, "asserted") is None else flag(given, "asserted")


async def relations(request: Request) -> Response:
    """List the relations that users have made, each with its columns and the number of its facts."""

    def read(graph: KnowledgeGraph) -> list[dict[str, Any]]:
        found = graph.relations()
        return [{"name": each.name, "arity": each.arity, "columns": each.columns, "facts": len(each)} for each in found]

    return JSONResponse(await ask_engine(request, read))


async def relation(request: Request) -> Response:
    """Return the facts of one relation.

    If several relations have the same name, the parameter `arity` chooses one. The first parameter `term` is the term
    that the facts must have in the first column, the second one that in the second column, and so on. An empty `term`
    matches any term.
    """
    given, name = parameters(request), str(request.path_params["name"])
    arity, asserted = single(given, "arity"), asserted_parameter(given)
    if arity is not None and not (arity.isascii() and arity.isdigit()):
        raise Problem(400, f"arity={arity}: write a number")
    terms = [terms_of([term])[0] if term else None for term in given.get("term", [])]

    def read(graph: KnowledgeGraph) -> dict[str, Any]:
        each = graph.relation(name, None if arity is None else int(arity[:6]))
        facts = each.match(*terms, asserted=asserted)
        rows = [[text_of(term) for term in row] for row in letting_out(facts)]
        return {"name": name, "arity": each.arity, "columns": each.columns, "facts": rows}

    return JSONResponse(await ask_engine(request, read))
