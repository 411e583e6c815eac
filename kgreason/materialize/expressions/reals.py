"""`Number`: the value of a numeric literal, exact for integers and decimals of any size.

    kind 0 xsd:integer    1 xsd:decimal    2 xsd:float    3 xsd:double

An operation converts both operands to the larger kind (XPath's numeric type promotion). Integers and decimals are
`Decimal`, floats and doubles are `float`. Law: the sum, difference and product of integers and decimals, their
comparison, and the conversion of a whole number to an integer are exact. A quotient is exact if it has a last decimal
place; else it is cut after 18 places, as Oxigraph does it.

Cost: some microseconds, and hardly more than linear in the digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import (
    MAX_EMAX,
    MAX_PREC,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    Context,
    Decimal,
    Inexact,
)
from typing import Any, NamedTuple

import pyoxigraph as ox

from kgreason.datatypes.spaces.numeric import WHOLE, single_precision
from kgreason.errors import LimitError
from kgreason.interrupts import let_out
from kgreason.terms import vocabulary as v

INTEGER, DECIMAL, FLOAT, DOUBLE = range(4)
_TYPES = v.XSD_INTEGER, v.XSD_DECIMAL, v.XSD_FLOAT, v.XSD_DOUBLE
_KINDS = {**dict.fromkeys(WHOLE, INTEGER), v.XSD_DECIMAL: DECIMAL, v.XSD_FLOAT: FLOAT, v.XSD_DOUBLE: DOUBLE}
_FORMS = (
    re.compile(r"[+-]?[0-9]+"),
    re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"),
    *[re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?|[+-]?INF|NaN")] * 2,
)
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_PLACES = Decimal("1e-18")
_LONGEST = 100_000
"""The most digits of an operand. A quotient of two such numbers takes a third of a second; nothing else runs then."""


class NoNumberError(Exception):
    """Raised if an operation has no result: a division by zero, or a text that is no number."""


class Number(NamedTuple):
    """A value of one of the four kinds: a `Decimal`, or a `float` for the kinds FLOAT and DOUBLE."""

    kind: int
    value: Any


def read(text: str) -> Number | None:
    """Return the value of a literal in N-Triples syntax, or None if the literal is no number."""
    form, mark, datatype = text.rpartition('"^^')
    kind = _KINDS.get(datatype) if mark else None
    return None if kind is None else parse(form[1:], kind)


def parse(form: str, kind: int) -> Number | None:
    """Return the value of a lexical form of the datatype `kind`, or None if the lexical form has no value."""
    if not _FORMS[kind].fullmatch(form):
        return None
    if kind <= DECIMAL:
        return Number(kind, Decimal(form))
    return Number(kind, single_precision(float(form)) if kind == FLOAT else float(form))


def text_of_number(number: Number) -> str:
    """Return the literal of a number, in the normal form of Oxigraph."""
    kind, value = number
    if kind <= DECIMAL:
        digits = format(value, "f")
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
        return f'"{"0" if digits in ("", "-0", "-") else digits}"^^{_TYPES[kind]}'
    form = repr(value).replace("inf", "INF").replace("nan", "NaN")
    return str(ox.Literal(_normal_form(form, kind), datatype=ox.NamedNode(_TYPES[kind][1:-1])))


def _normal_form(form: str, kind: int) -> str:
    store, node = ox.Store(), ox.NamedNode("x:")
    store.add(ox.Quad(node, node, ox.Literal(form, datatype=ox.NamedNode(_TYPES[kind][1:-1]))))
    (quad,) = store
    return str(quad.object.value)


def promote(number: Number, kind: int) -> Number:
    """Return the number as one of a kind that is not smaller. A conversion to a float or double rounds to nearest."""
    if kind <= DECIMAL or number.kind > DECIMAL:
        return Number(kind, number.value)
    double = float(number.value)
    return Number(kind, single_precision(double) if kind == FLOAT else double)


def _values_in_common_kind(first: Number, second: Number) -> tuple[int, Any, Any]:
    kind = max(first.kind, second.kind)
    return kind, promote(first, kind).value, promote(second, kind).value


def holds(sign: str, first: Number, second: Number) -> bool:
    """Compare two numbers; `sign` is `=`, `!=`, `<`, `<=`, `>` or `>=`."""
    _, one, other = _values_in_common_kind(first, second)
    return bool(_COMPARE[sign](one, other))


def calculate(sign: str, first: Number, second: Number) -> Number:
    """Add, subtract, multiply or divide two numbers; `sign` is `+`, `-`, `*` or `/`.

    Raises NoNumberError. Raises LimitError for an integer or decimal of more than 100,000 digits.
    """
    let_out()
    kind, one, other = _values_in_common_kind(first, second)
    if kind > DECIMAL:
        value = _floating_quotient(one, other) if sign == "/" else _FLOATING[sign](one, other)
        return Number(kind, single_precision(value) if kind == FLOAT else value)
    if _is_long(one) or _is_long(other):
        raise LimitError(f"a number of more than {_LONGEST:,} digits is an operand of {sign}")
    if sign == "/":
        return Number(DECIMAL, _decimal_quotient(one, other))
    return Number(kind, _REAL[sign](one, other))


def divide(name: str, first: Number, second: Number) -> Number:
    """Divide two numbers. IDIV is the whole part of the quotient, an integer; MOD is what this part leaves of `first`.

    The whole part is the quotient rounded towards zero, so MOD has the sign of `first`. Raises errors as `calculate`.
    """
    kind, one, other = _values_in_common_kind(first, second)
    quotient = calculate("/", first, second)
    if kind <= DECIMAL:  # `calculate` may have cut the quotient, but not its whole part
        quotient = Number(kind, _EXACT.divide_int(one, other))
    whole_part = cast(quotient, INTEGER)
    return whole_part if name == "IDIV" else calculate("-", first, calculate("*", whole_part, second))


def _is_long(value: Decimal) -> bool:
    return abs(value.adjusted()) >= _LONGEST or len(value.as_tuple().digits) > _LONGEST


def _decimal_quotient(one: Decimal, other: Decimal) -> Decimal:
    if not other:
        raise NoNumberError
    digits = sum(len(each.as_tuple().digits) + abs(int(each.as_tuple().exponent)) for each in (one, other))
    exact = Context(prec=4 * digits + 40, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=ROUND_DOWN)
    found = exact.divide(one, other)
    is_cut = exact.flags[Inexact]
    return found.quantize(_PLACES, rounding=ROUND_DOWN, context=_EXACT) if is_cut else found


def _floating_quotient(one: float, other: float) -> float:
    if other:
        return one / other
    if not one or math.isnan(one) or math.isnan(other):
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1, other)


def negate(number: Number) -> Number:
    """Return the number with the opposite sign."""
    kind, value = number
    return Number(kind, value.copy_negate() if kind <= DECIMAL else -value)


def absolute_value(number: Number) -> Number:
    """Return the number without its sign: ABS."""
    kind, value = number
    return Number(kind, value.copy_abs() if kind <= DECIMAL else abs(value))


def round_number(number: Number, name: str) -> Number:
    """Return the number rounded to a whole one: CEIL, FLOOR or ROUND, by `name`. ROUND takes halves upwards."""
    kind, value = number
    if kind > DECIMAL and not math.isfinite(value):
        return number
    exact = Decimal(value)
    if name == "ROUND":
        exact = _EXACT.add(exact, Decimal("0.5"))
    rounding = ROUND_CEILING if name == "CEIL" else ROUND_FLOOR
    found = exact.to_integral_value(rounding=rounding, context=_EXACT)
    return Number(kind, found if kind <= DECIMAL else float(found))


def cast(number: Number, kind: int) -> Number:
    """Convert a number to another kind, as the functions xsd:integer, xsd:decimal, xsd:float and xsd:double do.

    A float or a double becomes exactly the integer or decimal that it is. Raises NoNumberError.
    """
    if kind > DECIMAL:
        value = float(number.value)
        return Number(kind, single_precision(value) if kind == FLOAT else value)
    if number.kind > DECIMAL and not math.isfinite(number.value):
        raise NoNumberError
    exact = Decimal(number.value)
    return Number(kind, exact.to_integral_value(rounding=ROUND_DOWN, context=_EXACT) if kind == INTEGER else exact)


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}
_REAL: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": _EXACT.add,
    "-": _EXACT.subtract,
    "*": _EXACT.multiply,
}
_FLOATING: dict[str, Callable[[float, float], float]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
}
