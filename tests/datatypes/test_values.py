"""Which literals are one value, which are two, and which have none: by the W3C's words, type by type."""

from __future__ import annotations

import re
import subprocess
import sys

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.datatypes.datatype_map import DATATYPES, OWL2RL_DATATYPES, is_member, values
from kgreason.datatypes.literals import Literal, parts_of_literal
from kgreason.datatypes.value import IllTyped, Value
from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import quote
from tests.datatypes.spellings import (
    BY_LOCAL_NAME,
    LITERALS,
    VALUES,
    is_ill_typed,
    local_names,
    plain,
    reading,
    sampled,
    typed,
    value,
)
from tests.tables import table
from tests.terms.unusual_terms import literals

ONE_VALUE = [
    [typed(form, "integer") for form in ("1", "01", "+1", "0" * 700 + "1")]
    + [typed("1.0", "decimal"), typed("1.", "decimal"), typed("1", "byte"), typed("3/3", "rational")],
    [typed(form, "decimal") for form in ("0.5", ".5", "+00.50")]
    + [typed("1/2", "rational"), typed("2/04", "rational")],
    [typed("0", "integer"), typed("-0", "integer"), typed("-0", "nonNegativeInteger"), typed("-0.0", "decimal")],
    [typed("9" * 5000, "integer"), typed("9" * 5000 + ".0", "decimal"), typed("9" * 5000 + "/1", "rational")],
    [typed(f"{'9' * 5000}-12-31T24:00:00Z", "dateTime"), typed(f"1{'0' * 5000}-01-01T00:00:00Z", "dateTime")],
    [typed(f"-P{'9' * 5000}Y1M", "duration"), typed(f"-P{'9' * 5000}Y1M0D", "duration")],
    [typed(form, "double") for form in ("1", "1.0", "1E0", "10e-1", "+.1e1")],
    [typed("NaN", "double")],
    [typed(form, "float") for form in ("INF", "+INF", "1e39", "1e9999999999")],
    [typed(form, "float") for form in ("-INF", "-1E39")],
    ['"a"', typed("a", "string"), typed("a", "token"), typed("a", "NCName"), typed("a@", "PlainLiteral")],
    ['"a"@en', '"a"@EN', typed("a@En", "PlainLiteral")],
    ['"a"@en--ltr', '"a"@EN--LTR'],
    ['"a@b"', typed("a@b@", "PlainLiteral")],
    [r'"\t\u0022é"', typed('\t"é', "string")],
    [typed("true", "boolean"), typed("1", "boolean")],
    [typed("0fB7", "hexBinary"), typed("0FB7", "hexBinary")],
    [typed("YQ==", "base64Binary"), typed("Y Q = =", "base64Binary")],
    [typed("<a b='1' c='&lt;'/>", "XMLLiteral"), typed('<a c="&#60;" b="1"></a>', "XMLLiteral")],
    [typed(form, "dateTime") for form in ("2000-12-31T24:00:00Z", "2001-01-01T00:00:00.00-00:00")],
    [typed("2004-02-28T24:00:00", "dateTime"), typed("2004-02-29T00:00:00", "dateTime")],
    [typed("24:00:00", "time"), typed("00:00:00.0", "time")],
    [typed("-0000", "gYear"), typed("0000", "gYear")],
    [typed(form, "duration") for form in ("P1D", "PT24H", "PT1440M", "PT86400.0S")] + [typed("P1D", "dayTimeDuration")],
    [typed("P1Y", "duration"), typed("P12M", "yearMonthDuration")],
    [typed(form, "duration") for form in ("PT0S", "-P0D", "P0Y0M")] + [typed("P0M", "yearMonthDuration")],
]

