"""Facets and the patterns of XSD."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.datatypes.facets import FACETS
from kgreason.datatypes.value import Value
from kgreason.patterns.matching import compile_pattern
from kgreason.terms.quoting import quote
from kgreason.terms.vocabulary import RDF, XSD
from tests.datatypes.spellings import plain, value
from tests.tables import table


def keeps(data_value: Value, facet: str, limit: Value) -> bool:
    return FACETS[f"<{RDF if facet == 'langRange' else XSD}{facet}>"](data_value, limit)


@table(
    ("name", "facet", "limit", "kept", "not_kept"),
    [
        ("integer", "minInclusive", "5", "5 6", "4"),
        ("decimal", "minExclusive", "5", "5.1", "5 4"),
        ("integer", "maxInclusive", "5", "5 4", "6"),
        ("decimal", "maxExclusive", "0.1", "0.09999999999999999999 -1", "0.10 1"),
        ("double", "minInclusive", "0", "-0 INF", "NaN -INF -1e-300"),
        ("double", "minExclusive", "-0", "1e-300", "0 -0 NaN"),
        ("float", "maxInclusive", "INF", "INF -INF 0", "NaN"),
        ("double", "minInclusive", "NaN", "", "NaN 0 INF"),
        (
            "dateTime",
            "minInclusive",
            "2008-10-08T20:44:11.656+01:00",
            "2008-10-08T19:44:11.656Z",
            "2008-10-08T20:44:11",
        ),
        (
            "dateTime",
            "maxInclusive",
            "2008-10-08T20:44:11.656+01:00",
            "2008-10-08T20:44:11.656+01:00",
            "2009-01-01T00:00:00",
        ),
        ("duration", "maxInclusive", "P1M", "P27D", "P28D P31D P32D"),
    ],
)
def test_bounds(name: str, facet: str, limit: str, kept: str, not_kept: str) -> None:
    limit_value = value(limit, name)
    assert [form for form in kept.split() if not keeps(value(form, name), facet, limit_value)] == []
    assert [form for form in not_kept.split() if keeps(value(form, name), facet, limit_value)] == []


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=5), st.integers(0, 6))
def test_lengths_count_characters(text: str, limit: int) -> None:
    size = value(str(limit), "nonNegativeInteger")
    for found in (plain(quote(text)), plain(f"{quote(text)}@en"), value(text, "anyURI")):
        assert keeps(found, "length", size) == (len(text) == limit)
        assert keeps(found, "minLength", size) == (len(text) >= limit)
        assert keeps(found, "maxLength", size) == (len(text) <= limit)


def test_lengths_count_octets() -> None:
    assert keeps(value("0aFF", "hexBinary"), "length", value("2", "integer"))
    assert keeps(value("YQ==", "base64Binary"), "length", value("1", "integer"))


def test_a_facet_that_does_not_apply_is_not_kept() -> None:
    assert not keeps(value("5", "integer"), "maxLength", value("9", "integer"))
    assert not keeps(value("5", "integer"), "pattern", plain('"5"'))
    assert not keeps(value("00", "hexBinary"), "pattern", plain('".*"'))
    assert not keeps(value("5", "integer"), "minInclusive", value("1", "double"))
    assert not keeps(plain('"b"'), "minInclusive", plain('"a"'))
    assert not keeps(plain('"en"'), "langRange", plain('"*"'))
    assert len(FACETS) == 9


@pytest.mark.parametrize(
    ("language_range", "kept", "not_kept"),
    [
        ("*", "de en-gb x-y", ""),
        ("en", "en EN en-GB en-latn-us", "de eng"),
        ("de-DE", "de-de de-DE-1996 de-Latn-DE de-latn-de-1996", "de de-Deva de-x-DE"),
        ("de-*-DE", "de-DE de-latn-de", "de-x-de"),
        ("*-DE", "de-DE fr-latn-de", "de"),
    ],
)
def test_language_ranges(language_range: str, kept: str, not_kept: str) -> None:
    """Examples of RFC 4647, section 3.3.2, among them."""
    limit = plain(quote(language_range))
    assert [tag for tag in kept.split() if not keeps(plain(f'"a"@{tag}'), "langRange", limit)] == []
    assert [tag for tag in not_kept.split() if keeps(plain(f'"a"@{tag}'), "langRange", limit)] == []


def test_a_pattern_of_a_value() -> None:
    assert keeps(plain('"ab"'), "pattern", plain('"a(b|c)"'))
    assert not keeps(plain('"abc"'), "pattern", plain('"a(b|c)"'))
    assert keeps(plain('"ab"@en'), "pattern", plain('"a(b|c)"'))
    assert keeps(value("http://e/a", "anyURI"), "pattern", plain('"http://.*"'))


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("", [""], ["a"]),
        ("a|", ["a", ""], ["aa"]),
        ("^a$", ["^a$"], ["a"]),
        ("a{2}b{1,}c{0,2}", ["aab", "aabbbcc"], ["ab", "aaccc", "aabccc"]),
        ("(ab)*c+d?", ["c", "ababccd"], ["abab", "cdd"]),
        (".", ["a", "\t", "\U0001f418"], ["\n", "\r", "", "ab"]),
        (r"\.\\\|\-\^\$\t", [".\\|-^$\t"], []),
        ("[abc]", ["a", "b"], ["d", "ab"]),
        ("[^abc]", ["d", "\n"], ["a", ""]),
        ("[a-c-]", ["a", "c", "-"], ["d"]),
        ("[-a]", ["a", "-"], ["b"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[a-z-[aeiou]]", ["b", "z"], ["a", "u", "-"]),
        ("[^a-z-[1]]", ["A", "2"], ["1", "b"]),
        (r"[\w-[\d_]]+", ["abc", "é"], ["a1", "1"]),
        (r"[\S]", ["a"], [" "]),
        (r"[\[\]\-^&|~]", ["[", "]", "-", "^", "&", "|", "~"], ["\\"]),
        (r"\i\c*", ["a:b-1", "_", "é9"], ["1a", "-", ""]),
        (r"\I\C", ["1 "], ["a ", "1a"]),
        (r"\d+", ["10", "\u0661"], ["a", "²"]),
        (r"\D\W\S", ["a,b"], ["1,b", "aab", "a, "]),
        (r"\s*", [" \t\r\n"], ["\u00a0", "\f"]),
        (r"\p{Lu}\p{L}+", ["Äb", "ABC"], ["ab", "A1"]),
        (r"\P{L}", ["1"], ["a"]),
        (r"[\p{N}\-]*", ["12-\u2167"], ["a"]),
        (r"\w", ["a", "1", "+", "€"], [" ", "_", ".", "\n"]),
    ],
)
def test_patterns(pattern: str, matches: list[str], others: list[str]) -> None:
    form = compile_pattern(pattern)
    assert [text for text in matches if not form.fullmatch(text)] == []
    assert [text for text in others if form.fullmatch(text)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(",
            ")",
            "a)",
            "[",
            "]",
            "[]",
            "[a",
            "[z-a]",
            "a{",
            "a{,2}",
            "*",
            "+a",
            "a**",
            "{1}",
            "a{2,1}",
            "[a-z-[a]b]",
        ),
        *("\\", r"\q", r"\p", r"\p{Xx}", r"\p{IsGreek}", "[a-z-[", "[^]", r"[a-\d]", "a{99999999999999999999}"),
        pytest.param("(" * 5000, id="deep"),
    ],
)
def test_a_wrong_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="is not a valid pattern"):
        compile_pattern(pattern)


@given(
    st.recursive(
        st.text("abc", min_size=1, max_size=2) | st.sampled_from(["[ab]", "[^a]", "[a-c]"]),
        lambda inner: (
            st.builds(
                "({}){}".format, st.lists(inner, min_size=1, max_size=3).map("|".join), st.sampled_from(["", "?"])
            )
            | st.lists(inner, min_size=1, max_size=3).map("".join)
        ),
        max_leaves=6,
    ),
    st.text("abcd", max_size=5),
)
def test_a_pattern_that_both_languages_have_means_the_same(pattern: str, text: str) -> None:
    assert bool(compile_pattern(pattern).fullmatch(text)) == bool(re.fullmatch(pattern, text))
