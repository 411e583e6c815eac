from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given

from kgreason.errors import InputError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.formatter import format_program
from kgreason.rules.model import FALSE, Rule
from kgreason.rules.parser import parse, ruleset
from tests.oracle import datalog, owl2rl, rdfs
from tests.oracle.graph import Graph, Triple
from tests.oracle.notation import triples
from tests.oracle.vocabulary import DOMAIN, RANGE, SAME_AS, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from tests.rules import rule_cases as cases
from tests.strategies.ontologies import graphs
from tests.tables import table

NAMES = ("owl2rl", "rdfs", "rhodf")
DEFAULT = ("list", "eq", "prp", "cls", "cax", "scm")
OWL2RL = ruleset("owl2rl")


def is_helper(rule: Rule) -> bool:
    return all((head.relation or "").startswith("list_") for head in rule.heads)


def closure(given_triples: set[Triple], rules: list[Rule]) -> tuple[set[Triple], set[str]]:
    """The triples of the least model, and the names of the rules that derive a contradiction over it."""
    stamps = datalog.close([(None, triple) for triple in given_triples], rules)
    checks = datalog.rule_set([rule for rule in rules if rule.heads == (FALSE,)])
    names = {derivation.rule.label[1] for derivation in datalog.derivations(datalog.Index(stamps), checks)}
    return {(terms[0], terms[1], terms[2]) for relation, terms in stamps if relation is None}, names


def without_reflexive(found: set[Triple]) -> set[Triple]:
    return {(s, p, o) for s, p, o in found if p != SAME_AS or s != o}


@pytest.mark.parametrize("name", NAMES)
def test_names_are_unique_and_the_text_comes_back(name: str) -> None:
    program = ruleset(name)
    assert len({rule.name for rule in program.rules}) == len(program.rules)
    assert len({canonical(rule) for rule in program.rules}) == len(program.rules)
    assert all(rule.group for rule in program.rules)
    assert parse(format_program(program)) == program


def test_an_unknown_ruleset_names_those_that_are_shipped() -> None:
    with pytest.raises(
        InputError,
        match=r"rulesets/owl3\.dl is not shipped.*links\.dl, owl2el\.dl, owl2rl\.dl, rdfs\.dl, .*rhodf\.dl",
    ):
        ruleset("owl3")


def test_every_rule_of_the_tables_is_there_or_has_a_reason_not_to_be() -> None:
    named = {rule.name for rule in OWL2RL.rules if not is_helper(rule)}
    expected = [name for name in cases.TABLES_4_TO_9 if name not in cases.WHY_ABSENT]
    apart = {f"{row}-literals" for row in ("prp-fp", "prp-ifp", "prp-key", "cls-maxc2", "cls-maxqc3", "cls-maxqc4")}
    beside = {"eq-literals", "eq-spellings", "has-self1", "has-self2", *apart}
    assert named == {*expected, "eq-diff1-self", *beside}
    assert named - beside == cases.OWL2RL.keys()


def test_every_rdfs_pattern_is_there_or_has_a_reason_not_to_be() -> None:
    named = {rule.name for rule in ruleset("rdfs").rules if "axiomatic" not in rule.name}
    patterns = [f"rdfs{number}" for number in (1, 2, 3, "4a", "4b", *range(5, 14))]
    assert named == {*patterns, "rdfD1", "rdfD2"} - cases.WHY_ABSENT.keys()
    assert named == cases.RDFS.keys()


@table("name", sorted(cases.OWL2RL))
def test_a_rule_of_owl2rl_derives_exactly_this(name: str) -> None:
    (rule,) = [rule for rule in OWL2RL.rules if rule.name == name]
    helpers = [helper for helper in OWL2RL.rules if is_helper(helper)]
    before, expected = cases.OWL2RL[name]
    found, contradictions = closure(triples(before), [rule, *helpers])
    if expected == cases.FALSE:
        assert (found, contradictions) == (triples(before), {name})
    else:
        assert (found - triples(before), contradictions) == (triples(expected), set())


