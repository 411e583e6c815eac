"""Durations: months and seconds.

Two durations are one value if they have as many months and as many seconds (XSD 1.1 Part 2, 3.3.6): `P1Y` and `P12M`
are, `P1M` and `P30D` are not. The order is partial: one duration is less than another if it is so from each of four
dates on that were chosen to tell them apart (3.3.6.1), and `P1M` and `P30D` are incomparable.

Cost: about three microseconds; a comparison ten.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from kgreason.datatypes.spaces.numeric import minus, plus, real, whole
from kgreason.datatypes.spaces.times import days_before
from kgreason.datatypes.value import DURATION, Value

_FORM = re.compile(
    r"(?P<minus>-?)P(?=.)(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?=.)(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9]+(?:\.[0-9]+)?)S)?)?"
)
_STARTS = (1696, 9), (1697, 2), (1903, 3), (1903, 7)
"""The first days of these months tell durations apart."""


class Duration(NamedTuple):
    """Months and seconds, of the same sign."""

    months: int
    seconds: int | Decimal


def duration(lexical: str) -> Value:
    """xsd:duration."""
    match = _FORM.fullmatch(lexical)
    if not match:
        raise ValueError("as P1Y2M3DT4H5M6.7S, without what is zero")
    months = 12 * _whole(match["years"]) + _whole(match["months"])
    minutes = 60 * (24 * _whole(match["days"]) + _whole(match["hours"])) + _whole(match["minutes"])
    seconds = plus(60 * minutes, real(match["seconds"] or "0"))
    return Value(DURATION, Duration(-months, minus(seconds)) if match["minus"] else Duration(months, seconds))


def day_time(lexical: str) -> Value:
    """xsd:dayTimeDuration: no years, no months, not even none of them."""
    date = lexical.partition("T")[0]
    if "Y" in date or "M" in date:
        raise ValueError("as P3DT4H5M6.7S, without years and months")
    return duration(lexical)


def year_month(lexical: str) -> Value:
    """xsd:yearMonthDuration: no days, no time, not even none of it."""
    if "D" in lexical or "T" in lexical:
        raise ValueError("as P1Y2M, without days and time")
    return duration(lexical)


def places(value: Duration) -> list[int | Decimal]:
    """The ends of a duration on the time line, in seconds, from each of the four dates on."""
    return [plus(_after(year, month + value.months), value.seconds) for year, month in _STARTS]


def _after(year: int, month: int) -> int:
    """The start of a month counted from January of a year, in seconds."""
    return days_before(year + (month - 1) // 12, (month - 1) % 12 + 1) * 86400


def _whole(digits: str | None) -> int:
    return whole(digits) if digits else 0
