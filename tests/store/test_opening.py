"""What cannot be opened says why, what is behind is brought up to date, and reading needs no engine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from kgreason.errors import KgreasonError, RuleError, StoreError, StoreLockedError, StoreVersionError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.opening.options import MADE_WITH
from kgreason.store.folder import FORMAT, Manifest, read_manifest
from tests.graph.views import agrees, file_of, lasting, rows, view
from tests.store.test_store import AXIOMS, DATA, ONTOLOGY


def some_file(folder: Path) -> Path:
    return file_of(folder / "data.nq", f"{ONTOLOGY} . {DATA} . {AXIOMS}")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a graph."""
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.load(some_file(tmp_path))
    return tmp_path / "store"


def edit_manifest(store: Path, **changes: object) -> None:
    path = store / "kgreason.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_store_that_is_open_is_locked(store: Path) -> None:
    with KnowledgeGraph.open(store), pytest.raises(StoreLockedError, match="another process"):
        KnowledgeGraph.open(store)
    with KnowledgeGraph.open(store, read_only=True) as one, KnowledgeGraph.open(store, read_only=True) as other:
        assert view(one) == view(other)
        before = view(one)
        with KnowledgeGraph.open(store) as graph:
            graph.add(("http://e/new", "http://e/p", "http://e/o"))
            with KnowledgeGraph.open(store, read_only=True) as third:
                assert lasting(view(third)) == lasting(view(graph))
        assert view(one) == before


@pytest.mark.parametrize("wait", [0.05, 5])
def test_a_writer_waits_for_another_one(store: Path, wait: float) -> None:
    first = KnowledgeGraph.open(store)
    first.add(("http://e/one", "http://e/p", "http://e/o"))
    timer = threading.Timer(0.3, first.close)
    timer.start()
    if wait < 0.3:
        with pytest.raises(StoreLockedError, match="has the store open for writing"):
            KnowledgeGraph.open(store, wait=wait)
    else:
        with KnowledgeGraph.open(store, wait=wait) as second:
            assert ("http://e/one", "http://e/p", "http://e/o") in second
    timer.join()


def test_another_process_has_the_store(store: Path) -> None:
    command = "import sys, kgreason; kgreason.KnowledgeGraph.open(sys.argv[1])"
    with KnowledgeGraph.open(store):
        done = subprocess.run([sys.executable, "-c", command, store], check=False, capture_output=True, text=True)
    assert "StoreLockedError" in done.stderr
    assert str(store) in done.stderr


def test_a_store_of_another_version(store: Path) -> None:
    edit_manifest(store, format=99)
    for read_only in (True, False):
        with pytest.raises(StoreVersionError, match="format 99"):
            KnowledgeGraph.open(store, read_only=read_only)
    edit_manifest(store, format=FORMAT)
    KnowledgeGraph.open(store).close()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", f'{{"format": {FORMAT}}}', f'{{"format": {FORMAT}, "rules": [], "other": 2}}']
)
def test_a_manifest_that_is_damaged(store: Path, text: str) -> None:
    (store / "kgreason.json").write_text(text)
    with pytest.raises(StoreError, match=r"kgreason\.json"):
        KnowledgeGraph.open(store)


@pytest.mark.parametrize("read_only", [True, False])
def test_a_manifest_that_is_missing(store: Path, read_only: bool) -> None:
    before = sorted(store.rglob("*"))
    (store / "kgreason.json").rename(store.parent / "kept")
    with pytest.raises(StoreError, match=r"kgreason\.json: the file is missing"):
        KnowledgeGraph.open(store, read_only=read_only)
    (store.parent / "kept").rename(store / "kgreason.json")
    assert sorted(store.rglob("*")) == before
    KnowledgeGraph.open(store).close()


def test_a_snapshot_that_is_missing(store: Path) -> None:
    shutil.rmtree(store / "snapshot-1")
    with KnowledgeGraph.open(store) as graph:
        assert rows(graph)
        with pytest.raises(StoreError, match="snapshot-1"):
            list(graph.dump())
        with pytest.raises(StoreError, match="snapshot-1"):
            graph.load(some_file(store.parent))


