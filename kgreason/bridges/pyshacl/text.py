"""A report as pySHACL writes it: each result has a message, and `results_text` has a paragraph for each result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from pyoxigraph import Literal

from kgreason.shapes.result import Result, end

Short: TypeAlias = Callable[[Any], str]
"""Writes a term with short IRIs."""


def with_message(result: Result, short: Short) -> Result:
    """Return a result with a message in words if its shape has none."""
    return result if result.messages else replace(result, messages=(Literal(result.words(short)),))


def results_text(results: tuple[Result, ...], conforms: bool, short: Short) -> str:
    """Return a report in words."""
    head = ["Validation Report", f"Conforms: {conforms}", *[f"Results ({len(results)}):"] * bool(results)]
    return "".join(f"{line}\n" for line in (*head, *(line for each in results for line in _lines(each, short))))


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
    yield from (f"\tMessage: {each.value}" for each in result.messages)
