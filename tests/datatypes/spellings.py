"""Literals by their lexical form and the local name of their datatype, and values of every datatype."""

from __future__ import annotations

from hypothesis import strategies as st

from kgreason.datatypes.datatype_map import DATATYPES, values
from kgreason.datatypes.value import IllTyped, Reading, Value
from kgreason.terms.quoting import quote

BY_LOCAL_NAME = {name[1:-1].split("#")[1]: name for name in DATATYPES}


def typed(lexical: str, datatype: str) -> str:
    """A literal with a datatype given by its local name."""
    return f"{quote(lexical)}^^{BY_LOCAL_NAME[datatype]}"


def reading(lexical: str, datatype: str) -> Reading:
    return values([typed(lexical, datatype)])[0]


def value(lexical: str, datatype: str) -> Value:
    found = reading(lexical, datatype)
    assert isinstance(found, Value), found
    return found


def is_ill_typed(lexical: str, datatype: str) -> bool:
    return isinstance(reading(lexical, datatype), IllTyped)


def plain(text: str) -> Value:
    """The value of a literal in N-Triples text."""
    [found] = values([text])
    assert isinstance(found, Value), found
    return found


SAMPLES: dict[str, list[str]] = {
    "decimal": ["0", "-0.0", "1.5", "-2.25", "3.000", "0.1", "123456789012345678901234567890.5", ".5", "7."],
    "integer": [
        "0",
        "-1",
        "+1",
        "007",
        "127",
        "128",
        "-128",
        "-129",
        "255",
        "256",
        "32767",
        "32768",
        "-40000",
        "65535",
        "65536",
        "2147483647",
        "2147483648",
        "-2147483649",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
    ],
    "rational": ["1/3", "2/6", "-4/2", "1/4"],
    "double": ["0", "-0", "1", "1.5E3", "INF", "-INF", "NaN", "0.1"],
    "float": ["0", "-0", "1", "1.5e3", "+INF", "-INF", "NaN", "0.1"],
    "string": [
        "",
        "a",
        "a b",
        " a",
        "a  b",
        "a\tb",
        "1",
        "true",
        "en",
        "en-GB",
        "a:b",
        ":",
        "-a",
        "é",
        "a" * 9,
        "x_1.2",
    ],
    "PlainLiteral": ["a@", "a@en", "a@EN", "a b@de-AT", "@en", "a@b@"],
    "boolean": ["true", "1", "false", "0"],
    "hexBinary": ["", "61", "6A", "6a"],
    "base64Binary": ["", "YQ==", "Y Q = =", "ag=="],
    "anyURI": ["", "a", "http://example.org/", "http://example.org/%"],
    "XMLLiteral": ["", "a", "<a/>", "<a></a>", "<a b='1' c='2'/>", '<a c="2" b="1"></a>', "&#97;", "<!--x-->"],
    "dateTime": [
        "2000-01-01T12:00:00",
        "2000-01-01T12:00:00Z",
        "2000-01-01T13:00:00+01:00",
        "1999-12-31T24:00:00",
        "2000-01-01T00:00:00",
        "2000-01-01T12:00:00.5Z",
        "-0001-01-01T00:00:00Z",
        "12000-01-01T00:00:00-14:00",
    ],
    "date": ["2000-01-01", "2000-01-01Z", "1999-12-31-11:00", "2000-01-01+13:00"],
    "time": ["00:00:00", "24:00:00", "12:00:00Z", "12:00:00+00:00", "13:00:00+01:00", "01:00:00"],
    "gYear": ["2000", "2000Z", "-0001", "0000"],
    "gYearMonth": ["2000-02", "2000-02Z"],
    "gMonth": ["--02", "--12Z"],
    "gMonthDay": ["--02-29", "--12-31Z"],
    "gDay": ["---31", "---01Z"],
    "duration": ["P1Y", "P12M", "P1M", "P30D", "PT0S", "P0Y", "-P1D", "-PT24H", "P1Y1D", "PT0.5S", "P400D"],
}
LITERALS = [typed(lexical, name) for name, forms in SAMPLES.items() for lexical in forms]
LITERALS += ['"a"', '"a"@en', '"a"@EN', '"a"@en--ltr', '"a"@en--rtl']
VALUES = [found for found in values(LITERALS) if isinstance(found, Value)]

sampled = st.sampled_from(VALUES)
local_names = st.sampled_from(sorted(BY_LOCAL_NAME))
