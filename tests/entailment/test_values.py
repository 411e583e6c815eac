"""Literals in entailment: equal values, types, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import kgreason

_XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = f"""
@prefix : <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <{_XSD}> .
"""
ALL_RULES = ["none", "rdfs", "owl2rl"]


def entails(
    folder: Path, premise: str, conclusion: str, rules: Sequence[str], datatypes: Sequence[str] | None = None
) -> bool:
    paths = [folder / "premise.ttl", folder / "conclusion.ttl"]
    for path, text in zip(paths, (premise, conclusion), strict=True):
        path.write_text(PREFIXES + text)
    return kgreason.entails(*paths, rules=rules, datatypes=datatypes)


@pytest.mark.parametrize("rules", ALL_RULES)
def test_equal_values_are_one(rules: str, tmp_path: Path) -> None:
    premise = ':a :p "01"^^xsd:integer ; :q "x"@EN ; :r "1"^^xsd:byte .'
    for conclusion in (':a :p 1 , "1.0"^^xsd:decimal ; :q "x"@en .', ":a :r [] ; :p _:one . :a :r _:one ."):
        assert entails(tmp_path, premise, conclusion, [rules])
    for conclusion in (':a :p "1"^^xsd:double .', ':a :p "1" .', ':a :q "x" .', ":a :p 2 ."):
        assert not entails(tmp_path, premise, conclusion, [rules])


@pytest.mark.parametrize("rules", ALL_RULES)
def test_only_recognized_datatypes_have_values(rules: str, tmp_path: Path) -> None:
    premise, conclusion = ':a :p "01"^^xsd:integer .', ":a :p 1 ."
    assert not entails(tmp_path, premise, conclusion, [rules], [])
    assert not entails(tmp_path, premise, conclusion, [rules], [f"<{_XSD}decimal>"])
    assert entails(tmp_path, premise, conclusion, [rules], [f"<{_XSD}integer>"])


@pytest.mark.parametrize("rules", ALL_RULES)
def test_literals_have_the_types_of_their_values(rules: str, tmp_path: Path) -> None:
    premise = ":a :p 7 ."
    assert entails(tmp_path, premise, ":a :p [ a xsd:integer , xsd:byte , xsd:decimal ] .", [rules])
    assert not entails(tmp_path, premise, ":a :p [ a xsd:negativeInteger ] .", [rules])
    assert not entails(tmp_path, premise, ":a :p [ a xsd:integer ] .", [rules], [])


@pytest.mark.parametrize("rules", ["rdfs", "owl2rl"])
def test_a_type_without_the_value_is_a_contradiction(rules: str, tmp_path: Path) -> None:
    premise = ":p rdfs:range xsd:string . :a :p 7 ."
    assert entails(tmp_path, premise, ":x :y :z .", [rules])
    assert not entails(tmp_path, premise, ":x :y :z .", [rules], [])
    assert not entails(tmp_path, ":p rdfs:range xsd:byte . :a :p 7 .", ":x :y :z .", [rules])


def test_an_ill_typed_literal_is_a_contradiction(tmp_path: Path) -> None:
    premise = ':a :p "seven"^^xsd:integer .'
    assert entails(tmp_path, premise, ":x :y :z .", ["none"])
    assert not entails(tmp_path, premise, ":x :y :z .", ["none"], [])
    assert not entails(tmp_path, ":a :p 7 .", premise, ["none"])


@pytest.mark.parametrize(
    "conclusion",
    [
        ':a a [ owl:onProperty :p ; owl:hasValue "seven"^^xsd:integer ] , :D .',
        '[] owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetValue "seven"^^xsd:integer .',
    ],
)
def test_an_ill_typed_literal_in_a_conclusion_is_not_assumed(conclusion: str, tmp_path: Path) -> None:
    assert not entails(tmp_path, ":a a :C .", conclusion, ["owl2rl"])
    assert entails(tmp_path, ":a a owl:Nothing .", conclusion, ["owl2rl"])


def test_two_values_are_never_the_same(tmp_path: Path) -> None:
    functional = ":p a owl:FunctionalProperty . "
    assert entails(tmp_path, functional + ":a :p 7 , 8 .", ":x :y :z .", ["owl2rl"])
    assert not entails(tmp_path, functional + ':a :p 7 , "07"^^xsd:int .', ":x :y :z .", ["owl2rl"])
    assert not entails(tmp_path, functional + ":a :p 7 , :b .", ":x :y :z .", ["owl2rl"])


def test_datatypes_contain_and_exclude_each_other(tmp_path: Path) -> None:
    premise = ":p rdfs:range xsd:byte . :q rdfs:range xsd:string ."
    assert entails(tmp_path, premise, ":p rdfs:range xsd:short ; owl:propertyDisjointWith :q .", ["owl2rl"])
    assert not entails(tmp_path, premise, ":p rdfs:range xsd:unsignedByte .", ["owl2rl"])
    both = ":p rdfs:range xsd:int , xsd:unsignedShort ."
    assert entails(tmp_path, ":p rdfs:range xsd:short , xsd:unsignedInt .", both, ["owl2rl"])
    assert not entails(tmp_path, ":p rdfs:range xsd:int , xsd:unsignedInt .", both, ["owl2rl"])
    assert not entails(tmp_path, premise, ":p rdfs:range xsd:short .", ["owl2rl"], [])
