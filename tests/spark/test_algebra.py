"""Rules as relational algebra: the tree as translated, the tree with joins and Spark's rows are the oracle's rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'kgreason[spark]'")

from kgreason.errors import RuleError, UnsafeRuleError
from kgreason.rules.model import FALSE, Atom, Rule, Variable, triple
from kgreason.rules.parser import parse
from kgreason.spark.rule.algebra import Join, Product, Project, Relation, Select, Source, format_tree, width
from kgreason.spark.rule.evaluate import answers, evaluate, explain, run
from kgreason.spark.rule.sql import to_sql
from kgreason.spark.rule.translation import heads_of, joined, translate, translate_query, view_of
from tests.histories.wide import CONSTANTS, KNOWN_SHAPES
from tests.spark.relations import Row, Views, collected, derived, frames_of, rows_of, views_of
from tests.strategies.programs import fact_sets, instances, rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

X, Y, Z, U = (Variable(name) for name in "xyzu")
A, B, ONE = CONSTANTS
P, Q = "<http://example.org/p>", "<http://example.org/q>"
SPECIAL = (
    Rule((FALSE,), (triple(X, P, X),), "irreflexive"),
    Rule((FALSE,), (Atom("edge", (X, A)), Atom("unary", (X,))), 'quoted "name"'),
    Rule((Atom("wide", (X, Y, Z)),), (Atom("unary", (X,)), Atom("other", (Y,)), Atom("unary", (Z,)))),
    Rule((Atom("unary", (X,)),), (Atom("unary", (Y,)), Atom("edge", (Z, X)), Atom("path", (Y, Z)))),
    Rule((Atom("edge", (X, A)), Atom("edge", (A, X)), triple(X, P, X)), (triple(X, X, X),)),
    Rule((Atom("nullary", ()),), (Atom("nullary", ()), Atom("nullary", ()))),
    Rule((Atom("edge", (A, ONE)), Atom("nullary", ())), ()),
    Rule((Atom("unary", (U,)),), (Atom("edge", (X, Y)), Atom("edge", (Z, U)), Atom("edge", (Y, Z)))),
    Rule(
        (Atom("unary", (X,)),), (Atom("edge", (X, Y)), Atom("path", (Z, U)), Atom("edge", (Y, X)), Atom("path", (U, Z)))
    ),
)


def rule_rows(rule: Rule, views: Views, *, by_joins: bool) -> dict[str, set[Row]]:
    rows: dict[str, set[Row]] = {}
    for head, plan in zip(heads_of(rule), translate(rule), strict=True):
        found = rows_of(joined(plan) if by_joins else plan, views)
        rows[view_of(head)] = rows.get(view_of(head), set()) | found
    return rows


def check_trees(rule: Rule, facts: Collection[Atom]) -> None:
    """Both trees have the rows that the oracle derives."""
    expected, views = derived(rule, facts), views_of(facts, rule)
    assert rule_rows(rule, views, by_joins=False) == expected
    assert rule_rows(rule, views, by_joins=True) == expected


@given(rules() | st.sampled_from(SPECIAL), st.data())
def test_both_trees_have_the_rows_that_the_oracle_derives(rule: Rule, data: st.DataObject) -> None:
    check_trees(rule, data.draw(fact_sets(20) if not rule.body else st.sets(instances(rule.body), max_size=20)))


def test_both_trees_of_known_rules_have_the_rows_that_the_oracle_derives() -> None:
    for rule in [*SPECIAL, *KNOWN_SHAPES]:
        check_trees(rule, EVERYTHING)


@given(rules() | st.sampled_from(SPECIAL))
def test_joins_leave_no_selection_above_a_product_and_no_product_that_a_variable_connects(rule: Rule) -> None:
    for plan in translate(rule):
        source = joined(plan).source
        parts = source.parts if isinstance(source, Product) else (source,)
        for part in parts:
            assert not _has_a_product(part)
        assert len(parts) == len(_components(rule))


def _has_a_product(source: Source) -> bool:
    match source:
        case Relation():
            return False
        case Select():
            return not isinstance(source.source, Relation | Select) or _has_a_product(source.source)
        case Join():
            assert source.pairs
            return _has_a_product(source.left) or _has_a_product(source.right)
        case Product():
            return True


def _components(rule: Rule) -> list[set[Variable]]:
    """The variables of each connected component of the body; an atom without variables is one of its own."""
    components: list[set[Variable]] = []
    for atom in rule.body:
        apart = [each for each in components if each.isdisjoint(atom.variables())]
        near = [each for each in components if not each.isdisjoint(atom.variables())]
        components = [*apart, set.union(atom.variables(), *near)]
    return components


@given(rules() | st.sampled_from(SPECIAL))
def test_what_is_joined_already_stays_as_it_is(rule: Rule) -> None:
    for plan in map(joined, translate(rule)):
        assert joined(plan) == plan


def test_any_tree_can_be_joined() -> None:
    edge = Relation("edge/2", 2)
    chained = Select(Product((edge, Select(Product((edge, edge)), 1, 2))), 4, 0)
    plan = Project(Select(Select(chained, 3, 1), 1, A), (0, 2, B), ("a", "b", "c"))
    views = {"edge/2": {(A, A), (A, B), (B, A), (ONE, A)}}
    assert rows_of(joined(plan), views) == rows_of(plan, views) != set()
    assert width(joined(plan).source) == width(plan.source) == 6


def test_the_text_of_a_tree() -> None:
    (rule,) = parse("[?x, <http://e/q>, ?z] :- [?x, <http://e/p>, ?y], go(), edge(?y, ?z, ?z) .").rules
    (plan,) = translate(rule)
    assert format_tree(plan).splitlines() == [
        "project s = #0, p = <http://e/q>, o = #4",
        "  select #4 = #5",
        "    select #2 = #3",
        "      select #1 = <http://e/p>",
        "        product",
        "          triples",
        "          go/0",
        "          edge/3",
    ]
    assert format_tree(joined(plan)).splitlines() == [
        "project s = #0, p = <http://e/q>, o = #4",
        "  product",
        "    join #2 = #3",
        "      select #1 = <http://e/p>",
        "        triples",
        "      select #1 = #2",
        "        edge/3",
        "    go/0",
    ]
    (fact,) = translate(parse("go() .").rules[0])
    assert format_tree(fact) == "project nothing\n  one row"


def test_an_explanation_shows_each_head_translated_with_joins_and_as_sql() -> None:
    (rule,) = parse("p(?x), q(?y) :- edge(?x, ?y), edge(?y, ?x) .").rules
    parts = explain(rule).split("\n\n")
    assert parts[0] == "p(?x), q(?y) :- edge(?x, ?y), edge(?y, ?x) ."
    plans = translate(rule)
    assert parts[1:4] == [format_tree(plans[0]), format_tree(joined(plans[0])), to_sql(joined(plans[0]))]
    assert parts[4:7] == [format_tree(plans[1]), format_tree(joined(plans[1])), to_sql(joined(plans[1]))]
    assert len(parts) == 7


def test_an_unsafe_rule_and_query_are_refused() -> None:
    with pytest.raises(UnsafeRuleError, match=r"rule r: \?y is in the head"):
        translate(Rule((Atom("p", (Y,)),), (Atom("q", (X,)),), "r"))
    with pytest.raises(UnsafeRuleError, match=r"rule query: \?y is in the head"):
        translate_query([Y], [Atom("q", (X,))])


EVERYTHING = [triple(s, p, o) for s in (A, B) for p in (P, Q) for o in CONSTANTS if (s, p) != (B, Q)] + [
    triple(P, P, P),
    *(Atom("edge", pair) for pair in [(A, A), (A, B), (B, ONE), (ONE, A)]),
    *(Atom("path", pair) for pair in [(A, B), (B, ONE), (B, B)]),
    *(Atom(name, (term,)) for name, term in [("unary", A), ("unary", B), ("other", B)]),
    Atom("nullary", ()),
]


def check_on_spark(spark: SparkSession, rules: Sequence[Rule], facts: Iterable[Atom]) -> None:
    """Each rule derives what the oracle derives, and no row twice."""
    facts = list(facts)
    views = frames_of(spark, views_of(facts, *rules))
    expected = [(rule, view, sorted(rows)) for rule in rules for view, rows in derived(rule, facts).items()]
    found = [run(rule, views) for rule in rules]
    assert [list(frames) for frames in found] == [[view_of(head) for head in distinct_heads(rule)] for rule in rules]
    rows = collected([found[rules.index(rule)][view] for rule, view, _ in expected])
    assert rows == [each for _, _, each in expected]


def distinct_heads(rule: Rule) -> list[Atom]:
    """A head for each view that a rule derives facts of."""
    return list({view_of(head): head for head in heads_of(rule)}.values())


def test_spark_derives_what_the_oracle_derives(spark: SparkSession) -> None:
    check_on_spark(spark, [*SPECIAL, *KNOWN_SHAPES], EVERYTHING)


@settings(max_examples=5)
@given(st.lists(rules(), min_size=1, max_size=6, unique=True), st.data())
def test_spark_derives_what_the_oracle_derives_with_any_rules(
    spark: SparkSession, rules: list[Rule], data: st.DataObject
) -> None:
    atoms = [atom for rule in rules for atom in rule.body]
    check_on_spark(spark, rules, data.draw(st.sets(instances(atoms), max_size=20)) if atoms else ())


def test_spark_evaluates_trees_as_translated_too(spark: SparkSession) -> None:
    plans = [plan for rule in SPECIAL for plan in translate(rule)]
    views = views_of(EVERYTHING, *SPECIAL)
    frames = frames_of(spark, views)
    found = collected([evaluate(plan, frames) for plan in plans])
    assert found == [sorted(rows_of(plan, views)) for plan in plans]


def test_a_query_has_a_column_for_each_answer_variable_in_its_order(spark: SparkSession) -> None:
    edges = {"edge/2": {(A, B), (B, ONE), (B, A)}}
    found = answers([Z, X], [Atom("edge", (X, Y)), Atom("edge", (Y, Z))], frames_of(spark, edges))
    assert found.columns == ["z", "x"]
    assert collected([found])[0] == sorted([(ONE, A), (A, A), (B, B)])
    asked = answers([], [Atom("edge", (A, X))], frames_of(spark, edges))
    assert [row.asDict() for row in asked.collect()] == [{"present": True}]


def test_the_columns_of_what_is_derived_are_those_of_its_view(spark: SparkSession) -> None:
    views = frames_of(spark, {"edge/2": {(A, B)}})
    rule = Rule((triple(X, P, Y), Atom("wide", (X, Y, X)), Atom("nullary", ())), (Atom("edge", (X, Y)),))
    assert {name: frame.columns for name, frame in run(rule, views).items()} == {
        "triples": ["s", "p", "o"],
        "wide/3": ["c0", "c1", "c2"],
        "nullary/0": ["present"],
    }


def test_a_view_that_is_missing_or_of_another_width_is_named(spark: SparkSession) -> None:
    rule = Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),))
    with pytest.raises(RuleError, match="there is no view edge/2; the views are: triples, edge/3"):
        run(rule, {"triples": spark.range(1), "edge/3": spark.range(1)})
    with pytest.raises(RuleError, match="the views are: none"):
        run(rule, {})
    with pytest.raises(RuleError, match="the view edge/2 must have 2 columns, but has 1"):
        run(rule, {"edge/2": spark.range(1)})
