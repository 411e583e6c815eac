"""Facets: restrictions of datatypes by bounds, lengths, patterns and languages.

OWL 2 RL has no facets; ontologies of other profiles have them (OWL 2 Structural Specification, section 4). Bounds
follow the order of XSD, not identity: -0 is at least +0. A value that cannot be compared with a bound violates the
bound, so NaN violates every bound. Lengths count the characters of strings and IRIs, and the octets of binary data. For
a string with a language tag, lengths and patterns look at the string only. A value violates a facet that does not
apply to it.

Cost: one comparison; a pattern is translated once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kgreason.datatypes import value
from kgreason.datatypes.order import compare
from kgreason.datatypes.value import Value
from kgreason.patterns.matching import compile_pattern
from kgreason.terms.vocabulary import RDF, XSD


def _comparison_test(*kept: int) -> Callable[[Value, Value], bool]:
    return lambda data_value, limit: compare(data_value, limit) in kept


def _length_test(*kept: int) -> Callable[[Value, Value], bool]:
    def test(data_value: Value, limit: Value) -> bool:
        text = _text_of(data_value)
        return text is not None and compare(Value(value.REAL, len(text)), limit) in kept

    return test


def _matches_pattern(data_value: Value, limit: Value) -> bool:
    text = _text_of(data_value)
    return isinstance(text, str) and compile_pattern(limit.data).fullmatch(text) is not None


def _matches_language_range(data_value: Value, limit: Value) -> bool:
    return data_value.space == value.LANG_STRING and _matches(data_value.data[1], limit.data.lower())


def _text_of(data_value: Value) -> Any:
    """Return the part of a value that facets for lengths and patterns look at: its string or octets.

    Returns None for a value to which these facets do not apply.
    """
    if data_value.space == value.LANG_STRING:
        return data_value.data[0]
    return data_value.data if data_value.space in (value.STRING, value.URI, value.HEX, value.BASE64) else None


def _matches(tag: str, language_range: str) -> bool:
    """Whether a language tag matches a language range, both in lower case (extended filtering, RFC 4647, 3.3.2)."""
    first, *wanted = language_range.split("-")
    found, *subtags = tag.split("-")
    if first not in ("*", found):
        return False
    for part in wanted:
        if part == "*":
            continue
        while subtags and subtags[0] != part and len(subtags[0]) > 1:
            subtags.pop(0)
        if not subtags or subtags.pop(0) != part:
            return False
    return True


FACETS: dict[str, Callable[[Value, Value], bool]] = {
    f"<{XSD}minInclusive>": _comparison_test(0, 1),
    f"<{XSD}maxInclusive>": _comparison_test(0, -1),
    f"<{XSD}minExclusive>": _comparison_test(1),
    f"<{XSD}maxExclusive>": _comparison_test(-1),
    f"<{XSD}length>": _length_test(0),
    f"<{XSD}minLength>": _length_test(0, 1),
    f"<{XSD}maxLength>": _length_test(0, -1),
    f"<{XSD}pattern>": _matches_pattern,
    f"<{RDF}langRange>": _matches_language_range,
}
"""For each facet, by its IRI in N-Triples text: a function of a value and the facet's limit.

The function returns whether the value satisfies the facet. It raises ValueError for a pattern with an error.
"""
