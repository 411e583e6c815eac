"""Moments and recurring moments: dateTime, date, time, gYear and so on.

A `Moment` has the seven properties of XSD 1.1 (Part 2, appendix D.2.1); a property is None if the datatype leaves it
out. Two moments are *identical* if all seven properties are equal. So in OWL 2 `12:00:00Z` and `13:00:00+01:00` are two
values, but `Z` and `+00:00` give the same value (Structural Specification, 4.7). The *order* of moments is the order of
their `seconds`, in which `12:00:00Z` and `13:00:00+01:00` are equal.

24:00:00 is 00:00:00 of the next day. There are no leap seconds. The year 0000 is 1 BCE and a leap year. Years may have
any number of digits, seconds any number of decimal places.

Cost: about four microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from itertools import accumulate
from typing import NamedTuple

from kgreason.datatypes.spaces.numeric import integer_of, plus, real
from kgreason.datatypes.value import DATE, DATE_TIME, DAY, MONTH, MONTH_DAY, TIME, YEAR, YEAR_MONTH, Value

_YEAR = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))"
_MONTH = r"(?P<month>0[1-9]|1[0-2])"
_DAY = r"(?P<day>0[1-9]|[12][0-9]|3[01])"
_TIME = (
    r"(?:(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9](?:\.[0-9]+)?)"
    r"|(?P<midnight>24:00:00(?:\.0+)?))"
)
_ZONE = r"(?P<zone>Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"

_LEAP_YEAR = 1972
"""The year to use for a moment without a year. It is a leap year, because --02-29 is a valid gMonthDay."""
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_BEFORE = (0, *accumulate(_LENGTHS))


class Moment(NamedTuple):
    """A moment: the seven properties of XSD. `offset`: the timezone, in minutes east of Greenwich.

    `second` is never rounded. A property is None if the datatype or the lexical form leaves it out.
    """

    year: int | None
    month: int | None
    day: int | None
    hour: int | None
    minute: int | None
    second: int | Decimal | None
    offset: int | None


def days_in(year: int, month: int) -> int:
    """Return the number of days in a month."""
    return 29 if month == 2 and _is_leap(year) else _LENGTHS[month - 1]


def seconds(moment: Moment) -> int | Decimal:
    """Return the position of a moment on the time line, in seconds (XSD 1.1 Part 2, timeOnTimeline).

    If the moment has an offset, the position is in UTC. Missing properties are filled in: year 1972, month December,
    the last day of the month, midnight.
    """
    year = _LEAP_YEAR if moment.year is None else moment.year
    month = moment.month or 12
    day = moment.day or days_in(year, month)
    minutes = (moment.hour or 0) * 60 + (moment.minute or 0) - (moment.offset or 0)
    return plus((days_before(year, month) + day - 1) * 86400 + minutes * 60, moment.second or 0)


def days_before(year: int, month: int) -> int:
    """Return the number of days from 1 January of the year 1 to the first day of a month."""
    past = year - 1
    leap_day = month > 2 and _is_leap(year)
    return past * 365 + past // 4 - past // 100 + past // 400 + _BEFORE[month - 1] + leap_day


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _reader(space: str, pattern: str, example: str) -> Callable[[str], Value]:
    form = re.compile(pattern + _ZONE)

    def read(lexical: str) -> Value:
        match = form.fullmatch(lexical)
        if not match:
            raise ValueError(f"expected a form such as {example}, with or without a timezone")
        return Value(space, _moment(match.groupdict()))

    return read


def _moment(parts: dict[str, str | None]) -> Moment:
    year, month, day, hour, minute = (
        _integer_of(parts.get(name)) for name in ("year", "month", "day", "hour", "minute")
    )
    if month and day and day > days_in(_LEAP_YEAR if year is None else year, month):
        raise ValueError("expected a day that exists in the month")
    second, offset = parts.get("second"), _offset(parts["zone"])
    if parts.get("midnight"):
        return Moment(*_next_day(year, month, day), 0, 0, 0, offset)
    return Moment(year, month, day, hour, minute, real(second) if second else None, offset)


def _integer_of(digits: str | None) -> int | None:
    return None if digits is None else integer_of(digits)


def _offset(zone: str | None) -> int | None:
    if zone is None:
        return None
    if zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:])
    return -minutes if zone[0] == "-" else minutes


def _next_day(year: int | None, month: int | None, day: int | None) -> tuple[int | None, int | None, int | None]:
    if year is None or month is None or day is None:
        return year, month, day
    if day < days_in(year, month):
        return year, month, day + 1
    return (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)


date_time = _reader(DATE_TIME, f"{_YEAR}-{_MONTH}-{_DAY}T{_TIME}", "2004-02-29T12:00:00")
"""xsd:dateTime."""
date = _reader(DATE, f"{_YEAR}-{_MONTH}-{_DAY}", "2004-02-29")
"""xsd:date."""
time = _reader(TIME, _TIME, "12:00:00")
"""xsd:time."""
g_year = _reader(YEAR, _YEAR, "2004")
"""xsd:gYear."""
g_year_month = _reader(YEAR_MONTH, f"{_YEAR}-{_MONTH}", "2004-02")
"""xsd:gYearMonth."""
g_month = _reader(MONTH, f"--{_MONTH}", "--02")
"""xsd:gMonth."""
g_month_day = _reader(MONTH_DAY, f"--{_MONTH}-{_DAY}", "--02-29")
"""xsd:gMonthDay."""
g_day = _reader(DAY, f"---{_DAY}", "---29")
"""xsd:gDay."""
