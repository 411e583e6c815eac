from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from kgreason import grammars
from kgreason.errors import InputError, RuleError, RuleSyntaxError, UnsafeRuleError
from kgreason.rules.model import FALSE, Atom, Rule, Variable, triple
from kgreason.rules.parser import load, parse
from kgreason.rules.text import syntax
from tests.tables import table

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
PREFIX = "@prefix : <http://e/> . "
RESERVED = "false is reserved for contradictions: it must be the only head of its rule and has no terms"


def heads(text: str) -> tuple[Atom, ...]:
    (rule,) = parse(PREFIX + text).rules
    return rule.heads


def constant(text: str) -> str:
    ((found,),) = (head.terms for head in heads(f"p({text}) ."))
    assert isinstance(found, str)
    return found


def xsd(text: str, name: str) -> str:
    return f'"{text}"^^<http://www.w3.org/2001/XMLSchema#{name}>'


def test_a_rule_of_triple_patterns() -> None:
    (rule,) = parse(PREFIX + "[?x, a, ?z] :- [?x, ?y, :b], [?y, :domain, ?z] .").rules
    body = (triple(X, Y, "<http://e/b>"), triple(Y, "<http://e/domain>", Z))
    assert rule == Rule((triple(X, TYPE, Z),), body, "rule-1")


@table(
    ("text", "atom"),
    [
        (":C[<urn:i>]", triple("<urn:i>", TYPE, "<http://e/C>")),
        ("<urn:C>[1]", triple(xsd("1", "integer"), TYPE, "<urn:C>")),
        (":p[:x, :y]", triple("<http://e/x>", "<http://e/p>", "<http://e/y>")),
        ("[:x,:p,:y]", triple("<http://e/x>", "<http://e/p>", "<http://e/y>")),
        ("tc(:x, 1, 2)", Atom("tc", ("<http://e/x>", xsd("1", "integer"), xsd("2", "integer")))),
        ("go()", Atom("go", ())),
        ("a(1)", Atom("a", (xsd("1", "integer"),))),
        ("prefix(1)", Atom("prefix", (xsd("1", "integer"),))),
        ("falsehood()", Atom("falsehood", ())),
        ("false", FALSE),
    ],
)
def test_every_form_of_an_atom(text: str, atom: Atom) -> None:
    assert heads(f"{text} .") == (atom,)


def test_several_heads_and_empty_bodies() -> None:
    assert heads("p(1), :C[:x], q() .") == (
        Atom("p", (xsd("1", "integer"),)),
        triple("<http://e/x>", TYPE, "<http://e/C>"),
        Atom("q", ()),
    )


@table(
    ("text", "expected"),
    [
        ("<http://e/\\u00E9>", "<http://e/é>"),
        (":", "<http://e/>"),
        (":a.b", "<http://e/a.b>"),
        (":a\\,b%20", "<http://e/a,b%20>"),
        (":名前", "<http://e/名前>"),
        ("_:b", "_:b"),
        ("_:0.1-x", "_:0.1-x"),
        ('""', '""'),
        ('"say \\"hi\\"\\n\\u00e9\\U0001F600"', '"say \\"hi\\"\\né😀"'),
        ("'it\"s'", '"it\\"s"'),
        ('"""one\n"two" \\""""', '"one\\n\\"two\\" \\""'),
        ("'''it's'''", '"it\'s"'),
        ('"\\b\\f\\u0001"', '"\\b\\f\\u0001"'),
        ('"x"@EN-us', '"x"@EN-us'),
        ('"x"@ar--rtl', '"x"@ar--rtl'),
        ('"x"^^<http://www.w3.org/2001/XMLSchema#string>', '"x"'),
        ('"x"^^:d', '"x"^^<http://e/d>'),
        ("01", xsd("01", "integer")),
        ("+1", xsd("+1", "integer")),
        ("-1.50", xsd("-1.50", "decimal")),
        (".5", xsd(".5", "decimal")),
        ("1E3", xsd("1E3", "double")),
        ("1.e-3", xsd("1.e-3", "double")),
        ("true", xsd("true", "boolean")),
        ("false", xsd("false", "boolean")),
        ('<<( :s :p <<( _:b a "o" )>> )>>', f'<<( <http://e/s> <http://e/p> <<( _:b {TYPE} "o" )>> )>>'),
    ],
)
def test_every_kind_of_constant(text: str, expected: str) -> None:
    assert constant(text) == expected


def test_prefixes_hold_from_where_they_stand() -> None:
    program = parse("PREFIX e: <urn:1:> p(e:x) . @prefix e: <urn:2:> . prefix f:<urn:3:> p(e:x, f:) .")
    assert [rule.heads[0].terms for rule in program.rules] == [("<urn:1:x>",), ("<urn:2:x>", "<urn:3:>")]
    assert program.prefixes == {"e": "urn:2:", "f": "urn:3:"}


