"""Why a fact of a relation does not hold."""

from __future__ import annotations

from typing import get_args

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import InputError
from kgreason.options import SameAsMode

RULES = """
@relation edge(from, to, weight: xsd:integer) .
near(?x, ?y) :- edge(?x, ?y, ?w), FILTER(?w < 10), NOT closed(?y) .
near(?x, ?y, 1) :- near(?x, ?y) .
"""


def test_it_tells_the_conditions_that_fail() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
            tx.relation("edge").insert([("urn:a", "urn:b", 5), ("urn:a", "urn:c", 50)])
            tx.relation("closed").insert([("urn:b",)])
        near = graph.relation("near", 2)
        (attempt,) = near.why_not(("urn:a", "urn:b")).attempts
        assert [(each.kind, len(each.facts)) for each in attempt.fails] == [("absent", 1)]
        (attempt,) = near.why_not(("urn:a", "urn:c")).attempts
        assert [each.kind for each in attempt.fails] == ["computed"]
        (attempt,) = near.why_not(("ex:a", "ex:d"), prefixes={"ex": "urn:"}).attempts
        assert [each.kind for each in attempt.fails] == ["missing"]
        answer = graph.relation("edge").why_not(("urn:a", "urn:z", 1))
        assert not answer.attempts
        assert answer.unknown == ("<urn:z>",)
        assert answer.to_json()["relation"] == "edge"
        assert graph.relation("edge").why_not(("urn:a", "urn:b", 5)).holds
        with pytest.raises(InputError, match="column weight"):
            graph.relation("edge").why_not(("urn:a", "urn:b", "far"))


@pytest.mark.parametrize("mode", get_args(SameAsMode))
def test_equal_names_are_one_individual(mode: SameAsMode) -> None:
    with KnowledgeGraph.open(same_as=mode) as graph:
        with graph.transaction() as tx:
            tx.add_rules("q(?x) :- edge(?x, ?y), [?y, a, <urn:C>] .")
            tx.relation("edge").insert([("urn:x", "urn:z")])
            tx.add(("urn:z", "http://www.w3.org/2002/07/owl#sameAs", "urn:a"))
        (attempt,) = graph.relation("q").why_not(("urn:x",)).attempts
        assert [each.kind for each in attempt.fails] == ["missing"]
        graph.add(("urn:a", "a", "urn:C"))
        assert graph.relation("q").why_not(("urn:x",)).holds