TWO_VALUES = [
    (typed("1", "integer"), typed("1.0", "double")),
    (typed("1", "integer"), typed("1.0", "float")),
    (typed("1", "double"), typed("1", "float")),
    (typed("1", "integer"), '"1"'),
    (typed("1", "integer"), typed("1", "boolean")),
    (typed("NaN", "double"), typed("NaN", "float")),
    (typed("0", "double"), typed("-0", "double")),
    (typed("+0.0", "float"), typed("-0.0", "float")),
    (typed("0.3333333333333333", "decimal"), typed("1/3", "rational")),
    (typed("9" * 5000, "integer"), typed("9" * 4999 + "8", "integer")),
    (typed("0." + "1" * 500, "decimal"), typed("0." + "1" * 501, "decimal")),
    ('"a"', '"a"@en'),
    ('"a"@en', '"a"@en-GB'),
    ('"a"@en', '"A"@en'),
    ('"a"@en', '"a"@en--ltr'),
    ('"a"@en--rtl', '"a"@en--ltr'),
    ('"a"', typed("a", "anyURI")),
    ('"a"', typed("a", "XMLLiteral")),
    (typed("http://e/%41", "anyURI"), typed("http://e/A", "anyURI")),
    (typed("<!--x-->", "XMLLiteral"), typed("", "XMLLiteral")),
    (typed("", "hexBinary"), typed("", "base64Binary")),
    (typed("61", "hexBinary"), typed("YQ==", "base64Binary")),
    (typed("2000-01-01T12:00:00Z", "dateTime"), typed("2000-01-01T13:00:00+01:00", "dateTime")),
    (typed("2000-01-01T12:00:00Z", "dateTime"), typed("2000-01-01T12:00:00", "dateTime")),
    (typed("2000-01-01T00:00:00.0000001", "dateTime"), typed("2000-01-01T00:00:00.0000002", "dateTime")),
    (typed("0000-01-01T00:00:00", "dateTime"), typed("-0001-01-01T00:00:00", "dateTime")),
    (typed("2000-01-01", "date"), typed("2000-01-01T00:00:00", "dateTime")),
    (typed("P1M", "duration"), typed("P30D", "duration")),
    (typed("PT0.0000001S", "duration"), typed("PT0.0000002S", "duration")),
]

ILL_TYPED = {
    "integer": ["", "1.0", "1e0", "1_000", "\u0661", "+", "- 1", " 1", "1\n", "0x1", "INF"],
    "decimal": ["", ".", "1e3", "NaN", "1_0", "\u0663.5", "1,5"],
    "rational": ["1", "1/0", "1/-3", "1/+3", "1.5/2", "1/00"],
    "real": ["1", "1.0", "1/3"],
    "langString": ["a"],
    "byte": ["300", "128", "-129", "1.0"],
    "short": ["32768", "-32769"],
    "int": ["2147483648", "-2147483649"],
    "long": ["9223372036854775808", "-9223372036854775809"],
    "unsignedByte": ["256", "-1"],
    "unsignedShort": ["65536", "-1"],
    "unsignedInt": ["4294967296", "-1"],
    "unsignedLong": ["18446744073709551616", "-1"],
    "nonNegativeInteger": ["-1"],
    "nonPositiveInteger": ["1"],
    "positiveInteger": ["0", "-1"],
    "negativeInteger": ["0", "1"],
    "double": ["", "nan", "inf", "infinity", "Infinity", "1e", "e1", "1_0", "0x1p3", "+NaN", "1.5f", "\u0663", "1 "],
    "float": ["", "nan", "inf", "-NaN", "1_0", "."],
    "boolean": ["TRUE", "yes", "", " true", "2"],
    "string": ["\x00", "a\ufffe", "\uffff"],
    "normalizedString": ["a\tb", "a\n", "\r"],
    "token": [" a", "a ", "a  b", "a\tb"],
    "language": ["", "en-", "abcdefghi", "en_GB", "é", "1"],
    "NMTOKEN": ["", "a b", "é\u00d7"],
    "Name": ["", "1a", "-a", ".a", "a b"],
    "NCName": ["a:b", ":", "1"],
    "PlainLiteral": ["a", "a@e n", "", "a@en-", "\x00@"],
    "hexBinary": ["0", "0g", "0a 0b", " 0A", "é0"],
    "base64Binary": ["YQ", "YR==", "YWJ=", "=", "Y===", " YQ==", "YQ= =  ", "Y-_=", "YQ\n=="],
    "XMLLiteral": ["<a>", "</r><r>", "&", "<x:a/>", "<!DOCTYPE a>", "&nbsp;", "<?xml version='1.0'?>", "\x01"],
    "dateTime": [
        "2000-01-01 00:00:00",
        *["2000-01-01", "2000-01-01T23:59:60", "2000-01-01T24:00:01", "2000-02-30T00:00:00", "200-01-01T00:00:00"],
        *["02000-01-01T00:00:00", "2000-01-01T00:00:00+14:01", "2000-01-01T00:00:00+13:60", "2000-1-01T00:00:00"],
        *[
            "2000-13-01T00:00:00",
            "1900-02-29T00:00:00",
            "2000-01-01T00:00:00.",
            "2000-01-01T00:00",
            "+2000-01-01T00:00:00",
        ],
        *["\u0662000-01-01T00:00:00", "2000-01-01T00:00:00z", "2001-02-29T24:00:00"],
    ],
    "dateTimeStamp": ["2000-01-01T00:00:00"],
    "date": ["2001-02-29", "2000-04-31", "2000-00-01", "2000-01-00"],
    "time": ["24:00:00.1", "23:59:60", "1:00:00"],
    "gYear": ["02000", "200", "+2000"],
    "gYearMonth": ["2000-13"],
    "gMonth": ["--13", "--2", "--02--"],
    "gMonthDay": ["--02-30", "--04-31"],
    "gDay": ["---32", "---00"],
    "duration": ["P", "PT", "P1YT", "P1S", "P-1D", "PT1.S", "P1M1Y", "+P1D", "P1.5D", "1D"],
    "dayTimeDuration": ["P1Y", "P0M", "P0Y1D"],
    "yearMonthDuration": ["P1D", "P1YT0S", "P0D"],
}


