"""NOT in rule text: what is read, what is refused, and the one form for all ways to write it."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.errors import RuleError, StratificationError, UnsafeRuleError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.formatter import format_not, format_rule
from kgreason.rules.lowering import negation, rules_without_not
from kgreason.rules.model import Atom, Computed, Not, Rule, Variable
from kgreason.rules.parser import negation_of, parse
from kgreason.rules.strata import stratify
from tests.histories.drawn import history
from tests.histories.history import granted
from tests.oracle.stratified import CircularError, perfect, strata
from tests.strategies.rule_texts import constants, negated
from tests.tables import table

_X, _Y = Variable("x"), Variable("y")


def rule(text: str) -> Rule:
    (found,) = parse(f"@prefix : <http://e/> . {text}").rules
    return found


def test_both_forms_of_an_atom_may_be_negated() -> None:
    found = rule(":Stray[?x] :- :Dog[?x], NOT :owner[?x, ?x], not lost(?x), NOT [?x, :tag, 1] .")
    assert format_rule(found, {"": "http://e/"}) == (
        "[?x, a, :Stray] :- [?x, a, :Dog], NOT [?x, :owner, ?x], NOT lost(?x), NOT [?x, :tag, 1] ."
    )


def test_exists_takes_variables_and_atoms() -> None:
    found = rule("a(?x) :- b(?x), NOT EXISTS ?y, ?z IN (c(?x, ?y), c(?y, ?z)), NOT EXISTS ?u IN c(?u, ?x) .")
    assert [negated.local for negated in found.negated] == [(Variable("y"), Variable("z")), (Variable("u"),)]
    assert [len(negated.atoms) for negated in found.negated] == [2, 1]


def test_a_relation_may_still_be_called_not_exists_or_in() -> None:
    found = rule("not(?x) :- exists(?x), in(?x) .")
    assert [atom.relation for atom in (*found.heads, *found.body)] == ["not", "exists", "in"]
    assert not found.negated


@table(
    ("text", "problem"),
    [
        ("a(?x) :- NOT b(?x) .", r"\?x is in the head but in no body atom without NOT$"),
        (
            "a(?x) :- b(?x), NOT c(?y) .",
            r"\?y is under NOT but in no other body atom; add a body atom that has it, or write NOT EXISTS",
        ),
        ("a(?x) :- b(?x), NOT EXISTS ?y IN (c(?x)) .", r"\?y is after EXISTS but in none of the atoms after IN"),
        ("a(?x) :- b(?x), NOT EXISTS ?x IN (c(?x)) .", r"\?x belongs to NOT EXISTS and must not occur outside of it"),
        ("a(?x) :- b(?x), NOT EXISTS ?y IN (c(?y)), NOT d(?y) .", r"\?y belongs to NOT EXISTS and must not occur"),
        ("a(?x) :- b(?x), NOT false .", "false is reserved for contradictions"),
        ("a(?x) :- b(?x), NOT .", "found '.', expected an atom or EXISTS"),
        ("a(?x) :- b(?x), NOT EXISTS ?y c(?y) .", "found 'c', expected ',' or IN"),
        ("NOT a(1) :- b(1) .", "NOT cannot stand in the head, which says what is true; write it in the body"),
        ("a(1), not [1, 2, 3] :- b(1) .", "NOT cannot stand in the head"),
    ],
)
def test_a_wrong_not_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(RuleError, match=rf"^<text>:1:\d+: .*{problem}"):
        parse(text)


def test_a_variable_under_not_that_nothing_binds_is_unsafe() -> None:
    with pytest.raises(UnsafeRuleError, match="rule r: "):
        parse("@rule r a(1) :- NOT c(?y) .")


@given(negated(constants | st.sampled_from([_X, _Y])), constants, constants)
def test_a_hidden_fact_says_what_is_absent(what: Not, one: str, other: str) -> None:
    hidden, keys = negation(what)
    values = {_X: one, _Y: other}
    fact = Atom(hidden.none.relation, tuple(values[key] for key in keys))
    filters = (tuple(_under(Atom(None, each.parts), values).terms) for each in what.computed)
    plain = Not(tuple(_under(atom, values) for atom in what.atoms), what.local, tuple(map(Computed, filters)))
    assert negation(negation_of(fact))[0] == negation(plain)[0]


def _under(atom: Atom, values: dict[Variable, str]) -> Atom:
    terms = (values.get(term, term) if isinstance(term, Variable) else term for term in atom.terms)
    return Atom(atom.relation, tuple(terms))


def test_all_ways_to_write_a_negation_share_one_relation() -> None:
    atoms = ["c(?x, ?y)", "c(?y, ?z)", "d(?z, ?x)"]
    texts = [f"a(?x) :- b(?x), NOT EXISTS ?y, ?z IN ({', '.join(order)}) ." for order in permutations(atoms)]
    texts.append("a(?v) :- b(?v), NOT EXISTS ?s, ?r IN (d(?s, ?v), c(?r, ?s), c(?v, ?r)) .")
    assert len({next(rules_without_not(canonical(rule(text)))) for text in texts}) == 1


def test_filters_under_not_read_alike_in_every_order() -> None:
    parts = ["c(?x, ?y)", "c(?y, ?x)", "FILTER(?y > ?x)", "FILTER(?k > ?l)", "FILTER(?l > ?k)"]
    texts = [f"a(?x) :- b(?x, ?k, ?l), NOT EXISTS ?y IN ({', '.join(order)}) ." for order in permutations(parts)]
    texts.append(
        "a(?v) :- b(?v, ?k, ?l), NOT EXISTS ?s IN (c(?s, ?v), c(?v, ?s), FILTER(?s > ?v), FILTER(?l > ?k),"
        " FILTER(?k > ?l)) ."
    )
    assert len({next(rules_without_not(canonical(rule(text)))) for text in texts}) == 1


def test_filters_may_stand_alone_under_not() -> None:
    text = 'a(?x) :- b(?x), NOT EXISTS (FILTER(?x > 1), c(?x)), NOT EXISTS (FILTER(STR(?x) = "a")) .'
    first, second = rule(text).negated
    assert [len(first.atoms), len(first.computed), len(second.atoms), len(second.computed)] == [1, 1, 0, 1]
    assert rule(format_rule(rule(text))) == rule(text)
    with pytest.raises(UnsafeRuleError, match=r"\?y is under NOT but in no other body atom"):
        rule("a(?x) :- b(?x), NOT EXISTS (FILTER(?x > ?y)) .")


def test_the_keys_of_a_negation_follow_its_own_order() -> None:
    (one,) = rule("a(?x, ?y) :- b(?x, ?y), NOT EXISTS ?z IN (d(?y, ?z), c(?x, ?z)) .").negated
    hidden, keys = negation(one)
    assert keys == (_X, _Y)
    assert format_not(hidden.negated, {}) == "NOT EXISTS ?v1 IN (c(?v0, ?v1), d(?v2, ?v1))"


def test_canonical_forms_of_rules_with_not_do_not_depend_on_how_they_are_written() -> None:
    for seed in range(200):
        random = Random(seed)
        for commit in history(seed, "not"):
            for one in commit.rules:
                body, found = list(one.body), list(one.negated)
                random.shuffle(body)
                random.shuffle(found)
                other = Rule(one.heads, tuple(body), one.name, negated=tuple(found + found[:1]))
                assert canonical(one) == canonical(other) == canonical(canonical(one))


def test_a_circle_is_told_rule_by_rule() -> None:
    rules = parse(
        "@rule win win(?x) :- move(?x, ?y), NOT safe(?y) . @rule keep safe(?x) :- stay(?x), hold(?x) ."
        "@rule hold hold(?x) :- move(?x, ?y), NOT win(?y) ."
    ).rules
    with pytest.raises(StratificationError) as error:
        stratify(rules)
    assert str(error.value) == (
        "rules say NOT in a circle, so there is no order in which they can be decided: "
        "rule win says NOT safe(?y), so it needs rule keep, which needs rule hold; "
        "rule hold says NOT win(?y), so it needs rule win"
    )


def test_a_circle_names_the_files_of_its_rules() -> None:
    rules = [replace(each, file="a.dl") for each in parse("\n@rule r\np(?x) :- q(?x, ?y), NOT p(?y) .").rules]
    message = r": rule r \(from a.dl:3\) says NOT p\(\?y\), so it needs rule r \(from a.dl:3\)"
    with pytest.raises(StratificationError, match=message):
        stratify(rules)
    with pytest.raises(StratificationError, match=r": rule r \(from a.dl\) says"):
        stratify([replace(each, line=0) for each in rules])


def test_levels_are_finite_exactly_if_there_are_strata() -> None:
    for seed in range(400):
        rules = dict[Rule, None]()
        for commit in history(seed, "not", "circles", "relations", steps=3):
            rules = granted(rules, commit.rules)
            try:
                strata(list(rules))
                is_circular = False
            except CircularError:
                is_circular = True
            try:
                stratify([*rules])
                is_refused = False
            except StratificationError:
                is_refused = True
            assert is_circular == is_refused, f"history {seed}"


def test_the_oracle_is_the_perfect_model_of_the_textbook() -> None:
    rules = parse("win(?x) :- move(?x, ?y), NOT dead(?y) . dead(?x) :- end(?x), NOT saved(?x) .").rules
    facts = [("move", ("a", "b")), ("move", ("b", "c")), ("end", ("b",)), ("end", ("c",)), ("saved", ("c",))]
    assert perfect(facts, rules) - set(facts) == {("dead", ("b",)), ("win", ("b",))}
