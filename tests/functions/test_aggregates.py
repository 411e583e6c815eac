"""Aggregates in Python: the value of a group depends on its terms alone, at every commit."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median as median_of
from typing import Any, cast

import pytest
from pyoxigraph import Literal

from kgreason import KnowledgeGraph
from kgreason.engine.changes import Strategy
from kgreason.errors import InputTypeError, RuleError, RuleSyntaxError
from kgreason.functions.function import python_function
from kgreason.functions.registry import Registry
from kgreason.materialize.operators import values
from kgreason.materialize.operators.group_values import GroupValues
from kgreason.rules import lowering
from kgreason.rules.parser import parse
from kgreason.tables.program import TableProgram
from tests.volume import many_seeds

CALLS: list[list[int]] = []


def median(values: list[int]) -> int:
    CALLS.append(values)
    return int(median_of(values))


def spread(values: Sequence[int]) -> int | None:
    return max(values) - min(values) if len(values) > 1 else None


def second(values: list[int]) -> int:
    return values[1]


RULES = """
    median(?x, ?m) :- AGGREGATE(p(?x, ?v, _) ON ?x BIND median(?v) AS ?m) .
    spread(?x, ?m) :- AGGREGATE(p(?x, ?v, _) ON ?x BIND spread(DISTINCT ?v) AS ?m) .
    all(?m) :- AGGREGATE(median(_, ?v), FILTER(?v < 90) BIND median(?v * 2) AS ?m) .