@pytest.mark.parametrize("is_there", [True, False])
def test_the_hash_table_in_a_snapshot_is_not_needed(store: Path, is_there: bool) -> None:
    (path,) = store.glob("snapshot-*/hashed.npy")
    if not is_there:
        path.unlink()
    with KnowledgeGraph.open(store) as graph:
        graph.add(("http://e/new", "http://e/p", "http://e/o"))
        assert agrees(graph)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"same_as": "alias"}, "same_as 'alias': it must be one of aliases, representatives, rules"),
        ({"schema": "Data"}, "schema 'Data': it must be one of axioms, data"),
        ({"strategy": "fast"}, "strategy 'fast': it must be one of auto, update, bootstrap"),
        ({"aliases": -1}, "aliases -1: it must be a whole number, at least 0"),
        ({"budget": 1.5}, "budget 1.5: it must be a whole number, at least 1"),
        ({"schema": ""}, "schema '': it must be one of axioms, data"),
        ({"budget": "much"}, "budget 'much': it must be a whole number, at least 1"),
        ({"rules": "missing.dl"}, "missing.dl: cannot be read: No such file or directory"),
        ({"rules": ["owl2rl+no-such"]}, "unknown rule group 'no-such'"),
        ({"rules": ""}, "'': neither a rule set"),
    ],
)
def test_an_option_that_is_none(tmp_path: Path, options: dict[str, Any], problem: str) -> None:
    for path in (None, tmp_path / "new"):
        with pytest.raises(KgreasonError, match=problem):
            KnowledgeGraph.open(path, **options)
    assert not list(tmp_path.iterdir())


class _FailedError(Exception):
    pass


def fail(path: Path | str, *steps: Callable[[KnowledgeGraph], object]) -> None:
    with KnowledgeGraph.open(path) as graph:
        for step in steps:
            step(graph)
        raise _FailedError


def commit(path: Path) -> None:
    with KnowledgeGraph.open(path) as graph, graph.transaction() as tx:
        tx.add("<http://e/a> <http://e/b> <http://e/c> .")


def test_only_a_store_that_this_block_made_is_taken_away_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, elsewhere = tmp_path / "new", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.raises(_FailedError):
        fail(path)
    assert not path.exists()
    with pytest.raises(_FailedError):
        fail(path, lambda graph: graph.close(), lambda _: commit(path))
    with pytest.raises(_FailedError):
        fail(path)
    monkeypatch.chdir(elsewhere)
    with pytest.raises(_FailedError):
        fail("new", lambda _: monkeypatch.chdir(tmp_path))
    assert not list(elsewhere.iterdir())
    with KnowledgeGraph.open(path) as graph:
        assert graph.stats()["facts"] == 1


