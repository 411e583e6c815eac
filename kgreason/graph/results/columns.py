"""Columns of terms as Python values.

A column has a *kind*: "integer", "decimal", "text" and so on (`frames` has a table).

Law: a column has the smallest kind that holds all of its terms exactly; null fits every kind. A column of numbers is
integer if that is possible, else decimal, else double. A column of doubles may also have integers and decimals; these
are rounded. Cost: one step for each cell, and parsing each distinct literal once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pyoxigraph import Literal, NamedNode

from kgreason.datatypes import value
from kgreason.datatypes.datatype_map import DATATYPE_MAP
from kgreason.datatypes.hierarchy import is_subtype
from kgreason.datatypes.spaces.times import Moment
from kgreason.graph.input.terms import text_of
from kgreason.terms import vocabulary as v

if TYPE_CHECKING:
    from kgreason.graph.results.cells import Cell

_NUMBERS = ("integer", "decimal", "double")
_WIDER: dict[str, Callable[[Any], object]] = {"decimal": Decimal, "double": float}
_DIGITS = 38
_FREQUENT = 1 << 14
_YEARS = range(1, 10_000)
_SHORT = re.compile(r"-?[0-9]{1,18}")
_TEXTS = frozenset(name[1:-1] for name in (v.XSD_STRING, v.RDF_LANG_STRING, v.RDF_DIR_LANG_STRING))


class Column(NamedTuple):
    """The values of a column, and its kind. A value that is None is null.

    `scale` is the number of digits after the point if the kind is "decimal".
    """

    kind: str
    scale: int
    values: Sequence[object]


class _Value(NamedTuple):
    kind: str
    data: Any


_TEXT = _Value("text", None)


def column_of(cells: Sequence[Cell], *, ntriples: bool) -> Column:
    """Make a column from cells, of the smallest kind that fits all of them; with `ntriples`, of N-Triples text."""
    if ntriples:
        return Column("text", 0, [cell if cell is None else text_of(cell) for cell in cells])
    found = [None if cell is None else _value(cell) if isinstance(cell, Literal) else _TEXT for cell in cells]
    kind = _common_kind({each.kind for each in found if each is not None})
    scale = 0
    if kind == "decimal":
        digits, scale = _decimal_size([Decimal(each.data) for each in found if each is not None])
        kind = kind if digits <= _DIGITS else "text"
    if kind == "text":
        return Column(kind, 0, [None if cell is None else _text(cell) for cell in cells])
    convert = _WIDER.get(kind)
    data = [None if each is None else each.data for each in found]
    return Column(kind, scale, [each if each is None else convert(each) for each in data] if convert else data)


def _common_kind(kinds: set[str]) -> str:
    """Return the smallest kind that holds values of each of these kinds; "text" if there are no kinds."""
    if len(kinds) == 1:
        return kinds.pop()
    return max(kinds, key=_NUMBERS.index) if kinds and kinds <= set(_NUMBERS) else "text"


def _decimal_size(numbers: Sequence[Decimal]) -> tuple[int, int]:
    """Return how many digits a column needs for all of these numbers, and how many of the digits follow the point."""
    scale = max(max(0, -cast(int, number.as_tuple().exponent)) for number in numbers)
    return scale + max(max(0, number.adjusted() + 1) for number in numbers), scale


def _text(cell: Cell) -> str:
    return cell.value if isinstance(cell, (NamedNode, Literal)) else text_of(cell)


def _value(literal: Literal) -> _Value:
    """Return the value of a literal, and the smallest kind that holds it exactly: "text" if no other kind does."""
    datatype = literal.datatype.value
    return _TEXT if datatype in _TEXTS else _parse_value(literal.value, datatype)


@lru_cache(_FREQUENT)
def _parse_value(lexical: str, datatype: str) -> _Value:
    name = f"<{datatype}>"
    if name == v.XSD_INTEGER and _SHORT.fullmatch(lexical):
        return _Value("integer", int(lexical))
    known = DATATYPE_MAP.get(name)
    try:
        read = known.value(lexical) if known else None
    except ValueError:
        return _TEXT
    if read is None:
        return _TEXT
    data = read.data
    if read.space == value.REAL:
        return _number(data, is_integer=is_subtype(name, v.XSD_INTEGER))
    if read.space in (value.DOUBLE, value.FLOAT):
        return _Value("double", float.fromhex(data))
    if read.space == value.BOOLEAN:
        return _Value("boolean", data)
    if read.space in (value.DATE_TIME, value.DATE) and data.year in _YEARS:
        return _time(data) if read.space == value.DATE_TIME else _date(data)
    return _TEXT


def _number(number: object, *, is_integer: bool) -> _Value:
    if is_integer and isinstance(number, int):
        return _Value("integer" if -(1 << 63) <= number < 1 << 63 else "decimal", number)
    return _Value("decimal", number) if isinstance(number, (int, Decimal)) else _Value("text", None)


def _time(moment: Moment) -> _Value:
    """Return a moment as a value of a column: in UTC if it has a time zone, otherwise as local time.

    Returns `_TEXT` for a moment that is finer than a microsecond, or whose year in UTC is out of range.
    """
    micros = Decimal(moment.second or 0) * 1_000_000
    if micros != micros.to_integral_value():
        return _TEXT
    second, micro = divmod(int(micros), 1_000_000)
    parts = cast(tuple[int, int, int, int, int], moment[:5])
    if moment.offset is None:
        return _Value("local time", datetime(*parts, second, micro))
    zone = timezone(timedelta(minutes=moment.offset))
    try:
        return _Value("instant", datetime(*parts, second, micro, zone).astimezone(UTC))
    except OverflowError:
        return _TEXT


def _date(moment: Moment) -> _Value:
    if moment.offset is not None:
        return _TEXT
    return _Value("date", date(*cast(tuple[int, int, int], moment[:3])))
