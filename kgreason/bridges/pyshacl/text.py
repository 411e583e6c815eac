"""A report as pySHACL writes it: each result has a message, and `results_text` has a paragraph for each result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from rdflib.graph import Graph
from rdflib.namespace import SH
from rdflib.term import Literal

from kgreason.bridges.rdflib.terms import to_text
from kgreason.shapes.result import Result, end

Short: TypeAlias = Callable[[Any], str]
"""Writes a term with short IRIs."""

_KEY = (SH.sourceShape, SH.sourceConstraintComponent, SH.focusNode, SH.value)


def add_messages(graph: Graph, results: Iterable[Result], short: Short) -> None:
    """Add a message in words to each result of a report graph whose shape has none."""
    words = {_key(each): each.words(short) for each in results if not each.messages}
    for node in set(graph.objects(None, SH.result)):
        if (node, SH.resultMessage, None) not in graph:
            parts = (graph.value(node, name) for name in _KEY)
            key = tuple(None if part is None else to_text(part) for part in parts)
            graph.add((node, SH.resultMessage, Literal(words[key])))


def results_text(results: tuple[Result, ...], conforms: bool, short: Short) -> str:
    """Return a report in words."""
    head = ["Validation Report", f"Conforms: {conforms}", *[f"Results ({len(results)}):"] * bool(results)]
    return "".join(f"{line}\n" for line in (*head, *(line for each in results for line in _lines(each, short))))


def _key(result: Result) -> tuple[str | None, ...]:
    parts = (result.source_shape, result.component, result.focus, result.value)
    return tuple(None if part is None else str(part) for part in parts)


def _lines(result: Result, short: Short) -> Iterator[str]:
    component = result.component.value
    name = component.replace("#", "/").rsplit("/", 1)[-1]
    severity = end(result.severity)
    yield f"Constraint {severity if severity in ('Info', 'Warning') else 'Violation'} in {name} ({component}):"
    parts = {
        "Severity": result.severity,
        "Source Shape": result.source_shape,
        "Focus Node": result.focus,
        "Value Node": result.value,
        "Result Path": result.path,
    }
    yield from (f"\t{title}: {short(term)}" for title, term in parts.items() if term is not None)
    yield from (f"\tMessage: {text}" for text in [each.value for each in result.messages] or [result.words(short)])