def near_misses(case: set[Triple]) -> Iterator[set[Triple]]:
    """The triples of a case with one of them left out or turned round."""
    for triple in sorted(case):
        yield case - {triple}
        yield (case - {triple}) | {triple[::-1]}


@pytest.mark.parametrize("name", sorted(cases.OWL2RL))
def test_every_triple_of_a_case_counts_as_in_the_oracle(name: str) -> None:
    rules = [rule for rule in OWL2RL.rules if rule.name == name or is_helper(rule)]
    row = name.removesuffix("-self")
    for given_triples in near_misses(triples(cases.OWL2RL[name][0])):
        found, contradictions = closure(given_triples, rules)
        graph = Graph(given_triples)
        owl2rl.saturate(graph, [owl2rl.ROWS[row]] if row in owl2rl.ROWS else [])
        assert found == graph.triples
        assert bool(contradictions) == (row in owl2rl.CHECKS and any(owl2rl.CHECKS[row](graph)))


@table("name", sorted(cases.RDFS))
def test_a_pattern_of_rdfs_derives_exactly_this(name: str) -> None:
    before, expected = cases.RDFS[name]
    rules = [rule for rule in ruleset("rdfs").rules if rule.name == name]
    assert closure(triples(before), rules)[0] - triples(before) == triples(expected)


@pytest.mark.parametrize(
    "list_",
    [
        "l rdf:first A . l rdf:rest m . m rdf:first B",
        "l rdf:first A . l rdf:rest m . m rdf:first B . m rdf:rest l",
        "l rdf:first A . l rdf:rest m . m rdf:rest rdf:nil",
    ],
    ids=["open", "cyclic", "hole"],
)
@pytest.mark.parametrize("use", ["C owl:unionOf l", "C owl:intersectionOf l", "C owl:oneOf l", "p owl:hasKey l"])
def test_a_list_that_is_not_whole_matches_nothing(use: str, list_: str) -> None:
    before = triples(f"{use} . {list_} . x rdf:type A . x rdf:type B . y rdf:type C")
    assert closure(before, list(OWL2RL.select(*DEFAULT).rules)) == (before, set())


def test_lists_of_disjoint_things_compare_the_first_with_the_last() -> None:
    before = triples(
        "d rdf:type owl:AllDisjointClasses . d owl:members l . LIST l A B C D . x rdf:type A . x rdf:type D"
    )
    assert closure(before, list(OWL2RL.select(*DEFAULT).rules))[1] == {"cax-adc"}


def test_an_individual_twice_in_all_different_is_a_contradiction_with_eq_ref() -> None:
    before = triples("d rdf:type owl:AllDifferent . d owl:members l . LIST l x y x")
    assert closure(before, list(OWL2RL.select(*DEFAULT).rules))[1] == set()
    assert closure(before, list(OWL2RL.select(*DEFAULT, "eq-ref").rules))[1] == {"eq-diff2"}


def test_group_scm_stands_alone() -> None:
    scm = OWL2RL.select("scm").rules
    derived = {atom.relation for rule in scm for atom in rule.heads}
    asked = {atom.relation for rule in scm for atom in rule.body}
    assert asked <= derived
    elsewhere = {atom.relation for rule in OWL2RL.rules if rule.group != "scm" for atom in (*rule.heads, *rule.body)}
    assert derived & elsewhere == {None}


def test_the_other_groups_read_lists_through_group_list_alone() -> None:
    for group in ("eq", "prp", "cls", "cax"):
        rules = OWL2RL.select("list", group).rules
        derived = {atom.relation for rule in rules for atom in rule.heads} | {"dt_differ"}
        held = {"list_held", "list_holds", "list_paired"}  # which cells hold something, other groups say
        assert {atom.relation for rule in rules for atom in rule.body} <= derived | held


