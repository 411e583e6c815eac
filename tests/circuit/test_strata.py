"""The strata of rules by definition, beside those of the tests' oracle, and the message where there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.circuit.rewriting import unifiable
from kgreason.circuit.strata import strata
from kgreason.errors import StratificationError
from kgreason.rules.model import Atom, Rule, triple
from kgreason.rules.parser import parse
from tests.circuit.programs import X, Y, Z, edge, path
from tests.histories.drawn import history
from tests.histories.history import granted
from tests.histories.wide import PREDICATES, VARIABLES
from tests.oracle import stratified
from tests.strategies.programs import atoms
from tests.tables import table


def levels(text: str) -> list[int]:
    """The strata of the rules of a text, in their order."""
    rules = parse(f"@prefix : <http://e/> . {text}").rules
    found = strata(rules)
    return [found[rule] for rule in rules]


@table(
    ("text", "expected"),
    [
        ("p(?x) :- q(?x) . q(?x) :- p(?x) .", [0, 0]),
        ("p(?x) :- q(?x), NOT r(?x) .", [0]),
        ("p(?x) :- q(?x), NOT r(?x) . r(?x) :- q(?x) .", [1, 0]),
        ("p(?x) :- q(?x), NOT r(:a) . r(:b) :- q(:b) .", [0, 0]),
        ("p(?x) :- q(?x), NOT r(:a) . r(?y) :- q(?y) .", [1, 0]),
        ("p(?x) :- r(?x) . r(?x) :- q(?x), NOT s(?x) . s(?x) :- q(?x), NOT t(?x) . t(?x) :- q(?x) .", [2, 2, 1, 0]),
        ("p(:a) :- q(:a), NOT p(:b) . p(:b) :- q(:b), NOT p(:c) .", [1, 0]),
        ("p(?n) :- AGGREGATE(q(?x) BIND COUNT(*) AS ?n) . q(?x) :- r(?x) .", [1, 0]),
        ("p(?x) :- q(?x), NOT EXISTS ?y IN (r(?x, ?y), s(?y)) . s(?x) :- q(?x) .", [1, 0]),
        ("p(?x) :- q(?x), NOT DATA [?x, :p, ?x] . [?x, :p, ?x] :- q(?x) .", [0, 0]),
        ("p(?n) :- p(?x), BIND(?x + 1 AS ?n) .", [0]),
    ],
)
def test_a_stratum_for_each_rule(text: str, expected: list[int]) -> None:
    assert levels(text) == expected


def test_rules_of_sparql_rl_that_assign_read_what_is_final() -> None:
    producer, reader = parse("p(?x) :- q(?x) . r(?n) :- p(?x), BIND(?x + 1 AS ?n) .").rules
    assert strata([producer, reader]) == {producer: 0, reader: 0}
    reader = replace(reader, dialect="srl")
    assert strata([producer, reader]) == {producer: 0, reader: 1}
    recursive = replace(reader, heads=(Atom("p", reader.heads[0].terms),))
    with pytest.raises(StratificationError, match="SET"):
        strata([recursive])


def test_a_cycle_is_refused_with_its_rules() -> None:
    text = """
    @rule one p(?x) :- q(?x), NOT r(?x) . @rule two r(?x) :- s(?x) . @rule three s(?x) :- q(?x), p(?x) .
    @rule before q(?x) :- t(?x) . @rule after u(?x) :- r(?x) .
    """
    with pytest.raises(StratificationError, match=r"^rule one and rule three and rule two: each needs all others"):
        levels(text)
    with pytest.raises(StratificationError, match=r"^rule one: "):
        levels("@rule one p(?n) :- AGGREGATE(p(?x) BIND MIN(?x) AS ?n) .")


def test_the_strata_are_those_of_the_oracle() -> None:
    for seed in range(300):
        rules = dict[Rule, None]()
        for commit in history(seed, "not", "circles", "data", "relations"):
            rules = granted(rules, commit.rules)
            try:
                expected = dict(zip(rules, stratified.strata(list(rules)), strict=True))
            except stratified.CircularError:
                with pytest.raises(StratificationError):
                    strata(rules)
            else:
                assert strata(rules) == expected


@given(one=atoms((*VARIABLES, "a", "b"), PREDICATES), other=atoms((*VARIABLES, "a", "b"), PREDICATES))
def test_atoms_that_a_fact_can_match(one: Atom, other: Atom) -> None:
    assert unifiable(one, other) == unifiable(other, one) == stratified.unifies(one, other)


@table(
    ("one", "other", "expected"),
    [
        (edge(X, "a"), edge("b", X), True),
        (edge(X, X), edge("a", "b"), False),
        (edge(X, X), edge(X, Y), True),
        (edge(X, X), edge(Y, "a"), True),
        (path(X, Y), edge(X, Y), False),
        (triple(X, Y, X), triple("a", Z, "b"), False),
    ],
)
def test_variables_of_two_atoms_are_different(one: Atom, other: Atom, expected: bool) -> None:
    assert unifiable(one, other) is expected


@given(st.permutations(parse("p(?x) :- q(?x), NOT r(?x) . r(?x) :- s(?x) . s(?x) :- q(?x), NOT t(?x) .").rules))
def test_strata_do_not_depend_on_the_order(rules: list[Rule]) -> None:
    assert sorted(strata(rules).values()) == [0, 0, 1]
