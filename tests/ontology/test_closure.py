"""The law of the front end: closing the schema, translating it and running the rules is running the W3C tables.

The oracle applies the tables to all triples at once and knows nothing of axioms, rules or strata.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from kgreason.rules.model import Triple
from tests.oracle import owl2rl
from tests.oracle.rdfs import rdfs_close, rhodf_close
from tests.strategies.axioms import KINDS, META
from tests.strategies.ontologies import graphs
from tests.volume import many

from .pipeline import materialize, visible
from .reading import turtle


@settings(max_examples=many(6))
@given(graphs(KINDS - META))
def test_translated_rules_have_the_closure_of_the_tables(graph: set[Triple]) -> None:
    triples, contradictions = owl2rl.close(graph, without=owl2rl.TABLE_8)
    found = materialize(graph)
    assert found.triples == triples | graph
    if not found.needed:
        expected = {frozenset(visible(set(each.facts))) for each in contradictions}
        assert minimal(found.contradictions) == minimal(expected)


def minimal(violations: set[frozenset[Triple]]) -> set[frozenset[Triple]]:
    """The violations that no smaller one explains.

    cls-maxqc1 over owl:Thing says again, with a type more, what cls-maxqc2 says: the translation leaves it out.
    """
    return {facts for facts in violations if not any(other < facts for other in violations)}


@settings(max_examples=many(6))
@given(graphs(META | {"subClassOf", "inverseOf", "domain", "range"}, max_axioms=6))
def test_where_schema_and_data_mix(graph: set[Triple]) -> None:
    assert materialize(graph).triples == owl2rl.close(graph, without=owl2rl.TABLE_8)[0] | graph


@settings(max_examples=many(6))
@given(graphs())
def test_the_closure_of_rdfs(graph: set[Triple]) -> None:
    assert materialize(graph, "rdfs").triples == visible(rdfs_close(graph)) | graph


@settings(max_examples=many(6))
@given(graphs())
def test_the_closure_of_rho_df(graph: set[Triple]) -> None:
    assert materialize(graph, "rhodf").triples == visible(rhodf_close(graph)) | graph


def test_two_restrictions_meet_through_their_fillers() -> None:
    """docs/architecture/ontology.md: no axiom says that r1 is below r2, the closed schema does."""
    graph = turtle(
        """_:r1 owl:onProperty :p ; owl:someValuesFrom :A . _:r2 owl:onProperty :p ; owl:someValuesFrom :B .
        :A rdfs:subClassOf :B . :C rdfs:subClassOf _:r1 . :i a :C ."""
    )
    assert turtle(":i a _:r1 , _:r2 .") <= materialize(graph).triples


@pytest.mark.parametrize(
    "text",
    [
        ":below owl:sameAs rdfs:subClassOf . :A :below :B . :i a :A .",
        ":Order owl:sameAs owl:TransitiveProperty . :p a :Order . :i :p :j . :j :p :k .",
        ":p a owl:FunctionalProperty . :i :p :q , :r . :r rdfs:domain :C . :j :q :k .",
        "rdfs:subClassOf a :Order . :Order rdfs:subClassOf owl:TransitiveProperty . :A rdfs:subClassOf :B . :B :p :C .",
        ":additional rdfs:subPropertyOf rdf:type . :p :additional owl:SymmetricProperty . :i :p :j .",
    ],
)
def test_data_that_says_something_about_the_schema(text: str) -> None:
    graph = turtle(text)
    expected = owl2rl.close(graph, without=owl2rl.TABLE_8)[0] | graph
    found = materialize(graph)
    assert found.triples == expected
    assert found.needed
