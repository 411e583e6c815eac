"""Values of literals, and SPARQL's `<` and `<=` on them (SPARQL 1.1 Query, section 17.3).

A value is its kind and a Python value. Only values of one kind can be compared. None stands for an ill-typed literal.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

from rdflib.namespace import RDF, XSD
from rdflib.term import Literal, Node, URIRef

Value: TypeAlias = tuple[str, Any]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN")
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)

_BOUNDS: dict[URIRef, tuple[int | None, int | None]] = {
    XSD.integer: (None, None),
    XSD.nonPositiveInteger: (None, 0),
    XSD.negativeInteger: (None, -1),
    XSD.nonNegativeInteger: (0, None),
    XSD.positiveInteger: (1, None),
    XSD.long: (-(2**63), 2**63 - 1),
    XSD.int: (-(2**31), 2**31 - 1),
    XSD.short: (-(2**15), 2**15 - 1),
    XSD.byte: (-(2**7), 2**7 - 1),
    XSD.unsignedLong: (0, 2**64 - 1),
    XSD.unsignedInt: (0, 2**32 - 1),
    XSD.unsignedShort: (0, 2**16 - 1),
    XSD.unsignedByte: (0, 2**8 - 1),
}


def datatype(literal: Literal) -> URIRef:
    """Return SPARQL's DATATYPE of a literal, as it is written."""
    return RDF.langString if literal.language else literal.datatype or XSD.string


def is_ill_typed(literal: Literal) -> bool:
    """Whether a literal of a datatype that SPARQL 1.1 supports has no value."""
    return datatype(literal) in _READERS and value(literal) is None


def value(literal: Literal) -> Value | None:
    """Return the value of a literal; None if it is ill-typed or its datatype is not one of SPARQL's."""
    read = _READERS.get(datatype(literal))
    return read(datatype(literal), str(literal)) if read else None


def is_less(left: Node, right: Node) -> bool | None:
    """Return `left < right` of SPARQL, None for an error."""
    pair = _comparable(left, right)
    if pair is None:
        return None
    a, b = pair
    return _moment_is_less(a, b) if isinstance(a, tuple) else bool(a < b)


def is_less_or_equal(left: Node, right: Node) -> bool | None:
    """Return `left <= right` of SPARQL, None for an error."""
    pair = _comparable(left, right)
    if pair is None:
        return None
    a, b = pair
    if not isinstance(a, tuple):
        return bool(a <= b)
    more = _moment_is_less(b, a)
    return None if more is None else not more


def _comparable(left: Node, right: Node) -> tuple[Any, Any] | None:
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return None
    one, two = value(left), value(right)
    if one is None or two is None or one[0] != two[0]:
        return None
    a, b = one[1], two[1]
    if one[0] == "number" and isinstance(a, float) != isinstance(b, float):
        return float(a), float(b)  # a decimal is promoted to the other's type
    return a, b


def _moment_is_less(one: tuple[datetime, bool], two: tuple[datetime, bool]) -> bool | None:
    """Compare moments in UTC; a moment without time zone is some moment within 14 hours (XML Schema 1.1, 3.3.7)."""
    (a, a_zoned), (b, b_zoned) = one, two
    slack = timedelta(hours=0 if a_zoned == b_zoned else 14)
    if a + slack < b:
        return True
    return None if a - slack < b and slack else False


def _integer(datatype: URIRef, text: str) -> Value | None:
    if not _INTEGER.fullmatch(text):
        return None
    lowest, highest = _BOUNDS[datatype]
    number = int(text)
    fits = (lowest is None or lowest <= number) and (highest is None or number <= highest)
    return ("number", Decimal(number)) if fits else None


def _decimal(datatype: URIRef, text: str) -> Value | None:
    return ("number", Decimal(text)) if _DECIMAL.fullmatch(text) else None


def _float(datatype: URIRef, text: str) -> Value | None:
    if not _DOUBLE.fullmatch(text):
        return None
    number = float(text)
    return "number", struct.unpack("f", struct.pack("f", number))[0] if datatype == XSD.float else number


def _boolean(datatype: URIRef, text: str) -> Value | None:
    values = {"true": True, "1": True, "false": False, "0": False}
    return ("boolean", values[text]) if text in values else None


def _date_time(datatype: URIRef, text: str) -> Value | None:
    match = _DATE_TIME.fullmatch(text)
    if not match:
        return None
    *whole, fraction, zone = match.groups()
    try:
        moment = datetime(*map(int, whole), tzinfo=UTC)  # type: ignore[misc,arg-type]  # six numbers
    except ValueError:
        return None
    moment += timedelta(seconds=float(fraction or 0))
    if zone and zone != "Z":
        hours, minutes = map(int, zone[1:].split(":"))
        moment -= timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)
    return "moment", (moment, zone is not None)


_READERS: dict[URIRef, Callable[[URIRef, str], Value | None]] = {
    XSD.string: lambda _, text: ("string", text),
    XSD.boolean: _boolean,
    XSD.decimal: _decimal,
    XSD.float: _float,
    XSD.double: _float,
    XSD.dateTime: _date_time,
    **dict.fromkeys(_BOUNDS, _integer),
}
