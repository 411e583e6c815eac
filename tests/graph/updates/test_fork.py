"""A fork begins as the store is, and the store never hears of what becomes of it; what an update's commits come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.errors import StoreError
from kgreason.graph.fork import fork
from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.cli.calling import files
from tests.graph.views import file_of, lines, rows, view
from tests.store.test_store import AXIOMS, DATA, ONTOLOGY

E = "http://e/"
REQUEST = """
PREFIX : <http://e/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
INSERT DATA { :A rdfs:subClassOf :New . GRAPH :g { :x a :A } } ;
INSERT { ?x :is :new } WHERE { ?x a :New } ;
DELETE DATA { :A rdfs:subClassOf :New }
"""


@pytest.fixture(params=["snapshot", "journal"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store whose last commits are in a snapshot, or in the journal."""
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.load(file_of(tmp_path / "data.nq", f"{ONTOLOGY} . {DATA} . {AXIOMS}"))
        with graph.transaction() as tx:
            tx.add((f"<{E}i>", f"<{E}p>", f"<{E}k>"), (f"<{E}i>", f"<{E}p>", f"<{E}k>", f"<{E}g>"))
            tx.add_rules(f"@rule own [?y, <{E}r>, ?x] :- [?x, <{E}p>, ?y] .")
        if request.param == "snapshot":
            graph._committer().checkpoint()
    return tmp_path / "store"


def test_it_begins_as_the_store_is_and_leaves_it_so(store: Path) -> None:
    with KnowledgeGraph.open(store, read_only=True) as graph, fork(store) as forked:
        before = view(graph)
        assert view(forked)[:-1] == before[:-1]
    kept = files(store)
    with fork(store) as forked:
        updated = forked.update(REQUEST)
        assert forked.query(f"ASK {{ <{E}x> <{E}is> <{E}new> }}")
        with forked.transaction() as tx:
            tx.remove_rules("own")
        assert lines(forked.dump()) != before.asserted | before.inferred
    assert files(store) == kept
    with KnowledgeGraph.open(store) as graph:
        assert view(graph) == before
        assert sorted(graph.update(REQUEST).delta.to_patch()) == sorted(updated.delta.to_patch())


def test_a_fork_is_as_the_store_was(store: Path) -> None:
    """Others may write to the store before and meanwhile: each of the two goes its own way."""
    with KnowledgeGraph.open(store) as graph:
        graph.add((f"{E}before", f"{E}unruled", f"{E}o"))
        with fork(store) as forked:
            before = rows(forked)
            assert before == rows(graph)
            graph.add((f"{E}meanwhile", f"{E}unruled", f"{E}o"))
            assert rows(forked) == before
            forked.add((f"{E}here", f"{E}unruled", f"{E}o"))
            assert rows(forked) ^ rows(graph) == {
                f"<{E}{name}> <{E}unruled> <{E}o> ." for name in ("here", "meanwhile")
            }


def test_stores_that_hold_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        fork(tmp_path / "missing")
    KnowledgeGraph.open(tmp_path / "empty").close()
    with fork(tmp_path / "empty") as forked:
        assert not rows(forked)
        forked.update(REQUEST)
        assert rows(forked)
    with KnowledgeGraph.open(tmp_path / "empty") as graph:
        assert not rows(graph)


def test_a_triple_that_comes_and_goes_in_one_update_is_not_in_its_delta() -> None:
    with KnowledgeGraph.open() as graph:
        updated = graph.update(REQUEST)
        assert f"<{E}New>" not in updated.delta.to_patch()
        assert (f"<{E}x>", f"<{E}is>", f"<{E}new>") in updated.delta.appeared(asserted=True)
        assert not graph.update(f"DELETE DATA {{ <{E}x> <{E}is> <{E}old> }}").delta
