"""Rule sets of SPARQL-RL as rules: what each construct becomes, and what is refused with which words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgreason.errors import RuleError, RuleSyntaxError, UnsafeRuleError
from kgreason.rules.formatter import format_program
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse
from kgreason.rules.program import Program
from tests.tables import table

E = "http://example.org/"
HEADER = "PREFIX : <http://example.org/>\n"


def rules(text: str) -> tuple[Rule, ...]:
    return parse(HEADER + text, syntax="srl").rules


def text_of(text: str) -> str:
    """A rule set as text of our own language, without the prefixes."""
    return format_program(Program(rules(text), {"": "http://example.org/"})).partition("\n\n")[2].strip()


@table(
    ("text", "expected"),
    [
        ("RULE { ?x :p ?y } WHERE { ?x :q ?y }", "[?x, :p, ?y] :- [?x, :q, ?y] ."),
        ("rule { $x a :C . } where { $x :q 1, 'a'@EN ; :r 1.5e0 ; . }",
         '[?x, a, :C] :- [?x, :q, 1], [?x, :q, "a"@EN], [?x, :r, 1.5e0] .'),
        ("RULE { ?x :p ?y } WHERE { ?x :q/^:r ?y }", "[?x, :p, ?y] :- [?x, :q, ?step], [?y, :r, ?step] ."),
        ("RULE { ?x :p ?y } WHERE { ?x ^(:q/:r) ?y }", "[?x, :p, ?y] :- [?step, :r, ?x], [?y, :q, ?step] ."),
        ("RULE { ?x :p 1 } WHERE { ?x :q [ :r _:b ] . _:b :s ?x }",
         "[?x, :p, 1] :- [?node, :r, ?b], [?x, :q, ?node], [?b, :s, ?x] ."),
        ("RULE { ?x :p 1 } WHERE { ?x :q (1) }",
         "[?x, :p, 1] :-\n    [?node, <http://www.w3.org/1999/02/22-rdf-syntax-ns#first>, 1],\n"
         "    [?node, <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>, "
         "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>],\n    [?x, :q, ?node] ."),
        ("RULE { ?x :p ?z } WHERE { ?x :q ?y SET(?z := ?y + 1) FILTER(?z < 5) FILTER isIRI(?x) }",
         "[?x, :p, ?z] :- [?x, :q, ?y], BIND(?y + 1 AS ?z), FILTER(?z < 5), FILTER(ISIRI(?x)) ."),
        ("RULE { ?x :p 1 } WHERE { ?x :q ?y SET(?z := ?y + 1) . ?z :q ?x }",
         "[?x, :p, 1] :- [?x, :q, ?y], [?z1, :q, ?x], BIND(?y + 1 AS ?z), FILTER(SAMETERM(?z1, ?z)) ."),
        ("RULE { ?x :p 1 } WHERE { ?x :q ?y NOT { ?x :r ?y } }", "[?x, :p, 1] :- [?x, :q, ?y], NOT [?x, :r, ?y] ."),
        ("RULE { ?x :p 1 } WHERE { NOT { ?x :r ?y } ?x :q ?y }",
         "[?x, :p, 1] :- [?x, :q, ?y], NOT EXISTS ?x1, ?y1 IN ([?x1, :r, ?y1]) ."),
        ("RULE { ?x :p 1 } WHERE { ?x :q ?y NOT { ?x :r ?z FILTER(?z > ?y) } NOT { FILTER(?y > 3) } }",
         "[?x, :p, 1] :-\n    [?x, :q, ?y],\n    NOT EXISTS ?z IN ([?x, :r, ?z], FILTER(?z > ?y)),\n"
         "    NOT EXISTS (FILTER(?y > 3)) ."),
        ("RULE { ?x :p 1 } WHERE { ?x :q ?y NOT DATA { ?x :r ?z } }",
         "[?x, :p, 1] :- [?x, :q, ?y], NOT EXISTS ?z IN (DATA [?x, :r, ?z]) ."),
        ("RULE { ?x :p 1 } WHERE DATA { ?x :q ?y NOT { ?x :r ?y } }",
         "[?x, :p, 1] :- DATA [?x, :q, ?y], NOT DATA [?x, :r, ?y] ."),
        ("DATA { :a :p 1, 2 } DATA { :a :p [] }",
         "[:a, :p, 1], [:a, :p, 2] .\n\n[:a, :p, _:99ad2a7a6e8a8a68n0] ."),
        ("RULE { ?x :p <<( :a :q 1 )>> } WHERE { ?x :r ?y }",
         "[?x, :p, <<( <http://example.org/a> <http://example.org/q> "
         '"1"^^<http://www.w3.org/2001/XMLSchema#integer> )>>] :- [?x, :r, ?y] .'),
        ("RULE { ?x :p <<( ?x :q <<( ?y :q 1 )>> )>> } WHERE { ?x :r ?y }",
         "[?x, :p, ?triple1] :-\n    [?x, :r, ?y],\n    BIND(TRIPLE(?y, :q, 1) AS ?triple),\n"
         "    BIND(TRIPLE(?x, :q, ?triple) AS ?triple1) ."),
        ("RULE { ?x :p 1 } WHERE { ?x :q <<( ?x :r 'b' )>> FILTER(<<( ?x :r 'b' )>> = ?x) }", None),
        ("RULE {} WHERE { ?x :q ?y }", ""),
        ("RULE { :a :p 1 } WHERE { NOT { } }", ""),
        ("RULE <#r> { ?x :p 1 } WHERE { ?x :q $y }".replace("<#r>", ":r"),
         "@rule 'r'".replace("'r'", '"http://example.org/r"') + "\n[?x, :p, 1] :- [?x, :q, ?y] ."),
    ],
)  # fmt: skip
def test_constructs_become_rules(text: str, expected: str | None) -> None:
    if expected is not None:
        found = text_of(text)
        if "_:" in expected:  # the digest is not part of the law
            found, expected = (part.partition("_:")[0] for part in (found, expected))
        assert " ".join(found.split()) == " ".join(expected.split())
    for rule in rules(text):
        assert rule.dialect == ("" if "part" in rule.name else "srl")
    plain = Program(tuple(replace(rule, dialect="") for rule in rules(text)))
    assert parse(format_program(plain)) == plain


def test_a_triple_term_in_a_body_is_looked_into_by_a_part() -> None:
    rule, part = rules("RULE { ?x :p ?y } WHERE { ?x :q <<( ?x :r <<( ?y :s 1 )>> )>> }")
    (atom,) = rule.body
    assert atom.relation == part.heads[0].relation
    assert [str(each).partition("#")[0] for each in atom.terms] == [
        "?x", "?x", f"<{E}r>", "?y", f"<{E}s>", '"1"^^<http://www.w3.org/2001/XMLSchema',
    ]  # fmt: skip
    assert len(set(part.heads[0].terms)) == 6
    assert (rule.dialect, part.dialect, part.name) == ("srl", "", "rule-1-part-1")
    assert len(part.computed) == 6
    (same, _) = rules("# with another variable\nRULE { ?a :p ?y } WHERE { ?a :q <<( ?a :r <<( ?y :s 1 )>> )>> }")
    assert same.body[0].relation == atom.relation


def test_reifiers_and_annotations_are_triples() -> None:
    body = "?x :q ?y ~ ?r {| :since 2020 |} {| :by :ann |}"
    rule, *parts = rules(f"RULE {{ ?x :p ?r }} WHERE {{ {body} }}")
    assert len(rule.body) == 5
    assert len(parts) == 2
    (head, *_) = rules("RULE { ?x :p ?y ~ :r {| :since 2020 |} } WHERE { ?x :q ?y }")
    assert len(head.heads) == 3
    short, long = (
        rules(f"RULE {{ ?r :p 1 }} WHERE {{ {text} }}")[0]
        for text in (
            "<< ?x :q ?y ~ ?r >> :s 1",
            "?r <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( ?x :q ?y )>> ; :s 1",
        )
    )
    assert short == long


def test_blank_nodes_of_heads_have_labels_of_their_own() -> None:
    text = "RULE { [] :p ?x . _:b :q ?x ; :r _:b } WHERE { ?x :s ?y }"
    once, twice, other = rules(f"{text} {text} RULE {{ [] :p ?x }} WHERE {{ ?x :t ?y }}")
    labels = [str(each.parts[2]) for rule in (once, twice, other) for each in rule.computed]
    assert len(set(labels)) == 5
    for computed in once.computed:
        assert [str(each) for each in computed.inputs()] == ["?x", "?y"]
    renamed = rules("DATA { :a :b :c }" + text.replace("?x", "?u").replace("_:b", "_:z"))[1]
    assert [each.parts[2] for each in renamed.computed] == [each.parts[2] for each in once.computed]


def test_names_resolve() -> None:
    text = """BASE <http://example.org/a/b> PREFIX c: <c/> VERSION '1.2' PREFIX d: <?x>
    RULE { <> <#p> c:d\\,e, c:%20 } WHERE { <../q> d: <//other.org/x> }
    BASE </z/> RULE { <y> :p 1 } WHERE { :a :b :c }"""
    first, second = rules(text)
    assert [head.terms for head in first.heads] == [
        ("<http://example.org/a/b>", "<http://example.org/a/b#p>", "<http://example.org/a/c/d,e>"),
        ("<http://example.org/a/b>", "<http://example.org/a/b#p>", "<http://example.org/a/c/%20>"),
    ]
    assert first.body[0].terms == ("<http://example.org/q>", "<http://example.org/a/b?x>", "<http://other.org/x>")
    assert second.heads[0].terms[0] == "<http://example.org/z/y>"


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("RULE { ?x :p ?y } WHERE { ?x :q ?z }", "2:11",
         r"rule rule-1: \?y is in the head, but nothing in the body binds it"),
        ("RULE :r { ?x :p 1 } WHERE { FILTER(?x > 1) ?x :q 1 }", "2:29",
         r"rule http://example.org/r: \?x is in FILTER, but nothing before binds it"),
        ("RULE { ?x :p 1 } WHERE { ?x :q ?y NOT { FILTER(?z > 1) ?x :r ?z } }", "2:41",
         r"\?z is in FILTER, but nothing before binds it"),
        ("RULE { ?x :p 1 }\nWHERE { ?x :q ?y SET(?y := 1) }", "3:18",
         r"\?y has a value already; SET needs a new variable"),
        ("RULE { ?x :p 1 } WHERE { ?x :q ?y SET(?a := ?b) }", "2:35", r"\?b is in SET, but nothing before binds it"),
    ],
)  # fmt: skip
def test_a_rule_that_is_not_well_formed_names_rule_variable_and_place(text: str, place: str, problem: str) -> None:
    with pytest.raises(UnsafeRuleError, match=rf"^<text>:{place}: .*{problem}$"):
        rules(text)


@table(
    ("text", "place", "problem"),
    [
        ("RULE { ?x :p 1 } { ?x :q 1 }", "2:18", "found '{', expected WHERE"),
        ("RULE { ?x :p } WHERE { ?x :q 1 }", "2:14", "found '}', expected a term"),
        ("RULE { ?x ex:p 1 } WHERE { ?x :q 1 }", "2:11",
         "the prefix ex: is not declared; write PREFIX ex: <http://example.org/> before the rule"),
        ("RULE { <x> :p 1 } WHERE { :a :q 1 }", "2:8", "<x> is a relative IRI, and the text has no base: write BASE"),
        ("DATA { :a :p ?x }", "2:14", r"\?x is a variable: a DATA block has triples without variables"),
        ("RULE { ?x :p/:q 1 } WHERE { ?x :q 1 }", "2:11", "a path cannot stand in a head, only in a body"),
        ("RULE { ?x :p 1 } WHERE { ?x :q* 1 }", "2:31", r"a path has only / and \^ in a rule, not \*"),
        ("RULE { ?x :p 1 } WHERE { ?x :q ?y", "2:34", "found the end of the text, expected"),
        ("RULE { ?x :p 1 } WHERE { ?x :q ?y ?z :q 1 }", "2:35", r"found '\?z', expected"),
        ("RULE { ?x :p 1 } WHERE { ?x :q? ?y }", "2:31", r"a path has only / and \^ in a rule, not \?"),
        ("RULE { ?x :p 1 } WHERE { ?x :q/:r 1 {| :s 1 |} }", "2:29", "a path cannot have a reifier"),
        ("RULE { ?x :p 1 } WHERE { ?x :q 1 NOT { ?x :r 1 NOT { ?x :s 1 } } }", "2:48", "NOT cannot stand under NOT"),
        ("RULE { ?x :p 1 } WHERE { ?x :q 1 NOT { SET(?y := 1) } }", "2:40", "SET cannot stand under NOT"),
        ("RULE { ?x :p 1 } WHERE { ?x :q 1 OPTIONAL { ?x :r ?y } }", "2:34",
         "OPTIONAL may leave variables without a value"),
        ("RULE { ?x :p ?z } WHERE { ?x :q ?y BIND(?y AS ?z) }", "2:36", r"SPARQL-RL writes SET\(\?y := expression\)"),
        ("RULE { ?x :p 1 } WHERE { ?x :q 1 FILTER NOT EXISTS { ?x :r 1 } }", "2:34", "SPARQL-RL writes NOT"),
        ("RULE { ?x :p ?z } WHERE { ?x :q ?y SET(?z := FOO(?y)) }", "2:46", "FOO is no function of SPARQL"),
        ("RULE { ?x :p ?z } WHERE { ?x :q ?y SET(?z := COALESCE(?y, 1)) }", "2:46",
         "COALESCE is no function of SPARQL-RL"),
        ("RULE { ?x :p ?z } WHERE { ?x :q ?y SET(?z := NOW()) }", "2:46", r"NOW\(\) may give another result each time"),
        ('RULE { ?x :p ?z } WHERE { ?x :q ?y SET(?z := SKOLEM("a", ?y)) }', "2:46", "write a blank node in the head"),
        ("VERSION '3'", "2:9", "the version 3 is unknown"),
        ("IMPORTS <http://example.org/other>", "2:9", "no rule set with the IRI <http://example.org/other> is known"),
        ("@prefix a: <http://e/> .", "2:1", "this is the rule language of kgreason"),
        ("CONSTRUCT { ?x :p 1 } WHERE { ?x :q 1 }", "2:1", "a rule set says RULE"),
        ('RULE { ?x :p "a"@en--up } WHERE { ?x :q 1 }', "2:17", "a base direction is ltr or rtl"),
    ],
)  # fmt: skip
def test_text_that_cannot_be_read_is_told_with_its_place(text: str, place: str, problem: str) -> None:
    with pytest.raises(RuleSyntaxError, match=rf"^<text>:{place}: .*{problem}"):
        rules(text)


def test_every_message_names_the_source() -> None:
    with pytest.raises(RuleError, match=r"^my\.srl:1:1: found 'x', expected RULE, DATA or a declaration"):
        parse("x", "my.srl", syntax="srl")
