"""A reader of a store with many tables keeps its files, whatever a writer does to the store's."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyoxigraph import QuerySolutions

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.store.oxigraph.links import folders_of_dead_readers, link_own_files
from kgreason.store.oxigraph.store import OxigraphStore

LOADS, ROWS = 40, 50
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store whose rows are in many tables, and some of them in RocksDB's log alone."""
    store = OxigraphStore(tmp_path / "oxigraph")
    for load in range(LOADS):
        rows = (f"<http://e/s{load}x{row}> <http://e/p> <http://e/o{load}> .\n" for row in range(ROWS))
        store.load(["".join(rows).encode()])
    store.flush()
    store.apply(b"", b"<http://e/late> <http://e/p> <http://e/o> .\n")
    store.close()
    assert len(list((tmp_path / "oxigraph").glob("*.sst"))) > 16
    return tmp_path / "oxigraph"


def count(store: OxigraphStore, timeout: float | None = None) -> int:
    solutions = store.query(COUNT, timeout=timeout)
    assert isinstance(solutions, QuerySolutions)
    return int(next(solutions)["n"].value)


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_a_reader_goes_on_where_the_store_is_gone(path: Path, timeout: float | None) -> None:
    reader = OxigraphStore.read_only(path)
    shutil.rmtree(path)
    assert count(reader, timeout) == LOADS * ROWS + 1


def test_the_files_go_with_the_reader_and_its_results(path: Path) -> None:
    reader = OxigraphStore.read_only(path)
    rows = iter(reader.match(None, None, None, None))
    next(rows)
    reader.close()
    shutil.rmtree(path)
    del reader
    gc.collect()
    assert len(list(rows)) == LOADS * ROWS
    del rows
    gc.collect()
    assert list(path.parent.iterdir()) == []


def test_a_timed_query_of_a_reader_uses_the_files_that_the_reader_has(path: Path) -> None:
    reader = OxigraphStore.read_only(path)
    assert reader._path is not None
    assert link_own_files(reader._path) is None
    assert len(list(path.parent.glob("reader-*"))) == 1


def test_few_tables_need_no_files_of_their_own(tmp_path: Path) -> None:
    store = OxigraphStore(tmp_path / "oxigraph")
    store.apply(b"", b"<http://e/a> <http://e/p> <http://e/o> .\n")
    store.flush()
    assert link_own_files(tmp_path / "oxigraph") is None


def test_a_folder_where_nobody_may_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "link", refused)
    assert link_own_files(path) is None
    assert [each.name for each in path.parent.iterdir()] == ["oxigraph"]


def test_a_writer_removes_the_files_of_dead_readers(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(("http://e/a", "http://e/p", "http://e/b"))
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left, kept = (tmp_path / "store" / f"reader-{pid}.1" for pid in (dead.pid, os.getpid()))
    for folder in (left, kept):
        folder.mkdir()
    assert folders_of_dead_readers(tmp_path / "store") == [left]
    with KnowledgeGraph.open(tmp_path / "store"):
        assert kept.is_dir()
        assert not left.exists()
