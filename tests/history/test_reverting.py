"""`revert` takes a commit back, and says what it could not take back."""

from __future__ import annotations

from pathlib import Path

from kgreason.graph.knowledge_graph import KnowledgeGraph


def test_later_edits_stay() -> None:
    with KnowledgeGraph.open(rules=["none"], history="all") as graph:
        graph.add("<e:a> <e:p> 1 . <e:b> <e:p> 1 . GRAPH <e:g> { <e:a> <e:p> 1 }")
        graph.remove("<e:a> <e:p> 1 .")
        graph.add("<e:c> <e:p> 1 .")
        reverted = graph.revert(1)
        assert [conflict.split(" was ")[1] for conflict in reverted.conflicts] == ["added, and is gone already"]
        assert {quad[0] for quad in reverted.delta.quads(added=False)} == {"<e:a>", "<e:b>"}
        assert graph.ask("ASK { <e:c> <e:p> 1 }")
        assert len(graph) == 1
        assert graph.log(1)[0].headers == {"reverts": "1"}


def test_a_conflict_has_its_whole_literal() -> None:
    with KnowledgeGraph.open(rules=["none"], history="all") as graph:
        graph.add('<e:a> <e:p> "x\x85y" .')
        graph.remove('<e:a> <e:p> "x\x85y" .')
        (conflict,) = graph.revert(1).conflicts
        assert '"x\x85y"' in conflict


def test_a_commit_may_be_taken_back_twice() -> None:
    """Reverting the revert brings everything back; reverting it once more finds nothing to do, and makes no commit."""
    with KnowledgeGraph.open(rules=["none"], history="all") as graph:
        graph.add("<e:a> <e:p> _:b . _:b <e:p> 1 .")
        before = set(graph)
        graph.revert(1)
        graph.revert(2)
        assert set(graph) == before
        again = graph.revert(2)
        assert len(again.conflicts) == 2
        assert again.delta.commit == 0
        assert graph.commit == 3


def test_keys_are_kept() -> None:
    with KnowledgeGraph.open(rules=["none"], history="all") as graph:
        with graph.transaction() as tx:
            tx.add_rules("@relation age(who, years) key(who) .")
        age = graph.relation("age")
        age.insert([("urn:tom", 7), ("urn:kim", 1)])
        age.upsert([("urn:tom", 8)])
        age.upsert([("urn:tom", 9)])
        conflicts = graph.revert(3).conflicts
        assert len(conflicts) == 2
        assert any("is gone already" in conflict for conflict in conflicts)
        assert any("has the same key as" in conflict for conflict in conflicts)
        assert len(age) == 2
        assert graph.revert(4).conflicts == ()
        assert ("urn:tom", 8) in age


def test_a_declaration_and_its_facts_come_back() -> None:
    with KnowledgeGraph.open(rules=["none"], history="all") as graph:
        rules = "@relation age(who, years) key(who) . near(?x) :- age(?x, ?y) ."
        with graph.transaction() as tx:
            tx.add_rules(rules)
            tx.relation("age").insert([("urn:tom", 7)])
        own = graph.own_rules()
        graph.revert(1)
        assert graph.own_rules() == ()
        graph.revert(2)
        assert set(graph.own_rules()) == set(own)
        assert len(graph.relation("near")) == 1


def test_imported_documents_go_and_come_with_their_ontology(tmp_path: Path) -> None:
    (tmp_path / "d.ttl").write_text("<e:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <e:B> .")
    with KnowledgeGraph.open(history="all", catalogue={"http://e/d": tmp_path / "d.ttl"}) as graph:
        graph.add("<e:x> a <e:A> .")
        empty = set(graph)
        owl = "http://www.w3.org/2002/07/owl#"
        graph.add(f"<http://e/o> a <{owl}Ontology> ; <{owl}imports> <http://e/d> .")
        full = set(graph)
        assert graph.ask("ASK { <e:x> a <e:B> }")
        assert graph.revert(2).conflicts == ()
        assert set(graph) == empty
        graph.revert(3)
        assert set(graph) == full
        with graph.as_of(2) as past:
            assert set(past) == full
