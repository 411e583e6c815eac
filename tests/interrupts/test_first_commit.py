"""Ctrl-C in the first commit of a process, while kernels are loaded: later commits of the process are right."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.volume import many

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGINT of its own")
SC = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
CHILD = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from kgreason import KnowledgeGraph

interrupted, facts = 0, "<http://e/a> a <http://e/C> . <http://e/C> <{SC}> <http://e/D> ."
try:
    print("ready", flush=True)
    graph = KnowledgeGraph.open(rules=["owl2rl"])
    graph.add(facts)
except KeyboardInterrupt:
    interrupted += 1
signal.signal(signal.SIGINT, signal.SIG_IGN)
graph = KnowledgeGraph.open(rules=["owl2rl"])
graph.add(facts)
graph.remove("<http://e/a> a <http://e/C> .")
graph.add("<http://e/b> a <http://e/C> .")
print(interrupted, ("http://e/b", "a", "http://e/D") in graph, ("http://e/a", "a", "http://e/D") in graph)
"""
SECONDS = 1.2
"""The first commit of a process takes less on a usual machine."""


def test_ctrl_c_while_kernels_are_loaded_breaks_nothing() -> None:
    count, told = many(8), []
    for number in range(count):
        command = [sys.executable, "-c", CHILD.replace("{SC}", SC)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(SECONDS * number / count)
            child.send_signal(signal.SIGINT)
            output, errors = child.communicate()
        told.append((output.rstrip(), errors))
    assert {(output.split(" ", 1)[-1], errors) for output, errors in told} == {("True False", "")}
    assert any(output.startswith("1") for output, _ in told)
