"""`to_json`, `from_json`: errors as JSON.

    {"error": "RdfSyntaxError", "arguments": ["zoo.ttl", 3, 7, "..."]}

The arguments are those of the constructor, so the error that the client raises has the same class, message and
attributes. A ViolationError has its validation results in place of arguments, as `report`. If the client does not know
the class, it raises a StoreError with the message.
"""

from __future__ import annotations

from typing import Any

from kgreason import errors
from kgreason.errors import (
    ContradictionError,
    KgreasonError,
    RdfSyntaxError,
    RuleSyntaxError,
    StoreError,
    ViolationError,
)
from kgreason.graph.input.terms import term_of
from kgreason.shapes.result import results_of
from kgreason.wire import values

_POSITIONED = (RdfSyntaxError, RuleSyntaxError)


def to_json(error: KgreasonError) -> dict[str, Any]:
    """Return an error as members of a problem document.

    A problem document is the JSON object with which the server answers a failed request.
    """
    arguments: tuple[Any, ...] = (str(error),)
    if isinstance(error, _POSITIONED):
        arguments = (error.source, error.line, error.column, error.problem)
    elif isinstance(error, ContradictionError):
        arguments = (error.contradictions,)
    elif isinstance(error, ViolationError):
        results = [each.to_json() for each in error.results]
        return {"error": type(error).__name__, "report": {"conforms": False, "results": results}}
    return {"error": type(error).__name__, "arguments": values.to_json(arguments)}


def from_json(found: dict[str, Any]) -> KgreasonError:
    """Make the error that a problem document describes, for the caller to raise."""
    kind = getattr(errors, str(found.get("error")), None)
    if not (isinstance(kind, type) and issubclass(kind, KgreasonError)):
        return StoreError(str(found.get("detail", "the server has refused the request, and does not say why")))
    if kind is ViolationError:
        facts = (tuple(map(term_of, each["fact"])) for each in found["report"]["results"])
        return ViolationError(results_of(facts))
    error = kind(*values.from_json(found.get("arguments", [found.get("detail", "")])))
    assert isinstance(error, KgreasonError)
    return error
