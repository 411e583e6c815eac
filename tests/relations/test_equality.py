"""Facts of relations under owl:sameAs: rules read them about individuals, whatever their names."""

from __future__ import annotations

import pytest

from kgreason import KnowledgeGraph
from kgreason.options import SameAsMode
from tests.histories.individuals import MODES


@pytest.mark.parametrize("mode", MODES)
def test_a_rule_finds_a_fact_by_an_equal_term(mode: SameAsMode) -> None:
    with KnowledgeGraph.open(same_as=mode) as graph:
        with graph.transaction() as tx:
            tx.add_rules("[?x, <urn:q>, ?y] :- edge(?x, ?y), [?y, a, <urn:C>] .")
            tx.relation("edge").insert([("urn:x", "urn:z")])
            tx.add(("urn:a", "a", "urn:C"))
        delta = graph.add(("urn:z", "http://www.w3.org/2002/07/owl#sameAs", "urn:a"))
        assert any(predicate == "<urn:q>" for _, predicate, _ in delta.appeared())
        delta = graph.remove(("urn:z", "http://www.w3.org/2002/07/owl#sameAs", "urn:a"))
        assert any(predicate == "<urn:q>" for _, predicate, _ in delta.disappeared())
