"""Python functions on the command line: --functions MODULE."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kgreason import KnowledgeGraph
from kgreason.cli.commands import main

RULE = "@prefix : <http://e/> . @rule area [?x, :area, ?a] :- [?x, :w, ?w], [?x, :h, ?h], BIND(area(?w, ?h) AS ?a) ."
MODULE = """
def area(w: int, h: int) -> int:
    return w * h
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a module, a rule file and data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "geometry.py").write_text(MODULE)
    (tmp_path / "area.dl").write_text(RULE)
    (tmp_path / "data.ttl").write_text("@prefix : <http://e/> . :a :w 8 ; :h 8 .")
    yield tmp_path
    sys.modules.pop("geometry", None)
    sys.modules.pop("other", None)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_a_store_with_a_function() -> None:
    made = run("load", "-l", "store", "-f", "data.ttl", "--rules", "area.dl", "--functions", "geometry")
    assert made.exit_code == 0, made.output
    assert "64" in run("query", "-l", "store", "--query", "SELECT ?a { ?x <http://e/area> ?a }").output
    explained = run("explain", "-l", "store", ":a :area 64", "--prefix", "=http://e/")
    assert "area(8, 8) = 64" in explained.output
    refused = run("update", "-l", "store", "--update", "INSERT DATA { <http://e/b> <http://e/w> 2 ; <http://e/h> 3 }")
    assert refused.exit_code
    assert "the function area(int, int) -> int is missing" in refused.output
    update = "INSERT DATA { <http://e/b> <http://e/w> 2 ; <http://e/h> 3 }"
    assert not run("update", "-l", "store", "--update", update, "--functions", "geometry.py").exit_code
    told = run("diff", "-l", "store", "--update", update.replace("3", "4"), "--functions", "geometry")
    assert '<http://e/area> "8"' in told.output


def test_counts_while_another_graph_writes() -> None:
    def area(w: int, h: int) -> int:
        return w * h

    run("load", "-l", "store", "-f", "data.ttl", "--rules", "area.dl", "--functions", "geometry")
    with KnowledgeGraph.open("store", functions=[area]) as graph:
        graph.add("<http://e/b> <http://e/w> 2 ; <http://e/h> 3 .")
        for command in ("stats", "profile"):
            assert "the function area is missing" in run(command, "-l", "store").output
            told = run(command, "-l", "store", "--functions", "geometry")
            assert not told.exit_code, told.output


def test_rules_are_added_with_their_functions() -> None:
    assert not run("load", "-l", "store", "-f", "data.ttl", "--rules", "none").exit_code
    refused = run("rules", "add", "-l", "store", "area.dl")
    assert "area.dl:1:88: rule area: area is no function of SPARQL" in refused.output
    added = run("rules", "add", "-l", "store", "area.dl", "--functions", "geometry")
    assert "added 1 rule" in added.output, added.output
    assert "area(?w, ?h)" in run("rules", "list", "-l", "store").output
    assert not run("rules", "remove", "-l", "store", "--name", "area", "--functions", "geometry").exit_code
    assert not run("unload", "-l", "store", "-f", "data.ttl").exit_code


def test_materialize_run_and_check(folder: Path) -> None:
    how = ("--functions", "geometry")
    assert not run("materialize", "data.ttl", "--rules", "area.dl", "-o", "out.nt", *how).exit_code
    assert "64" in (folder / "out.nt").read_text()
    (folder / "p.dl").write_text("size(?x, ?a) :- side(?x, ?w), BIND(area(?w, ?w) AS ?a) .")
    (folder / "side.facts").write_text("x\t3\ny\t5\n")
    assert not run("run", "p.dl", *how).exit_code
    assert (folder / "size.csv").read_text() == "x\t9\ny\t25\n"
    (folder / "false.dl").write_text(
        "@prefix : <http://e/> . false :- [?x, :w, ?w], BIND(area(?w, ?w) AS ?a), FILTER(?a > 9) ."
    )
    assert run("check", "data.ttl", "--rules", "false.dl", *how).exit_code == 1


def test_a_module_may_mark_its_functions(folder: Path) -> None:
    (folder / "other.py").write_text(
        "from kgreason.functions import function\n\n@function\ndef area(w: int, h: int) -> int:\n    return w + h\n\n"
        "def helper(anything):\n    return anything\n"
    )
    run("materialize", "data.ttl", "--rules", "area.dl", "-o", "out.nt", "--functions", "other")
    assert '"16"' in (folder / "out.nt").read_text()


@pytest.mark.parametrize(
    ("module", "problem"),
    [
        ("nowhere", "--functions nowhere: the module cannot be imported: No module named 'nowhere'"),
        ("broken.py", "--functions broken.py: the module cannot be imported: division by zero"),
        ("empty", "--functions empty: the module defines no function"),
        ("untyped", "function f: parameter x needs one of the types"),
    ],
)
def test_a_module_that_cannot_be_used(folder: Path, module: str, problem: str) -> None:
    (folder / "broken.py").write_text("1 / 0")
    (folder / "empty.py").write_text("from math import sin")
    (folder / "untyped.py").write_text("def f(x): return x")
    told = run("materialize", "data.ttl", "--rules", "area.dl", "-o", "out.nt", "--functions", module)
    assert told.exit_code
    assert problem in told.output
    for name in ("broken", "empty", "untyped"):
        sys.modules.pop(name, None)
