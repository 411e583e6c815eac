"""Built-ins of SWRL rules: as expressions, as warnings, live in a graph, and by values against plain Python."""

from __future__ import annotations

import re

import pytest

from kgreason.functions.registry import Registry
from kgreason.ontology.read.builtins import JOINED, PARTS, RESULTS, TESTS, BuiltIn, compute
from kgreason.ontology.translate.translate import translate
from kgreason.rules.expressions import problem_of, text_of
from kgreason.rules.model import Variable
from kgreason.rules.parser import parse
from kgreason.terms.vocabulary import SWRLB
from tests.tables import table

from .reading import named, rules, turtle
from .test_live import Edited
from .test_swrl import SWRL, VARIABLES, X_IS_A, atom

P = atom("DatavaluedPropertyAtom", ":p", ":x", ":y")
Q = atom("DatavaluedPropertyAtom", ":q", ":x", ":z")
HEADER = SWRL + f"@prefix swrlb: <{SWRLB}> . " + VARIABLES


def call(name: str, *arguments: str) -> str:
    return f"[ a swrl:BuiltinAtom ; swrl:builtin swrlb:{name} ; swrl:arguments ( {' '.join(arguments)} ) ]"


def imp(body: list[str], head: list[str]) -> str:
    return f"{HEADER}:r a swrl:Imp ; swrl:body ( {' '.join(body)} ) ; swrl:head ( {' '.join(head)} ) ."


BODIES = {
    "[?x, :p, ?y], FILTER(?y > 5)": [P, call("greaterThan", ":y", "5")],
    "[?x, :p, ?y], FILTER(5 <= ?y), FILTER(?y != 7)": [
        call("notEqual", ":y", "7"),
        call("lessThanOrEqual", "5", ":y"),
        P,
    ],
    "[?x, :p, ?y], BIND(?y + 1 AS ?z)": [P, call("add", ":z", ":y", "1")],
    "[?x, :p, ?y], BIND(?y + 1 + ?y AS ?z)": [call("add", ":z", ":y", "1", ":y"), P],
    "[?x, :p, ?y], [?x, :q, ?z], FILTER(?z = ?y * 2)": [P, Q, call("multiply", ":z", ":y", "2")],
    "[?x, :p, ?y], FILTER(10 = ?y - 2)": [P, call("subtract", "10", ":y", "2")],
    '[?x, :p, ?y], BIND(UCASE(?y) AS ?z), FILTER(STRSTARTS(?z, "A"))': [
        call("startsWith", ":z", '"A"'),
        call("upperCase", ":z", ":y"),
        P,
    ],
    "[?x, :p, ?y], BIND(?y AS ?z)": [P, call("equal", ":y", ":z")],
    "[?x, :p, ?y], FILTER(?y = ?x)": [P, call("equal", ":y", ":x")],
    "[?x, :p, ?y], FILTER(DATATYPE(?y) = xsd:date), FILTER(2020 = YEAR(?y)), BIND(MONTH(?y) AS ?z), "
    "FILTER(?z = DAY(?y))": [P, call("date", ":y", "2020", ":z", ":z")],
}


@table("text", BODIES)
def test_a_built_in_is_an_expression(text: str) -> None:
    result = ":z" if "?z" in text else ":y"
    head = atom("DatavaluedPropertyAtom", ":s", ":x", result)
    variable = result.replace(":", "?")
    schema = turtle(imp(BODIES[text], [head]))
    [rule] = translate(schema, "owl2rl").rules
    assert named([rule]) == rules(f"@rule swrl [?x, :s, {variable}] :- {text} .")
    left = {subject for subject, _, _ in schema - set(rule.sources)}
    assert set(rule.sources) <= schema
    assert left <= {"<http://e/y>", "<http://e/z>"}  # variables that the rule does not have


def atoms() -> list[BuiltIn]:
    """Every built-in with each number of arguments that it takes; all arguments are variables."""
    counts = [(name, 2) for name in TESTS] + [(name, 3) for name in JOINED]
    counts += [(name, len(PARTS[name][1]) + more) for name in PARTS for more in (0, 1)]
    counts += [(name, 1 + max(map(int, re.findall(r"\{(\d)", text)))) for name in RESULTS for text in RESULTS[name]]
    return [
        BuiltIn("_:b", f"<{SWRLB}{name}>", tuple(Variable(f"v{place}") for place in range(count)))
        for name, count in counts
    ]


