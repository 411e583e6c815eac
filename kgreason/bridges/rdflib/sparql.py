"""Queries and updates as rdflib hands them to a store, for Oxigraph and for kgreason's own SPARQL Update.

What these two do not know is left to rdflib's own evaluation, which asks the store triple by triple: bindings that a
query starts with (rdflib lets them reach every part of it, as Oxigraph's substitutions do not), queries that were
prepared from no text, and updates of a named graph as if it were the default one.

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
from kgreason.graph.results.answers import Found, Solutions


def text_of(request: object) -> tuple[str, Mapping[str, Any], str | None]:
    """The text of a query or update, and the prefixes and base that it was prepared with.

    Raises NotImplementedError, which has rdflib evaluate it itself, where there is no text.
    """
    if isinstance(request, str):
        return request, {}, None
    try:
        text, prefixes, base = request._original_args  # type: ignore[attr-defined]  # rdflib has no other way
    except AttributeError:
        raise NotImplementedError from None
    return text, prefixes, base


def used(prefixes: Mapping[str, Any], text: str) -> dict[str, str]:
    """Those of the prefixes that a text may use, with their namespaces."""
    names = set(re.findall(r"([\w.-]*):", text))
    return {name: str(namespace) for name, namespace in prefixes.items() if name in names}


def declared(prefixes: Mapping[str, str], base: str | None, text: str) -> str:
    """An update with declarations in its first line, so that errors name the right one."""
    first = f"BASE <{base}> " if base else ""
    return first + "".join(f"PREFIX {name}: <{prefixes[name]}> " for name in sorted(prefixes)) + text


def result_of(answer: Found) -> Result:
    """What the graph answers as a result of rdflib; solutions come as they are read."""
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
