"""`openapi`: the description of all paths in OpenAPI 3.1, from the routes and the docstrings of their functions.

Law: every path and method of the server is described. A test checks this.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.routing import Route

from kgreason import __version__
from kgreason.server.formats import QUADS, REPORTS, SOLUTIONS, TRIPLES, Types
from kgreason.server.guard import required_role

_SCHEMES = ("bearer", "basic")
_SPARQL = ("application/sparql-query", "application/sparql-update", "application/x-www-form-urlencoded")
_RULES = "text/x-kgreason-rules"
_TEXT = {
    "base": "the base of relative IRIs; empty for none",
    "prefix": "a prefix of the text, such as ex=http://e/; may be given several times",
}
_EDIT = {"strategy": "update, bootstrap or auto", "budget": "the most rewrites of the commit"}
_FOLDED = "true to leave out the steps that only take lists and class expressions apart"
_FACT = {
    "triple": "a triple as Turtle text",
    "relation": "the name of a relation, in place of a triple",
    "term": "a term of the triple or of the relation's fact, once for each place",
}
_TICKET = "a ticket of /tickets, in place of a token"
_PARAMETERS = {
    "/query": {
        "query": "the query",
        "timeout": "seconds after which the query ends",
        "default-graph": "the default graph; the query may use all named graphs",
        "default-graph-uri": "a graph of the default graph",
        "named-graph-uri": "a named graph",
        "as_of": "the number of a commit: ask the graph as it was after this commit",
        **_TEXT,
    },
    "/update": {
        "update": "the update",
        "source": "the name of the update in messages",
        "using-graph-uri": "a graph of the default graph of every WHERE",
        "using-named-graph-uri": "a named graph of every WHERE",
        **_TEXT,
        **_EDIT,
    },
    "/store": {
        "default": "the default graph",
        "graph": "the name of a graph",
        "inferred": "true for the closure in place of the asserted triples",
        **_EDIT,
    },
    "/explain": _FACT | {"all": "true for a proof of each derivation", "folded": _FOLDED},
    "/why-not": _FACT | {"limit": "how many rules are told"},
    "/rules": {
        "costs": "true for the work of each rule",
        "own": "true for the rules of users, as text",
        "name": "the name of the rule to remove",
        **_EDIT,
    },
    "/shapes": _EDIT,
    "/validate": {
        "data": "inferred; asserted leaves out what rules derive; inferred-targets leaves it out except in targets",
        "severity": "only results of this severity: Violation, Warning, Info or an IRI; may be given several times",
        "shape": "only results of this shape",
        "focus": "only results of this node",
        "limit": "how many results JSON has",
        "language": "the language of messages in JSON and text",
        "shapes": "true for the numbers of focus nodes and results of each shape, in JSON",
        "prefix": _TEXT["prefix"],
    },
    "/what-if": {
        "limit": "how many triples of each kind the answer has",
        "why": "true for the rule and the axioms of each inferred triple",
        "graph": "the named graph to which a document is added",
        **_TEXT,
    },
    "/revert": {"commit": "the number of the commit to take back"} | _EDIT,
    "/triples": {
        "subject": "the subject as N-Triples text",
        "predicate": "the predicate",
        "object": "the object",
        "limit": "how many triples the answer has, 1000 at most",
        "described": "true for the triples that say what the blank nodes of the answer stand for",
    },
    "/contradictions": {
        "classes": "true for the classes that nothing can be in, in place of the contradictions",
        "proofs": "true for a proof of each contradiction or class",
        "limit": "how many contradictions or classes the answer has",
        "each": "how many contradictions with one cause have a proof; without it all have one",
        "folded": _FOLDED,
    },
    "/commits": {"limit": "how many commits the answer has"},
    "/health": {"live": "true: whether the server runs, also while the disk takes no edits"},
    "/commits/{number}": {"since": "the commit to begin after, in place of the one before"},
    "/changes": {
        "after": "the commit to begin after, as Last-Event-ID says it",
        "form": "exact for deltas as clients of kgreason read them",
        "match": "three terms, such as `?s a <http://e/Cat>`: only changes of triples with these terms",
        "asserted": "true for what came to the asserted triples and left them, false for the inferred ones",
        "ticket": _TICKET,
    },
    "/subscribe": {"query": "a SELECT or ASK query", "ticket": _TICKET, **_TEXT},
    "/transactions": {
        "header": "a header of the commit, such as stream=sensors",
        **_EDIT,
    },
    "/match": {
        "s": "the subject",
        "p": "the predicate",
        "o": "the object",
        "g": "the graph; empty for the default graph",
        "asserted": "true for asserted quads only",
    },
    "/dump": {
        "asserted": "true for asserted triples, false for inferred ones",
        "graphs": "true for named graphs as well, false for the default graph alone",
        "format": "nt, nq, ttl, trig, n3, rdf or jsonld",
        "prefix": "a prefix to shorten IRIs, as ex=http://e/; those of loaded files are known",
        "relations": "true for the facts of relations as rule text, in place of triples",
    },
    "/relations/{name}": {
        "arity": "the number of places",
        "term": "a term to match, once for each place; empty for any term",
        "asserted": "true for asserted facts, false for derived ones",
    },
}


def openapi(routes: Iterable[Route]) -> dict[str, Any]:
    """Return the OpenAPI description of a server that has these routes."""
    paths = {route.path.replace(":path}", "}"): _path(route) for route in routes}
    problem = {"type": "object", "properties": {"status": {"type": "integer"}, "detail": {"type": "string"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "kgreason", "version": __version__, "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "components": {
            "schemas": {"Problem": problem},
            "securitySchemes": {each: {"type": "http", "scheme": each} for each in _SCHEMES},
        },
    }


def _path(route: Route) -> dict[str, Any]:
    return {method.lower(): _operation(route, method) for method in sorted(route.methods or ())}


def _operation(route: Route, method: str) -> dict[str, Any]:
    text = route.endpoint.__doc__ or ""
    role = required_role(method, route.path)
    found: dict[str, Any] = {
        "summary": text.strip().splitlines()[0],
        "parameters": _parameters(route.path),
        "responses": {"2XX": _success(route.path, method), "default": _PROBLEM},
        "security": [{each: []} for each in _SCHEMES] if role else [],
    }
    if role:
        found["description"] = f"With tokens it needs the role {role}."
    if method in ("POST", "PUT"):
        found["requestBody"] = {"content": {media: {} for media in _bodies(route.path)}}
    return found


def _parameters(path: str) -> list[dict[str, Any]]:
    found = [_parameter(name, text, "query") for name, text in _PARAMETERS.get(path, {}).items()]
    places = {"graph": "the end of the graph's name", "number": "the number of a commit"}
    return [*found, *(_parameter(name, text, "path") for name, text in places.items() if f"{{{name}" in path)]


def _parameter(name: str, text: str, place: str) -> dict[str, Any]:
    return {"name": name, "in": place, "description": text, "required": place == "path", "schema": {"type": "string"}}


def _success(path: str, method: str) -> dict[str, Any]:
    if method not in ("GET", "POST") or (path in ("/update", "/store", "/shapes") and method == "POST"):
        return {"description": "done; headers tell of the commit", "headers": _COMMIT}
    kinds: dict[str, Types] = {"/query": {**SOLUTIONS, **TRIPLES}, "/store": {**TRIPLES, **QUADS}}
    kinds |= {"/shapes": TRIPLES, "/validate": REPORTS}
    medias = [each[0] for each in kinds[path].values()] if path in kinds else [_OTHERS.get(path, "application/json")]
    return {"description": "the answer", "content": {media: {} for media in medias}}


def _bodies(path: str) -> list[str]:
    if path.startswith("/store"):
        return [medias[0] for medias in (*TRIPLES.values(), *QUADS.values())] + ["multipart/form-data"]
    query, update, form = _SPARQL
    documents = [medias[0] for medias in TRIPLES.values()]
    if path in ("/shapes", "/validate"):
        return [*documents, "multipart/form-data"]
    known = {"/query": [query, form], "/update": [update, form], "/rules": [_RULES]}
    return known.get(path, [update, form, _RULES, *documents])


_OTHERS = {
    "/changes": "text/event-stream",
    "/subscribe": "text/event-stream",
    "/match": "application/n-quads",
    "/dump": "application/n-triples",
    "/metrics": "text/plain",
    "/backup": "application/x-tar",
}
_COMMIT = {
    "ETag": {"description": "the state of the edited graph, for If-Match", "schema": {"type": "string"}},
    "Kgreason-Commit": {"description": "the number of the last commit", "schema": {"type": "integer"}},
    "Kgreason-Committed": {"description": "whether the edit made a commit", "schema": {"type": "boolean"}},
}
_SCHEMA = {"schema": {"$ref": "#/components/schemas/Problem"}}
_PROBLEM = {"description": "a problem (RFC 9457)", "content": {"application/problem+json": _SCHEMA}}
