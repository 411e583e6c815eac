"""The commands that look back: log, query --as-of, revert, backup."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgreason.errors import StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.cli.calling import call, error_of, succeed
from tests.graph.views import lines

E = "http://e/"
WRITER = """
import sys
from kgreason.graph.knowledge_graph import KnowledgeGraph
with KnowledgeGraph.open(sys.argv[1], rules=["rdfs"], history="all") as graph:
    graph.add("<e:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <e:B> .")
    print("ready", flush=True)
    for number in range(100_000):
        graph.add(f"<e:{number}> a <e:A> .")
        if number % 50 == 49:
            graph._committer().checkpoint()
        if number % 10 == 9:
            graph.remove(f"<e:{number - 5}> a <e:A> .")
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    file = tmp_path / "a.ttl"
    file.write_text(f"<{E}Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <{E}Pet> . <{E}tom> a <{E}Cat> .")
    succeed("load", "-l", tmp_path / "store", "-f", file, "--rules", "rdfs", "--history", "all")
    succeed("update", "-l", tmp_path / "store", "-u", f"INSERT DATA {{ <{E}kim> a <{E}Cat> }}")
    return tmp_path / "store"


def test_log(store: Path) -> None:
    title, *lines = succeed("log", "-l", store).splitlines()
    assert [line.split()[0] for line in lines] == ["2", "1"]
    assert title.split()[0] == "commit"
    heads = json.loads(succeed("log", "-l", store, "--json"))
    assert [head["appeared"] for head in heads] == [{"asserted": 1, "inferred": 1}, {"asserted": 2, "inferred": 1}]
    assert succeed("log", "-l", store, "--limit", 0) == ""
    patch = succeed("log", "-l", store, "--diff", 2, 1, "--prefix", f"={E}")
    assert sorted(patch.splitlines()[1:-1]) == ["D :kim a :Cat .", "D :kim a :Pet ."]
    delta = json.loads(succeed("log", "-l", store, "--diff", 1, 2, "--json"))
    assert len(delta["appeared"]["inferred"]) == 1


def test_rules_are_told(store: Path, tmp_path: Path) -> None:
    (tmp_path / "own.dl").write_text(f"@rule own [?x, <{E}p>, ?x] :- [?x, a, <{E}Cat>] .")
    succeed("rules", "add", "-l", store, tmp_path / "own.dl")
    assert succeed("log", "-l", store).splitlines()[1].endswith("+1")
    assert "# rule added: # from" in succeed("log", "-l", store, "--diff", 2, 3)
    succeed("revert", "-l", store, 3)
    assert KnowledgeGraph.open(store, read_only=True).own_rules() == ()


def test_as_of(store: Path) -> None:
    query = f"SELECT ?x {{ ?x a <{E}Pet> }}"
    assert succeed("query", "-l", store, "--query", query, "--as-of", 1).split() == ["x", f"{E}tom"]
    assert (
        error_of("query", "-l", store, "--query", query, "--as-of", 9) == "there is no commit 9; the last commit is 2"
    )


def test_revert(store: Path) -> None:
    result = call("revert", "-l", store, 2)
    assert result.stdout.startswith("took commit 2 back in ")
    again = call("revert", "-l", store, 2, "--json")
    assert len(json.loads(again.stdout)["conflicts"]) == 1
    assert "is gone already" in again.stderr
    assert error_of("revert", "-l", store, 0, status=2)


def test_wrong_options(store: Path, tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_text(f"<{E}a> a <{E}b> .")
    assert "must be all, none, or a number" in error_of(
        "load", "-l", tmp_path / "other", "-f", tmp_path / "b.ttl", "--history", "some"
    )
    assert "keeps its history" in error_of("load", "-l", store, "-f", tmp_path / "b.ttl", "--history", "none")


def test_a_copy_is_a_store(store: Path, tmp_path: Path) -> None:
    assert succeed("backup", "-l", store, tmp_path / "copy") == "copied the store as of commit 2\n"
    assert json.loads(succeed("backup", "-l", store, tmp_path / "deep" / "copy", "--json")) == {"commit": 2}
    assert succeed("log", "-l", tmp_path / "copy") == succeed("log", "-l", store)
    succeed("update", "-l", tmp_path / "copy", "-u", f"INSERT DATA {{ <{E}new> a <{E}Cat> }}")
    assert len(succeed("log", "-l", store).splitlines()) == 3
    assert "there is something at this path already" in error_of("backup", "-l", store, tmp_path / "copy")
    with KnowledgeGraph.open() as graph, pytest.raises(StoreError, match="in memory"):
        graph.backup(tmp_path / "memory")


def test_copies_while_a_process_writes(tmp_path: Path) -> None:
    """Each copy is the graph of one commit, whatever the writer does meanwhile."""
    copies: dict[Path, int] = {}
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "store")], stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            for number in range(4):
                time.sleep(0.2)
                copy = tmp_path / f"copy-{number}"
                copies[copy] = json.loads(succeed("backup", "-l", tmp_path / "store", copy, "--json"))["commit"]
        finally:
            writer.kill()
    assert list(copies.values()) == sorted(set(copies.values()))
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        for copy, commit in copies.items():
            with KnowledgeGraph.open(copy) as copied, graph.as_of(commit) as past:
                assert copied.commit == commit
                assert lines(copied.dump()) == lines(past.dump())
                assert set(copied) == set(past)
                assert len(copied.log()) == commit
