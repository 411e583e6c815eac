"""Rules as Spark SQL: the text, its quoting, and its rows, which are those of the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.rules.model import Atom, Rule, Variable, triple
from kgreason.rules.parser import parse
from kgreason.spark.rule.algebra import Product, Project, Relation, Select
from kgreason.spark.rule.sql import identifier, literal, to_sql
from kgreason.spark.rule.translation import joined, translate, translate_query
from tests.spark.relations import Views, collected, frames_of, rows_of, views_of
from tests.spark.test_algebra import EVERYTHING, SPECIAL
from tests.strategies.programs import instances, rules
from tests.strategies.rule_texts import constants

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

X, Y = Variable("x"), Variable("y")
ODD = (
    "it's",
    "\\",
    "\\'",
    "''",
    '"',
    '"a \\"b\\" \\\\ \\n"',
    "\\u0041",
    "\\101",
    "%\\%_\\_",
    "${env:HOME}",
    "$${spark.app.name}$ {",
    ":name ? {x}",
    "-- no comment",
    "/* none */;",
    "\n\r\t\x01",
    "`edge/2`",
    "🐘 名前 \u2028",
    "",
)


@contextmanager
def temporary_views(spark: SparkSession, views: Views) -> Iterator[None]:
    """The views by their names, in a session."""
    for name, frame in frames_of(spark, views).items():
        frame.createOrReplaceTempView(identifier(name))
    try:
        yield
    finally:
        for name in views:
            spark.sql(f"DROP VIEW {identifier(name)}")


def test_the_text_of_a_rule() -> None:
    (rule,) = parse("[?x, <http://e/q>, ?z] :- [?x, <http://e/p>, ?y], edge(?y, ?z, ?z), go(), up(?y, 'x', ?x) .").rules
    (plan,) = translate(rule)
    assert to_sql(plan).splitlines() == [
        "SELECT DISTINCT t1.s AS `s`, '<http://e/q>' AS `p`, t2.c1 AS `o`",
        "FROM `triples` AS t1(s, p, o)",
        "CROSS JOIN `edge/3` AS t2(c0, c1, c2)",
        "CROSS JOIN `go/0` AS t3",
        "CROSS JOIN `up/3` AS t4(c0, c1, c2)",
        "WHERE t1.p = '<http://e/p>'",
        "  AND t1.o = t2.c0",
        "  AND t2.c1 = t2.c2",
        "  AND t1.o = t4.c0",
        "  AND t4.c1 = '\"x\"'",
        "  AND t1.s = t4.c2",
    ]
    assert to_sql(joined(plan)).splitlines() == [
        "SELECT DISTINCT t1.s AS `s`, '<http://e/q>' AS `p`, t2.c1 AS `o`",
        "FROM `triples` AS t1(s, p, o)",
        "JOIN `edge/3` AS t2(c0, c1, c2) ON t1.o = t2.c0",
        "JOIN `up/3` AS t3(c0, c1, c2) ON t1.o = t3.c0 AND t1.s = t3.c2",
        "CROSS JOIN `go/0` AS t4",
        "WHERE t1.p = '<http://e/p>'",
        "  AND t2.c1 = t2.c2",
        "  AND t3.c1 = '\"x\"'",
    ]


def test_a_product_of_joins_keeps_them_together() -> None:
    (rule,) = parse("p(?x, ?u) :- edge(?x, ?y), edge(?y, ?x), edge(?u, ?v), edge(?v, ?u) .").rules
    assert to_sql(joined(translate(rule)[0])).splitlines()[1:] == [
        "FROM `edge/2` AS t1(c0, c1)",
        "JOIN `edge/2` AS t2(c0, c1) ON t1.c1 = t2.c0 AND t1.c0 = t2.c1",
        "CROSS JOIN (`edge/2` AS t3(c0, c1)",
        "JOIN `edge/2` AS t4(c0, c1) ON t3.c1 = t4.c0 AND t3.c0 = t4.c1)",
    ]


def test_facts_have_no_tables() -> None:
    fact, proposition = (translate(rule)[0] for rule in parse("p('a', 'b') . go() .").rules)
    assert to_sql(fact) == "SELECT DISTINCT '\"a\"' AS `c0`, '\"b\"' AS `c1`"
    assert to_sql(proposition) == "SELECT DISTINCT true AS `present`"
    plan = Project(Select(Product((Product(()), Relation("p/1", 1), Product(()))), 0, "a"), (0,), ("x",))
    assert to_sql(plan) == "SELECT DISTINCT t1.c0 AS `x`\nFROM `p/1` AS t1(c0)\nWHERE t1.c0 = 'a'"


def test_names_are_quoted() -> None:
    plan = translate_query(
        [Variable("select"), Variable("名前")], [Atom("from", (Variable("select"), Variable("名前")))]
    )
    assert to_sql(plan).splitlines() == [
        "SELECT DISTINCT t1.c0 AS `select`, t1.c1 AS `名前`",
        "FROM `from/2` AS t1(c0, c1)",
    ]
    assert identifier("a`b``") == "`a``b`````"


def test_any_constant_is_the_string_it_was(spark: SparkSession) -> None:
    selected = ", ".join(f"{literal(text)} AS c{number}" for number, text in enumerate(ODD))
    assert tuple(spark.sql(f"SELECT {selected}").collect()[0]) == ODD


@settings(max_examples=5)
@given(st.lists(constants, min_size=1, max_size=20))
def test_any_rdf_term_is_the_string_it_was(spark: SparkSession, texts: list[str]) -> None:
    assert list(spark.sql("SELECT " + ", ".join(map(literal, texts))).collect()[0]) == texts


@pytest.mark.parametrize("is_joined", [False, True])
def test_odd_names_and_constants_in_a_query(spark: SparkSession, is_joined: bool) -> None:
    views: Views = {"été/2": {(text, "b") for text in ODD}, "triples": {("b", "${x}", text) for text in ODD}}
    body = (Atom("été", (X, Y)), triple(Y, "${x}", X), triple("b", "${x}", "\\'"))
    plan = translate_query([X], body)
    with temporary_views(spark, views):
        assert collected([spark.sql(to_sql(joined(plan) if is_joined else plan))])[0] == sorted((text,) for text in ODD)


def check_sql(spark: SparkSession, rules: Sequence[Rule], views: Views) -> None:
    """The SQL of each rule, as translated and with joins, has the rows of the tree."""
    plans = [plan for rule in rules for plan in translate(rule)]
    with temporary_views(spark, views):
        found = collected([spark.sql(to_sql(form)) for plan in plans for form in (plan, joined(plan))])
    assert found == [sorted(rows_of(plan, views)) for plan in plans for _ in range(2)]


def test_sql_has_the_rows_of_the_tree(spark: SparkSession) -> None:
    check_sql(spark, SPECIAL, views_of(EVERYTHING, *SPECIAL))


@settings(max_examples=5)
@given(st.lists(rules(), min_size=1, max_size=4), st.data())
def test_sql_has_the_rows_of_the_trees_of_any_rules(
    spark: SparkSession, rules: list[Rule], data: st.DataObject
) -> None:
    atoms = [atom for rule in rules for atom in rule.body]
    facts = data.draw(st.sets(instances(atoms), max_size=20)) if atoms else set()
    check_sql(spark, rules, views_of(facts, *rules))
