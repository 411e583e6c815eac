"""Which generic rules are needed where data can say something about the schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.ontology.generic.needed_rules import needed_generic_rules
from kgreason.ontology.translate.translate import Profile, translate
from kgreason.rules.model import Atom, Variable
from kgreason.rules.parser import parse
from kgreason.rules.patterns import generalises, substitute, unify, with_numbered_variables

from .pipeline import GENERIC
from .reading import document, turtle

EVERYTHING = {rule.name for rule in (*GENERIC["owl2rl"].closing, *GENERIC["owl2rl"].rows)}


def reasons(schema: str, profile: Profile = "owl2rl", *, user: str = "", **flags: bool) -> dict[str, str]:
    """The names of the rules needed, with the reasons."""
    closed = turtle(schema)
    rules = (*translate(closed, profile).rules, *parse(user).rules)
    found = needed_generic_rules(rules, GENERIC[profile], closed, **flags)
    return {rule.name: reason for rule, reason in found.items()}


def test_nothing_is_needed_where_rules_speak_of_data() -> None:
    assert reasons(":A rdfs:subClassOf :B . :p rdfs:domain :A ; a owl:FunctionalProperty . :B owl:oneOf ( :i ) .") == {}


def test_a_class_of_transitive_properties() -> None:
    schema = ":Order rdfs:subClassOf owl:TransitiveProperty ."
    found = reasons(schema, reified=False)
    transitive = "<http://www.w3.org/2002/07/owl#TransitiveProperty>"
    type_ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    assert found == {"prp-trp": f"cax-sco can derive [?1, {type_}, {transitive}]"}


def test_every_rule_is_needed_where_the_analysis_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Brick has such a case: someone removes a triple `x a owl:Class`, and the data still imply this triple."""
    schema = ":Order rdfs:subClassOf owl:TransitiveProperty ."
    found = reasons(schema, reified=False)
    monkeypatch.setattr("kgreason.ontology.generic.needed_rules.MOST_WORK", 0)
    assert set(reasons(schema, reified=False)) == EVERYTHING > set(found)
    assert set(reasons(schema, reified=False).values()) == {"too many schema triples could be derived to look at each"}
    assert reasons(":A rdfs:subClassOf :B .") == {}, "nothing derives schema"


def test_a_keyword_may_be_such_a_property() -> None:
    """If the data says `rdfs:subClassOf a :Order`, anything can follow."""
    schema = ":Order rdfs:subClassOf owl:TransitiveProperty ."
    assert set(reasons(schema, reified=True)) == EVERYTHING
    rule = "[<http://www.w3.org/2000/01/rdf-schema#subClassOf>, <http://e/q>, ?x] :- [?x, <http://e/p>, ?y] ."
    assert set(reasons(schema, user=rule, reified=False)) == EVERYTHING
    rule = "[?p, <http://e/usedBy>, ?x] :- [?x, ?p, ?y] ."
    assert set(reasons(schema, user=rule, reified=False)) == EVERYTHING


def test_a_rule_may_read_a_keyword_from_the_schema() -> None:
    schema = """:Order rdfs:subClassOf owl:TransitiveProperty . :related a rdf:Property .
        rdfs:subClassOf a rdf:Property ."""
    assert "scm-sco" not in reasons(schema, reified=False)
    assert set(reasons(schema + "rdf:Property rdfs:subClassOf :Relation .", reified=False)) == EVERYTHING


def test_a_property_below_subclass() -> None:
    found = reasons(":under rdfs:subPropertyOf rdfs:subClassOf . :A rdfs:subClassOf :B .", reified=False)
    assert {"cax-sco", "scm-sco", "scm-eqc2"} <= set(found)


def test_what_generic_rules_read_by_relations_is_needed_too() -> None:
    found = reasons(":chained rdfs:subPropertyOf owl:propertyChainAxiom .", reified=False)
    assert {"prp-spo2", "prp-spo2-cell", "prp-spo2-last", "prp-spo2-next", "list-ends", "list-ends-last"} <= set(found)
    assert "prp-key" not in found
    assert found["list-ends"] == "prp-spo2-cell reads list_ends"