_FORKING = """
import os, sys
from kgreason import KnowledgeGraph
with KnowledgeGraph.open(sys.argv[1]) as graph:
    if child := os.fork():
        os.waitpid(child, 0)
    else:
        graph.__exit__(KeyError, KeyError(), None)
        os._exit(0)
    print(os.path.exists(sys.argv[1] + "/lock"))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_that_fails_leaves_the_store_of_its_parent(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", _FORKING, str(tmp_path / "new")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "True\n"


def test_no_rules_are_none() -> None:
    with KnowledgeGraph.open(rules=[]) as graph, graph.transaction() as tx:
        tx.add("<http://e/a> <http://e/b> <http://e/c> .")
    assert graph._home.manifest.rules == ["none"]


def test_a_rule_file_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "own.dl").write_text("p(1) .")
    several: list[str | Path] = ["rdfs", tmp_path / "own.dl"]
    for rules in (tmp_path / "own.dl", several):
        with KnowledgeGraph.open(rules=rules) as graph, graph.transaction() as tx:
            tx.add("<http://e/a> <http://e/b> <http://e/c> .")
        assert graph._home.manifest.rules[-1] == str(tmp_path / "own.dl")


@pytest.mark.parametrize("has_commit", [False, True])
def test_a_rule_file_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_commit: bool) -> None:
    """A store may be opened from another folder, and by any path of the file."""
    rules, elsewhere = tmp_path / "rules", tmp_path / "elsewhere"
    rules.mkdir()
    elsewhere.mkdir()
    (rules / "knows.dl").write_text("[?y, <http://e/knows>, ?x] :- [?x, <http://e/knows>, ?y] .", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with KnowledgeGraph.open("store", rules=["rhodf", "rules/knows.dl"]) as graph:
        if has_commit:
            graph.add("<http://e/a> <http://e/knows> <http://e/b> .")
    monkeypatch.chdir(elsewhere)
    for given in (None, ["rhodf", "../rules/knows.dl"], ["rhodf", str(rules / "knows.dl")]):
        with KnowledgeGraph.open("../store", rules=given) as graph:
            graph.add("<http://e/a> <http://e/knows> <http://e/b> .")
            assert len(graph) == 2
            assert graph.options["rules"] == ["rhodf", str(rules / "knows.dl")]
    with KnowledgeGraph.open("../store") as graph, graph.transaction() as tx:
        tx.remove_rules(file="../rules/knows.dl")
    monkeypatch.chdir(rules)
    with pytest.raises(StoreError, match="were removed from the store"):
        KnowledgeGraph.open("../store", rules=["rhodf", "knows.dl"])


def test_no_rules_stay_none_on_disk(tmp_path: Path) -> None:
    below = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    rules: list[list[str] | None] = [[], [], None]  # made without rules, opened with the same, opened as it is
    for number, asked in enumerate(rules, 1):
        with KnowledgeGraph.open(tmp_path / "store", rules=asked) as graph:
            with graph.transaction() as tx:
                tx.add(f"<http://e/a{number}> a <http://e/A> . <http://e/A> {below} <http://e/B> .")
            assert graph.rules() == []
            assert graph._home.manifest.rules == ["none"]
            stats = graph.stats()
            assert (stats["asserted"], stats["inferred"]) == (number + 1, 0)


def test_a_folder_that_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="not a store"):
        KnowledgeGraph.open(tmp_path)
    with pytest.raises(StoreError, match="there is no store"):
        KnowledgeGraph.open(tmp_path, read_only=True)
    with pytest.raises(StoreError, match=r"notes\.txt"):
        KnowledgeGraph.open(tmp_path / "notes.txt")
    with pytest.raises(StoreError, match="there is no store"):
        KnowledgeGraph.open(tmp_path / "missing", read_only=True)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_whose_rows_are_behind(store: Path, read_only: bool) -> None:
    """As a kill leaves it while the store is filled."""
    with KnowledgeGraph.open(store) as graph:
        before = view(graph)
        graph._home.store._store.clear()
        graph._home.store.load([b"<http://e/half> <http://e/way> <http://e/there> .\n"])
    edit_manifest(store, stored=-1)
    with KnowledgeGraph.open(store, read_only=read_only) as graph:
        assert view(graph) == before
        if read_only:
            KnowledgeGraph.open(store, read_only=True).close()
            with pytest.raises(StoreError, match="opened for reading only"):
                graph.transaction()
    with KnowledgeGraph.open(store, read_only=True) as one, KnowledgeGraph.open(store, read_only=True) as other:
        assert view(one) == view(other) == before


def test_a_store_whose_database_was_not_finished(store: Path) -> None:
    """As a kill leaves it while Oxigraph makes its files."""
    with KnowledgeGraph.open(store) as graph:
        before = view(graph)
    manifest = read_manifest(store)
    assert manifest is not None
    (store / manifest.oxigraph / "CURRENT").unlink()
    edit_manifest(store, stored=-1)
    with KnowledgeGraph.open(store) as graph:
        assert view(graph) == before


def test_a_store_that_nothing_was_committed_to(tmp_path: Path) -> None:
    KnowledgeGraph.open(tmp_path / "store", rules=["rdfs"]).close()
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert graph.stats()["facts"] == 0
        assert rows(graph) == frozenset()
    with KnowledgeGraph.open(tmp_path / "store", rules=["owl2rl"]) as graph:
        graph.load(some_file(tmp_path))
        assert agrees(graph)


def test_rules_that_there_are_none_of_are_refused_at_once(tmp_path: Path) -> None:
    for rules in ("owl3", ["rdfs", "owl3"]):
        with pytest.raises(RuleError, match="owl3: neither a rule set"):
            KnowledgeGraph.open(tmp_path / "store", rules=rules)
    assert not (tmp_path / "store").exists()
    graphs = [KnowledgeGraph.open(rules=rules) for rules in ("rdfs+axiomatic", ["rdfs+axiomatic"])]
    for graph in graphs:
        graph.load(some_file(tmp_path))
    assert view(graphs[0]) == view(graphs[1])


READING = """
import sys
import threading
from kgreason import KnowledgeGraph
with KnowledgeGraph.open(sys.argv[1], read_only=sys.argv[2] == "read") as graph:
    assert list(graph.query("SELECT * { ?s a ?o }"))
    assert graph.stats()["facts"]
    assert list(graph.dump()) and list(graph.dump(asserted=True, graphs=True))
    assert graph.rules() and not graph.warnings
