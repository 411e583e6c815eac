"""Rules that say NOT speak of individuals: under owl:sameAs they mean the same for every name of one individual."""

from __future__ import annotations

import pytest

from kgreason import KnowledgeGraph
from kgreason.options import SameAsMode
from tests.histories.drawn import SAME
from tests.histories.individuals import MODES


@pytest.mark.parametrize("mode", MODES)
def test_a_constant_under_data_has_the_names_that_a_link_gave_it_before(mode: SameAsMode) -> None:
    graph = KnowledgeGraph.open(rules=["owl2rl"], same_as=mode)
    with graph.transaction() as transaction:
        transaction.add_rules("@prefix : <http://e/> . [?x, :r, :a] :- DATA [:d, :q, ?x] .")
        transaction.add(("<http://e/d>", SAME, "<http://e/f>"))
    graph.add(("<http://e/f>", "<http://e/q>", "<http://e/a>"))
    assert graph.query("ASK { <http://e/a> <http://e/r> <http://e/a> }")


@pytest.mark.parametrize("mode", MODES)
def test_a_result_is_known_by_all_its_names(mode: SameAsMode) -> None:
    graph = KnowledgeGraph.open(rules=["owl2rl"], same_as=mode)
    with graph.transaction() as transaction:
        transaction.add_rules(
            "@prefix : <http://e/> . made(?x, ?s) :- [?x, :iri, ?v], BIND(IRI(?v) AS ?s) ."
            "[?x, :found, ?y] :- made(?x, ?s), [?s, :p, ?y] ."
        )
    graph.add('<http://e/q> <http://e/iri> "http://e/b" . <http://e/a> <http://e/p> <http://e/y> .')
    found = "ASK { <http://e/q> <http://e/found> <http://e/y> }"
    assert not graph.query(found)
    graph.add(("<http://e/a>", SAME, "<http://e/b>"))
    assert graph.query(found)
    proof = graph.explain(("<http://e/q>", "<http://e/found>", "<http://e/y>"))
    assert proof is not None
    assert SAME in proof.to_text()
    graph.remove(("<http://e/a>", SAME, "<http://e/b>"))
    assert not graph.query(found)