"""


def open_graph(
    *more: Callable[..., Any], rules: str = RULES, path: Path | None = None, **options: Any
) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(path, rules=["none"], functions=[median, spread, *more], **options)
    with graph.transaction() as tx:
        tx.add_rules(rules)
    return graph


def rows(graph: KnowledgeGraph, name: str) -> set[tuple[int, ...]]:
    return {tuple(int(cast(Literal, term).value) for term in row) for row in graph.relation(name).facts()}


def check(graph: KnowledgeGraph) -> None:
    """Compare with the values by definition."""
    groups: dict[int, list[int]] = {}
    for group, value, _ in rows(graph, "p"):
        groups.setdefault(group, []).append(value)
    medians = {group: int(median_of(found)) for group, found in groups.items()}
    assert rows(graph, "median") == set(medians.items())
    assert rows(graph, "spread") == {
        (group, max(found) - min(found)) for group, found in groups.items() if len(set(found)) > 1
    }
    small = [2 * value for value in medians.values() if value < 90]
    assert rows(graph, "all") == ({(int(median_of(small)),)} if small else set())


@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
@pytest.mark.parametrize("seed", many_seeds(0, 3))
def test_random_edits_keep_the_values_of_all_groups(seed: int, strategy: Strategy) -> None:
    random = Random(seed)
    with open_graph(strategy=strategy) as graph:
        for _ in range(6):
            facts = [(random.randrange(3), random.randrange(100), random.randrange(2)) for _ in range(4)]
            with graph.transaction() as tx:
                tx.relation("p").insert(facts[:3])
                tx.relation("p").delete(
                    facts[3:] + random.sample(sorted(rows(graph, "p")), min(2, len(rows(graph, "p"))))
                )
            check(graph)


MISREADINGS: dict[str, tuple[object, str, object]] = {
    "equal values count once": (lowering, "CHOOSING", lowering.CHOOSING | {"median"}),
    "groups are cut to their first term": (
        values,
        "_values_by_call",
        lambda *given: values.__dict__["_right"](*given[:5], lambda group, texts: given[5](group, texts[:1])),
    ),
}


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_misreading_of_groups_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def history() -> None:
        with open_graph() as graph:
            graph.relation("p").insert([(1, 5, 0), (1, 5, 1), (1, 9, 0)])
            check(graph)
            graph.relation("p").insert([(2, 5, 0), (2, 5, 1)])
            check(graph)

    history()
    owner, attribute, wrong = MISREADINGS[name]
    monkeypatch.setattr(values, "_right", values._values_by_call, raising=False)
    lowering.aggregation.cache_clear()
    monkeypatch.setattr(owner, attribute, wrong)
    try:
        with pytest.raises(AssertionError):
            history()
    finally:
        monkeypatch.undo()
        lowering.aggregation.cache_clear()


def test_terms_come_in_the_order_of_their_texts_and_wrong_terms_give_no_value() -> None:
    with open_graph() as graph:
        CALLS.clear()
        graph.relation("p").insert([(1, value, 0) for value in (7, 10, 9)])
        assert CALLS[0] == [10, 7, 9]
        graph.relation("p").insert([(1, '"x"', 0)])
        assert not rows(graph, "median")
        graph.relation("p").delete([(1, '"x"', 0)])
        assert rows(graph, "median") == {(1, 9)}


def test_a_group_is_called_for_once_in_a_commit() -> None:
    with open_graph(rules=RULES.strip().split("\n")[0]) as graph:
        CALLS.clear()
        graph.relation("p").insert([(1, 7, 0), (2, 8, 0)])
        assert sorted(CALLS) == [[7], [8]]
        graph.relation("p").insert([(1, 9, 0)])
        assert len(CALLS) == 3


def test_an_error_rolls_the_commit_back_and_names_the_call() -> None:
    with open_graph(second, rules="second(?v) :- AGGREGATE(p(?x) BIND second(?x) AS ?v) .") as graph:
        graph.relation("p").insert([(1,), (2,)])
        assert rows(graph, "second") == {(2,)}
        with pytest.raises(RuleError, match=r"second\(\[1\]\) raised IndexError: list index") as caught:
            graph.relation("p").delete([(2,)])
        assert isinstance(caught.value.__cause__, IndexError)
        assert rows(graph, "second") == {(2,)}
        assert rows(graph, "p") == {(1,), (2,)}
        with pytest.raises(RuleError), graph.what_if() as tx:
            tx.relation("p").delete([(2,)])
        graph.relation("p").delete([(1,), (2,)])
        assert not rows(graph, "second")


def test_no_error_counts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GroupValues, "finish", lambda _: None)
    with pytest.raises(pytest.fail.Exception):
        test_an_error_rolls_the_commit_back_and_names_the_call()


def test_an_aggregate_that_leaves_does_not_fail() -> None:
    with open_graph(second, rules="p(1) .") as graph:
        with graph.transaction() as tx:
            tx.add_rules("@rule s second(?v) :- AGGREGATE(p(?x) BIND second(?x) AS ?v) .")
            tx.relation("p").insert([(2,)])
        with graph.transaction() as tx:
            tx.remove_rules("s")
            tx.relation("p").delete([(2,)])
        assert not rows(graph, "second")


def test_a_store_keeps_the_function_by_its_types(tmp_path: Path) -> None:
    with open_graph(path=tmp_path / "store") as graph:
        graph.relation("p").insert([(1, 7, 0), (1, 9, 0)])
    shutil.copytree(tmp_path / "store", tmp_path / "other")
    with KnowledgeGraph.open(tmp_path / "store", functions=[median, spread]) as graph:
        assert not graph.warnings
        check(graph)
        with graph.what_if() as tx:
            tx.relation("p").insert([(1, 1, 0), (1, 2, 0)])
        assert len(tx.delta.relation("median").appeared()) == 1
        check(graph)
        graph.relation("p").insert([(1, 1, 0), (1, 2, 0)])
        check(graph)
        proof = graph.relation("median").explain((1, 4)).to_text()
        assert "4 = median(?v1) over p(1, ?v1, ?v2)" in proof

    def changed(values: list[float]) -> int:
        return 0

    changed.__name__ = "median"
    with KnowledgeGraph.open(tmp_path / "other", functions=[changed]) as graph:
        assert "the function median(list[int]) -> int is now median(list[float]) -> int" in str(graph.warnings)
        assert "the function spread(list[int]) -> int is missing" in str(graph.warnings)
        assert rows(graph, "median") == {(1, 8)}
        with pytest.raises(Exception, match="median"):
            graph.relation("p").insert([(2, 2, 0)])


def test_tables_have_them(tmp_path: Path) -> None:
    (tmp_path / "m.dl").write_text("m(?x, ?m) :- AGGREGATE(p(?x, ?v) ON ?x BIND median(?v) AS ?m) .")
    (tmp_path / "p.facts").write_text("a\t3\na\t4\na\t9\nb\t1\n")
    program = TableProgram(tmp_path / "m.dl", [median])
    program.read(tmp_path, lambda _: None)
    program.evaluate(lambda _: None)
    program.write(tmp_path, lambda _: None)
    assert (tmp_path / "m.csv").read_text() == "a\t4\nb\t1\n"


def plain(value: int) -> int:
    return value


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "AGGREGATE(q(?x) BIND plain(?x) AS ?y)",
            r"plain\(int\) -> int is no aggregate, because its parameter is no list",
        ),
        ("AGGREGATE(q(?x) BIND nobody(?x) AS ?y)", "nobody is no aggregate; they are COUNT, .*, and Python functions"),
        ("AGGREGATE(q(?x) BIND median(*) AS ?y)", r"\* is for COUNT\(\*\) alone"),
        ('AGGREGATE(q(?x) BIND median(?x; SEPARATOR = "a") AS ?y)', "SEPARATOR is for GROUP_CONCAT, not for median"),
        ("q(?x), BIND(median(?x) AS ?y)", r"median\(list\[int\]\) -> int takes the values of a group: write AGGREGATE"),
    ],
)
def test_a_mistake_is_named(body: str, words: str) -> None:
    registry = Registry([median, plain])
    with pytest.raises(RuleSyntaxError, match=words):
        parse(f"p(?y) :- {body} .", functions=registry.find)


def many(values: list[int]) -> list[int]:
    return values


def two(values: list[int], other: int) -> int:
    return other


def nothing(values: list) -> int:  # type: ignore[type-arg]
    return 0


@pytest.mark.parametrize("function", [many, two, nothing])
def test_an_annotation_that_is_none_of_an_aggregate_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(InputTypeError, match=f"function {function.__name__}: "):
        python_function(function)
