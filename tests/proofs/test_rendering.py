"""Proofs as people and programs read them."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from kgreason.proofs.proof import Proof
from kgreason.rules.model import Atom, Rule, Variable, triple

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
PREFIXES = {"": "http://e/", "rdfs": RDFS}
X = Variable("x")


def e(name: str) -> str:
    return f"<http://e/{name}>"


def subclass(lower: str, upper: str) -> Rule:
    heads, body = (triple(X, TYPE, e(upper)),), (triple(X, TYPE, e(lower)),)
    return Rule(heads, body, "cax-sco", "cax", ((e(lower), f"<{RDFS}subClassOf>", e(upper)),))


def typed(name: str) -> Atom:
    return triple(e("rex"), TYPE, e(name))


DOG = Proof(typed("Dog"))
LOWER = subclass("Dog", "Animal")
ANIMAL = Proof(typed("Animal"), LOWER, (DOG,))
BOTH = Rule(
    (Atom("both", (X,)),),
    (triple(X, TYPE, e("Animal")), triple(X, TYPE, e("Animal")), triple(X, TYPE, e("Dog"))),
    "mine",
)
PROOF = Proof(Atom("both", (e("rex"),)), BOTH, (ANIMAL, ANIMAL, DOG))


def test_text_with_prefixes() -> None:
    assert PROOF.to_text(PREFIXES) == (
        "both(:rex)\n"
        "    by mine: both(?x) :- [?x, a, :Animal], [?x, a, :Animal], [?x, a, :Dog] .\n"
        "    :rex a :Animal\n"
        "        by cax-sco: [?x, a, :Animal] :- [?x, a, :Dog] .\n"
        "        with the axiom :Dog rdfs:subClassOf :Animal\n"
        "        :rex a :Dog (asserted)\n"
        "    :rex a :Animal (proved above)\n"
        "    :rex a :Dog (asserted)\n"
    )


def test_the_inner_triples_of_a_long_axiom_are_counted() -> None:
    cells = tuple((f"_:b{n}", f"<{RDFS}seeAlso>", f"_:b{n + 1}") for n in range(9))
    long = Rule(LOWER.heads, LOWER.body, "cls", "cls", ((e("Dog"), f"<{RDFS}seeAlso>", "_:b0"), *cells))
    lines = Proof(typed("Animal"), long, (DOG,)).to_text(PREFIXES).splitlines()
    assert lines[2] == "    with the axiom :Dog rdfs:seeAlso _:b0, and 9 more triples of its lists and expressions"
    assert lines[3] == "    :rex a :Dog (asserted)"
    blank = Rule(long.heads, long.body, "cls", "cls", cells)
    (line,) = (line for line in Proof(typed("Animal"), blank, (DOG,)).to_text().splitlines() if "axiom" in line)
    assert line.endswith("_:b1, and 8 more triples of its lists and expressions")


def test_text_without_prefixes_is_n_triples() -> None:
    assert DOG.to_text() == f"<http://e/rex> {TYPE} <http://e/Dog> (asserted)\n"
    number = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    fact = triple(e("rex"), e("age"), number)
    assert Proof(fact).to_text() == f"<http://e/rex> <http://e/age> {number} (asserted)\n"
    assert Proof(fact).to_text(PREFIXES) == ":rex :age 1 (asserted)\n"


def test_a_rule_without_a_body_and_a_long_one() -> None:
    go = Atom("go", ())
    assert Proof(go, Rule((go,), (), "start"), ()).to_text() == "go()\n    by start: go() .\n"
    body = tuple(triple(X, e("a_predicate_with_a_long_name"), e(f"object-{i}")) for i in range(4))
    text = Proof(go, Rule((go,), body, "long"), ()).to_text(PREFIXES)
    assert text.splitlines()[1].startswith(
        "    by long: go() :- [?x, :a_predicate_with_a_long_name, :object-0], [?x, :a_predicate_with_a_long_name,"
    )


def test_deep_lines_say_their_level() -> None:
    proof = DOG
    for _ in range(22):
        proof = Proof(typed("Dog"), subclass("Dog", "Dog"), (proof,))
    lines = proof.to_text(PREFIXES).splitlines()
    assert lines[-1] == " " * 80 + "[level 22] :rex a :Dog (asserted)"
    assert lines[-4] == " " * 80 + "[level 21] :rex a :Dog"
    assert lines[-7] == " " * 80 + ":rex a :Dog"


def test_json_is_flat() -> None:
    found = json.loads(json.dumps(PROOF.to_json()))
    dog, animal, both = found["steps"]
    assert found["fact"] == 2
    assert dog == {"fact": {"relation": None, "terms": [e("rex"), TYPE, e("Dog")]}, "asserted": True}
    assert both["fact"] == {"relation": "both", "terms": [e("rex")]}
    assert both["premises"] == [1, 1, 0]
    assert both["rule"]["sources"] == []
    assert animal["asserted"] is False
    assert animal["rule"] == {
        "name": "cax-sco",
        "group": "cax",
        "text": f"[?x, a, {e('Animal')}] :- [?x, a, {e('Dog')}] .",
        "conditions": [],
        "sources": [[e("Dog"), f"<{RDFS}subClassOf>", e("Animal")]],
    }


def test_mermaid() -> None:
    assert PROOF.to_mermaid(PREFIXES) == (
        "flowchart BT\n"
        '    f0(":rex a :Dog")\n'
        '    f1[":rex a :Animal"]\n'
        '    r1{{"cax-sco"}}\n'
        "    r1 --> f1\n"
        "    f0 --> r1\n"
        '    a1_0[/":Dog rdfs:subClassOf :Animal"/]\n'
        "    a1_0 -.-> r1\n"
        '    f2["both(:rex)"]\n'
        '    r2{{"mine"}}\n'
        "    r2 --> f2\n"
        "    f1 --> r2\n"
        "    f0 --> r2\n"
    )


def _read(label: str) -> str:
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), label)


@given(st.text(st.sampled_from("ab \"'<>&#;\\`*_~$%{}[]()/|-\u00e9"), max_size=12))
def test_no_label_ends_early(text: str) -> None:
    fact = Atom("p", (text,))
    lines = Proof(fact, Rule((fact,), (), text)).to_mermaid().splitlines()
    labels = [re.fullmatch(r'    \w+[\[{]+"([^"<>&`\\]*)"[\]}]+', line) for line in lines[1:3]]
    assert [_read(label[1]) for label in labels if label] == [f"p({text})", text]