@pytest.mark.parametrize("first", [0, 1])
def test_every_template_is_an_expression_that_the_rule_language_has(first: int) -> None:
    for atom_ in atoms():
        is_test = atom_.name[len(SWRLB) + 1 : -1] in TESTS
        for each in compute([atom_], set(atom_.arguments[0 if is_test else first :]), {}):
            assert problem_of(each, find=Registry().find) is None
            inputs, result = ", ".join(map(str, each.inputs())), each.result and Variable("fresh")
            text = text_of(each._replace(result=result))
            (rule,) = parse(f"p() :- q({inputs}), {text} .", functions=Registry().find).rules
            assert rule.computed[0].parts == each.parts


FAULTS = {
    "swrlb:resolveURI is not supported": call("resolveURI", ":z", ":y"),
    "<http://e/mine> is not supported": call("mine", ":z", ":y").replace("swrlb:mine", ":mine"),
    "swrlb:greaterThan has 3 arguments instead of 2": call("greaterThan", ":x", ":y", "1"),
    "swrlb:add has 2 arguments instead of at least 3": call("add", ":z", ":y"),
    "swrlb:abs has 1 argument instead of 2": call("abs", ":z"),
    "swrlb:substring has 2 arguments instead of 3 or 4": call("substring", ":z", ":y"),
    "swrlb:add reads the variable <http://e/z>": call("add", "3", ":z", ":y"),
    "swrlb:lessThan reads the variable <http://e/z>": call("lessThan", ":z", "3"),
    "swrlb:equal reads the variable": call("equal", ":z", "_:other").replace("_:other", ":w") + " ",
    "has the argument _:other, which is neither": call("lessThan", ":y", "_:other"),
    "swrl:builtin is missing": call("lessThan", ":y", "3").replace("swrl:builtin swrlb:lessThan ;", ""),
    "swrl:arguments is missing": "[ a swrl:BuiltinAtom ; swrl:builtin swrlb:lessThan ]",
}


@table("problem", FAULTS)
def test_a_built_in_that_cannot_run_is_one_warning(problem: str) -> None:
    text = imp([P, FAULTS[problem]], [X_IS_A]) + " :w a swrl:Variable . "
    found = translate(turtle(text), "owl2rl")
    assert not found.rules
    [warning] = found.warnings
    assert problem in warning
    assert warning.startswith("broken rule at _:")
    assert warning.endswith("the <http://www.w3.org/2003/11/swrl#Imp> of <http://e/r> yields no rule")


def test_a_head_has_no_built_in() -> None:
    [warning] = translate(turtle(imp([P], [call("add", ":y", "1", "2")])), "owl2rl").warnings
    assert "swrlb:add is a built-in, and a head cannot have built-ins" in warning


def test_rules_that_differ_in_a_built_in_alone_are_two() -> None:
    one, other = (
        turtle(imp([P, call("lessThan", ":y", limit)], [X_IS_A]).replace(":r a", f":r{limit} a")) for limit in "34"
    )
    edited = Edited(schema=one)
    edited.edit(set(), other)
    assert len(edited.rules) == 2
    edited.edit(other, set())
    edited.check()
    assert len(edited.rules) == 1


def test_an_edit_of_an_argument_translates_the_rule_again() -> None:
    text = f"{HEADER}:r a swrl:Imp ; swrl:body ( {P} :b ) ; swrl:head ( {X_IS_A} ) . "
    text += ":b a swrl:BuiltinAtom ; swrl:builtin swrlb:lessThan ; swrl:arguments :l . :l rdf:first :y ; rdf:rest :m . "
    good = turtle(text + ":m rdf:first 5 ; rdf:rest rdf:nil .")
    edited = Edited(schema=good)
    names = HEADER.removesuffix(VARIABLES)
    for removed, added, warnings in (
        (":m rdf:first 5 .", ":m rdf:first 6 .", 0),
        (":b swrl:builtin swrlb:lessThan .", ":b swrl:builtin swrlb:less .", 1),
        (":b swrl:builtin swrlb:less .", ":b swrl:builtin swrlb:greaterThan .", 0),
        (":m rdf:rest rdf:nil .", "", 1),
        ("", ":m rdf:rest rdf:nil .", 0),
        (":y a swrl:Variable .", "", 0),
    ):
        edited.edit(turtle(names + removed), turtle(names + added))
        edited.check()
        assert (len(edited.rules), len(edited.live.warnings)) == (1 - warnings, warnings)
