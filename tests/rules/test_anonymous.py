"""`_` is a variable that nobody reads: in body atoms, under NOT and inside AGGREGATE, another one each time."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal

from kgreason import KnowledgeGraph
from kgreason.errors import RuleSyntaxError, UnsafeRuleError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.formatter import format_program
from kgreason.rules.model import Rule, Variable
from kgreason.rules.parser import parse
from kgreason.rules.srl.writer import format_as
from kgreason.rules.text import reader

_TERMS = st.sampled_from(["_", "_", "?x", "?y"])


def _atom(name: str) -> st.SearchStrategy[str]:
    return st.builds(lambda one, other: f"{name}({one}, {other})", _TERMS, _TERMS)


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """A body that binds ?x and ?y, with `_` in atoms, NOTs and aggregates."""
    parts = ["b(?x, ?y)", *draw(st.lists(_atom("p"), max_size=2))]
    for inner in draw(st.lists(st.lists(_atom("q"), min_size=1, max_size=2), max_size=2)):
        parts.append(f"NOT {inner[0]}" if len(inner) == 1 else f"NOT EXISTS ({', '.join(inner)})")
    if draw(st.booleans()):
        results = draw(st.sampled_from(["BIND COUNT(*) AS ?n", "BIND COUNT(*) AS ?n BIND SUM(?x) AS ?m"]))
        parts.append(f"AGGREGATE(r(?x, _), {draw(_atom('s'))}, s(?x, ?y) ON ?x, ?y {results})")
    return ", ".join(draw(st.permutations(parts)))


def name_of(body: str) -> str:
    """The same body with a name for each `_`, and with the names under NOT after EXISTS."""
    names = (f"?n{number}" for number in count())
    written = re.sub(r"\b_\b", lambda _: next(names), body)

    def negated(found: re.Match[str]) -> str:
        local = re.findall(r"\?n\d+", found[0])
        atoms = found[1] or found[2]
        return f"NOT EXISTS {', '.join(local)} IN ({atoms})" if local else found[0]

    return re.sub(r"NOT (?:EXISTS \(((?:q\([^)]*\)[, ]*)+)\)|(q\([^)]*\)))", negated, written)


def _rule(body: str) -> Rule:
    (rule,) = parse(f"h(?x) :- {body} .").rules
    return rule


def check_named(body: str) -> None:
    # The two BINDs of an AGGREGATE share its atoms, which does not show in the canonical form.
    assert canonical(_rule(body)) == canonical(_rule(name_of(body)))


@given(bodies())
def test_each_is_a_variable_of_its_own(body: str) -> None:
    check_named(body)


@given(bodies())
def test_rules_are_written_with_it(body: str) -> None:
    program = parse(f"h(?x) :- {body} .")
    text = format_program(program)
    assert parse(text) == program
    assert ("_" in body) == (re.search(r"\b_\b", text) is not None)


@pytest.mark.parametrize("body", ["b(?x, _), p(_, _)", "b(?x, ?y), NOT q(_, _)", "b(?x, ?y), p(_, ?y), NOT q(?x, _)"])
def test_one_variable_for_all_of_them_is_found(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "anonymous_variable", lambda _: Variable("_ 1"))
    with pytest.raises((AssertionError, UnsafeRuleError)):
        check_named(body)


def test_a_user_may_call_a_variable_by_nearly_that_name() -> None:
    (rule,) = parse("h(?_1) :- p(?_1, _), q(?_2, _) .").rules
    assert len({term for atom in rule.body for term in atom.terms}) == 4


MISTAKES = {
    "p(_) :- q(?x) .": (3, "rule rule-1: _ cannot stand in the head"),
    "edge(1, _) .": (9, "_ cannot stand in the head"),
    "[_, :p, 1] :- q(?x) .": (2, "_ cannot stand in the head"),
    "p(?x) :- q(?x), FILTER(?x > _) .": (29, "_ stands only in the atoms of a body"),
    "p(?x) :- q(?x), BIND(3 AS _) .": (27, "_ stands only in the atoms of a body"),
    "p(?x) :- r(?x), NOT EXISTS _ IN (q(_)) .": (28, "_ stands only in the atoms of a body"),
    "p(?n) :- AGGREGATE(q(?x) ON _ BIND COUNT(*) AS ?n) .": (29, "_ stands only in the atoms of a body"),
    "p(?x) :- q(?x, <<( _ :p 1 )>>) .": (20, "_ stands only in the atoms of a body"),
    "p(?x) :- q(?x, _y) .": (16, "'_y' is not a term: write a variable as ?_y"),
    "p(?x) :- q(?x, ?_), r(?_) .": (23, "rule rule-1: ?_ is one variable"),
    "p(?x) :- q(?x, ?_), NOT r(?_) .": (27, "?_ is one variable"),
    "p(?_) :- q(?_) .": (12, "?_ is one variable"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_has_its_place_and_advice(text: str) -> None:
    column, words = MISTAKES[text]
    with pytest.raises(RuleSyntaxError) as caught:
        parse(text)
    assert caught.value.column == column
    assert words in str(caught.value)


def test_a_variable_with_a_question_mark_may_stand_once() -> None:
    (rule,) = parse("p(?x) :- q(?x, ?_) .").rules
    assert rule.body[0].terms[1] == Variable("_")


def test_rules_that_a_store_has_are_read_as_they_were() -> None:
    (rule,) = parse("p(?x) :- q(?x, ?_), r(?_) .", functions=None).rules
    assert rule.body[1].terms == (Variable("_"),)


def test_sparql_rl_has_a_name_for_each() -> None:
    program = parse("[?any1, <urn:h>, 1] :- [?any1, <urn:p>, _], [_, <urn:p>, ?any1], NOT [?any1, <urn:q>, _] .")
    text = format_as(program, "srl", lambda text: parse(text, syntax="srl"))
    assert set(re.findall(r"\?\w+", text)) == {"?any1", "?any2", "?any3", "?any4"}


def test_a_store_keeps_them(tmp_path: Path) -> None:
    rule = "none(?x) :- p(?x, _), NOT q(?x, _) ."
    with KnowledgeGraph.open(tmp_path / "store", rules=["none"]) as graph, graph.transaction() as tx:
        tx.add_rules(rule)
        tx.relation("p").insert([(1, 2)])
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert len(list(graph.relation("none").facts())) == 1
        assert rule in graph.relation("none").explain((1,)).to_text()
        assert not graph.relation("q").insert([(1, 7)]).relation("none").appeared()
        assert not list(graph.relation("none").facts())


def test_answers_have_all_and_none_of_the_values() -> None:
    rules = """
        some(?x) :- p(?x, _) .
        none(?x) :- p(?x, _), NOT q(?x, _) .
        pairs(?x, ?n) :- AGGREGATE(p(?x, _), q(?x, _) ON ?x BIND COUNT(*) AS ?n) .
        joined(?x) :- p(?x, _), q(?x, _) .
    """
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(rules)
            tx.relation("p").insert([(1, 1), (1, 2), (2, 1)])
            tx.relation("q").insert([(1, 7), (1, 8), (1, 9)])
        found = {
            name: [int(cast(Literal, x).value) for (x,) in graph.relation(name).facts()]
            for name in ("some", "none", "joined")
        }
        assert {name: sorted(values) for name, values in found.items()} == {"some": [1, 2], "none": [2], "joined": [1]}
        assert [int(cast(Literal, row[1]).value) for row in graph.relation("pairs").facts()] == [6]
        proof = graph.relation("none").explain((2,)).to_text()
        assert "none(?x) :- p(?x, _), NOT q(?x, _) ." in proof
        assert "no q(2, ?v1)" in proof
        why = graph.relation("none").why_not((1,)).to_text()
        assert re.search(r"with \?x = \S+1\S+\n", why)
        graph.relation("q").delete([(1, 7), (1, 8), (1, 9)])
        assert len(list(graph.relation("none").facts())) == 2
