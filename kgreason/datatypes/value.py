"""Data values, and literals that have none.

A `Value` is an element of one value space of XSD or RDF; value spaces are disjoint, so that a value of one is never a
value of another. Equality of `Value` is the *identity* of XSD 1.1 (Part 2, 2.2.1), which is the one OWL 2 uses
(Structural Specification, section 4): NaN is identical to NaN, +0 and -0 of a floating-point type are two values,
and so are two names of one moment with different timezone offsets. The *equality and order* of XSD, where these are
otherwise, is `order.compare`, the one that facets ask for.

    space           data
    REAL            int, Decimal or Fraction: Python compares and hashes them as numbers
    FLOAT, DOUBLE   str, as float.hex writes it: it tells -0 from +0, and there is one NaN
    STRING, URI     str
    LANG_STRING     (str, tag in lower case); DIR_LANG_STRING alike, the direction is part of the tag
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
    """A data value: its value space and, hashable, which of its elements it is."""

    space: str
    data: Any


@dataclass(frozen=True, slots=True)
class IllTyped:
    """A literal whose lexical form is none of its datatype's, and what is expected there instead."""

    lexical: str
    datatype: str
    expected: str

    @property
    def reason(self) -> str:
        """One line for people."""
        return f"{quote(self.lexical)}^^{self.datatype} is ill-typed: its lexical forms are {self.expected}"


Reading: TypeAlias = Value | IllTyped | None
"""What a literal stands for; None where its datatype is unknown."""


def are_apart(one: Reading, other: Reading) -> bool:
    """Whether two literals that are spelled differently cannot be equal, by what they stand for.

    Their values differ, or one of them is ill-typed. Of a literal whose datatype is unknown nothing is known.
    """
    return one is not None and other is not None and (one != other or isinstance(one, IllTyped))
