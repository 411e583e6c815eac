"""RDFS and rho-df: each row on a case worked out by hand, and what their closures have in common."""

from __future__ import annotations

from hypothesis import given

from tests.oracle import owl2rl
from tests.oracle.graph import Triple
from tests.oracle.notation import triples
from tests.oracle.rdfs import CORE, OPTIONS, rdfs_close, rhodf_close
from tests.rules.rule_cases import RDFS
from tests.strategies.ontologies import graphs
from tests.tables import table


@table("row", CORE)
def test_the_core_says_exactly_this(row: str) -> None:
    given, expected = map(triples, RDFS[row])
    assert rdfs_close(given) == given | expected


@table("row", OPTIONS)
def test_an_option_says_exactly_this_and_is_off_by_default(row: str) -> None:
    given, expected = map(triples, RDFS[row])
    assert rdfs_close(given, options=[row]) == given | expected
    assert rdfs_close(given) == given


def test_rho_df_is_the_core_without_reflexive_rules() -> None:
    given = triples("p rdfs:subPropertyOf q . q rdfs:domain A . q rdfs:range B . A rdfs:subClassOf B . i p j")
    assert rhodf_close(given) == rdfs_close(given)


def test_the_reflexive_rules_of_rho_df() -> None:
    said = rhodf_close(
        triples("p rdfs:domain A . B rdfs:subClassOf C . i rdf:type D . p rdfs:subPropertyOf q"), reflexive=True
    )
    properties = ("p", "q", "rdfs:domain", "rdfs:range", "rdf:type", "rdfs:subClassOf", "rdfs:subPropertyOf")
    assert {t for t in said if t[0] == t[2]} == triples(
        " . ".join([f"{p} rdfs:subPropertyOf {p}" for p in properties] + [f"{c} rdfs:subClassOf {c}" for c in "ABCD"])
    )


@given(graphs())
def test_owl_2_rl_says_all_that_the_core_and_rho_df_say(given_triples: set[Triple]) -> None:
    core = rdfs_close(given_triples)
    assert core == rhodf_close(given_triples)
    assert core <= owl2rl.close(given_triples)[0]