@table("group", ONE_VALUE)
def test_spellings_of_one_value(group: list[str]) -> None:
    found = values(group)
    assert all(isinstance(each, Value) for each in found), found
    assert len(set(found)) == 1


@table(("first", "second"), TWO_VALUES)
def test_two_values(first: str, second: str) -> None:
    assert plain(first) != plain(second)


@table("name", ILL_TYPED)
def test_ill_typed_literals(name: str) -> None:
    assert [form for form in ILL_TYPED[name] if not is_ill_typed(form, name)] == []


def test_groups_are_apart() -> None:
    assert len({values(group)[0] for group in ONE_VALUE}) == len(ONE_VALUE)


def test_an_ill_typed_literal_says_why() -> None:
    found = reading("300", "byte")
    assert isinstance(found, IllTyped)
    assert found.reason.startswith('"300"^^<http://www.w3.org/2001/XMLSchema#byte> is ill-typed: ')
    assert "from -128 to 127" in found.reason


def test_the_class_of_all_literals_is_no_datatype_of_a_literal() -> None:
    assert values([f'"a"^^{v.RDFS_LITERAL}']) == [None]


def test_an_unknown_datatype_says_nothing() -> None:
    assert values(['"x"^^<http://e/t>', '"1"^^<http://www.w3.org/2001/XMLSchema#Integer>']) == [None, None]


@table("term", ["<http://e/a>", "_:b", "", '"', 'a"', "<http://www.w3.org/2001/XMLSchema#byte>"])
def test_other_terms_are_refused(term: str) -> None:
    with pytest.raises(ValueError, match="is not a literal"):
        values([term])


@given(literals)
def test_the_parts_of_a_literal(literal: pyoxigraph.Literal) -> None:
    assert parts_of_literal(str(literal)) == (literal.value, str(literal.datatype), (literal.language or "").lower())


def test_parts_in_any_spelling() -> None:
    assert parts_of_literal('"x"@EN-gb') == Literal("x", v.RDF_LANG_STRING, "en-gb")
    assert parts_of_literal(r'"a\u0041\"@en"') == Literal('aA"@en', v.XSD_STRING)
    assert parts_of_literal(f'"\\""^^{v.XSD_INTEGER}') == Literal('"', v.XSD_INTEGER)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_strings_are_quick_and_right(text: str) -> None:
    """The short cut for plain strings agrees with the long way round."""
    assert values([quote(text)])[0] == reading(f"{text}@", "PlainLiteral") or is_ill_typed(text, "string")
    assert isinstance(values([quote(text)])[0], IllTyped) == is_ill_typed(text, "string")


