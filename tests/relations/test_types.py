"""A variable whose types never fit: the rule is refused with its place, before anything changes."""

from __future__ import annotations

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import RuleError, RuleSyntaxError
from kgreason.rules.parser import parse

COLUMNS = "@relation age(of, years: xsd:integer) . @relation born(of: rdfs:Resource, day: xsd:date) .\n"


def shout(text: str) -> str:
    return text.upper()


def half(number: int) -> float:
    return number / 2


@pytest.mark.parametrize(
    "rule",
    [
        "born(?x, ?y) :- age(?x, ?y) .",
        "age(?x, 5) :- age(?y, ?x), born(?x, ?z) .",
        "old(?x) :- age(?x, ?y), NOT born(?x, ?y) .",
        "old(?x) :- age(?x, ?n), NOT EXISTS ?y IN (age(?x, ?y), born(?x, ?y)) .",
        "count(?n) :- AGGREGATE(age(?x, ?y), born(?x, ?y) BIND COUNT(*) AS ?n) .",
    ],
)
def test_columns(rule: str) -> None:
    with pytest.raises(RuleSyntaxError, match=r"a\.dl:2:1: rule rule-1: .*no term is of both types"):
        parse(COLUMNS + rule, "a.dl")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("said(?y) :- age(?x, ?n), BIND(shout(?n) AS ?y) .", r"argument 1 of shout\(str\) -> str"),
        ("born(?x, ?d) :- age(?x, ?n), BIND(half(?n) AS ?d) .", r"the result of half\(int\) -> float"),
        ("said(?z) :- word(?x), BIND(shout(?x) AS ?y), BIND(half(?y) AS ?z) .", r"argument 1 of half"),
    ],
)
def test_functions(rule: str, said: str) -> None:
    with KnowledgeGraph.open(rules=["none"], functions=[shout, half]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(COLUMNS)
        with pytest.raises(RuleError, match=said), graph.transaction() as tx:
            tx.add_rules(rule)
        assert len(graph.own_rules()) == 2


def test_a_declaration_after_the_rule() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules("@relation age(of, years: xsd:integer) . @rule late born(?x, ?y) :- age(?x, ?y) .")
        with pytest.raises(RuleError, match=r"rule late: \?y is in column years of age"), graph.transaction() as tx:
            tx.add_rules("@relation born(of, day: xsd:date) .")


def test_types_that_share_values_fit() -> None:
    text = """
        @relation age(years: xsd:integer) . @relation small(years: xsd:byte) . @relation any(literal: rdfs:Literal) .
        @relation exact(number: xsd:decimal) .
        small(?x) :- age(?x) . any(?x) :- small(?x) . exact(?x) :- age(?x), any(?x) .
        far(?y) :- exact(?x), BIND(half(?x) AS ?y) .
    """
    with KnowledgeGraph.open(rules=["none"], functions=[half]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(text)
        graph.relation("age").insert([(5,), (50,)])
        assert len(graph.relation("exact")) == 2
        with pytest.raises(
            RuleError, match=r"^rule rule-1 derives small\(.*500.*\), column years: expected a literal of"
        ):
            graph.relation("age").insert([(500,)])
        graph.relation("any").insert([('"x"^^<urn:unknown>',)])
