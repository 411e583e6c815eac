"""Prepare queries and updates of rdflib for Oxigraph and for kgreason's own SPARQL Update.

Some requests are left to rdflib's own evaluation, which asks the store triple by triple: queries with initial bindings
(in rdflib they reach every part of a query, in Oxigraph they do not), prepared queries without a text, and updates that
take a named graph as the default graph.

Oxigraph shows literals in its normal form: `"01"` of type xsd:integer is `"1"` in results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pyoxigraph import QueryBoolean
from rdflib.graph import Graph
from rdflib.query import Result
from rdflib.term import Identifier, Variable

from kgreason.bridges.rdflib.terms import to_rdflib
from kgreason.graph.results.answers import QueryAnswer, Solutions


def text_of(request: object) -> tuple[str, Mapping[str, Any], str | None]:
    """Return the text of a query or update, and the prefixes and the base that rdflib passes with it.

    Raises NotImplementedError if the request has no text. rdflib then evaluates the request itself.
    """
    if isinstance(request, str):
        return request, {}, None
    try:
        text, prefixes, base = request._original_args  # type: ignore[attr-defined]  # rdflib has no other way
    except AttributeError:
        raise NotImplementedError from None
    return text, prefixes, base


def used_prefixes(prefixes: Mapping[str, Any], text: str) -> dict[str, str]:
    """Filter prefixes: return those that occur in a SPARQL text, with their namespaces."""
    names = set(re.findall(r"([\w.-]*):", text))
    return {name: str(namespace) for name, namespace in prefixes.items() if name in names}


def declarations(prefixes: Mapping[str, str], base: str | None, text: str) -> str:
    """Put declarations of base and prefixes at the start of a SPARQL text, without a new line.

    So the line numbers in error messages are those of the user's text.
    """
    first = f"BASE <{base}> " if base else ""
    return first + "".join(f"PREFIX {name}: <{prefixes[name]}> " for name in sorted(prefixes)) + text


def result_of(answer: QueryAnswer) -> Result:
    """Turn an answer of the graph into a result of rdflib. Solutions are converted one by one when they are read."""
    if isinstance(answer, QueryBoolean):
        result = Result("ASK")
        result.askAnswer = bool(answer)
    elif isinstance(answer, Solutions):
        result = Result("SELECT")
        result.vars = [Variable(variable.value) for variable in answer.variables]
        result.bindings = _bindings(answer, result.vars)
    else:
        result = Result("CONSTRUCT")
        result.graph = Graph()
        result.graph.addN((*map(to_rdflib, triple), result.graph) for triple in answer)  # type: ignore[misc]
    return result


def _bindings(answer: Solutions, variables: list[Variable]) -> Iterator[dict[Variable, Identifier]]:
    for solution in answer:
        yield {
            variable: to_rdflib(term) for variable, term in zip(variables, solution, strict=True) if term is not None
        }
