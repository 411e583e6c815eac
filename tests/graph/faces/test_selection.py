"""Rule sets with more of their groups than are on by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import RuleError
from kgreason.materialize.selection import select

CLASS = "ASK { owl:Thing a owl:Class }"
SAME = "ASK { <http://e/a> owl:sameAs <http://e/a> }"
OWL = "PREFIX owl: <http://www.w3.org/2002/07/owl#> "


def test_a_group_that_is_switched_on_stays_on(tmp_path: Path) -> None:
    for _ in range(2):
        with KnowledgeGraph.open(tmp_path / "store", rules=["owl2rl+thing+eq-ref"]) as graph:
            with graph.transaction() as tx:
                tx.add(("<http://e/a>", "<http://e/p>", "<http://e/b>"))
            assert graph.query(OWL + CLASS)
            assert graph.query(OWL + SAME)
            assert {"cls-thing", "eq-ref"} <= {rule["name"] for rule in graph.rules()}


def test_other_groups_stay_off() -> None:
    with KnowledgeGraph.open(rules=["owl2rl+thing"]) as graph:
        with graph.transaction() as tx:
            tx.add(("<http://e/a>", "<http://e/p>", "<http://e/b>"))
        assert graph.query(OWL + CLASS)
        assert not graph.query(OWL + SAME)


@pytest.mark.parametrize("name", ["owl2rl+axiomatic", "rdfs+", "none+eq", "swrl+eq"])
def test_unknown_groups(name: str) -> None:
    with pytest.raises(RuleError):
        select([name])