def test_space_is_needed_nowhere() -> None:
    assert parse("false:-p(?x),q(?x).p(1).#end").rules == parse("false :- p(?x) , q(?x) .\n # no\n p( 1 ) .").rules


def test_names_and_groups() -> None:
    program = parse('go() . @group g . @rule prp-dom go() . go() . @rule "a \\"b\\"" go() . @group "" . go() .')
    assert [(rule.name, rule.group) for rule in program.rules] == [
        *(("rule-1", ""), ("prp-dom", "g"), ("rule-3", "g"), ('a "b"', "g"), ("rule-5", "")),
    ]


_UNDECLARED = "the prefix e: is not declared; write @prefix e: <http://example.org/> . before the rule"
ERRORS = {
    "[?x, :p] .": (1, 32, "found ']', expected ','"),
    "go()": (1, 29, "a full stop (.) is missing at the end of the rule"),
    ":C[:x] :- :D[:x]\n:E[:x] .": (2, 1, "found ':E', expected ',' or '.'"),
    "go(x) .": (1, 28, "'x' is not a term: write a variable as ?x, a name as ex:x, a text as \"x\""),
    "go(1 2) .": (1, 30, "found '2', expected ',' or ')'"),
    ":- go() .": (1, 25, "a rule begins with its head: HEAD :- BODY . (a contradiction has the head false)"),
    "go() :- go(), .": (1, 39, "an atom is missing after the last comma; leave the comma out, or write the atom"),
    "go() <- go() .": (1, 30, "a rule is written HEAD :- BODY . with the sign :-, not '<-'"),
    "@rule my rule [1, a, 2] :- go() .": (1, 31, "a name with a space needs quotation marks: @rule 'my rule'"),
    "@rule a very long name :C[1] .": (1, 31, "a name with a space needs quotation marks: @rule 'a very long name'"),
    "@rule my rule go(1) .": (1, 31, "a name with a space needs quotation marks: @rule 'my rule'"),
    "{?x a :C} :- {?x a :D} .": (
        *(1, 25, "a triple pattern is written in square brackets, with commas: [?x, a, :Cat]"),
    ),
    "C[?x] :- :D[?x] .": (
        *(1, 26, "C needs a prefix (:C[...]) or angle brackets; a relation has round brackets: C(...)"),
    ),
    ":tom a :Cat .": (
        *(1, 30, "this is RDF (Turtle), not a rule; assert triples with add(text), or a file with load(path)"),
    ),
    "go() :- .": (1, 33, "found '.', expected an atom, NOT, FILTER, BIND or AGGREGATE"),
    "[:x, go(), 1] .": (1, 30, "'go' is not a term: write a variable as ?go, a name as ex:go, a text as \"go\""),
    ":C[?x, ?y, ?z] .": (1, 34, "found ',', expected ']'"),
    "_x() .": (1, 25, "found '_x', expected a rule or a directive (@prefix, @group, @rule, @relation, @import)"),
    "@rule x .": (1, 33, "found '.', expected an atom"),
    "@rule .": (1, 31, "found '.', expected a name"),
    "@group g go() .": (1, 34, "found 'go', expected '.'"),
    "@base <urn:x> .": (
        1,
        25,
        "found '@base', expected a rule or a directive (@prefix, @group, @rule, @relation, @import)",
    ),
    "@prefix e <urn:e> .": (1, 33, "found 'e', expected a prefix with its colon"),
    "@prefix e: e .": (1, 36, "found 'e', expected an IRI in angle brackets"),
    "go(e:x) .": (1, 28, _UNDECLARED),
    'go("x"^^e:d) .': (
        1,
        33,
        _UNDECLARED,
    ),
    "go(<x>) .": (1, 28, "<x> is a relative IRI; rule text has no base, so write the IRI in full"),
    "go(<urn:x y>) .": (
        *(1, 28, "found an IRI that does not end, or has a character that is not allowed in an IRI, "),
        "expected a variable, a constant or ')'",
    ),
    "go(<urn:\x7f>) .": (1, 28, "<urn:\x7f> has a character that is not allowed in an IRI"),
    "go(<urn:\\u0020>) .": (1, 28, "<urn:\\u0020> has a character that is not allowed in an IRI"),
    'go("x) .': (1, 28, "found a string that does not end, expected a variable, a constant or ')'"),
    'go("\\q") .': (1, 28, "unknown escape \\q in a string"),
    'go("\\ud800") .': (1, 28, "the escape \\ud800 does not stand for a Unicode character"),
    '@rule "\\q" go() .': (1, 31, "unknown escape \\q in a string"),
    'go("x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>) .': (
        *(1, 28, "a string of datatype <http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> "),
        'needs a language tag: write "text"@en',
    ),
    "go(? ) .": (1, 28, "found a question mark without a variable's name, expected a variable, a constant or ')'"),
    "go(<<( :s :p ?x )>>) .": (1, 38, "found '?x', expected a constant"),
    "go(<< :s :p :o >>) .": (
        *(1, 28, "found a triple term that is not written <<( s p o )>>, "),
        "expected a variable, a constant or ')'",
    ),
    "go(\u00a0) .": (1, 28, "found the character U+00A0, expected a variable, a constant or ')'"),
    "false, go() .": (
        1,
        25,
        RESERVED,
    ),
    "go() :- false .": (
        1,
        33,
        RESERVED,
    ),
    "false() :- go() .": (
        1,
        25,
        RESERVED,
    ),
    "go() :- false(1) .": (
        1,
        33,
        RESERVED,
    ),
    "go(" + "x" * 50: (1, 28, f"found '{'x' * 30}...', expected a variable, a constant or ')'"),
}


