"""The executable specification behind the same face: a graph cannot be told from one that the engine evaluates."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from kgreason.errors import RuleError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.graph.commits.test_edits import check, check_delta, commit, content, delta_of_what_if
from tests.graph.faces.test_explain import BEING, TAXONOMY
from tests.graph.histories import PREFIXES, RULES, Edit, Model, histories
from tests.graph.states import in_default
from tests.graph.views import lasting, view
from tests.oracle.notation import triples
from tests.oracle.specification import by_definition
from tests.volume import many


def check_same(edits: list[Edit]) -> None:
    model = Model()
    with by_definition() as slow, KnowledgeGraph.open() as fast:
        for edit in edits:
            before, model = model, model.after(edit)
            supposed = delta_of_what_if(slow, edit)
            delta = commit(slow, edit)
            assert content(delta) == content(commit(fast, edit))
            assert content(supposed) == content(delta)
            check_delta(delta, edit, before, model)
            check(slow, model)
            assert lasting(view(slow))._replace(contradictions=(), stats={}, rules=()) == lasting(view(fast))._replace(
                contradictions=(), stats={}, rules=()
            )


@settings(max_examples=many(6))
@given(edits=histories())
def test_the_specification_tells_the_same(edits: list[Edit]) -> None:
    check_same(edits)


def test_a_proof_by_the_specification() -> None:
    proofs = []
    for opened in (by_definition, KnowledgeGraph.open):
        with opened() as graph:
            commit(graph, Edit(added=tuple(in_default(triples(f"{TAXONOMY} . i p i"))), rules_added=("reach", "hub")))
            converse = next(iter(triples("i q i")))
            proofs.append([graph.explain(BEING).to_text(), *sorted(p.to_text() for p in graph.explain_all(converse))])
    assert proofs[0] == proofs[1]
    assert len(proofs[0]) > 1


EVERYTHING = """
@prefix : <http://e/> .
@rule alone [?x, :alone, true] :- [?x, :to, ?y], NOT EXISTS ?z IN ([?z, :to, ?x]), FILTER(isIRI(?y)) .
@rule next [?x, :next, ?n] :- [?x, :length, ?l], BIND(?l + 1 AS ?n), FILTER(?n < 9) .
@rule count [?x, :count, ?n] :- AGGREGATE([?x, :to, ?y] ON ?x BIND COUNT(*) AS ?n) .
@rule total [:all, :total, ?n] :- AGGREGATE([?x, :count, ?c] BIND SUM(?c) AS ?n), NOT [:all, :hidden, true] .
@rule node [?x, :node, ?b] :- [?x, :length, ?l], BIND(SKOLEM("n", ?x) AS ?b) .
@rule told [?x, :told, ?y] :- DATA [?x, :to, ?y] .
@rule first candidate(:a, 0) :- [:a, :to, ?y] .
@rule further candidate(?y, ?d) :- distance(?x, ?c), [?x, :to, ?y], [?x, :length, ?l], BIND(?c + ?l AS ?d) .
@rule least distance(?y, ?d) :- AGGREGATE(candidate(?y, ?c) ON ?y BIND MIN(?c) AS ?d) .
@rule far [?x, :far, ?d] :- distance(?x, ?d) .
"""
DATA = "PREFIX : <http://e/> INSERT DATA { :a :to :b, :c ; :length 1 . :b :to :d ; :length 4 . :c :to :d ; :length 2 }"
EDITS = (
    "DELETE DATA { :c :to :d }",
    "INSERT DATA { :d :to :a ; :length 8 . :all :hidden true }",
    "DELETE DATA { :all :hidden true . :a :to :c }",
    "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
)


def test_rules_say_everything_to_the_specification_too() -> None:
    with by_definition(rules=[]) as slow, KnowledgeGraph.open(rules=[]) as fast:
        for graph in (slow, fast):
            with graph.transaction() as tx:
                tx.add_rules(EVERYTHING)
            graph.update(DATA)
        assert rows(slow) == rows(fast)
        assert '<http://e/d> <http://e/far> "3"' in "\n".join(rows(slow))
        for edit in EDITS:
            for graph in (slow, fast):
                graph.update(f"PREFIX : <http://e/> {edit}")
            assert rows(slow) == rows(fast)
        for graph in (slow, fast):
            graph.update(DATA)
            with graph.transaction() as tx:
                tx.remove_rules("count")
        assert rows(slow) == rows(fast)
        assert not any("total" in line for line in rows(slow))


def test_proofs_show_what_is_absent_and_computed_by_the_specification_too() -> None:
    proofs = []
    for opened in (by_definition, KnowledgeGraph.open):
        with opened(rules=[]) as graph:
            with graph.transaction() as tx:
                tx.add_rules(EVERYTHING)
            graph.update(DATA)
            proofs.append([graph.explain(f"{line} .").to_text() for line in rows(graph)])
    assert proofs[0] == proofs[1]
    assert any("no [?v0, <http://e/to>, <http://e/a>]" in proof for proof in proofs[0])


def rows(graph: KnowledgeGraph) -> list[str]:
    """All triples, asserted and derived."""
    return sorted(" ".join(map(str, row)) for row in graph.select("SELECT * { ?s ?p ?o }"))


def test_a_failure_leaves_the_specification_as_it_was() -> None:
    with by_definition() as graph:
        commit(graph, Edit(added=tuple(in_default(triples(TAXONOMY)))))
        before = lasting(view(graph))
        tx = graph.transaction().add_rules(PREFIXES + RULES["hub"])
        with pytest.raises(RuleError), tx:
            tx.remove_rules("nobody")
        assert lasting(view(graph)) == before
