from __future__ import annotations

from hypothesis import example, given
from pyoxigraph import RdfFormat
from pyoxigraph import parse as parse_rdf

from kgreason.rules.formatter import format_program, format_rule
from kgreason.rules.model import FALSE, Atom, Rule, Variable, triple
from kgreason.rules.parser import parse
from kgreason.rules.program import Program
from kgreason.terms.quoting import quote
from tests.strategies import rule_texts

X, Y = Variable("x"), Variable("y")
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
XSD = "http://www.w3.org/2001/XMLSchema#"


@given(rule_texts.programs())
@example(Program(()))
@example(Program((Rule((FALSE,), ()), Rule((FALSE,), (), "rule-1"), Rule((FALSE,), (), "rule-3"))))
@example(Program((Rule((FALSE,), (), "a", "g"), Rule((FALSE,), (), "b", ""))))
def test_a_formatted_program_parses_to_itself(program: Program) -> None:
    assert parse(format_program(program)) == program


@given(rule_texts.rules())
def test_a_formatted_rule_keeps_heads_and_body(rule: Rule) -> None:
    (again,) = parse(format_rule(rule)).rules
    assert (again.heads, again.body) == (rule.heads, rule.body)


@given(rule_texts.constants)
def test_constants_are_the_text_that_oxigraph_prints(constant: str) -> None:
    (quad,) = parse_rdf(f"<urn:s> <urn:p> {constant} .", format=RdfFormat.N_TRIPLES)
    ((fact,),) = (rule.heads for rule in parse(f"[<urn:s>, <urn:p>, {constant}] .").rules)
    assert fact.terms[2] == constant
    assert str(quad) == f"<urn:s> <urn:p> {constant}"


def test_every_character_is_escaped_as_oxigraph_does() -> None:
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x10200)]))
    (quad,) = parse_rdf(f"<urn:s> <urn:p> {quote(text)} .", format=RdfFormat.N_TRIPLES)
    assert str(quad.object) == quote(text)
    assert getattr(quad.object, "value", None) == text


def test_short_forms() -> None:
    terms = (f'"-1"^^<{XSD}integer>', f'"1.5"^^<{XSD}decimal>', f'"1e3"^^<{XSD}double>', f'"true"^^<{XSD}boolean>')
    other = (f'"1."^^<{XSD}decimal>', f'"x"^^<{XSD}integer>', f'"1"^^<{XSD}byte>')
    rule = Rule((Atom("p", (*terms, *other)),), ())
    text = 'p(-1, 1.5, 1e3, true, "1."^^xsd:decimal, "x"^^xsd:integer, "1"^^xsd:byte) .'
    assert format_rule(rule, {"xsd": XSD}) == text


def test_namespaces_are_abbreviated_where_what_follows_is_plain() -> None:
    rule = Rule((triple(X, "<http://e/p>", "<http://e/a/b>"),), (triple(X, "<http://e/>", "<http://e/x-1>"),))
    assert format_rule(rule, {"": "http://e/"}) == "[?x, :p, <http://e/a/b>] :- [?x, <http://e/>, :x-1] ."


def test_rdf_type_is_a_where_it_is_the_predicate() -> None:
    assert format_rule(Rule((triple(TYPE, TYPE, TYPE),), ())) == f"[{TYPE}, a, {TYPE}] ."


def test_a_long_rule_has_one_atom_to_a_line() -> None:
    rule = Rule((Atom("p", (X,)), Atom("q", (Y,))), tuple(Atom(f"relation{n}", (X, Y)) for n in range(8)))
    lines = format_rule(rule).splitlines()
    assert lines[:3] == ["p(?x),", "q(?y) :-", "    relation0(?x, ?y),"]
    assert lines[-1] == "    relation7(?x, ?y) ."


def test_a_program_is_written_as_a_person_would() -> None:
    text = """\
@prefix : <http://e/> .

@group family .

@rule grandparent
[?x, :grandparent, ?z] :- [?x, :parent, ?y], [?y, :parent, ?z] .

false :- [?x, :parent, ?x] .

@group "two words" .

@rule "1, 2"
go() .
"""
    program = parse(text)
    assert [rule.name for rule in program.rules] == ["grandparent", "rule-2", "1, 2"]
    assert [rule.group for rule in program.rules] == ["family", "family", "two words"]
    assert format_program(program) == text