def test_the_name_of_a_file_is_told() -> None:
    with pytest.raises(RuleSyntaxError, match=r"^<text>:1:1: 'a/b.dl' is the name of .* load_rules\('a/b.dl'\)$"):
        parse("a/b.dl")


@table("text", ERRORS)
def test_an_error_says_where_what_and_what_was_expected(text: str) -> None:
    line, column, *problem = ERRORS[text]
    with pytest.raises(RuleSyntaxError) as caught:
        parse(PREFIX + text, "my.dl")
    assert str(caught.value) == f"my.dl:{line}:{column}: {''.join(map(str, problem))}"
    assert (caught.value.source, caught.value.line, caught.value.column) == ("my.dl", line, column)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("go(?x) .", "my.dl:1:1: rule rule-1: ?x is in the head but in no body atom"),
        (
            "go() .\n@rule odd\n go(?x, ?y, ?x) :- go(?z) .",
            "my.dl:3:2: rule odd: ?x and ?y are in the head but in no body",
        ),
    ],
)
def test_an_unsafe_rule_is_named(text: str, problem: str) -> None:
    with pytest.raises(UnsafeRuleError) as caught:
        parse(text, "my.dl")
    assert str(caught.value).startswith(problem)


TOKENS = (
    *(
        "[",
        "]",
        "(",
        ")",
        ",",
        ".",
        ":-",
        "?x",
        "a",
        "p",
        "false",
        "true",
        ":c",
        "e:",
        "<urn:x>",
        "<x>",
        '"s"',
        "_:b",
        "1",
    ),
    *("@rule", "@group", "@prefix", "@en", "^^", "<<(", ")>>", "PREFIX", "#", "\n", '"', "?", "\u00a0", "\\"),
)


@given(st.lists(st.sampled_from(TOKENS), max_size=12).map(" ".join) | st.text(max_size=20))
def test_any_text_is_a_program_or_one_clear_error(text: str) -> None:
    problem = ""
    try:
        parse(text)
    except RuleError as error:
        problem = str(error)
    assert not problem or problem.startswith("<text>:")


def test_load_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.dl"
    path.write_bytes(b"\xef\xbb\xbfgo() .\r\ngo( .")
    with pytest.raises(RuleSyntaxError, match=r"rules\.dl:2:5: found '\.'"):
        load(path)
    path.write_bytes(b"go() .\n\xff")
    with pytest.raises(InputError, match=r"rules\.dl: is not UTF-8 text \(byte 7\)"):
        load(path)
    with pytest.raises(InputError, match=r"missing\.dl: cannot be read: No such file"):
        load(tmp_path / "missing.dl")
    path.write_text("p(1) .", "utf-8")
    assert load(str(path)) == parse("p(1) .")


def test_lark_is_loaded_when_a_text_is_parsed() -> None:
    code = "import sys, kgreason.rules.parser, kgreason.rules.formatter; assert 'lark' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_threads_that_parse_their_first_text_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after another: CPython 3.11 cannot read the literals of a grammar in two threads at a time."""
    reading: list[str] = []

    def read(text: str, **options: Any) -> Any:
        reading.append("begun")
        time.sleep(0.05)
        reading.append("done")
        return Lark(text, **options)

    syntax._grammar.cache_clear()
    monkeypatch.setattr(grammars, "Lark", read)
    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(parse, ["p(1) ."] * 4))) == 1
    assert reading == ["begun", "done"] * (len(reading) // 2) != []