def test_a_derived_list_cell() -> None:
    found = reasons(":next rdfs:subPropertyOf rdf:rest . :U owl:unionOf ( :A ) .", reified=False)
    assert {"list-ends", "list-cell", "cls-uni", "list-member"} <= set(found)


def test_user_rules_count() -> None:
    rule = "[?x, <http://www.w3.org/2000/01/rdf-schema#domain>, ?y] :- [?x, <http://e/takes>, ?y] ."
    assert "prp-dom" in reasons("", user=rule, reified=False)


def test_a_schema_triple_that_is_known_needs_nothing() -> None:
    rule = "[<http://e/A>, <http://www.w3.org/2000/01/rdf-schema#subClassOf>, <http://e/B>] ."
    assert reasons(":A rdfs:subClassOf :B .", user=rule) == {}
    assert "cax-sco" in reasons(":B rdfs:subClassOf :C .", user=rule)


def test_a_reflexive_axiom_says_nothing() -> None:
    """A class that is below itself: every row gives back a premise."""
    rule = "[?x, <http://www.w3.org/2000/01/rdf-schema#subPropertyOf>, ?x] :- [?x, <http://e/used>, ?y] ."
    assert reasons(":p rdfs:domain :A . :A rdfs:subClassOf :B .", "rdfs", user=rule) == {}


def test_same_as_in_the_schema_calls_for_everything() -> None:
    found = reasons(":A rdfs:subClassOf :B .", same_as=True)
    assert set(found) == EVERYTHING
    assert set(found.values()) == {"owl:sameAs links a term of the schema"}


def test_brick_needs_nothing(shared_data: Path) -> None:
    """A range of owl:Class derives schema that no quiet rule reads."""
    schema = document(shared_data / "ontologies" / "Brick-1.1.n3.gz")
    rules = translate(schema, "owl2rl").rules
    assert any("owl#Class>" in term for rule in rules for head in rule.heads for term in head.terms if term[0] == "<")
    assert needed_generic_rules(rules, GENERIC["owl2rl"], schema) == {}


def test_reasons_do_not_depend_on_any_order() -> None:
    schema = sorted(turtle(":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :u rdfs:subPropertyOf rdfs:subClassOf ."))
    rules = parse(
        """@rule one [?x, <http://www.w3.org/2000/01/rdf-schema#subClassOf>, ?y] :- [?x, <http://e/p>, ?y] .
        @rule two [?x, <http://www.w3.org/2000/01/rdf-schema#subClassOf>, ?y] :- [?y, <http://e/p>, ?x] ."""
    ).rules
    generic = GENERIC["owl2rl"]
    found = [list(needed_generic_rules(rules[::turn], generic, schema[::turn]).items()) for turn in (1, -1)]
    assert found[0] == found[1]
    assert found[0]


def terms(names: str) -> st.SearchStrategy[str | Variable]:
    return st.sampled_from([*(Variable(name) for name in names), "<http://e/a>", "<http://e/b>"])


def atoms(names: str) -> st.SearchStrategy[Atom]:
    return st.builds(lambda *found: Atom(None, found), *(terms(names) for _ in range(3)))


@given(atoms("xyz"), atoms("uvw"))
def test_unified_atoms_are_the_same(one: Atom, other: Atom) -> None:
    binding = unify(one, other, {})
    if binding is not None:
        same = substitute(one, binding)
        assert same == substitute(other, binding)
        assert generalises(one, same)
        assert generalises(other, same)
    else:
        assert not generalises(one, other)
        assert not generalises(other, one)


@given(atoms("xyz"))
def test_numbering_changes_names_alone(atom: Atom) -> None:
    assert generalises(atom, with_numbered_variables(atom))
    assert generalises(with_numbered_variables(atom), atom)
    assert with_numbered_variables(with_numbered_variables(atom)) == with_numbered_variables(atom)
