"""Where Ctrl-C acts: in everything that may take long, and at once in the code of users."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.interrupts import undivided
from kgreason.store.journal.journal import Journal
from kgreason.store.journal.record import Record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
CAT, ANIMAL, SC = "<http://e/Cat>", "<http://e/Animal>", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
TOM = ("<http://e/tom>", "a", ANIMAL)
Work = Callable[[KnowledgeGraph], object]


@pytest.fixture
def graph() -> Iterator[KnowledgeGraph]:
    with KnowledgeGraph.open(history="all") as graph:
        graph.add(("<http://e/tom>", "a", CAT), (CAT, SC, ANIMAL))
        yield graph


def what_if(graph: KnowledgeGraph) -> None:
    with graph.what_if() as tx:
        tx.add("<http://e/new> a <http://e/Cat> .")


def load(graph: KnowledgeGraph) -> None:
    graph.load(Path(__file__).parents[2] / "ontologies" / "univ-bench.ttl")


WORKS: dict[str, Work] = {
    "add": lambda graph: graph.add("<http://e/new> a <http://e/Cat> ."),
    "remove": lambda graph: graph.remove("<http://e/tom> a <http://e/Cat> ."),
    "load": load,
    "axioms": lambda graph: graph.add((ANIMAL, SC, "<http://e/Thing>")),
    "rules": lambda graph: graph.transaction().add_rules("new(?x) :- [?x, a, ?y] .").end(True),
    "relation": lambda graph: graph.relation("new", 1).insert([(1,)]),
    "update": lambda graph: graph.update("INSERT { ?x <http://e/new> ?y } WHERE { ?x a ?y }"),
    "what_if": what_if,
    "revert": lambda graph: graph.revert(1),
    "as_of": lambda graph: graph.as_of(1),
    "explain": lambda graph: graph.explain(TOM),
    "standing": lambda graph: graph.standing("SELECT * { ?x a ?y }", lambda _: None),
}


@pytest.mark.parametrize("name", WORKS)
def test_a_noted_ctrl_c_acts_before_the_end(graph: KnowledgeGraph, name: str) -> None:
    """All of the work is undivided here, so only a place inside the work can raise KeyboardInterrupt."""
    ended, before = [], set(graph)

    def work() -> None:
        with undivided():
            signal.raise_signal(signal.SIGINT)
            WORKS[name](graph)
            ended.append(name)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert not ended
    assert graph.commit == 1
    assert set(graph) == before
    WORKS[name](graph)


def test_a_commit_in_the_journal_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ctrl-C after the record is written: the commit is accepted, and the call raises KeyboardInterrupt."""
    append = Journal.append

    def interrupted(self: Journal, record: Record) -> None:
        append(self, record)
        signal.raise_signal(signal.SIGINT)

    with KnowledgeGraph.open(tmp_path) as graph:
        graph.add((CAT, SC, ANIMAL))
        monkeypatch.setattr(Journal, "append", interrupted)
        heard: list[Delta] = []
        graph.subscribe(heard.append)
        with pytest.raises(KeyboardInterrupt):
            graph.add(("<http://e/tom>", "a", CAT))
        assert graph.commit == 2
        assert TOM in graph
        assert len(heard) == 1


def test_ctrl_c_acts_at_once_in_a_function_that_rules_call(graph: KnowledgeGraph) -> None:
    reached = []

    @graph.function
    def slow(text: str) -> str:
        signal.raise_signal(signal.SIGINT)
        reached.append(text)
        return text

    with graph.transaction() as tx:
        tx.add_rules("[?x, <http://e/slow>, ?z] :- [?x, <http://e/name>, ?y], BIND(slow(?y) AS ?z) .")
    before = set(graph)
    with pytest.raises(KeyboardInterrupt):
        graph.add('<http://e/tom> <http://e/name> "Tom" .')
    assert not reached
    assert set(graph) == before
    graph.add("<http://e/kim> a <http://e/Cat> .")


def test_ctrl_c_acts_at_once_in_a_subscriber(graph: KnowledgeGraph) -> None:
    reached, heard = [], list[Delta]()

    def slow(delta: Delta) -> None:
        signal.raise_signal(signal.SIGINT)
        reached.append(delta)

    end = graph.subscribe(slow)
    graph.subscribe(heard.append)
    with pytest.raises(KeyboardInterrupt):
        graph.add("<http://e/kim> a <http://e/Cat> .")
    assert (graph.commit, len(reached), len(heard)) == (2, 0, 1)
    end()
    graph.add("<http://e/jim> a <http://e/Cat> .")
    assert len(heard) == 2
