"""DATA and SKOLEM in rule text: what is read, what is refused, and how it is written."""

from __future__ import annotations

import pytest

from kgreason.errors import RuleError
from kgreason.materialize.selection import check_user_rules
from kgreason.rules.canonical_form import canonical
from kgreason.rules.formatter import format_program, format_rule
from kgreason.rules.model import DATA, Atom, Computed, Not, Rule, Variable
from kgreason.rules.parser import parse
from kgreason.tables.signature import signature
from tests.tables import table

_X, _Y, _B = map(Variable, "xyb")
_P = "<http://e/p>"
_A = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def rule(text: str) -> Rule:
    (found,) = parse(f"@prefix : <http://e/> . {text}").rules
    return found


def test_data_stands_before_triple_patterns() -> None:
    found = rule("q(?x) :- DATA [?x, :p, ?y], DATA :C[?x], data :p[?y, ?y] .")
    assert found.body == (Atom(DATA, (_X, _P, _Y)), Atom(DATA, (_X, _A, "<http://e/C>")), Atom(DATA, (_Y, _P, _Y)))


def test_data_stands_under_not() -> None:
    found = rule("q(?x) :- r(?x), NOT DATA [?x, :p, ?x], NOT EXISTS ?y IN (DATA [?x, :p, ?y], r(?y)) .")
    inside = Atom(DATA, (_X, _P, _Y))
    assert found.negated == (
        Not((Atom(DATA, (_X, _P, _X)),)),
        Not((inside, Atom("r", (_Y,))), (_Y,)),
    )
    assert rule("q(?x) :- r(?x), NOT EXISTS ?y IN DATA [?x, :p, ?y] .").negated == (Not((inside,), (_Y,)),)


@pytest.mark.parametrize(
    "text",
    [
        "[?x, :q, ?y] :- DATA [?x, :p, ?y], DATA [?x, a, :C] .",
        "q(?x) :- r(?x), NOT DATA [?x, a, 1], NOT EXISTS ?y IN (DATA [?x, :p, ?y], r(?y)) .",
        'q(?x, ?b) :- r(?x), BIND(SKOLEM("a b", ?x, :p, 1, true, "t"@en) AS ?b) .',
        'q(?b) :- BIND(SKOLEM("only") AS ?b) .',
    ],
)
def test_a_rule_is_formatted_as_it_was_written(text: str) -> None:
    program = parse(f"@prefix : <http://e/> . {text}")
    assert format_rule(program.rules[0], {"": "http://e/"}) == text
    assert parse(format_program(program)) == program


def test_relations_and_prefixes_with_such_names() -> None:
    assert [atom.relation for atom in rule("data(?x) :- Data(?x), skolem(?x) .").atoms_read()] == ["Data", "skolem"]
    (found,) = parse("@prefix data: <http://e/> . q(?x) :- data:p[?x, ?y] .").rules
    assert found.body == (Atom(None, (_X, _P, _Y)),)


@table(
    ("text", "problem"),
    [
        ("DATA [?x, :p, ?y] :- [?x, :q, ?y] .", "DATA cannot stand in the head: users assert triples, and rules"),
        ("DATA(?x) :- q(?x) .", "DATA cannot stand in the head"),
        ("q(?x) :- DATA(?x) .", r"DATA needs a triple pattern after it: DATA \[\?s, \?p, \?o\]"),
        ("q(?x) :- DATA r(?x) .", "DATA needs a triple pattern after it"),
        ("q(?x) :- r(?x), NOT DATA(?x) .", "DATA needs a triple pattern after it"),
        ("q(?y) :- r(?x), NOT DATA [?x, :p, ?y] .", r"\?y is in the head but in no body atom without NOT"),
        ("q(?x) :- r(?x), FILTER(SKOLEM('a', ?x) = ?x) .", "SKOLEM is the whole expression of a BIND: BIND"),
        ("q(?b) :- r(?x), BIND(STR(SKOLEM('a', ?x)) AS ?b) .", "SKOLEM is the whole expression of a BIND"),
        ("q(?b) :- r(?x), BIND(SKOLEM(?x) AS ?b) .", "SKOLEM begins with a label in quotation marks"),
        ("q(?b) :- r(?x), BIND(SKOLEM() AS ?b) .", "SKOLEM begins with a label"),
        ("q(?b) :- r(?x), BIND(SKOLEM('a', ?x + 1) AS ?b) .", "the arguments of SKOLEM are variables and constants"),
        ("q(?b) :- r(?x), BIND(SKOLEM('a', STR(?x)) AS ?b) .", "the arguments of SKOLEM are variables and constants"),
        ("q(?b) :- r(?x), BIND(SKOLEM('a', ?y) AS ?b) .", r"\?y is in BIND but in no body atom"),
    ],
)
def test_a_wrong_statement_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(RuleError, match=rf"^<text>:1:\d+: .*{problem}"):
        rule(text)


def test_no_rule_value_has_data_in_its_head() -> None:
    with pytest.raises(RuleError, match="rule r: DATA cannot stand in the head"):
        check_user_rules([Rule((Atom(DATA, (_P, _P, _P)),), (), "r")])


def test_names_and_order_do_not_matter() -> None:
    one = rule("q(?x, ?b) :- [?x, :p, ?y], DATA [?y, :p, ?x], BIND(SKOLEM('l', ?x, ?y) AS ?b), NOT DATA [?x, :p, ?x] .")
    other = rule("q(?u, ?w) :- BIND(SKOLEM('l', ?u, ?v) AS ?w), NOT DATA [?u, :p, ?u], DATA [?v, :p, ?u], :p[?u, ?v] .")
    assert canonical(one) == canonical(other) == canonical(canonical(one))


def test_a_skolem_term_is_a_computed_value() -> None:
    expected = Computed(("SKOLEM", "(", '"label"', ",", _X, ")"), _B)
    assert rule('q(?b) :- r(?x), BIND(skolem("label", ?x) AS ?b) .').computed == (expected,)


def test_a_program_on_tables_cannot_say_data() -> None:
    with pytest.raises(RuleError, match="rule r: a program on tables has no asserted triples"):
        signature(parse("@rule r q(?x) :- r(?x), NOT DATA [?x, ?x, ?x] ."))
