"""The rule sets fall into parts that the facade can use without knowing their groups."""

from __future__ import annotations

import pytest

from kgreason.ontology.generic.parts import split
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse, ruleset

from .pipeline import GENERIC

CORE_FREE = {
    "rhodf": set[str](),
    "rdfs": set[str](),
    "owl2rl": {
        *("eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o", "eq-diff1", "eq-diff1-self"),
        "cls-nothing2",
    },
}


def names(rules: tuple[Rule, ...]) -> set[str]:
    return {rule.name for rule in rules}


@pytest.mark.parametrize("name", ["rhodf", "rdfs", "owl2rl"])
def test_parts_make_the_whole(name: str) -> None:
    rules = ruleset(name).rules
    parts = split(rules)
    together = [*parts.closing, *parts.rows, *parts.free]
    assert sorted(together, key=rules.index) == list(rules)


def test_closing_rules() -> None:
    assert names(GENERIC["rhodf"].closing) == {"rho-2a", "rho-3a"}
    assert names(GENERIC["rdfs"].closing) == {"rdfs5", "rdfs11"}
    assert GENERIC["owl2rl"].closing == ruleset("owl2rl").select("scm").rules


def test_axiomatic_triples_and_reflexive_rules_close_the_schema_too() -> None:
    closing = names(split(ruleset("rdfs").rules).closing)
    assert {"rdfs6", "rdfs8", "rdfs10", "rdfs12", "rdfs13", "rdf-axiomatic", "rdfs-axiomatic-range"} <= closing
    assert {"scm-cls", "scm-op", "cls-thing"} <= names(split(ruleset("owl2rl").rules).closing)


@pytest.mark.parametrize("name", ["rhodf", "rdfs", "owl2rl"])
def test_free_rules_ask_for_no_schema(name: str) -> None:
    assert names(split(ruleset(name).select(*_quiet(name)).rules).free) == CORE_FREE[name]


def _quiet(name: str) -> tuple[str, ...]:
    return ("list", "eq", "prp", "cls", "cax", "scm") if name == "owl2rl" else (name,)


def test_feeders_of_feeders_close_too() -> None:
    text = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        @rule closes [?x, rdfs:subClassOf, ?y] :- walk(?x, ?y) .
        @rule walks walk(?x, ?y) :- step(?x, ?y) .
        @rule steps step(?x, ?y) :- [?x, rdfs:range, ?y] .
        @rule alone other(?x) :- [?x, rdfs:range, ?x] ."""
    parts = split(parse(text).rules)
    assert names(parts.closing) == {"closes", "walks", "steps"}
    assert names(parts.rows) == {"alone"}
