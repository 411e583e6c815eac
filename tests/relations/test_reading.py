"""Reading a relation: from the engine, from a snapshot, in any transaction, at the cost of what the relation holds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kgreason import KnowledgeGraph
from kgreason.engine.facts.table import FactTable

RULES = "reach(?x, ?y) :- edge(?x, ?y) . reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z) . on() :- edge(?x, ?x) ."


def texts(rows: object) -> set[tuple[str, ...]]:
    return {tuple(map(str, row)) for row in rows}  # type: ignore[attr-defined]


def test_a_relation_read_after_random_commits_is_as_the_state_says() -> None:
    random = Random(7)
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
        for _ in range(8):
            rows = [(random.randrange(6), random.randrange(6)) for _ in range(random.randrange(1, 5))]
            getattr(graph.relation("edge", 2), random.choice(["insert", "insert", "delete"]))(rows)
            with graph.what_if() as tx:
                tx.relation("edge", 2).insert([(8, 9)])
            shown = {line for line in graph.dump_relations() if not line.startswith("on")}
            read = {
                f"{name}({', '.join(row)}) ." for name in ("edge", "reach") for row in texts(graph.relation(name, 2))
            }
            assert read == {line.strip() for line in shown}
            for name in ("edge", "reach"):
                for asserted in (True, False):
                    some = graph.relation(name, 2).facts(asserted=asserted)
                    lines = [line for line in graph.dump_relations(asserted=asserted) if line.startswith(name)]
                    assert len(some) == len(lines)
                    assert all(row in graph.relation(name) for row in some)
            assert (9, 9) not in graph.relation("edge")
            assert len(graph.relation("on", 0)) == any(x == y for x, y in texts(graph.relation("edge", 2)))
            assert (() in graph.relation("on", 0)) == bool(len(graph.relation("on", 0)))


def test_the_second_read_does_not_look_at_all_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
            tx.add("".join(f"<urn:{number}> <urn:p> <urn:q> .\n" for number in range(50)))
            tx.relation("edge", 2).insert([(1, 2), (2, 3)])
        relation = graph.relation("reach")
        assert len(relation) == 3

        def everything(*_: object) -> None:
            raise AssertionError("a read looks at all facts")

        for name in ("contents", "records", "present_rows"):
            monkeypatch.setattr(FactTable, name, everything)
        graph.relation("edge", 2).insert([(3, 4)])
        assert len(relation) == 6
        assert len(relation.match(1, None)) == 3
        assert (1, 4) in relation
        assert (4, 1) not in relation
        assert relation.arity == 2


def test_a_snapshot_is_read_without_an_engine(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path, rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULES)
            tx.relation("edge", 2).insert([(1, 2), (2, 2)])
        expected = [texts(graph.relation(name)) for name in ("edge", "reach", "on")]
    with KnowledgeGraph.open(tmp_path, read_only=True) as graph:
        assert [texts(graph.relation(name)) for name in ("edge", "reach", "on")] == expected
        assert (1, 2) in graph.relation("reach")
        assert (2, 1) not in graph.relation("reach")
        assert () in graph.relation("on")
        assert len(graph.relation("none", 3)) == 0
        assert (1, 2, 3) not in graph.relation("none", 3)