def test_every_relation_is_a_helper_and_says_so() -> None:
    relations = {atom.relation for rule in OWL2RL.rules for atom in (*rule.heads, *rule.body)} - {None, FALSE.relation}
    assert relations == {
        *("list_ends", "list_cell", "list_member", "list_pivot", "list_after", "list_all", "list_path", "list_shared"),
        *("list_paired", "list_held", "list_holds", "list_level", "list_hop", "list_even", "list_odd", "list_lead"),
        *("list_zero", "list_one"),
        *("list_scm_ends", "list_scm_cell"),
        *("dt_may_equal", "dt_differ"),
    }


@pytest.mark.parametrize("name", ["eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o"])
def test_links_are_followed_as_the_table_says_but_for_one_condition(name: str) -> None:
    [careful], [rule] = ([rule for rule in ruleset(each).rules if rule.name == name] for each in ("links", "owl2rl"))
    assert [atom for atom in careful.body if atom.relation is None] == list(rule.body)
    assert careful.heads == rule.heads
    conditions = [atom.terms for atom in careful.body if atom.relation == "dt_may_equal"]
    assert conditions == [(atom.terms[0], atom.terms[2]) for atom in rule.body if atom.terms[1] == SAME_AS]


@pytest.mark.parametrize("text", cases.TRICKY)
def test_shared_lists_close_as_in_the_oracle(text: str) -> None:
    check_owl2rl(triples(text))


@given(graphs())
def test_owl2rl_closes_as_the_oracle_does(graph: set[Triple]) -> None:
    check_owl2rl(graph)


def check_owl2rl(graph: set[Triple]) -> None:
    found, contradictions = closure(graph, list(OWL2RL.select(*DEFAULT).rules))
    expected, expected_contradictions = owl2rl.close(graph, without=owl2rl.TABLE_8)
    assert without_reflexive(found) == without_reflexive(expected)
    names = {name.removesuffix("-self") for name in contradictions}
    assert names == {contradiction.rule for contradiction in expected_contradictions}


@given(graphs(max_axioms=3, max_data=4))
def test_owl2rl_with_everything_on_closes_as_the_oracle_does(graph: set[Triple]) -> None:
    found, _ = closure(graph, list(OWL2RL.rules))
    assert found == owl2rl.close(graph, noise=True, without=owl2rl.TABLE_8 - {"dt-type1"})[0]


@given(graphs())
def test_rdfs_closes_as_the_oracle_does(graph: set[Triple]) -> None:
    program = ruleset("rdfs")
    assert closure(graph, list(program.select("rdfs").rules))[0] == rdfs.rdfs_close(graph)
    more = program.select("rdfs", "property", "resource", "reflexive", "container")
    options = ("rdfD2", "rdfs4a", "rdfs4b", "rdfs8", "rdfs6", "rdfs10", "rdfs12")
    assert closure(graph, list(more.rules))[0] == rdfs.rdfs_close(graph, options=options)


@given(graphs())
def test_rhodf_closes_as_the_oracle_does(graph: set[Triple]) -> None:
    program = ruleset("rhodf")
    assert closure(graph, list(program.select("rhodf").rules))[0] == rdfs.rhodf_close(graph)
    assert closure(graph, list(program.rules))[0] == rdfs.rhodf_close(graph, reflexive=True)


def test_the_axiomatic_triples_are_those_of_the_specification() -> None:
    found, _ = closure(set(), list(ruleset("rdfs").select("axiomatic").rules))
    by_predicate = Counter(p for _, p, _ in found)
    assert by_predicate == {TYPE: 8, DOMAIN: 16, RANGE: 16, SUB_CLASS_OF: 5, SUB_PROPERTY_OF: 1}
    assert {s for s, p, _ in found if p == DOMAIN} == {s for s, p, _ in found if p == RANGE}
    closed, _ = closure(set(), list(ruleset("rdfs").select("axiomatic", "rdfs").rules))
    assert triples("rdf:nil rdf:type rdf:List . rdf:List rdf:type rdfs:Class . rdf:Seq rdf:type rdfs:Class") <= closed
