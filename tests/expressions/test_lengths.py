"""An expression that may make too long a text is refused before it is evaluated; the bound is never too small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pyoxigraph as ox
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgreason.errors import LimitError, RuleSyntaxError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.expressions.lengths import length_bound
from kgreason.rules.expressions import expression_text
from kgreason.rules.model import Computed, Variable
from kgreason.terms import vocabulary as v
from tests.tables import table

TEXT = ("<http://e/a>", "<http://e/p>", f'"{"x" * 1_000}"')
REPLACEMENT = f'"{"a" * 100}"'


def nested(depth: int) -> str:
    return "replace(" * depth + "?t" + f', ".", {REPLACEMENT})' * depth


@table(("depth", "is_refused"), [(1, False), (2, False), (4, True), (10, True)])
def test_replace_in_replace(depth: int, is_refused: bool) -> None:
    rule = f"r(?n) :- [?x, <http://e/p>, ?t], BIND(STRLEN({nested(depth)}) AS ?n) ."
    with KnowledgeGraph.open() as graph:
        graph.add(TEXT)
        if is_refused:
            with (
                pytest.raises(LimitError, match=r"REPLACE may make a text of [0-9,]+ characters here"),
                graph.transaction() as tx,
            ):
                tx.add_rules(rule)
            assert not graph.own_rules()
        else:
            with graph.transaction() as tx:
                tx.add_rules(rule)
            assert [str(n) for (n,) in graph.relation("r", 1)] == [str(ox.Literal(1_000 * 100**depth))]


def test_calls_in_calls_are_refused_where_they_take_the_parser_too_long() -> None:
    with KnowledgeGraph.open() as graph, graph.transaction() as tx:
        with pytest.raises(
            RuleSyntaxError, match="more than 10 of !, IDIV, MOD, REGEX, REPLACE, SUBSTR are in one another"
        ):
            tx.add_rules(f'r(?x) :- [?x, <http://e/p>, ?t], FILTER(REGEX({nested(10)}, "a")) .')
        for name, depth in (("!", 11), ("!STR", 11), ("!REGEX", 6)):
            with pytest.raises(RuleSyntaxError, match="more than 10 of !, IDIV"):
                tx.add_rules(f"r(?x) :- [?x, <http://e/p>, ?t], FILTER({f'{name}(' * depth}?t{', 1)' * depth}) .")
        tx.add_rules(f'r(?x) :- [?x, <http://e/p>, ?t], FILTER(REGEX({nested(2)}, "a") && REGEX({nested(9)}, "a")) .')
        tx.add_rules(f"r(?x) :- [?x, <http://e/p>, ?t], FILTER({' && '.join(['!(?t = ?x)'] * 20)} && !(((?t = 1)))) .")


def test_a_filter_is_bounded_as_well() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(TEXT)
        with pytest.raises(LimitError), graph.what_if() as tx:
            tx.add_rules(f'[?x, a, <http://e/C>] :- [?x, <http://e/p>, ?t], FILTER(CONTAINS({nested(5)}, "b")) .')
        assert len(graph) == 1


texts = st.text("ab", max_size=4).map(lambda text: f'"{text}"')
replacements = st.lists(st.sampled_from(["a", "b", "$1", "$2"]), max_size=4).map(lambda parts: f'"{"".join(parts)}"')
patterns = st.sampled_from(['"a"', '"b*"', '"."', '"(a|b)"', '"(a)(b)"', '"(.*)"', '"^"'])
X = Variable("x")


OF_TEXTS = ["REPLACE", "REPLACE", "REPLACE", "CONCAT", "UCASE", "ENCODE_FOR_URI", "MD5", "SHA256", "SHA384", "SHA512"]
OTHERS = ["STRLEN", "DATATYPE", "!", "ISIRI", v.XSD_STRING, v.XSD_INTEGER, v.XSD_DECIMAL, v.XSD_DOUBLE, v.XSD_DURATION]


@st.composite
def expressions(draw: st.DrawFn) -> list[Variable | str]:
    found: list[Variable | str] = [X]
    for name in draw(st.lists(st.sampled_from(OF_TEXTS) | st.sampled_from(OTHERS), max_size=4)):
        if found[0] == X or found[0] in OTHERS:
            found = ["STR", "(", *found, ")"]
        more: Sequence[Variable | str] = ()
        if name == "REPLACE":
            more = (",", draw(patterns), ",", draw(replacements | st.just(X)))
        elif name == "CONCAT":
            more = (",", draw(texts))
        found = [name, "(", *found, *more, ")"]
    return found if len(found) > 1 else ["STR", "(", X, ")"]


numbers = [f'"{text}"^^{v.XSD_DOUBLE}' for text in ("1e308", "-2.2250738585072014e-308", "-0")]
values = st.text("abßΐ", max_size=6).map(lambda text: f'"{text}"') | st.sampled_from([*numbers, '"P1M"', '"1e18"'])


@given(parts=expressions(), text=values)
@example(parts=[v.XSD_STRING, "(", X, ")"], text=numbers[1])
@example(parts=["SHA512", "(", X, ")"], text='""')
@example(parts=["DATATYPE", "(", X, ")"], text='""')
@example(parts=["!", X], text='""')
def test_no_text_is_longer_than_the_bound(parts: list[Variable | str], text: str) -> None:
    query = f"SELECT (STRLEN(STR({expression_text(Computed(tuple(parts)))})) AS ?n) {{ VALUES ?x {{ {text} }} }}"
    ((found,),) = cast(Any, ox.Store().query(query))
    assert found is None or int(found.value) <= length_bound(parts, {X: len(text)})
