"""`message_of`: what a result says in words, for shapes without a message of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_WORDS = {
    "Class": "{value} is not an instance of {parameter}",
    "Datatype": "{value} is not a literal of {parameter}",
    "NodeKind": "{value} is not of the kind {parameter}",
    "MinCount": "fewer than {parameter} values",
    "MaxCount": "more than {parameter} values",
    "MinExclusive": "{value} is not greater than {parameter}",
    "MinInclusive": "{value} is less than {parameter}, or cannot be compared with it",
    "MaxExclusive": "{value} is not less than {parameter}",
    "MaxInclusive": "{value} is greater than {parameter}, or cannot be compared with it",
    "MinLength": "{value} has fewer than {parameter} characters",
    "MaxLength": "{value} has more than {parameter} characters",
    "Pattern": "{value} does not match {parameter}",
    "LanguageIn": "{value} has none of the allowed languages",
    "UniqueLang": "several values have the language {detail}",
    "Equals": "{value} is a value here or of {parameter}, but not of both",
    "Disjoint": "{value} is also a value of {parameter}",
    "LessThan": "{value} is not less than {detail}, a value of {parameter}",
    "LessThanOrEquals": "{value} is not less than or equal to {detail}, a value of {parameter}",
    "Not": "{value} conforms to {parameter}, and must not",
    "And": "{value} does not conform to all of the shapes",
    "Or": "{value} conforms to none of the shapes",
    "Xone": "{value} does not conform to exactly one of the shapes",
    "Node": "{value} does not conform to {parameter}",
    "QualifiedMinCount": "fewer than {parameter} values conform to the qualified shape",
    "QualifiedMaxCount": "more than {parameter} values conform to the qualified shape",
    "Closed": "{value} is the value of a property that the shape does not allow",
    "HasValue": "{parameter} is missing",
    "Expression": "the expression is not true for {value}",
    "SPARQL": "{value} is a solution of the query",
    "In": "{value} is not one of the allowed values",
}


def message_of(component: str, parameter: Any, value: Any, detail: Any, name: Callable[[Any], str]) -> str:
    """Return what a result says in words.

    `component` is the name of the component, such as `MinCount`, and `value` what violates it. `name` writes a term.
    """
    number = parameter if component.endswith("Count") else None
    places = {
        "value": name(value),
        "parameter": getattr(number, "value", None) or name(parameter),
        "detail": getattr(detail, "value", "") if component == "UniqueLang" else name(detail),
    }
    return _WORDS.get(component, f"the constraint {component} is violated").format(**places)
