"""Data values, and literals without a value.

A `Value` is an element of one value space of XSD or RDF. Value spaces are disjoint: no value is in two spaces. Equality
of `Value` is the *identity* of XSD 1.1 (Part 2, 2.2.1), which OWL 2 uses (Structural Specification, section 4): NaN is
identical to NaN; +0 and -0 of a floating-point type are two values; `12:00:00Z` and `13:00:00+01:00` are two values.
Facets use the *equality and order* of XSD instead, which differ from identity: `order.compare`.

    space           data
    REAL            int, Decimal or Fraction: Python compares and hashes them as numbers
    FLOAT, DOUBLE   str from float.hex: -0 and +0 differ, and there is one NaN
    STRING, URI     str
    LANG_STRING     (str, tag in lower case); DIR_LANG_STRING too, with the direction as a part of the tag
    BOOLEAN         bool
    HEX, BASE64     bytes
    XML             str, exclusive canonical XML
    DURATION        durations.Duration; the other spaces of time: times.Moment

Cost: a tuple of two for each value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from kgreason.terms.quoting import quote

REAL, FLOAT, DOUBLE = "real", "float", "double"
STRING, LANG_STRING, DIR_LANG_STRING = "string", "language-tagged string", "directional language-tagged string"
BOOLEAN, HEX, BASE64, URI, XML = "boolean", "hexBinary", "base64Binary", "anyURI", "XMLLiteral"
DATE_TIME, DATE, TIME, DURATION = "dateTime", "date", "time", "duration"
YEAR, YEAR_MONTH, MONTH, MONTH_DAY, DAY = "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay"
SPACES = (
    *(REAL, FLOAT, DOUBLE, STRING, LANG_STRING, DIR_LANG_STRING, BOOLEAN, HEX, BASE64, URI, XML),
    *(DATE_TIME, DATE, TIME, DURATION, YEAR, YEAR_MONTH, MONTH, MONTH_DAY, DAY),
)
"""Every value space."""


class Value(NamedTuple):
    """A data value: the name of its value space, and hashable data that identify the value within this space."""

    space: str
    data: Any


class UnreadError(ValueError):
    """Raised for a literal whose value would take too long to find out."""


@dataclass(frozen=True, slots=True)
class IllTyped:
    """A literal whose lexical form is wrong for its datatype; `problem` says in words which forms are expected."""

    lexical: str
    datatype: str
    problem: str

    @property
    def reason(self) -> str:
        """An error message of one line: the literal, and which lexical forms its datatype has."""
        return f"{quote(self.lexical)}^^{self.datatype} is ill-typed: {self.problem}"


Reading: TypeAlias = Value | IllTyped | None
"""The result of reading a literal: its value, or the reason why it has none, or None if its datatype is unknown."""


def are_known_different(one: Reading, other: Reading) -> bool:
    """Whether the values of two literals with different texts are known to be different.

    This is so if the values differ, or if one literal is ill-typed. It is not so if one of the datatypes is unknown.
    """
    return one is not None and other is not None and (one != other or isinstance(one, IllTyped))
