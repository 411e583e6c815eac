"""Numbers against Python's own: int, Decimal, Fraction, float, and NumPy's float32."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from kgreason.datatypes.datatype_map import is_member
from kgreason.datatypes.order import compare
from kgreason.datatypes.spaces.numeric import WHOLE, integer_of, is_decimal
from kgreason.terms import vocabulary as v
from tests.datatypes.spellings import BY_LOCAL_NAME, is_ill_typed, value
from tests.tables import table

integers = (
    st.integers() | st.integers(-70_000, 70_000) | st.sampled_from([2**bits for bits in (7, 8, 15, 16, 31, 32, 63, 64)])
)
decimals = st.decimals(allow_nan=False, allow_infinity=False)
floats = st.floats(allow_nan=False, allow_infinity=False)
zeros = st.text("0", max_size=4)


def decimal_form(number: Decimal) -> str:
    return f"{number:f}"


def double(text: str) -> float:
    return float.fromhex(value(text, "double").data)


def single(text: str) -> float:
    return float.fromhex(value(text, "float").data)


@given(integers, zeros, zeros)
def test_spellings_of_an_integer(number: int, leading: str, trailing: str) -> None:
    sign = "-" if number < 0 else ""
    padded = f"{sign}{leading}{abs(number)}"
    assert value(padded, "integer") == value(str(number), "integer")
    assert value(f"{padded}.{trailing}", "decimal") == value(str(number), "integer")
    assert value(f"{padded}/1", "rational") == value(str(number), "integer")
    assert value(str(number), "integer").data == number


@given(decimals, decimals)
def test_decimals_are_those_of_python(first: Decimal, second: Decimal) -> None:
    one, two = value(decimal_form(first), "decimal"), value(decimal_form(second), "decimal")
    assert (one == two) == (first == second)
    assert compare(one, two) == (first > second) - (first < second)
    assert value(decimal_form(first) + ("0" if "." in decimal_form(first) else ".00"), "decimal") == one


@given(integers, st.sampled_from(sorted(WHOLE)))
def test_ranges_of_integers(number: int, datatype: str) -> None:
    low, high = WHOLE[datatype]
    fits = (low is None or number >= low) and (high is None or number <= high)
    local = datatype[1:-1].split("#")[1]
    assert is_ill_typed(str(number), local) != fits
    assert is_member(value(str(number), "integer"), datatype) == fits


@given(st.text("0123456789", min_size=600, max_size=4000), st.sampled_from(["", "+", "-"]))
def test_long_numbers_are_exact(digits: str, sign: str) -> None:
    assert integer_of(sign + digits) == int(sign + digits)
    found = value(sign + digits, "integer")
    assert found == value(f"{sign}{digits}.0", "decimal") == value(f"{sign}{digits}/1", "rational")
    assert hash(found) == hash(value(f"{sign}{digits}/1", "rational")) == hash(("real", int(sign + digits)))
    assert compare(found, value(f"{sign}{digits}.{digits}1", "decimal")) == (1 if sign == "-" else -1)
    assert is_member(found, BY_LOCAL_NAME["nonNegativeInteger"]) == (sign != "-" or set(digits) == {"0"})
    assert not is_member(value(f"{sign}{digits}.{digits}1", "decimal"), v.XSD_INTEGER)


def test_bounds() -> None:
    for local, bits in (("byte", 7), ("short", 15), ("int", 31), ("long", 63)):
        assert WHOLE[BY_LOCAL_NAME[local]] == (-(2**bits), 2**bits - 1)
        unsigned = BY_LOCAL_NAME[f"unsigned{local.capitalize()}"]
        assert WHOLE[unsigned] == (0, 2 ** (bits + 1) - 1)


@given(st.fractions())
def test_rationals_are_fractions(number: Fraction) -> None:
    found = value(f"{number.numerator}/{number.denominator}", "rational")
    assert found.data == number
    assert found == value(f"{number.numerator * 6}/{number.denominator * 6}", "rational")
    assert is_member(found, v.XSD_INTEGER) == (number.denominator == 1)
    assert is_member(found, v.OWL_RATIONAL)
    assert is_member(found, v.OWL_REAL)


@given(st.integers(1, 10**9), st.integers(0, 9), st.integers(0, 9))
def test_a_number_with_finitely_many_places_is_a_decimal(numerator: int, twos: int, fives: int) -> None:
    assert is_decimal(Fraction(numerator, 2**twos * 5**fives))
    assert not is_decimal(Fraction(3 * numerator + 1, 3 * 2**twos * 5**fives))


@given(st.integers(), st.integers(0, 20))
def test_a_decimal_written_as_a_rational(number: int, places: int) -> None:
    with localcontext() as context:
        context.prec = 1000
        text = decimal_form(Decimal(number).scaleb(-places))
    found = value(f"{number}/{10**places}", "rational")
    assert found == value(text, "decimal")
    assert is_member(found, v.XSD_DECIMAL)


@given(floats)
def test_doubles_are_those_of_python(number: float) -> None:
    assert double(repr(number)) == number
    assert double(f"{number:.400e}") == number
    assert value(repr(number), "double") == value(f"{number:.17e}", "double")


@given(floats, floats)
def test_the_order_of_doubles(first: float, second: float) -> None:
    one, two = value(repr(first), "double"), value(repr(second), "double")
    assert compare(one, two) == (first > second) - (first < second)
    assert (one == two) == (repr(first) == repr(second))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_is_read_back(number: float) -> None:
    assert single(repr(number)) == number
    assert single(str(np.float32(number))) == number


@given(floats)
@example(3.5e38)
@example(1e-46)
def test_a_double_is_rounded_as_numpy_does(number: float) -> None:
    with np.errstate(over="ignore"):
        assert single(repr(number)) == float(np.float32(number))


@given(st.integers(2**23, 2**24 - 2), st.integers(-60, 40), st.sampled_from([-1, 1]), st.integers(2, 60), st.booleans())
def test_a_float_is_the_nearest(mantissa: int, exponent: int, side: int, distance: int, is_negative: bool) -> None:
    """Just beside the middle of two floats, however close: rounding to a double first would fall into it."""
    number = (mantissa + Fraction(1, 2) + Fraction(side, 2**distance)) * Fraction(2) ** exponent
    nearest = (mantissa + (side > 0)) * Fraction(2) ** exponent
    with localcontext() as context:
        context.prec = 400
        text = f"{Decimal(number.numerator) / Decimal(number.denominator):e}"
    assert Fraction(single(f"-{text}" if is_negative else text)) == (-nearest if is_negative else nearest)


@table(
    ("text", "expected"),
    [
        ("16777205.5", "16777206"),
        ("16777206.5", "16777206"),
        ("16777207.5", "16777208"),
        ("1.000000059604644775390625", "1"),  # the middle of two floats goes to the even one
        ("1.0000000596046447753906250000000000000000000000001", "1.0000001192092896"),
        (
            "340282356779733661637539395458142568447.9",
            "3.4028234663852886e38",
        ),  # below the middle of the largest and INF
        ("340282356779733661637539395458142568448", "INF"),
        ("1.401298464324817e-45", "1e-45"),
        ("0.7006492321624085354618e-45", "0"),
        ("0.7006492321624085354619e-45", "1e-45"),
        ("-1e-99999999999999999999", "-0"),
    ],
)
def test_rounding_of_floats(text: str, expected: str) -> None:
    assert value(text, "float") == value(expected, "float")


@given(floats, zeros)
def test_the_sign_of_zero_and_of_infinity(number: float, more: str) -> None:
    for name in ("double", "float"):
        assert value(f"-0.{more}E5", name) == value("-0", name) != value("0", name)
        assert value("1e999", name) == value("+INF", name) != value("-1e999", name)
        assert value("NaN", name) == value("NaN", name)
        assert compare(value("-0", name), value("0", name)) == 0
        assert compare(value("NaN", name), value("NaN", name)) is None
        assert compare(value("NaN", name), value(repr(number), name)) is None
        assert compare(value("-INF", name), value("0", name)) == -1
