"""AGGREGATE in rule text: what it means, how it is written back, and what is refused with its place."""

from __future__ import annotations

import pytest

from kgreason.errors import RuleError, StratificationError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.formatter import format_program
from kgreason.rules.parser import parse
from kgreason.rules.strata import stratify
from tests.tables import table

TEXTS = (
    "p(?x, ?n) :- AGGREGATE(q(?x, ?y) ON ?x BIND COUNT(DISTINCT ?y) AS ?n) .",
    "p(?n) :- AGGREGATE(q(?x, ?y) BIND COUNT(*) AS ?n) .",
    "p(?x, ?n) :- r(?x), AGGREGATE(q(?x, ?y), s(?y, ?z), FILTER(?z > 3) ON ?x BIND SUM(?z) AS ?n), FILTER(?n < 9) .",
    'p(?x, ?n) :- AGGREGATE(q(?x, ?y) ON ?x BIND GROUP_CONCAT(?y; SEPARATOR = ", ") AS ?n) .',
    "p(?x, ?z, ?n) :- AGGREGATE([?x, <http://e/q>, ?y], [?y, <http://e/r>, ?z] ON ?x, ?z BIND MIN(?y) AS ?n) .",
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_rule_is_written_back_as_it_was_read(text: str) -> None:
    program = parse(text)
    assert format_program(program).strip().replace("\n    ", " ") == text.replace("\n", " ")
    assert parse(format_program(program)) == program


@pytest.mark.parametrize("text", TEXTS)
def test_the_canonical_form_is_its_own(text: str) -> None:
    (rule,) = parse(text).rules
    assert canonical(canonical(rule)) == canonical(rule)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "p(?x, ?n) :- AGGREGATE(q(?x, ?y), r(?y, ?z) ON ?x BIND SUM(?z) AS ?n) .",
            "p(?a, ?b) :- AGGREGATE(r(?d, ?c), q(?a, ?d) ON ?a BIND SUM(?c) AS ?b) .",
        ),
        (
            "p(?x, ?n) :- AGGREGATE(q(?x, ?y, ?z) ON ?x, ?y BIND MAX(?z) AS ?n), s(?y) .",
            "p(?b, ?n) :- s(?a), AGGREGATE(q(?b, ?a, ?c) ON ?a, ?b BIND MAX(?c) AS ?n) .",
        ),
        (
            "p(?n, ?m) :- AGGREGATE(q(?x) BIND COUNT(?x) AS ?n), AGGREGATE(r(?x) BIND COUNT(?x) AS ?m) .",
            "p(?n, ?m) :- AGGREGATE(r(?a) BIND COUNT(?a) AS ?m), AGGREGATE(q(?b) BIND COUNT(?b) AS ?n) .",
        ),
    ],
)
def test_two_ways_to_write_a_rule_are_one(one: str, other: str) -> None:
    assert canonical(parse(one).rules[0]) == canonical(parse(other).rules[0])


def test_several_values_of_one_group_are_several_aggregates() -> None:
    text = "p(?x, ?n, ?m) :- AGGREGATE(q(?x, ?y) ON ?x BIND MIN(?y) AS ?n BIND MAX(?y * 2) AS ?m) ."
    (rule,) = parse(text).rules
    assert [aggregate.function for aggregate in rule.aggregates] == ["MIN", "MAX"]
    assert parse(format_program(parse(text))).rules == (rule,)