print(*{"numba", "kgreason.engine.engine", "lark", "owlrl", "rdflib"} & sys.modules.keys())
"""


@pytest.mark.parametrize("mode", ["read", "write"])
def test_reading_starts_neither_numba_nor_the_engine(store: Path, mode: str) -> None:
    """If the manifest does not say what Oxigraph has, as after a kill, the engine settles that first."""
    done = subprocess.run([sys.executable, "-c", READING, store, mode], check=False, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")


KEPT: list[dict[str, Any]] = [
    {"rules": ["rdfs"]},
    {"rules": "own.dl"},
    {"rules": []},
    {"schema": "data"},
    {"same_as": "representatives"},
    {"same_as": "rules"},
    {"aliases": 7},
    {"on_contradiction": "refuse"},
    {"on_violation": "refuse"},
    {"history": "all"},
    {"history": 5},
    {"history": "90d"},
]
"""Options of `open` that a store keeps. The others hold until the graph is closed."""
PASSING = {
    "strategy", "fraction", "budget", "most_made_terms", "most_rounds", "threads", "catalogue", "functions", "late"
}  # fmt: skip


def test_every_option_is_kept_or_passes() -> None:
    kept = {name for options in KEPT for name in options}
    assert kept == {*MADE_WITH, "history"}
    assert set(signature(KnowledgeGraph.open).parameters) == kept | PASSING | {"path", "read_only", "wait"}


@pytest.mark.parametrize("options", KEPT, ids=str)
def test_an_option_is_kept_from_the_first_opening(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.dl").write_text("p(1) .")
    path, default = tmp_path / "store", Manifest(["owl2rl"])
    with KnowledgeGraph.open(**options) as graph:
        wanted = graph._home.manifest
    assert wanted != default
    files = {"own.dl": str(tmp_path / "own.dl")}  # a store keeps the absolute path
    wanted = replace(wanted, rules=[files.get(name, name) for name in wanted.rules])
    killed = KnowledgeGraph.open(path, **options)
    shutil.copytree(path, tmp_path / "killed")
    killed.close()
    for place in (path, tmp_path / "killed"):
        with KnowledgeGraph.open(place, read_only=True) as graph:
            assert graph._home.manifest == wanted
        with KnowledgeGraph.open(place) as graph:
            assert graph._home.manifest == wanted
            assert (graph._home.history is None) == ("history" not in options)
            graph.add("<http://e/a> <http://e/b> <http://e/c> .")
        with KnowledgeGraph.open(place, **options) as graph:
            assert all(getattr(graph._home.manifest, name) == getattr(wanted, name) for name in (*MADE_WITH, "history"))


def test_until_the_first_commit_an_option_that_is_given_again_counts(tmp_path: Path) -> None:
    KnowledgeGraph.open(tmp_path, rules=["rdfs"], history="all", aliases=7).close()
    KnowledgeGraph.open(tmp_path, rules=["none"], history="none").close()
    with KnowledgeGraph.open(tmp_path) as graph:
        made = graph._home.manifest
        assert (made.rules, made.history, made.aliases) == (["none"], "none", 7)


@pytest.mark.parametrize("is_there", [True, False])
def test_an_opening_that_fails_changes_nothing(tmp_path: Path, is_there: bool) -> None:
    path = tmp_path / "store"
    if is_there:
        KnowledgeGraph.open(path, rules=["none"]).close()
    before = {file.name: file.read_bytes() for file in path.iterdir() if file.is_file()} if is_there else None
    (tmp_path / "bad.dl").write_text("p(?x) .")
    wrong: list[dict[str, Any]] = [
        {"rules": [tmp_path / "bad.dl"]},
        {"rules": [tmp_path / "missing.dl"]},
        {"rules": ["rdfs"], "schema": "wrong"},
        {"history": 0},
        {"aliases": -1, "same_as": "rules"},
        {"same_as": "rules", "catalogue": tmp_path / "missing"},
    ]
    for options in wrong:
        with pytest.raises(KgreasonError):
            KnowledgeGraph.open(path, **options)
    assert path.exists() == is_there
    if before:
        assert {file.name: file.read_bytes() for file in path.iterdir() if file.is_file()} == before


def test_a_manifest_that_cannot_be_written_leaves_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kgreason.store.folder.sync", fail)
    with pytest.raises(StoreError, match="the disk is full"):
        KnowledgeGraph.open(tmp_path / "store", rules=["rdfs"])
    assert not (tmp_path / "store").exists()