@given(local_names, st.text(max_size=8) | st.sampled_from([text.split('"')[1] for text in LITERALS]))
def test_a_literal_is_a_member_of_its_datatype(name: str, lexical: str) -> None:
    found = reading(lexical, name)
    assert (found is None) == (name == "Literal")
    if isinstance(found, Value):
        assert is_member(found, BY_LOCAL_NAME[name])
        assert BY_LOCAL_NAME[name] in datatypes_of(found)


def datatypes_of(found: Value) -> list[str]:
    return [name for name in DATATYPES if is_member(found, name)]


@given(sampled, sampled)
def test_equal_values_are_members_of_the_same_datatypes(first: Value, second: Value) -> None:
    assert (first == second) == (second == first)
    if first == second:
        assert hash(first) == hash(second)
        assert datatypes_of(first) == datatypes_of(second)


def test_every_datatype_has_a_sample() -> None:
    assert {name for found in VALUES for name in datatypes_of(found)} == set(DATATYPES)


def test_the_datatypes_of_owl_2_rl() -> None:
    beyond = ["real", "rational", "langString", "dirLangString", "date", "time", "gYear", "gYearMonth", "gMonth"]
    beyond += ["gMonthDay", "gDay", "duration", "dayTimeDuration", "yearMonthDuration"]
    assert {*OWL2RL_DATATYPES} == {*DATATYPES} - {BY_LOCAL_NAME[name] for name in beyond}
    assert len(OWL2RL_DATATYPES) == 32


def test_order_of_answers() -> None:
    assert values([typed("1", "integer"), '"1"', typed("x", "integer"), '"1"^^<http://e/t>']) == [
        value("1", "integer"),
        plain('"1"'),
        reading("x", "integer"),
        None,
    ]


def test_importing_the_package_imports_no_datatype() -> None:
    code = "import sys, kgreason; print(*[name for name in sys.modules if name.startswith('kgreason.datatypes')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


_BASE64 = re.compile(
    r"(?:(?:[A-Za-z0-9+/] ?){4})*"
    r"(?:(?:[A-Za-z0-9+/] ?){3}[A-Za-z0-9+/]"
    r"|(?:[A-Za-z0-9+/] ?){2}[AEIMQUYcgkosw048] ?="
    r"|[A-Za-z0-9+/] ?[AQgw] ?= ?=)?"
)
"""The lexical forms of xsd:base64Binary, as XSD 1.1 Part 2, 3.3.16, has them."""


@given(lexical=st.text("AQwE=+ -é\n", max_size=9) | st.from_regex(_BASE64, fullmatch=True))
def test_base64_is_read_by_its_grammar(lexical: str) -> None:
    (found,) = values([f"{quote(lexical)}^^<{v.XSD}base64Binary>"])
    assert isinstance(found, Value) == bool(_BASE64.fullmatch(lexical))


def test_hexadecimal_digits_are_those_of_ascii() -> None:
    for lexical, is_good in (("0aF9", True), ("", True), ("0", False), ("0 1 ", False), ("\u0661\u0661", False)):
        (found,) = values([typed(lexical, "hexBinary")])
        assert isinstance(found, Value) == is_good


def test_long_quotients_and_years_have_no_known_value() -> None:
    for form, name in (
        ("{}/3", f"{v.OWL}rational"),
        ("{}-01-01T00:00:00", f"{v.XSD}dateTime"),
        ("P{}D", f"{v.XSD}duration"),
    ):
        for digits, kind in ((50_000, Value), (200_000, type(None))):
            (found,) = values([f'"{form.format("7" * digits)}"^^<{name}>'])
            assert type(found) is kind


def test_an_xml_literal_that_takes_too_long_has_no_known_value() -> None:
    """Each element takes a step for each element around it; elements beside each other do not add up."""
    name = "1999/02/22-rdf-syntax-ns#XMLLiteral"
    beside = "<a xmlns='http://e/' b='1'/>" * 5_000
    for form, kind in (("<a>" * 5_000 + "</a>" * 5_000, type(None)), (beside, Value), ("<a>" * 5_000, type(None))):
        (found,) = values([f'"{form}"^^<http://www.w3.org/{name}>'])
        assert type(found) is kind
