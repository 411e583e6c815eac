"""Values of Arrow columns have the lexical forms of the same values in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.datatypes.datatype_map import values as values_of
from kgreason.errors import InputError
from kgreason.graph.input.terms import term_text

pyarrow = pytest.importorskip("pyarrow", reason="the extra frames is not installed")

from kgreason.mapping.mapping import ColumnMapping, RowMapping  # noqa: E402
from kgreason.mapping.template import template  # noqa: E402
from kgreason.mapping.triples import lines, triples  # noqa: E402
from tests.tables import table  # noqa: E402

XSD = "http://www.w3.org/2001/XMLSchema#"
LITTLE = {"min_value": -(2**63), "max_value": 2**63 - 1}
SPANS = st.integers(-(2**62), 2**62).map(lambda count: timedelta(microseconds=count % 10**17))


def objects(values: list[Any], kind: Any = None, **how: Any) -> list[str]:
    """The objects of a column of these values."""
    column = values if isinstance(values, pyarrow.Array) else pyarrow.array(values, kind)
    batch = pyarrow.record_batch([pyarrow.array(range(len(column)), pyarrow.int64()), column], names=["id", "x"])
    mapping = RowMapping(template("http://e/{id}"), (ColumnMapping("x", "<http://e/x>", **how),))
    return list(triples(batch, mapping)["object"].to_pylist())


def literal(text: str, name: str) -> str:
    return f'"{text}"^^<{XSD}{name}>'


@pytest.mark.parametrize(
    ("drawn", "kind"),
    [
        (st.booleans(), pyarrow.bool_()),
        (st.integers(**LITTLE), pyarrow.int64()),
        (st.integers(0, 2**64 - 1), pyarrow.uint64()),
        (st.floats(allow_nan=False), pyarrow.float64()),
        (st.dates(), pyarrow.date32()),
    ],
    ids=str,
)
def test_values_are_the_literals_that_rows_of_terms_get(drawn: Any, kind: Any) -> None:
    @given(st.lists(drawn, max_size=4))
    def follow(values: list[Any]) -> None:
        assert objects(values, kind) == [term_text(value, "object") for value in values]

    follow()


@pytest.mark.parametrize(
    ("drawn", "kind", "expected"),
    [
        (st.datetimes(), pyarrow.timestamp("us"), lambda each: term_text(each, "object")),
        (st.datetimes(timezones=st.just(UTC)), pyarrow.timestamp("us", "UTC"), lambda each: term_text(each, "object")),
        (st.times(), pyarrow.time64("us"), lambda each: literal(each.isoformat(), "time")),
        (
            st.decimals(-(10**18), 10**18, allow_nan=False, places=12),
            pyarrow.decimal128(38, 12),
            lambda each: literal(f"{each:f}", "decimal"),
        ),
        (
            SPANS,
            pyarrow.duration("us"),
            lambda each: literal(f"PT{Decimal(each // timedelta(microseconds=1)) / 10**6:f}S", "dayTimeDuration"),
        ),
    ],
    ids=["local", "utc", "time", "decimal", "duration"],
)
def test_values_are_the_values_of_their_literals(drawn: Any, kind: Any, expected: Callable[[Any], str]) -> None:
    @given(st.lists(drawn, max_size=4))
    def follow(values: list[Any]) -> None:
        assert values_of(objects(values, kind)) == values_of([expected(value) for value in values])

    follow()


CASES: list[tuple[list[Any], Any, list[str]]] = [
    ([0.1, math.inf, -math.inf, -0.0], "float32", [literal(text, "float") for text in ("0.1", "INF", "-INF", "-0.0")]),
    ([0.5, math.nan], "float16", [literal("0.5", "float")]),
    ([math.nan, None, 1e16], "float64", [literal("1e+16", "double")]),
    (
        [Decimal("1.50"), Decimal("1E-12"), Decimal(-200)],
        None,
        [literal(each, "decimal") for each in ("1.5", "0.000000000001", "-200")],
    ),
    ([time(12), time(1, 2, 3, 500)], None, [literal(each, "time") for each in ("12:00:00", "01:02:03.0005")]),
    (
        [timedelta(hours=1), timedelta(seconds=-1.5)],
        None,
        [literal(each, "dayTimeDuration") for each in ("PT3600S", "-PT1.5S")],
    ),
    ([date(1, 1, 1)], "date64", [literal("0001-01-01", "date")]),
    ([1], pyarrow.timestamp("ns", "+05:30"), [literal("1970-01-01T05:30:00.000000001+05:30", "dateTime")]),
    (
        [datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)],
        pyarrow.timestamp("s", "Europe/Berlin"),
        [literal(each, "dateTime") for each in ("2026-01-01T01:00:00+01:00", "2026-07-01T02:00:00+02:00")],
    ),
    (
        [datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=-3)))],
        pyarrow.timestamp("ms", "America/St_Johns"),
        [literal("2025-12-31T23:30:00-03:30", "dateTime")],
    ),
    ([["a", None, "b"], [], None, ["a"]], None, ['"a"', '"b"', '"a"']),
    ([[[1], [2, 3]], [None]], None, [literal(each, "integer") for each in "123"]),
    ([None, None], None, []),
]


@table(("values", "kind", "expected"), CASES)
def test_the_forms_of_values(values: list[Any], kind: Any, expected: list[str]) -> None:
    assert objects(values, pyarrow.type_for_alias(kind) if isinstance(kind, str) else kind) == expected


def test_a_dictionary_has_the_literals_of_its_values() -> None:
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([1, None, 0, 2]), pyarrow.array(["a", "b", None]))
    assert objects(column) == ['"b"', '"a"']


@given(st.lists(st.one_of(st.text(), st.text('"\\\n\r\t\b\f\x00\x7f\ufffe é')), max_size=4))
def test_text_is_escaped_as_a_row_of_terms_is(texts: list[str]) -> None:
    assert objects(texts, pyarrow.string()) == [term_text(f'"{_escaped(text)}"', "object") for text in texts]
    assert objects(texts, pyarrow.string_view(), language="en-GB") == [f'"{_escaped(text)}"@en-GB' for text in texts]


def _escaped(text: str) -> str:
    from kgreason.terms.quoting import quote

    return quote(text)[1:-1]


@table(
    ("values", "name", "expected"),
    [
        ([1.0, None, -2.0], "byte", ["1", "-2"]),
        ([1.0], "integer", ["1"]),
        ([2026.0], "gYear", ["2026"]),
        ([datetime(2026, 1, 1), None], "date", ["2026-01-01"]),
        (["1", "02"], "int", ["1", "02"]),
        (["a"], "token", ["a"]),
    ],
)
def test_another_datatype(values: list[Any], name: str, expected: list[str]) -> None:
    assert objects(values, datatype=f"<{XSD}{name}>") == [literal(text, name) for text in expected]


@table(
    ("values", "how", "problem"),
    [
        ([1, 300], {"datatype": f"<{XSD}byte>"}, "row 2, column x, value 300: "),
        ([None, 1.5], {"datatype": f"<{XSD}int>"}, "row 2, column x, value 1.5: "),
        (["1", "x"], {"datatype": f"<{XSD}int>"}, "row 2, column x, value 'x': "),
        ([datetime(2026, 1, 1, 1)], {"datatype": f"<{XSD}date>"}, "row 1, column x, value datetime"),
        ([1], {"language": "en"}, "column x: only text has a language"),
        ([{"a": 1}], {}, "column x: XSD has no datatype for values of the type struct"),
        ([b"x"], {}, "column x: XSD has no datatype for values of the type binary"),
        (pyarrow.array([10**7], pyarrow.date32()), {}, "row 1, column x"),
        (
            pyarrow.array([-3_000_000_000], pyarrow.timestamp("s", "Europe/Berlin")),
            {},
            "row 1, column x, .*: xsd:dateTime has no time zone with seconds",
        ),
        ([["a"], ["b", "x"]], {"datatype": f"<{XSD}int>"}, "row 1, column x, value 'a'"),
    ],
)
def test_a_wrong_value_is_named_with_its_column_and_row(values: Any, how: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=f"^{problem}"):
        objects(values, **how)


def test_lines_are_the_triples_of_all_batches() -> None:
    batch = pyarrow.record_batch({"id": [1, 2, 3], "x": ["a", None, "c"]})
    columns = (
        ColumnMapping("x", "<http://e/x>"),
        ColumnMapping("x", "<http://e/y>", template=template("http://e/{x}")),
    )
    mapping = RowMapping(template("http://e/{id}"), columns, (template("http://e/C"),), template("http://e/g{id}"))
    rows = triples(batch, mapping).to_pylist()
    text = "".join(f"{each['subject']} {each['predicate']} {each['object']} {each['graph']} .\n" for each in rows)
    assert lines(batch, mapping).decode() == text
    assert len(rows) == 7
    assert set(lines(batch[:1], mapping).splitlines()) | set(lines(batch[1:], mapping, 2).splitlines()) == set(
        text.encode().splitlines()
    )
    assert lines(batch[:0], mapping) == b""
