"""Moments and durations against Python's datetime, where that reaches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.datatypes.datatype_map import is_member
from kgreason.datatypes.order import compare
from kgreason.datatypes.spaces.times import days_before, days_in, seconds
from tests.datatypes.spellings import BY_LOCAL_NAME, is_ill_typed, value
from tests.tables import table

EPOCH = datetime(1, 1, 1, tzinfo=UTC)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=zones)
naive = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31))
spans = st.timedeltas()


@given(moments)
def test_a_moment_on_the_time_line(moment: datetime) -> None:
    found = value(moment.isoformat(), "dateTime")
    since = moment - EPOCH
    assert seconds(found.data) * 10**6 == since // timedelta(microseconds=1)
    assert is_member(found, BY_LOCAL_NAME["dateTimeStamp"])


@given(moments, zones)
def test_another_timezone_is_an_equal_moment_and_another_value(moment: datetime, zone: timezone) -> None:
    one = value(moment.isoformat(), "dateTime")
    two = value(moment.astimezone(zone).isoformat(), "dateTimeStamp")
    assert compare(one, two) == 0
    assert (one == two) == (moment.utcoffset() == zone.utcoffset(None))


@given(moments, moments)
def test_moments_with_timezones_are_ordered(first: datetime, second: datetime) -> None:
    one, two = value(first.isoformat(), "dateTime"), value(second.isoformat(), "dateTime")
    assert compare(one, two) == (first > second) - (first < second)


@given(naive, naive)
def test_moments_without_timezones_are_ordered(first: datetime, second: datetime) -> None:
    one, two = value(first.isoformat(), "dateTime"), value(second.isoformat(), "dateTime")
    assert not is_member(one, BY_LOCAL_NAME["dateTimeStamp"])
    assert compare(one, two) == (first > second) - (first < second)
    days = value(first.date().isoformat(), "date"), value(second.date().isoformat(), "date")
    assert compare(*days) == (first.date() > second.date()) - (first.date() < second.date())
    times = value(first.time().isoformat(), "time"), value(second.time().isoformat(), "time")
    assert compare(*times) == (first.time() > second.time()) - (first.time() < second.time())


@given(naive, st.integers(-20 * 3600, 20 * 3600))
def test_a_missing_timezone_may_be_any(moment: datetime, later: int) -> None:
    one = value(f"{moment.isoformat()}Z", "dateTime")
    two = value((moment + timedelta(seconds=later)).isoformat(), "dateTime")
    most = 14 * 3600
    assert compare(one, two) == (-1 if later > most else 1 if later < -most else None)


def test_fourteen_hours_are_not_enough() -> None:
    noon = value("2000-01-02T12:00:00Z", "dateTime")
    assert compare(noon, value("2000-01-01T22:00:00", "dateTime")) is None
    assert compare(noon, value("2000-01-01T21:59:59.99", "dateTime")) == 1
    assert compare(noon, value("2000-01-03T02:00:00", "dateTime")) is None
    assert compare(noon, value("2000-01-03T02:00:00.01", "dateTime")) == -1


@given(naive)
def test_midnight_belongs_to_the_next_day(moment: datetime) -> None:
    day, following = moment.date(), moment.date() + timedelta(days=1)
    assert value(f"{day}T24:00:00Z", "dateTime") == value(f"{following}T00:00:00Z", "dateTime")


@given(st.integers(-20_000, 20_000), st.integers(1, 12), st.integers(29, 31))
def test_months_have_their_days(year: int, month: int, day: int) -> None:
    assert days_in(year, month) == days_before(year + month // 12, month % 12 + 1) - days_before(year, month)
    text = f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}"
    assert is_ill_typed(text, "date") == (day > days_in(year, month))
    assert is_ill_typed(f"{text}T24:00:00", "dateTime") == (day > days_in(year, month))


@table("name", ["gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay", "date", "time", "dateTime"])
def test_parts_of_a_moment_are_told_apart_and_ordered(name: str) -> None:
    parts = {
        "gYear": ["-12000", "-0001", "0000", "0001", "2000", "12000"],
        "gYearMonth": ["-0001-12", "2000-01", "2000-02", "2001-01"],
        "gMonth": ["--01", "--02", "--12"],
        "gMonthDay": ["--01-31", "--02-29", "--12-31"],
        "gDay": ["---01", "---02", "---31"],
        "date": ["-0001-12-31", "0000-01-01", "2000-02-28", "2000-02-29", "2000-03-01"],
        "time": ["00:00:00", "00:00:00.1", "23:59:59.99999999999", "23:59:59.999999999999"],
        "dateTime": ["-0001-12-31T23:59:59", "-0001-12-31T24:00:00", "0000-01-01T00:00:01"],
    }[name]
    found = [value(f"{text}{zone}", name) for zone in ("", "Z") for text in parts]
    assert len(set(found)) == len(found)
    for half in (found[: len(parts)], found[len(parts) :]):
        signs = [[compare(one, two) for two in half] for one in half]
        assert signs == [[(i > j) - (i < j) for j in range(len(half))] for i in range(len(half))]


def test_seconds_are_exact() -> None:
    third = "3" * 5000
    one, two = (value(f"2000-01-01T00:00:00.{third}{last}Z", "dateTime") for last in "12")
    assert one != two
    assert compare(one, two) == -1
    assert compare(one, value(f"2000-01-01T14:00:00.{third}", "dateTime")) is None
    assert compare(one, value(f"2000-01-01T14:00:00.{third}2", "dateTime")) == -1
    short, long = (value(f"P1DT0.{third}{last}S", "dayTimeDuration") for last in "12")
    assert compare(short, long) == -1
    assert compare(value(f"-P1DT0.{third}1S", "duration"), value(f"-P1DT0.{third}2S", "duration")) == 1


def test_a_date_starts_with_its_timezone() -> None:
    assert compare(value("2000-01-01+13:00", "date"), value("1999-12-31-11:00", "date")) == 0
    assert compare(value("13:00:00+01:00", "time"), value("12:00:00Z", "time")) == 0
    assert compare(value("--03-01+14:00", "gMonthDay"), value("--02-29-10:00", "gMonthDay")) == 0
    assert compare(value("2000Z", "gYear"), value("2000", "gYear")) is None


@given(spans)
def test_a_duration_is_its_seconds(span: timedelta) -> None:
    sign, span = ("-", -span) if span < timedelta() else ("", span)
    total = Decimal(span // timedelta(microseconds=1)).scaleb(-6)
    found = value(f"{sign}P{span.days}DT{span.seconds}.{span.microseconds:06d}S", "dayTimeDuration")
    assert found == value(f"{sign}PT{total:f}S", "duration")
    assert found.data.months == 0
    assert abs(found.data.seconds) == total


@given(spans, spans)
def test_days_and_times_are_ordered(first: timedelta, second: timedelta) -> None:
    one, two = (
        value(f"{'-' if s < timedelta() else ''}P{abs(s).days}DT{abs(s).seconds}S", "duration") for s in (first, second)
    )
    assert compare(one, two) == (one.data.seconds > two.data.seconds) - (one.data.seconds < two.data.seconds)


@given(st.integers(0, 10**6), st.integers(0, 40), st.integers(0, 10**6))
def test_years_and_months_are_ordered(years: int, months: int, others: int) -> None:
    one, two = value(f"P{years}Y{months}M", "yearMonthDuration"), value(f"P{others}M", "duration")
    total = years * 12 + months
    assert (one == two) == (total == others)
    assert compare(one, two) == (total > others) - (total < others)


@pytest.mark.parametrize(
    ("months", "shorter", "neither", "longer"),
    [(1, 27, (28, 31), 32), (2, 58, (59, 62), 63), (12, 364, (365, 366), 367), (5, 149, (150, 153), 154)],
)
def test_months_and_days(months: int, shorter: int, neither: tuple[int, int], longer: int) -> None:
    """By the four dates of XSD 1.1 Part 2, 3.3.6.1."""
    span = value(f"P{months}M", "duration")
    assert compare(span, value(f"P{shorter}D", "duration")) == 1
    assert [compare(span, value(f"P{days}D", "duration")) for days in range(neither[0], neither[1] + 1)] == [None] * (
        neither[1] - neither[0] + 1
    )
    assert compare(span, value(f"P{longer}D", "duration")) == -1
