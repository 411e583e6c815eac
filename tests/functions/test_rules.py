"""Python functions in rules: calls, results, errors, edits."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pyoxigraph import NamedNode

from kgreason import KnowledgeGraph
from kgreason.errors import InputError, InputTypeError, RuleError, RuleSyntaxError
from kgreason.functions import Term

NAMES = {"": "http://e/"}
HEADER = "@prefix : <http://e/> . "


def area(w: int, h: int) -> int:
    return w * h


def is_big(a: int) -> bool:
    return a > 50


def words(text: str) -> list[str]:
    return text.split()


def graph(rules: str, *functions: Callable[..., Any], data: str = "", **options: Any) -> KnowledgeGraph:
    found = KnowledgeGraph.open(rules=["none"], functions=functions, **options)
    with found.transaction() as tx:
        tx.add_rules(HEADER + rules)
    if data:
        found.add(data, prefixes=NAMES)
    return found


def objects(found: KnowledgeGraph, predicate: str, subject: str | None = None) -> list[str]:
    matched = found.match(subject, predicate, None, prefixes=NAMES)
    return sorted(str(getattr(quad.object, "value", quad.object)) for quad in matched)


AREA = "@rule area [?x, :area, ?a] :- [?x, :w, ?w], [?x, :h, ?h], BIND(area(?w, ?h) AS ?a) . "


def test_a_function_computes_and_filters() -> None:
    rules = AREA + "[?x, a, :Big] :- [?x, :area, ?a], FILTER(is_big(?a)) ."
    with graph(rules, area, is_big, data=":a :w 8 ; :h 8 . :b :w 2 ; :h 3 .") as found:
        assert objects(found, ":area") == ["6", "64"]
        assert [str(quad.subject) for quad in found.match(None, "a", ":Big", prefixes=NAMES)] == ["<http://e/a>"]
        proof = found.explain((":a", "a", ":Big"), prefixes=NAMES).to_text(NAMES)
        assert "area(8, 8) = 64" in proof
        assert "is_big(64)" in proof
        found.remove(":a :w 8 .", prefixes=NAMES)
        assert objects(found, ":area") == ["6"]
        found.add(":a :w 8 .", prefixes=NAMES)
        assert objects(found, ":area") == ["6", "64"]


def test_a_function_is_called_once_for_each_input() -> None:
    calls: list[int] = []

    def twice(x: int) -> int:
        calls.append(x)
        return 2 * x + len(calls) * 0

    rules = "[?x, :q, ?y] :- [?x, :p, ?v], BIND(twice(?v) AS ?y) . r(?y) :- [?x, :p, ?v], BIND(twice(?v) AS ?y) ."
    with graph(rules, twice, data=":a :p 1 . :b :p 1 . :c :p 2 .") as found:
        assert sorted(calls) == [1, 2]
        found.remove(":a :p 1 . :b :p 1 .", prefixes=NAMES)
        found.add(":a :p 1 , 3 .", prefixes=NAMES)
        assert sorted(calls) == [1, 2, 3]
        assert objects(found, ":q") == ["2", "4", "6"]


@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
def test_no_call_is_repeated_whatever_the_strategy(strategy: Any) -> None:
    calls: list[int] = []

    def odd(x: int) -> int | None:
        calls.append(x)
        return x if x % 2 else None

    rules = "[?x, :q, ?y] :- [?x, :p, ?v], BIND(odd(?v) AS ?y) ."
    with graph(rules, odd, data=":a :p 1 , 2 .", strategy=strategy) as found:
        found.add(":b :p 1 , 2 , 3 .", prefixes=NAMES)
        assert sorted(calls) == [1, 2, 3]
        assert objects(found, ":q") == ["1", "1", "3"]


def test_a_function_may_give_many_results() -> None:
    rules = "[?x, :word, ?w] :- [?x, :text, ?t], BIND(words(?t) AS ?w) ."
    with graph(rules, words, data=':a :text "to be or not to be" . :b :text "" , 5 , "tobe"@en .') as found:
        assert objects(found, ":word", ":a") == ["be", "not", "or", "to"]
        assert objects(found, ":word", ":b") == ["tobe"]
        found.remove(':a :text "to be or not to be" .', prefixes=NAMES)
        assert objects(found, ":word") == ["tobe"]


def test_terms_unions_and_constants() -> None:
    def name(x: NamedNode, prefix: str) -> NamedNode:
        return NamedNode(f"{x.value}/{prefix}")

    def kind(x: Term) -> str:
        return type(x).__name__

    def half(x: Decimal | str) -> Decimal | str | None:
        return x / 2 if isinstance(x, Decimal) else x[: len(x) // 2] or None

    rules = """[?x, :name, ?y] :- [?x, :p, ?v], BIND(name(?x, "n") AS ?y) .
        [?v, :kind, ?y] :- [?x, :p, ?v], BIND(kind(?v) AS ?y) .
        [?x, :half, ?y] :- [?x, :p, ?v], BIND(half(?v) AS ?y) ."""
    with graph(rules, name, kind, half, data=':a :p :b , _:c , 5 , 2.50 , "four" , "x" , <<( :a :b :c )>> .') as found:
        assert objects(found, ":name") == ["http://e/a/n"]
        assert objects(found, ":kind", ":b") == ["NamedNode"]
        assert objects(found, ":half") == ["1.25", "2.5", "fo"]


def test_a_batch_function_takes_columns() -> None:
    sizes: list[int] = []

    def scaled(x: NDArray[np.float64], by: NDArray[np.int64]) -> NDArray[np.float64]:
        sizes.append(len(x))
        return x * by

    with KnowledgeGraph.open(rules=["none"]) as found:
        found.function(batch=True)(scaled)
        with found.transaction() as tx:
            tx.add_rules(HEADER + "[?x, :q, ?y] :- [?x, :p, ?v], BIND(scaled(?v, 2) AS ?y) .")
            tx.add("".join(f":x{n} :p {n}.5 . " for n in range(1, 50)) + ':y :p "no" , 8 .', prefixes=NAMES)
        assert sizes == [50]
        assert objects(found, ":q", ":x3") == ["7"]
        assert objects(found, ":q", ":y") == ["16"]


def test_a_batch_function_takes_arrow_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.compute as pc

    def shout(text: pa.StringArray) -> pa.StringArray:  # type: ignore[name-defined]
        return pc.if_else(pc.equal(text, "quiet"), None, pc.utf8_upper(text))

    shout.__annotations__ = {"text": pa.StringArray, "return": pa.StringArray}
    with KnowledgeGraph.open(rules=["none"]) as found:
        found.function(batch=True)(shout)
        with found.transaction() as tx:
            tx.add_rules(HEADER + "[?x, :q, ?y] :- [?x, :p, ?v], BIND(shout(?v) AS ?y) .")
            tx.add(':x :p "a" , "quiet" , 5 .', prefixes=NAMES)
        assert objects(found, ":q") == ["A"]


def test_an_error_of_a_batch_names_the_row() -> None:
    def inverse(x: NDArray[np.int64]) -> NDArray[np.float64]:
        if (x == 0).any():
            raise ZeroDivisionError("no inverse")
        return 1 / x

    with KnowledgeGraph.open(rules=["none"]) as found:
        found.function(batch=True)(inverse)
        with found.transaction() as tx:
            tx.add_rules(HEADER + "@rule r [?x, :q, ?y] :- [?x, :p, ?v], BIND(inverse(?v) AS ?y) .")
        with pytest.raises(RuleError, match=r"rule r: inverse\(0\) raised ZeroDivisionError: no inverse"):
            found.add(":x :p 4 , 0 , 2 .", prefixes=NAMES)
        assert not list(found)


def test_an_error_of_a_function_rolls_the_commit_back() -> None:
    def inverse(x: int) -> float:
        return 1 / x

    rules = "@rule inverse [?x, :q, ?y] :- [?x, :p, ?v], BIND(inverse(?v) AS ?y) ."
    with graph(rules, inverse, data=":a :p 4 .") as found:
        with pytest.raises(RuleError, match=r"rule inverse: inverse\(0\) raised ZeroDivisionError: ") as caught:
            found.add(":a :p 0 , 5 .", prefixes=NAMES)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert objects(found, ":p") == ["4"]
        found.add(":a :p 2 .", prefixes=NAMES)
        assert objects(found, ":q") == ["0.25", "0.5"]
        with pytest.raises(RuleError, match="inverse"), found.what_if() as tx:
            tx.add(":a :p 0 .", prefixes=NAMES)
        assert objects(found, ":p") == ["2", "4"]


def test_a_result_of_a_wrong_type_is_an_error() -> None:
    def wrong(x: int) -> int:
        return str(x)  # type: ignore[return-value]

    with pytest.raises(RuleError, match=r"rule r: wrong\(4\) gave '4' \(str\) instead of int"):
        graph("@rule r [?x, :q, ?y] :- [?x, :p, ?v], BIND(wrong(?v) AS ?y) .", wrong, data=":a :p 4 .")


BAD = {
    "BIND(nothing(?v) AS ?y)": r"<rules>:1:\d+: rule rule-1: nothing is no function of SPARQL, and no Python function",
    "BIND(area(?v) AS ?y)": r"area\(int, int\) -> int takes 2 arguments, and 1 is given",
    "FILTER(area(?v, ?v))": r"FILTER needs a function that gives bool; area",
    "FILTER(words(?v))": r"FILTER needs a function that gives bool; words\(str\) -> list\[str\] does not",
    "BIND(area(?v, ?v) + 1 AS ?y)": r"the Python function area must be the whole expression.*BIND\(area\(...\) AS",
    "BIND(area(?v, ?v + 1) AS ?y)": "the Python function area must be the whole expression",
    "BIND(Area(?v, ?v) AS ?y)": "Area is no function of SPARQL",
}


@pytest.mark.parametrize("text", BAD)
def test_a_wrong_call_is_an_error_before_anything_changes(text: str) -> None:
    with graph("", area, words, data=":a :p 4 .") as found:
        with pytest.raises(RuleSyntaxError, match=BAD[text]), found.transaction() as tx:
            tx.add_rules(HEADER + f"[?x, :q, ?x] :- [?x, :p, ?v], {text} .")
        assert not found.own_rules()


def test_a_function_needs_annotations_and_a_name_of_its_own() -> None:
    def untyped(x) -> int:  # type: ignore[no-untyped-def]
        return int(x)

    def strlen(x: str) -> int:
        return len(x)

    def odd(x: dict[str, int]) -> int:
        return len(x)

    def many(*x: int) -> int:
        return len(x)

    for function, problem in (
        (untyped, "function untyped: parameter x needs one of the types str, int.*it has no annotation"),
        (odd, "function odd: parameter x needs one of the types"),
        (many, r"function many: rules pass each argument by its place"),
        (lambda x: x, "a name that begins with a letter"),
        (5, "a function for rules must be a Python function; got 5"),
    ):
        with pytest.raises(InputTypeError, match=problem):
            KnowledgeGraph.open(functions=[function])  # type: ignore[list-item]
    with pytest.raises(InputTypeError, match="a function for rules must be a Python function; got 5"):
        KnowledgeGraph.open(functions=5)  # type: ignore[arg-type]
    KnowledgeGraph.open(functions=area).close()  # type: ignore[arg-type]
    with pytest.raises(InputError, match="function strlen: SPARQL has a function or a keyword of this name"):
        KnowledgeGraph.open(functions=[strlen])


def test_a_name_keeps_its_types() -> None:
    with graph(AREA, area) as found:
        known = area

        def area_(w: float, h: float) -> float:
            return w * h

        area_.__name__ = "area"
        with pytest.raises(InputError, match=r"function area: area\(int, int\) -> int is registered already"):
            found.function(area_)
        assert found.function(known) is known


def test_the_calls_do_not_depend_on_the_order_of_the_rule() -> None:
    def strict(x: int) -> int:
        if x <= 0:
            raise ValueError(x)
        return x

    parts = ["[?x, :p, ?v]", "[?x, :ok, ?o]", "FILTER(?v > 0)", "BIND(strict(?v) AS ?y)", "FILTER(?y != 7)"]
    data = ":a :p 0 , 1 , 7 ; :ok 1 . :b :p -1 ."
    for order in (parts, parts[::-1], [*parts[2:], *parts[:2]]):
        with graph(f"[?x, :q, ?y] :- {', '.join(order)} .", strict, data=data) as found:
            assert objects(found, ":q") == ["1"]


@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
def test_a_call_may_fail_in_the_middle_of_a_commit_if_the_rule_does_not_ask_at_its_end(strategy: Any) -> None:
    """`kept(:a, 0)` is derived before the negation sees `:off`, and goes after that."""
    calls: list[int] = []

    def strict(x: int) -> int:
        calls.append(x)
        if x == 0:
            raise ValueError(x)
        return x

    rules = """[?x, :kept, ?v] :- [?x, :p, ?v], NOT [?x, :off, true] .
        [?x, :q, ?y] :- [?x, :kept, ?v], BIND(strict(?v) AS ?y) ."""
    with graph(rules, strict, data=":a :p 1 .", strategy=strategy) as found:
        found.add(":a :p 0 ; :off true .", prefixes=NAMES)
        assert calls == [1, 0]
        assert not objects(found, ":q")
        with pytest.raises(RuleError, match=r"strict\(0\)"):
            found.remove(":a :off true .", prefixes=NAMES)
        assert not objects(found, ":q")
        with found.transaction() as tx:
            tx.remove(":a :off true ; :p 0 .", prefixes=NAMES)
        assert objects(found, ":q") == ["1"]


def test_a_function_inside_of_an_aggregate() -> None:
    rules = "[?x, :sum, ?n] :- AGGREGATE([?x, :p, ?v], BIND(area(?v, 2) AS ?a) ON ?x BIND SUM(?a) AS ?n) ."
    with graph(rules, area, data=":a :p 1 , 2 . :b :p 5 .") as found:
        assert objects(found, ":sum") == ["10", "6"]
        found.remove(":a :p 2 .", prefixes=NAMES)
        assert objects(found, ":sum", ":a") == ["2"]


def test_a_function_of_the_value_of_an_aggregate() -> None:
    rules = "[?x, :q, ?a] :- AGGREGATE([?x, :p, ?v] ON ?x BIND COUNT(?v) AS ?n), BIND(area(?n, 2) AS ?a) ."
    with graph(rules, area, data=":a :p 1 , 2 . :b :p 5 .") as found:
        assert objects(found, ":q") == ["2", "4"]
        found.add(":b :p 6 , 7 .", prefixes=NAMES)
        assert objects(found, ":q", ":b") == ["6"]


def test_a_call_that_fails_a_rule_is_told() -> None:
    rules = AREA + "@rule big [?x, a, :Big] :- [?x, :area, ?a], FILTER(is_big(?a)) ."
    with graph(rules, area, is_big, data=":a :w 2 ; :h 3 .") as found:
        told = found.why_not((":a", "a", ":Big"), prefixes=NAMES).to_text(NAMES)
        assert "is_big(6)" in told


def test_rules_with_functions_come_and_go() -> None:
    with graph("", area, data=":a :w 8 ; :h 8 .") as found:
        with found.transaction() as tx:
            tx.add_rules(HEADER + AREA)
        assert objects(found, ":area") == ["64"]
        with found.transaction() as tx:
            tx.remove_rules("area")
        assert not objects(found, ":area")
        with found.transaction() as tx:
            tx.add_rules(HEADER + AREA)
        assert objects(found, ":area") == ["64"]
        with found.transaction() as tx:
            tx.remove_rules(HEADER + AREA)
        assert not objects(found, ":area")


@pytest.mark.parametrize("same_as", ["aliases", "representatives", "rules"])
def test_equal_terms_are_given_as_expressions_of_sparql_get_them(same_as: Any) -> None:
    def name(x: NamedNode) -> str:
        return x.value

    with KnowledgeGraph.open(functions=[name], same_as=same_as) as found:
        with found.transaction() as tx:
            tx.add_rules(HEADER + "[?x, :name, ?n] :- [?x, a, :C], BIND(name(?x) AS ?n) .")
            tx.add_rules(HEADER + "[?x, :str, ?n] :- [?x, a, :C], BIND(STR(?x) AS ?n) .")
            tx.add(":b a :C .", prefixes=NAMES)
        link = ":b <http://www.w3.org/2002/07/owl#sameAs> :a ."
        for edit in (found.add, found.remove):
            assert objects(found, ":name") == objects(found, ":str")
            edit(link, prefixes=NAMES)
        assert objects(found, ":name", ":b") == objects(found, ":str", ":b") == ["http://e/b"]
        assert not objects(found, ":name", ":a")


def test_recursion_through_a_function_ends() -> None:
    def below(x: int) -> Iterable[int]:
        yield from ([x - 1] if x else [])

    with graph("[?x, :p, ?y] :- [?x, :p, ?v], BIND(below(?v) AS ?y) .", below, data=":a :p 5 .") as found:
        assert objects(found, ":p") == ["0", "1", "2", "3", "4", "5"]
        found.remove(":a :p 5 .", prefixes=NAMES)
        assert not objects(found, ":p")


def test_ctrl_c_reaches_a_function() -> None:
    started = threading.Event()

    def slow(x: int) -> int:
        started.set()
        signal.raise_signal(signal.SIGINT)
        return x

    with graph("[?x, :q, ?y] :- [?x, :p, ?v], BIND(slow(?v) AS ?y) .", slow) as found:
        with pytest.raises(KeyboardInterrupt):
            found.add(":a :p 5 .", prefixes=NAMES)
        assert started.is_set()
        assert not list(found)


@pytest.mark.parametrize(
    "parts",
    [
        ("BIND(?w - 1 AS ?b)", "FILTER(is_big(?h))"),
        ("BIND(?w - 1 AS ?b)", "FILTER(?b > 0)", "FILTER(is_big(?h))"),
        ("FILTER(?w < 9)", "FILTER(is_big(?h))"),
        ("BIND(area(?w, ?h) AS ?a)", "BIND(?w + 1 AS ?b)", "FILTER(?a > ?b)", "FILTER(is_big(?h))"),
        ("BIND(?w + 1 AS ?b)", "BIND(area(?b, ?h) AS ?a)", "FILTER(is_big(?a))", "BIND(?h - ?a AS ?c)"),
    ],
    ids=" ".join,
)
def test_an_expression_and_a_call_do_not_wait_for_each_other(parts: tuple[str, ...]) -> None:
    """Neither of them needs the result of the other, so each is computed whatever their order."""
    for order in (parts, parts[::-1]):
        rule = f"@rule r [?x, a, :Found] :- [?x, :w, ?w], [?x, :h, ?h], {', '.join(order)} ."
        with graph(rule, area, is_big, data=":a :w 8 ; :h 60 . :b :w 8 ; :h 0 .") as found:
            assert [str(quad.subject) for quad in found.match(None, "a", ":Found", prefixes=NAMES)] == ["<http://e/a>"]
