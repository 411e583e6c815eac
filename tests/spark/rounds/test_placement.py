"""Division and placement, which are functions of the program: each rule becomes local to a part, and means the same."""

from __future__ import annotations

import pytest

from kgreason.rules.formatter import format_rule
from kgreason.rules.parser import parse
from kgreason.rules.patterns import with_numbered_variables
from kgreason.spark.rounds.division import is_hidden, local_rules
from kgreason.spark.rounds.listing import lines_of
from kgreason.spark.rounds.placement import TOGETHER, PatternPlace, Placement, is_small, parts_of, placement
from tests.oracle.datalog import close
from tests.spark.rounds.whole import random_program
from tests.volume import many

PREFIXES = {"": "http://e/", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
BEGIN = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in PREFIXES.items())


def placed(text: str) -> Placement:
    return placement(parse(BEGIN + text).rules)


def shown(text: str) -> list[str]:
    """The lines of a placement."""
    return list(lines_of(placed(text), PREFIXES))


def test_a_star_is_placed_by_the_variable_that_its_atoms_share() -> None:
    assert shown("h(?x) :- p(?x, ?y), q(?y, ?z), r(?w, ?y, ?w) .") == [
        "by ?1",
        "    q(?1, ?2)",
        "by ?2",
        "    p(?1, ?2)",
        "    r(?1, ?2, ?1)",
    ]


def test_a_path_of_three_is_divided() -> None:
    lines = shown("h(?x, ?w) :- p(?x, ?y), q(?y, ?z), r(?z, ?w) .")
    assert lines[lines.index("divided") + 1 :] == [
        "    join1(?v0, ?v2) :- p(?v0, ?v1), q(?v1, ?v2) .",
        "    h(?x, ?w) :- join1(?x, ?z), r(?z, ?w) .",
    ]


def test_a_hidden_relation_has_only_what_is_read_and_equal_joins_share_it() -> None:
    rules = placed("h(?x) :- p(?x, ?y), q(?y, ?z), r(?z, ?w) . g(?b) :- p(?a, ?b), q(?b, ?c), s(?c, ?b) .").rules
    assert [len(rule.heads[0].terms) for rule in rules if is_hidden(rule.heads[0])] == [2]
    both = placed("h(?x, ?w) :- p(?x, ?y), q(?y, ?z), r(?z, ?w) . g(?a, ?d) :- p(?a, ?b), q(?b, ?c), t(?c, ?d) .").rules
    assert sum(is_hidden(rule.heads[0]) for rule in both) == 1


def test_of_a_product_all_atoms_but_the_first_are_everywhere() -> None:
    assert shown("h(?x, ?y) :- p(?x), q(?y), r(?z) .") == ["everywhere", "    q(?1)", "    r(?1)"]


def test_schema_is_everywhere_and_a_rule_that_reads_it_alone_runs_once() -> None:
    of_data, of_schema = (
        "[?x, :p, ?d] :- [?x, a, ?c], [?c, rdfs:subClassOf, ?d] .",
        "[?c, rdfs:subClassOf, ?d] :- scm_twin(?c, ?d) .",
    )
    assert shown(f"{of_data} {of_schema}") == [
        "everywhere",
        "    [?1, rdfs:subClassOf, ?2]",
        "    scm_twin(?1, ?2)",
        "in the first part alone",
        f"    {of_schema}",
    ]


def test_all_that_an_operator_reads_and_asserts_about_a_key_is_placed_by_one_variable() -> None:
    rules = """h(?x) :- p(?x, ?y), NOT q(?y, ?x) . h(?n) :- AGGREGATE(r(?x, ?y) BIND COUNT(*) AS ?n) .
        h(?z) :- s(?x), BIND(?x + 1 AS ?z) ."""
    found = placed(rules)
    keys = {type(each).__name__: key for each, key in found.keys.items()}
    assert keys == {"Negation": 0, "Aggregation": TOGETHER, "Expression": 0}
    for operator, key in found.keys.items():
        variables, atoms = parts_of(operator)
        columns = [TOGETHER if key == TOGETHER else atom.terms.index(variables[key]) for atom in atoms]
        assert {
            PatternPlace(with_numbered_variables(atom), column) for atom, column in zip(atoms, columns, strict=True)
        } <= {*found.places}
    assert "    r(?1, ?2)" in (lines := shown(rules))[lines.index("in the first part") :]


def test_types_are_not_placed_by_their_class_if_a_subject_is_shared_too() -> None:
    found = placed("h(?x) :- [?x, a, ?c], [?x, :of, ?c] .").places
    assert {place.column for place in found} == {0}


def test_a_contradiction_has_the_terms_of_the_rule_as_it_was_given() -> None:
    (rule,) = parse(f"{BEGIN} @rule odd false :- [?x, :p, ?y], [?y, :q, ?z], [?z, :p, ?x] .").rules
    last = local_rules([rule], is_small)[-1].rule
    assert format_rule(last, PREFIXES).startswith('false("odd", ?x, ?y, ?z, :p, :q) :-')


@pytest.mark.parametrize("first", [0, 1000])
def test_without_hidden_facts_the_divided_rules_have_the_same_closure(first: int) -> None:
    for seed in range(first, first + many(25)):
        rules, facts = random_program(seed)
        local = [each.rule for each in local_rules(rules, is_small)]
        found = {fact for fact in close(facts, local) if not str(fact[0]).startswith("join ")}
        assert found == close(facts, rules).keys(), seed


def test_each_rule_is_local() -> None:
    """Its spread atoms are placed by one variable, or there is one of them alone; all others are everywhere."""
    for seed in range(many(50)):
        rules, _ = random_program(seed)
        places = set(placement(rules).places)
        for _, spread, variables, copied in local_rules(rules, is_small):
            assert {PatternPlace(with_numbered_variables(atom), None) for atom in copied} <= places
            ways = [
                {PatternPlace(with_numbered_variables(atom), atom.terms.index(each)) for atom in spread}
                for each in variables
            ]
            assert len(spread) < 2 or any(way <= places for way in ways)
