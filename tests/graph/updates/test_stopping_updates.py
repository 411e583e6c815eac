"""Ctrl-C in an update whose WHERE comes behind other steps, and in the transaction of a commit in memory.

Everything is as before, and the next commit does not wait.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.graph import commits
from kgreason.graph.changes.delta import Delta
from kgreason.store.oxigraph import update
from tests.graph.views import agrees

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
PROGRAM = """
import os, signal, sys, threading
from kgreason import KnowledgeGraph

path = sys.argv[1] if len(sys.argv) > 1 else None
INSERT = "INSERT DATA { <http://e/new> <http://e/p> _:b } ; "
endless = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o"
never = "FILTER(STRLEN(CONCAT(STR(?a), STR(?f), STR(?i), STR(?o))) > 100000)"

def shown(graph):
    return sorted(str(triple) for triple in graph)

def stopped(graph, where):
    timer = threading.Timer(0.5, os.kill, [os.getpid(), %d])
    timer.start()
    try:
        graph.update(INSERT + f"INSERT {{ ?a <http://e/q> ?o }} WHERE {{ {where} }}")
    except KeyboardInterrupt:
        print("stopped")
    timer.join()

with KnowledgeGraph.open(path, rules=["none"]) as graph:
    graph.add("".join(f"<http://e/{n}> <http://e/p> <http://e/{n + 1}> .\\n" for n in range(90)))
    before = shown(graph)
    for where in (f"{endless} {never}", endless):
        stopped(graph, where)
        print(shown(graph) == before == sorted(str(row) for row in graph.construct("CONSTRUCT WHERE { ?s ?p ?o }")))
    graph.update(INSERT + "INSERT { ?s <http://e/q> ?s } WHERE { ?s <http://e/p> ?o FILTER isBlank(?o) }")
    print(len(graph) - len(before))
    stopped(graph, f"{endless} {never}")
    if not path:
        print(2)
if path:
    with KnowledgeGraph.open(path) as graph:
        print(len(graph) - len(before))
"""


@pytest.mark.parametrize("place", ["memory", "disk"])
def test_ctrl_c_ends_a_where_behind_other_steps(place: str, tmp_path: Path) -> None:
    """In a process of its own, which ends although Oxigraph still evaluates."""
    command = [sys.executable, "-c", PROGRAM % signal.SIGINT, *([str(tmp_path / "store")] if place == "disk" else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["stopped", "True", "stopped", "True", "2", "stopped", "2"]


@pytest.mark.parametrize("is_added_to", [False, True])
def test_ctrl_c_ends_the_transaction_of_a_commit_in_memory(monkeypatch: pytest.MonkeyPatch, is_added_to: bool) -> None:
    monkeypatch.setattr(update, "_PIECE", 1000)
    left, is_stopped = 0, update.Update._is_stopped

    def struck(self: update.Update) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)
        return is_stopped(self)

    monkeypatch.setattr(update.Update, "_is_stopped", struck)
    rows = [f"<http://e/{n}> <http://e/p> <http://e/{n + 1}> .\n" for n in range(100)]
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add("".join(rows))
        before, store = triples(graph), graph._home.store
        edit = " ; ".join(["DELETE WHERE { ?s <http://e/p> ?o }", *[f"INSERT DATA {{ {rows[3]} }}"] * is_added_to])
        for number in (1, 3):
            left = number
            with pytest.raises(KeyboardInterrupt):
                graph.update(edit)
            assert triples(graph) == before
            assert graph._home.store is store
        graph.update(edit)
        assert len(triples(graph)) == is_added_to


def test_where_most_goes_from_memory_the_rest_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "SMALL", 10)
    rows = [f"<http://e/{n}> <http://e/p> <http://e/{n + 1}> .\n" for n in range(40)]
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add("".join(rows), "GRAPH <http://e/g> { _:b <http://e/p> <http://e/o> }")
        store, heard = graph._home.store, list[Delta]()
        graph.subscribe(heard.append)
        graph.remove("".join(rows[30:]))
        assert graph._home.store is store
        delta = graph.remove("".join(rows[5:30]))
        assert graph._home.store is not store
        assert [delta.commit for delta in heard] == [2, 3]
        assert len(delta.disappeared()) == 25
        assert len(triples(graph)) == 6
        assert agrees(graph)
        graph.add(rows[9])
        assert agrees(graph)


def triples(graph: KnowledgeGraph) -> set[str]:
    """The triples of a graph, as it and its store show them."""
    found = {str(row) for row in graph.construct("CONSTRUCT WHERE { ?s ?p ?o }")}
    assert found == {str(triple) for triple in graph}
    return found
