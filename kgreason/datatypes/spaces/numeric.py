"""Numbers: exact numbers of any size, and the numbers of the two floating-point types.

Decimals, integers and rationals share the value space of owl:real. They are kept exactly, as int, Decimal or Fraction;
Python compares and hashes these by number, whatever the type. A lexical form of a float or double stands for the
nearest float or double; ties go to even, and numbers beyond the largest become infinite (XSD 1.1 Part 2,
floatingPointRound). The value spaces of owl:real, xsd:float and xsd:double are disjoint (OWL 2 Structural
Specification, 4.1 and 4.2).

Law: `real(a) == real(b)` exactly if a and b write the same number, for any number of digits. `integer`, `decimal`,
`rational`, `double` and `single` take a lexical form. They raise ValueError if the lexical form has no value; the
message says which lexical forms are expected. Cost: some microseconds, and linear in the digits; `whole` returns an int
and takes a little more than linear time.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from kgreason.datatypes.value import DOUBLE, FLOAT, REAL, Value
from kgreason.terms import vocabulary as v

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_RATIONAL = re.compile(r"([+-]?[0-9]+)/(0*[1-9][0-9]*)")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?|[+-]?INF|NaN")
_SHORT = 600
"""For numbers of fewer than 600 digits `int` always works; Python may limit the digits of longer ones."""
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)

Real: TypeAlias = int | Decimal | Fraction
"""An exact number."""

WHOLE: Mapping[str, tuple[int | None, int | None]] = MappingProxyType(
    {
        v.XSD_INTEGER: (None, None),
        v.XSD_NON_NEGATIVE_INTEGER: (0, None),
        v.XSD_NON_POSITIVE_INTEGER: (None, 0),
        v.XSD_POSITIVE_INTEGER: (1, None),
        v.XSD_NEGATIVE_INTEGER: (None, -1),
        v.XSD_LONG: (-(2**63), 2**63 - 1),
        v.XSD_INT: (-(2**31), 2**31 - 1),
        v.XSD_SHORT: (-(2**15), 2**15 - 1),
        v.XSD_BYTE: (-(2**7), 2**7 - 1),
        v.XSD_UNSIGNED_LONG: (0, 2**64 - 1),
        v.XSD_UNSIGNED_INT: (0, 2**32 - 1),
        v.XSD_UNSIGNED_SHORT: (0, 2**16 - 1),
        v.XSD_UNSIGNED_BYTE: (0, 2**8 - 1),
    }
)
"""The integer datatypes with their smallest and largest value; None: no limit."""


def integer_of(digits: str) -> int:
    """Return the integer that a text of digits, with or without a sign, stands for."""
    if len(digits) < _SHORT:
        return int(digits)
    half = len(digits) // 2
    low, power = integer_of(digits[-half:]), int(10**half)
    return integer_of(digits[:-half]) * power + (-low if digits[0] == "-" else low)


def real(digits: str) -> int | Decimal:
    """Return the exact number that a text of digits, with or without a sign and a decimal point, stands for."""
    return Decimal(digits) if "." in digits or len(digits) >= _SHORT else int(digits)


def plus(integer: int, number: int | Decimal) -> int | Decimal:
    """Return the exact sum of two numbers, never rounded."""
    return integer + number if isinstance(number, int) else _EXACT.add(integer, number)


def minus(number: int | Decimal) -> int | Decimal:
    """Return the number with the opposite sign, never rounded."""
    return -number if isinstance(number, int) else number.copy_negate()


def integer(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:integer."""
    if not _INTEGER.fullmatch(lexical):
        raise ValueError("expected digits, with or without a sign")
    return Value(REAL, real(lexical))


def decimal(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:decimal."""
    if not _DECIMAL.fullmatch(lexical):
        raise ValueError("expected digits, with or without a decimal point, and no exponent")
    return Value(REAL, real(lexical))


def rational(lexical: str) -> Value:
    """Return the value of a lexical form of owl:rational."""
    match = _RATIONAL.fullmatch(lexical)
    if not match:
        raise ValueError("expected an integer, a slash, and a positive integer without a sign")
    ratio = Fraction(integer_of(match[1]), integer_of(match[2]))
    return Value(REAL, ratio.numerator if ratio.denominator == 1 else ratio)


def double(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:double."""
    return Value(DOUBLE, _number(lexical).hex())


def single(lexical: str) -> Value:
    """Return the value of a lexical form of xsd:float."""
    return Value(FLOAT, single_precision(_towards_odd(_number(lexical), lexical)).hex())


def is_whole(number: Real) -> bool:
    """Whether a number is an integer."""
    return number == number.to_integral_value() if isinstance(number, Decimal) else isinstance(number, int)


def is_decimal(number: Real) -> bool:
    """Whether a number can be written with finitely many decimal places."""
    if not isinstance(number, Fraction):
        return True
    denominator = number.denominator  # if it divides a power of ten, it divides this one
    return pow(10, denominator.bit_length(), denominator) == 0


def _number(lexical: str) -> float:
    if not _FLOAT.fullmatch(lexical):
        raise ValueError("expected a number with or without an exponent, INF, -INF or NaN")
    return float(lexical)


def _towards_odd(number: float, lexical: str) -> float:
    """Return the number that `lexical` stands for, rounded to odd. `number` is the double nearest to it.

    To round to odd means: if the exact number lies between two neighbouring doubles, take the one whose last bit is 1.
    Rounding this double to a float gives the same float as rounding the exact number directly.
    """
    if not math.isfinite(number) or number == 0 or _bits(number) & 1:
        return number
    exact, found = Decimal(lexical), Decimal.from_float(number)
    return number if exact == found else math.nextafter(number, math.inf if exact > found else -math.inf)


def _bits(number: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", number))[0]
    return bits


def single_precision(number: float) -> float:
    """Return the single-precision float nearest to a double; infinite if the double is too large."""
    try:
        nearest: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return nearest
