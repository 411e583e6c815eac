"""Patterns of users: they mean what XSD says, and no pattern takes longer than its text is long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from kgreason.errors import RuleError
from kgreason.patterns import matching
from kgreason.patterns.characters import complement, difference, python_class, re2_class, single_character, union
from kgreason.patterns.matching import compile_pattern, tokens
from tests.graph.values.test_builtins import HEADER, atom, implication
from tests.tables import table

CHARACTERS = st.characters(exclude_categories=["Cs"], max_codepoint=0x2FF) | st.sampled_from("\U0010ffff\ue000\ud7ff\0")
SETS = st.lists(CHARACTERS, max_size=5).map(lambda found: union(map(single_character, found)))


@given(SETS, SETS, CHARACTERS)
def test_sets_of_characters(first: tuple[tuple[int, int], ...], second: tuple[tuple[int, int], ...], each: str) -> None:
    import re2

    def has(ranges: tuple[tuple[int, int], ...]) -> bool:
        found = any(low <= ord(each) <= high for low, high in ranges)
        assert bool(re2.fullmatch(re2_class(ranges), each)) == found
        assert not ranges or bool(re.fullmatch(python_class(ranges), each)) == found
        return found

    assert has(union([first, second])) == (has(first) or has(second))
    assert has(complement(first)) != has(first)
    assert has(difference(first, second)) == (has(first) and not has(second))


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("a{1500}", [1500], [1499, 1501]),
        ("a{999,2001}", [999, 2001], [998, 2002]),
        ("a{1200,}", [1200, 5000], [1199]),
        ("(a{0,100}){0,20}", [0, 2000], [2001]),
        ("(a{50}){50}", [2500], [2450, 2499, 2501]),
        ("((a{10}){10}){11,12}", [1100, 1200], [1000, 1150, 1300]),
    ],
)
def test_repetitions_beyond_those_of_re2(pattern: str, matches: list[int], others: list[int]) -> None:
    form = compile_pattern(pattern)
    assert [count for count in matches if not form.fullmatch("a" * count)] == []
    assert [count for count in others if form.fullmatch("a" * count)] == []


@pytest.mark.parametrize("pattern", [r"(\w{1000}){50}", "(a{1000}){1000000}", r"(\w{0,30}\i{0,30}){0,30}"])
def test_a_pattern_that_needs_too_much_memory_is_told_so(pattern: str) -> None:
    with pytest.raises(ValueError, match="is not a valid pattern: it would take too much memory"):
        compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(a?){30}a{30}b", "(.*)*x", "([a-z]+)*[A-Z]"])
def test_no_pattern_backtracks(pattern: str) -> None:
    assert compile_pattern(pattern).fullmatch("a" * 5_000) is None
    assert tokens("a" * 50, pattern) == ["a" * 50]


@table(
    ("text", "pattern", "parts"),
    [
        ("a1b22c", r"\d+", ["a", "b", "c"]),
        ("a b", "", ["a", " ", "b"]),
        ("xaxbx", "^x|x$", ["axb"]),
        ("a<b>c<d>", "<.*?>", ["a", "c"]),
        ("abab", "(?:ab)", []),
        ("café, thé", r"[^\w]+", ["café", "thé"]),
        ("a\U0001f418b", "\U0001f418", ["a", "b"]),
        ("abc", "(b", ["nothing"]),
        ("abab", r"(a)\1", ["nothing"]),
    ],
)
def test_tokens_are_those_of_xpath(text: str, pattern: str, parts: list[str]) -> None:
    if parts == ["nothing"]:
        with pytest.raises(ValueError, match="is not a valid pattern"):
            tokens(text, pattern)
    else:
        assert tokens(text, pattern) == parts


@given(
    st.lists(st.sampled_from(["a", "b", "(a|b)", "a*", "b+?", "(?:ab)?", "^", "$"]), max_size=4),
    st.text("ab", max_size=6),
)
def test_tokens_are_what_stands_between_the_matches(pieces: list[str], text: str) -> None:
    pattern = "".join(pieces)
    spans = [match.span() for match in re.finditer(pattern, text)]
    kept = [] if any(start == end for start, end in spans) else spans
    if kept or not spans:
        between = zip([0, *(end for _, end in kept)], [*(start for start, _ in kept), len(text)], strict=True)
        assert tokens(text, pattern) == [text[start:end] for start, end in between if start < end]


RULE = HEADER + implication("r", atom("r", ":c"), ':c :a "(a+)+b"', "tokenize", "a")


def test_a_rule_that_backtracked_ends() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(RULE + f':s :a "{"a" * 60}" .')
        assert [str(found.object) for found in graph.match("<http://e/s>", "<http://e/r>", None)] == [f'"{"a" * 60}"']


def test_splitting_a_text_takes_only_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_LONGEST", 0)
    rule = RULE.replace("(a+)+b", "a*b|a")
    with KnowledgeGraph.open() as graph:
        with pytest.raises(RuleError, match=r"splitting the text took longer than 0 s"):
            graph.add(rule + f':s :a "{"a" * 20_000}" .')
        assert graph.commit == 0
