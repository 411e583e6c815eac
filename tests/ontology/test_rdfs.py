"""The rows of RDFS and rho-df, and what these profiles do not read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgreason.ontology.translate.translate import Profile, translate

from .reading import rules, translated, turtle

SCHEMA = ":p rdfs:domain :C ; rdfs:range :D ; rdfs:subPropertyOf :q . :C rdfs:subClassOf :D ."
EXPECTED = """@rule rdfs2 [?x, a, :C] :- [?x, :p, ?y] .
    @rule rdfs3 [?y, a, :D] :- [?x, :p, ?y] .
    @rule rdfs7 [?x, :q, ?y] :- [?x, :p, ?y] .
    @rule rdfs9 [?x, a, :D] :- [?x, a, :C] ."""


def test_rows() -> None:
    assert translated(SCHEMA, "rdfs") == rules(EXPECTED)


def test_rho_df_has_names_of_its_own() -> None:
    names = {"rdfs2": "rho-4a", "rdfs3": "rho-4b", "rdfs7": "rho-2b", "rdfs9": "rho-3b"}
    assert translated(SCHEMA, "rhodf") == {replace(rule, name=names[rule.name]) for rule in rules(EXPECTED)}


@pytest.mark.parametrize("profile", ["rhodf", "rdfs"])
def test_owl_has_no_rows(profile: Profile) -> None:
    assert (
        translated(":C owl:unionOf ( :A :B ) ; owl:equivalentClass :D . :p a owl:FunctionalProperty .", profile)
        == set()
    )


def test_a_broken_list_of_owl_is_no_warning() -> None:
    schema = turtle(":C owl:unionOf _:l .")
    assert not translate(schema, "rdfs").warnings
    assert translate(schema, "owl2rl").warnings


def test_groups() -> None:
    assert {rule.group for rule in translate(turtle(SCHEMA), "rhodf").rules} == {"rhodf"}
    assert {rule.group for rule in translate(turtle(SCHEMA), "rdfs").rules} == {"rdfs"}
    assert {rule.group for rule in translate(turtle(SCHEMA), "owl2rl").rules} == {"prp", "cax"}
