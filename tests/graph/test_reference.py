"""The executable specification behind the same face: a graph cannot be told from one that the engine evaluates."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from kgreason.errors import RuleError, StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.oracle.notation import triples

from .histories import PREFIXES, RULES, Edit, Model, histories
from .states import in_default
from .test_edits import check, check_delta, commit, told, tried
from .test_explain import BEING, TAXONOMY
from .views import lasting, view

SMALL = {"subClassOf", "inverseOf", "domain", "TransitiveProperty", "sameAs", "disjointWith"}


def told_alike(edits: list[Edit], *, try_out: bool) -> None:
    model = Model()
    with KnowledgeGraph.open(engine="reference") as slow, KnowledgeGraph.open() as fast:
        for edit in edits:
            before, model = model, model.after(edit)
            supposed = tried(slow, edit) if try_out else None
            delta = commit(slow, edit)
            assert told(delta) == told(commit(fast, edit))
            assert supposed is None or told(supposed) == told(delta)
            check_delta(delta, edit, before, model)
            check(slow, model)
            assert lasting(view(slow))._replace(contradictions=(), stats={}, rules=()) == lasting(view(fast))._replace(
                contradictions=(), stats={}, rules=()
            )


@settings(max_examples=3)
@given(edits=histories(SMALL, steps=1))
def test_the_specification_tells_the_same(edits: list[Edit]) -> None:
    told_alike(edits, try_out=False)


@pytest.mark.slow
@settings(max_examples=60)
@given(edits=histories())
def test_the_specification_tells_the_same_of_everything(edits: list[Edit]) -> None:
    told_alike(edits, try_out=True)


def test_a_proof_by_the_specification() -> None:
    proofs = []
    for engine in ("reference", "columnar"):
        with KnowledgeGraph.open(engine=engine) as graph:
            commit(graph, Edit(added=tuple(in_default(triples(f"{TAXONOMY} . i p i"))), rules_added=("reach", "hub")))
            converse = next(iter(triples("i q i")))
            proofs.append([graph.explain(BEING).to_text(), *sorted(p.to_text() for p in graph.explain_all(converse))])
    assert proofs[0] == proofs[1]
    assert len(proofs[0]) > 1


def test_what_fails_leaves_the_specification_as_it_was() -> None:
    with KnowledgeGraph.open(engine="reference") as graph:
        commit(graph, Edit(added=tuple(in_default(triples(TAXONOMY)))))
        before = lasting(view(graph))
        tx = graph.transaction().add_rules(PREFIXES + RULES["hub"])
        with pytest.raises(RuleError), tx:
            tx.remove_rules("nobody")
        assert lasting(view(graph)) == before


def test_the_specification_keeps_nothing_on_disk(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="has no store on disk"):
        KnowledgeGraph.open(tmp_path / "store", engine="reference")
    assert not (tmp_path / "store").exists()
