"""The kernel that reads numbers from the texts of literals, without making a string.

    "12"^^xsd:integer     kind 1    12,000,000      the value times SCALE
    "2.50"^^xsd:decimal   kind 1     2,500,000
    "1e3"^^xsd:double     kind 2                    the caller has to compute the value
    any other term        kind 0

Law: a value is exact. An integer or decimal with more than 11 digits before the point, or more than 6 after it, has
kind 0.
Cost: 20 nanoseconds for each literal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kgreason.compiled import inline, kernel
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.interning import Table

SCALE = 1_000_000
NO_NUMBER, EXACT, DOUBLE = 0, 1, 2
_WHOLE, _FRACTION = 11, 6
_INTEGER, _DECIMAL, _DOUBLE = (
    np.frombuffer(f'"^^{datatype}'.encode(), np.uint8) for datatype in (v.XSD_INTEGER, v.XSD_DECIMAL, v.XSD_DOUBLE)
)


class Numbers(NamedTuple):
    """The kinds of terms, uint8[n], and their values times `SCALE`, int64[n].

    The docstring of the module explains the kinds 0, 1 (`EXACT`) and 2. The value of a term of kind 0 or 2 is 0.
    """

    kinds: npt.NDArray[np.uint8]
    values: npt.NDArray[np.int64]


def read_numbers(dictionary: Dictionary, ids: npt.NDArray[np.int32]) -> Numbers:
    """Read the terms `ids`, int32[n], as numbers."""
    found = Numbers(np.zeros(ids.size, np.uint8), np.zeros(ids.size, np.int64))
    table, places = dictionary.table_of(ids)
    _parse_numbers(table, np.ascontiguousarray(places), _INTEGER, _DECIMAL, _DOUBLE, found.kinds, found.values)
    return found


@inline
def _ends_with(table: Table, start: int, end: int, wanted: npt.NDArray[np.uint8]) -> bool:
    """Whether the literal `arena[start:end]` ends with `wanted`, and has at least one character before it."""
    at, last = np.uint64(end - wanted.size), np.uint64(wanted.size - 2)
    if end - wanted.size <= start + 1 or table.arena[at + last] != wanted[last]:  # the datatypes differ there
        return False
    differs = np.uint8(0)
    for i in range(np.uint64(wanted.size)):  # without an exit, so that the compiler compares many bytes at a time
        differs |= table.arena[at + i] ^ wanted[i]
    return bool(differs == 0)


@inline
def _parse_number(table: Table, start: int, end: int, fraction: int) -> tuple[bool, int]:
    """Read `arena[start:end]` as a number with at most `fraction` digits after the point.

    Returns whether the text is such a number and not too long, and the number times SCALE.
    """
    is_negative = table.arena[start] == ord("-")
    if is_negative or table.arena[start] == ord("+"):
        start += 1
    value: Any = 0
    whole = 0
    while start < end and ord("0") <= table.arena[start] <= ord("9") and whole <= _WHOLE:
        value, whole, start = 10 * value + (np.int64(table.arena[start]) - ord("0")), whole + 1, start + 1
    if whole == 0 or whole > _WHOLE:
        return False, 0
    digits = 0
    if start < end and table.arena[start] == ord(".") and fraction:
        start += 1
        while start < end and ord("0") <= table.arena[start] <= ord("9") and digits <= fraction:
            value, digits, start = 10 * value + (np.int64(table.arena[start]) - ord("0")), digits + 1, start + 1
        if digits == 0 or digits > fraction:
            return False, 0
    while digits < _FRACTION:
        value, digits = 10 * value, digits + 1
    return start == end, -value if is_negative else value


@kernel
def _parse_numbers(
    table: Table,
    ids: npt.NDArray[np.int32],
    integer: npt.NDArray[np.uint8],
    decimal: npt.NDArray[np.uint8],
    double: npt.NDArray[np.uint8],
    kinds: npt.NDArray[np.uint8],
    values: npt.NDArray[np.int64],
) -> None:
    """Write the kind and the value of each of the terms `ids` to `kinds` and `values`.

    The texts of all literals of xsd:integer end with the bytes `integer`, which are `"^^<...#integer>`. `decimal` and
    `double` are the same for xsd:decimal and xsd:double.
    """
    for i in range(ids.size):
        start, end = table.offsets[ids[i]], table.offsets[ids[i] + 1]
        if end - start < 3 or table.arena[start] != ord('"'):
            continue
        if _ends_with(table, start, end, double):
            kinds[i] = DOUBLE
        elif _ends_with(table, start, end, integer):
            is_exact, value = _parse_number(table, start + 1, end - integer.size, 0)
            if is_exact:
                kinds[i], values[i] = EXACT, value
        elif _ends_with(table, start, end, decimal):
            is_exact, value = _parse_number(table, start + 1, end - decimal.size, _FRACTION)
            if is_exact:
                kinds[i], values[i] = EXACT, value