@table(
    ("text", "problem"),
    [
        ("p(?x, ?n) :- AGGREGATE(q(?y) ON ?x BIND COUNT(?y) AS ?n) .", r"\?x is after ON but in none of the atoms"),
        ("p(?n) :- AGGREGATE(q(?y) BIND COUNT(?z) AS ?n) .", r"\?z is in COUNT but in none of the atoms"),
        ("p(?y, ?n) :- r(?y), AGGREGATE(q(?y) BIND COUNT(?y) AS ?n) .", r"\?y is inside AGGREGATE and outside of it"),
        ("p(?n) :- r(?n), AGGREGATE(q(?y) BIND COUNT(?y) AS ?n) .", r"\?n has a value already; AGGREGATE needs a new"),
        ("p(?n) :- AGGREGATE(q(?y), NOT r(?y) BIND COUNT(?y) AS ?n) .", "NOT cannot stand inside AGGREGATE: write a"),
        ("p(?n) :- AGGREGATE(q(?y) BIND MEDIAN(?y) AS ?n) .", "MEDIAN is no aggregate; they are COUNT, SUM"),
        ("p(?n) :- AGGREGATE(q(?y) BIND SUM(*) AS ?n) .", r"\* is for COUNT\(\*\) alone"),
        ('p(?n) :- AGGREGATE(q(?y) BIND SUM(?y; SEPARATOR = ",") AS ?n) .', "SEPARATOR is for GROUP_CONCAT, not for"),
        ("p(?n) :- AGGREGATE(q(?y) BIND SUM(?y + ) AS ?n) .", "is no SPARQL expression"),
        (
            "p(?n) :- AGGREGATE(q(?y), FILTER(?u > 1) BIND SUM(?y) AS ?n) .",
            r"\?u is in FILTER but in no atom inside AGGREGATE",
        ),
        ("p(?n) :- AGGREGATE(q(?y) ON ?y) .", r"found '\)', expected ',' or BIND"),
        ("p(?y) :- AGGREGATE(q(?x, ?y) ON ?x BIND MAX(?y) AS ?n) .", r"\?y is in the head, but only inside AGGREGATE"),
        ("p(?x, COUNT(?y)) :- q(?x, ?y) .", r"COUNT cannot stand in an atom: write AGGREGATE\("),
        ('p(?h) :- q(?x), SKOLEM("x", ?x, ?h) .', r"SKOLEM belongs into BIND: BIND\(SKOLEM\("),
        ("p(?x) :- q(?x), AGGREGATE .", "AGGREGATE needs brackets: AGGREGATE"),
        ("AGGREGATE(?x) :- q(?x) .", "AGGREGATE"),
        (
            "p(?x) :- q(?x), BIND(COUNT(?x) AS ?n) .",
            r"COUNT reads many rows, but an expression reads one row: write AGGREGATE\(",
        ),
    ],
)
def test_bad_text_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(RuleError, match=rf"^<text>:1:\d+: .*{problem}"):
        parse(text)


def test_a_circle_through_an_aggregate_is_told_rule_by_rule() -> None:
    rules = parse(
        "@rule a p(?x, ?n) :- AGGREGATE(q(?x, ?y) ON ?x BIND COUNT(?y) AS ?n) . @rule b q(?x, ?y) :- p(?x, ?y) ."
    )
    with pytest.raises(StratificationError, match=r"aggregate in a circle.*rule a says AGGREGATE.*needs rule b"):
        stratify(rules.rules)


def test_a_circle_through_a_smallest_value_is_a_recursion() -> None:
    rules = parse(
        "d(?y, ?n) :- AGGREGATE(c(?y, ?m) ON ?y BIND MIN(?m) AS ?n) ."
        "c(?y, ?m) :- d(?x, ?n), e(?x, ?y), BIND(?n + 1 AS ?m) ."
        "far(?x) :- d(?x, ?n), NOT near(?x) . near(?x) :- d(?x, ?n), FILTER(?n < 3) ."
    )
    levels = stratify(rules.rules)
    assert sorted((at.level, bool(at.recursion)) for at in levels.values()) == [(1, True), (2, False)]


def test_a_smallest_and_a_largest_value_that_need_each_other_are_refused() -> None:
    rules = parse(
        "@rule a p(?x, ?n) :- AGGREGATE(q(?x, ?y) ON ?x BIND MIN(?y) AS ?n) ."
        "@rule b q(?x, ?n) :- AGGREGATE(p(?x, ?y) ON ?x BIND MAX(?y) AS ?n) ."
    )
    with pytest.raises(StratificationError, match=r"rule a says .*rule b says"):
        stratify(rules.rules)
