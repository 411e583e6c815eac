"""Strata of SPARQL-RL rules: every dependency of a rule that assigns is closed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgreason.errors import StratificationError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse
from kgreason.rules.strata import stratify

_COUNT = "@rule count n(?y) :- n(?x), FILTER(?x < 9), BIND(?x + 1 AS ?y) ."


def rules(text: str, dialect: str = "srl") -> list[Rule]:
    return [replace(rule, dialect=dialect) for rule in parse(text).rules]


def test_a_dialect_counts_for_equality_and_stays_in_the_canonical_form() -> None:
    for text in (_COUNT, "p(?x) :- q(?x) .", "p(?y) :- q(?y) ."):
        (one,), (other,) = rules(text), rules(text, "")
        assert one != other
        assert canonical(one).dialect == "srl"
        assert replace(canonical(one), dialect="") == canonical(other)


def test_a_rule_of_sparql_rl_cannot_assign_in_a_circle() -> None:
    assert stratify(rules(_COUNT, "")) == {}
    with pytest.raises(StratificationError) as error:
        stratify(rules(_COUNT))
    assert str(error.value) == (
        "rules assign values in a circle, so there is no order in which they can be decided: "
        "rule count assigns ?y in SPARQL-RL, so it needs rule count"
    )


def test_a_circle_through_other_rules_is_told_rule_by_rule() -> None:
    text = "@rule a p(?y) :- q(?x), BIND(SKOLEM('l', ?x) AS ?y) . @rule b r(?x) :- p(?x) . @rule c q(?x) :- r(?x) ."
    with pytest.raises(StratificationError, match=r"rule a assigns .*, so it needs rule c, which needs rule b, which"):
        stratify(rules(text))


def test_a_recursion_beside_an_assignment_is_allowed() -> None:
    text = "p(?y) :- q(?x), BIND(?x + 1 AS ?y) . q(?x) :- q(?x), r(?x) . p(?x) :- p(?x) . s(?x) :- p(?x), NOT q(?x) ."
    assert [at.level for at in stratify(rules(text)).values()] == [1]


def test_a_filter_closes_nothing() -> None:
    assert stratify(rules("n(?x) :- n(?x), FILTER(?x > 1) .")) == {}


def test_an_assignment_reads_what_is_negated_before() -> None:
    text = "p(?y) :- q(?x), NOT r(?x), BIND(?x + 1 AS ?y) . s(?x) :- q(?x), NOT p(?x) ."
    assert sorted(at.level for at in stratify(rules(text)).values()) == [1, 2]
