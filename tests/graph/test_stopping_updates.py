"""Ctrl-C in an update whose WHERE comes behind other steps: everything is as before, and the next commit does not wait.

Each graph is in a process of its own, which ends although Oxigraph still evaluates.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
    command = [sys.executable, "-c", PROGRAM % signal.SIGINT, *([str(tmp_path / "store")] if place == "disk" else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["stopped", "True", "stopped", "True", "2", "stopped", "2"]
